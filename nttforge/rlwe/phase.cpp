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
  const std::size_t words = ring.words();
  DeviceArray x = queue.allocate_secret(ring, ciphertext.batch());
  if (ciphertext.size() == 2) {
    for (std::size_t e = 0; e < ciphertext.batch(); ++e)
      queue.multiply_transformed(ring, ciphertext.part(1, e), key_.data(), ciphertext.part(0, e),
                                 x.data() + e * words, 1);
    return x;
  }
  DeviceArray products = queue.allocate_secret(ring, 2);
  for (std::size_t e = 0; e < ciphertext.batch(); ++e) {
    WordPtr sum = x.data() + e * words;
    queue.copy(ciphertext.part(1, e), products.data(), 2 * words);
    queue.forward(ring, products.data(), 2);
    queue.multiply(ring, products.data(), key_.data(), sum, 1);
    queue.multiply_accumulate(ring, products.data() + words, square_.data(), sum, 1);
    queue.inverse(ring, sum, 1);
    queue.add(ring, sum, ciphertext.part(0, e), sum, 1);
  }
  return x;
}

}  // namespace nttforge::rlwe
