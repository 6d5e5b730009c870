// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/context.hpp"

namespace nttforge::integer_encoding {

/// A polynomial modulo t: n coefficients in [0, t), in the device's memory, and what they encode. A value:
/// copies are deep. Made by an encoder, a decryptor or from coefficients. Concurrent const use is safe.
class Plaintext {
 public:
  Plaintext() = default;  ///< empty; assign before use
  /// Zero. throws UnsupportedError if these parameters have no such encoding (here and below).
  explicit Plaintext(IntegerContextPtr context, Encoding encoding = Encoding::coefficients);
  /// coefficients: at most n values in [0, t), the rest is zero. throws SizeError, ParameterError naming
  /// index and value.
  Plaintext(IntegerContextPtr context, std::span<const std::uint64_t> coefficients,
            Encoding encoding = Encoding::coefficients);
  /// `value` in every slot, or the constant polynomial: the same coefficients. throws ParameterError unless
  /// value is in [-floor(t/2), floor((t-1)/2)].
  static Plaintext constant(IntegerContextPtr context, std::int64_t value, Encoding encoding);
  Plaintext(const Plaintext& other);
  Plaintext(Plaintext&& other) noexcept = default;
  Plaintext& operator=(const Plaintext& other);
  Plaintext& operator=(Plaintext&& other) noexcept = default;
  ~Plaintext() = default;

  /// A copy in another context of equal parameters, perhaps on another device. throws ContextError.
  Plaintext to(const IntegerContextPtr& context) const;

  bool empty() const { return context_ == nullptr; }
  const IntegerContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::vector<std::uint64_t> coefficients() const;        ///< downloads n values
  void coefficients(std::span<std::uint64_t> out) const;  ///< into caller's memory, n values
  /// Same parameters, encoding and coefficients.
  friend bool operator==(const Plaintext& a, const Plaintext& b);

  WordPtr data() { return words_.data(); }  ///< device memory, [n]
  ConstWordPtr data() const { return words_.data(); }

 private:
  IntegerContextPtr context_;
  DeviceArray words_;
  Encoding encoding_ = Encoding::coefficients;
};

/// A plaintext lifted to Q and transformed once, for many multiplications. Immutable; copies share.
class PreparedPlaintext {
 public:
  PreparedPlaintext() = default;
  explicit PreparedPlaintext(const Plaintext& plaintext);  ///< throws ContextError if empty

  bool empty() const { return context_ == nullptr; }
  const IntegerContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  ConstWordPtr data() const { return words_.data(); }  ///< device memory, [k][n], transformed

  /// Sum of the absolute values of the centred coefficients, for the noise prediction.
  double norm() const { return norm_; }

 private:
  IntegerContextPtr context_;
  DeviceArray words_;
  Encoding encoding_ = Encoding::coefficients;
  double norm_ = 0;
};

}  // namespace nttforge::integer_encoding
