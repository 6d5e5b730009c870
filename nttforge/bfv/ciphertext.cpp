// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/ciphertext.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"

namespace nttforge::bfv {
namespace {

void check_residues(const Context& context, std::size_t size, std::span<const std::uint64_t> residues) {
  const std::size_t n = context.n(), k = context.limbs();
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

Ciphertext::Ciphertext(ContextPtr context, std::size_t size, Encoding encoding) : encoding_(encoding) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  if (size != 2 && size != kMaxSize)
    throw ParameterError("size = " + std::to_string(size) + " is not allowed: a ciphertext has 2 or 3 parts");
  require_encoding(*context, encoding);
  words_ = context->queue().allocate(size * context->ring_q().words());
  size_ = size;
  context_ = std::move(context);
}

Ciphertext::Ciphertext(ContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
                       Encoding encoding, const Noise& noise) {
  Ciphertext result(std::move(context), size, encoding);
  check_residues(*result.context_, size, residues);
  result.context_->queue().upload(residues, result.data());
  result.set_noise(noise);
  *this = std::move(result);
}

Ciphertext::Ciphertext(const Ciphertext& other) {
  if (other.empty()) return;
  words_ = other.context_->queue().allocate(other.words());
  other.context_->queue().copy(other.data(), words_.data(), other.words());
  size_ = other.size_;
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
  const NoiseModel& model = context_->noise_model();
  set_noise(source == NoiseSource::fresh_secret ? model.fresh_secret() : model.fresh_public());
  noise_source_ = source;
}

std::size_t Ciphertext::words() const { return empty() ? 0 : size_ * context_->ring_q().words(); }

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
  return a.size_ == b.size_ && a.encoding_ == b.encoding_ && a.context_->compatible(*b.context_) &&
         a.residues() == b.residues();
}

std::optional<double> Ciphertext::predicted_noise_budget_bits() const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (!noise_.known()) return std::nullopt;
  return context_->noise_model().budget_bits(noise_);
}

WordPtr Ciphertext::part(std::size_t i) {
  std::as_const(*this).part(i);  // throws unless i is a part
  return data() + i * context_->ring_q().words();
}
ConstWordPtr Ciphertext::part(std::size_t i) const {
  if (i >= size_)
    throw ParameterError("i = " + std::to_string(i) + ": the ciphertext has " + std::to_string(size_) +
                         " parts");
  return data() + i * context_->ring_q().words();
}

}  // namespace nttforge::bfv
