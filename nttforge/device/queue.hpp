// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nttforge/device/array.hpp"
#include "nttforge/device/device.hpp"
#include "nttforge/device/form.hpp"
#include "nttforge/device/tables.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge {

/// Polynomials of a batch: the rows of polynomial b begin at words + b stride, n words apart.
struct BatchRows {
  ConstWordPtr words{};
  std::size_t stride = 0;
};

/// A key-switching key in device memory, [digits][2][limbs][n], transformed. It is made once for a chain of
/// primes {q_0 ..., special primes} and serves every level: a ring {q_0 ... q_(l-1), special primes} takes
/// the first l rows and the last `special` rows of each polynomial, and as many digits from the first on as
/// the level has.
struct KeyRows {
  ConstWordPtr words{};
  std::size_t limbs = 0;    ///< of the ring the key was made in
  std::size_t special = 0;  ///< special primes, the last of that ring and of every ring that uses the key

  /// The key's row for limb j of a ring of `ring_limbs` limbs.
  std::size_t row(std::size_t j, std::size_t ring_limbs) const {
    return j + special < ring_limbs ? j : j + limbs - ring_limbs;
  }
};

/// An image of a polynomial under an automorphism of its transformed rows, and how it is switched: operands
/// of switch_digits. key_words and addend_words may hold memory that is to live as long as this.
struct SwitchedImage {
  std::shared_ptr<const PermutationTables> image{};
  KeyRows key{};
  BatchRows addend{};
  std::size_t addend_parts = 0;
  WordPtr out{};
  DeviceArray key_words{}, addend_words{};
};

/// Rows [count][n] that stand for the limbs first ... first + count - 1 of a polynomial whose others are
/// zero.
struct LimbRows {
  ConstWordPtr words{};
  std::size_t first = 0;
  std::size_t count = 1;
};

/// Rows of integers, one behind the other, as the memory of a device holds what others wrote.
struct IntegerRows {
  ConstWordPtr words{};
  bool is_signed = false;  ///< two's complement
  std::size_t width = 0;   ///< integers in a row
};

/// Messages of encryptions in coefficient form: polynomials [batch][limbs][n]; or, with a step of one source,
/// words [batch][n] that it takes to those. words may be null: there are none.
struct MessageRows {
  MessageRows(ConstWordPtr message, const StepTables* embedding = nullptr)  // NOLINT: implicit on purpose
      : words(message), step(embedding) {}
  ConstWordPtr words;
  const StepTables* step;
};

/// A polynomial with small coefficients, named by what it is sampled from, times a factor.
struct SmallPolynomial {
  enum class Kind : std::uint8_t { ternary, binary, error };
  Kind kind = Kind::ternary;
  StreamName name;
  ErrorDistribution error = ErrorDistribution::sigma_3_2;  ///< read for Kind::error only
  std::uint64_t factor = 1;  ///< multiplies the sample modulo each prime; any word
};

/// A point in a queue's order: the operations that were given to the queue before it.
class Event {
 public:
  virtual ~Event() = default;
  virtual void wait() const = 0;  ///< returns when they have run
};

class Queue;

/// Operations that were recorded (Queue::begin_capture), to be run as often as wanted with the arrays that
/// they name: whoever made those keeps them alive. Arrays that were allocated while it was recorded are its
/// own. Safe to call from several threads; runs of one graph need an order, since they share its arrays.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Gives the operations to the queue, of the device that recorded them, in one piece.
  virtual void run(const Queue& queue) const = 0;
};

/// A recording in progress, which ends without a graph if it is destroyed before finish().
class Capture {
 public:
  virtual ~Capture() = default;
  /// throws UnsupportedError if something was recorded that a graph cannot have.
  virtual std::shared_ptr<const Graph> finish() = 0;
};

