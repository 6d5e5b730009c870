// SPDX-License-Identifier: Apache-2.0
// Integers that others wrote, modulo t, and back: by way of the host, which is their definition and what a
// device runs that does not override them.

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge {
namespace {

/// Words of 32 bits as those of 64 that stand for the same integers.
__attribute__((noinline)) void widen(std::span<std::uint64_t> words, bool is_signed) {
  for (std::uint64_t& word : words)
    word = is_signed ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)})
                     : word & 0xFFFFFFFFu;
}

/// Whether any is outside; see reduce_integer().
__attribute__((noinline)) bool reduce_rows(std::span<const std::uint64_t> words, const IntegerRange& range,
                                           std::size_t width, std::size_t n, std::span<std::uint64_t> out) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < words.size(); ++i)
    out[i / width * n + i % width] = reduce_integer(words[i], range, outside);
  return outside != 0;
}

__attribute__((noinline)) void centre_words(std::uint64_t t, std::span<std::uint64_t> words, bool narrow) {
  for (std::uint64_t& word : words) {
    word = centred_integer(word, t);
    if (narrow) word &= 0xFFFFFFFFu;
  }
}

}  // namespace

void Queue::reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                            std::size_t n, std::size_t rows, WordPtr outside) const {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> words(rows * in.width), result(rows * n, 0);
  if (!words.empty()) download(in.words, words);
  if (in.words.word_bits() == 32) widen(words, in.is_signed);
  const std::uint64_t any = reduce_rows(words, IntegerRange(t, in.is_signed, low), in.width, n, result);
  upload(result, out);
  if (outside != nullptr) upload(std::span(&any, 1), outside);
}

void Queue::centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> host(words);
  download(in, host);
  centre_words(t, host, out.word_bits() == 32);
  upload(host, out);
}

}  // namespace nttforge
