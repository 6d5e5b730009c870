// SPDX-License-Identifier: Apache-2.0
// packages/oracle/nttforge_oracle/bgv_presets.py, shape by shape in the same order.

#include "nttforge/bgv/presets.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>

#include "nttforge/bgv/noise_model.hpp"
#include "nttforge/bgv/parameters.hpp"
#include "nttforge/rlwe/presets/equal_primes.hpp"

namespace nttforge::bgv {
namespace {

constexpr unsigned kMaxBits = 50;             // the fastest kernels are for primes below 2^50
constexpr std::size_t kFirstWithKeys = 4096;  // a smaller n has no room for a special prime

using Sizes = std::vector<unsigned>;

/// There are too few smaller primes.
unsigned smallest_size(std::size_t n) { return static_cast<unsigned>(std::bit_width(n)) + 7; }

/// Bits of the primes, and what they would leave were they 2^bits.
struct Shape {
  Sizes q;
  unsigned special;
  double left;
};

NoiseModel model_of(std::size_t n, std::uint64_t t, std::vector<std::uint64_t> q,
                    rlwe::SpecialPrimes special) {
  Parameters parameters;
  parameters.n = n;
  parameters.t = t;
  parameters.q = std::move(q);
  parameters.special = std::move(special.primes);
  parameters.digit_primes =
      std::max<std::size_t>(1, std::min(parameters.special.size(), parameters.q.size()));
  return NoiseModel(parameters);
}

/// Sizes as equal as possible, behind those that are there.
void spread(unsigned bits, unsigned count, Sizes& sizes) {
  if (count == 0) return;
  const Sizes more = rlwe::equal_sizes(bits, count);
  sizes.insert(sizes.end(), more.begin(), more.end());
}

unsigned fewest(double bits) { return static_cast<unsigned>(std::ceil(bits / kMaxBits)); }

/// Bits of all steps together that are tried: a step of q = 8 R L^2 / (L^2 - 1), from half of it to 32 times.
std::set<unsigned> step_totals(double rounding_log2, unsigned depth) {
  if (depth < 2) return {0};
  const double squared = static_cast<double>(depth) * depth;
  const double best = rounding_log2 + 3 + std::log2(squared / (squared - 1));
  std::set<unsigned> totals;
  for (int i = -4; i < 21; ++i)
    totals.insert(static_cast<unsigned>(std::ceil((depth - 1) * (best + static_cast<double>(i) / 4))));
  return totals;
}

/// Shapes that promise `depth`, best first.
std::vector<Shape> shapes(std::size_t n, std::uint64_t t, unsigned bits, unsigned depth) {
  const unsigned smallest = smallest_size(n);
  const Noise rounding = model_of(n, t, {}, {}).rounding();
  const std::set<unsigned> totals = step_totals(rounding.canonical, depth);
  const double least =
      depth == 0 ? rounding.coefficient : 2 * rounding.coefficient + std::log2(static_cast<double>(n)) + 1;
  std::vector<Shape> found;
  for (unsigned special = smallest; special <= kMaxBits; ++special)
    for (const unsigned total : totals) {
      if (special + total > bits || bits - special - total < least) continue;
      const unsigned bottom = bits - special - total, steps = depth < 2 ? 0 : depth - 1;
      Shape shape{{}, special, 0};
      spread(bottom, fewest(bottom), shape.q);
      if (steps != 0) spread(total, steps * fewest(static_cast<double>(total) / steps), shape.q);
      if (*std::min_element(shape.q.begin(), shape.q.end()) < smallest) continue;
      std::vector<std::uint64_t> q;
      for (const unsigned size : shape.q) q.push_back(std::uint64_t{1} << size);
      const auto promise = model_of(n, t, std::move(q), std::uint64_t{1} << special).promise();
      shape.left = promise.left;
      if (promise.depth >= depth) found.push_back(std::move(shape));
    }
  std::stable_sort(found.begin(), found.end(), [](const Shape& a, const Shape& b) {
    return std::tuple(a.q.size(), -a.left, a.special, a.q) < std::tuple(b.q.size(), -b.left, b.special, b.q);
  });
  return found;
}

bool decrypts(const NoiseModel& model, std::size_t level) {
  return model.budget_bits(model.fresh_public(), level) > 0;
}

}  // namespace

std::optional<Chain> best_chain(std::size_t n, std::uint64_t t, unsigned bits) {
  if (n < kFirstWithKeys) {
    const auto primes = rlwe::primes_of_sizes(n, Sizes{bits}, {{t}});
    if (!primes || !decrypts(model_of(n, t, *primes, 0), 1)) return std::nullopt;
    return Chain{*primes, {}};
  }
  const double step = model_of(n, t, {}, {}).rounding().canonical + 2;
  for (unsigned depth = static_cast<unsigned>(bits / step) + 2; depth-- > 0;)
    for (const Shape& shape : shapes(n, t, bits, depth)) {
      Sizes sizes = shape.q;
      sizes.push_back(shape.special);
      auto primes = rlwe::primes_of_sizes(n, sizes, {{t}});
      if (!primes) continue;
      const std::uint64_t p = primes->back();
      primes->pop_back();
      const NoiseModel model = model_of(n, t, *primes, p);
      if (model.promise().depth >= depth && decrypts(model, primes->size())) return Chain{*primes, {p}};
    }
  return std::nullopt;
}

std::optional<Chain> equal_chain(std::size_t n, std::uint64_t t, unsigned bits, unsigned max_bits,
                                 std::size_t special) {
  const std::size_t least = (bits + max_bits - 1) / max_bits;
  std::optional<Chain> best;
  NoiseModel::Promise promised{};
  for (std::size_t count = least; count <= least + least / 2; ++count) {
    const std::size_t leave = n < kFirstWithKeys ? 0 : special != 0 ? special : (count + 3) / 4;
    if (2 * leave > count) continue;
    const Sizes sizes = rlwe::equal_sizes(bits, count);
    if (leave != 0 && sizes.front() < smallest_size(n)) break;
    const auto primes = rlwe::primes_of_sizes(n, sizes, {{t}});
    if (!primes) break;
    const auto middle = primes->end() - static_cast<std::ptrdiff_t>(leave);
    Chain chain{{primes->begin(), middle}, {middle, primes->end()}};
    const NoiseModel model = model_of(n, t, chain.q, chain.special);
    const NoiseModel::Promise promise = model.promise();
    if (!decrypts(model, chain.q.size()) || (best && promise.depth <= promised.depth)) continue;
    best = std::move(chain);
    promised = promise;
  }
  return best;
}

}  // namespace nttforge::bgv
