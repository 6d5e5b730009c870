// SPDX-License-Identifier: Apache-2.0
#include "mutate.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::fuzz {
namespace {

constexpr std::array<std::uint64_t, 16> kNumbers{
    0, 1, 2, 3, 7, 8, 16, 17, 255, 256, 65535, 65536, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, ~0ull};
constexpr std::array<std::string_view, 20> kTokens{"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "\"",
                                                   "\\",
                                                   "null",
                                                   "true",
                                                   "1e9",
                                                   "-1e-9",
                                                   "0.5",
                                                   "\\ud800",
                                                   "-0",
                                                   "1.0",
                                                   "18446744073709551615",
                                                   "18446744073709551616",
                                                   "\xff",
                                                   "[[[[[[[["};

void put(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace

void repair(Bytes& bytes) {
  constexpr std::size_t kHead = rlwe::kHeaderBytes, kTail = rlwe::kChecksumBytes;
  if (bytes.size() < kHead + kTail) return;
  const std::span<const std::uint8_t> all(bytes);
  put(bytes, 24, bytes.size() - kHead - kTail, 8);
  if (bytes[12] == 1) put(bytes, 16, checksum64(all.subspan(kHead, bytes.size() - kHead - kTail)), 8);
  put(bytes, bytes.size() - kTail, checksum64(all.first(bytes.size() - kTail)), 8);
}

void Mutator::change(Bytes& bytes, const std::vector<Bytes>& inputs, bool text) {
  const std::size_t size = bytes.size();
  const auto at = [&](std::size_t position) { return bytes.begin() + static_cast<std::ptrdiff_t>(position); };
  // Half of all changes are in the first bytes, where the fields are.
  const std::size_t reach = below(2) == 0 ? std::min<std::size_t>(size, 96) : size;
  const std::size_t position = reach == 0 ? 0 : below(reach);
  switch (below(text ? 9 : 8)) {
    case 0:
      if (size != 0) bytes[position] ^= static_cast<std::uint8_t>(1u << below(8));
      break;
    case 1:
      if (size != 0) bytes[position] = static_cast<std::uint8_t>(random_());
      break;
    case 2: {
      const std::size_t width = std::size_t{1} << below(4);
      put(bytes, position / width * width, kNumbers[below(kNumbers.size())], width);
      break;
    }
    case 3: {  // a field one off
      const std::size_t first = position / 8 * 8;
      if (first < size) bytes[first] = static_cast<std::uint8_t>(bytes[first] + (below(2) == 0 ? 1 : 255));
      break;
    }
    case 4:
      bytes.resize(position);
      break;
    case 5: {
      const std::size_t count = std::min(size - position, 1 + below(64));
      bytes.erase(at(position), at(position + count));
      break;
    }
    case 6: {
      const std::size_t count = std::min(size - position, 1 + below(64));
      const Bytes copy(at(position), at(position + count));
      bytes.insert(at(below(size + 1)), copy.begin(), copy.end());
      break;
    }
    case 7: {  // the rest of another input
      const Bytes& other = inputs[below(inputs.size())];
      const std::size_t from = std::min(position, other.size());
      bytes.resize(position);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
    default: {
      const std::string_view token = kTokens[below(kTokens.size())];
      bytes.insert(at(position), token.begin(), token.end());
    }
  }
}

Bytes Mutator::mutated(const std::vector<Bytes>& inputs, bool framed) {
  Bytes bytes = inputs[below(inputs.size())];
  for (std::size_t left = 1 + below(4); left > 0; --left) change(bytes, inputs, !framed);
  if (framed && below(5) != 0) repair(bytes);
  return bytes;
}

}  // namespace nttforge::fuzz
