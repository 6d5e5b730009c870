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

/// Coefficients of fewer bits are lifted to all primes as residues of one number.
constexpr double kLiftedBits = 60;
constexpr std::uint64_t kLifted = (std::uint64_t{1} << 62) - 1;

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
void GpuQueue::encode_in(const GpuEmbedding& embedding, const NumberRows& numbers, const DoubleDouble& factor,
                         std::uint64_t t, std::uint64_t* seen, std::uint64_t* out, std::size_t n,
                         std::size_t batch) const {
  const std::uint32_t layers = log2_of(embedding.slots());
  constexpr std::size_t kWords = sizeof(EmbeddedNumber<Real>) / sizeof(std::uint64_t);
  DeviceArray between =
      allocate_secret(layers <= kMostLayers<Real> ? 0 : batch * embedding.slots() * kWords, 64);
  std::uint32_t done = 0;
  in_passes<Real>(layers, [&]<unsigned kLog>(std::integral_constant<unsigned, kLog>, bool last) {
    if constexpr (kLog <= kMostLayers<Real>) {
      run("encoding numbers",
          EncodePass<Real, kLog>{grid_of(batch, embedding.slots() >> kLog),
                                 {layers, done, embedding.roots<Real>(),
                                  static_cast<EmbeddedNumber<Real>*>(between.data().address())},
                                 done == 0,
                                 last,
                                 numbers.words.as<double>(),
                                 embedding.slot(),
                                 static_cast<std::uint32_t>(numbers.length),
                                 numbers.parts,
                                 seen,
                                 real_of(factor, Real{}),
                                 t,
                                 out,
                                 log2_of(n),
                                 log2_of(n) - layers - 1});
      done += kLog;
    }
  });
}

void GpuQueue::encode_seen(const GpuEmbedding& embedding, const RingTables& ring, const NumberRows& numbers,
                           const DoubleDouble& factor, bool wide, std::uint64_t t, std::uint64_t* seen,
                           WordPtr out, std::size_t batch) const {
  const std::size_t n = ring.n();
  DeviceArray range = allocate(4, 64), integers = allocate_secret((t == 0 ? 2 : 1) * batch * n, 64);
  fill_zero(range.data(), range.size());
  if (n != 2 * embedding.slots()) fill_zero(integers.data(), integers.size());
  auto *const found = range.data().as<std::uint64_t>(), *const rows = integers.data().as<std::uint64_t>();
  if (wide)
    encode_in<DoubleDouble>(embedding, numbers, factor, t, found, rows, n, batch);
  else
    encode_in<double>(embedding, numbers, factor, t, found, rows, n, batch);
  if (t != 0) {
    lift_plain(ring, t, rows, out, batch);
  } else {
    with_word(out.word_bits(), [&]<class Word>(Word) {
      run("lifting coefficients",
          LiftIntegers<Word>{grid_of(batch, n), own<GpuRing>(ring).rows(), rows, out.as<Word>()});
    });
  }
  run("range of numbers", CopyWords{grid_of(1, 4), {found, false}, {seen, false}, 3});
}

EncodedRange GpuQueue::encode(const EmbeddingTables& embedding, const RingTables& ring,
                              const NumberRows& numbers, const DoubleDouble& scale, double bits, Form form,
                              WordPtr out, std::size_t batch) const {
  require_not_recording("encoding", "the host would wait for what has not run");
  const GpuEmbedding& tables = own<GpuEmbedding>(embedding);
  const std::size_t slots = embedding.slots();
  const std::uint64_t t = bits < kLiftedBits ? kLifted : 0;
  const DoubleDouble factor{scale.hi / static_cast<double>(slots), scale.lo / static_cast<double>(slots)};
  std::uint64_t found[3];
  Staging::of(ordinal_).answer(stream(), found, [&](std::uint64_t* words) {
    OnePiece piece(ordinal_);
    encode_seen(tables, ring, numbers, factor, is_wide(scale), t, words, out, batch);
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
  const std::uint32_t layers = log2_of(embedding.slots()), log_n = log2_of(ring.n());
  constexpr std::size_t kWords = sizeof(EmbeddedNumber<Real>) / sizeof(std::uint64_t);
  DeviceArray between =
      allocate_secret(layers <= kMostLayers<Real> ? 0 : batch * embedding.slots() * kWords, 64);
  std::uint32_t left = layers;
  in_passes<Real>(layers, [&]<unsigned kLog>(std::integral_constant<unsigned, kLog>, bool last) {
    if constexpr (kLog <= kMostLayers<Real>) {
      const bool first = left == layers;
      left -= kLog;
      run("decoding numbers",
          DecodePass<Real, kLog>{grid_of(batch, embedding.slots() >> kLog),
                                 {layers, left, embedding.roots<Real>(),
                                  static_cast<EmbeddedNumber<Real>*>(between.data().address())},
                                 first,
                                 last,
                                 constants_of(integers),
                                 read(phase),
                                 ring.words(),
                                 log_n,
                                 log_n - layers - 1,
                                 real_of(factor, Real{}),
                                 real,
                                 embedding.slot(),
                                 out});
    }
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
