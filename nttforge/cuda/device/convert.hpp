// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step between bases (rns/step.hpp) with any of its fields, a thread for some targets of a coefficient.

#include "nttforge/cuda/device/operations.hpp"

namespace nttforge::cuda {

struct ConvertTarget {
  Wide modulus;
  std::uint64_t own = 0, offset = 0, excess = 0;
};

/// Constants of a step in the device's memory; a null pointer stands for an empty list.
struct ConvertTables {
  const Wide* source_moduli = nullptr;
  const std::uint64_t* scale = nullptr;      ///< [sources]
  const std::uint64_t* weights = nullptr;    ///< [sources]
  const std::uint64_t* fractions = nullptr;  ///< [sources]
  const std::uint64_t* factors = nullptr;    ///< [targets][sources]
  const ConvertTarget* targets = nullptr;
  Wide correction;  ///< p; q = 0: none
  std::uint64_t limit = 0;
  std::uint32_t sources = 0, target_count = 0, fraction_bits = 0;
  bool nearest = false, takes_own = false;
};

/// Rows of batches: those of polynomial b begin at words + b stride.
struct StridedRows {
  ReadWords words;
  std::size_t stride = 0;
};

struct StridedWrites {
  WriteWords words;
  std::size_t stride = 0;
};

struct ConvertBase {
  static constexpr std::uint32_t kTargets = 4;
  static constexpr unsigned kProducts = 15;  ///< of 62-bit words, beside a reduced sum, within 128 bits

  Grid shape;  ///< rows: batch times groups of targets
  ConvertTables step;
  StridedRows sources, own;
  StridedWrites out;
  StridedWrites copies{};  ///< of the sources, or null
  StridedRows addend{};    ///< conversion.hpp; or null
  std::uint32_t addend_parts = 0, parts = 1;
  WriteWords exceeded{};  ///< or null; set to 1 where a correction passes the limit

  NTTF_HD static std::uint32_t groups(std::uint32_t targets) { return (targets + kTargets - 1) / kTargets; }

  NTTF_HD std::uint64_t digit(std::size_t x, std::uint32_t i) const {
    const std::uint64_t word = sources.words[x + (std::size_t{i} << shape.log_n)];
    return step.scale == nullptr ? word : wide_product(word, step.scale[i], step.source_moduli[i]);
  }

  /// |c| and its sign; x: where source 0 is.
  NTTF_HD u128 correction(std::size_t x, bool& negative) const {
    negative = false;
    u128 sum = 0;
    if (step.fractions != nullptr) {
      for (std::uint32_t i = 0; i < step.sources; ++i) sum += u128{digit(x, i)} * step.fractions[i];
      if (step.nearest) sum += u128{1} << (step.fraction_bits - 1);
      return sum >> step.fraction_bits;
    }
    if (step.correction.q == 0) return 0;
    unsigned products = 0;
    for (std::uint32_t i = 0; i < step.sources; ++i) {
      if (products == kProducts) sum = reduce_wide(sum, step.correction), products = 0;
      sum += u128{digit(x, i)} * step.weights[i];
      ++products;
    }
    const std::uint64_t r = reduce_wide(sum, step.correction), p = step.correction.q;
    negative = r > (p - 1) / 2;
    return negative ? p - r : r;
  }

  NTTF_HD void operator()(std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t count = groups(step.target_count), member = row / count;
    const std::uint32_t first = (row - member * count) * kTargets;
    const std::size_t x = member * sources.stride + column;
    const std::size_t object = member / parts, part = member - object * parts;
    if (copies.words.address != nullptr && first == 0) {
      for (std::uint32_t i = 0; i < step.sources; ++i)
        copies.words.set(member * copies.stride + (std::size_t{i} << shape.log_n) + column,
                         sources.words[x + (std::size_t{i} << shape.log_n)]);
    }
    bool negative = false;
    const u128 size = correction(x, negative);
    if (exceeded.address != nullptr && step.limit != 0 && size > step.limit) exceeded.set(0, 1);
    for (std::uint32_t j = first; j < first + kTargets && j < step.target_count; ++j) {
      const ConvertTarget& target = step.targets[j];
      const Wide& m = target.modulus;
      u128 sum = target.offset;
      unsigned products = 0;
      if (step.takes_own) {
        const std::uint64_t word = own.words[member * own.stride + (std::size_t{j} << shape.log_n) + column];
        sum += u128{word} * target.own, ++products;
      }
      const std::uint64_t excess = negative ? opposite_mod(target.excess, m.q) : target.excess;
      if (excess != 0) sum += u128{reduce_wide(size, m)} * excess, ++products;
      if (step.factors != nullptr) {
        const std::uint64_t* const factors = step.factors + std::size_t{j} * step.sources;
        for (std::uint32_t i = 0; i < step.sources; ++i) {
          if (products == kProducts) sum = reduce_wide(sum, m), products = 0;
          sum += u128{digit(x, i)} * factors[i];
          ++products;
        }
      }
      std::uint64_t value = reduce_wide(sum, m);
      if (part < addend_parts) {
        const std::size_t at = ((part * step.target_count + j) << shape.log_n) + column;
        value = sum_mod(value, addend.words[object * addend.stride + at], m.q);
      }
      out.words.set(member * out.stride + (std::size_t{j} << shape.log_n) + column, value);
    }
  }
};

/// The corrections of a step with fractions, as rows behind the sources of each polynomial. shape: rows are
/// the batch.
struct CorrectionRow {
  Grid shape;
  ConvertBase base;  ///< step and sources are read, and its shape's columns
  WriteWords out;    ///< where the sources are
  NTTF_HD void operator()(std::uint32_t member, std::uint32_t column) const {
    const std::size_t x = member * base.sources.stride + column;
    bool negative = false;
    out.set(x + (std::size_t{base.step.sources} << shape.log_n),
            static_cast<std::uint64_t>(base.correction(x, negative)));
  }
};

}  // namespace nttforge::cuda
