// SPDX-License-Identifier: Apache-2.0
// Steps between bases on the host's run of the card's kernels: rows anywhere, copies and addends, against the
// value of a step (rns/step.hpp), word for word.
#include <algorithm>

#include "nttforge/cuda/device/gpu_queue.hpp"
#include "nttforge/cuda/device/tile_call.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/rns/base_conversion.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/digits.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::cuda {
namespace {

using testing::OnDevice;
using testing::Rng;
using testing::Words;

constexpr std::uint64_t kUntouched = 0xABCDEF;

/// One step, and an array in which everything has a place: [batch][rows of own words, sources, outputs,
/// copies, and one row that nobody writes][n].
struct Case {
  RnsStep step;
  std::size_t n, batch;
  unsigned word_bits;
  std::size_t parts = 1, addend_parts = 0;

  std::size_t sources() const { return step.sources.size(); }
  std::size_t targets() const { return step.targets.size(); }
  std::size_t first_output() const { return step.own.size() + sources(); }
  std::size_t first_copy() const { return first_output() + targets(); }
  std::size_t stride() const { return (first_copy() + sources() + 1) * n; }
};

Words input_of(Rng& rng, const Case& c, bool largest) {
  Words x;
  const auto rows = [&](const Words& moduli) {
    for (const std::uint64_t q : moduli)
      for (std::size_t k = 0; k < c.n; ++k) x.push_back(largest || k % 7 == 0 ? q - 1 : rng.below(q));
  };
  for (std::size_t b = 0; b < c.batch; ++b) {
    if (!c.step.own.empty()) rows(c.step.targets);
    rows(c.step.sources);
    x.resize((b + 1) * c.stride(), kUntouched);
  }
  return x;
}

Words addend_of(Rng& rng, const Case& c) {
  Words x;
  for (std::size_t object = 0; object < c.batch / c.parts; ++object)
    for (std::size_t part = 0; part < c.addend_parts; ++part)
      for (const std::uint64_t q : c.step.targets)
        for (std::size_t k = 0; k < c.n; ++k) x.push_back(k == 0 ? q - 1 : rng.below(q));
  return x;
}

Words expected_of(const Case& c, Words x, const Words& addend) {
  const StepValue value(c.step);
  Words source(c.sources()), own(c.step.own.size()), out(c.targets());
  for (std::size_t b = 0; b < c.batch; ++b)
    for (std::size_t k = 0; k < c.n; ++k) {
      std::uint64_t* const row = x.data() + b * c.stride() + k;
      for (std::size_t j = 0; j < own.size(); ++j) own[j] = row[j * c.n];
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = row[(own.size() + i) * c.n];
        row[(c.first_copy() + i) * c.n] = source[i];
      }
      value.apply(source, own, out);
      for (std::size_t j = 0; j < out.size(); ++j) {
        const std::size_t object = b / c.parts, part = b % c.parts;
        if (part < c.addend_parts)
          out[j] = (out[j] + addend[((object * c.addend_parts + part) * c.targets() + j) * c.n + k]) %
                   c.step.targets[j];
        row[(c.first_output() + j) * c.n] = out[j];
      }
    }
  return x;
}

const GpuQueue& host_queue() {
  static const std::shared_ptr<const Queue> queue = make_cuda_device(-1)->make_queue();
  return dynamic_cast<const GpuQueue&>(*queue);
}

Conversion rows_of(const Case& c, WordPtr all, ConstWordPtr addend) {
  return {.sources = {all + c.step.own.size() * c.n, c.stride()},
          .own = {all, c.stride()},
          .out = {all + c.first_output() * c.n, c.stride()},
          .copies = {all + c.first_copy() * c.n, c.stride()},
          .addend = {addend, c.addend_parts * c.targets() * c.n},
          .addend_parts = c.addend_parts,
          .parts = c.parts};
}

void check(Rng& rng, const Case& c, const char* what) {
  const GpuQueue& queue = host_queue();
  const auto tables = queue.device().make_step(c.step, c.n);
  const Words x = input_of(rng, c, false), addend = addend_of(rng, c);
  OnDevice all(queue, x, c.word_bits), more(queue, addend, c.word_bits);
  queue.convert(*tables, rows_of(c, all.data(), more.data()), c.batch);
  testing::check_same(all.host(), expected_of(c, x, addend), queue, {c.n, c.step.targets}, what);
}

