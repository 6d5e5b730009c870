// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/context.hpp"

#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/galois.hpp"

namespace nttforge::integer_encoding {

IntegerContext::IntegerContext(std::shared_ptr<const IntegerParameters> parameters,
                               std::shared_ptr<const Device> device, std::uint64_t error_factor,
                               std::size_t lowest_level, std::size_t other_primes)
    : RlweContext(std::move(parameters), std::move(device), error_factor, lowest_level, other_primes + 1) {
  if (!this->parameters().has_batching()) return;
  NttSpec spec;
  spec.n = n();
  spec.moduli = {t()};
  ring_t_ = this->device().make_ring(spec);
}

const RingTables& IntegerContext::ring_t() const {
  if (ring_t_ == nullptr)
    throw UnsupportedError("t = " + std::to_string(t()) + " does not allow batching at n = " +
                           std::to_string(n()) + ": need a prime t = 1 (mod " + std::to_string(2 * n()) +
                           "); choose such a t (ntt_primes(" + std::to_string(n()) +
                           ", bits) finds them), or encode coefficients (CoefficientEncoder, "
                           "encoding=\"coefficients\")");
  return *ring_t_;
}

const IntegerContext::SlotTables& IntegerContext::slot_tables() const {
  std::call_once(slots_once_, [this] {
    const std::vector<std::uint32_t> position = slot_positions(n());
    std::vector<std::uint32_t> slot(position.size());
    for (std::size_t i = 0; i < position.size(); ++i) slot[position[i]] = static_cast<std::uint32_t>(i);
    slots_ = {device().make_permutation(position), device().make_permutation(slot)};
  });
  return slots_;
}

void IntegerContext::require_encoding(Encoding encoding) const {
  encoding_name(encoding);                    // throws for a value that is no encoding
  if (encoding == Encoding::slots) ring_t();  // throws without slots
}

}  // namespace nttforge::integer_encoding
