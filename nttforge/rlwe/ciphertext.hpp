// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/batch.hpp"
#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// Bits of a coefficient of each part in bytes, of one that was rounded to so many; all zero: in full.
using StoredBits = std::array<std::uint8_t, 3>;

/// A batch of ciphertexts, by default one: two or three polynomials each, in coefficient form,
/// [batch][size][level][n], in the device's memory, modulo the first `level` primes of q. Each element
/// decrypts under s by c0 + c1 s (+ c2 s^2). The encoding says what was encrypted; encoding, level, factor
/// and the bound on the noise are those of every element. A value: copies are deep. Concurrent const use is
/// safe.
class Ciphertext {
 public:
  static constexpr std::size_t kMaxSize = 3;

  Ciphertext() = default;  ///< empty; assign before use
  /// Contents unspecified, noise unknown, at the highest level or another. throws ParameterError unless size
  /// is 2 or 3 and the level is one of the context's, UnsupportedError if these parameters have no such
  /// encoding.
  Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding);
  Ciphertext(RlweContextPtr context, std::size_t size, Encoding encoding, std::size_t level,
             std::size_t batch = 1);
  /// From residues [batch][size][k][n], each in [0, q_i) (checked), at the highest level, or
  /// [batch][size][level][n]. noise: see noise(). throws SizeError, ParameterError naming part, limb,
  /// position and value.
  Ciphertext(RlweContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
             Encoding encoding, const Noise& noise = Noise::unknown(), std::size_t batch = 1);
  Ciphertext(RlweContextPtr context, std::size_t size, std::size_t level,
             std::span<const std::uint64_t> residues, Encoding encoding,
             const Noise& noise = Noise::unknown(), std::size_t batch = 1);
  /// What to_bytes wrote (serialize.hpp): ciphertext_from_bytes.
  static Ciphertext from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes);
  /// One object of all ciphertexts of the terms, in order; a term may be a batch. The bound on the noise is
  /// the largest. throws SizeError for no terms, ContextError; ParameterError unless the terms agree in
  /// encoding, parts, level and correction factor and have at most kMaxBatch ciphertexts.
  static Ciphertext stack(std::span<const Ciphertext* const> terms);
  Ciphertext(const Ciphertext& other);
  Ciphertext(Ciphertext&& other) noexcept = default;
  Ciphertext& operator=(const Ciphertext& other);
  Ciphertext& operator=(Ciphertext&& other) noexcept = default;
  ~Ciphertext() = default;

  /// A copy in another context of equal parameters, perhaps on another device. throws ContextError.
  Ciphertext to(const RlweContextPtr& context) const;
  /// The same of the elements from `first` on, `count` of them. throws SizeError unless they are there.
  Ciphertext elements(std::size_t first, std::size_t count, const RlweContextPtr& context) const;

  // A batch that is put together from parts, which may come from other devices.
  /// Room for `batch` of such ciphertexts as this one, in a context of equal parameters: properties as here,
  /// contents unspecified. throws ContextError, ParameterError.
  Ciphertext room(std::size_t batch, const RlweContextPtr& context) const;
  /// The words of `part`, of a context of equal parameters, become elements first ...; other elements may be
  /// put at the same time. throws ContextError, SizeError; ParameterError unless they agree in encoding,
  /// parts, level and correction factor.
  void put(std::size_t first, const Ciphertext& part);
  /// The bounds of this batch hold for `part` too, which was put.
  void include(const Ciphertext& part);

  /// Takes the words of another ciphertext into this one's memory, which recorded operations name (Graph of
  /// device/queue.hpp); bounds on noise stay, and no seed is left. throws ContextError; ParameterError unless
  /// they agree in batch, parts, level, correction factor and encoding and the other's noise is within this
  /// one's bound.
  void overwrite(const Ciphertext& other);

  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t batch() const { return batch_; }  ///< ciphertexts
  std::size_t size() const { return size_; }    ///< parts of each: 2, or 3 after a product
  std::size_t polynomials() const { return batch_ * size_; }
  std::size_t level() const { return level_; }  ///< primes of the modulus, k in schemes without levels
  /// What the message is multiplied with modulo t; 1 in schemes without correction factor.
  std::uint64_t factor() const { return factor_; }
  void set_factor(std::uint64_t factor) { factor_ = factor; }
  std::size_t element_words() const;                  ///< size level n
  std::size_t words() const;                          ///< batch size level n
  std::vector<std::uint64_t> residues() const;        ///< downloads [batch][size][level][n]
  void residues(std::span<std::uint64_t> out) const;  ///< into caller's memory, words() words
  Ciphertext element(std::size_t e) const;            ///< copy of one; throws SizeError unless e < batch()
  /// Same parameters, batch, encoding, level, factor and residues.
  friend bool operator==(const Ciphertext& a, const Ciphertext& b);

  /// Noise predicted from the operations that made this ciphertext, without the key; unknown if bytes or
  /// residues came without it.
  const Noise& noise() const { return noise_; }
  NoiseSource noise_source() const { return noise_source_; }
  /// Rounds up to multiples of kNoiseStep.
  void set_noise(const Noise& noise);
  /// Exactly these bounds, computed, of a ciphertext of the same kind (from a pickle).
  void restore_noise(const Noise& noise);
  /// The bound of a fresh ciphertext, by the secret or by the public key; proved: by whoever encrypted, not
  /// of bytes that say so. throws ParameterError for another source.
  void set_fresh_noise(NoiseSource source, bool proved);
  /// Predicted bits left before decryption may fail; at or below zero the result is not to be trusted.
  /// Nothing if the noise is unknown, which compares as less than any number.
  std::optional<double> predicted_noise_budget_bits() const;
  /// The same by the proved bound: above zero decryption is right but for a probability below 2^-128.
  /// Nothing is proved of noise that came in bytes or in residues.
  std::optional<double> proved_noise_budget_bits() const;

  /// The public seed that every part 1 was sampled from (fresh, by the secret key), element e's by the index
  /// e of its streams: serialised instead of these parts.
  const std::optional<Seed>& seed() const { return seed_; }
  void set_seed(std::optional<Seed> seed) {
    seed_ = seed;
    stored_bits_ = {};
  }

  /// Not zero where every coefficient is one of 2^bits values (Evaluator::shrink), which is what bytes
  /// hold then. set_noise and set_seed reset it, as whoever computes calls them.
  const StoredBits& stored_bits() const { return stored_bits_; }
  bool is_rounded() const { return stored_bits_ != StoredBits{}; }
  void set_stored_bits(const StoredBits& bits) { stored_bits_ = bits; }

  WordPtr data() { return words_.data(); }  ///< device memory; a writer resets the seed and sets the noise
  ConstWordPtr data() const { return words_.data(); }
  /// Part i of an element. throws ParameterError unless i < size(), SizeError unless element < batch().
  WordPtr part(std::size_t i, std::size_t element = 0);
  ConstWordPtr part(std::size_t i, std::size_t element = 0) const;
  /// Part i of every element.
  BatchRows rows(std::size_t i) const { return {part(i), element_words()}; }

 private:
  std::size_t part_offset(std::size_t i, std::size_t element) const;
  static void require_same_kind(const Ciphertext& a, std::string_view name_a, const Ciphertext& b,
                                std::string_view name_b);
  void copy_properties(const Ciphertext& other);  // all but context, words and batch

  RlweContextPtr context_;
  DeviceArray words_;
  std::size_t batch_ = 0;
  std::size_t size_ = 0;
  std::size_t level_ = 0;
  std::uint64_t factor_ = 1;
  Encoding encoding_ = Encoding::coefficients;
  Noise noise_ = Noise::unknown();
  NoiseSource noise_source_ = NoiseSource::unknown;
  std::optional<Seed> seed_;
  StoredBits stored_bits_{};
};

}  // namespace nttforge::rlwe
