// SPDX-License-Identifier: Apache-2.0
// The arithmetic classes of the kernels at the limits of docs/bounds/gpu_butterflies.md.
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/arith/shoup32.hpp"
#include "nttforge/cuda/arith/shoup64.hpp"

namespace nttforge::cuda {
namespace {

template <class Arith>
typename Arith::Constants constants_of(std::uint64_t q) {
  using Word = typename Arith::Word;
  CudaLimb<Word> limb;
  limb.q = static_cast<Word>(q);
  limb.negated = static_cast<Word>(0 - q);
  Arith::fill_constants(limb);
  return Arith::constants(limb);
}
template <class Arith>
typename Arith::Twiddle twiddle_of(std::uint64_t w, std::uint64_t q) {
  typename Arith::Word entry[2];
  Arith::entry(w, q, entry);
  return {entry[0], entry[1]};
}

/// Words at which carries, quotients and bounds change.
template <class Word>
std::vector<Word> hard_words(std::uint64_t q, testing::Rng& rng) {
  constexpr unsigned kHalf = 4 * sizeof(Word);
  const Word ones = static_cast<Word>(~Word{0}), low = static_cast<Word>((Word{1} << kHalf) - 1);
  std::vector<Word> words{0, 1, low, static_cast<Word>(low + 1), static_cast<Word>(ones - low), ones};
  for (std::uint64_t k = 1; k <= 16; ++k) {
    words.push_back(static_cast<Word>(k * q - 1));
    words.push_back(static_cast<Word>(k * q));
  }
  for (int i = 0; i < 40; ++i) words.push_back(static_cast<Word>(rng.next()));
  return words;
}

/// Primes next to the class's limit, and small ones.
template <class Arith>
std::vector<std::uint64_t> primes_of() {
  std::uint64_t top = Arith::kQLimit - 1;
  while (!is_prime(top)) --top;
  return {3, 5, 17, 97, 12289, 268435399, 268435459, 536870909, 536870923, top};
}

template <class Arith>
void check_class() {
  using Word = typename Arith::Word;
  testing::Rng rng;
  for (const std::uint64_t q : primes_of<Arith>()) {
    if (q >= Arith::kQLimit) continue;
    const auto c = constants_of<Arith>(q);
    const std::vector<Word> words = hard_words<Word>(q, rng);
    for (const std::uint64_t w : {std::uint64_t{0}, std::uint64_t{1}, q / 2, q - 1, rng.below(q)}) {
      const auto twiddle = twiddle_of<Arith>(w, q);
      for (const Word b : words) {
        const Word t = Arith::multiply(b, twiddle, c);
        NTTF_CHECK_EQ(t % q, wide_mul_mod(b % q, w, q));
        NTTF_CHECK(t / q < Arith::kGrowth);
        for (const std::uint64_t bound : {std::uint64_t{1}, std::uint64_t{Arith::kLimit - Arith::kGrowth}}) {
          const Word a = static_cast<Word>(bound * q - 1);
          Word x = a, y = b;
          Arith::forward(x, y, twiddle, c);
          NTTF_CHECK_EQ(x % q, (a % q + t % q) % q);
          NTTF_CHECK_EQ(y % q, (a % q + q - t % q) % q);
          NTTF_CHECK(x / q < bound + Arith::kGrowth && y / q < bound + Arith::kGrowth);
        }
        const Word most = static_cast<Word>(Arith::kHalf * q - 1);
        Word x = most, y = static_cast<Word>(b % (Arith::kHalf * q));
        const Word sum = static_cast<Word>(x + y), difference = static_cast<Word>((x % q + q - y % q) % q);
        Arith::inverse(x, y, twiddle, c);
        NTTF_CHECK_EQ(x, sum);
        NTTF_CHECK_EQ(y % q, wide_mul_mod(difference, w, q));
        NTTF_CHECK(x / q < Arith::kLimit && y / q < Arith::kGrowth);
      }
    }
    for (const Word x : words) {
      if (x / q >= Arith::kLimit) continue;
      NTTF_CHECK_EQ(Arith::template to_word<Arith::kLimit>(x, c), x % q);
      NTTF_CHECK(Arith::halve(x, c) / q < Arith::kHalf && Arith::halve(x, c) % q == x % q);
      if (x / q < 3) NTTF_CHECK_EQ(Arith::template to_word<3>(x, c), x % q);
      if (x / q < 2) NTTF_CHECK_EQ(Arith::template to_word<2>(x, c), x % q);
    }
  }
}

NTTF_TEST("products, butterflies and reductions keep their bounds") {
  check_class<Shoup64<16>>();
  check_class<Shoup64<4>>();
  check_class<Shoup32>();
}

/// a at its bound and t = 0: the other result is the bound itself, which must fit the word.
template <class Arith>
bool holds_at(std::uint64_t q) {
  using Word = typename Arith::Word;
  const auto c = constants_of<Arith>(q);
  const Word a = static_cast<Word>((Arith::kLimit - Arith::kGrowth) * q - 1);
  Word x = a, y = 0;
  Arith::forward(x, y, twiddle_of<Arith>(1, q), c);
  return y % q == a % q && x == a;
}

template <class Arith>
void check_limit() {
  NTTF_CHECK(holds_at<Arith>(Arith::kQLimit - 1));
  NTTF_CHECK(holds_at<Arith>(Arith::kQLimit));  // 16 q - 1 = 2^64 - 1
  NTTF_CHECK(!holds_at<Arith>(Arith::kQLimit + 1));
}

NTTF_TEST("the first modulus above each limit fails") {
  check_limit<Shoup64<16>>();
  check_limit<Shoup64<4>>();
  check_limit<Shoup32>();
}

}  // namespace
}  // namespace nttforge::cuda
