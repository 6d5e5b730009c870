// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion/cpu_step.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace nttforge::cpu {
namespace {

constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;
constexpr unsigned kShortBits = 32;  // of the values that kernels of short moduli take

unsigned bits_below(std::uint64_t limit) { return static_cast<unsigned>(std::bit_width(limit - 1)); }

unsigned largest_bits(std::span<const std::uint64_t> limits) {
  unsigned bits = 0;
  for (const std::uint64_t limit : limits) bits = std::max(bits, bits_below(limit));
  return bits;
}

bool narrow_sources(const RnsStep& step) {
  return std::all_of(step.sources.begin(), step.sources.end(), is_narrow);
}

bool short_sources(const RnsStep& step) {
  return std::all_of(step.sources.begin(), step.sources.end(), is_short);
}

bool all_narrow(const RnsStep& step) {
  return narrow_sources(step) && std::all_of(step.targets.begin(), step.targets.end(), is_narrow) &&
         is_narrow(step.modulus);
}

bool all_short(const RnsStep& step) {
  return short_sources(step) && std::all_of(step.targets.begin(), step.targets.end(), is_short) &&
         (is_short(step.modulus) || step.modulus == kTwo32) && step.fraction_bits == 0;
}

const ConversionKernels& kernels_for(const RnsStep& step, Target target) {
  return all_short(step) ? short_conversion_kernels(target) : conversion_kernels(target, all_narrow(step));
}

/// The largest correction in fixed point; it stands in 128 bits as the step is valid.
u128 largest_fixed_point(const RnsStep& step) {
  u128 sum = static_cast<u128>(1) << (step.fraction_bits - 1);
  for (std::size_t i = 0; i < step.sources.size(); ++i)
    sum += static_cast<u128>(step.sources[i] - 1) * step.fractions[i];
  return sum >> step.fraction_bits;
}

/// Whether kernels of a class take the fractions and what comes out.
bool suits_fixed_point(const RnsStep& step, const ConversionKernels& kernels, bool narrow) {
  const unsigned bits = narrow ? kNarrowFractionBits : kWideFractionBits;
  const auto fits = [bits](std::uint64_t fraction) { return fraction >> bits == 0; };
  return step.fraction_bits > kernels.fixed_point_bits &&
         (kernels.fixed_point_bits == 0 || step.fraction_bits <= kernels.fixed_point_bits + 63) &&
         step.sources.size() <= kFixedPointTerms && largest_fixed_point(step) >> bits == 0 &&
         std::all_of(step.fractions.begin(), step.fractions.end(), fits);
}

/// Sources without those at the end that no output has as a term.
std::size_t used_sources(const RnsStep& step) {
  const std::size_t count = step.sources.size();
  std::size_t used = 0;
  for (std::size_t i = 0; i < step.factors.size(); ++i)
    if (step.factors[i] != 0) used = std::max(used, i % count + 1);
  return used;
}

}  // namespace

void AffineMaps::add(std::uint64_t modulus, std::uint64_t offset, std::vector<std::uint64_t> coefficients) {
  rows_.push_back(std::move(coefficients));
  maps_.push_back({make_row_modulus(Modulus(modulus)), offset, nullptr});
}

void AffineMaps::finish(Target target, std::size_t terms, unsigned value_bits, unsigned extra_bits) {
  terms_ = terms;
  for (std::size_t first = 0; first < maps_.size();) {
    const auto kernels_for_map = [&](std::size_t j) {
      const std::uint64_t q = maps_[j].modulus.q;
      const unsigned largest = std::max(value_bits, extra_bits == kOwnBits ? 0 : extra_bits);
      if (is_short(q) && largest <= kShortBits) return &short_conversion_kernels(target);
      return &conversion_kernels(target, is_narrow(q) && largest <= kNarrowBits);
    };
    const ConversionKernels& kernels = *kernels_for_map(first);
    unsigned modulus_bits = 0;
    std::size_t end = first;
    for (; end < maps_.size() && kernels_for_map(end) == &kernels; ++end) {
      maps_[end].coefficients = rows_[end].data();
      modulus_bits = std::max(modulus_bits, static_cast<unsigned>(std::bit_width(maps_[end].modulus.q)));
    }
    const unsigned extra = extra_bits == kOwnBits ? modulus_bits : extra_bits;
    std::size_t chunk = longest_sum(kernels.sum_bits, std::max(value_bits, extra), modulus_bits);
    // One wider product, the extra one, counts as 2^(extra - value_bits) narrow ones.
    const std::size_t extra_weight = std::size_t{1} << (extra > value_bits ? extra - value_bits : 0);
    if (terms + extra_weight <= longest_sum(kernels.sum_bits, value_bits, modulus_bits)) chunk = terms + 1;
    runs_.push_back({end, &kernels, chunk});
    first = end;
  }
}

