// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/eltwise.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/word_ops.hpp"

namespace intel::hexl {
namespace {

using nttforge::WordOps;
using nttforge::WordRange;
using Word = std::uint64_t;

/// Chosen once: the environment is not read in each call.
const WordOps& ops() {
  static const WordOps& chosen = nttforge::word_ops(nttforge::active_target());
  return chosen;
}

void require_modulus(Word modulus, unsigned bits) {
  if (modulus < 2 || (bits < 64 && modulus >> bits != 0)) {
    throw nttforge::ParameterError("modulus = " + std::to_string(modulus) + ": need 2 <= modulus < 2^" +
                                   std::to_string(bits));
  }
}

void require_factor(Word factor, Word most) {
  if (factor == 0 || factor > most || (factor & (factor - 1)) != 0) {
    throw nttforge::ParameterError("input_mod_factor = " + std::to_string(factor) +
                                   ": need a power of two up to " + std::to_string(most));
  }
}

/// A comparison as a range of words, or as its complement.
struct Condition {
  WordRange range;
  bool inside;  ///< whether words in the range satisfy it
};

Condition condition_of(CMPINT cmp, Word bound) {
  constexpr Word kMost = ~Word{0};
  constexpr WordRange kAll{0, kMost};
  switch (cmp) {
    case CMPINT::EQ:
    case CMPINT::NE:
      return {{bound, 0}, cmp == CMPINT::EQ};
    case CMPINT::LT:
    case CMPINT::NLT:
      return bound == 0 ? Condition{kAll, cmp == CMPINT::NLT} : Condition{{0, bound - 1}, cmp == CMPINT::LT};
    case CMPINT::LE:
    case CMPINT::NLE:
      return {{0, bound}, cmp == CMPINT::LE};
    default:
      return {kAll, cmp == CMPINT::TRUE};
  }
}

}  // namespace

void EltwiseAddMod(Word* result, const Word* operand1, const Word* operand2, Word n, Word modulus) {
  require_modulus(modulus, 63);
  ops().add(modulus, operand1, operand2, result, n);
}

void EltwiseAddMod(Word* result, const Word* operand1, Word operand2, Word n, Word modulus) {
  require_modulus(modulus, 63);
  ops().add_scalar(modulus, operand1, operand2, result, n);
}

void EltwiseSubMod(Word* result, const Word* operand1, const Word* operand2, Word n, Word modulus) {
  require_modulus(modulus, 63);
  ops().sub(modulus, operand1, operand2, result, n);
}

void EltwiseSubMod(Word* result, const Word* operand1, Word operand2, Word n, Word modulus) {
  require_modulus(modulus, 63);
  ops().add_scalar(modulus, operand1, operand2 == 0 ? 0 : modulus - operand2, result, n);
}

void EltwiseMultMod(Word* result, const Word* operand1, const Word* operand2, Word n, Word modulus,
                    Word input_mod_factor) {
  require_modulus(modulus, 62);
  require_factor(input_mod_factor, 4);
  ops().multiply(modulus, static_cast<unsigned>(input_mod_factor), operand1, operand2, result, n);
}

void EltwiseFMAMod(Word* result, const Word* arg1, Word arg2, const Word* arg3, Word n, Word modulus,
                   Word input_mod_factor) {
  require_modulus(modulus, 61);
  require_factor(input_mod_factor, 8);
  ops().multiply_add(modulus, static_cast<unsigned>(input_mod_factor), arg1, arg2 % modulus, arg3, result, n);
}

void EltwiseReduceMod(Word* result, const Word* operand, Word n, Word modulus, Word input_mod_factor,
                      Word output_mod_factor) {
  require_modulus(modulus, 64);
  if (output_mod_factor != 1 && output_mod_factor != 2) {
    throw nttforge::ParameterError("output_mod_factor = " + std::to_string(output_mod_factor) +
                                   ": need 1 or 2");
  }
  const bool any = input_mod_factor == modulus;
  if (!any) require_factor(input_mod_factor, 4);
  if (!any && input_mod_factor <= output_mod_factor) {
    if (result != operand) std::copy(operand, operand + n, result);
    return;
  }
  if (any || modulus > ~Word{0} / input_mod_factor) {  // any words
    if (modulus >> 63 == 0) return ops().reduce(modulus, operand, result, n);
    std::transform(operand, operand + n, result, [modulus](Word x) { return x % modulus; });
    return;
  }
  const auto factor = static_cast<unsigned>(input_mod_factor / output_mod_factor);
  ops().take_off(modulus * output_mod_factor, factor, operand, result, n);
}

void EltwiseCmpAdd(Word* result, const Word* operand1, Word n, CMPINT cmp, Word bound, Word diff) {
  const auto [range, inside] = condition_of(cmp, bound);
  ops().add_where(range, inside ? diff : 0, inside ? 0 : diff, operand1, result, n);
}

void EltwiseCmpSubMod(Word* result, const Word* operand1, Word n, Word modulus, CMPINT cmp, Word bound,
                      Word diff) {
  require_modulus(modulus, 64);
  const auto [range, inside] = condition_of(cmp, bound);
  const Word less = diff % modulus;
  if (modulus >> 63 == 0) {
    ops().sub_where(modulus, range, inside ? less : 0, inside ? 0 : less, operand1, result, n);
    return;
  }
  std::transform(operand1, operand1 + n, result, [&, first = range.first, span = range.span](Word x) {
    const Word from = x % modulus, off = (x - first <= span) == inside ? less : 0;
    return from >= off ? from - off : from + (modulus - off);
  });
}

}  // namespace intel::hexl
