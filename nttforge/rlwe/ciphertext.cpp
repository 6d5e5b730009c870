// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/ciphertext.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/multi/copy.hpp"

namespace nttforge::rlwe {
namespace {

void check_residues(const RlweContext& context, std::size_t batch, std::size_t size, std::size_t k,
                    std::span<const std::uint64_t> residues) {
  const std::size_t n = context.n();
  if (residues.size() != batch * size * k * n)
    throw SizeError("residues.size() = " + std::to_string(residues.size()) + ", expected " +
                    (batch == 1 ? "size" : "batch x size") +
                    " x limbs x n = " + (batch == 1 ? "" : std::to_string(batch) + " x ") +
                    std::to_string(size) + " x " + std::to_string(k) + " x " + std::to_string(n) + " = " +
                    std::to_string(batch * size * k * n));
  for (std::size_t i = 0; i < residues.size(); ++i) {
    const std::size_t limb = i / n % k;
    const std::uint64_t q = context.parameters().q[limb];
    if (residues[i] >= q)
      throw ParameterError(
          "residues: " + (batch == 1 ? "" : "element " + std::to_string(i / n / k / size) + ", ") + "part " +
          std::to_string(i / n / k % size) + ", limb " + std::to_string(limb) + ", position " +
          std::to_string(i % n) + " is " + std::to_string(residues[i]) +
          ", out of range [0, q = " + std::to_string(q) + ")");
  }
}

}  // namespace

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding)
    : Ciphertext(context, size, encoding, require_context(context)->limbs()) {}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding, std::size_t level,
                       std::size_t batch)
    : encoding_(encoding) {
  require_context(context);
  require_batch(batch);
  if (size != 2 && size != kMaxSize)
    throw ParameterError("size = " + std::to_string(size) + " is not allowed: a ciphertext has 2 or 3 parts");
  if (level < context->lowest_level() || level > context->limbs())
    throw ParameterError("level = " + std::to_string(level) + " is out of range [" +
                         std::to_string(context->lowest_level()) + ", " + std::to_string(context->limbs()) +
                         "] of these parameters");
  context->require_encoding(encoding);
  const MemoryPurpose purpose("a ciphertext or a batch of them");
  words_ = context->queue().allocate(context->ring_q(level), batch * size);
  batch_ = batch;
  size_ = size;
  level_ = level;
  context_ = std::move(context);
}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
                       Encoding encoding, const Noise& noise, std::size_t batch)
    : Ciphertext(context, size, require_context(context)->limbs(), residues, encoding, noise, batch) {}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, std::size_t level,
                       std::span<const std::uint64_t> residues, Encoding encoding, const Noise& noise,
                       std::size_t batch) {
  Ciphertext result(std::move(context), size, encoding, level, batch);
  const std::vector<std::uint64_t> copy(residues.begin(), residues.end());  // others may write to residues
  check_residues(*result.context_, batch, size, level, copy);
  result.context_->queue().upload(copy, result.data());
  result.set_noise(noise);
  *this = std::move(result);
}

Ciphertext::Ciphertext(const Ciphertext& other) {
  if (other.empty()) return;
  words_ = other.context_->queue().allocate(other.words(), other.words_.word_bits());
  other.context_->queue().copy(other.data(), words_.data(), other.words());
  batch_ = other.batch_;
  copy_properties(other);
  context_ = other.context_;
}

void Ciphertext::copy_properties(const Ciphertext& other) {
  size_ = other.size_;
  level_ = other.level_;
  factor_ = other.factor_;
  encoding_ = other.encoding_;
  noise_ = other.noise_;
  noise_source_ = other.noise_source_;
  seed_ = other.seed_;
  stored_bits_ = other.stored_bits_;
}

void Ciphertext::overwrite(const Ciphertext& other) {
  if (empty() || other.empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_compatible(*context_, other.context_, "the other ciphertext");
  require_same_encoding(encoding_, "this ciphertext", other.encoding_, "the other one");
  const auto shape = [](const Ciphertext& x) {
    return "a batch of " + std::to_string(x.batch_) + ", " + std::to_string(x.size_) + " parts, level " +
           std::to_string(x.level_) + ", correction factor " + std::to_string(x.factor_);
  };
  if (shape(*this) != shape(other))
    throw ParameterError("the other ciphertext has " + shape(other) + " and this one " + shape(*this) +
                         ": they must agree");
  if (!other.noise_.within(noise_))
    throw ParameterError(
        "the other ciphertext may have more noise than this one, whose bound the results have: record with "
        "an example that has at least as much, or of unknown noise");
  context_->queue().copy(other.data(), words_.data(), other.words());
  set_seed(std::nullopt);
}

void Ciphertext::require_same_kind(const Ciphertext& a, std::string_view name_a, const Ciphertext& b,
                                   std::string_view name_b) {
  if (a.size_ == b.size_ && a.level_ == b.level_ && a.factor_ == b.factor_) return;
  const auto kind = [](const Ciphertext& x) {
    return std::to_string(x.size_) + " parts at level " + std::to_string(x.level_) +
           " with correction factor " + std::to_string(x.factor_);
  };
  throw ParameterError(std::string(name_a) + " has " + kind(a) + " and " + std::string(name_b) + " " +
                       kind(b) + ": a batch needs the same of all");
}

Ciphertext Ciphertext::element(std::size_t e) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_element(e, batch_);
  Ciphertext result(context_, size_, encoding_, level_);
  context_->queue().copy(part(0, e), result.data(), element_words());
  result.copy_properties(*this);
  if (e != 0) result.seed_.reset();  // its stream has the index e, a single ciphertext's the index 0
  return result;
}

