// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/bad18b/fv.hpp"

#include <bit>
#include <thread>

#include "nttforge/arith/primes.hpp"
#include "papers/kernels/bad18b/constants.hpp"

namespace nttforge::cuda::bad18b {
namespace {

enum Use : Word { kSecret = 1, kPublic, kKeyError, kFirstEncryption };

/// A kernel's columns, shared out to the cores of the host.
template <class Kernel>
void run_on_cores(const Kernel& kernel) {
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  const std::uint32_t n = std::uint32_t{1} << kernel.shape.log_n;
  std::vector<std::thread> threads;
  for (unsigned core = 0; core < cores; ++core)
    threads.emplace_back([&kernel, core, cores, n] {
      for (std::uint32_t row = 0; row < kernel.shape.rows; ++row)
        for (std::uint32_t column = n / cores * core;
             column < (core + 1 == cores ? n : n / cores * (core + 1)); ++column)
          kernel(row, column);
    });
  for (std::thread& thread : threads) thread.join();
}

/// [digits + 1][primes]: what the square of the secret is multiplied by in each part of the evaluation key;
/// none in the public key, which stands first.
std::vector<Word> key_factors(const RnsBase& q, bool residues) {
  std::vector<Word> factors(q.size(), 0);
  for (std::size_t i = 0; i < q.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) {
      const Modulus& p = q.modulus(j);
      const std::uint64_t power = p.pow(p.reduce(std::uint64_t{1} << BinaryDigits::kBits), i);
      factors.push_back(static_cast<Word>(residues ? q.punctured_mod(i, p) : power));
    }
  return factors;
}

}  // namespace

Fv::Fv(const FvBase& base, const Machine& machine, Transform transform, Rounding rounding)
    : base_(base),
      machine_(machine),
      rounding_(rounding),
      log_n_(static_cast<unsigned>(std::countr_zero(base.n))),
      q_(base.n, base.q.values(), transform, machine),
      other_(base.n, rounding == Rounding::residues ? base.bsk.values() : base.wide.values(), transform,
             machine) {
  const std::size_t count = base.q.size();
  const BigUint delta = base.q.product().divided_by(base.t);
  for (std::size_t j = 0; j < count; ++j) {
    const Modulus& p = base.q.modulus(j);
    add_message_.factors[j] = static_cast<Word>(delta.mod(p.value()));
    digits_.q[j] = static_cast<Word>(p.value());
    digits_.scale[j] = static_cast<Word>(base.q.inverse_punctured(j).value);
  }
  add_message_.primes = q_.primes();
  digits_.count = static_cast<Word>(count);
  if (rounding == Rounding::residues) {
    extend_.k = step_constants(base.extend());
    floor_.k = step_constants(base.floor());
    to_q_.k = step_constants(base.to_q());
    decrypt_.k = step_constants(base.decrypt());
  } else {
    const std::uint64_t plain[] = {base.t};
    const Word t = static_cast<Word>(base.t);
    lift_ = make_positional(base.q, base.wide.values());
    round_ = make_positional(base.wide, base.q.values(), &base.q.product(), t);
    round_plain_ = make_positional(base.q, plain, &base.q.product(), t);
    binary_digits_.constants = garner_constants<kPrimes>(base.q);
  }
  const std::size_t w = q_.words(), keys = (count + 1) * w;
  factors_ = machine_.uploaded(key_factors(base.q, rounding == Rounding::residues));
  secret_ = machine_.allocate(w);
  square_ = machine_.allocate(w);
  key_a_ = machine_.allocate(keys);
  key_b_ = machine_.allocate(keys);
  errors_ = machine_.allocate(keys);
  pair_q_ = machine_.allocate(4 * w);
  tensor_q_ = machine_.allocate(3 * w);
  digit_rows_ = machine_.allocate(count * w);
  switched_ = machine_.allocate(2 * w);
  pair_other_ = machine_.allocate(4 * other_.words());
  tensor_other_ = machine_.allocate(3 * other_.words());
}

template <class Kernel>
void Fv::run(Kernel kernel, std::size_t rows, unsigned log_n) {
  kernel.shape = {static_cast<std::uint32_t>(rows), log_n};
  machine_.run(kernel);
}

void Fv::products(const Transforms& ring, const Word* a, const Word* b, Word* out, std::size_t rows,
                  Word period, Word terms, std::ptrdiff_t a_step, std::ptrdiff_t b_step) {
  if (ring.is_complex())
    run(SumOfProducts<true>{{}, a, b, out, ring.primes(), a_step, b_step, terms, period}, rows, log_n_ - 1);
  else
    run(SumOfProducts<false>{{}, a, b, out, ring.primes(), a_step, b_step, terms, period}, rows, log_n_);
}

void Fv::generate_keys(Word seed) {
  const std::size_t count = base_.q.size(), parts = count + 1;
  const Word period = static_cast<Word>(count);
  const PrimeList& primes = q_.primes();
  const auto name = [seed](Use use) { return RandomName{{seed, 0}, use}; };
  run(SampleBinary{{}, secret_.get(), primes, name(kSecret)}, 1, log_n_);
  q_.forward(machine_, secret_.get(), secret_.get(), 1);
  products(q_, secret_.get(), secret_.get(), square_.get(), count);
  run(SampleUniform{{}, key_a_.get(), primes, name(kPublic)}, parts, log_n_);  // values of the transform
  run(SampleError{{}, errors_.get(), primes, name(kKeyError)}, parts, log_n_ - 1);
  q_.forward(machine_, errors_.get(), errors_.get(), parts);
  products(q_, key_a_.get(), secret_.get(), key_b_.get(), parts * count, period);
  run(Mask{{}, key_b_.get(), errors_.get(), square_.get(), key_b_.get(), primes, factors_.get()},
      parts * count, log_n_);
}

void Fv::encrypt(const Word* message, Word use, Word* out) {
  const std::size_t count = base_.q.size(), w = q_.words();
  const PrimeList& primes = q_.primes();
  const RandomName u{{use, 1}, kFirstEncryption}, e{{use, 1}, kFirstEncryption + 1};
  Word* const binary = pair_q_.get();
  run(SampleBinary{{}, binary, primes, u}, 1, log_n_);
  q_.forward(machine_, binary, binary, 1);
  products(q_, key_b_.get(), binary, out, count);
  products(q_, key_a_.get(), binary, out + w, count);
  q_.inverse(machine_, out, 2);
  run(SampleError{{}, switched_.get(), primes, e}, 2, log_n_ - 1);
  run(AddRows<false>{{}, out, switched_.get(), out, primes}, 2 * count, log_n_);
  AddMessage add = add_message_;
  add.x = add.out = out;
  add.m = message;
  run(add, count, log_n_);
}

void Fv::decrypt(const Word* ciphertext, Word* message) {
  const std::size_t count = base_.q.size(), w = q_.words();
  Word* const x = pair_q_.get();
  q_.forward(machine_, ciphertext + w, x, 1);
  products(q_, x, secret_.get(), x, count);
  q_.inverse(machine_, x, 1);
  run(AddRows<false>{{}, x, ciphertext, x, q_.primes()}, count, log_n_);
  if (rounding_ != Rounding::residues) return positional(round_plain_, x, w, message, base_.n, 1);
  ApplyStep step = decrypt_;
  step.in = x;
  step.out = message;
  run(step, 1, log_n_);
}

void Fv::add(const Word* a, const Word* b, Word* out) {
  run(AddRows<false>{{}, a, b, out, q_.primes()}, 2 * base_.q.size(), log_n_);
}

void Fv::tensor(const Transforms& ring, const Word* a, const Word* b, Word* out) {
  const std::size_t w = ring.words(), rows = w / base_.n;
  const auto step = static_cast<std::ptrdiff_t>(w);
  products(ring, a, b, out, rows);
  products(ring, a, b + w, out + w, rows, 0, 2, step, -step);  // a0 b1 + a1 b0
  products(ring, a + w, b + w, out + 2 * w, rows);
  ring.inverse(machine_, out, 3);
}

void Fv::multiply_residues(const Word* a, const Word* b) {
  const std::size_t w = q_.words(), v = other_.words();
  const Word* const operands[] = {a, b};
  for (std::size_t i = 0; i < 2; ++i) {
    ApplyStep step = extend_;
    Word* const to = pair_other_.get() + 2 * i * v;
    step.in = operands[i];
    step.out = to;
    run(step, 2, log_n_);
    other_.forward(machine_, to, to, 2);
    q_.forward(machine_, operands[i], pair_q_.get() + 2 * i * w, 2);
  }
  tensor(q_, pair_q_.get(), pair_q_.get() + 2 * w, tensor_q_.get());
  tensor(other_, pair_other_.get(), pair_other_.get() + 2 * v, tensor_other_.get());
  ApplyStep down = floor_, back = to_q_;
  down.in = tensor_q_.get();
  down.own = back.in = tensor_other_.get();
  down.out = tensor_other_.get();
  run(down, 3, log_n_);
  back.out = tensor_q_.get();
  run(back, 3, log_n_);
}

void Fv::multiply_integers(const Word* a, const Word* b) {
  const std::size_t w = q_.words(), v = other_.words();
  Word *const x = pair_other_.get(), *const y = x + 2 * v;
  positional(lift_, a, 2 * w, x, 2 * v, 2);
  positional(lift_, b, 2 * w, y, 2 * v, 2);
  other_.forward(machine_, x, x, 4);
  tensor(other_, x, y, tensor_other_.get());
  positional(round_, tensor_other_.get(), 3 * v, tensor_q_.get(), 3 * w, 3);
}

void Fv::relinearize(Word* out) {
  const std::size_t count = base_.q.size(), w = q_.words();
  const auto step = static_cast<std::ptrdiff_t>(w);
  const Word* const c2 = tensor_q_.get() + 2 * w;
  Word *const digits = digit_rows_.get(), *const sum = switched_.get();
  if (rounding_ == Rounding::residues) {
    ResidueDigits split = digits_;
    split.in = c2;
    split.out = digits;
    run(split, count * count, log_n_);
  } else {
    positional(binary_digits_, c2, w, digits, count * w, 1);
  }
  q_.forward(machine_, digits, digits, count);
  const Word terms = static_cast<Word>(count);
  products(q_, digits, key_b_.get() + w, sum, count, 0, terms, step, step);
  products(q_, digits, key_a_.get() + w, sum + w, count, 0, terms, step, step);
  q_.inverse(machine_, sum, 2);
  run(AddRows<false>{{}, tensor_q_.get(), sum, out, q_.primes()}, 2 * count, log_n_);
}

void Fv::multiply(const Word* a, const Word* b, Word* out) {
  rounding_ == Rounding::residues ? multiply_residues(a, b) : multiply_integers(a, b);
  relinearize(out);
}

template <class Kernel>
void Fv::positional(Kernel kernel, const Word* in, std::size_t in_words, Word* out, std::size_t out_words,
                    std::size_t rows) {
  kernel.shape = {static_cast<std::uint32_t>(rows), log_n_};
  if (rounding_ == Rounding::integers) {
    kernel.in = in;
    kernel.out = out;
    machine_.run(kernel);
    return;
  }
  const std::vector<Word> from = machine_.downloaded(in, in_words);
  std::vector<Word> to(out_words);
  kernel.in = from.data();
  kernel.out = to.data();
  run_on_cores(kernel);
  machine_.copy(out, to.data(), out_words);
}

void Fv::verify() {
  const std::size_t n = base_.n;
  std::vector<Word> messages[2];
  std::vector<std::uint64_t> wide[2], product(n), workspace(n);
  Word state = 1;
  for (int i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      state = state * 1664525u + 1013904223u;
      messages[i].push_back((state >> 31) % static_cast<Word>(base_.t));
      wide[i].push_back(messages[i].back());
    }
  const std::uint64_t p = ntt_primes(n, 50, 1)[0];
  const NttPlan plan(NttSpec{.n = n, .moduli = {p}});
  plan.polynomial_product(wide[0], wide[1], product, workspace);
  generate_keys(2018);
  const Array plain = machine_.allocate(n);
  const Array x = machine_.allocate(2 * q_.words()), y = machine_.allocate(2 * q_.words());
  machine_.copy(plain.get(), messages[0].data(), n);
  encrypt(plain.get(), 1, x.get());
  machine_.copy(plain.get(), messages[1].data(), n);
  encrypt(plain.get(), 2, y.get());
  multiply(x.get(), y.get(), x.get());
  add(x.get(), y.get(), x.get());
  decrypt(x.get(), plain.get());
  const std::vector<Word> found = machine_.downloaded(plain.get(), n);
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint64_t centred = product[j] > p / 2 ? base_.t - (p - product[j]) % base_.t : product[j];
    if (found[j] != (centred + messages[1][j]) % base_.t)
      throw Error("[Bad18b]: the product of two ciphertexts decrypts wrongly at n = " + std::to_string(n) +
                  ", coefficient " + std::to_string(j) + ": nothing is timed");
  }
}

}  // namespace nttforge::cuda::bad18b
