// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/rns_steps.hpp"

#include <cstring>
#include <string>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::cuda {
namespace {

using Words = std::vector<std::uint64_t>;

void require_bits(const std::string& name, std::uint64_t modulus, unsigned bits) {
  if (modulus >> bits != 0)
    throw ParameterError("step." + name + " = " + std::to_string(modulus) + " has more than " +
                         std::to_string(bits) + " bits: sums of products of its residues do not fit");
}

void check(const NttSpec& spec, const RnsStep& step) {
  step.validate();
  if (step.targets != spec.moduli)
    throw ParameterError("step.targets are not the moduli of the spec: make a step to those moduli");
  if (!step.scale.empty())
    throw ParameterError(
        "step.scale is not empty: steps on a GPU take digits; clear it and give the scale to the transform "
        "before as inverse_factors, or to the step before with folded()");
  if (!step.offset.empty() || step.fraction_bits != 0)
    throw UnsupportedError("step." + std::string(step.offset.empty() ? "fractions" : "offset") +
                           " is not supported on a GPU yet: use a step with a modulus, or the CPU");
  if (spec.word_bits == 64) return;
  for (std::size_t i = 0; i < step.sources.size(); ++i)
    require_bits("sources[" + std::to_string(i) + "]", step.sources[i], WideSum<std::uint32_t>::kWordBits);
  for (std::size_t j = 0; j < step.targets.size(); ++j)
    require_bits("targets[" + std::to_string(j) + "]", step.targets[j], WideSum<std::uint32_t>::kWordBits);
  if (step.modulus != std::uint64_t{1} << 32)
    require_bits("modulus", step.modulus, WideSum<std::uint32_t>::kWordBits);
}

}  // namespace

CudaRnsStep::CudaRnsStep(const NttSpec& given, const RnsStep& step, int device, Fusion fusion)
    : sources_(step.sources.size()),
      modulus_(step.modulus),
      takes_own_words_(!step.own.empty()),
      has_factors_(!step.factors.empty()),
      fusion_(fusion) {
  const NttSpec spec = validated(given);
  check(spec, step);
  moduli_ = spec.moduli;
  word_bits_ = static_cast<unsigned>(spec.word_bits);
  word_bits_ == 64 ? upload<std::uint64_t>(step, device) : upload<std::uint32_t>(step, device);
}

// [limbs][weights][factors]
template <class Word>
void CudaRnsStep::upload(const RnsStep& step, int device) {
  const std::size_t limbs = moduli_.size(), first = limbs * sizeof(RnsStepLimb<Word>);
  std::vector<std::byte> bytes(first + (1 + limbs) * sources_ * sizeof(Word));
  memory_ = CudaBuffer(device, bytes.size());
  const auto* const words = reinterpret_cast<const Word*>(static_cast<std::byte*>(memory_.data()) + first);
  const auto put = [&](std::size_t at, const Words& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto word = static_cast<Word>(values[i]);
      std::memcpy(&bytes[first + (at + i) * sizeof(Word)], &word, sizeof(Word));
    }
  };
  put(0, step.weights);
  put(sources_, step.factors);
  for (std::size_t j = 0; j < limbs; ++j) {
    const RnsStepLimb<Word> limb{
        make_wide_modulus<Word>(moduli_[j]), static_cast<Word>(step.own.empty() ? 0 : step.own[j]),
        static_cast<Word>(step.excess.empty() ? 0 : step.excess[j]), words + (1 + j) * sources_};
    std::memcpy(&bytes[j * sizeof limb], &limb, sizeof limb);
  }
  memory_.from_host(bytes.data());
  runtime_of(device).synchronize(device, nullptr);
  memory_.share();  // used in the streams of others
}

template <class Word>
RnsStepArgs<Word> CudaRnsStep::args(const Word* sources) const {
  auto* const base = static_cast<std::byte*>(memory_.data());
  RnsStepArgs<Word> args;
  args.sources = sources;
  args.limbs = reinterpret_cast<const RnsStepLimb<Word>*>(base);
  args.weights = reinterpret_cast<const Word*>(base + moduli_.size() * sizeof(RnsStepLimb<Word>));
  if (modulus_ != 0) args.correction = make_wide_modulus<Word>(modulus_);
  args.count = static_cast<std::uint32_t>(sources_);
  args.used = has_factors_ ? args.count : 0;
  args.takes_own = takes_own_words_;
  return args;
}
template RnsStepArgs<std::uint64_t> CudaRnsStep::args(const std::uint64_t*) const;
template RnsStepArgs<std::uint32_t> CudaRnsStep::args(const std::uint32_t*) const;

}  // namespace nttforge::cuda
