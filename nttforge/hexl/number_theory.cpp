// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/number_theory.hpp"

#include <string>
#include <utility>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"

namespace intel::hexl {

using Word = std::uint64_t;

Word ReverseBits(Word x, Word bit_width) {
  Word reversed = 0;
  for (Word i = 0; i < bit_width; ++i, x >>= 1) reversed = reversed << 1 | (x & 1);
  return reversed;
}

Word InverseMod(Word x, Word modulus) {
  // x * of_a = a and x * of_b = b modulo the modulus, while (a, b) runs through Euclid's algorithm.
  Word a = modulus == 0 ? 0 : x % modulus, b = modulus, of_a = 1, of_b = 0;
  while (a > 1) {
    const Word quotient = b / a;
    b -= quotient * a;
    of_b = SubUIntMod(of_b, nttforge::wide_mul_mod(quotient, of_a, modulus), modulus);
    std::swap(a, b);
    std::swap(of_a, of_b);
  }
  if (a == 0 && modulus != 1) {
    throw nttforge::ParameterError("x = " + std::to_string(x) + " has no inverse modulo " +
                                   std::to_string(modulus) + ": they have a common factor");
  }
  return modulus == 1 ? 0 : of_a;
}

Word MultiplyMod(Word x, Word y, Word modulus) { return nttforge::wide_mul_mod(x, y, modulus); }

Word MultiplyMod(Word x, Word y, Word y_precon, Word modulus) {
  const Word lazy = x * y - MultiplyUInt64Hi<64>(x, y_precon) * modulus;
  return lazy >= modulus ? lazy - modulus : lazy;
}

Word AddUIntMod(Word x, Word y, Word modulus) { return x >= modulus - y ? x - (modulus - y) : x + y; }

Word SubUIntMod(Word x, Word y, Word modulus) { return x >= y ? x - y : x + (modulus - y); }

Word PowMod(Word base, Word exp, Word modulus) { return nttforge::wide_pow_mod(base, exp, modulus); }

bool IsPrimitiveRoot(Word root, Word degree, Word modulus) {
  return root != 0 && PowMod(root, degree / 2, modulus) == modulus - 1;
}

Word GeneratePrimitiveRoot(Word degree, Word modulus) { return MinimalPrimitiveRoot(degree, modulus); }

Word MinimalPrimitiveRoot(Word degree, Word modulus) {
  return nttforge::smallest_root_of_unity(degree, modulus);
}

bool IsPrime(Word n) { return nttforge::is_prime(n); }

std::vector<Word> GeneratePrimes(std::size_t num_primes, std::size_t bit_size, bool prefer_small_primes,
                                 std::size_t ntt_size) {
  if (bit_size > 62 || !IsPowerOfTwo(ntt_size) || ntt_size >> bit_size != 0) {
    throw nttforge::ParameterError("bit_size = " + std::to_string(bit_size) +
                                   " and ntt_size = " + std::to_string(ntt_size) +
                                   ": need a power of two below 2^bit_size, and bit_size <= 62");
  }
  const Word low = Word{1} << bit_size, step = 2 * ntt_size;
  std::vector<Word> found;
  for (Word offset = 0; offset < low && found.size() < num_primes; offset += step) {
    const Word candidate = prefer_small_primes ? low + offset + 1 : 2 * low - offset - step + 1;
    if (IsPrime(candidate)) found.push_back(candidate);
  }
  if (found.size() < num_primes) {
    throw nttforge::ParameterError("num_primes = " + std::to_string(num_primes) + ": there are " +
                                   std::to_string(found.size()) + " primes q = 1 (mod " +
                                   std::to_string(step) + ") between 2^" + std::to_string(bit_size) +
                                   " and 2^" + std::to_string(bit_size + 1));
  }
  return found;
}

}  // namespace intel::hexl