/// The case by tiles of every shape that an arithmetic has.
template <class Arith>
void check_shapes(Rng& rng, const Case& c, bool largest) {
  const GpuQueue& queue = host_queue();
  std::vector<CudaBuffer> memory;
  const auto tables = make_tile_step<Arith>(c.step, -1, memory);
  NTTF_CHECK(tables.has_value());
  if (!tables) return;
  const Words x = input_of(rng, c, largest), addend = addend_of(rng, c), expected = expected_of(c, x, addend);
  for (const TileShape shape : TileShapes<Arith>::kAll) {
    if (shape.coefficients > c.n) continue;
    OnDevice all(queue, x, c.word_bits), more(queue, addend, c.word_bits);
    const auto call = tile_call(tables, rows_of(c, all.data(), more.data()), c.n, c.batch);
    NTTF_CHECK(call.has_value());
    if (!call) return;
    with_tile_kernel(*call, shape, correction_of(c.step),
                     [](const auto& kernel) { return tiles_on_host(kernel); });
    testing::check_same(all.host(), expected, queue, {c.n, c.step.targets},
                        ("tile " + std::to_string(shape.coefficients) + " x " +
                         std::to_string(shape.targets) + ", " + std::to_string(c.sources()) + " sources, " +
                         std::to_string(c.targets()) + " targets, modulus " + std::to_string(c.step.modulus))
                            .c_str());
  }
}

/// Odd numbers below 2^bits, from the top: the arithmetic does not ask for primes.
Words largest_moduli(unsigned bits, std::size_t count) {
  Words q;
  for (std::size_t i = 0; i < count; ++i) q.push_back((std::uint64_t{1} << bits) - 1 - 2 * i);
  return q;
}

/// A step with every field a tile may have; largest: constants are q - 1.
RnsStep full_step(Rng& rng, unsigned bits, std::size_t sources, std::size_t targets, Correction correction,
                  bool largest) {
  const auto below = [&](std::uint64_t q) { return largest ? q - 1 : rng.below(q); };
  RnsStep step{.sources = largest_moduli(bits, sources), .targets = largest_moduli(bits, targets)};
  for (const std::uint64_t s : step.sources) step.scale.push_back(below(s));
  if (correction != Correction::none) {
    step.modulus = correction == Correction::power ? std::uint64_t{1} << 32 : step.sources.back();
    for (std::size_t i = 0; i < sources; ++i) step.weights.push_back(below(step.modulus));
  }
  for (const std::uint64_t q : step.targets) {
    step.own.push_back(below(q));
    step.offset.push_back(below(q));
    if (correction != Correction::none) step.excess.push_back(below(q));
    for (std::size_t i = 0; i < sources; ++i) step.factors.push_back(below(q));
  }
  return step;
}

template <class Arith>
void check_all_shapes(std::initializer_list<unsigned> sizes) {
  Rng rng;
  const unsigned word_bits = 8 * sizeof(typename Arith::Word);
  for (const unsigned bits : sizes)
    for (const Correction correction : {Correction::none, Correction::power, Correction::other})
      for (const bool largest : {false, true}) {
        for (std::size_t count = 1; count <= 40; count += count < 10 ? 1 : 5) {
          const auto step = [&](std::size_t s, std::size_t t) {
            return full_step(rng, bits, s, t, correction, largest);
          };
          check_shapes<Arith>(rng, {step(count, 5), 2, 4, word_bits, 2, 1}, largest);
          check_shapes<Arith>(rng, {step(count, 13), 4, 2, word_bits, 2, 2}, largest);
          check_shapes<Arith>(rng, {step(3, count), 8, 1, word_bits}, largest);
          check_shapes<Arith>(rng, {step(9, count), 1, 3, word_bits}, largest);
        }
        check_shapes<Arith>(
            rng, {full_step(rng, bits, kMostTileSources, 3, correction, largest), 2, 1, word_bits}, largest);
      }
}

NTTF_TEST("tiles of 32-bit words: every shape, any counts, sums that are as large as they may be") {
  check_all_shapes<NarrowTiles>({31, 30, 29, 12});
}
NTTF_TEST("tiles of split words: every shape, any counts, sums that are as large as they may be") {
  check_all_shapes<SplitTiles>({52, 50, 27, 12});
}
NTTF_TEST("tiles of 64-bit words: every shape, any counts, sums that are as large as they may be") {
  check_all_shapes<WholeTiles>({62, 60, 53});
}

/// BEHZ's way down, in one launch and in two.
void check_chain(Rng& rng, unsigned bits, std::size_t n, std::size_t limbs, std::size_t batch) {
  const GpuQueue& queue = host_queue();
  const unsigned word_bits = bits < 32 ? 32 : 64;
  const Behz behz(RnsBase(ntt_primes(n, bits, limbs)), 65537, n, {}, 16, bits);
  const RnsStep chain[] = {behz.floor(), behz.to_q()};
  const Words x = testing::random_polynomials(rng, {n, chain[0].sources}, batch),
              y = testing::random_polynomials(rng, {n, chain[0].targets}, batch);
  const auto at = [&](OnDevice& array, const Words& moduli) -> BatchRows {
    return {array.data(), moduli.size() * n};
  };
  OnDevice in(queue, x, word_bits), own(queue, y, word_bits), between(queue, y.size(), word_bits),
      expected(queue, x.size(), word_bits), out(queue, x.size(), word_bits);
  const auto first = queue.device().make_step(chain[0], n), second = queue.device().make_step(chain[1], n),
             both = queue.device().make_step(chain, n);
  queue.apply(*first, in.data(), own.data(), between.data(), batch);
  queue.apply(*second, between.data(), nullptr, expected.data(), batch);
  queue.convert(
      *both,
      {.sources = at(in, chain[0].sources), .own = at(own, chain[0].targets), .out = {out.data(), limbs * n}},
      batch);
  testing::check_same(out.host(), expected.host(), queue, {n, chain[0].sources}, "chain");
}

