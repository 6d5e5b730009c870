// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/device/fusions.hpp"

namespace nttforge {

/// Numbers in a device's memory, [batch][length] doubles (words of 64 bits), or as many pairs of them where
/// they are complex; behind each row of them a message is zero.
struct NumberRows {
  ConstWordPtr words{};
  std::size_t length = 0;
  unsigned parts = 2;
};

/// What numbers are that were encoded.
struct EncodedRange : EmbeddedRange {
  bool inside = true;  ///< every coefficient is below 2^126 in magnitude
};

/// Numbers to polynomials and back, by what Embedding defines word for word (queue.hpp says what holds for
/// all).
class RealNumbers : public Fusions {
 public:
  /// numbers -> out [batch][limbs][n] in `form`: scale times each message, slots of them at most, repeated
  /// where the ring has more. scale: in (0, 2^100]; bits: log2 of coefficients at most, by what the
  /// caller will make sure of. Waits, and says what the numbers are: where they are not finite, not inside or
  /// beyond `bits`, the words are unspecified. Constant time.
  virtual EncodedRange encode(const EmbeddingTables& embedding, const RingTables& ring,
                              const NumberRows& numbers, const DoubleDouble& scale, double bits, Form form,
                              WordPtr out, std::size_t batch) const;
  /// phase [batch][limbs][n] in coefficient form -> out [batch][slots][2] doubles (words of 64 bits): the
  /// message divided by scale, in (0, 2^210]. bits: log2 of coefficients at most; as few primes as hold them
  /// are read. real: imaginary parts are zeros. Constant time.
  virtual void decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
                      const DoubleDouble& scale, double bits, bool real, WordPtr out,
                      std::size_t batch) const;

 protected:
  /// encode() of numbers in the host's memory, by way of it, in coefficient form.
  EncodedRange encode_by_host(const EmbeddingKernels& kernels, const EmbeddingTables& embedding,
                              const RingTables& ring, const double* numbers, const NumberRows& shape,
                              const DoubleDouble& scale, WordPtr out, std::size_t batch) const;
  /// decode() of one phase [limbs][n] in the host's memory.
  static void decode_on_host(const EmbeddingKernels& kernels, const EmbeddingTables& embedding,
                             const RingTables& ring, const std::uint64_t* phase, const DoubleDouble& scale,
                             double bits, bool real, double* out);
};

/// Polynomials of a batch from coefficients on the host -> out [batch][limbs][n]: those of one polynomial are
/// n / (coefficients of each) apart, and zeros between them. Constant time.
void upload_coefficients(const RealNumbers& queue, const RingTables& ring,
                         std::span<const Coefficient> coefficients, WordPtr out, std::size_t batch);

}  // namespace nttforge
