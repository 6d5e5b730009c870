// SPDX-License-Identifier: Apache-2.0
// Predicts what a recipe costs on a card. The time of a recipe that was measured on an H100
// (cost_figures.hpp) is interpolated between the measured numbers of limbs; other times follow from bytes,
// butterflies, waves and launches. Both are scaled by multiprocessors, clock and bandwidth. They rank recipes
// and promise nothing.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "nttforge/cuda/explorer/cost_figures.hpp"
#include "nttforge/cuda/plan/limb_classes.hpp"

namespace nttforge::cuda {
namespace {

constexpr double kLaunchNs = 900;           ///< an empty kernel in a graph
constexpr double kMemoryBytesPerNs = 3000;  ///< from DRAM
constexpr double kCacheBytesPerNs = 5500;   ///< data that stays in the L2 cache
constexpr double kMultiprocessors = 132, kClockKhz = 1'980'000;
constexpr double kBytesPerS = 3.35e12;  ///< as the card states it
constexpr double kRegistersOfMultiprocessor = 65536;
constexpr double kRoundNs = 600;  ///< latency of one round: loads, butterflies, exchange, barrier

/// Butterflies per nanosecond that the whole card computes in registers.
double butterflies_per_ns(const CudaRecipe& recipe) {
  switch (recipe.arithmetic) {
    case Arithmetic::shoup32:
      return recipe.multiplication == Multiplication::montgomery ? 2240 : 2900;
    case Arithmetic::fp64:
      return 1640;
    case Arithmetic::goldilocks:
      return 500;
    default:
      break;
  }
  switch (recipe.multiplication) {
    case Multiplication::native:
      return 25;
    case Multiplication::barrett:
      return 300;
    case Multiplication::montgomery:
      return 450;
    default:
      return recipe.quotient_slack >= 4 ? 1000 : 790;
  }
}

/// Thread blocks that a multiprocessor holds at once.
double resident_blocks(const CudaRecipe& recipe, double shared_bytes, const CudaDevice& card) {
  const double words = recipe.word_bits / 32;
  const double registers = std::min(255.0, 24 + recipe.points * words * 2.2);
  double blocks =
      std::min(2048.0 / recipe.threads, kRegistersOfMultiprocessor / (registers * recipe.threads));
  if (shared_bytes > 0)
    blocks = std::min(blocks, static_cast<double>(card.shared_bytes_per_multiprocessor) / shared_bytes);
  return std::max(1.0, std::floor(blocks));
}

std::uint64_t text_hash(std::string_view text) {  // FNV-1a, as in tools/figures/gpu_cost_figures.py
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash;
}

/// Time measured on an H100 for `polynomials` transforms; 0 if the recipe was not measured.
double measured_ns(const CudaRecipe& recipe, unsigned log_n, double polynomials) {
  const std::uint64_t hash = text_hash(recipe.of_transform().to_json());
  for (const CostFigures& figures : kCostFigures) {
    if (figures.recipe != hash || figures.log_n != log_n) continue;
    double limbs = 0, ns = 0;
    for (std::size_t i = 0; i < std::size(kFigureLimbs); ++i) {
      if (figures.ns[i] == 0) continue;
      const double next_limbs = kFigureLimbs[i], next_ns = figures.ns[i];
      if (polynomials <= next_limbs) {
        return limbs == 0 ? next_ns : ns + (next_ns - ns) * (polynomials - limbs) / (next_limbs - limbs);
      }
      limbs = next_limbs;
      ns = next_ns;
    }
    return limbs == 0 ? 0 : ns * polynomials / limbs;
  }
  return 0;
}

double speed_of(const CudaDevice& card) {
  return card.multiprocessors * std::max(1u, card.clock_khz) / (kMultiprocessors * kClockKhz);
}

template <class Word>
double row_ns(const NttSpec& spec, const CudaRecipe& recipe, const CudaKernelRow<Word>& row,
              const CudaDevice& card, std::size_t batch) {
  const double rows = static_cast<double>(batch * spec.moduli.size()), n = static_cast<double>(spec.n);
  const double stages = static_cast<double>(std::bit_width(spec.n)) - 1,
               launches = std::max(1u, row.launches);
  const double speed = speed_of(card);
  const double bandwidth = card.memory_bytes_per_s > 0 ? card.memory_bytes_per_s / kBytesPerS : 1;

  // Twiddles are read once for each limb, from table or cache.
  const double data = rows * n * sizeof(Word),
               table = 2.0 * static_cast<double>(spec.moduli.size()) * n * sizeof(Word);
  const bool cached = data + table < static_cast<double>(card.l2_bytes) * 0.8;
  const double bytes = launches * 2 * data + table;
  // A DGT's butterflies are half as many, of four products each, over twice the bytes of table.
  const double memory = bytes / ((cached ? kCacheBytesPerNs : kMemoryBytesPerNs) * bandwidth);
  const double compute = (spec.transform == Transform::dgt ? 2 : 1) * rows * n / 2 * stages /
                         (butterflies_per_ns(recipe) * speed);

  // A partly filled last wave takes as long as a full one.
  const double blocks = std::max(1.0, rows * n / (static_cast<double>(recipe.points) * recipe.threads));
  const double in_a_wave =
      resident_blocks(recipe, row.shared_bytes, card) * std::max(1u, card.multiprocessors);
  const double waves = blocks / in_a_wave;
  const double filled =
      waves < 1 ? std::min(1.0, blocks / std::max(1u, card.multiprocessors)) : waves / std::ceil(waves);
  const double rounds = std::ceil(stages / std::max(1.0, std::log2(recipe.points)));
  const double latency = rounds * kRoundNs * (recipe.cluster > 1 ? 1.15 : 1.0);
  const double ns = launches * kLaunchNs + std::max({memory, compute / std::max(filled, 0.05), latency}) +
                    0.3 * std::min(memory, compute);
  return row.min_log_n == row.max_log_n ? ns : 2 * ns;  // kernels for any size compute what others know
}

}  // namespace

double predicted_ns(const NttSpec& spec, const CudaRecipe& recipe, const CudaDevice& card,
                    std::size_t batch) {
  if (is_copy(spec)) return kLaunchNs;
  if (const auto classes = limb_classes(spec); classes.size() > 1) {
    double ns = 0;
    for (const ClassRecipe& part : recipes_of_classes(spec, recipe, card, batch))
      ns += predicted_ns(part.limbs.spec, part.recipe, card, batch);
    return ns;
  }
  const double polynomials = static_cast<double>(batch * spec.moduli.size());
  const auto log_n = static_cast<unsigned>(std::bit_width(spec.n)) - 1;
  if (const double ns = spec.transform == Transform::ntt ? measured_ns(recipe, log_n, polynomials) : 0;
      ns > 0) {
    return ns / speed_of(card);
  }
  return spec.word_bits == 64
             ? row_ns(spec, recipe, find_row<std::uint64_t>(spec, recipe, card), card, batch)
             : row_ns(spec, recipe, find_row<std::uint32_t>(spec, recipe, card), card, batch);
}

}  // namespace nttforge::cuda