void AffineMaps::run_some(std::size_t first, std::size_t end, const std::uint64_t* in, std::size_t in_stride,
                          const std::uint64_t* extra, std::size_t extra_stride, std::uint64_t* out,
                          std::size_t out_stride, std::size_t count) const {
  for (const Run& run : runs_) {
    const std::size_t maps = std::min(end, run.end) - std::min(first, run.end);
    if (maps == 0) continue;
    run.kernels->affine(maps_.data() + first, maps, terms_, run.chunk, in, in_stride, extra, extra_stride,
                        out, out_stride, count);
    first += maps;
    out += maps * out_stride;
    if (extra != nullptr) extra += maps * extra_stride;
  }
}

CpuStage::CpuStage(const RnsStep& step, Target target, bool in_scratch)
    : kernels_(&kernels_for(step, target)),
      scale_kernels_(short_sources(step) ? &short_conversion_kernels(target)
                                         : &conversion_kernels(target, narrow_sources(step))),
      sources_(step.sources.size()),
      targets_(step.targets.size()),
      used_(used_sources(step)),
      in_scratch_(in_scratch),
      corrected_(step.has_correction()),
      takes_own_(!step.own.empty()) {
  if (step.fraction_bits != 0 && !suits_fixed_point(step, *kernels_, all_narrow(step))) {
    value_.emplace(step);
    scratch_rows_ = in_scratch_ ? sources_ : 0;
    return;
  }
  for (std::size_t i = 0; i < step.scale.size(); ++i)
    scale_.push_back(
        {make_shoup(step.scale[i], step.sources[i]), make_row_modulus(Modulus(step.sources[i]))});
  copied_ = !in_scratch_ && scale_.empty() && corrected_ && used_ != 0 && takes_own_;
  division_ =
      !in_scratch_ && scale_.empty() && step.modulus != 0 && used_ == 0 && takes_own_ && sources_ == 1;
  digits_in_scratch_ = in_scratch_ || copied_ || !scale_.empty();
  if (digits_in_scratch_)
    scratch_rows_ = std::max(sources_, used_ + (corrected_ ? 1 : 0));
  else
    scratch_rows_ = corrected_ ? 1 : 0;
  if (corrected_) fold_correction(step, target);
  fold_outputs(step, target);
}

// r' = r + h modulo p, h = floor(p / 2), is in [0, p), and r' - h is r centred.
void CpuStage::fold_correction(const RnsStep& step, Target target) {
  if (step.fraction_bits != 0) {
    fractions_ = step.fractions;
    fraction_bits_ = step.fraction_bits;
    nearest_ = step.nearest;
    return;
  }
  if (step.limit != 0) {
    allowed_low_ = step.modulus / 2 - step.limit;
    allowed_high_ = step.modulus / 2 + step.limit;
  }
  if (step.modulus == kTwo32) {
    weights_modulo_32_.assign(step.weights.begin(), step.weights.end());
    return;
  }
  correction_.add(step.modulus, step.modulus / 2, step.weights);
  correction_.finish(target, sources_, largest_bits(step.sources));
}

// out = offset - h excess + sum_i y_i factors_i + r' excess + x own.
void CpuStage::fold_outputs(const RnsStep& step, Target target) {
  for (std::size_t j = 0; j < targets_; ++j) {
    const Modulus q(step.targets[j]);
    const auto row = step.factors.begin() + static_cast<std::ptrdiff_t>(used_ == 0 ? 0 : j * sources_);
    std::vector<std::uint64_t> coefficients(row, row + static_cast<std::ptrdiff_t>(used_));
    std::uint64_t offset = step.offset.empty() ? 0 : step.offset[j];
    if (corrected_) {
      coefficients.push_back(step.excess[j]);
      offset = q.sub(offset, q.mul(q.reduce(step.modulus / 2), step.excess[j]));  // 0 in fixed point
    }
    if (takes_own_) coefficients.push_back(step.own[j]);
    outputs_.add(q.value(), offset, std::move(coefficients));
  }
  const unsigned digit_bits = used_ == 0 ? 0 : largest_bits(step.sources);
  unsigned correction_bits = step.modulus != 0 ? bits_below(step.modulus) : 0;
  if (step.fraction_bits != 0)
    correction_bits = bits_below(static_cast<std::uint64_t>(largest_fixed_point(step)) + 1);
  if (corrected_ && used_ != 0 && !digits_in_scratch_)  // the correction is the extra row
    outputs_.finish(target, used_, digit_bits, correction_bits);
  else
    outputs_.finish(target, used_ + (corrected_ ? 1 : 0), std::max(digit_bits, correction_bits),
                    takes_own_ ? AffineMaps::kOwnBits : 0);
}

