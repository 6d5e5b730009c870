// SPDX-License-Identifier: Apache-2.0
// What key switching in values takes of transforms: some limbs of an inverse one, and the fused forms of
// pass/switching.hpp.
#include <algorithm>

#include "nttforge/cuda/plan/plan_impl.hpp"

namespace nttforge::cuda {

template <class Word>
bool CudaNttPlan::Impl::inverse_limbs(std::span<const Word> in, std::span<Word> out, std::size_t first,
                                      std::size_t count, CudaStream stream) const {
  const auto& runs = tables<Word>().runs();
  if (runs.empty() || !has_kernel_orders<Word>()) return false;
  const CudaCall entered(runtime, device);
  for (const LimbRun<Word>& limbs : runs) {
    const std::size_t begin = std::max<std::size_t>(limbs.first, first),
                      end = std::min<std::size_t>(limbs.first + limbs.count, first + count);
    if (begin >= end || limbs.row->whole) continue;
    CudaLaunch<Word> launch = launch_of<Word>(limbs, in.data(), out.data(), out.size());
    launch.first_limb = static_cast<std::uint32_t>(begin);
    launch.limbs_here = static_cast<std::uint32_t>(end - begin);
    enqueue_row<true>(*limbs.row, launch, stream);
  }
  return true;
}

template <class Word>
const LimbRun<Word>* CudaNttPlan::Impl::switching() const {
  const auto& runs = tables<Word>().runs();
  const bool possible = runs.size() == 1 && runs.front().row->has_switching && has_kernel_orders<Word>();
  return possible ? &runs.front() : nullptr;
}

template <class Word>
bool CudaNttPlan::Impl::forward_joined(const DivisionJoin<Word>& join, std::span<Word> x,
                                       CudaStream stream) const {
  const LimbRun<Word>* const limbs = switching<Word>();
  if (limbs == nullptr) return false;
  const CudaCall entered(runtime, device);
  CudaJoinLaunch<Word> launch{launch_of<Word>(*limbs, x.data(), x.data(), x.size()), join};
  launch.call.part = PassPart::before_last;
  enqueue_row<false>(*limbs->row, launch.call, stream);
  runtime.launch(device, "starting the end of a division", [&] {
    if (device >= 0) return limbs->row->forward_join(launch, stream);
    limbs->row->forward_join_on_host(launch);
    return 0;
  });
  return true;
}

template <class Word>
void CudaNttPlan::Impl::enqueue_digits(const LimbRun<Word>& limbs, const DigitRows& rows, std::span<Word> x,
                                       PassPart part, CudaStream stream) const {
  CudaDigitsLaunch<Word> launch{launch_of<Word>(limbs, x.data(), x.data(), x.size()), rows};
  launch.call.part = part;
  runtime.launch(device, "starting a transform of digits", [&] {
    if (device >= 0) return limbs.row->forward_digits(launch, stream);
    limbs.row->forward_digits_on_host(launch);
    return 0;
  });
}

template <class Word>
bool CudaNttPlan::Impl::forward_digits(const DigitRows& rows, std::span<Word> x, CudaStream stream) const {
  const LimbRun<Word>* const limbs = switching<Word>();
  if (limbs == nullptr) return false;
  const CudaCall entered(runtime, device);
  enqueue_digits(*limbs, rows, x, PassPart::all, stream);
  return true;
}

template <class Word>
bool CudaNttPlan::Impl::key_product(const DigitRows& rows, const KeyWords<Word>& key, std::span<Word> x,
                                    std::span<Word> out, CudaStream stream) const {
  const LimbRun<Word>* const limbs = switching<Word>();
  if (limbs == nullptr) return false;
  const CudaCall entered(runtime, device);
  enqueue_digits(*limbs, rows, x, PassPart::before_last, stream);
  CudaKeyLaunch<Word> launch{launch_of<Word>(*limbs, x.data(), out.data(), out.size() / 2), rows, key};
  runtime.launch(device, "starting a product with a key", [&] {
    if (device >= 0) return limbs->row->key_product(launch, stream);
    limbs->row->key_product_on_host(launch);
    return 0;
  });
  return true;
}

bool CudaNttPlan::has_switching() const {
  return impl_->spec.word_bits == 64 ? impl_->switching<std::uint64_t>() != nullptr
                                     : impl_->switching<std::uint32_t>() != nullptr;
}

#define NTTF_PLAN_SWITCHING(Word)                                                                        \
  bool CudaNttPlan::inverse_limbs(std::span<const Word> in, std::span<Word> out, std::size_t first,      \
                                  std::size_t count, CudaStream stream) const {                          \
    return impl_->inverse_limbs(in, out, first, count, stream);                                          \
  }                                                                                                      \
  bool CudaNttPlan::forward_joined(const DivisionJoin<Word>& join, std::span<Word> x, CudaStream stream) \
      const {                                                                                            \
    return impl_->forward_joined(join, x, stream);                                                       \
  }                                                                                                      \
  bool CudaNttPlan::forward_digits(const DigitRows& rows, std::span<Word> x, CudaStream stream) const {  \
    return impl_->forward_digits(rows, x, stream);                                                       \
  }                                                                                                      \
  bool CudaNttPlan::key_product(const DigitRows& rows, const KeyWords<Word>& key, std::span<Word> x,     \
                                std::span<Word> out, CudaStream stream) const {                          \
    return impl_->key_product(rows, key, x, out, stream);                                                \
  }
NTTF_PLAN_SWITCHING(std::uint64_t)
NTTF_PLAN_SWITCHING(std::uint32_t)

}  // namespace nttforge::cuda
