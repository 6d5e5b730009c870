// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/device/key_switching.hpp"

namespace nttforge {

/// Rows [count][n] that stand for the limbs first ... first + count - 1 of a polynomial whose others are
/// zero.
struct LimbRows {
  ConstWordPtr words{};
  std::size_t first = 0;
  std::size_t count = 1;
};

/// Messages of encryptions in coefficient form: polynomials [batch][limbs][n]; or, with a step of one source,
/// words [batch][n] that it takes to those. words may be null: there are none.
struct MessageRows {
  MessageRows(ConstWordPtr message, const StepTables* embedding = nullptr)  // NOLINT: implicit on purpose
      : words(message), step(embedding) {}
  ConstWordPtr words;
  const StepTables* step;
};

/// Larger operations of schemes, each by default the composition of others that fusions.cpp states; a device
/// overrides them to keep rows in its caches, with the same words (queue.hpp says what holds for all).
class Fusions : public KeySwitching {
 public:
  /// out = inverse(forward(a) b) + addend: a and addend [batch][limbs][n] in coefficient form (addend may be
  /// null), b [limbs][n] transformed. out may be a, not addend.
  virtual void multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                    ConstWordPtr addend, WordPtr out, std::size_t batch) const;
  /// tensor(forward(a), forward(b)) of a, b [batch][2][limbs][n] in coefficient form; a may be b. If
  /// accumulate, it is added to out [batch][3][limbs][n]; if finish, out then returns to coefficient form.
  /// out overlaps nothing.
  virtual void tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                              bool accumulate, bool finish, std::size_t batch) const;
  /// Sums of products of two-part ciphertexts that are scaled down: out [batch][3][k][n] = scale(sum_i
  /// tensor(a_i, b_i)) modulo the k primes of tables.ring, where factors and sums are taken modulo the primes
  /// of tables.auxiliary as well (extend). a_i, b_i [batch][2][k][n] in coefficient form, as many b as a, at
  /// least one; a stride of 0: one element for the whole batch. out overlaps nothing. Interruptible before
  /// each term (poll_interrupt). With tables of make_product_over k is factor_limbs(), the second factors go
  /// by way of the auxiliary base, and what comes out is zero modulo the primes that `ring` lacks.
  virtual void sum_of_products(const ProductTables& tables, std::span<const BatchRows> a,
                               std::span<const BatchRows> b, WordPtr out, std::size_t batch) const;
  /// Encryption with the public key [2][K][n]: out [2][k][n] in `form` = division(inverse(key forward(u)) +
  /// errors), message [k][n] in coefficient form (may be null) added to part 0. Without `division` nothing is
  /// divided and K = k.
  virtual void encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                       ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                       ConstWordPtr message, Form form, WordPtr out) const;
  /// The same for a batch of messages -> out [batch][2][k][n]: element b takes what is sampled from names
  /// whose indices are b larger.
  virtual void encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                             ConstWordPtr key, const SmallPolynomial& u,
                             std::span<const SmallPolynomial, 2> errors, const MessageRows& message,
                             Form form, WordPtr out, std::size_t batch) const;
  /// A public pair under the secret s [limbs][n]: out [2][limbs][n] = (-(a s + e), a), all transformed, a
  /// uniform and sampled as its transform. The message (words may be null) is added to its limbs of the first
  /// part.
  virtual void masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                           const SmallPolynomial& error, const LimbRows& message, WordPtr out) const;
  /// The pairs of a key-switching key to s from s' [limbs][n], transformed: pair i of out
  /// [digits][2][limbs][n] is masked_pair by names whose indices are i larger, and its message scalars[j] s'
  /// in the limbs j of digit i, those from the end of the digit before to ends[i]. scalars on the host, one
  /// per limb of the ring, in [0, q_j).
  virtual void key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                const SmallPolynomial& error, ConstWordPtr from,
                                std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                                WordPtr out) const;
  /// Encryption with the secret key of a batch of messages -> out [batch][2][limbs][n] =
  /// (e + message - a s, a) in `form`, a uniform and sampled in coefficient form; element b takes what is
  /// sampled from names whose indices are b larger.
  virtual void encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                 const SmallPolynomial& error, const MessageRows& message, Form form,
                                 WordPtr out, std::size_t batch) const;
  /// c0 + c1 s, or c0 + c1 s + c2 s^2, of ciphertexts [batch][parts][limbs][n] in `form` -> out
  /// [batch][limbs][n] in coefficient form; s and s^2 [limbs][n] transformed, parts 2 or 3. out overlaps
  /// nothing. Constant time.
  virtual void phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
                     ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const;
  /// apply(recover, phase(...)), with `exceeded` as in apply.
  virtual void decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                       std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                       std::size_t batch, WordPtr exceeded) const;
  /// The same, waits, and returns whether a correction passes the limit.
  virtual bool decrypt_checked(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                               std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square,
                               WordPtr out, std::size_t batch) const;

 protected:
  /// Message b of some, for operations that take one: polynomials are where they are, or in `place` of
  /// ring.words() words.
  ConstWordPtr message_of(const RingTables& ring, const MessageRows& message, std::size_t b,
                          DeviceArray& place) const;
};

}  // namespace nttforge
