// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/base/target.hpp"
#include "nttforge/random/chacha20.hpp"

namespace nttforge {

/// The inner loops of stream and samplers, one table per instruction set, implemented by cpu/. Every target
/// gives the same words. Any alignment. Time and memory accesses do not depend on the words.
struct RandomKernels {
  /// Blocks counter, counter + 1, ... (modulo 2^32) as 64-bit words: out holds 8 * blocks.
  void (*key_stream)(const ChaChaInput& input, std::uint32_t counter, std::uint64_t* out, std::size_t blocks);
  /// Whether any word is larger than `last`.
  bool (*any_above)(const std::uint64_t* words, std::uint64_t last, std::size_t count);
  /// out = word mod q for any 64-bit words, ratio = floor(2^64 / q); q < 2^62. out may be words.
  void (*reduce)(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint64_t* out,
                 std::size_t count);
  /// The same as words of 32 bits; q <= 2^32.
  void (*reduce32)(const std::uint64_t* words, std::uint64_t q, std::uint64_t ratio, std::uint32_t* out,
                   std::size_t count);
  /// Magnitude #{k : table[k] <= word >> 1}, negative if bit 0 of the word is set; table entries below 2^63.
  void (*error)(const std::uint64_t* words, const std::uint64_t* table, std::size_t table_size,
                std::int64_t* out, std::size_t count);
};

/// throws UnsupportedError if the target cannot run here.
const RandomKernels& random_kernels(Target target);

}  // namespace nttforge
