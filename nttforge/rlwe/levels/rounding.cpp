// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/levels/rounding.hpp"

#include <cmath>
#include <string>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge::rlwe {

PartRounding::PartRounding(const RlweContext& context, std::size_t level, unsigned bits)
    : context_(context), ring_(context.ring_q(level)), unit_(0) {
  const RnsBase base(ring_.spec().moduli);
  if (bits < kLeastBits || bits > kMostBits || bits + 1 > base.product().bits())
    throw ParameterError("bits = " + std::to_string(bits) + " is out of range [" +
                         std::to_string(kLeastBits) + ", " + std::to_string(kMostBits) +
                         "], or 2^bits is not below the modulus of level " + std::to_string(level));
  const DecryptScale scale(base, std::uint64_t{1} << bits);
  RnsStep down = scale.decrypt();
  down.limit = 0;
  down_ = context.device().make_step(down, ring_.n());
  up_ = context.device().make_step(scale.encrypt(), ring_.n());
  unit_ = base.product().log2() - bits;
  if (context.error_factor() == 1) return;
  for (const std::uint64_t q : base.values()) {
    const Modulus m(q);
    factor_.push_back(m.reduce(context.error_factor()));
    inverse_.push_back(m.inverse(factor_.back()));
  }
}

void PartRounding::down(BatchRows part, WordPtr h, std::size_t batch) const {
  const Queue& queue = context_.queue();
  if (factor_.empty()) {
    queue.apply(*down_, part, {}, h, batch, nullptr);
    return;
  }
  DeviceArray scaled = queue.allocate(ring_, batch);
  for (std::size_t e = 0; e < batch; ++e)
    queue.multiply_scalar(ring_, part.words + e * part.stride, inverse_, scaled.data() + e * ring_.words(),
                          1);
  queue.apply(*down_, scaled.data(), nullptr, h, batch);
}

void PartRounding::up(ConstWordPtr h, WordPtr part, std::size_t batch) const {
  const Queue& queue = context_.queue();
  queue.apply(*up_, h, nullptr, part, batch);
  if (!factor_.empty()) queue.multiply_scalar(ring_, part, factor_, part, batch);
}

}  // namespace nttforge::rlwe
