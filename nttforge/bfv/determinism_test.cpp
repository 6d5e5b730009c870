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
      0x43008a457fab7ddcu, 0x4a1f69f69f554f17u, 0xa5a9ccb48397459bu, 0xf01a40c5e315f948u, 0xb6fdd4a0b3702546u,
      0x37823ad8693a5ce3u, 0x5d09d43ef831711fu, 0xea5c96f774eaf0acu, 0xa5a559297c48c7bbu, 0xea2f9a659d227848u,
      0x9d0c969696a585bfu, 0x5322b6e1d6425e01u, 0x084eca2dcad4e7e1u, 0xff31d40fb97f355bu, 0x838cf9ec6ab60daeu,
      0xc810b7cc8086cb63u, 0x744c1b42cec28787u, 0xd3cd031f658c7f52u, 0x1e1ec9cd32107aa8u, 0x6d8ab30a482dd3a5u,
      0x1fa0c869cf4b1ed2u, 0xbf2d516ec33acbc3u, 0x7554cdc34ba81695u, 0x37d6b9cff60fe984u, 0xb0585f1aafc8a618u,
      0x10389c19e2c3bd7cu, 0x26376542390d58fdu, 0x07c28294b97ebb67u, 0xf0364c88342077dcu};
  const auto found = transcript<Bfv>(small_parameters(32, 65537, 3, 45), make_cpu_device(1));
  std::vector<std::uint64_t> checksums;
  std::string text;
  for (const Bytes& bytes : found) {
    checksums.push_back(checksum64(bytes));
    text += std::to_string(checksums.back()) + "u, ";
  }
  if (!std::equal(checksums.begin(), checksums.end(), std::begin(kFrozen), std::end(kFrozen)))
    nttforge::testing::fail(__FILE__, __LINE__, "found " + text);
}

NTTF_TEST("frozen bytes of a set with several special primes") {
  std::vector<std::uint8_t> checksums;
  for (const Bytes& bytes : transcript<Bfv>(hybrid_parameters(32, 257, 5, 30, 2), make_cpu_device(1)))
    for (std::uint64_t x = checksum64(bytes), i = 0; i < 8; ++i)
      checksums.push_back(static_cast<std::uint8_t>(x >> (8 * i)));
  NTTF_CHECK_EQ(checksum64(checksums), std::uint64_t{0xe30393c330dcc992});
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
