// SPDX-License-Identifier: Apache-2.0
// Batches: every operation on a batch gives, word for word, what it gives on each element, at every level.

#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_batch.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::bgv::testing {
namespace {

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  for (const auto& device :
       {nttforge::testing::make_reference_device(), make_cpu_device(1), make_cpu_device(2)})
    result.push_back(device);
  return result;
}

NTTF_TEST("every operation on a batch is that on each element, also where a single operand serves all") {
  Rng rng;
  for (const auto& device : devices())
    for (const Parameters& parameters : {small_parameters(32, 257, 3, 45), small_parameters(16, 6, 2, 50)})
      check_batches(Party(parameters, device), rng);
}

NTTF_TEST("levels of a batch: switched together, aligned with others, decrypted and stored") {
  Rng rng;
  const std::size_t n = 32, batch = 3;
  const std::uint64_t t = 257;
  for (const auto& device : devices()) {
    const Party party(small_parameters(n, t, 3, 45), device);
    const Evaluator& e = party.evaluator;
    const Plaintext p(party.context, random_values(rng, batch * n, t), Encoding::coefficients, batch);
    const Ciphertext x = party.encryptor.encrypt(p), y = party.encryptor.encrypt(p.element(1)),
                     low = e.mod_switch_to(x, 1), product = e.multiply(e.mod_switch(x), e.mod_switch(y));
    NTTF_CHECK(low.level() == 1 && low.batch() == batch && party.decryptor.decrypt(low) == p);
    const Ciphertext mixed = e.add(low, y), three = e.add(product, y);
    for (std::size_t i = 0; i < batch; ++i) {
      const Ciphertext single = x.element(i);
      NTTF_CHECK(low.element(i) == e.mod_switch_to(single, 1));
      NTTF_CHECK(product.element(i) == e.multiply(e.mod_switch(single), e.mod_switch(y)));
      NTTF_CHECK(mixed.element(i) == e.add(e.mod_switch_to(single, 1), y));
      NTTF_CHECK(three.element(i) == e.add(product.element(i), y));
      NTTF_CHECK(e.add_plain(low, p).element(i) == e.add_plain(low.element(i), p.element(i)));
    }
    NTTF_CHECK(ciphertext_from_bytes(party.context, to_bytes(low)) == low);
    NTTF_CHECK(ciphertext_from_bytes(party.context, to_bytes(three)) == three);
    const Ciphertext* terms[] = {&low, &x};
    NTTF_CHECK_THROWS(Ciphertext::stack(terms), ParameterError, "terms[1] has 2 parts, level 3");
    NTTF_CHECK_THROWS(e.multiply(x, party.encryptor.encrypt_zero(Encoding::coefficients, 2)), SizeError,
                      "a is a batch of 3 and b a batch of 2");
  }
}

}  // namespace
}  // namespace nttforge::bgv::testing
