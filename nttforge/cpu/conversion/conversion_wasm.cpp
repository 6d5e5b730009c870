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

/// The narrow class: moduli and values below 2^50, products of halves of 26 bits, four words side by side.
/// Sums are reduced one at a time, as SIMD128 has neither products of 64 bits nor fused operations on
/// doubles.
struct LanesOfHalves : ConversionLanes<FourWords> {
  using L = LanesWasm;
  static constexpr std::size_t kVectors = 1;
  static constexpr std::size_t kOutputs = 1;
  static constexpr std::size_t kDigits = 2;
  static constexpr bool kPrepares = false;
  static constexpr unsigned kSumBits = 103;
  static constexpr unsigned kUpperBits = 52;
  using Vector = FourWords::Vec;
  struct Factor {
    v128_t low, high;
  };
  struct Sum {
    Vector low, middle, high;  ///< low + 2^26 middle + 2^52 high
  };
  using Constants = ScalarLanes::Constants;
  using Scale = ScalarLanes::Scale;

  static NTTF_INLINE Constants constants(const RowModulus& m) { return &m; }
  static NTTF_INLINE Scale scale(const ScaleRow& row) { return ScalarLanes::scale(row); }
  static NTTF_INLINE Sum start(const Vector& v) { return {v, broadcast(0), broadcast(0)}; }
  static NTTF_INLINE Factor factor(const Vector& v) {
    const v128_t low = wasm_i32x4_shuffle(v.low, v.high, 0, 2, 4, 6);
    const v128_t high = wasm_i32x4_shuffle(L::shift_right<26>(v.low), L::shift_right<26>(v.high), 0, 2, 4, 6);
    return {wasm_v128_and(low, wasm_u32x4_splat((1u << 26) - 1)), high};
  }
  static NTTF_INLINE Factor factor_of(std::uint64_t c) {
    return {wasm_u32x4_splat(static_cast<std::uint32_t>(c) & ((1u << 26) - 1)),
            wasm_u32x4_splat(static_cast<std::uint32_t>(c >> 26))};
  }
  static NTTF_INLINE void add_product(Sum& sum, const Factor& a, const Factor& b) {
    add_halves(sum.low, a.low, b.low);
    add_halves(sum.middle, a.low, b.high);
    add_halves(sum.middle, a.high, b.low);
    add_halves(sum.high, a.high, b.high);
  }
  static NTTF_INLINE Vector upper(const Sum& sum) {
    return {upper(sum.low.low, sum.middle.low, sum.high.low),
            upper(sum.low.high, sum.middle.high, sum.high.high)};
  }
  static NTTF_INLINE Vector reduce(const Sum& sum, Constants m) {
    return {reduce(sum.low.low, sum.middle.low, sum.high.low, m),
            reduce(sum.low.high, sum.middle.high, sum.high.high, m)};
  }
  static NTTF_INLINE Vector reduce_word(const Vector& x, Constants m) {
    return each(x, [m](std::uint64_t word) NTTF_LAMBDA_INLINE { return ScalarLanes::reduce_word(word, m); });
  }
  static NTTF_INLINE Vector multiply(const Vector& x, const Scale& s) {
    return each(x, [&](std::uint64_t word) NTTF_LAMBDA_INLINE { return ScalarLanes::multiply(word, s); });
  }

 private:
  static NTTF_INLINE void add_halves(Vector& sum, v128_t a, v128_t b) {
    sum.low = L::add(sum.low, wasm_u64x2_extmul_low_u32x4(a, b));
    sum.high = L::add(sum.high, wasm_u64x2_extmul_high_u32x4(a, b));
  }
  static NTTF_INLINE v128_t upper(v128_t low, v128_t middle, v128_t high) {
    return L::add(high, L::shift_right<26>(L::add(middle, L::shift_right<26>(low))));
  }
  static NTTF_INLINE v128_t reduce(v128_t low, v128_t middle, v128_t high, Constants m) {
    const v128_t above = L::add(middle, L::shift_right<26>(low));
    const v128_t a = L::add(high, L::shift_right<26>(above));
    const v128_t mask = wasm_u64x2_splat((1u << 26) - 1);
    const v128_t b = L::add(L::shift_left<26>(L::bit_and(above, mask)), L::bit_and(low, mask));
    return wasm_u64x2_make(reduced(first(a), first(b), m), reduced(second(a), second(b), m));
  }
  /// a 2^52 + b, a < 2^51 and b < 2^52.
  static __attribute__((noinline)) std::uint64_t reduced(std::uint64_t a, std::uint64_t b, Constants m) {
    return ScalarLanes::reduce((static_cast<u128>(a) << 52) + b, m);
  }
  template <class Body>
  static NTTF_INLINE Vector each(const Vector& x, const Body& body) {
    return {wasm_u64x2_make(body(first(x.low)), body(second(x.low))),
            wasm_u64x2_make(body(first(x.high)), body(second(x.high)))};
  }
  static NTTF_INLINE std::uint64_t first(v128_t v) {
    return static_cast<std::uint64_t>(wasm_i64x2_extract_lane(v, 0));
  }
  static NTTF_INLINE std::uint64_t second(v128_t v) {
    return static_cast<std::uint64_t>(wasm_i64x2_extract_lane(v, 1));
  }
};

/// Fractions have more bits than factors of this class: steps with fractions are of another one.
constexpr ConversionKernels short_kernels() {
  ConversionKernels kernels = kernels_of<Lanes32Bits>();
  kernels.fixed_point = nullptr;
  return kernels;
}

}  // namespace

const ConversionKernels kConversionWasm = kernels_of<LanesOfHalves>();
const ConversionKernels kConversionWasmShort = short_kernels();

}  // namespace nttforge::cpu
