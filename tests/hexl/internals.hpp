// SPDX-License-Identifier: Apache-2.0
#pragma once

// What HEXL's tests use of HEXL besides its public headers, for tools/peers_hexl.py: internal functions by
// their names, each either the public function of nttforge/hexl_compat.hpp that is tested, or a plain
// definition to compare it with.
//   names with AVX512           tested
//   names with Native, Radix    tested; in tests of AVX-512, where they are what results are compared with,
//   definitions names with Reference        definitions
// Functions are static: every file of tests has its own.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "hexl/hexl.hpp"

#define HEXL_HAS_AVX512DQ
#define HEXL_HAS_AVX512IFMA

namespace intel {
namespace hexl {

using Word = std::uint64_t;
#ifdef NTTF_TESTS_OF_AVX512
constexpr bool kNativeIsTested = false;
#else
constexpr bool kNativeIsTested = true;
#endif
// Tests ask for these before they run; what runs here is chosen by NTTFORGE_TARGET.
constexpr bool has_avx512dq = true, has_avx512ifma = true, has_avx512vbmi2 = true;

[[maybe_unused]] static bool Compare(CMPINT cmp, Word x, Word bound) {
  const bool equal = x == bound, less = x < bound;
  switch (cmp) {
    case CMPINT::EQ:
    case CMPINT::NE:
      return equal == (cmp == CMPINT::EQ);
    case CMPINT::LT:
    case CMPINT::NLT:
      return less == (cmp == CMPINT::LT);
    case CMPINT::LE:
    case CMPINT::NLE:
      return (less || equal) == (cmp == CMPINT::LE);
    default:
      return cmp == CMPINT::TRUE;
  }
}

// Random inputs.

[[maybe_unused]] static std::mt19937_64& Engine() {
  static std::mt19937_64 engine{std::random_device{}()};
  return engine;
}
[[maybe_unused]] static Word GenerateInsecureUniformIntRandomValue(Word min_value, Word max_value) {
  return min_value + Engine()() % (max_value - min_value);
}
[[maybe_unused]] static double GenerateInsecureUniformRealRandomValue(double min_value, double max_value) {
  const double value = std::uniform_real_distribution<double>(min_value, max_value)(Engine());
  return value >= max_value ? min_value : value;
}
[[maybe_unused]] static AlignedVector64<Word> GenerateInsecureUniformIntRandomValues(Word size,
                                                                                     Word min_value,
                                                                                     Word max_value) {
  AlignedVector64<Word> values(size);
  for (Word& v : values) v = GenerateInsecureUniformIntRandomValue(min_value, max_value);
  return values;
}
[[maybe_unused]] static AlignedVector64<double> GenerateInsecureUniformRealRandomValues(Word size,
                                                                                        double min_value,
                                                                                        double max_value) {
  AlignedVector64<double> values(size);
  for (double& v : values) v = GenerateInsecureUniformRealRandomValue(min_value, max_value);
  return values;
}

// Element-wise functions: `Tested` calls the public one, `Defined` runs word by word.

template <class Tested, class Defined>
static void tested_or_defined(Word* result, Word n, const Tested& tested, const Defined& defined) {
  if (kNativeIsTested) return tested();
  std::vector<Word> out(n);
  for (Word i = 0; i < n; ++i) out[i] = defined(i);
  std::copy(out.begin(), out.end(), result);
}

template <class Second>
static Word second_at(const Second& second, Word i) {
  if constexpr (std::is_pointer_v<Second>) {
    return second[i];
  } else {
    return second;
  }
}

template <class Second>
static void EltwiseAddModNative(Word* r, const Word* a, Second b, Word n, Word q) {
  tested_or_defined(
      r, n, [&] { EltwiseAddMod(r, a, b, n, q); },
      [&](Word i) { return AddUIntMod(a[i], second_at(b, i), q); });
}
template <class Second>
static void EltwiseAddModAVX512(Word* r, const Word* a, Second b, Word n, Word q) {
  EltwiseAddMod(r, a, b, n, q);
}
template <class Second>
static void EltwiseSubModNative(Word* r, const Word* a, Second b, Word n, Word q) {
  tested_or_defined(
      r, n, [&] { EltwiseSubMod(r, a, b, n, q); },
      [&](Word i) { return SubUIntMod(a[i], second_at(b, i), q); });
}
template <class Second>
static void EltwiseSubModAVX512(Word* r, const Word* a, Second b, Word n, Word q) {
  EltwiseSubMod(r, a, b, n, q);
}

template <int factor>
static void EltwiseMultModNative(Word* r, const Word* a, const Word* b, Word n, Word q) {
  tested_or_defined(
      r, n, [&] { EltwiseMultMod(r, a, b, n, q, factor); },
      [&](Word i) { return MultiplyMod(a[i] % q, b[i] % q, q); });
}
template <int factor>
static void EltwiseMultModAVX512Float(Word* r, const Word* a, const Word* b, Word n, Word q) {
  EltwiseMultMod(r, a, b, n, q, factor);
}
template <int factor>
static void EltwiseMultModAVX512DQInt(Word* r, const Word* a, const Word* b, Word n, Word q) {
  EltwiseMultMod(r, a, b, n, q, factor);
}
template <int factor>
static void EltwiseMultModAVX512IFMAInt(Word* r, const Word* a, const Word* b, Word n, Word q) {
  EltwiseMultMod(r, a, b, n, q, factor);
}

template <int factor>
static void EltwiseFMAModNative(Word* r, const Word* a, Word s, const Word* c, Word n, Word q) {
  tested_or_defined(
      r, n, [&] { EltwiseFMAMod(r, a, s, c, n, q, factor); },
      [&](Word i) { return AddUIntMod(MultiplyMod(a[i] % q, s % q, q), c == nullptr ? 0 : c[i] % q, q); });
}
template <int bit_shift, int factor>
static void EltwiseFMAModAVX512(Word* r, const Word* a, Word s, const Word* c, Word n, Word q) {
  EltwiseFMAMod(r, a, s, c, n, q, factor);
}

[[maybe_unused]] static void EltwiseReduceModNative(Word* r, const Word* a, Word n, Word q, Word in,
                                                    Word out) {
  tested_or_defined(
      r, n, [&] { EltwiseReduceMod(r, a, n, q, in, out); },
      [&](Word i) { return a[i] % (in == q ? q : out * q); });
}
template <int bit_shift = 64>
static void EltwiseReduceModAVX512(Word* r, const Word* a, Word n, Word q, Word in, Word out) {
  EltwiseReduceMod(r, a, n, q, in, out);
}

[[maybe_unused]] static void EltwiseCmpAddNative(Word* r, const Word* a, Word n, CMPINT cmp, Word bound,
                                                 Word diff) {
  tested_or_defined(
      r, n, [&] { EltwiseCmpAdd(r, a, n, cmp, bound, diff); },
      [&](Word i) { return Compare(cmp, a[i], bound) ? a[i] + diff : a[i]; });
}
[[maybe_unused]] static void EltwiseCmpAddAVX512(Word* r, const Word* a, Word n, CMPINT cmp, Word bound,
                                                 Word diff) {
  EltwiseCmpAdd(r, a, n, cmp, bound, diff);
}
[[maybe_unused]] static void EltwiseCmpSubModNative(Word* r, const Word* a, Word n, Word q, CMPINT cmp,
                                                    Word bound, Word diff) {
  tested_or_defined(
      r, n, [&] { EltwiseCmpSubMod(r, a, n, q, cmp, bound, diff); },
      [&](Word i) { return SubUIntMod(a[i] % q, Compare(cmp, a[i], bound) ? diff : 0, q); });
}
template <int bit_shift = 64>
static void EltwiseCmpSubModAVX512(Word* r, const Word* a, Word n, Word q, CMPINT cmp, Word bound,
                                   Word diff) {
  EltwiseCmpSubMod(r, a, n, q, cmp, bound, diff);
}

// Transforms. Tests hand over tables of powers, of which the first power of the root is taken here.

/// In place by the definition: x_k = sum of a_j w^(j (2k+1)), written at the bit reversal of k; and back.
/// Stages of the textbook, natural to bit-reversed order; stage m multiplies group j by the power at m + j.
[[maybe_unused]] static void ReferenceForwardTransformToBitReverse(Word* x, Word n, Word q,
                                                                   const Word* powers) {
  for (Word m = 1, half = n / 2; m < n; m *= 2, half /= 2) {
    for (Word i = 0; i < n; ++i) {
      if (i / half % 2 != 0) continue;
      const Word product = MultiplyMod(x[i + half], powers[m + i / (2 * half)], q);
      x[i + half] = SubUIntMod(x[i], product, q);
      x[i] = AddUIntMod(x[i], product, q);
    }
  }
}
[[maybe_unused]] static void ReferenceInverseTransformFromBitReverse(Word* x, Word n, Word q,
                                                                     const Word* inverses) {
  Word next = 1;
  for (Word groups = n / 2, half = 1; groups > 0; groups /= 2, half *= 2) {
    for (Word i = 0; i < n; ++i) {
      if (i / half % 2 != 0) continue;
      const Word difference = SubUIntMod(x[i], x[i + half], q);
      x[i] = AddUIntMod(x[i], x[i + half], q);
      x[i + half] = MultiplyMod(difference, inverses[next + i / (2 * half)], q);
    }
    next += groups;
  }
  const Word scale = InverseMod(n, q);
  for (Word i = 0; i < n; ++i) x[i] = MultiplyMod(x[i], scale, q);
}

static const NTT& transform_of(Word n, Word q, Word root) {
  static std::map<std::pair<std::pair<Word, Word>, Word>, NTT> made;
  const auto key = std::make_pair(std::make_pair(n, q), root);
  const auto there = made.find(key);
  return there != made.end() ? there->second : made.emplace(key, NTT(n, q, root)).first->second;
}

[[maybe_unused]] static void forward_here(Word* r, const Word* a, Word n, Word q, const Word* powers, Word in,
                                          Word out) {
  if (kNativeIsTested) return transform_of(n, q, powers[n / 2]).ComputeForward(r, a, in, out);
  for (Word i = 0; i < n; ++i) r[i] = a[i] % q;
  ReferenceForwardTransformToBitReverse(r, n, q, powers);
}
[[maybe_unused]] static void inverse_here(Word* r, const Word* a, Word n, Word q, const Word* inverses,
                                          Word in, Word out) {
  if (kNativeIsTested) return transform_of(n, q, InverseMod(inverses[1], q)).ComputeInverse(r, a, in, out);
  for (Word i = 0; i < n; ++i) r[i] = a[i] % q;
  ReferenceInverseTransformFromBitReverse(r, n, q, inverses);
}
[[maybe_unused]] static void ForwardTransformToBitReverseRadix2(Word* r, const Word* a, Word n, Word q,
                                                                const Word* powers, const Word*, Word in = 1,
                                                                Word out = 1) {
  forward_here(r, a, n, q, powers, in, out);
}
[[maybe_unused]] static void ForwardTransformToBitReverseRadix4(Word* r, const Word* a, Word n, Word q,
                                                                const Word* powers, const Word*, Word in = 1,
                                                                Word out = 1) {
  forward_here(r, a, n, q, powers, in, out);
}
[[maybe_unused]] static void InverseTransformFromBitReverseRadix2(Word* r, const Word* a, Word n, Word q,
                                                                  const Word* inverses, const Word*,
                                                                  Word in = 1, Word out = 1) {
  inverse_here(r, a, n, q, inverses, in, out);
}
[[maybe_unused]] static void InverseTransformFromBitReverseRadix4(Word* r, const Word* a, Word n, Word q,
                                                                  const Word* inverses, const Word*,
                                                                  Word in = 1, Word out = 1) {
  inverse_here(r, a, n, q, inverses, in, out);
}
/// The table has the first power behind n/8 entries and two blocks of n/2 that repeat theirs.
template <int bit_shift>
static void ForwardTransformToBitReverseAVX512(Word* r, const Word* a, Word n, Word q, const Word* repeated,
                                               const Word*, Word in, Word out) {
  transform_of(n, q, repeated[n / 8 * 9]).ComputeForward(r, a, in, out);
}
template <int bit_shift>
static void InverseTransformFromBitReverseAVX512(Word* r, const Word* a, Word n, Word q, const Word* inverses,
                                                 const Word*, Word in, Word out) {
  transform_of(n, q, InverseMod(inverses[1], q)).ComputeInverse(r, a, in, out);
}

}  // namespace hexl
}  // namespace intel
