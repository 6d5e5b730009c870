// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "nttforge/base/threads/fork_mutex.hpp"
#include "nttforge/base/threads/thread_pool.hpp"
#include "nttforge/cpu/device/memory_pool.hpp"
#include "nttforge/device/device.hpp"
#include "nttforge/device/implement.hpp"
#include "nttforge/ntt/plan.hpp"
#include "nttforge/ntt/row_ops.hpp"
#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

/// One limb of a ring: its transforms (tables shared between all rings of a device) and its row constants.
/// Operations on words of 32 bits for which there are no kernels run on words of 64.
struct CpuLimb {
  CpuLimb(std::uint64_t q_value, std::shared_ptr<const NttPlan> transform,
          std::shared_ptr<const NttPlan> transform32, Target target);

  template <class Word>
  const RowOpsTable<Word>& ops() const {
    if constexpr (sizeof(Word) == 4)
      return *row32;
    else
      return *row;
  }
  /// One row of n words, out of place or in place.
  template <class Word>
  void forward(const Word* in, Word* out) const {
    if constexpr (sizeof(Word) == 8)
      if (plan == nullptr) return in_short_words(in, out, [&](auto* x) { plan32->forward_row(0, x, x); });
    (sizeof(Word) == 4 ? plan32 : plan)->forward_row(0, in, out);
  }
  template <class Word>
  void inverse(const Word* in, Word* out) const {
    if constexpr (sizeof(Word) == 8)
      if (plan == nullptr) return in_short_words(in, out, [&](auto* x) { plan32->inverse_row(0, x, x); });
    (sizeof(Word) == 4 ? plan32 : plan)->inverse_row(0, in, out);
  }

  std::uint64_t q;
  /// The second one in rings of 32-bit words, and alone where a target transforms such primes in no other.
  std::shared_ptr<const NttPlan> plan, plan32;
  Modulus modulus;
  RowModulus row_modulus;
  const RowOps* row;
  const RowOps32* row32 = nullptr;
  const ConversionKernels* kernels;  ///< of the class of q
  std::size_t chunk;                 ///< longest sum of products of residues before a reduction

 private:
  /// A row of 64-bit words becomes one of 32-bit words in the memory of `out`, and comes back.
  template <class Transform>
  void in_short_words(const std::uint64_t* in, std::uint64_t* out, const Transform& transform) const {
    const std::size_t n = plan32->spec().n;
    auto* const words = reinterpret_cast<std::uint32_t*>(out);
    narrow(in, words, n);
    transform(words);
    widen(words, out, n);
  }
  static void narrow(const std::uint64_t* in, std::uint32_t* out, std::size_t n);
  static void widen(const std::uint32_t* in, std::uint64_t* out, std::size_t n);
};

struct CpuRing final : RingTables {
  CpuRing(NttSpec spec, std::vector<CpuLimb> limbs) : RingTables(std::move(spec)), limb(std::move(limbs)) {}
  std::vector<CpuLimb> limb;
};

struct CpuPermutation final : PermutationTables {
  explicit CpuPermutation(std::span<const std::uint32_t> places)
      : PermutationTables(places.size()),
        index(places.begin(), places.end()),
        in_blocks(keeps_blocks(places)) {}
  /// out [n] = the words of `in` at the indices; out is not in.
  void gather(const ConversionKernels& kernels, const std::uint64_t* in, std::uint64_t* out) const {
    if (in_blocks)
      kernels.gather_blocks(index.data(), in, out, index.size());
    else
      for (std::size_t i = 0; i < index.size(); ++i) out[i] = in[index[i]];
  }

  std::vector<std::uint32_t> index;
  bool in_blocks;  ///< what ConversionKernels::gather_blocks takes

 private:
  static bool keeps_blocks(std::span<const std::uint32_t> places) {
    for (std::size_t i = 0; i < places.size(); ++i)
      if (places[i] / kGatherBlock != places[i / kGatherBlock * kGatherBlock] / kGatherBlock) return false;
    return places.size() % kGatherBlock == 0;
  }
};

/// This machine's cores: threads, memory from a pool, transform tables shared between rings.
class CpuDevice final : public Device, public std::enable_shared_from_this<CpuDevice> {
 public:
  CpuDevice(unsigned threads, Target target);

  std::string name() const override { return "cpu"; }
  std::string description() const override;
  std::string memory_space() const override { return "host"; }
  /// The kernels of 26-bit halves keep their sums on the stack.
  StackDepth conversion_depth() const override {
    return target_ == Target::scalar || target_ == Target::avx512_ifma ? StackDepth::shallow
                                                                       : StackDepth::deep;
  }
  std::shared_ptr<const Queue> make_queue() const override;
  std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const override;
  using Device::make_step;
  std::shared_ptr<const StepTables> make_step(std::span<const RnsStep> chain, std::size_t n) const override;
  std::shared_ptr<const PermutationTables> make_permutation(
      std::span<const std::uint32_t> index) const override;
  std::string recipe_json(const RingTables& ring) const override;

  Target target() const { return target_; }
  const ThreadPool& pool() const { return pool_; }
  MemoryPool& memory() const { return *memory_; }

 private:
  std::shared_ptr<const NttPlan> shared_plan(const NttSpec& spec, std::size_t limb, unsigned word_bits) const;

  Target target_;
  ThreadPool pool_;
  std::shared_ptr<MemoryPool> memory_ = MemoryPool::create();

  using PlanKey = std::tuple<std::size_t, std::uint64_t, std::uint64_t, Order, unsigned>;  // as shared_plan's
  mutable ForkMutex plans_mutex_;
  mutable std::map<PlanKey, std::weak_ptr<const NttPlan>> plans_;
};

}  // namespace nttforge::cpu
