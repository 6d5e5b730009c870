// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/threads/fork_mutex.hpp"
#include "nttforge/cuda/device/convert.hpp"
#include "nttforge/cuda/device/embedding.hpp"
#include "nttforge/cuda/device/gpu_step_constants.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/tile/tables.hpp"
#include "nttforge/device/device.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::cuda {

/// Tables of a ring on a card: a transform plan, and the moduli for what works residue by residue.
class GpuRing final : public RingTables {
 public:
  GpuRing(const NttSpec& spec, int device);
  const CudaNttPlan& plan() const { return plan_; }
  RingRows rows() const {
    return {static_cast<const Wide*>(moduli_.data()), static_cast<std::uint32_t>(limbs())};
  }

 private:
  CudaNttPlan plan_;
  CudaBuffer moduli_;
};

/// A step on a card: its constants for the general kernel, and for those tiles that take it.
struct GpuStepTables {
  ConvertTables general;
  Correction correction = Correction::none;
  std::optional<TileStep<NarrowTiles>> narrow;
  std::optional<TileStep<SplitTiles>> split;
  std::optional<TileStep<WholeTiles>> whole;
};

/// A chain of steps on a card, with every scale but the first multiplied into the step before.
class GpuStep final : public StepTables {
 public:
  GpuStep(std::span<const RnsStep> chain, std::size_t dimension, int device);
  std::span<const GpuStepTables> steps() const { return steps_; }
  /// The only step, with zeros for own words; null if it takes none, there are several, or a correction may
  /// be larger than a row of them holds.
  const GpuStepTables* without_own() const { return without_own_ ? &*without_own_ : nullptr; }
  /// Whether the correction of without_own() is one more source, a row of its own behind the others
  /// (CorrectionRow), so that the rest is for tiles: where a step has fractions that matrices do not take.
  bool has_correction_row() const { return has_correction_row_; }
  const GpuStepConstants& constants() const { return constants_; }

 private:
  GpuStepTables tables_of(const RnsStep& step, int device);

  GpuStepConstants constants_;
  std::vector<CudaBuffer> memory_;
  std::vector<GpuStepTables> steps_;
  std::optional<GpuStepTables> without_own_;
  bool has_correction_row_ = false;
};

class GpuPermutation final : public PermutationTables {
 public:
  GpuPermutation(std::span<const std::uint32_t> index, int device);
  const std::uint32_t* index() const { return static_cast<const std::uint32_t*>(memory_.data()); }
  /// Whether the words of every aligned group of so many, a power of two up to 4, come from such a group, as
  /// those of an automorphism in bit-reversed order do.
  bool keeps_groups_of(unsigned words) const { return words <= group_; }
  /// ImageWords::packed() of each group of four; null if groups of four are not kept or not as packed()
  /// needs.
  const std::uint32_t* packed() const { return static_cast<const std::uint32_t*>(packed_.data()); }

 private:
  unsigned group_ = 1;
  CudaBuffer memory_, packed_;
};

/// Messages on a card: roots as both kinds of numbers, and the slot of each place in the transformed order.
class GpuEmbedding final : public EmbeddingTables {
 public:
  GpuEmbedding(std::size_t slots, int device);
  template <class Real>
  const EmbeddedNumber<Real>* roots() const {
    const CudaBuffer& memory = std::is_same_v<Real, double> ? doubles_ : double_doubles_;
    return static_cast<const EmbeddedNumber<Real>*>(memory.data());
  }
  const std::uint32_t* slot() const { return static_cast<const std::uint32_t*>(slot_.data()); }

 private:
  CudaBuffer doubles_, double_doubles_, slot_;
};

/// A card, or the host's run of its kernels. All queues of a card run in its default stream, so that they are
/// in order with each other.
class GpuDevice final : public Device, public std::enable_shared_from_this<GpuDevice> {
 public:
  explicit GpuDevice(int ordinal);

  std::string name() const override { return "cuda"; }
  std::string description() const override;
  std::string memory_space() const override { return device_name(ordinal_); }
  void require_alive() const override { error_tables_.require_alive(); }
  void require_memory(std::uint64_t bytes, const std::string& what) const override;
  std::shared_ptr<const Queue> make_queue() const override;
  std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const override;
  using Device::make_step;
  std::shared_ptr<const StepTables> make_step(std::span<const RnsStep> chain, std::size_t n) const override;
  std::shared_ptr<const PermutationTables> make_permutation(
      std::span<const std::uint32_t> index) const override;
  std::shared_ptr<const EmbeddingTables> make_embedding(std::size_t slots) const override;
  std::string recipe_json(const RingTables& ring) const override;
  std::shared_ptr<const RingTables> make_joint(const RingTables& first,
                                               const RingTables& second) const override;

  int ordinal() const { return ordinal_; }
  /// The table that errors are sampled by, in the card's memory.
  std::span<const std::uint64_t> error_table(ErrorDistribution distribution) const;

 private:
  int ordinal_;
  CudaBuffer error_tables_;
};

}  // namespace nttforge::cuda
