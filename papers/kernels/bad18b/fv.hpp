// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "papers/kernels/bad18b/base.hpp"
#include "papers/kernels/bad18b/machine.hpp"

namespace nttforge::cuda::bad18b {

/// Who divides by Q and rounds, and decomposes for the relinearization: the residues (Alg. 2 and 3), or
/// integers of many words, on the machine itself or on the host's cores (the paper's G-CPU-FV).
enum class Rounding { residues, integers, integers_on_host };

/// FV as [Bad18b] computes it: 31-bit primes in 32-bit words, native remainders, one kernel an operation, a
/// DGT (or an NTT, to compare), no special prime: the relinearization has a digit for each prime. Memory is
/// taken when it is made. For measuring alone: its randomness is that of samplers.hpp. Operations
/// enqueue in the machine's stream, but for integers_on_host. Ciphertexts are [2][primes][n], messages [n].
class Fv {
 public:
  Fv(const FvBase& base, const Machine& machine, Transform transform, Rounding rounding);

  const FvBase& base() const { return base_; }
  Machine& machine() { return machine_; }
  std::size_t ciphertext_words() const { return 2 * q_.words(); }

  /// Secret, public and evaluation key, a function of the seed.
  void generate_keys(Word seed);
  /// use: another number for each encryption with one key.
  void encrypt(const Word* message, Word use, Word* out);
  void decrypt(const Word* ciphertext, Word* message);
  void add(const Word* a, const Word* b, Word* out);
  /// Tensor, division by Q and relinearization. out may be a or b.
  void multiply(const Word* a, const Word* b, Word* out);

  /// throws Error unless the product of two random messages decrypts.
  void verify();

 private:
  void multiply_residues(const Word* a, const Word* b);
  void multiply_integers(const Word* a, const Word* b);
  void tensor(const Transforms& ring, const Word* a, const Word* b, Word* out);
  void relinearize(Word* out);
  void products(const Transforms& ring, const Word* a, const Word* b, Word* out, std::size_t rows,
                Word period = 0, Word terms = 1, std::ptrdiff_t a_step = 0, std::ptrdiff_t b_step = 0);
  template <class Kernel>
  void run(Kernel kernel, std::size_t rows, unsigned log_n);
  /// Where integers are computed: here, or on the host with copies on both ways.
  template <class Kernel>
  void positional(Kernel kernel, const Word* in, std::size_t in_words, Word* out, std::size_t out_words,
                  std::size_t rows);

  FvBase base_;
  Machine machine_;
  Rounding rounding_;
  unsigned log_n_;
  Transforms q_, other_;  ///< other_: modulo B_sk, or the wide base
  ApplyStep extend_{}, floor_{}, to_q_{}, decrypt_{};
  Positional lift_{}, round_{}, round_plain_{};
  ResidueDigits digits_{};
  BinaryDigits binary_digits_{};
  AddMessage add_message_{};
  Array factors_;                                    ///< of the secret's square in the evaluation key
  Array secret_, square_, key_a_, key_b_, errors_;   ///< transformed
  Array pair_q_, tensor_q_, digit_rows_, switched_;  ///< modulo Q
  Array pair_other_, tensor_other_;                  ///< modulo the other base
};

}  // namespace nttforge::cuda::bad18b
