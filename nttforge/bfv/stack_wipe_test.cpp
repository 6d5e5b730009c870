// SPDX-License-Identifier: Apache-2.0
// What operations on messages and keys leave on the stack.

#include "nttforge/base/memory/stack_wipe.hpp"

#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/integer_encoding/testing_stack.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("stack: no words of messages, keys or seeds stay behind") { check_nothing_stays<Bfv>(); }

NTTF_TEST("stack: as much is wiped as each operation uses") { check_wiped_depths<Bfv>(); }

/// Fails after the seed has been copied into stream names.
class FailingQueue : public nttforge::testing::ReferenceQueue {
 public:
  using ReferenceQueue::ReferenceQueue;
  void encrypt(const RingTables&, const RingTables&, const StepTables*, ConstWordPtr, const SmallPolynomial&,
               std::span<const SmallPolynomial, 2>, ConstWordPtr, Form, WordPtr) const override {
    throw Error("as asked for");
  }
};

NTTF_TEST("stack: an operation that throws leaves no words of messages or seeds either") {
  if (!kOwnStacks) return nttforge::testing::skip("sanitizers keep stacks of their own");
  const Parameters parameters = small_parameters(64, ntt_primes(64, 45, 1)[0], 2, 50);
  const Party party(parameters, std::make_shared<const nttforge::testing::ReferenceDevice<FailingQueue>>());
  const BatchEncoder batch(party.context);
  Rng rng;
  std::vector<std::uint64_t> values = random_values(rng, 64, party.context->t());
  const Plaintext plain = batch.encode(values);
  const Seed seed = test_seed(55);
  StackWords words;
  add(words, values.data(), values.size());
  add(words, seed.bytes.data(), 4);
  const auto check = [&](const char* name, const std::function<void()>& body) {
    const PaintedStack stack;
    bool thrown = false;
    stack.run([&] {
      try {
        body();
      } catch (const std::exception&) {
        thrown = true;
      }
    });
    NTTF_CHECK(thrown);
    if (const std::size_t count = found(stack, words); count != 0)
      nttforge::testing::fail(__FILE__, __LINE__, std::string(name) + " leaves " + std::to_string(count));
  };
  check("encrypt", [&] { party.encryptor.encrypt(plain, seed, 0); });
  values.back() = party.context->t();  // the text of the error tells this one
  check("encode", [&] { batch.encode(values); });
}

}  // namespace
}  // namespace nttforge::bfv::testing
