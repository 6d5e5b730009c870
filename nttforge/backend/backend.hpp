// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "nttforge/backend/device_array.hpp"
#include "nttforge/base/stack_wipe.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/random/samplers.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/mod_down.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge {

/// Backend-side tables for polynomials modulo X^n + 1 and a list of primes. Made by Backend::make_ring;
/// immutable.
class RingTables {
 public:
  virtual ~RingTables() = default;
  const NttSpec& spec() const { return spec_; }
  std::size_t n() const { return spec_.n; }
  std::size_t limbs() const { return spec_.moduli.size(); }
  std::size_t words() const { return n() * limbs(); }

 protected:
  explicit RingTables(NttSpec spec) : spec_(std::move(spec)) {}

 private:
  NttSpec spec_;
};

/// Backend-side copies of rns/ constants.
class BehzTables {
 public:
  virtual ~BehzTables() = default;
};
class ModDownTables {
 public:
  virtual ~ModDownTables() = default;
};
class DecryptTables {
 public:
  virtual ~DecryptTables() = default;
};

/// A polynomial with small coefficients, named by what it is sampled from.
struct SmallPolynomial {
  enum class Kind : std::uint8_t { ternary, binary, error };
  Kind kind = Kind::ternary;
  StreamName name;
  ErrorDistribution error = ErrorDistribution::sigma_3_2;  ///< read for Kind::error only
};

