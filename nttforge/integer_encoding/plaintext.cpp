// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/plaintext.hpp"

#include <cmath>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/encode.hpp"

namespace nttforge::integer_encoding {
Plaintext::Plaintext(IntegerContextPtr context, Encoding encoding)
    : words_(require_context(context)->queue().allocate_secret(context->n())), encoding_(encoding) {
  context->require_encoding(encoding);
  context->queue().fill_zero(words_.data(), context->n());
  context_ = std::move(context);
}

Plaintext::Plaintext(IntegerContextPtr context, std::span<const std::uint64_t> coefficients,
                     Encoding encoding)
    : encoding_(encoding) {
  const std::size_t n = require_context(context)->n();
  context->require_encoding(encoding);
  if (coefficients.size() > n)
    throw SizeError("coefficients.size() = " + std::to_string(coefficients.size()) +
                    " exceeds n = " + std::to_string(n) + "; split the data over several plaintexts");
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> padded(n, 0);
  if (!copy_below(coefficients, context->t(), padded.data()))
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      if (coefficients[i] >= context->t())
        throw ParameterError("coefficients[" + std::to_string(i) + "] = " + std::to_string(coefficients[i]) +
                             " is out of range [0, t = " + std::to_string(context->t()) + ")");
  words_ = context->queue().allocate_secret(n);
  context->queue().upload(padded, words_.data());
  context_ = std::move(context);
}

Plaintext Plaintext::constant(IntegerContextPtr context, std::int64_t value, Encoding encoding) {
  const std::uint64_t t = require_context(context)->t();
  const std::int64_t low = -static_cast<std::int64_t>(t / 2), high = static_cast<std::int64_t>((t - 1) / 2);
  if (value < low || value > high)
    throw ParameterError("value = " + std::to_string(value) + " is out of range [" + std::to_string(low) +
                         ", " + std::to_string(high) + "] for t = " + std::to_string(t) +
                         "; scale the data down or choose a larger t");
  const std::uint64_t residue =
      static_cast<std::uint64_t>(value) + (static_cast<std::uint64_t>(value >> 63) & t);
  return Plaintext(std::move(context), {&residue, 1}, encoding);
}

Plaintext::Plaintext(const Plaintext& other) {
  if (other.empty()) return;
  encoding_ = other.encoding_;
  const Queue& queue = other.context_->queue();
  words_ = queue.allocate_secret(other.context_->n());
  queue.copy(other.data(), words_.data(), other.context_->n());
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
  result.encoding_ = encoding_;
  result.context_ = context;
  return result;
}

std::vector<std::uint64_t> Plaintext::coefficients() const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  std::vector<std::uint64_t> result(context_->n());
  coefficients(result);
  return result;
}

void Plaintext::coefficients(std::span<std::uint64_t> out) const {
  if (empty()) throw ContextError("plaintext is empty: assign it before use");
  if (out.size() != context_->n())
    throw SizeError("out.size() = " + std::to_string(out.size()) +
                    ", expected n = " + std::to_string(context_->n()));
  const StackWipe wipe(StackDepth::shallow);
  context_->queue().download(data(), out);
}

bool operator==(const Plaintext& a, const Plaintext& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  if (a.encoding_ != b.encoding_ || !a.context_->compatible(*b.context_)) return false;
  SecretVector<std::uint64_t> left(a.context_->n()), right(left.size());
  a.coefficients(left);
  b.coefficients(right);
  return left == right;
}

PreparedPlaintext::PreparedPlaintext(const Plaintext& plaintext) : encoding_(plaintext.encoding()) {
  if (plaintext.empty()) throw ContextError("plaintext is empty: assign it before use");
  const StackWipe wipe(StackDepth::shallow);
  const IntegerContextPtr context = plaintext.context();
  const Queue& queue = context->queue();
  words_ = queue.allocate_secret(context->ring_q(), 1);
  queue.lift_plain(context->ring_q(), context->t(), plaintext.data(), words_.data(), 1);
  queue.forward(context->ring_q(), words_.data(), 1);
  DeviceArray norm = queue.allocate_secret(2);
  queue.sum_centred(context->t(), plaintext.data(), context->n(), norm.data(), 1);
  SecretArray<std::uint64_t, 2> sum;
  queue.download(norm.data(), sum.data);
  norm_ = std::ldexp(static_cast<double>(sum.data[1]), 64) + static_cast<double>(sum.data[0]);
  context_ = context;
}

}  // namespace nttforge::integer_encoding
