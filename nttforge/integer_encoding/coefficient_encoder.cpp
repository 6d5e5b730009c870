// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/coefficient_encoder.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/integer_encoding/encode.hpp"

namespace nttforge::integer_encoding {

namespace {

template <class T>
Plaintext upload_coefficients(const IntegerContextPtr& context, std::span<const T> values,
                              std::size_t batch) {
  require_batch(batch);
  Plaintext result = Plaintext::uninitialized(context, Encoding::coefficients, batch);
  upload_values(*context, values, batch, result.data());
  return result;
}

}  // namespace

CoefficientEncoder::CoefficientEncoder(IntegerContextPtr context) : context_(std::move(context)) {
  require_context(context_);
}

Plaintext CoefficientEncoder::encode(std::span<const std::uint64_t> values, std::size_t batch) const {
  const StackWipe wipe(StackDepth::shallow);
  return upload_coefficients(context_, values, batch);
}

Plaintext CoefficientEncoder::encode(std::span<const std::int64_t> values, std::size_t batch) const {
  const StackWipe wipe(StackDepth::shallow);
  return upload_coefficients(context_, values, batch);
}

Plaintext CoefficientEncoder::encode(const DeviceIntegers& values) const {
  const StackWipe wipe(StackDepth::shallow);
  Plaintext result = Plaintext::uninitialized(context_, Encoding::coefficients, values.batch);
  reduce_on_device(*context_, values, result.data());
  return result;
}

void CoefficientEncoder::decode(const Plaintext& plaintext, WordPtr out, bool centred) const {
  const StackWipe wipe(StackDepth::shallow);
  require_compatible(*context_, plaintext.context(), "plaintext");
  require_same_encoding(Encoding::coefficients, "this encoder's data", plaintext.encoding(), "plaintext");
  write_on_device(*context_, plaintext.data(), plaintext.words(), out, centred);
}

void CoefficientEncoder::decode(const Plaintext& plaintext, std::span<std::uint64_t> out) const {
  const StackWipe wipe(StackDepth::shallow);
  require_compatible(*context_, plaintext.context(), "plaintext");
  require_same_encoding(Encoding::coefficients, "this encoder's data", plaintext.encoding(), "plaintext");
  plaintext.coefficients(out);
}

void CoefficientEncoder::decode_signed(const Plaintext& plaintext, std::span<std::int64_t> out) const {
  decode_centred(*this, plaintext, out);
}

std::vector<std::uint64_t> CoefficientEncoder::decode(const Plaintext& plaintext) const {
  std::vector<std::uint64_t> result(plaintext.words());
  decode(plaintext, result);
  return result;
}

std::vector<std::int64_t> CoefficientEncoder::decode_signed(const Plaintext& plaintext) const {
  std::vector<std::int64_t> result(plaintext.words());
  decode_signed(plaintext, result);
  return result;
}

}  // namespace nttforge::integer_encoding
