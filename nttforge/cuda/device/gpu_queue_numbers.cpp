// SPDX-License-Identifier: Apache-2.0
// Numbers to polynomials and back.
#include <utility>

#include "nttforge/cuda/device/embedding.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/one_piece.hpp"
#include "nttforge/cuda/runtime/staging.hpp"
#include "nttforge/embedding/small_integers.hpp"

namespace nttforge::cuda {
namespace {

/// Passes over `layers` layers, none too: pass(number of layers, whether it is the last).
template <class Real, class Pass>
void in_passes(std::uint32_t layers, const Pass& pass) {
  std::uint32_t left = layers;
  do {
    const std::uint32_t now = std::min<std::uint32_t>(left, kMostLayers<Real>);
    left -= now;
    switch (now) {
      case 0:
        pass(std::integral_constant<unsigned, 0>(), left == 0);
        break;
      case 1:
        pass(std::integral_constant<unsigned, 1>(), left == 0);
        break;
      case 2:
        pass(std::integral_constant<unsigned, 2>(), left == 0);
        break;
      case 3:
        pass(std::integral_constant<unsigned, 3>(), left == 0);
        break;
      default:
        if constexpr (kMostLayers<Real> == 4) pass(std::integral_constant<unsigned, 4>(), left == 0);
    }
  } while (left != 0);
}

bool is_wide(const DoubleDouble& scale) { return scale.hi >= kDoubleDoubleScale; }

SmallIntegerConstants constants_of(const SmallIntegers& integers) {
  SmallIntegerConstants result{};
  result.count = static_cast<std::uint32_t>(integers.size());
  for (std::size_t i = 0; i < integers.size(); ++i) {
    result.moduli[i] = wide_modulus(integers.moduli()[i].value());
    result.inverses[i] = integers.inverses()[i];
    result.weights[i] = integers.weights()[i];
  }
  std::copy(integers.products().begin(), integers.products().end(), result.products);
  result.product = integers.product();
  return result;
}

}  // namespace

template <class Real>
void GpuQueue::encode_in(const GpuEmbedding& embedding, const RingTables& ring, const NumberRows& numbers,
                         const DoubleDouble& factor, std::uint64_t* seen, WordPtr out,
                         std::size_t batch) const {
  using Number = EmbeddedNumber<Real>;
  const std::uint32_t layers = log2_of(embedding.slots());
  DeviceArray place = allocate_secret(batch * embedding.slots() * sizeof(Number) / 8, 64);
  auto* const transformed = static_cast<Number*>(place.data().address());
  std::uint32_t done = 0;
  in_passes<Real>(layers, [&]<unsigned kLog>(std::integral_constant<unsigned, kLog>, bool) {
    run("encoding numbers", EncodePass<Real, kLog>{grid_of(batch, embedding.slots() >> kLog),
                                                   {layers, done, embedding.roots<Real>(), transformed},
                                                   done == 0,
                                                   numbers.words.as<double>(),
                                                   embedding.slot(),
                                                   static_cast<std::uint32_t>(numbers.length),
                                                   numbers.parts,
                                                   seen});
    done += kLog;
  });
  with_word(out.word_bits(), [&]<class Word>(Word) {
    run("lifting numbers",
        LiftNumbers<Word, Real>{grid_of(batch, ring.n()), own<GpuRing>(ring).rows(), transformed,
                                real_of(factor, Real{}), layers, seen, out.as<Word>()});
  });
}

void GpuQueue::encode_seen(const EmbeddingTables& embedding, const RingTables& ring,
                           const NumberRows& numbers, const DoubleDouble& scale, std::uint64_t* seen,
                           WordPtr out, std::size_t batch) const {
  const GpuEmbedding& tables = own<GpuEmbedding>(embedding);
  const auto slots = static_cast<double>(embedding.slots());
  const DoubleDouble factor{scale.hi / slots, scale.lo / slots};
  DeviceArray range = allocate(4, 64);
  fill_zero(range.data(), range.size());
  auto* const found = range.data().as<std::uint64_t>();
  if (is_wide(scale))
    encode_in<DoubleDouble>(tables, ring, numbers, factor, found, out, batch);
  else
    encode_in<double>(tables, ring, numbers, factor, found, out, batch);
  run("range of numbers", CopyWords{grid_of(1, 4), {found, false}, {seen, false}, 3});
}

EncodedRange GpuQueue::encode(const EmbeddingTables& embedding, const RingTables& ring,
                              const NumberRows& numbers, const DoubleDouble& scale, double, Form form,
                              WordPtr out, std::size_t batch) const {
  require_not_recording("encoding", "the host would wait for what has not run");
  std::uint64_t found[3];
  Staging::of(ordinal_).answer(stream(), found, [&](std::uint64_t* words) {
    OnePiece piece(ordinal_);
    encode_seen(embedding, ring, numbers, scale, words, out, batch);
    if (form == Form::values) forward(ring, out, batch);
    piece.start();
  });
  const double real = double_of(found[0]), imaginary = double_of(found[1]);
  return {{real, imaginary, real * 0 + imaginary * 0 == 0}, found[2] == 0};
}

template <class Real>
void GpuQueue::decode_in(const GpuEmbedding& embedding, const RingTables& ring, const SmallIntegers& integers,
                         ConstWordPtr phase, const DoubleDouble& factor, bool real, double* out,
                         std::size_t batch) const {
  using Number = EmbeddedNumber<Real>;
  const std::uint32_t layers = log2_of(embedding.slots());
  DeviceArray place = allocate_secret(batch * embedding.slots() * sizeof(Number) / 8, 64);
  auto* const numbers = static_cast<Number*>(place.data().address());
  run("reading numbers", ReadNumbers<Real>{grid_of(batch, 2 * embedding.slots()), constants_of(integers),
                                           read(phase), ring.words(), log2_of(ring.n()), numbers});
  std::uint32_t left = layers;
  in_passes<Real>(layers, [&]<unsigned kLog>(std::integral_constant<unsigned, kLog>, bool last) {
    left -= kLog;
    run("decoding numbers", DecodePass<Real, kLog>{grid_of(batch, embedding.slots() >> kLog),
                                                   {layers, left, embedding.roots<Real>(), numbers},
                                                   real_of(factor, Real{}),
                                                   real,
                                                   embedding.slot(),
                                                   last ? out : nullptr});
  });
}

void GpuQueue::decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
                      const DoubleDouble& scale, double bits, bool real, WordPtr out,
                      std::size_t batch) const {
  const std::span<const std::uint64_t> moduli = ring.spec().moduli;
  const std::size_t primes = primes_that_hold(moduli, bits);
  if (primes > SmallIntegerConstants::kMost)
    return Queue::decode(embedding, ring, phase, scale, bits, real, out, batch);
  const SmallIntegers integers(moduli.first(primes));
  const GpuEmbedding& tables = own<GpuEmbedding>(embedding);
  OnePiece piece(ordinal_);
  if (is_wide(scale))
    decode_in<DoubleDouble>(tables, ring, integers, phase, reciprocal(scale), real, out.as<double>(), batch);
  else
    decode_in<double>(tables, ring, integers, phase, reciprocal(scale), real, out.as<double>(), batch);
  piece.start();
}

}  // namespace nttforge::cuda
