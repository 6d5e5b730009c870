// SPDX-License-Identifier: Apache-2.0
// Keys: interrupted while they are made, refused before that where they do not fit the memory.

#include "nttforge/base/interrupt.hpp"

#include <numeric>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_interrupt.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

using namespace nttforge;
using namespace nttforge::bfv;
using namespace nttforge::testing;

NTTF_TEST("interrupt: key generation ends between two limbs, and the generator is as before") {
  const ContextPtr context = Context::create(Parameters::preset(4096), make_cpu_device(1));
  const KeyGenerator generator(context, Seed{});
  const std::vector<std::int64_t> steps{1, 2, 3, 4};
  const auto before = to_bytes(generator.rotation_keys(steps));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(generator.rotation_keys(steps)); }, 4));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(generator.relinearization_key()); }, 1));
  NTTF_CHECK(to_bytes(generator.rotation_keys(steps)) == before);
}

NTTF_TEST("interrupt: operations that take one step after another") {
  const ContextPtr context = Context::create(Parameters::preset(4096), make_cpu_device(1));
  const KeyGenerator generator(context, Seed{});
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const Evaluator evaluator(context);
  const std::vector<Ciphertext> terms(8, encryptor.encrypt_zero(Encoding::slots));
  const RotationKeys keys = generator.inner_sum_keys(16);
  const auto bytes = to_bytes(keys);
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(evaluator.inner_sum(terms[0], 16, keys)); }, 4));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(evaluator.dot_product(terms, terms)); }, 8));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(decryptor.noise_budget_bits(terms[0])); }, 4));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(to_bytes(keys)); }, 4));
  NTTF_CHECK(ends_at_a_poll([&] { static_cast<void>(rotation_keys_from_bytes(context, bytes)); }, 4));
}

NTTF_TEST("keys without special prime: their size is looked at before what they are for") {
  const ContextPtr context = Context::create(Parameters::preset(1024), make_cpu_device(1));
  for (const ObjectKind kind : {ObjectKind::relinearization_key, ObjectKind::rotation_keys}) {
    // What every key begins with: primes, digits, number of keys.
    const std::vector<std::uint8_t> payload{static_cast<std::uint8_t>(context->key_limbs()),
                                            0,
                                            static_cast<std::uint8_t>(context->limbs()),
                                            0,
                                            1,
                                            0,
                                            0,
                                            0,
                                            7};
    const auto bytes = seal(Scheme::bfv, kind, context->fingerprint(), payload);
    const auto load = [&] {
      if (kind == ObjectKind::rotation_keys) return void(rotation_keys_from_bytes(context, bytes));
      static_cast<void>(relinearization_key_from_bytes(context, bytes));
    };
    NTTF_CHECK_THROWS(load(), FormatError, "payload");
  }
}

NTTF_TEST("rotation keys that do not fit the memory are not begun, and their size is said") {
  const ContextPtr context = Context::create(Parameters::preset(32768), make_cpu_device(1));
  std::vector<std::int64_t> steps(8000);
  std::iota(steps.begin(), steps.end(), 1);
  const std::uint64_t each = context->parameters().memory_sizes().rotation_key;
  if (available_memory_bytes() > steps.size() * each) return skip("this machine has the memory");
  const KeyGenerator generator(context, Seed{});
  const CountedPolls polls;
  NTTF_CHECK_THROWS(generator.rotation_keys(steps), UnsupportedError,
                    "8000 rotation keys of " + std::to_string(each) + " bytes each need " +
                        std::to_string(8001 * each) + " bytes");
  NTTF_CHECK_EQ(polls.count(), 0u);
}