Ciphertext Ciphertext::stack(std::span<const Ciphertext* const> terms) {
  if (terms.empty()) throw SizeError("terms is empty: a batch has at least one ciphertext");
  std::size_t batch = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = "terms[" + std::to_string(i) + "]";
    if (terms[i] == nullptr || terms[i]->empty())
      throw ContextError(name + " is empty: assign it before use");
    const Ciphertext &first = *terms[0], &term = *terms[i];
    require_compatible(*first.context_, term.context_, name);
    require_same_encoding(first.encoding_, "terms[0]", term.encoding_, name);
    require_same_kind(term, name, first, "terms[0]");
    batch += term.batch_;
  }
  const Ciphertext& first = *terms[0];
  Ciphertext result(first.context_, first.size_, first.encoding_, first.level_, batch);
  result.copy_properties(first);
  if (terms.size() > 1) result.seed_.reset();
  std::size_t e = 0;
  for (const Ciphertext* term : terms) {
    first.context_->queue().copy(term->data(), result.part(0, e), term->words());
    e += term->batch_;
    result.include(*term);
  }
  return result;
}

Ciphertext Ciphertext::room(std::size_t batch, const RlweContextPtr& context) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_equal_parameters(*context_, *require_context(context));
  Ciphertext result(context, size_, encoding_, level_, batch);
  result.copy_properties(*this);
  result.seed_.reset();
  return result;
}

void Ciphertext::put(std::size_t first, const Ciphertext& part) {
  if (empty() || part.empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_equal_parameters(*part.context_, *context_);
  require_same_encoding(encoding_, "the batch", part.encoding_, "a part of it");
  require_same_kind(part, "a part", *this, "the batch");
  require_elements(first, part.batch_, batch_);
  multi::copy_between(part.context_->queue(), part.data(), context_->queue(), this->part(0, first),
                      part.words());
}

void Ciphertext::include(const Ciphertext& part) {
  if (part.stored_bits_ != stored_bits_) stored_bits_ = {};
  if (part.noise_source_ == noise_source_ && part.noise_ == noise_) return;
  restore_noise(largest(noise_, part.noise_));
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
  result.batch_ = batch_;
  result.copy_properties(*this);
  result.context_ = context;
  return result;
}

Ciphertext Ciphertext::elements(std::size_t first, std::size_t count, const RlweContextPtr& context) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_elements(first, count, batch_);
  Ciphertext result = room(count, context);
  multi::copy_between(context_->queue(), part(0, first), context->queue(), result.data(), result.words());
  if (first == 0) result.seed_ = seed_;  // the streams of other elements have other indices
  return result;
}

void Ciphertext::set_noise(const Noise& noise) {
  stored_bits_ = {};
  noise_ = rounded(noise);
  noise_source_ = noise_.known() ? NoiseSource::computed : NoiseSource::unknown;
}

void Ciphertext::restore_noise(const Noise& noise) {
  const StoredBits bits = stored_bits_;  // the words stay
  set_noise(noise);
  noise_.proved = noise.proved;
  stored_bits_ = bits;
}

void Ciphertext::set_fresh_noise(NoiseSource source, bool proved) {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (source != NoiseSource::fresh_secret && source != NoiseSource::fresh_public)
    throw ParameterError(
        "source = " + std::to_string(static_cast<unsigned>(source)) +
        " is no key's: fresh ciphertexts are made by the secret key (1) or the public key (2)");
  const RlweNoiseModel& model = context_->noise_model();
  set_noise(source == NoiseSource::fresh_secret ? model.fresh_secret() : model.fresh_public());
  noise_source_ = source;
  if (!proved) noise_.proved = {};
}

std::size_t Ciphertext::element_words() const {
  return empty() ? 0 : size_ * context_->ring_q(level_).words();
}

std::size_t Ciphertext::words() const { return batch_ * element_words(); }

std::vector<std::uint64_t> Ciphertext::residues() const {
  std::vector<std::uint64_t> result(words());
  residues(result);
  return result;
}

void Ciphertext::residues(std::span<std::uint64_t> out) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (out.size() != words())
    throw SizeError("out.size() = " + std::to_string(out.size()) + ", expected " +
                    (batch_ == 1 ? "size" : "batch x size") + " x limbs x n = " + std::to_string(words()));
  context_->queue().download(data(), out);
}

bool operator==(const Ciphertext& a, const Ciphertext& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.batch_ == b.batch_ && a.size_ == b.size_ && a.encoding_ == b.encoding_ && a.level_ == b.level_ &&
         a.factor_ == b.factor_ && a.context_->compatible(*b.context_) && a.residues() == b.residues();
}

std::optional<double> Ciphertext::predicted_noise_budget_bits() const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (!noise_.known()) return std::nullopt;
  return context_->noise_model().budget_bits(noise_, level_);
}

std::optional<double> Ciphertext::proved_noise_budget_bits() const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (!noise_.proved.known()) return std::nullopt;
  return context_->noise_model().proved_budget_bits(noise_, level_);
}

WordPtr Ciphertext::part(std::size_t i, std::size_t element) { return data() + part_offset(i, element); }
ConstWordPtr Ciphertext::part(std::size_t i, std::size_t element) const {
  return data() + part_offset(i, element);
}

std::size_t Ciphertext::part_offset(std::size_t i, std::size_t element) const {
  if (i >= size_)
    throw ParameterError("i = " + std::to_string(i) + ": the ciphertext has " + std::to_string(size_) +
                         " parts");
  require_element(element, batch_);
  return (element * size_ + i) * context_->ring_q(level_).words();
}

}  // namespace nttforge::rlwe
