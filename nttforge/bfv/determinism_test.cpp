// SPDX-License-Identifier: Apache-2.0
// One seed, one answer: byte-identical objects from the reference device, every CPU target and any number of
// threads, and from many threads at once.

#include <algorithm>
#include <thread>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_transcript.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("the same bytes on the reference device, every target and thread count, and GPUs") {
  // Limbs of several widths: 32-bit-like, below 2^50, above 2^52; with t = 2, even, batching.
  const Parameters sets[] = {small_parameters(32, 65537, 3, 45),     small_parameters(64, 2, 1, 61),
                             small_parameters(256, 12289, 2, 31),    small_parameters(16, 1000, 4, 55),
                             Parameters::badawi2018(2048),           hybrid_parameters(32, 65537, 5, 45, 2),
                             hybrid_parameters(64, 257, 4, 30, 3),   hybrid_parameters(16, 97, 5, 61, 4, 3),
                             hybrid_parameters(16, 97, 3, 40, 2, 1), narrow_preset(4096)};
  check_same_bytes<Bfv>(sets);
}

NTTF_TEST("words of 32 bits change no result") {
  check_narrow_words<Bfv>(small_parameters(64, 257, 3, 31));
  check_narrow_words<Bfv>(small_parameters(32, 2, 2, 28));
  check_narrow_words<Bfv>(small_parameters(16, std::uint64_t{1} << 40, 4, 32));
  check_narrow_words<Bfv>(hybrid_parameters(64, 257, 7, 30, 3));
  check_narrow_words<Bfv>(hybrid_parameters(32, 65537, 5, 28, 2));
}

NTTF_TEST("frozen bytes: what this release writes, every later one must write and read") {
  // checksum64 of every object of the transcript. A change here is a change of the format or of the streams.
  constexpr std::uint64_t kFrozen[] = {
      0x4da41eb8c944f0deu, 0xf116cf09155ec4e1u, 0x0f53325b085ab11cu, 0xdddea9a455ef00ceu, 0xbd90b92f24c0fc3cu,
      0xb3aaf6a7f0aa8676u, 0xf9132ab0b4ca1a22u, 0x75191636fd85ccf6u, 0xf0991c8fdd1d4017u, 0xaee5d46c7130e58au,
      0x77ae4518d18349fbu, 0x4e2f708e0e15c84au, 0x73d58441554be898u, 0xeeb6b7033bf7ab78u, 0x4a71316a88a49fa4u,
      0x03eb7b5c31f7f016u, 0xa9b7b81a767152bdu, 0x588ee78f67122a9fu, 0x287982f01f3a3de1u, 0x0fcc83f37f1d363au,
      0xe33c600332b8eaffu, 0xf7c7c05c9dd08421u, 0xea65cc0254caca6eu, 0x7edb1047e7b7836bu, 0x12133903b3a5f10du,
      0xe0b41be2de13f3b7u, 0xd317b6db400f30ecu, 0x95bd3e10bc3e3e3au, 0x93227ed0638c3915u};
  check_frozen(transcript<Bfv>(small_parameters(32, 65537, 3, 45), make_cpu_device(1)), kFrozen);
}

NTTF_TEST("frozen bytes of a set with several special primes") {
  NTTF_CHECK_EQ(checksum_of_all(transcript<Bfv>(hybrid_parameters(32, 257, 5, 30, 2), make_cpu_device(1))),
                std::uint64_t{0x233b3c9ed90ef531});
}

NTTF_TEST("one context and evaluator used from many threads") {
  const Party party(small_parameters(64, 65537, 2, 45), make_cpu_device(2));
  const auto key = party.generator.relinearization_key();
  const auto rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1});
  Rng rng;
  const Plaintext plain(party.context, random_values(rng, 64, 65537), Encoding::slots);
  const Ciphertext x = party.encryptor.encrypt(plain, test_seed(1), 0);
  const auto work = [&] {
    Ciphertext y = party.encryptor.encrypt(plain, test_seed(1), 0);
    for (int i = 0; i < 5; ++i) {
      y = party.evaluator.multiply_relinearize(y, x, key);
      y = party.evaluator.add(party.evaluator.rotate_rows(y, 1, rotations), x);
    }
    return to_bytes(y);
  };
  const Bytes expected = work();
  std::vector<Bytes> found(6);
  std::vector<std::thread> threads;
  for (Bytes& bytes : found) threads.emplace_back([&] { bytes = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const Bytes& bytes : found) NTTF_CHECK(bytes == expected);
}

NTTF_TEST(
    "seeds: another index or seed gives another ciphertext, keys do not depend on the order of making") {
  const auto device = make_cpu_device(1);
  const Party party(small_parameters(64, 65537), device), twin(small_parameters(64, 65537), device);
  const Plaintext plain(party.context, Encoding::slots);
  const Ciphertext x = party.encryptor.encrypt(plain, test_seed(1), 0);
  NTTF_CHECK(x == party.encryptor.encrypt(plain, test_seed(1), 0));
  NTTF_CHECK(!(x == party.encryptor.encrypt(plain, test_seed(1), 1)));
  NTTF_CHECK(!(x == party.encryptor.encrypt(plain, test_seed(2), 0)));
  const auto both = party.generator.rotation_keys(std::vector<std::int64_t>{1, 2});
  const auto one = twin.generator.rotation_keys(std::vector<std::int64_t>{2});
  const std::vector<std::uint64_t> element{rotation_element(64, 2)};
  NTTF_CHECK(to_bytes(one) == to_bytes(twin.generator.galois_keys(element)));
  NTTF_CHECK(party.evaluator.rotate_rows(x, 2, both) == party.evaluator.rotate_rows(x, 2, one));
  // Public seeds tell nothing of one another: all differ.
  NTTF_CHECK(!(derive_seed(test_seed(1), 0) == derive_seed(test_seed(1), 1)));
  NTTF_CHECK(!(derive_seed(test_seed(1), 0) == test_seed(1)));
  const KeyGenerator os_a(party.context), os_b(party.context);
  NTTF_CHECK(to_bytes(os_a.secret_key()) != to_bytes(os_b.secret_key()));
}

}  // namespace
}  // namespace nttforge::bfv::testing
