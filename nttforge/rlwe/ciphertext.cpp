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

void check_residues(const RlweContext& context, std::size_t batch, std::size_t size,
                    std::span<const std::uint64_t> moduli, std::span<const std::uint64_t> residues) {
  const std::size_t n = context.n(), k = moduli.size();
  if (residues.size() != batch * size * k * n)
    throw SizeError("residues.size() = " + std::to_string(residues.size()) + ", expected " +
                    (batch == 1 ? "size" : "batch x size") +
                    " x limbs x n = " + (batch == 1 ? "" : std::to_string(batch) + " x ") +
                    std::to_string(size) + " x " + std::to_string(k) + " x " + std::to_string(n) + " = " +
                    std::to_string(batch * size * k * n));
  for (std::size_t i = 0; i < residues.size(); ++i) {
    const std::size_t limb = i / n % k;
    const std::uint64_t q = moduli[limb];
    if (residues[i] >= q)
      throw ParameterError(
          "residues: " + (batch == 1 ? "" : "element " + std::to_string(i / n / k / size) + ", ") + "part " +
          std::to_string(i / n / k % size) + ", limb " + std::to_string(limb) + ", position " +
          std::to_string(i % n) + " is " + std::to_string(residues[i]) +
          ", out of range [0, q = " + std::to_string(q) + ")");
  }
}

}  // namespace

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, const Meta& meta, std::size_t batch) {
  require_context(context);
  require_batch(batch);
  if (size < 1 || size > kMaxSize)
    throw ParameterError("size = " + std::to_string(size) +
                         " is not allowed: a ciphertext has 2 or 3 parts, a plaintext 1");
  if (meta.level < context->lowest_level() || meta.level > context->top_level())
    throw ParameterError("level = " + std::to_string(meta.level) + " is out of range [" +
                         std::to_string(context->lowest_level()) + ", " +
                         std::to_string(context->top_level()) + "] of these parameters");
  context->require_encoding(meta.encoding);
  const MemoryPurpose purpose("a ciphertext or a batch of them");
  const RingTables& ring = context->ring_q(meta.level);
  words_ = size == 1 ? context->queue().allocate_secret(ring, batch)
                     : context->queue().allocate(ring, batch * size);
  batch_ = batch;
  size_ = size;
  meta_ = meta;
  context_ = std::move(context);
}

Ciphertext::Ciphertext(RlweContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
                       const Meta& meta, std::size_t batch) {
  Ciphertext result(std::move(context), size, meta, batch);
  const std::vector<std::uint64_t> copy(residues.begin(), residues.end());  // others may write to residues
  const std::span<const std::uint64_t> moduli = result.context_->parameters().moduli(meta.level);
  check_residues(*result.context_, batch, size, moduli, copy);
  const Queue& queue = result.context_->queue();
  queue.upload(copy, result.data());
  if (meta.form == Form::values)
    queue.forward(result.context_->ring_q(meta.level), result.data(), result.polynomials());
  *this = std::move(result);
}

Ciphertext::Ciphertext(const Ciphertext& other) {
  if (other.empty()) return;
  const Queue& queue = other.context_->queue();
  const unsigned bits = other.words_.word_bits();
  words_ =
      other.size_ == 1 ? queue.allocate_secret(other.words(), bits) : queue.allocate(other.words(), bits);
  queue.copy(other.data(), words_.data(), other.words());
  batch_ = other.batch_;
  size_ = other.size_;
  meta_ = other.meta_;
  context_ = other.context_;
}

void Ciphertext::overwrite(const Ciphertext& other) {
  if (empty() || other.empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_compatible(*context_, other.context_, "the other ciphertext");
  require_same_kind(other, "the other ciphertext", *this, "this one");
  if (other.batch_ != batch_)
    throw ParameterError("the other ciphertext has a batch of " + std::to_string(other.batch_) +
                         " and this one " + std::to_string(batch_) + ": they must agree");
  if (!other.noise().within(noise()) || other.meta_.numbers.bound > meta_.numbers.bound ||
      meta_.numbers.real > other.meta_.numbers.real)
    throw ParameterError(
        "the other ciphertext may have more noise than this one, whose bound the results have: record with "
        "an example that has at least as much, or of unknown noise");
  context_->queue().copy(other.data(), words_.data(), other.words());
  meta_.seed.reset();
  meta_.stored_bits = {};
}

void Ciphertext::require_same_kind(const Ciphertext& a, std::string_view name_a, const Ciphertext& b,
                                   std::string_view name_b) {
  require_same_encoding(a.encoding(), name_a, b.encoding(), name_b);
  const auto kind = [](const Ciphertext& x) {
    return std::to_string(x.size_) + " parts, " + describe(x.meta_);
  };
  if (kind(a) != kind(b))
    throw ParameterError(std::string(name_a) + " has " + kind(a) + " and " + std::string(name_b) + " " +
                         kind(b) + ": they must agree");
}

Ciphertext Ciphertext::element(std::size_t e) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_element(e, batch_);
  // The stream of another element than the first has another index than a single ciphertext's.
  Ciphertext result(context_, size_, e == 0 ? meta_ : meta_.without_seed());
  context_->queue().copy(part(0, e), result.data(), element_words());
  return result;
}

