// SPDX-License-Identifier: Apache-2.0
#pragma once

// Arithmetic on single words, primes and roots of unity. Operands of sums and products modulo a number lie
// below it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "nttforge/hexl/macros.hpp"

namespace intel {
namespace hexl {

/// x y, whole; the second form gives its upper and lower word.
inline uint128_t MultiplyUInt64(std::uint64_t x, std::uint64_t y) { return static_cast<uint128_t>(x) * y; }
inline void MultiplyUInt64(std::uint64_t x, std::uint64_t y, std::uint64_t* prod_hi, std::uint64_t* prod_lo) {
  const uint128_t product = MultiplyUInt64(x, y);
  *prod_hi = static_cast<std::uint64_t>(product >> 64);
  *prod_lo = static_cast<std::uint64_t>(product);
}
/// floor(x y / 2^BitShift) modulo 2^64.
template <int BitShift>
inline std::uint64_t MultiplyUInt64Hi(std::uint64_t x, std::uint64_t y) {
  return static_cast<std::uint64_t>(MultiplyUInt64(x, y) >> BitShift);
}
/// The sum modulo 2^64, and the carry.
inline unsigned char AddUInt64(std::uint64_t operand1, std::uint64_t operand2, std::uint64_t* result) {
  *result = operand1 + operand2;
  return *result < operand1 ? 1 : 0;
}
/// (input_hi 2^64 + input_lo) mod modulus.
inline std::uint64_t BarrettReduce128(std::uint64_t input_hi, std::uint64_t input_lo, std::uint64_t modulus) {
  HEXL_CHECK(modulus != 0, "modulus is 0");
  return static_cast<std::uint64_t>((static_cast<uint128_t>(input_hi) << 64 | input_lo) % modulus);
}
/// The lower word of (x1 2^64 + x0) / y.
inline std::uint64_t DivideUInt128UInt64Lo(std::uint64_t x1, std::uint64_t x0, std::uint64_t y) {
  return static_cast<std::uint64_t>((static_cast<uint128_t>(x1) << 64 | x0) / y);
}

/// Whether exactly one bit is set.
inline bool IsPowerOfTwo(std::uint64_t num) { return num != 0 && (num & (num - 1)) == 0; }
/// The place of the highest bit that is set, 0 ... 63; input > 0.
inline std::uint64_t MSB(std::uint64_t input) {
  return 63u - static_cast<std::uint64_t>(__builtin_clzll(input | 1));
}
/// floor(log2(x)), x > 0.
inline std::uint64_t Log2(std::uint64_t x) { return MSB(x); }
inline bool IsPowerOfFour(std::uint64_t num) { return IsPowerOfTwo(num) && Log2(num) % 2 == 0; }
/// 2^bits - 1, bits <= 64.
inline std::uint64_t MaximumValue(std::uint64_t bits) {
  HEXL_CHECK(bits <= 64, "bits = " << bits << " is more than 64");
  return bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// A factor with floor(factor 2^bit_shift / modulus), bit_shift 32, 52 or 64; factor <= modulus.
class MultiplyFactor {
 public:
  MultiplyFactor() = default;
  MultiplyFactor(std::uint64_t operand, std::uint64_t bit_shift, std::uint64_t modulus) : operand_(operand) {
    HEXL_CHECK(operand <= modulus, "operand = " << operand << " exceeds the modulus, " << modulus);
    HEXL_CHECK(bit_shift == 32 || bit_shift == 52 || bit_shift == 64, "bit_shift = " << bit_shift);
    quotient_ = static_cast<std::uint64_t>((static_cast<uint128_t>(operand) << bit_shift) / modulus);
  }
  std::uint64_t BarrettFactor() const { return quotient_; }
  std::uint64_t Operand() const { return operand_; }

 private:
  std::uint64_t operand_ = 0, quotient_ = 0;
};

/// x with its lower bit_width bits in the opposite order; x < 2^bit_width.
std::uint64_t ReverseBits(std::uint64_t x, std::uint64_t bit_width);
/// x^-1; throws nttforge::ParameterError if x and the modulus have a common factor.
std::uint64_t InverseMod(std::uint64_t x, std::uint64_t modulus);
std::uint64_t MultiplyMod(std::uint64_t x, std::uint64_t y, std::uint64_t modulus);
/// The same with y_precon = floor(y 2^64 / modulus).
std::uint64_t MultiplyMod(std::uint64_t x, std::uint64_t y, std::uint64_t y_precon, std::uint64_t modulus);
std::uint64_t AddUIntMod(std::uint64_t x, std::uint64_t y, std::uint64_t modulus);
std::uint64_t SubUIntMod(std::uint64_t x, std::uint64_t y, std::uint64_t modulus);
std::uint64_t PowMod(std::uint64_t base, std::uint64_t exp, std::uint64_t modulus);
/// Whether root has the order `degree`, a power of two, modulo a prime.
bool IsPrimitiveRoot(std::uint64_t root, std::uint64_t degree, std::uint64_t modulus);
/// An element of that order, and the smallest one; throw nttforge::ParameterError if there is none.
std::uint64_t GeneratePrimitiveRoot(std::uint64_t degree, std::uint64_t modulus);
std::uint64_t MinimalPrimitiveRoot(std::uint64_t degree, std::uint64_t modulus);
bool IsPrime(std::uint64_t n);
/// The first primes q between 2^bit_size and 2^(bit_size + 1) with q = 1 (mod 2 ntt_size), the smallest ones
/// upwards or the largest downwards. ntt_size: a power of two below 2^bit_size; bit_size <= 62. throws
/// nttforge::ParameterError if there are fewer.
std::vector<std::uint64_t> GeneratePrimes(std::size_t num_primes, std::size_t bit_size,
                                          bool prefer_small_primes, std::size_t ntt_size = 1);

/// x y mod modulus or that plus the modulus, with floor(y 2^BitShift / modulus); x < 2^BitShift.
template <int BitShift>
inline std::uint64_t MultiplyModLazy(std::uint64_t x, std::uint64_t y_operand, std::uint64_t y_barrett_factor,
                                     std::uint64_t modulus) {
  HEXL_CHECK(y_operand < modulus, "y = " << y_operand << " is not below the modulus, " << modulus);
  HEXL_CHECK(modulus <= MaximumValue(BitShift), "modulus = " << modulus << " has more than BitShift bits");
  HEXL_CHECK(x <= MaximumValue(BitShift), "x = " << x << " has more than BitShift bits");
  return y_operand * x - MultiplyUInt64Hi<BitShift>(x, y_barrett_factor) * modulus;
}
template <int BitShift>
inline std::uint64_t MultiplyModLazy(std::uint64_t x, std::uint64_t y, std::uint64_t modulus) {
  static_assert(BitShift == 64 || BitShift == 52, "BitShift must be 52 or 64");
  return MultiplyModLazy<BitShift>(x, y, MultiplyFactor(y, BitShift, modulus).BarrettFactor(), modulus);
}

/// input mod modulus, with q_barr = floor(2^64 / modulus); OutputModFactor 2: or that plus the modulus.
template <int OutputModFactor = 1>
std::uint64_t BarrettReduce64(std::uint64_t input, std::uint64_t modulus, std::uint64_t q_barr) {
  HEXL_CHECK(modulus != 0, "modulus is 0");
  const std::uint64_t lazy = input - MultiplyUInt64Hi<64>(input, q_barr) * modulus;
  return OutputModFactor == 1 && lazy >= modulus ? lazy - modulus : lazy;
}

/// x mod modulus for x in [0, InputModFactor modulus), InputModFactor 1, 2, 4 or 8; the pointers are not
/// read.
template <int InputModFactor>
std::uint64_t ReduceMod(std::uint64_t x, std::uint64_t modulus,
                        [[maybe_unused]] const std::uint64_t* twice_modulus = nullptr,
                        [[maybe_unused]] const std::uint64_t* four_times_modulus = nullptr) {
  static_assert(InputModFactor == 1 || InputModFactor == 2 || InputModFactor == 4 || InputModFactor == 8,
                "InputModFactor must be 1, 2, 4 or 8");
  HEXL_CHECK(InputModFactor < 4 || twice_modulus != nullptr, "twice_modulus is null");
  HEXL_CHECK(InputModFactor < 8 || four_times_modulus != nullptr, "four_times_modulus is null");
  for (std::uint64_t times = InputModFactor / 2; times != 0; times /= 2) {
    if (x >= times * modulus) x -= times * modulus;
  }
  return x;
}

/// T 2^-r mod q with T = T_hi 2^BitShift + T_lo < 2^r q, q odd and below 2^r, inv_mod = -q^-1 mod 2^r and
/// mod_R_msk = 2^r - 1 (Montgomery's reduction).
template <int BitShift>
inline std::uint64_t MontgomeryReduce(std::uint64_t T_hi, std::uint64_t T_lo, std::uint64_t q, int r,
                                      std::uint64_t mod_R_msk, std::uint64_t inv_mod) {
  static_assert(BitShift == 64 || BitShift == 52, "BitShift must be 52 or 64");
  HEXL_CHECK((std::uint64_t{1} << r) > q, "q = " << q << " is not below 2^r");
  const uint128_t t = (static_cast<uint128_t>(T_hi) << BitShift) + T_lo;
  const std::uint64_t m = ((T_lo & mod_R_msk) * inv_mod) & mod_R_msk;
  const auto sum = static_cast<std::uint64_t>((t + MultiplyUInt64(m, q)) >> r);
  return sum >= q ? sum - q : sum;
}

/// The x in [0, 2^r) with q x = -1 (mod 2^r); q odd, r <= 64. Each step doubles the bits of q^-1 that are
/// right.
inline std::uint64_t HenselLemma2adicRoot(std::uint32_t r, std::uint64_t q) {
  std::uint64_t inverse = q;
  for (int step = 0; step < 5; ++step) inverse *= 2 - q * inverse;
  return (0 - inverse) & MaximumValue(r);
}

}  // namespace hexl
}  // namespace intel
