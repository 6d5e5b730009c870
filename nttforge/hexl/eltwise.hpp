// SPDX-License-Identifier: Apache-2.0
#pragma once

// Element-wise operations modulo any number, prime or not, on arrays of n words. `result` may be an operand;
// any alignment; n may be 0. Residues are trusted; moduli and factors are checked: they throw
// nttforge::ParameterError (a std::runtime_error) outside the ranges said here.

#include <cstdint>

namespace intel {
namespace hexl {

/// Comparisons of unsigned words; the N... are the negations.
enum class CMPINT { EQ = 0, LT = 1, LE = 2, FALSE = 3, NE = 4, NLT = 5, NLE = 6, TRUE = 7 };

/// The opposite comparison.
inline CMPINT Not(CMPINT cmp) { return static_cast<CMPINT>(static_cast<unsigned>(cmp) ^ 4u); }

/// result = operand1 + operand2 modulo modulus; operands in [0, modulus), modulus in [2, 2^63).
void EltwiseAddMod(std::uint64_t* result, const std::uint64_t* operand1, const std::uint64_t* operand2,
                   std::uint64_t n, std::uint64_t modulus);
void EltwiseAddMod(std::uint64_t* result, const std::uint64_t* operand1, std::uint64_t operand2,
                   std::uint64_t n, std::uint64_t modulus);

/// result = operand1 - operand2, likewise.
void EltwiseSubMod(std::uint64_t* result, const std::uint64_t* operand1, const std::uint64_t* operand2,
                   std::uint64_t n, std::uint64_t modulus);
void EltwiseSubMod(std::uint64_t* result, const std::uint64_t* operand1, std::uint64_t operand2,
                   std::uint64_t n, std::uint64_t modulus);

/// result = operand1 * operand2 modulo modulus, fully reduced; operands in [0, input_mod_factor modulus),
/// input_mod_factor 1, 2 or 4, modulus in [2, 2^62).
void EltwiseMultMod(std::uint64_t* result, const std::uint64_t* operand1, const std::uint64_t* operand2,
                    std::uint64_t n, std::uint64_t modulus, std::uint64_t input_mod_factor);

/// result = arg1 * arg2 + arg3 modulo modulus, fully reduced; without arg3 if that is null. All in
/// [0, input_mod_factor modulus), input_mod_factor 1, 2, 4 or 8, modulus in [2, 2^61).
void EltwiseFMAMod(std::uint64_t* result, const std::uint64_t* arg1, std::uint64_t arg2,
                   const std::uint64_t* arg3, std::uint64_t n, std::uint64_t modulus,
                   std::uint64_t input_mod_factor);

/// result = operand modulo modulus, in [0, output_mod_factor modulus), output_mod_factor 1 or 2; any modulus
/// >= 2. input_mod_factor  2 or 4 with operands in [0, input_mod_factor modulus), or the modulus itself: any
/// words. As output_mod_factor: a copy.
void EltwiseReduceMod(std::uint64_t* result, const std::uint64_t* operand, std::uint64_t n,
                      std::uint64_t modulus, std::uint64_t input_mod_factor, std::uint64_t output_mod_factor);

/// result = operand1 + diff modulo 2^64 where operand1 compares so with bound, else operand1; any words.
void EltwiseCmpAdd(std::uint64_t* result, const std::uint64_t* operand1, std::uint64_t n, CMPINT cmp,
                   std::uint64_t bound, std::uint64_t diff);

/// result = operand1 - diff modulo modulus where operand1 compares so with bound, else operand1 modulo
/// modulus; any words, any modulus >= 2.
void EltwiseCmpSubMod(std::uint64_t* result, const std::uint64_t* operand1, std::uint64_t n,
                      std::uint64_t modulus, CMPINT cmp, std::uint64_t bound, std::uint64_t diff);

}  // namespace hexl
}  // namespace intel
