// SPDX-License-Identifier: Apache-2.0
// Transforms with a step between RNS bases: fused where every limb's row can, else one after the other.
#include "nttforge/cuda/plan/plan_impl.hpp"
#include "nttforge/cuda/rns_steps.hpp"

namespace nttforge::cuda {
namespace {

/// A step of one call of a plan.
template <class Plan, class Word>
struct Stepping {
  const Plan& plan;
  const CudaRnsStep& step;
  std::span<const Word> sources;
  std::span<Word> out;
  CudaStream stream;

  void check(std::span<const Word> in, bool needs_in) const {
    const NttSpec& spec = plan.spec;
    plan.arrays.check_call(plan.memory(), stream);
    step.memory().require_alive();
    if (step.moduli() != spec.moduli || step.word_bits() != static_cast<unsigned>(spec.word_bits) ||
        step.device() != plan.device) {
      throw ParameterError(
          "the step was made for other moduli, another word or device: make one with this "
          "plan's spec() and device()");
    }
    plan.arrays.check(std::span<const Word>(out), "out");
    if (needs_in) {
      plan.arrays.check_same(in, "in", out);
      plan.arrays.check_alias("in", in, out);
    } else if (!in.empty()) {
      throw ParameterError(
          "in is given and the step takes no words of its own: leave it empty, or give the "
          "step own factors");
    }
    plan.arrays.check_sources(sources, out, out.size() / spec.moduli.size() * step.sources());
  }

  /// throws where a fused step was asked for and there is none.
  bool is_fused() const {
    const auto& runs = plan.template tables<Word>().runs();
    const bool possible =
        !runs.empty() && plan.spec.input_order == Order::natural &&
        std::all_of(runs.begin(), runs.end(), [](const auto& run) { return run.row->has_steps; });
    if (step.fusion() == CudaRnsStep::Fusion::fused && !possible) {
      throw UnsupportedError("the recipe " + plan.recipe.to_json() +
                             " has no fused steps: make the step with Fusion::automatic");
    }
    return possible && step.wants_fusion();
  }

  /// Applies the step to words in the array's order. `own` points to the limbs' own words or is null.
  void compose(const Word* own) const {
    constexpr std::uint32_t kTargets = ApplyRnsStep<Word>::kTargets;
    Rows<Word> rows = plan.template rows_of<Word>(out.size());
    rows.rows = rows.rows / rows.limb_count * ((rows.limb_count + kTargets - 1) / kTargets);
    plan.run("a step between bases", ApplyRnsStep<Word>{rows, step.args(sources.data()), own, out.data()},
             stream);
  }

  template <bool kInverse>
  void fused_pass(const CudaKernelRow<Word>& row, const CudaLaunch<Word>& call) const {
    const CudaStepLaunch<Word> launch{call, step.args(sources.data())};
    plan.runtime.launch(plan.device, "starting a transform with a step between bases", [&] {
      if (plan.device >= 0) return (kInverse ? row.inverse_step : row.forward_step)(launch, stream);
      (kInverse ? row.inverse_step_on_host : row.forward_step_on_host)(launch);
      return 0;
    });
  }

  void fused_forward(const Word* own) const {
    for (const LimbRun<Word>& limbs : plan.template tables<Word>().runs()) {
      CudaLaunch<Word> call = plan.launch_of(limbs, own, out.data(), out.size());
      fused_pass<false>(*limbs.row, call);
      call.in = out.data();
      call.part = PassPart::last;
      if (limbs.row->launches > 1) plan.template enqueue_row<false>(*limbs.row, call, stream);
    }
  }
  void fused_inverse(const Word* in) const {
    for (const LimbRun<Word>& limbs : plan.template tables<Word>().runs()) {
      CudaLaunch<Word> call = plan.launch_of(limbs, in, out.data(), out.size());
      if (limbs.row->launches > 1) {
        call.part = PassPart::last;
        plan.template enqueue_row<true>(*limbs.row, call, stream);
        call.in = out.data();
      }
      fused_pass<true>(*limbs.row, call);
    }
  }
};

}  // namespace

template <class Word>
void CudaNttPlan::Impl::forward_converted(const CudaRnsStep& step, std::span<const Word> in,
                                          std::span<const Word> sources, std::span<Word> out,
                                          CudaStream stream) const {
  const CudaCall call(runtime, device);
  const Stepping<Impl, Word> stepping{*this, step, sources, out, stream};
  stepping.check(in, step.takes_own_words());
  if (out.empty()) return;
  const Word* const own = step.takes_own_words() ? in.data() : nullptr;
  if (!stepping.is_fused()) {
    stepping.compose(own);
    return transform<Word, false>(std::span<const Word>(out), out, stream, CallPlaces::checked);
  }
  stepping.fused_forward(own);
  if (spec.output_order != kernel_values<Word>())
    permute(static_cast<const Word*>(out.data()), out.data(), out.size(), true, stream);
}

template <class Word>
void CudaNttPlan::Impl::inverse_converted(const CudaRnsStep& step, std::span<const Word> in,
                                          std::span<const Word> sources, std::span<Word> out,
                                          CudaStream stream) const {
  if (!step.takes_own_words()) {
    throw ParameterError(
        "the step has no own factors: the transform's words would not matter; give it own "
        "factors, or use forward_converted");
  }
  const CudaCall call(runtime, device);
  const Stepping<Impl, Word> stepping{*this, step, sources, out, stream};
  stepping.check(in, true);
  if (out.empty()) return;
  if (!stepping.is_fused()) {
    transform<Word, true>(in, out, stream, CallPlaces::checked);
    return stepping.compose(out.data());
  }
  const Word* from = in.data();
  if (spec.output_order != kernel_values<Word>()) {
    permute(from, out.data(), out.size(), true, stream);
    from = out.data();
  }
  stepping.fused_inverse(from);
}

#define NTTF_STEPS_OF(Word)                                                                                  \
  void CudaNttPlan::forward_converted(const CudaRnsStep& step, std::span<const Word> in,                     \
                                      std::span<const Word> sources, std::span<Word> out, CudaStream stream) \
      const {                                                                                                \
    impl_->forward_converted<Word>(step, in, sources, out, stream);                                          \
  }                                                                                                          \
  void CudaNttPlan::inverse_converted(const CudaRnsStep& step, std::span<const Word> in,                     \
                                      std::span<const Word> sources, std::span<Word> out, CudaStream stream) \
      const {                                                                                                \
    impl_->inverse_converted<Word>(step, in, sources, out, stream);                                          \
  }
NTTF_STEPS_OF(std::uint64_t)
NTTF_STEPS_OF(std::uint32_t)

}  // namespace nttforge::cuda
