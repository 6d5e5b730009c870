// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/decryptor.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::bfv {
namespace {

constexpr const char* kRemedy =
    "use parameters with more room (a larger n, a smaller t) or fewer operations, or take whatever comes out "
    "by name (decrypt_unchecked, check=False)";

}  // namespace

Decryptor::Decryptor(SecretKey key) : key_(std::move(key)) {
  if (key_.empty()) throw ContextError("secret key is empty: assign it before use");
  const StackWipe wipe(StackDepth::shallow);
  const RingTables& ring = context()->ring_q();
  square_ = context()->queue().allocate_secret(ring.words());
  context()->queue().multiply(ring, key_.data(), key_.data(), square_.data(), 1);
}

DeviceArray Decryptor::phase(const Ciphertext& ciphertext) const {
  require_compatible(*context(), ciphertext.context(), "ciphertext");
  const Queue& queue = context()->queue();
  const RingTables& ring = context()->ring_q();
  const std::size_t words = ring.words(), products = ciphertext.size() - 1;
  if (products == 1) {
    DeviceArray x = queue.allocate_secret(words);
    queue.multiply_transformed(ring, ciphertext.part(1), key_.data(), ciphertext.part(0), x.data(), 1);
    return x;
  }
  DeviceArray x = queue.allocate_secret(products * words);
  queue.copy(ciphertext.part(1), x.data(), products * words);
  queue.forward(ring, x.data(), products);
  queue.multiply(ring, x.data(), key_.data(), x.data(), 1);
  queue.multiply_accumulate(ring, x.data() + words, square_.data(), x.data(), 1);
  queue.inverse(ring, x.data(), 1);
  queue.add(ring, x.data(), ciphertext.part(0), x.data(), 1);
  return x;
}

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext) const {
  const StackWipe wipe(context()->device().conversion_depth());
  require_compatible(*context(), ciphertext.context(), "ciphertext");
  const auto predicted = ciphertext.predicted_noise_budget_bits();
  if (predicted.has_value() && *predicted <= 0) {
    char bits[32];
    std::snprintf(bits, sizeof bits, "%.1f", *predicted);
    throw NoiseError("ciphertext: its predicted noise budget is " + std::string(bits) +
                     " bits and must be above 0, so it may not decrypt to what was computed; " + kRemedy);
  }
  const Queue& queue = context()->queue();
  const DeviceArray x = phase(ciphertext);
  DeviceArray exhausted = queue.allocate_secret(1);
  Plaintext result(context(), ciphertext.encoding());
  queue.apply(context()->round_phase(), x.data(), nullptr, result.data(), 1, exhausted.data());
  std::uint64_t word = 0;
  queue.download(exhausted.data(), {&word, 1});
  if (word != 0)
    throw NoiseError(
        "ciphertext: measured with the secret key, no noise budget is left: it has too much noise or was "
        "made for another secret key; " +
        std::string(kRemedy));
  return result;
}

Plaintext Decryptor::decrypt_unchecked(const Ciphertext& ciphertext) const {
  const StackWipe wipe(context()->device().conversion_depth());
  const DeviceArray x = phase(ciphertext);
  Plaintext result(context(), ciphertext.encoding());
  context()->queue().apply(context()->round_phase(), x.data(), nullptr, result.data(), 1);
  return result;
}

double Decryptor::noise_budget_bits(const Ciphertext& ciphertext) const {
  const StackWipe wipe(StackDepth::deep);
  DeviceArray x = phase(ciphertext);
  const RnsBase& base = context()->decrypt_scale().q();
  const std::size_t n = context()->n(), k = context()->limbs();
  std::vector<std::uint64_t> t(k);
  for (std::size_t j = 0; j < k; ++j) t[j] = context()->t() % base.values()[j];
  context()->queue().multiply_scalar(context()->ring_q(), x.data(), t, x.data(), 1);
  SecretVector<std::uint64_t> host(n * k), residues(k);
  context()->queue().download(x.data(), host);
  BigUint largest(1);
  for (std::size_t i = 0; i < n; ++i) {
    poll_interrupt();
    for (std::size_t j = 0; j < k; ++j) residues[j] = host[j * n + i];
    const BigUint value = base.compose(residues);
    const BigUint negative = base.product() - value;
    largest = std::max(largest, std::min(value, negative));
  }
  // Noise that overflows comes back as some value below Q/2, most often just below: less than half a bit is
  // what is seen then.
  const double bits = base.product().log2() - 1 - largest.log2();
  return bits < 0.5 ? 0 : bits;
}

}  // namespace nttforge::bfv
