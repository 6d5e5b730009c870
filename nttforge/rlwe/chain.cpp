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

}  // namespace

Chain::Chain(const RlweParameters& parameters, const Device& device, std::uint64_t factor, std::size_t lowest)
    : lowest_(lowest), level_(parameters.limbs()), drop_(parameters.limbs()) {
  std::vector<std::uint64_t> roots;  // found once, if the device says them: those of the whole chain, p last
  for (std::size_t level = top(); level >= lowest; --level) {
    NttSpec spec;
    spec.n = parameters.n;
    spec.word_bits = parameters.word_bits;
    spec.moduli.assign(parameters.q.begin(), parameters.q.begin() + static_cast<std::ptrdiff_t>(level));
    NttSpec with_p = spec;
    if (parameters.p != 0) with_p.moduli.push_back(parameters.p);
    if (!roots.empty()) {
      spec.roots.assign(roots.begin(), roots.begin() + static_cast<std::ptrdiff_t>(level));
      with_p.roots = spec.roots;
      if (parameters.p != 0) with_p.roots.push_back(roots.back());
    }
    const std::shared_ptr<const RingTables> key_ring = device.make_ring(with_p);
    if (level == top()) roots = key_ring->spec().roots;
    if (parameters.p == 0) {
      level_[level - 1] = {key_ring, key_ring, {}, nullptr};
    } else {
      const RnsStep down = division(RnsBase(with_p.moduli), factor);
      level_[level - 1] = device.make_switch(device.make_ring(spec), key_ring, 1, &down);
    }
    if (level > lowest)
      drop_[level - 1] = device.make_step(division(RnsBase(spec.moduli), factor), parameters.n);
  }
}

}  // namespace nttforge::rlwe
