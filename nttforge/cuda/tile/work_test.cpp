// SPDX-License-Identifier: Apache-2.0
// Tiles of every shape and arithmetic on the host, against the value of a step (rns/step.hpp), word for word.
#include <initializer_list>
#include <string>
#include <type_traits>

#include "nttforge/cuda/device/testing_steps.hpp"
#include "nttforge/cuda/tile/call.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge::cuda {
namespace {

using namespace testing_steps;

/// The case by tiles of every shape that an arithmetic has.
template <class Arith>
void check_shapes(Rng& rng, const Case& c, bool largest) {
  const GpuQueue& queue = host_queue();
  std::vector<CudaBuffer> memory;
  const auto tables = make_tile_step<Arith>(c.step, -1, memory);
  NTTF_CHECK(tables.has_value());
  if (!tables) return;
  const Words x = input_of(rng, c, largest), addend = addend_of(rng, c), expected = expected_of(c, x, addend);
  const auto check = [&](const std::string& name, const auto& run) {
    OnDevice all(queue, x, c.word_bits), more(queue, addend, c.word_bits);
    const Conversion rows = rows_of(c, all.data(), more.data());
    const auto call = tile_call(tables, rows, c.n, c.batch);
    NTTF_CHECK(call.has_value());
    if (!call) return;
    run(*call, rows);
    testing::check_same(all.host(), expected, queue, {c.n, c.step.targets},
                        (name + ", " + std::to_string(c.sources()) + " sources, " +
                         std::to_string(c.targets()) + " targets, modulus " + std::to_string(c.step.modulus))
                            .c_str());
  };
  const bool fractions = c.step.fraction_bits != 0;
  for (const TileShape shape : TileShapes<Arith>::kAll) {
    if (shape.coefficients > c.n || fractions) continue;
    check("tile " + std::to_string(shape.coefficients) + " x " + std::to_string(shape.targets),
          [&](const auto& call, const Conversion&) {
            with_tile_kernel(call, shape, correction_of(c.step),
                             [](const auto& kernel) { return tiles_on_host(kernel); });
          });
  }
  if constexpr (std::is_same_v<Arith, NarrowTiles>) {
    const std::size_t taken = c.sources() + (c.step.has_correction() ? 1 : 0);
    NTTF_CHECK_EQ(tables->matrix.groups, taken <= 32 ? (taken + 7) / 8 : 0);
    const bool beside = !c.step.own.empty() || c.addend_parts != 0;
    if (tables->matrix.groups == 0 || c.n < kMatrixColumns || (beside && c.step.modulus != 0)) return;
    for (const std::uint32_t parts : {1u, 2u, 3u})
      check("matrix in " + std::to_string(parts) + " parts", [&](const auto& call, const Conversion& rows) {
        NTTF_CHECK(suits_matrix(rows, c.n));
        NTTF_CHECK(is_matrix(call, correction_of(c.step)));
        with_matrix_kernel(call, correction_of(c.step),
                           [&](const auto& kernel) { return matrix_on_host(kernel, parts); });
      });
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

NTTF_TEST("products of matrices: any counts, sums that are as large as they may be") {
  Rng rng;
  for (const unsigned bits : {31u, 30u, 12u})
    for (const Correction correction : {Correction::none, Correction::power, Correction::other})
      for (const bool largest : {false, true})
        for (const std::size_t sources : {1, 7, 8, 9, 15, 22, 24, 32, 33})
          for (const std::size_t targets : {1, 4, 8, 13, 24}) {
            RnsStep step = full_step(rng, bits, sources, targets, correction, largest);
            if (correction == Correction::none)
              check_shapes<NarrowTiles>(rng, {step, 64, 2, 32, 2, 1}, largest);
            step.own.clear();
            check_shapes<NarrowTiles>(rng, {step, 64, 2, 32}, largest);
          }
}

NTTF_TEST("products of matrices: corrections by fractions, to the nearest and downwards, beside own words") {
  Rng rng;
  for (const unsigned bits : {31u, 30u, 12u})
    for (const bool nearest : {false, true})
      for (const bool largest : {false, true})
        for (const std::size_t sources : {1, 7, 8, 13, 16, 31, 32})
          for (const std::size_t targets : {1, 8, 13}) {
            RnsStep step = full_step(rng, bits, sources, targets, Correction::none, largest);
            set_fractions(step);
            step.nearest = nearest;
            for (const std::uint64_t q : step.targets) step.excess.push_back(largest ? q - 1 : rng.below(q));
            std::vector<CudaBuffer> memory;
            NTTF_CHECK_EQ(make_tile_step<NarrowTiles>(step, -1, memory).has_value(), sources < 32);
            NTTF_CHECK(!make_tile_step<WholeTiles>(step, -1, memory));
            if (sources == 32) continue;
            check_shapes<NarrowTiles>(rng, {step, 64, 2, 32, 2, 1}, largest);
            step.own.clear();
            check_shapes<NarrowTiles>(rng, {step, 64, 2, 32}, largest);
            // Sums whose bits below the result are all ones but the last, or zeros.
            for (std::uint64_t& f : step.fractions) f = (std::uint64_t{1} << kNarrowFractionBits) - 1;
            step.fraction_bits = bits + kNarrowFractionBits - 1;
            check_shapes<NarrowTiles>(rng, {step, 64, 1, 32}, largest);
          }
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

/// The largest that the sums of a step may become, in big integers, is within their words; one product more
/// would not be, where counts are not rounded.
template <class Arith>
void check_products(unsigned bits, Correction correction) {
  Rng rng;
  std::vector<CudaBuffer> memory;
  const RnsStep step = full_step(rng, bits, 100, 3, correction, true);
  const auto tables = make_tile_step<Arith>(step, -1, memory);
  NTTF_CHECK(tables.has_value());
  if (!tables) return;
  constexpr std::uint64_t kWord = std::uint64_t{1} << 32;
  const std::uint64_t modulus = step.targets[0];  // the largest
  const bool narrow = sizeof(typename Arith::Word) == 4;
  const BigUint product = BigUint(step.sources[0] - 1) * (modulus - 1);
  const BigUint begin = product + product + BigUint(modulus);  // own word, addend, offset: moduli are equal
  const BigUint end = BigUint(step.modulus / 2) * modulus;
  const BigUint folded = BigUint(modulus) * (narrow ? kWord : 1);
  const BigUint limit = BigUint(kWord) * kWord * (narrow ? BigUint(1) : BigUint(kWord) * kWord);
  const std::uint32_t first = tables->first_products, next = tables->next_products;
  NTTF_CHECK(begin + product * first + end < limit);
  NTTF_CHECK(folded + product * next + end < limit);
  NTTF_CHECK(next > 0);
  if (next < 4) NTTF_CHECK(folded + product * (next + 1) + end >= limit);
}

NTTF_TEST("tiles: as many products as a sum can take") {
  for (const Correction correction : {Correction::none, Correction::power, Correction::other}) {
    for (const unsigned bits : {31u, 30u, 29u, 25u}) check_products<NarrowTiles>(bits, correction);
    for (const unsigned bits : {62u, 61u, 60u}) check_products<WholeTiles>(bits, correction);
  }
}

template <class Arith>
void check_special_steps() {
  Rng rng;
  const unsigned word_bits = 8 * sizeof(typename Arith::Word);
  // Every residue modulo a small p, with its centre between 8 and 9.
  const RnsStep centred{
      .sources = {17}, .targets = {97, 13, 19}, .modulus = 17, .weights = {1}, .excess = {5, 7, 1}};
  check_shapes<Arith>(rng, {centred, 512, 1, word_bits}, false);
  // Outputs that would be sources but for a correction, an own word or an offset.
  const Words primes = ntt_primes(8, 30, 7);
  const RnsBase first({primes.begin(), primes.begin() + 2});
  for (unsigned field = 0; field < 4; ++field) {
    RnsStep step = fast_base_conversion(first, primes);
    if (field == 1) step.own.assign(primes.size(), 3);
    if (field == 2) step.offset.assign(primes.size(), 4);
    if (field == 3) {
      step.modulus = std::uint64_t{1} << 32;
      step.weights = {12345, 54321};
      step.excess.assign(primes.size(), 5);
    }
    std::vector<CudaBuffer> memory;
    const auto tables = make_tile_step<Arith>(step, -1, memory);
    NTTF_CHECK(tables.has_value());
    if (tables) NTTF_CHECK_EQ(tables->kept, field == 0 ? 2u : 0u);
    if (field != 0) check_shapes<Arith>(rng, {step, 8, 2, word_bits}, false);
  }
}

NTTF_TEST("tiles: residues next to the centre of a correction; outputs that are not quite the sources") {
  check_special_steps<NarrowTiles>();
  check_special_steps<SplitTiles>();
  check_special_steps<WholeTiles>();
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

}  // namespace
}  // namespace nttforge::cuda
