// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/phase.hpp"

#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::rlwe {

Phase::Phase(SecretKey key) : key_(std::move(key)) {
  if (key_.empty()) throw ContextError("secret key is empty: assign it before use");
  const StackWipe wipe(StackDepth::shallow);
  const Queue& queue = key_.context()->queue();
  const RingTables& ring = key_.context()->ring_q();
  square_ = queue.allocate_secret(ring, 1);
  queue.multiply(ring, key_.data(), key_.data(), square_.data(), 1);
}

std::size_t Phase::rows_of(const Ciphertext& ciphertext) const {
  const RlweContext& context = *key_.context();
  return context.parameters().window(ciphertext.level()).first * context.n();
}

DeviceArray Phase::of(const Ciphertext& ciphertext) const {
  require_compatible(*key_.context(), ciphertext.context(), "ciphertext");
  const Queue& queue = key_.context()->queue();
  const RingTables& ring = key_.context()->ring_q(ciphertext.level());
  DeviceArray x = queue.allocate_secret(ring, ciphertext.batch());
  const std::size_t rows = rows_of(ciphertext);
  queue.phase(ring, ciphertext.data(), ciphertext.size(), ciphertext.form(), key_.data() + rows,
              square_.data() + rows, x.data(), ciphertext.batch());
  return x;
}

void Phase::decrypt(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const {
  require_compatible(*key_.context(), ciphertext.context(), "ciphertext");
  key_.context()->queue().decrypt(key_.context()->ring_q(ciphertext.level()), recover, ciphertext.data(),
                                  ciphertext.size(), ciphertext.form(), key_.data() + rows_of(ciphertext),
                                  square_.data() + rows_of(ciphertext), out, ciphertext.batch(), nullptr);
}

bool Phase::decrypt_checked(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const {
  require_compatible(*key_.context(), ciphertext.context(), "ciphertext");
  const std::size_t rows = rows_of(ciphertext);
  return key_.context()->queue().decrypt_checked(
      key_.context()->ring_q(ciphertext.level()), recover, ciphertext.data(), ciphertext.size(),
      ciphertext.form(), key_.data() + rows, square_.data() + rows, out, ciphertext.batch());
}

}  // namespace nttforge::rlwe
