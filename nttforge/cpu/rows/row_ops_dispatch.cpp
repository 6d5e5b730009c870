// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/cpu/rows/row_ops_tables.hpp"

namespace nttforge {
namespace {

const cpu::RowOpsOfTarget& tables(Target target) {
  require_target(target);
#if defined(__x86_64__)
  if (target == Target::avx2) return cpu::kRowOpsAvx2;
  if (target == Target::avx512) return cpu::kRowOpsAvx512;
  if (target == Target::avx512_ifma) return cpu::kRowOpsAvx512Ifma;
#elif defined(__aarch64__)
  if (target == Target::neon) return cpu::kRowOpsNeon;
#endif
  return cpu::kRowOpsScalar;
}

}  // namespace

const RowOps& row_ops(Target target, std::uint64_t q) {
  const cpu::RowOpsOfTarget& all = tables(target);
#if defined(__wasm__)  // schemes have no other primes
  if (q >> 30 == 0 && target == Target::wasm) return cpu::kRowOpsWasmShort;
#else
  if (q == kGoldilocks) return cpu::kRowOpsGoldilocks;
#endif
  static_cast<void>(Modulus(q));  // checks the range
  return q >> 50 == 0 ? all.below_2_50 : all.below_2_62;
}

const RowOps32& row_ops32(Target target, std::uint64_t q) {
  const cpu::RowOpsOfTarget& all = tables(target);
  if (q < 2 || q >> 32 != 0)
    throw ParameterError("q = " + std::to_string(q) +
                         " does not fit 32-bit words: need 2 <= q < 2^32; use 64-bit words");
#if defined(__wasm__)
  if (q >> 30 == 0 && target == Target::wasm) return cpu::kRowOps32WasmShort;
#endif
  return q >> 30 == 0 ? all.below_2_30 : all.below_2_32;
}

}  // namespace nttforge