void CpuStage::correct_rows(WordRows digits, std::uint64_t* out, std::size_t count) const {
  if (!fractions_.empty())
    kernels_->fixed_point(fractions_.data(), fraction_bits_, nearest_, sources_, digits.words, digits.stride,
                          out, count);
  else if (weights_modulo_32_.empty())
    correction_.run(digits.words, digits.stride, nullptr, 0, out, 0, count);
  else
    kernels_->affine_mod_2_32(weights_modulo_32_.data(), std::uint32_t{1} << 31, sources_, digits.words,
                              digits.stride, out, count);
}

// Both differences are below 2^63 in magnitude; no branch depends on a value.
std::uint64_t CpuStage::outside(const std::uint64_t* correction, std::size_t count) const {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < count; ++i)
    any |= (correction[i] - allowed_low_) | (allowed_high_ - correction[i]);
  return any;
}

void CpuStage::correct(const std::uint64_t* source, std::uint64_t* out, std::size_t count) const {
  correct_rows({source, 0}, out, count);
}

std::uint64_t CpuStage::run(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                            std::uint64_t* scratch, std::size_t scratch_stride, std::size_t count,
                            bool checked) const {
  if (in_scratch_) sources = {scratch, scratch_stride};
  if (!takes_own_) own = {};  // and without words they count as zeros
  if (value_) {
    run_word_by_word(sources, own, out, out_stride, count);
    return 0;
  }
  WordRows digits = sources;
  if (!scale_.empty()) {
    scale_kernels_->scale(scale_.data(), sources_, sources.words, sources.stride, scratch, scratch_stride,
                          count);
    digits = {scratch, scratch_stride};
  } else if (copied_) {
    for (std::size_t i = 0; i < sources_; ++i)
      std::copy_n(sources.words + i * sources.stride, count, scratch + i * scratch_stride);
    digits = {scratch, scratch_stride};
  }
  if (!corrected_) {
    outputs_.run(digits.words, digits.stride, own.words, own.stride, out, out_stride, count);
    return 0;
  }
  // The correction is the term after the digits, or the only one, or the extra row.
  std::uint64_t* correction = digits_in_scratch_ ? scratch + used_ * scratch_stride : scratch;
  correct_rows(digits, correction, count);
  if (digits_in_scratch_ || used_ == 0)
    outputs_.run(scratch, scratch_stride, own.words, own.stride, out, out_stride, count);
  else
    outputs_.run(digits.words, digits.stride, correction, 0, out, out_stride, count);
  return checked ? outside(correction, count) : 0;
}

void CpuStage::run_word_by_word(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                                std::size_t count) const {
  SecretVector<std::uint64_t> x(sources_), y(takes_own_ ? targets_ : 0), z(targets_);
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < sources_; ++i) x[i] = sources.words[i * sources.stride + c];
    for (std::size_t j = 0; j < y.size(); ++j)
      y[j] = own.words == nullptr ? 0 : own.words[j * own.stride + c];
    value_->apply(x, y, z);
    for (std::size_t j = 0; j < targets_; ++j) out[j * out_stride + c] = z[j];
  }
}

CpuStep::CpuStep(std::span<const RnsStep> chain, std::size_t dimension, Target target)
    : StepTables(chain, dimension) {
  for (const RnsStep& step : folded(chain)) {
    stages_.emplace_back(step, target, !stages_.empty());
    scratch_rows_ += stages_.back().scratch_rows();
  }
}

std::uint64_t CpuStep::run(WordRows sources, WordRows own, std::uint64_t* out, std::size_t out_stride,
                           std::uint64_t* scratch, std::size_t scratch_stride, std::size_t count,
                           bool checked) const {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const bool last = i + 1 == stages_.size();
    std::uint64_t* next = last ? out : scratch + stages_[i].scratch_rows() * scratch_stride;
    any |= stages_[i].run(sources, i == 0 ? own : WordRows{}, next, last ? out_stride : scratch_stride,
                          scratch, scratch_stride, count, checked);
    scratch = next;
  }
  return any;
}

}  // namespace nttforge::cpu