/// The operations a scheme is written in, on batches of RNS polynomials shaped [batch][limbs][n], contiguous,
/// in this backend's memory. Pointers come from allocate(). Unless said otherwise `out` may equal an input
/// but not overlap it partly; residues are in [0, q) on entry and exit; calls are queued in order, wait()
/// completes them; every backend and every implementation choice gives the same words. const and safe to call
/// from several threads on distinct outputs. Sizes are the caller's promise (the scheme checks its own
/// inputs).
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;         ///< "cpu"
  virtual std::string description() const = 0;  ///< device, target, threads, for reports
  /// Names the memory that allocate() gives: "host", or a device with its own. Arrays of backends of one
  /// memory space may be mixed, whatever computes on them.
  virtual std::string memory_space() const = 0;
  /// How much stack decrypt_scale and scale_plain use, for the operations that wipe it after them.
  virtual StackDepth conversion_depth() const { return StackDepth::deep; }

  // Memory.
  virtual DeviceArray allocate(std::size_t words) const = 0;         ///< contents unspecified
  virtual DeviceArray allocate_secret(std::size_t words) const = 0;  ///< zeroed when released
  virtual void upload(std::span<const std::uint64_t> host, std::uint64_t* device) const = 0;
  virtual void download(const std::uint64_t* device, std::span<std::uint64_t> host) const = 0;  ///< waits
  virtual void copy(const std::uint64_t* in, std::uint64_t* out, std::size_t words) const = 0;
  virtual void fill_zero(std::uint64_t* out, std::size_t words) const = 0;
  virtual void wait() const = 0;

  // Tables. The spec must be negacyclic, 64-bit words, natural input; any output order.
  virtual std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const = 0;
  virtual std::shared_ptr<const BehzTables> make_behz(std::shared_ptr<const Behz> constants) const = 0;
  virtual std::shared_ptr<const ModDownTables> make_mod_down(std::shared_ptr<const ModDown> constants,
                                                             std::size_t n) const = 0;
  virtual std::shared_ptr<const DecryptTables> make_decrypt(std::shared_ptr<const DecryptScale> constants,
                                                            std::size_t n) const = 0;
  /// The transform recipe a ring runs with, as JSON, for reports.
  virtual std::string recipe_json(const RingTables& ring) const = 0;

  // Transforms, in place.
  virtual void forward(const RingTables& ring, std::uint64_t* x, std::size_t batch) const = 0;
  virtual void inverse(const RingTables& ring, std::uint64_t* x, std::size_t batch) const = 0;

  // Residue by residue.
  virtual void add(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                   std::size_t batch) const = 0;
  virtual void sub(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                   std::size_t batch) const = 0;
  virtual void negate(const RingTables& ring, const std::uint64_t* a, std::uint64_t* out,
                      std::size_t batch) const = 0;
  virtual void multiply(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                        std::uint64_t* out, std::size_t batch) const = 0;
  virtual void multiply_accumulate(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                   std::uint64_t* accumulator, std::size_t batch) const = 0;
  /// out[., j, .] = a[., j, .] * scalars[j]; scalars on the host, one per limb, in [0, q_j).
  virtual void multiply_scalar(const RingTables& ring, const std::uint64_t* a,
                               std::span<const std::uint64_t> scalars, std::uint64_t* out,
                               std::size_t batch) const = 0;
  /// Every polynomial of `a` (batch of them) times the one polynomial b [limbs][n].
  virtual void multiply_broadcast(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                  std::uint64_t* out, std::size_t batch) const = 0;
  /// Product of two-part ciphertexts in transformed form, a [2][limbs][n], b [2][limbs][n] -> out
  /// [3][limbs][n]: a0 b0, a0 b1 + a1 b0, a1 b1. If accumulate, adds to out. out overlaps nothing.
  virtual void tensor(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                      std::uint64_t* out, bool accumulate) const = 0;

  // BEHZ multiplication [Bad18b, section 5.3], coefficient form. rns/behz.hpp defines the values word for
  // word.
  /// in [batch][k][n] modulo Q -> out [batch][l][n] modulo B_sk (S0 and S1: fast conversion, small Montgomery
  /// reduction).
  virtual void behz_extend(const BehzTables& behz, const std::uint64_t* in, std::uint64_t* out,
                           std::size_t batch) const = 0;
  /// in_q [batch][k][n], in_bsk [batch][l][n]: x modulo Q and B_sk -> out [batch][k][n]: floor(t x / Q) +
  /// small error, modulo Q (S3 and S4: approximate floor, Shenoy-Kumaresan). Inputs may be destroyed.
  virtual void behz_floor(const BehzTables& behz, std::uint64_t* in_q, std::uint64_t* in_bsk,
                          std::uint64_t* out, std::size_t batch) const = 0;

  // Key switching.
  /// Digits of c [k][n] (coefficient form, residues modulo the first k primes of `ring`, which has K >= k
  /// limbs) lifted to every prime, transformed, and accumulated with the key: out [2][K][n] = sum_i
  /// NTT([c]_{q_i} mod q_j) * key[i][.][j]. key [k][2][K][n] in transformed form. out is in transformed form.
  virtual void key_switch(const RingTables& ring, const std::uint64_t* c, std::size_t k,
                          const std::uint64_t* key, std::uint64_t* out) const = 0;
  /// in [batch][K][n] -> out [batch][K-1][n]: round(x / p), p the last prime; coefficient form. Input may be
  /// destroyed. out may be in if batch = 1.
  virtual void mod_down(const ModDownTables& tables, std::uint64_t* in, std::uint64_t* out,
                        std::size_t batch) const = 0;

  /// X -> X^element, element odd in [1, 2n). Coefficient form; out overlaps nothing.
  virtual void automorphism(const RingTables& ring, const std::uint64_t* in, std::uint64_t element,
                            std::uint64_t* out, std::size_t batch) const = 0;

  // Between plaintexts (n words modulo t) and RNS.
  /// Decryption [Bad18b] Alg. 2: x [k][n] = c0 + c1 s modulo Q, coefficient form -> out [n] = round(t x / Q)
  /// mod t. exhausted (may be null): one word of this backend's memory, 1 if DecryptScale::exhausted of any
  /// coefficient, else 0. Constant time on the host.
  virtual void decrypt_scale(const DecryptTables& tables, const std::uint64_t* x, std::uint64_t* out,
                             std::uint64_t* exhausted) const = 0;
  /// plain [n] in [0, t) -> out [k][n] = round(Q plain / t) modulo each prime.
  virtual void scale_plain(const DecryptTables& tables, const std::uint64_t* plain,
                           std::uint64_t* out) const = 0;
  /// plain [n] in [0, t), read as centred in [-t/2, t/2) -> out [limbs][n].
  virtual void lift_plain(const RingTables& ring, std::uint64_t t, const std::uint64_t* plain,
                          std::uint64_t* out) const = 0;
  /// out[i] = in[index[i]] over rows of n words; index on the host, n entries (slot permutations).
  virtual void gather(const std::uint64_t* in, std::span<const std::uint32_t> index,
                      std::uint64_t* out) const = 0;

  // Sampling, [limbs][n]. Small samples are reduced into every limb; coefficient form.
  virtual void sample_uniform(const RingTables& ring, const StreamName& name, std::uint64_t* out) const = 0;
  virtual void sample_ternary(const RingTables& ring, const StreamName& name, std::uint64_t* out) const = 0;
  virtual void sample_binary(const RingTables& ring, const StreamName& name, std::uint64_t* out) const = 0;
  virtual void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            std::uint64_t* out) const = 0;
  /// Samples by the one of the three distributions that `polynomial` names.
  void sample_small(const RingTables& ring, const SmallPolynomial& polynomial, std::uint64_t* out) const;

  // Fused operations. Each is by default the composition of the above that fused.cpp states; a backend
  // overrides it to keep rows in its caches, with the same words.

  /// out = inverse(forward(a) b) + addend: a and addend [batch][limbs][n] in coefficient form (addend may be
  /// null), b [limbs][n] transformed. out may be a, not addend.
  virtual void multiply_transformed(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                                    const std::uint64_t* addend, std::uint64_t* out, std::size_t batch) const;
  /// tensor(forward(a), forward(b)) of a, b [2][limbs][n] in coefficient form; a may be b. If accumulate, it
  /// is added to out [3][limbs][n]; if finish, out then returns to coefficient form. out overlaps nothing.
  virtual void tensor_product(const RingTables& ring, const std::uint64_t* a, const std::uint64_t* b,
                              std::uint64_t* out, bool accumulate, bool finish) const;
  /// out [2][k][n] = round(inverse(key_switch(c, key)) / p) + addend, p the last prime of ring_key, ring_q
  /// its first k = K - 1 primes: c [k][n]; addend holds the first `addend_parts` (0 ... 2) of two parts
  /// [k][n]. out overlaps nothing.
  virtual void switch_key(const RingTables& ring_key, const RingTables& ring_q, const ModDownTables& tables,
                          const std::uint64_t* c, const std::uint64_t* key, const std::uint64_t* addend,
                          std::size_t addend_parts, std::uint64_t* out) const;
  /// Encryption with the public key [2][K][n]: out [2][k][n] = round((inverse(key forward(u)) + errors) / p),
  /// message [k][n] (may be null) added to part 0. Without `tables` nothing is divided and K = k.
  virtual void encrypt(const RingTables& ring_key, const RingTables& ring_q, const ModDownTables* tables,
                       const std::uint64_t* key, const SmallPolynomial& u,
                       std::span<const SmallPolynomial, 2> errors, const std::uint64_t* message,
                       std::uint64_t* out) const;
  /// A public pair under the secret s [limbs][n]: out [2][limbs][n] = (-(a s + e), a), all transformed, a
  /// uniform and sampled as its transform. message (may be null) is one row [n], added to limb `limb` of the
  /// first part.
  virtual void masked_pair(const RingTables& ring, const std::uint64_t* secret, const StreamName& uniform,
                           const SmallPolynomial& error, const std::uint64_t* message, std::size_t limb,
                           std::uint64_t* out) const;
};

/// The CPU backend. threads 0: all this process may use. throws UnsupportedError if the target cannot run
/// here.
std::shared_ptr<const Backend> make_cpu_backend(unsigned threads = 1);
std::shared_ptr<const Backend> make_cpu_backend(unsigned threads, Target target);

}  // namespace nttforge
