// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/decryptor.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/random/samplers.hpp"
#include "nttforge/rns/base.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr const char* kRemedy =
    "use parameters with more room (a larger n, a smaller t) or fewer operations, or take whatever comes out "
    "by name (decrypt_unchecked, check=False)";

/// Who has a flooded ciphertext beside the one that it was made from knows the flooding.
struct Overwritten {
  Ciphertext& ciphertext;
  ~Overwritten() { ciphertext.context()->queue().fill_zero(ciphertext.data(), ciphertext.words()); }
};

}  // namespace

Decryptor::Decryptor(SecretKey key)
    : context_(context_as<IntegerContext>(key.context(), "secret key")), phase_(std::move(key)) {}

Plaintext Decryptor::decrypt(const Ciphertext& ciphertext) const {
  const StackWipe wipe(context()->device().conversion_depth());
  require_compatible(*context(), ciphertext.context(), "ciphertext");
  const auto predicted = predicted_noise_budget_bits(ciphertext);
  if (predicted.has_value() && *predicted <= 0) {
    char bits[32];
    std::snprintf(bits, sizeof bits, "%.1f", *predicted);
    throw NoiseError("ciphertext: its predicted noise budget is " + std::string(bits) +
                     " bits and must be above 0, so it may not decrypt to what was computed; " + kRemedy);
  }
  return measured(ciphertext);
}

Plaintext Decryptor::measured(const Ciphertext& ciphertext) const {
  const std::size_t batch = ciphertext.batch();
  Plaintext result = Plaintext::uninitialized(context(), ciphertext.encoding(), batch);
  const auto recover = context()->recover(ciphertext.level(), ciphertext.factor());
  const auto fails = [&](const Ciphertext& ciphertexts) {
    return phase_.decrypt_checked(ciphertexts, *recover, result.data());
  };
  if (!fails(ciphertext)) return result;
  std::size_t first = 0;
  while (batch > 1 && !fails(ciphertext.element(first))) ++first;
  throw NoiseError((batch == 1 ? "ciphertext" : "ciphertext: element " + std::to_string(first)) +
                   ": measured with the secret key, no noise budget is left: it has too much noise or was "
                   "made for another secret key; " +
                   std::string(kRemedy));
}

Plaintext Decryptor::decrypt_shared(const Ciphertext& ciphertext, unsigned security_bits, NoiseBound bound,
                                    std::optional<double> stated) const {
  const StackWipe wipe(context()->device().conversion_depth());
  require_compatible(*context(), ciphertext.context(), "ciphertext");
  require_room_for_flooding(ciphertext, security_bits, bound, stated);
  Ciphertext noisy = flooded(ciphertext, os_seed());
  const Overwritten guard{noisy};
  return measured(noisy);
}

Plaintext Decryptor::decrypt_unchecked(const Ciphertext& ciphertext) const {
  const StackWipe wipe(context()->device().conversion_depth());
  require_compatible(*context(), ciphertext.context(), "ciphertext");
  Plaintext result = Plaintext::uninitialized(context(), ciphertext.encoding(), ciphertext.batch());
  const auto recover = context()->recover(ciphertext.level(), ciphertext.factor());
  phase_.decrypt(ciphertext, *recover, result.data());
  return result;
}

double Decryptor::noise_budget_bits(const Ciphertext& ciphertext) const {
  const StackWipe wipe(StackDepth::deep);
  DeviceArray x = phase_.of(ciphertext);
  const RingTables& ring = context()->ring_q(ciphertext.level());
  const RnsBase base(ring.spec().moduli);
  const std::size_t n = context()->n(), k = ring.limbs(), batch = ciphertext.batch();
  std::vector<std::uint64_t> scale(k);
  for (std::size_t j = 0; j < k; ++j) scale[j] = context()->budget_scale() % base.values()[j];
  context()->queue().multiply_scalar(ring, x.data(), scale, x.data(), batch);
  SecretVector<std::uint64_t> host(batch * n * k), residues(k);
  context()->queue().download(x.data(), host);
  BigUint largest(1);
  for (std::size_t i = 0; i < batch * n; ++i) {
    poll_interrupt();
    for (std::size_t j = 0; j < k; ++j) residues[j] = host[(i / n * k + j) * n + i % n];
    const BigUint value = base.compose(residues);
    const BigUint negative = base.product() - value;
    largest = std::max(largest, std::min(value, negative));
  }
  // Noise that overflows comes back as some value below Q/2, most often just below: less than half a bit is
  // what is seen then.
  const double bits = base.product().log2() - 1 - largest.log2();
  return bits < 0.5 ? 0 : bits;
}

}  // namespace nttforge::integer_encoding
