// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "nttforge/rlwe/batch.hpp"
#include "nttforge/rlwe/context.hpp"
#include "nttforge/rlwe/meta.hpp"

namespace nttforge::rlwe {

/// A batch of ciphertexts, by default one: two or three polynomials each, in coefficients or in values,
/// [batch][size][primes][n], in the device's memory, modulo the primes of a level. Each element decrypts
/// under s by c0 + c1 s (+ c2 s^2); one of a single polynomial is not encrypted, a scheme's plaintext. What
/// else is to be said of every element is its Meta. A value: copies are deep. Concurrent const use is safe.
class Ciphertext {
 public:
  static constexpr std::size_t kMaxSize = 3;

  Ciphertext() = default;  ///< empty; assign before use
  /// Contents unspecified. throws ParameterError unless size is 1, 2 or 3 and the level is one of the
  /// context's, UnsupportedError if these parameters have no such encoding.
  Ciphertext(RlweContextPtr context, std::size_t size, const Meta& meta, std::size_t batch = 1);
  /// From residues of the coefficients [batch][size][level][n], each in [0, q_i) (checked). throws SizeError,
  /// ParameterError naming part, limb, position and value.
  Ciphertext(RlweContextPtr context, std::size_t size, std::span<const std::uint64_t> residues,
             const Meta& meta, std::size_t batch = 1);
  /// What to_bytes wrote (serialize.hpp): ciphertext_from_bytes.
  static Ciphertext from_bytes(RlweContextPtr context, std::span<const std::uint8_t> bytes);
  /// One object of all ciphertexts of the terms, in order; a term may be a batch. The bound on the noise is
  /// the largest. throws SizeError for no terms, ContextError; ParameterError unless the terms agree in
  /// their kind and parts and have at most kMaxBatch ciphertexts.
  static Ciphertext stack(std::span<const Ciphertext* const> terms);
  Ciphertext(const Ciphertext& other);
  Ciphertext(Ciphertext&& other) noexcept = default;
  Ciphertext& operator=(const Ciphertext& other);
  Ciphertext& operator=(Ciphertext&& other) noexcept = default;
  ~Ciphertext() = default;

  /// The same polynomials in a form: a copy, or this one where it is no longer needed.
  Ciphertext in(Form form) const&;
  Ciphertext in(Form form) &&;
  /// A copy in another context of equal parameters, perhaps on another device. throws ContextError.
  Ciphertext to(const RlweContextPtr& context) const;
  /// The same of the elements from `first` on, `count` of them. throws SizeError unless they are there.
  Ciphertext elements(std::size_t first, std::size_t count, const RlweContextPtr& context) const;

  // A batch that is put together from parts, which may come from other devices.
  /// Room for `batch` of such ciphertexts as this one, in a context of equal parameters: properties as here,
  /// contents unspecified. throws ContextError, ParameterError.
  Ciphertext room(std::size_t batch, const RlweContextPtr& context) const;
  /// The words of `part`, of a context of equal parameters, become elements first ...; other elements may be
  /// put at the same time. throws ContextError, SizeError; ParameterError unless they agree in kind and
  /// parts.
  void put(std::size_t first, const Ciphertext& part);
  /// The bounds of this batch hold for `part` too, which was put.
  void include(const Ciphertext& part) { meta_.include(part.meta_); }

  /// Takes the words of another ciphertext into this one's memory, which recorded operations name (Graph of
  /// device/queue.hpp); bounds on noise stay, and no seed is left. throws ContextError; ParameterError unless
  /// they agree in batch, parts and kind and the other's noise is within this one's bound.
  void overwrite(const Ciphertext& other);

  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  const Meta& meta() const { return meta_; }
  /// The words stay. throws ParameterError for another level or form than theirs.
  void set_meta(const Meta& meta);
  /// What is computed in place has this noise, and is not rounded.
  void set_noise(const Noise& noise);
  std::size_t level() const { return meta_.level; }
  Form form() const { return meta_.form; }
  Encoding encoding() const { return meta_.encoding; }
  std::uint64_t factor() const { return meta_.factor; }
  const Noise& noise() const { return meta_.noise; }
  std::size_t batch() const { return batch_; }  ///< ciphertexts
  std::size_t size() const { return size_; }    ///< parts of each: 2, 3 after a product, 1 of a plaintext
  std::size_t polynomials() const { return batch_ * size_; }
  std::size_t element_words() const;  ///< size level n
  std::size_t words() const;          ///< batch size level n
  /// Residues of the coefficients, whatever the form: downloads [batch][size][level][n].
  std::vector<std::uint64_t> residues() const;
  void residues(std::span<std::uint64_t> out) const;  ///< into caller's memory, words() words
  Ciphertext element(std::size_t e) const;            ///< copy of one; throws SizeError unless e < batch()
  /// All elements where they are, to be read: nobody may write to them or to this batch meanwhile.
  std::vector<Ciphertext> views() const;
  /// Same parameters, batch, kind and words.
  friend bool operator==(const Ciphertext& a, const Ciphertext& b);

  WordPtr data() { return words_.data(); }  ///< device memory; a writer sets the Meta
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

  RlweContextPtr context_;
  DeviceArray words_;
  std::size_t batch_ = 0;
  std::size_t size_ = 0;
  Meta meta_;
};

}  // namespace nttforge::rlwe
