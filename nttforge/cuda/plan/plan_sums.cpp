// SPDX-License-Identifier: Apache-2.0
// Inverse transforms of sums of products, fused where every limb's row can.
#include <algorithm>

#include "nttforge/cuda/plan/plan_impl.hpp"

namespace nttforge::cuda {

template <class Word>
bool CudaNttPlan::Impl::inverse_of_sums(const ProductSums<Word>& sums, std::span<Word> out,
                                        CudaStream stream) const {
  const auto& runs = tables<Word>().runs();
  const bool possible =
      !runs.empty() && has_kernel_orders<Word>() &&
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.row->has_sums; });
  if (!possible || out.empty()) return out.empty();
  const CudaCall entered(runtime, device);
  for (const LimbRun<Word>& limbs : runs) {
    const CudaKernelRow<Word>& row = *limbs.row;
    CudaSumsLaunch<Word> launch{launch_of<Word>(limbs, nullptr, out.data(), out.size()), sums};
    runtime.launch(device, "starting an inverse transform of products", [&] {
      if (device >= 0) return row.inverse_sums(launch, stream);
      row.inverse_sums_on_host(launch);
      return 0;
    });
    if (row.launches == 1) continue;
    launch.call.in = out.data();
    launch.call.part = PassPart::before_last;
    enqueue_row<true>(row, launch.call, stream);
  }
  return true;
}

bool CudaNttPlan::inverse_of_sums(const ProductSums<std::uint64_t>& sums, std::span<std::uint64_t> out,
                                  CudaStream stream) const {
  return impl_->inverse_of_sums(sums, out, stream);
}
bool CudaNttPlan::inverse_of_sums(const ProductSums<std::uint32_t>& sums, std::span<std::uint32_t> out,
                                  CudaStream stream) const {
  return impl_->inverse_of_sums(sums, out, stream);
}

}  // namespace nttforge::cuda