std::vector<Ciphertext> Ciphertext::views() const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  std::vector<Ciphertext> result(batch_);
  for (std::size_t e = 0; e < batch_; ++e) {
    result[e].context_ = context_;
    result[e].words_ = words_.part(e * element_words(), element_words());
    result[e].batch_ = 1;
    result[e].size_ = size_;
    result[e].meta_ = e == 0 ? meta_ : meta_.without_seed();
  }
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
    require_same_kind(term, name, first, "terms[0]");
    batch += term.batch_;
  }
  const Ciphertext& first = *terms[0];
  Ciphertext result(first.context_, first.size_, terms.size() > 1 ? first.meta_.without_seed() : first.meta_,
                    batch);
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
  return Ciphertext(context, size_, meta_.without_seed(), batch);
}

void Ciphertext::put(std::size_t first, const Ciphertext& part) {
  if (empty() || part.empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_equal_parameters(*part.context_, *context_);
  require_same_kind(part, "a part", *this, "the batch");
  require_elements(first, part.batch_, batch_);
  multi::copy_between(part.context_->queue(), part.data(), context_->queue(), this->part(0, first),
                      part.words());
}

Ciphertext& Ciphertext::operator=(const Ciphertext& other) {
  if (this != &other) *this = Ciphertext(other);
  return *this;
}

Ciphertext Ciphertext::in(Form form) const& { return Ciphertext(*this).in(form); }

Ciphertext Ciphertext::in(Form form) && {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  if (form != this->form()) {
    const RingTables& ring = context_->ring_q(level());
    if (form == Form::values)
      context_->queue().forward(ring, data(), polynomials());
    else
      context_->queue().inverse(ring, data(), polynomials());
    meta_.form = form;
    meta_.stored_bits = {};
  }
  return std::move(*this);
}

Ciphertext Ciphertext::to(const RlweContextPtr& context) const {
  require_context(context);
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  Ciphertext result;
  result.words_ = moved(words_, *context_, *context, size_ == 1 ? Secrecy::secret : Secrecy::open);
  result.batch_ = batch_;
  result.size_ = size_;
  result.meta_ = meta_;
  result.context_ = context;
  return result;
}

Ciphertext Ciphertext::elements(std::size_t first, std::size_t count, const RlweContextPtr& context) const {
  if (empty()) throw ContextError("ciphertext is empty: assign it before use");
  require_elements(first, count, batch_);
  Ciphertext result = room(count, context);
  multi::copy_between(context_->queue(), part(0, first), context->queue(), result.data(), result.words());
  if (first == 0) result.meta_.seed = meta_.seed;  // the streams of other elements have other indices
  return result;
}

void Ciphertext::set_meta(const Meta& meta) {
  if (meta.level != level() || meta.form != form())
    throw ParameterError("meta says " + describe(meta) + ", and the words are of " + describe(meta_) +
                         ": level and form must agree");
  meta_ = meta;
}

void Ciphertext::set_noise(const Noise& noise) {
  const std::optional<Seed> seed = meta_.seed;
  meta_ = meta_.computed(noise);
  meta_.seed = seed;
}

std::size_t Ciphertext::element_words() const {
  return empty() ? 0 : size_ * context_->ring_q(level()).words();
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
  if (form() == Form::values) return in(Form::coefficients).residues(out);
  context_->queue().download(data(), out);
}

bool operator==(const Ciphertext& a, const Ciphertext& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.batch_ == b.batch_ && a.size_ == b.size_ &&
         static_cast<const CiphertextKind&>(a.meta_) == b.meta_ && a.context_->compatible(*b.context_) &&
         a.residues() == b.residues();
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
  return (element * size_ + i) * context_->ring_q(level()).words();
}

}  // namespace nttforge::rlwe
