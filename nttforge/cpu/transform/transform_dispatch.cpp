// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "nttforge/cpu/transform/kernel_lists.hpp"
#include "nttforge/ntt/kernels/dgt/dgt.hpp"

namespace nttforge {
namespace {

constexpr const cpu::KernelLists* kAllTransforms[] = {
    &cpu::kTransformKernelsScalar,
#if defined(__x86_64__)
    &cpu::kTransformKernelsAvx2,   &cpu::kTransformKernels32Avx2,
    &cpu::kTransformKernelsAvx512, &cpu::kTransformKernelsAvx512Ifma,
#elif defined(__aarch64__)
    &cpu::kTransformKernelsNeon,
#elif defined(__wasm__)
    &cpu::kTransformKernelsWasm,
#endif
};

#if defined(__wasm__)
constexpr std::span<const cpu::KernelLists* const> kAllDgts;  // no scheme has one, and pages load every byte
#else
constexpr const cpu::KernelLists* kAllDgts[] = {
    &cpu::kDgtKernelsScalar,
#if defined(__x86_64__)
    &cpu::kDgtKernelsAvx2,
    &cpu::kDgtKernelsAvx512,
    &cpu::kDgtKernelsAvx512Ifma,
#elif defined(__aarch64__)
    &cpu::kDgtKernelsNeon,
#endif
};
#endif

template <class Word, class Member>
std::vector<TransformKernel<Word>> join(std::span<const cpu::KernelLists* const> all, Member member) {
  std::vector<TransformKernel<Word>> joined;
  for (const cpu::KernelLists* lists : all) {
    const auto part = lists->*member;
    joined.insert(joined.end(), part.begin(), part.end());
  }
  return joined;
}

}  // namespace

template <>
std::span<const TransformKernel<std::uint64_t>> transform_kernels<std::uint64_t>() {
  static const auto kernels = join<std::uint64_t>(kAllTransforms, &cpu::KernelLists::kernels64);
  return kernels;
}

template <>
std::span<const TransformKernel<std::uint32_t>> transform_kernels<std::uint32_t>() {
  static const auto kernels = join<std::uint32_t>(kAllTransforms, &cpu::KernelLists::kernels32);
  return kernels;
}

template <>
std::span<const TransformKernel<std::uint64_t>> dgt_kernels<std::uint64_t>() {
  static const auto kernels = join<std::uint64_t>(kAllDgts, &cpu::KernelLists::kernels64);
  return kernels;
}

template <>
std::span<const TransformKernel<std::uint32_t>> dgt_kernels<std::uint32_t>() {
  static const auto kernels = join<std::uint32_t>(kAllDgts, &cpu::KernelLists::kernels32);
  return kernels;
}

}  // namespace nttforge
