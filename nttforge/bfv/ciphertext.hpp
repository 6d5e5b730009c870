// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "nttforge/bfv/encoding.hpp"

namespace nttforge::bfv {

/// Where the bound on a ciphertext's noise comes from; values are part of the byte format. Bounds of fresh
/// ciphertexts depend on the parameters alone.
enum class NoiseSource : std::uint8_t { unknown = 0, fresh_secret = 1, fresh_public = 2, computed = 3 };

/// Two or three polynomials modulo Q in coefficient form, [size][k][n], in the device's memory: decrypts
/// under s by c0 + c1 s (+ c2 s^2). The encoding says what was encrypted. A value: copies are deep.
/// Concurrent const use is safe.
class Ciphertext {
 public:
  static constexpr std::size_t kMaxSize = 3;

  Ciphertext() = default;  ///< empty; assign before use
  /// Contents unspecified, noise unknown. throws ParameterError unless size is 2 or 3, UnsupportedError if
  /// these parameters have no such encoding.
  Ciphertext(ContextPtr context, std::size_t size, Encoding encoding);
  /// From residues [size][k][n], each in [0, q_i) (checked). noise: see noise().
  /// throws SizeError, ParameterError naming part, limb, position and value.
  Ciphertext(ContextPtr context, std::size_t size, std::span<const std::uint64_t> residues, Encoding encoding,
             const Noise& noise = Noise::unknown());
  Ciphertext(const Ciphertext& other);
  Ciphertext(Ciphertext&& other) noexcept = default;
  Ciphertext& operator=(const Ciphertext& other);
  Ciphertext& operator=(Ciphertext&& other) noexcept = default;
  ~Ciphertext() = default;

  bool empty() const { return context_ == nullptr; }
  const ContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t size() const { return size_; }          ///< parts: 2, or 3 after a product
  std::size_t words() const;                          ///< size k n
  std::vector<std::uint64_t> residues() const;        ///< downloads [size][k][n]
  void residues(std::span<std::uint64_t> out) const;  ///< into caller's memory, words() words
  /// Same parameters, encoding and residues.
  friend bool operator==(const Ciphertext& a, const Ciphertext& b);

  /// Noise predicted from the operations that made this ciphertext, without the key; unknown if bytes or
  /// residues came without it.
  const Noise& noise() const { return noise_; }
  NoiseSource noise_source() const { return noise_source_; }
  /// Rounds up to multiples of kNoiseStep.
  void set_noise(const Noise& noise);
  /// The bound of a fresh ciphertext, by the secret or by the public key. throws ParameterError for another
  /// source.
  void set_fresh_noise(NoiseSource source);
  /// Predicted bits left before decryption may fail; at or below zero the result is not to be trusted.
  /// Nothing if the noise is unknown, which compares as less than any number.
  std::optional<double> predicted_noise_budget_bits() const;

  /// The public seed that part 1 was sampled from (fresh, by the secret key): serialised instead of part 1.
  const std::optional<Seed>& seed() const { return seed_; }
  void set_seed(std::optional<Seed> seed) { seed_ = seed; }

  WordPtr data() { return words_.data(); }  ///< device memory; a writer resets the seed and sets the noise
  ConstWordPtr data() const { return words_.data(); }
  WordPtr part(std::size_t i);  ///< throws ParameterError unless i < size()
  ConstWordPtr part(std::size_t i) const;

 private:
  ContextPtr context_;
  DeviceArray words_;
  std::size_t size_ = 0;
  Encoding encoding_ = Encoding::coefficients;
  Noise noise_ = Noise::unknown();
  NoiseSource noise_source_ = NoiseSource::unknown;
  std::optional<Seed> seed_;
};

}  // namespace nttforge::bfv
