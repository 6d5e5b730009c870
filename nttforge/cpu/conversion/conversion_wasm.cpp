// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/conversion_lanes_common.hpp"
#include "nttforge/cpu/conversion/conversion_rows.hpp"
#include "nttforge/cpu/conversion/conversion_tables.hpp"
#include "nttforge/cpu/lanes/sums_wasm.hpp"

namespace nttforge::cpu {
namespace {

/// The short class: moduli below 2^30, values below 2^32, sums of products below 2^64.
struct Lanes32Bits : ConversionLanes<FourWords> {
  static constexpr std::size_t kVectors = 2;
  static constexpr std::size_t kOutputs = 2;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = false;
  static constexpr unsigned kSumBits = 64;
  static constexpr unsigned kUpperBits = 32;
  using Vector = FourWords::Vec;
  using Factor = SumsWasm::Factor;
  using Sum = SumsWasm::Sum;
  using Constants = SumsWasm::Constants;
  struct Scale {
    Factor w, quotient, q;
  };

  static NTTF_INLINE Constants constants(const RowModulus& m) { return SumsWasm::constants(m); }
  // floor(floor(w 2^64 / q) / 2^32) = floor(w 2^32 / q)
  static NTTF_INLINE Scale scale(const ScaleRow& row) {
    return {factor_of(row.w.value), factor_of(row.w.quotient >> 32), factor_of(row.modulus.q)};
  }
  static NTTF_INLINE Sum start(const Vector& v) { return {v.low, v.high}; }
  static NTTF_INLINE Factor factor(const Vector& v) { return wasm_i32x4_shuffle(v.low, v.high, 0, 2, 4, 6); }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) {
    return Lanes32Wasm::broadcast(static_cast<std::uint32_t>(c));
  }
  static NTTF_INLINE void add_product(Sum& sum, Factor a, Factor b) { SumsWasm::add_product(sum, a, b); }
  static NTTF_INLINE Vector upper(const Sum& sum) {
    return {LanesWasm::shift_right<32>(sum.low), LanesWasm::shift_right<32>(sum.high)};
  }
  static NTTF_INLINE Vector reduce(const Sum& sum, const Constants& m) {
    return wide(SumsWasm::reduce(sum, m));
  }
  static NTTF_INLINE Vector reduce_word(const Vector& x, const Constants& m) { return reduce(start(x), m); }
  /// Shoup's estimate with 32 bits.
  static NTTF_INLINE Vector multiply(const Vector& x, const Scale& s) {
    using L = Lanes32Wasm;
    const Factor y = factor(x), estimate = L::mul_hi(y, s.quotient);
    return wide(L::reduce_once(L::sub(L::mul_lo(y, s.w), L::mul_lo(estimate, s.q)), s.q));
  }

 private:
  static NTTF_INLINE Vector wide(Factor v) {
    return {wasm_u64x2_extend_low_u32x4(v), wasm_u64x2_extend_high_u32x4(v)};
  }
};

/// Fractions have more bits than factors of this class: steps with fractions are of another one.
constexpr ConversionKernels short_kernels() {
  ConversionKernels kernels = kernels_of<Lanes32Bits>();
  kernels.fixed_point = nullptr;
  return kernels;
}

}  // namespace

const ConversionKernels kConversionWasm = short_kernels();

}  // namespace nttforge::cpu
