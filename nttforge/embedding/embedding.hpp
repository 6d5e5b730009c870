// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/embedding/kernels.hpp"

namespace nttforge {

/// Scales from this one on are encoded in double-doubles, smaller ones in doubles.
inline constexpr double kDoubleDoubleScale = 0x1p52;
inline constexpr double kMaxScale = 0x1p100;
/// The largest scale of products that are decoded before they are rescaled.
inline constexpr double kMaxProductScale = 0x1p210;

/// Coefficients of encoded messages: below 2^126 in magnitude.
__extension__ using Coefficient = __int128;

/// A single number times a scale, rounded to nearest, ties to even, and back: what a coefficient of a message
/// is. The product of both is below 2^126.
Coefficient scaled_coefficient(double value, const DoubleDouble& scale);
double unscaled_coefficient(Coefficient coefficient, const DoubleDouble& scale);

/// throws ParameterError unless it is in (0, most].
void require_scale(const DoubleDouble& scale, double most = kMaxScale);
/// throws ParameterError unless all values were finite, and all coefficients below 2^126.
void require_encoded(bool finite, bool inside, const DoubleDouble& scale);

/// [length] real numbers, or as many complex ones in pairs; what follows up to the slots of a message is
/// zero.
struct NumberSpan {
  const double* values = nullptr;
  std::size_t length = 0;
  unsigned parts = 2;
};

/// Complex numbers to and from the integer coefficients of a polynomial [CKKS17], the same to the last bit on
/// every machine: docs/decisions/encoding-of-real-numbers.md, spec/embedding.py. Slot i is the value at
/// zeta^(5^i), zeta = exp(pi i / n). Immutable; concurrent use is safe.
class Embedding {
 public:
  /// slots: those of a message, a power of two up to 2^16. A ring of more than 2 slots coefficients repeats
  /// the message in its slots, if its other coefficients are zero. throws ParameterError.
  explicit Embedding(std::size_t slots);
  std::size_t slots() const { return places_.size(); }
  /// Whether kernels are for it: messages of fewer slots are transformed here.
  bool has_rows() const { return slots() >= kLeastEmbeddedSlots; }
  EmbeddingRows rows() const;
  /// The place of each slot in the transformed order.
  std::span<const std::uint32_t> places() const { return places_; }
  /// Roots in the order of butterflies: at 2^d + k, for node k of depth d, exp(2 pi i (1 + 4 bitrev_d(k)) /
  /// 2^(d + 3)); the first is unused.
  std::span<const DoubleDouble> cosines() const { return cosines_; }
  std::span<const DoubleDouble> sines() const { return sines_; }

  /// values [slots] -> the coefficients [2 slots] of scale times the message; of a larger ring, coefficient
  /// j n / (2 slots). Neither time nor addresses depend on the values. throws SizeError; ParameterError for a
  /// scale outside (0, 2^100], a value that is not finite, or a coefficient of 2^126 or more.
  void encode(std::span<const std::complex<double>> values, const DoubleDouble& scale,
              std::span<Coefficient> out) const;
  /// The inverse, each part within a relative error of about 2^-50 of the largest slot.
  void decode(std::span<const Coefficient> coefficients, const DoubleDouble& scale,
              std::span<std::complex<double>> out) const;

  // The same to the last bit by kernels. Values are finite, and sizes the caller's promise. scratch: kScratch
  // slots doubles, which the caller wipes.
  static constexpr std::size_t kScratch = 8;
  /// Whether every coefficient is below 2^126.
  bool encode(const EmbeddingKernels& kernels, const NumberSpan& values, const DoubleDouble& scale,
              std::span<Coefficient> out, double* scratch) const;
  /// The same modulo t, for coefficients below t / 2; t is 2^52 - 1, or above 2^60.
  bool encode(const EmbeddingKernels& kernels, const NumberSpan& values, const DoubleDouble& scale,
              std::uint64_t t, std::uint64_t* out, double* scratch) const;
  /// out: [slots][2]. real: imaginary parts are zero.
  void decode(const EmbeddingKernels& kernels, std::span<const Coefficient> coefficients,
              const DoubleDouble& scale, bool real, double* out, double* scratch) const;
  /// The same of integers modulo q, below 2^61 in magnitude; q = 0: in two's complement.
  void decode(const EmbeddingKernels& kernels, const std::uint64_t* integers, std::uint64_t q,
              const DoubleDouble& scale, bool real, double* out, double* scratch) const;

 private:
  DoubleDouble factor_of(const DoubleDouble& scale) const;
  template <class T, class Write>
  bool encode_in(const NumberSpan& values, const DoubleDouble& scale, const Write& write) const;
  template <class T, class Read>
  void decode_in(const Read& read, const DoubleDouble& scale, bool real, double* out) const;
  template <class Write>
  bool encode_here(const NumberSpan& values, const DoubleDouble& scale, const Write& write) const;
  template <class Read>
  void decode_here(const Read& read, const DoubleDouble& scale, bool real, double* out) const;

  std::vector<std::uint32_t> places_;  // of each slot in the transformed order
  std::vector<DoubleDouble> cosines_, sines_;
  std::vector<std::uint32_t> slot_of_row_;
  AlignedBuffer<double> roots_of_rows_;  // EmbeddingRows::roots, one behind the other
};

}  // namespace nttforge
