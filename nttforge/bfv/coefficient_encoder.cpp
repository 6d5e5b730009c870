#include "nttforge/bfv/coefficient_encoder.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/encode.hpp"

namespace nttforge::bfv {

CoefficientEncoder::CoefficientEncoder(ContextPtr context) : context_(std::move(context)) {
  if (context_ == nullptr) throw ContextError("context is null: make one with Context::create");
}

Plaintext CoefficientEncoder::encode(std::span<const std::uint64_t> values) const {
  return Plaintext(context_, checked_values(*context_, values));
}

Plaintext CoefficientEncoder::encode(std::span<const std::int64_t> values) const {
  return Plaintext(context_, checked_values(*context_, values));
}

std::vector<std::uint64_t> CoefficientEncoder::decode(const Plaintext& plaintext) const {
  require_compatible(*context_, plaintext.context(), "plaintext");
  return plaintext.coefficients();
}

std::vector<std::int64_t> CoefficientEncoder::decode_signed(const Plaintext& plaintext) const {
  const std::vector<std::uint64_t> values = decode(plaintext);
  std::vector<std::int64_t> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = centred(values[i], context_->t());
  return result;
}

}  // namespace nttforge::bfv
