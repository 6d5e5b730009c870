// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/plaintext.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/encode.hpp"
#include "nttforge/multi/copy.hpp"

namespace nttforge::integer_encoding {

Plaintext::Plaintext(IntegerContextPtr context, Encoding encoding, std::size_t batch)
    : Plaintext(uninitialized(std::move(context), encoding, batch)) {
  context_->queue().fill_zero(words_.data(), words());
}

Plaintext Plaintext::uninitialized(IntegerContextPtr context, Encoding encoding, std::size_t batch) {
  require_context(context)->require_encoding(encoding);
  require_batch(batch);
  const MemoryPurpose purpose("a plaintext or a batch of them");
  Plaintext result;
  result.words_ = context->queue().allocate_secret(batch * context->n());
  result.batch_ = batch;
  result.encoding_ = encoding;
  result.context_ = std::move(context);
  return result;
}

Plaintext::Plaintext(IntegerContextPtr context, std::span<const std::uint64_t> coefficients,
                     Encoding encoding, std::size_t batch)
    : batch_(batch), encoding_(encoding) {
  require_context(context)->require_encoding(encoding);
  const StackWipe wipe(StackDepth::shallow);
  const std::size_t n = context->n(), width = row_width(coefficients.size(), batch, n, "coefficients");
  SecretVector<std::uint64_t> padded(batch * n, 0);
  const auto copy = [t = context->t()](std::span<const std::uint64_t> row, std::uint64_t* to) {
    return copy_below(row, t, to);
  };
  if (!copy_rows(coefficients, width, n, padded.data(), copy))
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      if (coefficients[i] >= context->t())
        throw ParameterError("coefficients" + index_text(i, width, batch) + " = " +
                             std::to_string(coefficients[i]) +
                             " is out of range [0, t = " + std::to_string(context->t()) + ")");
  words_ = context->queue().allocate_secret(padded.size());
  context->queue().upload(padded, words_.data());
  context_ = std::move(context);
}

Plaintext Plaintext::constant(IntegerContextPtr context, std::int64_t value, Encoding encoding) {
  const std::uint64_t t = require_context(context)->t();
  const std::int64_t low = signed_low(t), high = signed_high(t);
  if (value < low || value > high)
    throw ParameterError("value = " + std::to_string(value) + " is out of range [" + std::to_string(low) +
                         ", " + std::to_string(high) + "] for t = " + std::to_string(t) +
                         "; scale the data down or choose a larger t");
  const std::uint64_t residue =
      static_cast<std::uint64_t>(value) + (static_cast<std::uint64_t>(value >> 63) & t);
  return Plaintext(std::move(context), {&residue, 1}, encoding);
}

Plaintext Plaintext::stack(std::span<const Plaintext* const> terms) {
  if (terms.empty()) throw SizeError("terms is empty: a batch has at least one plaintext");
  std::size_t batch = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = "terms[" + std::to_string(i) + "]";
    if (terms[i] == nullptr || terms[i]->empty())
      throw ContextError(name + " is empty: assign it before use");
    require_compatible(*terms[0]->context_, terms[i]->context_, name);
    require_same_encoding(terms[0]->encoding_, "terms[0]", terms[i]->encoding_, name);
    batch += terms[i]->batch_;
  }
  Plaintext result(terms[0]->context_, terms[0]->encoding_, batch);
  WordPtr out = result.data();
  for (const Plaintext* term : terms) {
    result.context_->queue().copy(term->data(), out, term->words());
    out += term->words();
  }
  return result;
}

Plaintext Plaintext::element(std::size_t e) const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  require_element(e, batch_);
  Plaintext result(context_, encoding_);
  context_->queue().copy(data() + e * context_->n(), result.data(), context_->n());
  return result;
}

std::size_t Plaintext::words() const { return empty() ? 0 : batch_ * context_->n(); }

Plaintext::Plaintext(const Plaintext& other) {
  if (other.empty()) return;
  batch_ = other.batch_;
  encoding_ = other.encoding_;
  const Queue& queue = other.context_->queue();
  words_ = queue.allocate_secret(other.words());
  queue.copy(other.data(), words_.data(), other.words());
  context_ = other.context_;
}

