// Transform kernels of the scalar target: every modulus, every n. The reference the vector targets are
// compared with.

#include "nttforge/cpu/lanes_scalar.hpp"
#include "nttforge/cpu/transform_rows.hpp"
#include "nttforge/ntt/goldilocks_product.hpp"
#include "nttforge/ntt/stage_loops.hpp"

namespace nttforge::cpu {
namespace {

/// 32-bit words in memory, 64-bit values in registers, so that q may be anything below 2^32.
struct LanesWide32 : LanesScalar {
  using Word = std::uint32_t;
  static NTTF_INLINE Vec load(const Word* p) { return *p; }
  static NTTF_INLINE void store(Word* p, Vec v) { *p = static_cast<Word>(v); }
  static NTTF_INLINE Vec mul_hi(Vec a, Vec b) { return (a * b) >> 32; }
};

template <unsigned radix_log>
using ScalarShape = Shape<radix_log, 1, 1, 2, 13>;
using Shoup64 = LazyButterfly<ShoupProduct<LanesScalar>>;
using Shoup32 = StrictButterfly<StrictShoupProduct<LanesWide32>>;
using Goldilocks = StrictButterfly<GoldilocksProduct<LanesScalar>>;

template <class Butterfly, unsigned radix_log>
constexpr KernelRow<typename Butterfly::Word> row(Arithmetic arithmetic, unsigned quotient_bits,
                                                  std::uint64_t q_limit, double butterfly_ns) {
  using Loops = StageLoops<Butterfly, ScalarShape<radix_log>>;
  return {Target::scalar,
          arithmetic,
          1u << radix_log,
          Loops::kMinLogN,
          q_limit,
          butterfly_ns,
          {0, radix_log, quotient_bits},
          Loops::forward,
          Loops::inverse};
}

constinit const KernelRow<std::uint64_t> kRows64[] = {
    row<Shoup64, 2>(Arithmetic::shoup64, 64, std::uint64_t{1} << 62, 0.60),
    row<Shoup64, 1>(Arithmetic::shoup64, 64, std::uint64_t{1} << 62, 0.70),
    row<Goldilocks, 2>(Arithmetic::goldilocks, 0, 0, 1.00),
    row<Goldilocks, 1>(Arithmetic::goldilocks, 0, 0, 1.10),
};
constinit const KernelRow<std::uint32_t> kRows32[] = {
    row<Shoup32, 2>(Arithmetic::shoup32, 32, std::uint64_t{1} << 32, 0.60),
    row<Shoup32, 1>(Arithmetic::shoup32, 32, std::uint64_t{1} << 32, 0.70),
};

}  // namespace

constinit const TransformRows kTransformRowsScalar{kRows64, kRows32};

}  // namespace nttforge::cpu
