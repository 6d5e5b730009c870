// SPDX-License-Identifier: Apache-2.0
#pragma once

// What operations on messages and keys leave on the stack, looked for on a thread whose stack is ours. Not
// installed.

#include <pthread.h>
#include <sys/mman.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing.hpp"

namespace nttforge::integer_encoding::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnStacks = false;  // sanitizers keep frames elsewhere and look at every access
#else
constexpr bool kOwnStacks = true;
#endif

constexpr std::size_t kStackBytes = std::size_t{512} << 10;
constexpr std::uint8_t kPaint = 0xA5;

/// A thread's stack, painted.
class PaintedStack {
 public:
  PaintedStack()
      : begin_(static_cast<std::uint8_t*>(mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0))) {
    if (begin_ == MAP_FAILED) throw Error("no memory for a stack");
    std::memset(begin_, kPaint, kStackBytes);
  }
  PaintedStack(const PaintedStack&) = delete;
  PaintedStack& operator=(const PaintedStack&) = delete;
  ~PaintedStack() { munmap(begin_, kStackBytes); }

  void run(const std::function<void()>& body) const {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, begin_, kStackBytes);
    pthread_t thread;
    const int failed = pthread_create(
        &thread, &attributes,
        [](void* f) -> void* {
          (*static_cast<const std::function<void()>*>(f))();
          return nullptr;
        },
        const_cast<std::function<void()>*>(&body));
    pthread_attr_destroy(&attributes);
    if (failed != 0) throw Error("no thread");
    pthread_join(thread, nullptr);
  }

  const std::uint8_t* begin() const { return begin_; }
  const std::uint8_t* lowest_used() const {
    const std::uint8_t* p = begin_;
    while (p < begin_ + kStackBytes && *p == kPaint) ++p;
    return p;
  }

 private:
  std::uint8_t* begin_;
};

using StackWords = std::unordered_set<std::uint64_t>;

inline void add(StackWords& words, const void* data, std::size_t count) {
  constexpr std::uint64_t kRecognisable = std::uint64_t{1} << 24;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const std::uint8_t*>(data) + 8 * i, 8);
    if (word >= kRecognisable && ~word >= kRecognisable) words.insert(word);
  }
}

inline std::size_t found(const PaintedStack& stack, const StackWords& words) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 8 <= kStackBytes; ++i) {
    std::uint64_t word;
    std::memcpy(&word, stack.begin() + i, 8);
    count += words.count(word);
  }
  return count;
}

/// Everything secret of one party, and the operations that touch it. t has 45 bits, so that messages can be
/// told from other numbers.
template <class Scheme>
struct Case {
  Case(std::shared_ptr<const Device> device, const typename Scheme::Parameters& parameters)
      : party(parameters, std::move(device)), batch(party.context), coefficients(party.context) {
    Rng rng;
    values = random_values(rng, 4096, party.context->t());
    signed_values.resize(values.size());
    plain = batch.encode(values);
    batch.decode_signed(plain, signed_values);
    ciphertext = party.encryptor.encrypt(plain);
    plain_bytes = to_bytes(plain);
    key_bytes = to_bytes(party.generator.secret_key());
    out.resize(values.size());
    signed_out.resize(values.size());
    const std::vector<std::uint64_t> encoded = plain.coefficients();
    const Queue& b = party.context->queue();
    const std::size_t key_words = party.context->ring_key().words(),
                      n_words = party.context->ring_q().words();
    std::vector<std::uint64_t> key(key_words), lifted(n_words);
    b.download(party.generator.secret_key().data(), key);
    b.download(PreparedPlaintext(plain).data(), lifted);
    add(secrets, values.data(), values.size());
    add(secrets, signed_values.data(), values.size());
    add(secrets, encoded.data(), encoded.size());
    add(secrets, key.data(), key.size());
    add(secrets, lifted.data(), lifted.size());
    add(secrets, seed.bytes.data(), 4);
    const Seed party_seed = test_seed(1);
    add(secrets, party_seed.bytes.data(), 4);
  }

  PartyOf<Scheme> party;
  BatchEncoder batch;
  CoefficientEncoder coefficients;
  std::vector<std::uint64_t> values, out;
  std::vector<std::int64_t> signed_values, signed_out;
  Plaintext plain;
  Ciphertext ciphertext;
  std::vector<std::uint8_t> plain_bytes, key_bytes;
  Seed seed = test_seed(77);
  StackWords secrets;

