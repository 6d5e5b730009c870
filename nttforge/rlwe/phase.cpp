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

DeviceArray Phase::of(const Ciphertext& ciphertext) const {
  require_compatible(*key_.context(), ciphertext.context(), "ciphertext");
  const Queue& queue = key_.context()->queue();
  const RingTables& ring = key_.context()->ring_q(ciphertext.level());
  const std::size_t words = ring.words(), products = ciphertext.size() - 1;
  if (products == 1) {
    DeviceArray x = queue.allocate_secret(ring, 1);
    queue.multiply_transformed(ring, ciphertext.part(1), key_.data(), ciphertext.part(0), x.data(), 1);
    return x;
  }
  DeviceArray x = queue.allocate_secret(ring, products);
  queue.copy(ciphertext.part(1), x.data(), products * words);
  queue.forward(ring, x.data(), products);
  queue.multiply(ring, x.data(), key_.data(), x.data(), 1);
  queue.multiply_accumulate(ring, x.data() + words, square_.data(), x.data(), 1);
  queue.inverse(ring, x.data(), 1);
  queue.add(ring, x.data(), ciphertext.part(0), x.data(), 1);
  return x;
}

}  // namespace nttforge::rlwe
