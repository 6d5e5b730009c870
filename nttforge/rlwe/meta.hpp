// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "nttforge/arith/double_double.hpp"
#include "nttforge/device/form.hpp"
#include "nttforge/random/samplers.hpp"
#include "nttforge/rlwe/encoding.hpp"
#include "nttforge/rlwe/noise.hpp"

namespace nttforge::rlwe {

/// Bits of a coefficient of each part in bytes, of one that was rounded to so many; all zero: in full.
using StoredBits = std::array<std::uint8_t, 3>;

/// What ciphertexts agree in that are put into one batch, overwritten by one another, or equal.
struct CiphertextKind {
  std::size_t level = 0;  ///< primes of the modulus, k in schemes without levels
  Form form = Form::coefficients;
  Encoding encoding = Encoding::coefficients;
  /// What the message is multiplied with, as the scheme says; 1 in schemes without such a factor.
  std::uint64_t factor = 1;
  /// What complex numbers are multiplied with, and of how many the message is that the slots repeat; 1 and 0
  /// in schemes of integers.
  DoubleDouble scale{1, 0};
  std::uint32_t slots = 0;
  friend bool operator==(const CiphertextKind&, const CiphertextKind&) = default;
};
/// "level 3, correction factor 5, in values"
std::string describe(const CiphertextKind& kind);

/// What is known of all complex numbers of a message beside their number: log2 of a bound on each, and
/// whether they are real.
struct Numbers {
  double bound = 0;
  bool real = false;
  friend bool operator==(const Numbers&, const Numbers&) = default;
};

/// All that a ciphertext says of itself beside its words: of every element of a batch. What copies, stacks,
/// compares, overwrites or moves ciphertexts handles it as one value.
struct Meta : CiphertextKind {
  /// Predicted from the operations that made the ciphertext, without the key, in multiples of kNoiseStep;
  /// unknown if bytes or residues came without it.
  Noise noise = Noise::unknown();
  NoiseSource source = NoiseSource::unknown;
  Numbers numbers{};
  /// The public seed that every part 1 was sampled from (fresh, by the secret key), element e's by the index
  /// e of its streams: serialised instead of these parts.
  std::optional<Seed> seed{};
  /// Not zero where every coefficient is one of 2^bits values (IntegerEvaluator::shrink), which is what bytes
  /// hold then.
  StoredBits stored_bits{};

  bool rounded() const { return stored_bits != StoredBits{}; }
  /// What is computed from a ciphertext of this kind, about the same numbers, says: this noise, rounded up,
  /// and no seed.
  Meta computed(const Noise& of_result) const;
  /// What the sum with another of this kind says.
  Meta plus(const Meta& other, const RlweNoiseModel& model) const;
  /// What a fresh ciphertext of this kind says, by the secret or by the public key; proved: by whoever
  /// encrypted, not of bytes that say so. throws ParameterError for another source.
  Meta fresh(const RlweNoiseModel& model, NoiseSource by, bool proved) const;
  /// The same words at the same place of another batch, whose other elements have other seeds.
  Meta without_seed() const;
  /// The bounds hold for an element with `other` too.
  void include(const Meta& other);
};

}  // namespace nttforge::rlwe
