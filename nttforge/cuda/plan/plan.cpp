// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan.hpp"

#include <string>
#include <utility>

#include "nttforge/cuda/plan/plan_impl.hpp"

namespace nttforge::cuda {
namespace {

/// What every device must have before a plan is made on it.
CudaDevice usable_device(int device) {
  CudaDevice found = describe_device(device);
  if (device >= 0) require_architecture(found, architectures_of_build());
  return found;
}

/// Roots are searched after a look at the memory: a table takes a word for each coefficient at least, and a
/// limb has two.
NttSpec with_roots(NttSpec spec, const CudaDevice& card) {
  require_valid_but_roots(spec);
  const std::uint64_t least = std::uint64_t{spec.word_bits} / 8 * 2 * spec.n * spec.moduli.size();
  const std::uint64_t total = runtime_of(card.ordinal).memory(card.ordinal).total_bytes;
  if (least > total)
    throw UnsupportedError("the tables of n = " + std::to_string(spec.n) + " and " +
                           std::to_string(spec.moduli.size()) + " moduli need at least " +
                           std::to_string(least) + " bytes, and " + card.name + " has " +
                           std::to_string(total) + ": use a smaller n or fewer moduli");
  return validated(std::move(spec));
}

CudaRecipe chosen(const NttSpec& spec, const CudaDevice& card, const Wisdom* wisdom, std::size_t batch) {
  if (wisdom != nullptr) {
    if (const auto known = find_in_wisdom(*wisdom, spec, card, batch)) return *known;
  }
  return candidate_recipes(spec, card, batch).front();
}

}  // namespace

CudaNttPlan::CudaNttPlan(NttSpec spec, int device, const CudaPlanOptions& options) {
  const CudaDevice card = usable_device(device);
  spec = with_roots(std::move(spec), card);
  CudaRecipe recipe = chosen(spec, card, nullptr, 1);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe), card, options);
}

CudaNttPlan::CudaNttPlan(NttSpec spec, const Wisdom& wisdom, std::size_t batch, int device,
                         const CudaPlanOptions& options) {
  const CudaDevice card = usable_device(device);
  spec = with_roots(std::move(spec), card);
  CudaRecipe recipe = chosen(spec, card, &wisdom, batch);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe), card, options);
}

CudaNttPlan::CudaNttPlan(NttSpec spec, CudaRecipe recipe, int device, const CudaPlanOptions& options) {
  const CudaDevice card = usable_device(device);
  impl_ = std::make_shared<const Impl>(with_roots(std::move(spec), card), std::move(recipe), card, options);
}

const NttSpec& CudaNttPlan::spec() const { return impl_->spec; }
const CudaRecipe& CudaNttPlan::recipe() const { return impl_->recipe; }
const CudaRecipe& CudaNttPlan::recipe_of(std::size_t limb) const {
  if (limb >= limbs())
    throw ParameterError("limb = " + std::to_string(limb) + ": the plan has " + std::to_string(limbs()));
  return impl_->limb_recipes[limb];
}
int CudaNttPlan::device() const { return impl_->device; }
std::uint64_t CudaNttPlan::context_id() const { return impl_->memory().context_id(); }
std::size_t CudaNttPlan::table_bytes() const { return impl_->table_bytes(); }

#define NTTF_PLAN_FORWARDERS(Word)                                                                         \
  void CudaNttPlan::forward(std::span<const Word> in, std::span<Word> out, CudaStream stream,              \
                            CallPlaces places) const {                                                     \
    impl_->transform<Word, false>(in, out, stream, places);                                                \
  }                                                                                                        \
  void CudaNttPlan::inverse(std::span<const Word> in, std::span<Word> out, CudaStream stream,              \
                            CallPlaces places) const {                                                     \
    impl_->transform<Word, true>(in, out, stream, places);                                                 \
  }                                                                                                        \
  void CudaNttPlan::multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,        \
                             CudaStream stream, CallPlaces places) const {                                 \
    impl_->multiply<Word, false>(a, b, out, stream, places);                                               \
  }                                                                                                        \
  void CudaNttPlan::multiply_accumulate(std::span<const Word> a, std::span<const Word> b,                  \
                                        std::span<Word> accumulator, CudaStream stream, CallPlaces places) \
      const {                                                                                              \
    impl_->multiply<Word, true>(a, b, accumulator, stream, places);                                        \
  }                                                                                                        \
  void CudaNttPlan::polynomial_product(std::span<const Word> a, std::span<const Word> b,                   \
                                       std::span<Word> out, std::span<Word> workspace, CudaStream stream,  \
                                       CallPlaces places) const {                                          \
    impl_->product<Word>(a, b, out, workspace, stream, places);                                            \
  }                                                                                                        \
  void CudaNttPlan::require_reduced(std::span<const Word> x, CudaStream stream) const {                    \
    impl_->require_reduced<Word>(x, stream);                                                               \
  }
NTTF_PLAN_FORWARDERS(std::uint64_t)
NTTF_PLAN_FORWARDERS(std::uint32_t)

}  // namespace nttforge::cuda
