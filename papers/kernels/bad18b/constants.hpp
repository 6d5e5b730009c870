// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base.hpp"
#include "nttforge/rns/step.hpp"
#include "papers/kernels/bad18b/rows.hpp"

// The constants of [Bad18b]'s kernels, from the library's integers.

namespace nttforge::cuda::bad18b {

/// The 32-bit words of x. throws ParameterError if there are more than `count`.
inline std::vector<Word> words_of(const BigUint& x, std::size_t count) {
  std::vector<Word> words;
  for (const std::uint64_t word : x.words()) {
    words.push_back(static_cast<Word>(word));
    words.push_back(static_cast<Word>(word >> 32));
  }
  while (!words.empty() && words.back() == 0) words.pop_back();
  if (words.size() > count)
    throw ParameterError("an integer of " + std::to_string(x.bits()) + " bits has more than " +
                         std::to_string(count) + " words");
  words.resize(count);
  return words;
}
/// Words that hold x.
inline Word word_count(const BigUint& x) { return (x.bits() + 31) / 32; }

inline void keep(std::span<const Word> words, Word* to) { std::copy(words.begin(), words.end(), to); }
inline Word quotient_of(Word w, Word p) { return static_cast<Word>((Wide{w} << 32) / p); }
inline Wide reciprocal_of(Word p) { return ~Wide{0} / p; }

/// throws ParameterError unless there are at most `most` primes below 2^31.
inline void require_primes(const RnsBase& base, std::size_t most) {
  if (base.size() > most)
    throw ParameterError(std::to_string(base.size()) + " primes: at most " + std::to_string(most));
  for (const std::uint64_t p : base.values())
    if (p >> 31 != 0 || p % 2 == 0)
      throw ParameterError("prime " + std::to_string(p) + " must be odd, below 2^31");
}

inline PrimeList prime_list(std::span<const std::uint64_t> primes) {
  PrimeList list{.count = static_cast<Word>(primes.size())};
  for (std::size_t i = 0; i < primes.size(); ++i) list.p[i] = static_cast<Word>(primes[i]);
  return list;
}

template <template <unsigned> class Kernel, unsigned kMost>
void set_powers(Kernel<kMost>& kernel, const RnsBase& base) {
  require_primes(base, kMost);
  kernel.shape.rows = static_cast<Word>(base.size());
  kernel.words = word_count(base.product());
  for (std::size_t j = 0; j < base.size(); ++j) {
    const Modulus& p = base.modulus(j);
    kernel.m[j] = static_cast<Word>(p.value());
    for (std::size_t i = 0; i < kernel.words; ++i)
      kernel.powers[j * kMost + i] = static_cast<Word>(p.pow(p.reduce(Wide{1} << 32), i));
  }
}
template <unsigned kMost>
Crt<kMost> make_crt(const RnsBase& base) {
  Crt<kMost> kernel{};
  set_powers(kernel, base);
  return kernel;
}
template <unsigned kMost>
CrtLazy<kMost> make_crt_lazy(const RnsBase& base) {
  CrtLazy<kMost> kernel{};
  set_powers(kernel, base);
  for (std::size_t j = 0; j < base.size(); ++j) {
    kernel.reciprocals[j] = reciprocal_of(kernel.m[j]);
    for (std::size_t i = j * kMost; i < (j + 1) * kMost; ++i)
      kernel.quotients[i] = quotient_of(kernel.powers[i], kernel.m[j]);
  }
  return kernel;
}

/// Products m_0 ... m_(i-1) modulo m_i and their inverses.
inline std::uint64_t product_before(const RnsBase& base, std::size_t i, std::size_t count) {
  const Modulus& p = base.modulus(i);
  std::uint64_t product = 1;
  for (std::size_t j = 0; j < count; ++j) product = p.mul(product, p.reduce(base.values()[j]));
  return product;
}

template <unsigned kMost>
GarnerConstants<kMost> garner_constants(const RnsBase& base) {
  require_primes(base, kMost);
  GarnerConstants<kMost> k{};
  k.count = static_cast<Word>(base.size());
  k.words = word_count(base.product());
  for (std::size_t i = 0; i < base.size(); ++i) {
    k.m[i] = static_cast<Word>(base.values()[i]);
    k.c[i] = static_cast<Word>(base.modulus(i).inverse(product_before(base, i, i)));
    k.minus_c[i] = k.m[i] - k.c[i];
    if (i > 0) keep(words_of(BigUint::product(base.values().first(i)), i), k.products + i * (i - 1) / 2);
  }
  return k;
}

template <unsigned kMost>
ClassicConstants<kMost> classic_constants(const RnsBase& base) {
  require_primes(base, kMost);
  ClassicConstants<kMost> k{};
  k.count = static_cast<Word>(base.size());
  k.words = word_count(base.product());
  for (std::size_t i = 0; i < base.size(); ++i) {
    k.m[i] = static_cast<Word>(base.values()[i]);
    k.inverses[i] = static_cast<Word>(base.inverse_punctured(i).value);
    keep(words_of(base.product().divided_by(base.values()[i]), k.words), k.punctured + i * kMost);
  }
  k.shift = 32 * k.words - base.product().bits();
  keep(words_of(base.product(), k.words), k.product);
  keep(words_of(base.product() * (std::uint64_t{1} << k.shift), k.words), k.normalised);
  return k;
}

template <unsigned kCount>
MixedRadix<kCount> make_mixed_radix(const RnsBase& base) {
  require_primes(base, kCount);
  if (base.size() != kCount) throw ParameterError("MixedRadix is compiled for another number of primes");
  MixedRadix<kCount> k{};
  k.shape.rows = 1;
  k.words = word_count(base.product());
  for (std::size_t i = 0; i < kCount; ++i) {
    const Modulus& p = base.modulus(i);
    const std::uint64_t c = p.inverse(product_before(base, i, i));
    k.m[i] = static_cast<Word>(p.value());
    k.reciprocals[i] = reciprocal_of(k.m[i]);
    k.c[i] = static_cast<Word>(c);
    k.c_quotients[i] = quotient_of(k.c[i], k.m[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const std::size_t at = i * (i - 1) / 2 + j;
      k.weights[at] = static_cast<Word>(p.negate(p.mul(c, product_before(base, i, j))));
      k.quotients[at] = quotient_of(k.weights[at], k.m[i]);
    }
  }
  return k;
}

/// throws ParameterError if the step has more moduli than kBase, larger words or fractions.
inline StepConstants step_constants(const RnsStep& step) {
  step.validate();
  const auto fits = [](const std::vector<std::uint64_t>& moduli) {
    return moduli.size() <= kBase &&
           std::all_of(moduli.begin(), moduli.end(), [](auto m) { return m >> 31 == 0; });
  };
  if (!fits(step.sources) || !fits(step.targets) || step.modulus >> 31 != 0 || step.fraction_bits != 0 ||
      !step.offset.empty())
    throw ParameterError("a step of [Bad18b]: at most " + std::to_string(kBase) +
                         " moduli below 2^31 on each side, no fractions and no offset");
  StepConstants k{};
  const std::size_t sources = step.sources.size(), targets = step.targets.size();
  k.sources = static_cast<Word>(sources);
  k.targets = static_cast<Word>(targets);
  k.takes_own = step.own.empty() ? 0 : 1;
  k.modulus = static_cast<Word>(step.modulus);
  const auto copy = [](const std::vector<std::uint64_t>& from, Word* to) {
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<Word>(from[i]);
  };
  copy(step.sources, k.s);
  copy(step.scale.empty() ? std::vector<std::uint64_t>(sources, 1) : step.scale, k.scale);
  copy(step.weights, k.weights);
  copy(step.targets, k.q);
  copy(step.own, k.own);
  copy(step.excess, k.excess);
  for (std::size_t j = 0; j < targets && !step.factors.empty(); ++j)
    for (std::size_t i = 0; i < sources; ++i)
      k.factors[j * kBase + i] = static_cast<Word>(step.factors[j * sources + i]);
  return k;
}

/// Positional arithmetic from `from` to `targets`; with Q it multiplies by t and divides by Q.
inline Positional make_positional(const RnsBase& from, std::span<const std::uint64_t> targets,
                                  const BigUint* q = nullptr, Word t = 1) {
  Positional k{};
  k.constants = garner_constants<Positional::kMost>(from);
  const std::size_t words = k.constants.words;
  keep(words_of(from.product(), words), k.whole);
  keep(words_of(from.product().shifted_right(1), words), k.half);
  k.targets = static_cast<Word>(targets.size());
  for (std::size_t j = 0; j < targets.size(); ++j) k.p[j] = static_cast<Word>(targets[j]);
  if (q == nullptr) return k;
  k.divides = 1;
  k.t = t;
  k.q_words = word_count(*q);
  k.shift = 32 * k.q_words - q->bits();
  keep(words_of(q->shifted_right(1), k.q_words), k.half_q);
  keep(words_of(*q * (std::uint64_t{1} << k.shift), k.q_words), k.normalised_q);
  return k;
}

}  // namespace nttforge::cuda::bad18b
