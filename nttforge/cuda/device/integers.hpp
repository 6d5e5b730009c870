// SPDX-License-Identifier: Apache-2.0
#pragma once

// Integers that others wrote, modulo t, and back, for one element each: as those of operations.hpp.

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/cuda/device/operations.hpp"

namespace nttforge::cuda {

/// [rows][width] -> [rows][n] in [0, range.t), zeros behind each row.
struct ReduceIntegers {
  Grid shape;
  IntegerRange range;
  ReadWords in;
  bool is_signed;  ///< of words of 32 bits; range has it of the others
  std::uint32_t width;
  WriteWords out, outside;  ///< outside: or null; set to 1 where an integer is not allowed
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (column >= width) return out.set(at, 0);
    std::uint64_t word = in[std::size_t{row} * width + column], wrong = 0;
    if (in.narrow && is_signed)
      word = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(word)});
    out.set(at, reduce_integer(word, range, wrong));
    if (outside.address != nullptr && wrong != 0) outside.set(0, 1);
  }
};

struct CentreWords {
  Grid shape;
  std::uint64_t t;
  ReadWords in;
  WriteWords out;
  std::size_t words;
  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::size_t at = (std::size_t{row} << shape.log_n) + column;
    if (at < words) out.set(at, centred_integer(in[at], t));
  }
};

#define NTTF_INTEGER_OPERATIONS(apply) apply(ReduceIntegers) apply(CentreWords)

}  // namespace nttforge::cuda
