// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "nttforge/cpu/transform/transform_rows.hpp"
#include "nttforge/ntt/kernels/dgt/dgt.hpp"

namespace nttforge {
namespace {

constexpr const cpu::TransformRows* kAllRows[] = {
    &cpu::kTransformRowsScalar,
#if defined(__x86_64__)
    &cpu::kTransformRowsAvx2,   &cpu::kTransformRows32Avx2,
    &cpu::kTransformRowsAvx512, &cpu::kTransformRowsAvx512Ifma,
#endif
};

constexpr const cpu::TransformRows* kAllDgtRows[] = {
    &cpu::kDgtRowsScalar,
#if defined(__x86_64__)
    &cpu::kDgtRowsAvx2,
    &cpu::kDgtRowsAvx512,
    &cpu::kDgtRowsAvx512Ifma,
#endif
};

template <class Word, class Member>
std::vector<KernelRow<Word>> join(std::span<const cpu::TransformRows* const> all, Member member) {
  std::vector<KernelRow<Word>> joined;
  for (const cpu::TransformRows* rows : all) {
    const auto part = rows->*member;
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

}  // namespace

template <>
std::span<const KernelRow<std::uint64_t>> kernel_rows<std::uint64_t>() {
  static const auto rows = join<std::uint64_t>(kAllRows, &cpu::TransformRows::rows64);
  return rows;
}

template <>
std::span<const KernelRow<std::uint32_t>> kernel_rows<std::uint32_t>() {
  static const auto rows = join<std::uint32_t>(kAllRows, &cpu::TransformRows::rows32);
  return rows;
}

template <>
std::span<const KernelRow<std::uint64_t>> dgt_rows<std::uint64_t>() {
  static const auto rows = join<std::uint64_t>(kAllDgtRows, &cpu::TransformRows::rows64);
  return rows;
}

template <>
std::span<const KernelRow<std::uint32_t>> dgt_rows<std::uint32_t>() {
  static const auto rows = join<std::uint32_t>(kAllDgtRows, &cpu::TransformRows::rows32);
  return rows;
}

}  // namespace nttforge