  struct Operation {
    const char* name;
    StackDepth depth;
    std::function<void()> body;
  };
  std::vector<Operation> operations() {
    const auto& context = party.context;
    const auto& e = party.evaluator;
    const StackDepth conversions = context->device().conversion_depth();
    return {
        {"encode", StackDepth::shallow, [&] { batch.encode(values); }},
        {"encode signed", StackDepth::shallow, [&] { batch.encode(signed_values); }},
        {"decode", StackDepth::shallow, [&] { batch.decode(plain, out); }},
        {"decode signed", StackDepth::shallow, [&] { batch.decode_signed(plain, signed_out); }},
        {"encode coefficients", StackDepth::shallow, [&] { coefficients.encode(values); }},
        {"encode signed coefficients", StackDepth::shallow, [&] { coefficients.encode(signed_values); }},
        {"coefficients", StackDepth::shallow, [&] { plain.coefficients(out); }},
        {"equal", StackDepth::shallow, [&] { out[0] = plain == Plaintext(plain); }},
        {"encrypt", StackDepth::deep, [&] { party.encryptor.encrypt(plain); }},
        {"encrypt with a seed", StackDepth::deep, [&] { party.encryptor.encrypt(plain, seed, 3); }},
        {"encrypt by the secret key", StackDepth::deep,
         [&] { party.secret_encryptor.encrypt(plain, seed, 3); }},
        {"decrypt", conversions, [&] { party.decryptor.decrypt(ciphertext); }},
        {"decryptor", StackDepth::shallow, [&] { Decryptor(party.generator.secret_key()); }},
        {"prepare", StackDepth::shallow, [&] { PreparedPlaintext{plain}; }},
        {"add plain", conversions, [&] { e.add_plain(ciphertext, plain); }},
        {"sub plain", conversions, [&] { e.sub_plain(ciphertext, plain); }},
        {"multiply plain", StackDepth::shallow, [&] { e.multiply_plain(ciphertext, plain); }},
        {"save plaintext", StackDepth::shallow, [&] { to_bytes(plain); }},
        {"load plaintext", StackDepth::shallow, [&, context] { plaintext_from_bytes(context, plain_bytes); }},
        {"save secret key", StackDepth::shallow, [&] { to_bytes(party.generator.secret_key()); }},
        {"load secret key", StackDepth::shallow, [&, context] { secret_key_from_bytes(context, key_bytes); }},
        {"generate", StackDepth::deep, [&, context] { KeyGenerator(context, test_seed(1)); }},
        {"public key", StackDepth::deep, [&] { party.generator.public_key(); }},
        {"relinearization key", StackDepth::deep, [&] { party.generator.relinearization_key(); }},
        {"sparse secret key", StackDepth::deep,
         [&] { KeyGenerator(party.context, test_seed(1), SecretDistribution::sparse(8)); }},
        {"key between secrets", StackDepth::deep,
         [&] {
           const SecretKey& secret = party.generator.secret_key();
           party.generator.key_switch_key(secret, secret, 0);
         }},
        {"rotation key", StackDepth::deep,
         [&] { party.generator.rotation_keys(std::vector<std::int64_t>{1}, true); }},
        {"derive a seed", StackDepth::deep, [&] { derive_seed(seed, 1); }}};
  }
};

/// Primes of two sizes; several special ones; words of 32 bits.
template <class Scheme>
std::vector<typename Scheme::Parameters> stack_sets() {
  using Parameters = typename Scheme::Parameters;
  const std::uint64_t t = ntt_primes(4096, 45, 1)[0];
  std::vector<Parameters> sets{small_set<Parameters>(4096, t, 2, 50, true),
                               small_set<Parameters>(4096, t, 2, 60, true),
                               hybrid_set<Parameters>(4096, t, 4, 30, 2, 2)};
  sets.push_back(sets.back());
  sets.back().word_bits = 32;
  return sets;
}

/// Not inlined: what it calls lies below this frame, and it wipes nothing itself since a StackWipe is active.
__attribute__((noinline)) inline std::size_t depth_of(const PaintedStack& stack,
                                                      const std::function<void()>& body) {
  const StackWipe outer(StackDepth::deep);
  const auto* here = static_cast<const std::uint8_t*>(__builtin_frame_address(0));
  body();
  return static_cast<std::size_t>(here - stack.lowest_used());
}

/// No words of messages, keys or seeds stay behind.
template <class Scheme>
void check_nothing_stays() {
  if (!kOwnStacks) return nttforge::testing::skip("sanitizers keep stacks of their own");
  const auto sets = stack_sets<Scheme>();
  for (const Target target : available_targets())
    for (const auto* parameters : {&sets[0], &sets[2], &sets[3]}) {
      Case<Scheme> all(make_cpu_device(1, target), *parameters);
      for (const auto& operation : all.operations()) {
        const PaintedStack stack;
        stack.run(operation.body);
        const std::size_t words = found(stack, all.secrets);
        if (words != 0)
          nttforge::testing::fail(__FILE__, __LINE__,
                                  std::string(operation.name) + " on " + std::string(target_name(target)) +
                                      " leaves " + std::to_string(words) + " words, " +
                                      parameters->describe());
      }
    }
}

/// As much is wiped as each operation uses.
template <class Scheme>
void check_wiped_depths() {
  if (!kOwnStacks) return nttforge::testing::skip("sanitizers keep stacks of their own");
  for (const Target target : available_targets())
    for (const auto& parameters : stack_sets<Scheme>()) {
      Case<Scheme> all(make_cpu_device(1, target), parameters);
      for (const auto& operation : all.operations()) {
        const PaintedStack stack;
        std::size_t depth = 0;
        stack.run([&] { depth = depth_of(stack, operation.body); });
        if (depth > static_cast<std::size_t>(operation.depth))
          nttforge::testing::fail(__FILE__, __LINE__,
                                  std::string(operation.name) + " on " + std::string(target_name(target)) +
                                      " uses " + std::to_string(depth) + " bytes, " + parameters.describe());
      }
    }
}

}  // namespace nttforge::integer_encoding::testing
