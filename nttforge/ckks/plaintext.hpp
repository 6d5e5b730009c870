// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "nttforge/ckks/context.hpp"
#include "nttforge/rlwe/ciphertext.hpp"
#include "nttforge/rlwe/polynomial.hpp"

namespace nttforge::ckks {

/// How numbers become a polynomial; what is said here, not what the numbers are, is what ciphertexts tell.
struct Encode {
  std::size_t slots = 0;                ///< of the message, which the ring repeats; 0: n/2
  std::size_t level = 0;                ///< 0: the highest
  std::optional<DoubleDouble> scale{};  ///< none: that of the level
  double bound = 1;       ///< every number is at most this, or each of both parts of a complex one
  bool real = false;      ///< the imaginary parts are 0: what is decrypted is real too
  std::size_t batch = 1;  ///< messages, one after the other
  Encoding encoding = Encoding::slots;
  Form form = Form::coefficients;  ///< of the polynomials that messages in slots become
};

/// A batch of encoded messages modulo the primes of a level, in coefficients or in values. A value: copies
/// are deep. Concurrent const use is safe.
class Plaintext {
 public:
  Plaintext() = default;  ///< empty; assign before use
  /// values [batch][m], m <= slots; the other slots are 0. throws SizeError; ParameterError for what is not
  /// finite, beyond the bound, or not real where that was said, and for options out of range; PrecisionError
  /// where they do not fit below the modulus.
  Plaintext(ContextPtr context, std::span<const std::complex<double>> values, const Encode& options);
  /// The same of numbers in the memory of the context's device, rows of as many for each message.
  Plaintext(ContextPtr context, const NumberRows& numbers, const Encode& options);
  /// coefficients [batch][m], m <= n, real: a polynomial, whose product is the negacyclic one.
  Plaintext(ContextPtr context, std::span<const double> coefficients, const Encode& options);

  /// The same polynomials in a form: a copy, or this one where it is no longer needed.
  Plaintext in(Form form) const& { return Plaintext(polynomial_.in(form)); }
  Plaintext in(Form form) && { return Plaintext(std::move(polynomial_).in(form)); }
  Form form() const { return polynomial_.form(); }
  bool empty() const { return polynomial_.empty(); }
  std::size_t level() const { return polynomial_.level(); }
  std::size_t batch() const { return polynomial_.batch(); }
  const RlweContextPtr& context() const { return polynomial_.context(); }
  /// As a ciphertext of one part.
  const Ciphertext& polynomial() const { return polynomial_; }

 private:
  template <class Place>
  Plaintext(ContextPtr context, std::size_t size, const Encode& options, const Place& place);
  explicit Plaintext(Ciphertext polynomial) : polynomial_(std::move(polynomial)) {}

  Ciphertext polynomial_;
};

/// What polynomials of messages in slots say. throws as Plaintext, for options.
Meta encoded_meta(const Context& context, const Encode& options);

/// What numbers in the memory of the context's device are, rows of as many for each message, n/2 at most.
/// Waits.
EmbeddedRange range_of(const Context& context, const NumberRows& numbers, std::size_t batch);

/// Messages of so many slots one behind the other, times a scale, transformed modulo the primes of a level
/// and the special ones: the factors of linear maps (circuits/linear_map.hpp), as short as the longest period
/// of one is.
Polynomial encode_factors(const ContextPtr& context, std::span<const std::complex<double>> values,
                          std::size_t slots, const DoubleDouble& scale, std::size_t level);

}  // namespace nttforge::ckks
