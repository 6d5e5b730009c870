// SPDX-License-Identifier: Apache-2.0
// The kernels that read secret words for the last time leave zeros in their place.

#include <algorithm>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/device/decryption.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::size_t kN = 16, kLimbs = 3, kBatch = 2;
constexpr std::uint32_t kLogN = 4;

template <class Word>
std::vector<Word> ones(std::size_t polynomials) {
  return std::vector<Word>(polynomials * kLimbs * kN, 1);
}

template <class T>
bool all_zero(const std::vector<T>& words) {
  return std::all_of(words.begin(), words.end(), [](T word) { return word == 0; });
}

template <class Word>
void check_zeros(unsigned bits) {
  std::vector<Wide> moduli;
  for (const std::uint64_t q : ntt_primes(kN, bits, kLimbs)) moduli.push_back(wide_modulus(q));
  const RingRows ring{moduli.data(), kLimbs};
  const Grid by_word{kBatch, kLogN}, parts_by_word{2 * kBatch, kLogN}, limbs_by_word{kBatch * kLimbs, kLogN};
  std::vector<Word> out = ones<Word>(2 * kBatch), key = ones<Word>(2);

  {  // with the last prime divided by, and without division
    const std::vector<std::uint64_t> constants(kLimbs, 1);
    StepConstants division;
    division.own = division.factors = constants.data();
    division.sources = 1;
    division.targets = kLimbs - 1;
    for (const bool divided : {false, true}) {
      std::vector<Word> sums = ones<Word>(2 * kBatch), masks = ones<Word>(kBatch);
      std::vector<std::int8_t> errors(2 * kBatch * kN, -3);
      each_on_host(FinishEncryption<Word, 1>{parts_by_word,
                                             kLogN,
                                             1,
                                             ring,
                                             static_cast<std::uint32_t>(divided ? kLimbs - 1 : kLimbs),
                                             1,
                                             sums.data(),
                                             masks.data(),
                                             errors.data(),
                                             {1, 7},
                                             {},
                                             out.data(),
                                             divided ? division : StepConstants{}});
      NTTF_CHECK(all_zero(sums) && all_zero(masks) && all_zero(errors) && !all_zero(out));
    }
  }
  {
    std::vector<Word> errors = ones<Word>(kBatch);
    each_on_host(FinishMaskedPairs<Word>{limbs_by_word, kLogN, 1, ring, key.data(), errors.data(), out.data(),
                                         PairMessages<Word>{}});
    NTTF_CHECK(all_zero(errors));
  }
  {
    std::vector<Word> products = ones<Word>(kBatch), ciphertexts = ones<Word>(2 * kBatch);
    std::vector<std::uint64_t> plain(kBatch * kN);
    const std::vector<std::uint64_t> constants(kLimbs, 1);
    StepConstants step;
    step.factors = constants.data();
    step.sources = kLimbs;
    step.targets = 1;
    step.target = wide_modulus(65537);
    each_on_host(RecoverPlain<Word, sizeof(Word) == 4>{
        by_word, ring, 2, ciphertexts.data(), products.data(), step, {plain.data(), false}, {}});
    NTTF_CHECK(all_zero(products));
    NTTF_CHECK_EQ(plain[5], std::uint64_t{2 * kLimbs});
  }
  {
    std::vector<Word> products = ones<Word>(kBatch);
    std::vector<std::int8_t> errors(kBatch * kN, 5);
    each_on_host(
        FinishSecretEncryption<Word>{by_word, ring, products.data(), errors.data(), 1, {}, out.data()});
    NTTF_CHECK(all_zero(products) && all_zero(errors));
    NTTF_CHECK_EQ(out[3], Word{4});
  }
}

NTTF_TEST("kernels of encryption and decryption leave zeros where secrets were") {
  check_zeros<std::uint64_t>(49);
  check_zeros<std::uint32_t>(30);
}

}  // namespace
}  // namespace nttforge::cuda
