// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/polynomial.hpp"

namespace nttforge::integer_encoding {

/// A batch of polynomials modulo t, by default one: n coefficients in [0, t) each, [batch][n], in the
/// device's memory, and what they encode. A value: copies are deep. Made by an encoder, a decryptor or from
/// coefficients. Concurrent const use is safe.
class Plaintext {
 public:
  Plaintext() = default;  ///< empty; assign before use
  /// Zero. throws UnsupportedError if these parameters have no such encoding (here and below),
  /// ParameterError unless batch is in [1, kMaxBatch].
  explicit Plaintext(IntegerContextPtr context, Encoding encoding = Encoding::coefficients,
                     std::size_t batch = 1);
  /// coefficients [batch][m], m <= n: values in [0, t), the rest is zero. throws SizeError, ParameterError
  /// naming index and value.
  Plaintext(IntegerContextPtr context, std::span<const std::uint64_t> coefficients,
            Encoding encoding = Encoding::coefficients, std::size_t batch = 1);
  /// A batch with contents that are yet to be written, in memory that is wiped.
  static Plaintext uninitialized(IntegerContextPtr context, Encoding encoding, std::size_t batch);
  /// `value` in every slot, or the constant polynomial: the same coefficients. throws ParameterError unless
  /// value is in [-floor(t/2), floor((t-1)/2)], for t = 2 in [0, 1].
  static Plaintext constant(IntegerContextPtr context, std::int64_t value, Encoding encoding);
  /// One object of all polynomials of the terms, in order; a term may be a batch. throws SizeError for no
  /// terms, ContextError, ParameterError unless the terms agree in encoding and have at most kMaxBatch.
  static Plaintext stack(std::span<const Plaintext* const> terms);
  Plaintext(const Plaintext& other);
  Plaintext(Plaintext&& other) noexcept = default;
  Plaintext& operator=(const Plaintext& other);
  Plaintext& operator=(Plaintext&& other) noexcept = default;
  ~Plaintext() = default;

  /// A copy in another context of equal parameters, perhaps on another device. throws ContextError.
  Plaintext to(const IntegerContextPtr& context) const;
  /// The same of the elements from `first` on, `count` of them. throws SizeError unless they are there.
  Plaintext elements(std::size_t first, std::size_t count, const IntegerContextPtr& context) const;

  bool empty() const { return context_ == nullptr; }
  const IntegerContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t batch() const { return batch_; }            ///< polynomials
  std::size_t words() const;                              ///< batch n
  std::vector<std::uint64_t> coefficients() const;        ///< downloads [batch][n]
  void coefficients(std::span<std::uint64_t> out) const;  ///< into caller's memory, words() values
  Plaintext element(std::size_t e) const;  ///< copy of one; throws SizeError unless e < batch()
  /// Same parameters, batch, encoding and coefficients.
  friend bool operator==(const Plaintext& a, const Plaintext& b);

  WordPtr data() { return words_.data(); }  ///< device memory, [batch][n]
  ConstWordPtr data() const { return words_.data(); }

 private:
  IntegerContextPtr context_;
  DeviceArray words_;
  std::size_t batch_ = 0;
  Encoding encoding_ = Encoding::coefficients;
};

/// A plaintext, or a batch, lifted to Q and transformed once, for many multiplications. Immutable; copies
/// share.
class PreparedPlaintext {
 public:
  PreparedPlaintext() = default;
  explicit PreparedPlaintext(const Plaintext& plaintext);  ///< throws ContextError if empty

  bool empty() const { return context_ == nullptr; }
  const IntegerContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t batch() const { return batch_; }
  ConstWordPtr data() const { return words_.data(); }  ///< device memory, [batch][k][n], transformed
  /// The polynomial [k][n] of an element. throws SizeError unless element < batch().
  ConstWordPtr data(std::size_t element) const;

  /// Sum of the absolute values of the centred coefficients, for the noise prediction; the largest of a
  /// batch.
  double norm() const;
  double norm(std::size_t element) const { return norms_[element]; }  ///< element < batch()

 private:
  IntegerContextPtr context_;
  DeviceArray words_;
  std::size_t batch_ = 0;
  Encoding encoding_ = Encoding::coefficients;
  std::vector<double> norms_;
};

/// Plaintexts as the factors of a linear map: lifted to the primes of keys and transformed. throws
/// ContextError if empty.
Polynomial prepare_factors(const Plaintext& plaintext);

}  // namespace nttforge::integer_encoding