Plaintext& Plaintext::operator=(const Plaintext& other) {
  if (this != &other) *this = Plaintext(other);
  return *this;
}

Plaintext Plaintext::to(const IntegerContextPtr& context) const {
  require_context(context);
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  Plaintext result;
  result.words_ = moved(words_, *context_, *context, Secrecy::secret);
  result.batch_ = batch_;
  result.encoding_ = encoding_;
  result.context_ = context;
  return result;
}

Plaintext Plaintext::elements(std::size_t first, std::size_t count, const IntegerContextPtr& context) const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  require_elements(first, count, batch_);
  require_equal_parameters(*context_, *require_context(context));
  Plaintext result = uninitialized(context, encoding_, count);
  multi::copy_between(context_->queue(), data() + first * context_->n(), context->queue(), result.data(),
                      result.words());
  return result;
}

std::vector<std::uint64_t> Plaintext::coefficients() const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  std::vector<std::uint64_t> result(words());
  coefficients(result);
  return result;
}

void Plaintext::coefficients(std::span<std::uint64_t> out) const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  require_values(out.size(), *this);
  const StackWipe wipe(StackDepth::shallow);
  context_->queue().download(data(), out);
}

bool operator==(const Plaintext& a, const Plaintext& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  if (a.batch_ != b.batch_ || a.encoding_ != b.encoding_ || !a.context_->compatible(*b.context_))
    return false;
  SecretVector<std::uint64_t> left(a.words()), right(left.size());
  a.coefficients(left);
  b.coefficients(right);
  return left == right;
}

namespace {

/// Centred and transformed.
DeviceArray transformed(const Plaintext& plaintext, const RingTables& ring) {
  const IntegerContext& context = *plaintext.context();
  DeviceArray words = context.queue().allocate_secret(ring, plaintext.batch());
  context.queue().lift_plain(ring, context.t(), plaintext.data(), words.data(), plaintext.batch());
  context.queue().forward(ring, words.data(), plaintext.batch());
  return words;
}

/// The sum of the absolute values of its centred coefficients.
std::vector<double> norms_of(const Plaintext& plaintext) {
  const IntegerContext& context = *plaintext.context();
  const std::size_t batch = plaintext.batch();
  DeviceArray norms = context.queue().allocate_secret(2 * batch);
  context.queue().sum_centred(context.t(), plaintext.data(), context.n(), norms.data(), batch);
  SecretVector<std::uint64_t> sums(2 * batch);
  context.queue().download(norms.data(), sums);
  std::vector<double> result;
  for (std::size_t e = 0; e < batch; ++e)
    result.push_back(std::ldexp(static_cast<double>(sums[2 * e + 1]), 64) + static_cast<double>(sums[2 * e]));
  return result;
}

}  // namespace

PreparedPlaintext::PreparedPlaintext(const Plaintext& plaintext)
    : batch_(plaintext.batch()), encoding_(plaintext.encoding()) {
  if (plaintext.empty()) throw ContextError("plaintext is empty: assign it before use");
  const StackWipe wipe(StackDepth::shallow);
  words_ = transformed(plaintext, plaintext.context()->ring_q());
  norms_ = norms_of(plaintext);
  context_ = plaintext.context();
}

Polynomial prepare_factors(const Plaintext& plaintext) {
  if (plaintext.empty()) throw ContextError("plaintext is empty: assign it before use");
  const StackWipe wipe(StackDepth::shallow);
  const IntegerContextPtr& context = plaintext.context();
  return {context, plaintext.encoding(), transformed(plaintext, context->ring_key()), norms_of(plaintext)};
}

double PreparedPlaintext::norm() const {
  return norms_.empty() ? 0 : *std::max_element(norms_.begin(), norms_.end());
}

ConstWordPtr PreparedPlaintext::data(std::size_t element) const {
  if (empty()) throw ContextError("prepared plaintext is empty: assign it before use");
  require_element(element, batch_);
  return words_.data() + element * context_->ring_q().words();
}

}  // namespace nttforge::integer_encoding
