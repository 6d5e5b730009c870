// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/device/tables.hpp"
#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

/// Affine maps with their coefficients. Not copyable: maps point into `rows`.
class AffineMaps {
 public:
  AffineMaps() = default;
  AffineMaps(const AffineMaps&) = delete;
  AffineMaps& operator=(const AffineMaps&) = delete;
  AffineMaps(AffineMaps&&) = default;
  AffineMaps& operator=(AffineMaps&&) = default;

  /// coefficients: `terms` of them, one more if the maps have an extra row.
  void add(std::uint64_t modulus, std::uint64_t offset, std::vector<std::uint64_t> coefficients);
  /// After the last add: the bits of the largest input value, and of the extra row's: 0 for none, kOwnBits
  /// for residues modulo each map's own modulus.
  static constexpr unsigned kOwnBits = ~0u;
  void finish(Target target, std::size_t terms, unsigned value_bits, unsigned extra_bits = 0);

  void run(const std::uint64_t* in, std::size_t in_stride, const std::uint64_t* extra,
           std::size_t extra_stride, std::uint64_t* out, std::size_t out_stride, std::size_t count) const {
    run_some(0, maps_.size(), in, in_stride, extra, extra_stride, out, out_stride, count);
  }
  /// Maps [first, end) alone; extra and out begin at the rows of the first one.
  void run_some(std::size_t first, std::size_t end, const std::uint64_t* in, std::size_t in_stride,
                const std::uint64_t* extra, std::size_t extra_stride, std::uint64_t* out,
                std::size_t out_stride, std::size_t count) const;

 private:
  /// Maps in order that one class of kernels takes: narrow ones, where no value needs more.
  struct Run {
    std::size_t end;
    const ConversionKernels* kernels;
    std::size_t chunk;
  };
  std::vector<std::vector<std::uint64_t>> rows_;
  std::vector<AffineMap> maps_;
  std::vector<Run> runs_;
  std::size_t terms_ = 0;
};

/// Rows of words, `stride` apart.
struct WordRows {
  const std::uint64_t* words = nullptr;
  std::size_t stride = 0;
};

/// One step, folded for the kernels (docs/bounds/conversion52.md): the digits, the correction (modulo p
/// shifted into [0, p), in fixed point as it is), and one affine map for each target, whose offset undoes the
/// shift. No step compares or branches on a word.
class CpuStage {
 public:
  /// in_scratch: its sources are rows of scratch memory with room for one more, which it may overwrite.
  CpuStage(const RnsStep& step, Target target, bool in_scratch);

  std::size_t targets() const { return targets_; }
  /// Rows of scratch beside the sources' own.
  std::size_t scratch_rows() const { return scratch_rows_; }
  /// `count` coefficients; scratch: scratch_rows() rows. Own words may be null: zeros. A stage with
  /// in_scratch takes its sources from `scratch`, and `sources` has no meaning. If checked, bit 63 of the
  /// result says whether a correction passes the step's limit.
  std::uint64_t run(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                    std::uint64_t* scratch, std::size_t scratch_stride, std::size_t count,
                    bool checked) const;

  /// Whether the correction is all that an output takes from the sources, of which there is one: a division.
  /// It may be computed target by target, after correct().
  bool is_division() const { return division_; }
  /// Whether it is a fast base conversion: outputs are sums of scaled sources. It may be computed target by
  /// target, after scale().
  bool is_conversion() const { return !in_scratch_ && !scale_.empty() && !corrected_ && !takes_own_; }
  /// The scaled sources, rows `stride` apart; out may be sources.
  void scale(const std::uint64_t* sources, std::uint64_t* out, std::size_t stride, std::size_t count) const {
    scale_kernels_->scale(scale_.data(), sources_, sources, stride, out, stride, count);
  }
  /// Outputs [first, end) of a conversion, from scaled sources.
  void convert_targets(std::size_t first, std::size_t end, WordRows scaled, std::uint64_t* out,
                       std::size_t out_stride, std::size_t count) const {
    outputs_.run_some(first, end, scaled.words, scaled.stride, nullptr, 0, out, out_stride, count);
  }
  /// The shifted correction; out may be source.
  void correct(const std::uint64_t* source, std::uint64_t* out, std::size_t count) const;
  /// Output j; out may be own, which may be null: zeros.
  void run_target(std::size_t j, const std::uint64_t* correction, const std::uint64_t* own,
                  std::uint64_t* out, std::size_t count) const {
    outputs_.run_some(j, j + 1, correction, 0, own, 0, out, 0, count);
  }

 private:
  void fold_correction(const RnsStep& step, Target target);
  void fold_outputs(const RnsStep& step, Target target);
  void correct_rows(WordRows digits, std::uint64_t* out, std::size_t count) const;
  std::uint64_t outside(const std::uint64_t* correction, std::size_t count) const;
  void run_word_by_word(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                        std::size_t count) const;

  const ConversionKernels *kernels_, *scale_kernels_;
  std::size_t sources_, targets_, used_, scratch_rows_ = 0;
  std::uint64_t allowed_low_ = 0, allowed_high_ = ~std::uint64_t{0} >> 1;  // of the shifted correction
  bool in_scratch_, corrected_, takes_own_;
  bool copied_ = false;             // sources that are digits, but not where the correction can follow them
  bool digits_in_scratch_ = false;  // scaled, copied, or there from the start
  bool division_ = false;
  std::vector<ScaleRow> scale_;                   // empty: sources are digits
  std::vector<std::uint32_t> weights_modulo_32_;  // for p = 2^32
  AffineMaps correction_;                         // for any other p
  std::vector<std::uint64_t> fractions_;          // fixed point
  unsigned fraction_bits_ = 0;
  bool nearest_ = false;
  AffineMaps outputs_;  // used digits, shifted correction, own word; one of the last two may be the extra row
  std::optional<StepValue> value_;  // fractions that kernels do not take: computed by definition
};

/// A chain of steps on blocks of coefficients.
class CpuStep final : public StepTables {
 public:
  CpuStep(std::span<const RnsStep> chain, std::size_t dimension, Target target);

  std::size_t scratch_rows() const { return scratch_rows_; }
  /// The stage of a chain of one step that is a division, else null.
  const CpuStage* division() const {
    return stages_.size() == 1 && stages_[0].is_division() ? stages_.data() : nullptr;
  }
  /// The stage of a chain of one step that is a fast base conversion, else null.
  const CpuStage* conversion() const {
    return stages_.size() == 1 && stages_[0].is_conversion() ? stages_.data() : nullptr;
  }
  /// As a stage's.
  std::uint64_t run(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                    std::uint64_t* scratch, std::size_t scratch_stride, std::size_t count,
                    bool checked) const;

 private:
  std::vector<CpuStage> stages_;
  std::size_t scratch_rows_ = 0;
};

}  // namespace nttforge::cpu
