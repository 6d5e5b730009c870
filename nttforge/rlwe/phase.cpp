// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/phase.hpp"

namespace nttforge::rlwe {

Phase::Phase(SecretKey key) : key_(std::move(key)) {
  if (key_.empty()) throw ContextError("secret key is empty: assign it before use");
}

template <class Use>
auto Phase::with_secret(const Ciphertext& ciphertext, const Use& use) const {
  const RlweContext& context = *key_.context();
  require_compatible(context, ciphertext.context(), "ciphertext");
  const Queue& queue = context.queue();
  const RingTables& ring = context.ring_q(ciphertext.level());
  const ConstWordPtr secret =
      key_.data() + context.parameters().window(ciphertext.level()).first * context.n();
  if (ciphertext.size() != 3) return use(queue, ring, secret, secret);
  DeviceArray square = queue.allocate_secret(ring, 1);
  queue.multiply(ring, secret, secret, square.data(), 1);
  return use(queue, ring, secret, ConstWordPtr(square.data()));
}

DeviceArray Phase::of(const Ciphertext& ciphertext) const {
  return with_secret(
      ciphertext, [&](const Queue& queue, const RingTables& ring, ConstWordPtr secret, ConstWordPtr square) {
        DeviceArray x = queue.allocate_secret(ring, ciphertext.batch());
        queue.phase(ring, ciphertext.data(), ciphertext.size(), ciphertext.form(), secret, square, x.data(),
                    ciphertext.batch());
        return x;
      });
}

void Phase::decrypt(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const {
  with_secret(ciphertext,
              [&](const Queue& queue, const RingTables& ring, ConstWordPtr secret, ConstWordPtr square) {
                queue.decrypt(ring, recover, ciphertext.data(), ciphertext.size(), ciphertext.form(), secret,
                              square, out, ciphertext.batch(), nullptr);
              });
}

bool Phase::decrypt_checked(const Ciphertext& ciphertext, const StepTables& recover, WordPtr out) const {
  return with_secret(
      ciphertext, [&](const Queue& queue, const RingTables& ring, ConstWordPtr secret, ConstWordPtr square) {
        return queue.decrypt_checked(ring, recover, ciphertext.data(), ciphertext.size(), ciphertext.form(),
                                     secret, square, out, ciphertext.batch());
      });
}

}  // namespace nttforge::rlwe
