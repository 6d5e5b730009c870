// SPDX-License-Identifier: Apache-2.0
#include "nttforge/random/chacha20.hpp"

#include <string>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/random/kernels.hpp"
#include "nttforge/random/samplers.hpp"

using namespace nttforge;

namespace {

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::uint32_t little_endian(const std::uint8_t* bytes) {
  return bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 | static_cast<std::uint32_t>(bytes[2]) << 16 |
         static_cast<std::uint32_t>(bytes[3]) << 24;
}

struct Words32 {
  using Vec = std::uint32_t;
  static Vec add(Vec a, Vec b) { return a + b; }
  static Vec bit_xor(Vec a, Vec b) { return a ^ b; }
  template <unsigned kCount>
  static Vec rotate_left(Vec a) {
    return (a << kCount) | (a >> (32 - kCount));
  }
};

}  // namespace

NTTF_TEST("chacha20: quarter round of RFC 8439, section 2.1.1") {
  std::uint32_t a = 0x11111111, b = 0x01020304, c = 0x9b8d6f43, d = 0x01234567;
  chacha_quarter_round<Words32>(a, b, c, d);
  NTTF_CHECK_EQ(a, 0xea2a92f4u);
  NTTF_CHECK_EQ(b, 0xcb1cf8ceu);
  NTTF_CHECK_EQ(c, 0x4581472eu);
  NTTF_CHECK_EQ(d, 0x5881c4bbu);
}

NTTF_TEST("chacha20: blocks of RFC 8439 on every target") {
  const Json data = testing::load_vectors("chacha20.json");
  for (const Json& block : data.at("blocks").elements()) {
    const auto key = from_hex(block.at("key").as_string());
    const auto nonce = from_hex(block.at("nonce").as_string());
    const auto expected = from_hex(block.at("block").as_string());
    NTTF_CHECK_EQ(expected.size(), 64u);
    ChaChaInput input;
    for (std::size_t i = 0; i < 8; ++i) input.key[i] = little_endian(key.data() + 4 * i);
    for (std::size_t i = 0; i < 3; ++i) input.nonce[i] = little_endian(nonce.data() + 4 * i);
    for (const Target target : available_targets()) {
      std::vector<std::uint64_t> words(8);
      random_kernels(target).key_stream(input, static_cast<std::uint32_t>(block.at("counter").as_u64()),
                                        words.data(), 1);
      for (std::size_t i = 0; i < 64; ++i)
        NTTF_CHECK_EQ((words[i / 8] >> (8 * (i % 8))) & 0xFF, std::uint64_t{expected[i]});
    }
  }
}

NTTF_TEST("chacha20: streams of the oracle on every target") {
  const Json data = testing::load_vectors("chacha20.json");
  for (const Json& stream : data.at("streams").elements()) {
    StreamName name;
    const auto seed = from_hex(stream.at("seed").as_string());
    std::copy(seed.begin(), seed.end(), name.seed.bytes.begin());
    name.domain = static_cast<Domain>(stream.at("domain").as_u64());
    name.index = static_cast<std::uint32_t>(stream.at("index").as_u64());
    const auto expected = stream.at("words").as_u64_vector();
    for (const Target target : available_targets()) {
      std::vector<std::uint64_t> words(expected.size());
      stream_words(name, static_cast<std::uint32_t>(stream.at("lane").as_u64()), stream.at("first").as_u64(),
                   words, target);
      NTTF_CHECK(words == expected);
    }
  }
}
