// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/base/target.hpp"

namespace nttforge {

/// Words x with first <= x <= first + span, as numbers in [0, 2^64).
struct WordRange {
  std::uint64_t first = 0, span = 0;
};

/// Element-wise operations modulo any q >= 2, prime or not, on rows of words that need not be reduced. The
/// constants of q are computed in each call, in less than a hundred cycles. Any count, any alignment; out may
/// be an input. Results are in [0, q) unless said otherwise. Time does not depend on the values.
struct WordOps {
  /// out = a + b, a - b, a + scalar; operands in [0, q), q < 2^63.
  void (*add)(std::uint64_t q, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
              std::size_t count);
  void (*sub)(std::uint64_t q, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
              std::size_t count);
  void (*add_scalar)(std::uint64_t q, const std::uint64_t* a, std::uint64_t scalar, std::uint64_t* out,
                     std::size_t count);
  /// out = a * b; a, b in [0, factor q), factor 1, 2 or 4, q < 2^62.
  void (*multiply)(std::uint64_t q, unsigned factor, const std::uint64_t* a, const std::uint64_t* b,
                   std::uint64_t* out, std::size_t count);
  /// out = a * scalar + c; a, c in [0, factor q), factor 1, 2, 4 or 8, scalar in [0, q), q < 2^61. Without c
  /// if that is null.
  void (*multiply_add)(std::uint64_t q, unsigned factor, const std::uint64_t* a, std::uint64_t scalar,
                       const std::uint64_t* c, std::uint64_t* out, std::size_t count);
  /// out = a mod q; any a, q < 2^63.
  void (*reduce)(std::uint64_t q, const std::uint64_t* a, std::uint64_t* out, std::size_t count);
  /// out = a mod m; a in [0, factor m), factor 2 or 4, factor m <= 2^64.
  void (*take_off)(std::uint64_t m, unsigned factor, const std::uint64_t* a, std::uint64_t* out,
                   std::size_t count);
  /// out = a + inside or a + outside modulo 2^64, by whether a is in the range.
  void (*add_where)(WordRange range, std::uint64_t inside, std::uint64_t outside, const std::uint64_t* a,
                    std::uint64_t* out, std::size_t count);
  /// out = a - inside or a - outside modulo q, likewise; any a, inside and outside in [0, q), q < 2^63.
  void (*sub_where)(std::uint64_t q, WordRange range, std::uint64_t inside, std::uint64_t outside,
                    const std::uint64_t* a, std::uint64_t* out, std::size_t count);
};

/// The table of a target. Implemented by cpu/. throws UnsupportedError if the target cannot run here.
const WordOps& word_ops(Target target);

}  // namespace nttforge