/// The operations a scheme is written in, on batches of RNS polynomials shaped [batch][limbs][n], contiguous,
/// in the memory of the queue's device. Places come from allocate(); those of an operation have the words of
/// its ring, 32 or 64 bits. Unless said otherwise `out` may equal an input but not overlap it partly;
/// residues are in [0, q) on entry and exit; every device and every implementation choice gives the same
/// words. Sizes are the caller's promise (the scheme checks its own inputs). Operations that take a Form give
/// the same polynomials in both: in values, words that are forward() of those in coefficients.
///
/// Order: operations of a queue run in the order in which they were given to it; those of two queues in no
/// order but what events say. The host waits in download, in wait() and in Event::wait() only.
/// Lifetimes: arrays, tables and steps may go as soon as the call that names them has returned; what they
/// hold lives until the last operation that uses it, in any queue, has run. Threads: const, and safe to call
/// from several threads at once, in an order that is then unspecified; operations that write what another
/// reads need an order.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual const Device& device() const = 0;

  // Memory.
  virtual DeviceArray allocate(std::size_t words, unsigned word_bits) const = 0;  ///< contents unspecified
  virtual DeviceArray allocate_secret(std::size_t words,
                                      unsigned word_bits) const = 0;  ///< zeroed on release
  DeviceArray allocate(std::size_t words) const { return allocate(words, 64); }
  DeviceArray allocate_secret(std::size_t words) const { return allocate_secret(words, 64); }
  /// Polynomials of a ring, in its words.
  DeviceArray allocate(const RingTables& ring, std::size_t polynomials) const {
    return allocate(polynomials * ring.words(), ring.spec().word_bits);
  }
  DeviceArray allocate_secret(const RingTables& ring, std::size_t polynomials) const {
    return allocate_secret(polynomials * ring.words(), ring.spec().word_bits);
  }
  /// The host's words have been read when it returns; those for 32-bit words are below 2^32.
  virtual void upload(std::span<const std::uint64_t> host, WordPtr device) const = 0;
  /// The same of words that write(first, out) puts where they are read from, out.size() of them from word
  /// `first` on, in order and each once. What it throws is passed on; then `device` is written in part.
  using WriteWords = std::function<void(std::size_t first, std::span<std::uint64_t> out)>;
  virtual void upload_written(std::size_t words, WordPtr device, const WriteWords& write) const;
  virtual void download(ConstWordPtr device, std::span<std::uint64_t> host) const = 0;  ///< waits
  /// The words of both places may differ in size; then the values fit.
  virtual void copy(ConstWordPtr in, WordPtr out, std::size_t words) const = 0;
  virtual void fill_zero(WordPtr out, std::size_t words) const = 0;
  /// Words of `from`'s device, which is not this one, in words of the same size, after what was given to
  /// `from` so far. Waits. False, with nothing done, if they can only go by way of the host
  /// (multi/copy.hpp).
  virtual bool copy_from(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const;
  /// Packed rows (base/text/bits.hpp) of polynomials, limb by limb, one polynomial after the other -> the
  /// polynomials [limbs][n] at out, out + stride ... Waits. Returns whether every row is well formed and
  /// below its modulus; if not, the words are unspecified.
  virtual bool unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                      std::size_t stride, std::size_t batch) const;

  // Order.
  virtual void wait() const = 0;  ///< returns when every operation given so far has run
  virtual std::shared_ptr<const Event> record() const = 0;  ///< after every operation given so far
  /// What is given to this queue from now on runs after the event, which may be another queue's.
  virtual void wait(const Event& event) const = 0;

  /// From here on what this thread gives to this device's queues is recorded and not run, until the capture
  /// is finished or destroyed, by the same thread. What waits for the host or reads its memory (download,
  /// wait, upload) and what samples, since each run would repeat the same randomness, throws ParameterError
  /// meanwhile. throws UnsupportedError where there are no graphs.
  virtual std::unique_ptr<Capture> begin_capture() const;

  /// The operations that `give` gives to this queue, in one piece where a device starts many at the price of
  /// one. Nobody else may wait for what they write until it has returned; if it throws, some of them may not
  /// run. Not for what samples: what it is started with would stay in the host's memory.
  virtual void in_one_piece(const std::function<void()>& give) const { give(); }

  // Transforms, in place.
  virtual void forward(const RingTables& ring, WordPtr x, std::size_t batch) const = 0;
  virtual void inverse(const RingTables& ring, WordPtr x, std::size_t batch) const = 0;
  /// out = forward(in).
  virtual void forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out, std::size_t batch) const;

  // Residue by residue.
  virtual void add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const = 0;
  virtual void sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const = 0;
  virtual void negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const = 0;
  virtual void multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                        std::size_t batch) const = 0;
  virtual void multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                   WordPtr accumulator, std::size_t batch) const = 0;
  /// out[., j, .] = a[., j, .] * scalars[j]; scalars on the host, one per limb, in [0, q_j).
  virtual void multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                               WordPtr out, std::size_t batch) const = 0;
  /// Every polynomial of `a` (batch of them) times the one polynomial b [limbs][n].
  virtual void multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                  std::size_t batch) const = 0;
  /// Products of two-part ciphertexts in transformed form, a [batch][2][limbs][n], b [batch][2][limbs][n] ->
  /// out [batch][3][limbs][n]: a0 b0, a0 b1 + a1 b0, a1 b1. If accumulate, adds to out. out overlaps nothing.
  virtual void tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      std::size_t batch) const = 0;

  /// out [groups][parts][limbs][n] = sum_i factors[.][i] x[i], all transformed: factors
  /// [groups][terms][limbs][n], x [terms][parts][limbs][n], each at least one. out overlaps nothing.
  virtual void sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                                std::size_t groups, std::size_t terms, std::size_t parts) const;

  // Steps between bases, coefficient form.
  /// Each coefficient through the steps of the chain, one after the other, as rns/step.hpp defines them word
  /// for word: sources [batch][sources][n], own words [batch][targets of the first step][n] or null -> out
  /// [batch][targets][n]. out may be the own words of a single step; else it overlaps nothing. Constant time.
  /// exceeded (may be null): one word of the device's memory, 1 if the correction of any coefficient in any
  /// step passes that step's limit, else 0.
  virtual void apply(const StepTables& step, BatchRows sources, BatchRows own, WordPtr out, std::size_t batch,
                     WordPtr exceeded) const = 0;
  /// The same for contiguous arrays.
  void apply(const StepTables& step, ConstWordPtr sources, ConstWordPtr own, WordPtr out, std::size_t batch,
             WordPtr exceeded = nullptr) const {
    const std::size_t n = step.n();
    apply(step, {sources, step.sources() * n}, {own, step.own_words() * n}, out, batch, exceeded);
  }
  /// The same for arrays [batch][own words, then sources][n]: division by the last primes of a base. out may
  /// be `in` if batch = 1.
  void apply_joined(const StepTables& step, ConstWordPtr in, WordPtr out, std::size_t batch) const {
    const std::size_t own = step.own_words() * step.n(), stride = own + step.sources() * step.n();
    apply(step, {in + own, stride}, {in, stride}, out, batch, nullptr);
  }

  /// Division by the primes of `from` that `to` lacks, one or several in one rounding: in [batch] polynomials
  /// of `from` -> out [batch] of `to`, both in `form`. division: one step whose sources are those primes in
  /// the order of `from` and whose targets are the primes of `to` (mod_down.hpp); of the own words, those of
  /// primes that `from` lacks are zeros. out overlaps nothing. Constant time.
  virtual void rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                       ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const;

  // Key switching at a level: polynomials have l limbs modulo level.ring and K modulo level.key_ring. The key
  // has at least as many digits as the level. decompose's digits may go through gather by automorphism_index
  // and so serve many rotations (hoisting).
  /// Digits of c [batch][l][n] in `form` -> out [batch][digits][K][n], transformed.
  virtual void decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                         std::size_t batch) const;
  /// out [batch][2][K][n] = sum_i digits[.][i] key[i], transformed; digits [batch][digits][K][n]. If
  /// accumulate, adds to out. Of the level it reads the ring of keys and the number of digits.
  virtual void inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                             std::size_t batch, bool accumulate) const;
  /// out [batch][2][l][n] = division(x) + addend: x [batch][2][K][n] transformed, overwritten; addend, in
  /// `form` as out, holds the first addend_parts (0 ... 2) of two parts. out overlaps nothing.
  virtual void mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts,
                        Form form, WordPtr out, std::size_t batch) const;

  /// Key switching of an image of c from the digits of c, which decompose gave (hoisting): mod_down of
  /// inner_product of the digits [batch][digits][K][n], of whose rows `image` is an automorphism. Addend and
  /// out are in `form`.
  virtual void switch_digits(const SwitchTables& level, ConstWordPtr digits, const PermutationTables& image,
                             const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                             WordPtr out, std::size_t batch) const;

  /// X -> X^element, element odd in [1, 2n). Coefficient form; out overlaps nothing.
  virtual void automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                            std::size_t batch) const = 0;

  /// The same of transformed polynomials.
  virtual void automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element,
                                        WordPtr out, std::size_t batch) const;

  /// plain [batch][n] in [0, t), read as centred in [-t/2, t/2) -> out [batch][limbs][n].
  virtual void lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                          std::size_t batch) const = 0;
  /// in [rows][in.width], at most n integers a row -> out [rows][n], words of 64 bits: each integer modulo t
  /// < 2^62, and zeros behind each row. outside (may be null): one word of 64 bits, 1 if any integer is not
  /// in [low, low + t), else 0; -t < low <= 0. out overlaps nothing. Constant time.
  virtual void reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                               std::size_t n, std::size_t rows, WordPtr outside) const;
  /// in [words] in [0, t) -> out [words]: the representatives in [signed_low(t), signed_high(t)]
  /// (arith/integer_range.hpp) as two's complement in the words of out, which hold them. Constant time.
  virtual void centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const;
  /// plain [batch][n] in [0, t) -> out [batch][2]: the sum of the absolute values of its centred
  /// coefficients, low word and high word (of
  /// out's size). Constant time.
  virtual void sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                           std::size_t batch) const = 0;
  /// out[i] = in[index[i]] in each of `rows` rows of n words. out overlaps nothing.
  virtual void gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
                      std::size_t rows) const = 0;

  // Sampling, [limbs][n]. Small samples are reduced into every limb; coefficient form.
  virtual void sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  /// Polynomials at out, out + stride ... by names whose indices follow each other.
  virtual void sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out,
                               std::size_t stride, std::size_t batch) const;
  virtual void sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  virtual void sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const = 0;
  virtual void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            WordPtr out) const = 0;
  /// Samples by the one of the three distributions that `polynomial` names, times its factor.
  virtual void sample_small(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const;

  // Fused operations. Each is by default the composition of the above that fused.cpp states; a device
  // overrides it to keep rows in its caches, with the same words.

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
  /// inner_product(decompose(c), key), c in `form`.
  virtual void key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                          std::size_t batch) const;
  /// mod_down(key_switch(c, key)); c, addend and out in `form`.
  virtual void switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                          std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const;
  /// For i in [0, count): switch_digits of the digits of c [batch][l][n] by what image(i) says, which is
  /// asked for in order, on this thread, before it is needed (hoisting). c, addends and results in `form`.
  virtual void switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                             const std::function<SwitchedImage(std::size_t)>& image, std::size_t batch) const;
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
  /// in the limbs j from i per_digit on, per_digit of them and below `limbs`. scalars on the host, one per
  /// limb of the ring, in [0, q_j).
  virtual void key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                const SmallPolynomial& error, ConstWordPtr from,
                                std::span<const std::uint64_t> scalars, std::size_t limbs,
                                std::size_t per_digit, WordPtr out, std::size_t digits) const;
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
