// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/ciphertext.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {
namespace {

void check_residues(const RlweContext& context, std::size_t size, std::size_t k,
                    std::span<const std::uint64_t> residues) {
  const std::size_t n = context.n();
  if (residues.size() != size * k * n)
    throw SizeError("residues.size() = " + std::to_string(residues.size()) +
                    ", expected size x limbs x n = " + std::to_string(size) + " x " + std::to_string(k) +
                    " x " + std::to_string(n) + " = " + std::to_string(size * k * n));
  for (std::size_t i = 0; i < residues.size(); ++i) {
    const std::size_t limb = i / n % k;
    const std::uint64_t q = context.parameters().q[limb];
    if (residues[i] >= q)
      throw ParameterError("residues: part " + std::to_string(i / n / k) + ", limb " + std::to_string(limb) +
                           ", position " + std::to_string(i % n) + " is " + std::to_string(residues[i]) +
                           ", out of range [0, q = " + std::to_string(q) + ")");
  }
}

}  // namespace

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding)
    : Ciphertext(context, size, encoding, require_context(context)->limbs()) {}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding, std::size_t level)
    : encoding_(encoding) {
  require_context(context);
  if (size != 2 && size != kMaxSize)
    throw ParameterError("size = " + std::to_string(size) + " is not allowed: a ciphertext has 2 or 3 parts");
  if (level < context->lowest_level() || level > context->limbs())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [" +
                         std::to_string(context->lowest_level()) + ", " + std::to_string(context->limbs()) +
                         "] of these parameters");
  context->require_encoding(encoding);
  words_ = context->queue().allocate(context->ring_q(level), size);
  size_ = size;
  level_ = level;
  context_ = std::move(context);
}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
                       Encoding encoding, const Noise& noise)
    : Ciphertext(context, size, require_context(context)->limbs(), residues, encoding, noise) {}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, std::size_t level,
                       std::span<const std::uint64_t> residues, Encoding encoding, const Noise& noise) {
  Ciphertext result(std::move(context), size, encoding, level);
  check_residues(*result.context_, size, level, residues);
  result.context_->queue().upload(residues, result.data());
  result.set_noise(noise);
  *this = std::move(result);
}

Ciphertext::Ciphertext(const Ciphertext& other) {
  if (other.empty()) return;
  words_ = other.context_->queue().allocate(other.words(), other.words_.word_bits());
  other.context_->queue().copy(other.data(), words_.data(), other.words());
  size_ = other.size_;
  level_ = other.level_;
  factor_ = other.factor_;
  encoding_ = other.encoding_;
  noise_ = other.noise_;
  noise_source_ = other.noise_source_;
  seed_ = other.seed_;
  context_ = other.context_;
}

Ciphertext& Ciphertext::operator=(const Ciphertext& other) {
  if (this != &other) *this = Ciphertext(other);
  return *this;
}

Ciphertext Ciphertext::to(const RlweContextPtr& context) const {
  require_context(context);
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  Ciphertext result;
  result.words_ = moved(words_, *context_, *context, Secrecy::open);
  result.size_ = size_;
  result.level_ = level_;
  result.factor_ = factor_;
  result.encoding_ = encoding_;
  result.noise_ = noise_;
  result.noise_source_ = noise_source_;
  result.seed_ = seed_;
  result.context_ = context;
  return result;
}

void Ciphertext::set_noise(const Noise& noise) {
  const auto rounded = [](double bits) {  // nan becomes the largest
    return bits < kMaxNoiseLog2 ? std::max(std::ceil(bits / kNoiseStep) * kNoiseStep, -kMaxNoiseLog2)
                                : kMaxNoiseLog2;
  };
  const bool known = !std::isinf(noise.coefficient) && !std::isinf(noise.canonical);
  noise_ = known ? Noise{rounded(noise.coefficient), rounded(noise.canonical)} : Noise::unknown();
  noise_source_ = known ? NoiseSource::computed : NoiseSource::unknown;
}

void Ciphertext::set_fresh_noise(NoiseSource source) {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (source != NoiseSource::fresh_secret && source != NoiseSource::fresh_public)
    throw ParameterError(
        "source = " + std::to_string(static_cast<unsigned>(source)) +
        " is no key's: fresh ciphertexts are made by the secret key (1) or the public key (2)");
  const RlweNoiseModel& model = context_->noise_model();
  set_noise(source == NoiseSource::fresh_secret ? model.fresh_secret() : model.fresh_public());
  noise_source_ = source;
}

std::size_t Ciphertext::words() const { return empty() ? 0 : size_ * context_->ring_q(level_).words(); }

std::vector<std::uint64_t> Ciphertext::residues() const {
  std::vector<std::uint64_t> result(words());
  residues(result);
  return result;
}

void Ciphertext::residues(std::span<std::uint64_t> out) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (out.size() != words())
    throw SizeError("out.size() = " + std::to_string(out.size()) +
                    ", expected size x limbs x n = " + std::to_string(words()));
  context_->queue().download(data(), out);
}

bool operator==(const Ciphertext& a, const Ciphertext& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.size_ == b.size_ && a.encoding_ == b.encoding_ && a.level_ == b.level_ && a.factor_ == b.factor_ &&
         a.context_->compatible(*b.context_) && a.residues() == b.residues();
}

std::optional<double> Ciphertext::predicted_noise_budget_bits() const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (!noise_.known()) return std::nullopt;
  return context_->noise_model().budget_bits(noise_, level_);
}

WordPtr Ciphertext::part(std::size_t i) { return data() + part_offset(i); }
ConstWordPtr Ciphertext::part(std::size_t i) const { return data() + part_offset(i); }

std::size_t Ciphertext::part_offset(std::size_t i) const {
  if (i >= size_)
    throw ParameterError("i = " + std::to_string(i) + ": the ciphertext has " + std::to_string(size_) +
                         " parts");
  return i * context_->ring_q(level_).words();
}

}  // namespace nttforge::rlwe
