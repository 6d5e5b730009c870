// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/cpu/conversion/conversion_lanes_scalar.hpp"
#include "nttforge/cpu/lanes/lanes_scalar.hpp"
#include "nttforge/cpu/rows/row_ops_kernels.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

namespace nttforge::cpu {
namespace {

using Kernels64 =
    RowKernels<LanesScalar, Barrett64<LanesScalar>, ShoupFactor<LanesScalar>, SumsOf<ScalarLanes>>;

struct Goldilocks {
  explicit NTTF_INLINE Goldilocks(const RowModulus&) {}
  NTTF_INLINE std::uint64_t add(std::uint64_t a, std::uint64_t b) const { return goldilocks::add(a, b); }
  NTTF_INLINE std::uint64_t sub(std::uint64_t a, std::uint64_t b) const { return goldilocks::sub(a, b); }
  NTTF_INLINE std::uint64_t negate(std::uint64_t a) const { return goldilocks::negate(a); }
  NTTF_INLINE std::uint64_t mul(std::uint64_t a, std::uint64_t b) const { return goldilocks::mul(a, b); }
};

struct GoldilocksFactor {
  std::uint64_t scalar;
  NTTF_INLINE GoldilocksFactor(const RowModulus&, std::uint64_t value) : scalar(value) {}
  NTTF_INLINE std::uint64_t mul(std::uint64_t a) const { return goldilocks::mul(a, scalar); }
};

/// 32-bit words, held in 64 bits while computing: any q < 2^32, and products below 2^64 need a one-word
/// Barrett quotient.
struct Lanes32In64 {
  using Word = std::uint32_t;
  using Vec = std::uint64_t;
  static constexpr std::size_t kWidth = 1;
  static NTTF_INLINE Vec load(const Word* p) { return *p; }
  static NTTF_INLINE void store(Word* p, Vec v) { *p = static_cast<Word>(v); }
  static NTTF_INLINE Vec broadcast(Word v) { return v; }
};

struct Barrett32 : Additive<LanesScalar> {
  std::uint64_t mu;  // floor(2^64 / q)
  explicit NTTF_INLINE Barrett32(const RowModulus& m) : Additive<LanesScalar>(m), mu(m.ratio_high) {}
  /// The estimate is at most one too small for any 64-bit product (docs/bounds/barrett.md).
  NTTF_INLINE std::uint64_t mul(std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t x = a * b;
    return LanesScalar::reduce_once(x - LanesScalar::mul_hi(x, mu) * q, q);
  }
};

struct Barrett32Factor : Barrett32 {
  std::uint64_t scalar;
  NTTF_INLINE Barrett32Factor(const RowModulus& m, std::uint32_t value) : Barrett32(m), scalar(value) {}
  NTTF_INLINE std::uint64_t mul(std::uint64_t a) const { return Barrett32::mul(a, scalar); }
};

using Kernels32 = RowKernels<Lanes32In64, Barrett32, Barrett32Factor, SumsOf<ScalarLanes>>;

}  // namespace

constinit const RowOpsOfTarget kRowOpsScalar = {Kernels64::table(), Kernels64::table(), Kernels32::table(),
                                                Kernels32::table()};
constinit const RowOps kRowOpsGoldilocks =
    RowKernels<LanesScalar, Goldilocks, GoldilocksFactor, SumsGoldilocks>::table();

}  // namespace nttforge::cpu
