// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/rns_steps.hpp"

#include <cstring>
#include <string>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::cuda {
namespace {

using Words = std::vector<std::uint64_t>;

void require_size(const char* name, const Words& values, std::size_t size, bool may_be_empty) {
  if (values.size() == size || (values.empty() && may_be_empty)) return;
  throw ParameterError("step." + std::string(name) + " has " + std::to_string(values.size()) +
                       " entries: need " + std::to_string(size));
}

void require_below(const char* name, const Words& values, std::size_t i, std::uint64_t limit) {
  if (values.empty() || values[i] < limit) return;
  throw ParameterError("step." + std::string(name) + "[" + std::to_string(i) +
                       "] = " + std::to_string(values[i]) + " is not reduced: allowed is [0, " +
                       std::to_string(limit) + ")");
}

void check(const NttSpec& spec, const RnsStep& step) {
  const std::size_t limbs = spec.moduli.size();
  const unsigned bits =
      spec.word_bits == 64 ? WideSum<std::uint64_t>::kWordBits : WideSum<std::uint32_t>::kWordBits;
  require_size("own", step.own, limbs, true);
  require_size("factors", step.factors, limbs * step.sources, true);
  require_size("weights", step.weights, step.modulus == 0 ? 0 : step.sources, false);
  require_size("excess", step.excess, step.modulus == 0 ? 0 : limbs, false);
  if (step.modulus == 1 || (step.modulus >> bits != 0 && step.modulus != std::uint64_t{1} << 32)) {
    throw ParameterError("step.modulus = " + std::to_string(step.modulus) +
                         " is out of range: allowed are 0, 2^32 and 2 ... 2^" + std::to_string(bits) +
                         " - 1");
  }
  for (std::size_t i = 0; i < step.weights.size(); ++i)
    require_below("weights", step.weights, i, step.modulus);
  for (std::size_t j = 0; j < limbs; ++j) {
    const std::uint64_t q = spec.moduli[j];
    if (q >> bits != 0) {
      throw ParameterError("moduli[" + std::to_string(j) + "] = " + std::to_string(q) + " has more than " +
                           std::to_string(bits) + " bits: sums of products of its residues do not fit");
    }
    require_below("own", step.own, j, q);
    require_below("excess", step.excess, j, q);
    for (std::size_t i = 0; i < step.sources; ++i)
      require_below("factors", step.factors, j * step.sources + i, q);
  }
}

}  // namespace

RnsStep RnsStep::scaling(Words factors) { return {.own = std::move(factors)}; }

RnsStep RnsStep::conversion(const BaseConversion& conversion) {
  return {.sources = conversion.from_size(),
          .factors = Words(conversion.punctured().begin(), conversion.punctured().end())};
}

// (z + r Q) / m_tilde with r = -z / Q modulo m_tilde.
RnsStep RnsStep::extend(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  RnsStep step{.sources = behz.q().size(), .modulus = std::uint64_t{1} << Behz::kMTildeBits};
  for (const std::uint32_t punctured : c.q_punctured_m_tilde)
    step.weights.push_back(punctured * c.negative_inverse_q_m_tilde);
  for (std::size_t j = 0; j < behz.bsk().size(); ++j) {
    const Modulus& m = behz.bsk().modulus(j);
    const std::uint64_t inverse = c.inverse_m_tilde_bsk[j].value;
    for (std::size_t i = 0; i < step.sources; ++i)
      step.factors.push_back(m.mul(c.q_punctured_bsk[j * step.sources + i], inverse));
    step.excess.push_back(m.mul(c.q_mod_bsk[j], inverse));
  }
  return step;
}

// (t x - z) / Q.
RnsStep RnsStep::floor(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  RnsStep step{.sources = behz.q().size()};
  for (std::size_t j = 0; j < behz.bsk().size(); ++j) {
    const Modulus& m = behz.bsk().modulus(j);
    step.own.push_back(c.t_inverse_q_bsk[j].value);
    for (std::size_t i = 0; i < step.sources; ++i)
      step.factors.push_back(
          m.negate(m.mul(c.q_punctured_bsk[j * step.sources + i], c.inverse_q_bsk[j].value)));
  }
  return step;
}

// z - alpha M with alpha = (z - x) / M modulo m_sk.
RnsStep RnsStep::to_q(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  const std::size_t b_size = behz.bsk().size() - 1;
  const Modulus& m_sk = behz.bsk().modulus(b_size);
  RnsStep step{.sources = b_size + 1, .modulus = m_sk.value()};
  for (const std::uint64_t punctured : c.b_punctured_sk)
    step.weights.push_back(m_sk.mul(punctured, c.inverse_b_sk.value));
  step.weights.push_back(m_sk.negate(c.inverse_b_sk.value));
  for (std::size_t i = 0; i < behz.q().size(); ++i) {
    const auto row = c.b_punctured_q.begin() + static_cast<std::ptrdiff_t>(i * b_size);
    step.factors.insert(step.factors.end(), row, row + static_cast<std::ptrdiff_t>(b_size));
    step.factors.push_back(0);
    step.excess.push_back(behz.q().modulus(i).negate(c.b_mod_q[i]));
  }
  return step;
}

// (x - r) / p with r the centred residue modulo p.
RnsStep RnsStep::mod_down(const ModDown& down) {
  const std::size_t targets = down.base().size() - 1;
  RnsStep step{.sources = 1, .modulus = down.base().values()[targets], .weights = {1}};
  for (std::size_t j = 0; j < targets; ++j) {
    const std::uint64_t inverse = down.inverse_p()[j].value;
    step.own.push_back(inverse);
    step.excess.push_back(down.base().modulus(j).negate(inverse));
  }
  return step;
}

CudaRnsStep::CudaRnsStep(const NttSpec& given, const RnsStep& step, int device, Fusion fusion)
    : sources_(step.sources),
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