NTTF_TEST("a chain of two steps has the words of its steps, one launch or two") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u})
    for (const std::size_t limbs : {std::size_t{2}, std::size_t{3}, std::size_t{9}, std::size_t{31}}) {
      check_chain(rng, bits, 16, limbs, 3);
      check_chain(rng, bits, 64, limbs, 1);
    }
  check_chain(rng, 30, 4096, 3, 3);
  check_chain(rng, 30, 4096, 3, 9);  // too much for one launch
}

/// Digits of one launch and of several, of one prime and more, of which the last has fewer.
void check_digits(Rng& rng, unsigned bits, std::size_t limbs, std::size_t primes, std::size_t special) {
  const GpuQueue& queue = host_queue();
  constexpr std::size_t kN = 8, kBatch = 2;
  const unsigned word_bits = bits < 32 ? 32 : 64;
  const Words all = ntt_primes(kN, bits, limbs + special),
              q(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(limbs)),
              p(all.begin() + static_cast<std::ptrdiff_t>(limbs), all.end());
  const auto ring = [&](const Words& moduli) {
    NttSpec spec = testing::spec_of({kN, moduli});
    spec.word_bits = word_bits;
    return queue.device().make_ring(spec);
  };
  const RnsStep division = mod_down_fast(RnsBase(q), RnsBase(p));
  const SwitchTables level = queue.device().make_switch(ring(q), ring(all), primes, &division);
  const Words x = testing::random_polynomials(rng, {kN, all}, kBatch);  // digits are of the first rows
  Words expected;
  for (std::size_t b = 0; b < kBatch; ++b) {
    std::size_t first = 0;
    for (const RnsStep& step : digit_steps(q, all, primes)) {
      const StepValue value(step);
      const std::size_t at = expected.size();
      expected.resize(at + all.size() * kN);
      for (std::size_t k = 0; k < kN; ++k) {
        Words in, out(all.size());
        for (std::size_t i = 0; i < step.sources.size(); ++i)
          in.push_back(x[(b * all.size() + first + i) * kN + k]);
        value.apply(in, {}, out);
        for (std::size_t j = 0; j < all.size(); ++j) expected[at + j * kN + k] = out[j];
      }
      first += step.sources.size();
    }
  }
  OnDevice in(queue, x, word_bits), out(queue, expected.size(), word_bits);
  queue.convert_digits(level, {in.data(), all.size() * kN}, out.data(), kBatch);
  testing::check_same(out.host(), expected, queue, {kN, all}, "digits");
}

NTTF_TEST("digits of a batch are those of their steps, one launch or several") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u})
    for (const std::size_t limbs : {std::size_t{1}, std::size_t{6}, std::size_t{13}, std::size_t{29}})
      for (const std::size_t primes : {std::size_t{1}, std::size_t{2}, std::size_t{5}, std::size_t{8}})
        check_digits(rng, bits, limbs, primes, 3);
}

NTTF_TEST("convert writes rows, copies and sums where the caller wants them, and nothing else") {
  Rng rng;
  for (const unsigned bits : {30u, 49u, 60u}) {
    const unsigned word_bits = bits == 30 ? 32 : 64;
    for (const std::size_t n : {std::size_t{2}, std::size_t{64}})
      for (std::size_t special = 1; special < 4; ++special) {
        const Words primes = ntt_primes(n, bits, 9);
        const auto middle = primes.end() - static_cast<std::ptrdiff_t>(special);
        const RnsBase q({primes.begin(), middle}), p({middle, primes.end()});
        check(rng, {mod_down_fast(q, p), n, 4, word_bits, 2, 1}, "mod_down_fast, an addend of one part");
        check(rng, {mod_down_fast(q, p), n, 4, word_bits, 2, 2}, "mod_down_fast, an addend of two parts");
        check(rng, {fast_base_conversion(q, p.values()), n, 3, word_bits}, "conversion");
        check(rng, {fast_base_conversion(p, primes), n, 3, word_bits}, "digit");
        if (special == 1) check(rng, {mod_down(RnsBase(primes)), n, 2, word_bits, 2, 1}, "mod_down");
      }
  }
}

}  // namespace
}  // namespace nttforge::cuda
