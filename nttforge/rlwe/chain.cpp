// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/chain.hpp"

#include <utility>

#include "nttforge/rns/base.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::rlwe {
namespace {

/// Rounded division by the last prime of a base, where the multiples of `factor` stay.
RnsStep division(const RnsBase& base, std::uint64_t factor) {
  return factor == 1 ? mod_down(base) : switch_modulus(base, factor);
}

/// The same by the product of special primes: exactly rounded by one, within (a + 1) / 2 by a of them.
RnsStep division(const std::vector<std::uint64_t>& q, const std::vector<std::uint64_t>& special,
                 std::uint64_t factor) {
  if (special.size() == 1) {
    std::vector<std::uint64_t> joined = q;
    joined.push_back(special.front());
    return division(RnsBase(joined), factor);
  }
  const RnsBase stay(q), leave(special);
  return factor == 1 ? mod_down_fast(stay, leave) : switch_modulus_fast(stay, leave, factor);
}

/// The first `count` values and the last `rest`.
std::vector<std::uint64_t> ends(const std::vector<std::uint64_t>& values, std::size_t count,
                                std::size_t rest) {
  std::vector<std::uint64_t> result(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  result.insert(result.end(), values.end() - static_cast<std::ptrdiff_t>(rest), values.end());
  return result;
}

}  // namespace

Chain::Chain(const RlweParameters& parameters, const Device& device, std::uint64_t factor, std::size_t lowest)
    : lowest_(lowest), level_(parameters.limbs()), drop_(parameters.limbs()) {
  const std::vector<std::uint64_t> moduli = parameters.key_moduli();
  const std::size_t special = parameters.special.size();
  std::vector<std::uint64_t> roots;  // found once, if the device says them: those of the whole chain
  for (std::size_t level = top(); level >= lowest; --level) {
    NttSpec spec;
    spec.n = parameters.n;
    spec.word_bits = parameters.word_bits;
    NttSpec with_special = spec;
    spec.moduli = ends(moduli, level, 0);
    with_special.moduli = ends(moduli, level, special);
    if (!roots.empty()) {
      spec.roots = ends(roots, level, 0);
      with_special.roots = ends(roots, level, special);
    }
    const std::shared_ptr<const RingTables> key_ring = device.make_ring(with_special);
    if (level == top()) roots = key_ring->spec().roots;
    if (special == 0) {
      level_[level - 1] = {key_ring, key_ring, {}, nullptr};
    } else {
      const RnsStep down = division(spec.moduli, parameters.special, factor);
      level_[level - 1] =
          device.make_switch(device.make_ring(spec), key_ring, parameters.digit_primes, &down);
    }
    if (level > lowest)
      drop_[level - 1] = device.make_step(division(RnsBase(spec.moduli), factor), parameters.n);
  }
}

}  // namespace nttforge::rlwe
