// SPDX-License-Identifier: Apache-2.0
// What key switching takes of transforms, in every row that has it: the words are those of transforms,
// products and sums by the CPU engine.
#include <algorithm>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/cuda/table/kernels.hpp"

namespace nttforge::cuda {
namespace {

using testing::Rng;
using testing_plans::expect;
using testing_plans::OnDevice;
using testing_plans::residues;
using Word = std::uint32_t;
using Words = std::vector<Word>;

/// Two limbs with owners and a special one; an odd number of digits, one of which owns nothing.
constexpr std::size_t kLimbs = 3, kOwn = 2, kDigits = 3, kElements = 2;
constexpr std::uint8_t kDigitOf[] = {2, 0};

NttSpec spec_of(std::size_t n) {
  NttSpec spec{.n = n, .moduli = ntt_primes(n, 30, kLimbs)};
  spec.word_bits = 32;
  return spec;
}

std::vector<CudaNttPlan> plans() {
  std::vector<CudaNttPlan> result;
  for (const int device : testing_plans::places())
    for (const std::size_t n : {1u << 13, 1u << 14, 1u << 15, 1u << 16}) {
      if (n > 1u << 14 && device < 0 && !testing::full_tests() && n != 1u << 16) continue;
      const NttSpec spec = spec_of(n);
      for (const CudaKernelRow<Word>& row : cuda_rows<Word>(CudaRowKind::ntt))
        if (row.has_switching && row.min_log_n <= static_cast<unsigned>(__builtin_ctzll(n)) &&
            static_cast<unsigned>(__builtin_ctzll(n)) <= row.max_log_n)
          result.emplace_back(spec, row.recipe, device);
    }
  NTTF_CHECK(!result.empty() || !host_in_this_build());
  return result;
}

/// Rows that a digit owns hold what the transform does not touch.
bool is_own(std::size_t digit, std::size_t limb) { return limb < kOwn && kDigitOf[limb] == digit; }

DigitRows digit_rows() {
  DigitRows rows{.elements = kElements, .digits = kDigits, .own_limbs = kOwn};
  std::copy(std::begin(kDigitOf), std::end(kDigitOf), rows.digit_of);
  return rows;
}

NTTF_TEST(
    "cuda plan: transforms of digits leave their own rows, and products with keys take these elsewhere") {
  Rng rng;
  for (const CudaNttPlan& plan : plans()) {
    const NttSpec& spec = plan.spec();
    const std::size_t n = spec.n, words = kLimbs * n, special = 1, key_limbs = kLimbs + 1;
    NTTF_CHECK(plan.has_switching());
    const Words digits = residues<Word>(spec, kElements * kDigits, rng),
                own = residues<Word>(spec, kElements, rng), addend = residues<Word>(spec, 2 * kElements, rng);
    Words key(kDigits * 2 * key_limbs * n);
    for (std::size_t i = 0; i < key.size(); ++i) {
      const std::size_t row = i / n % key_limbs;  // the key lacks nothing, and has one row before the level's
      key[i] = static_cast<Word>(rng.below(spec.moduli[row == 0 ? 0 : row - 1]));
    }
    Words transformed(digits.size());
    NttPlan(spec).forward(std::span<const Word>(digits), std::span<Word>(transformed));
    Words left = transformed, sums(kElements * 2 * words);
    const std::vector<std::uint64_t> factors = {5, spec.moduli[1] - 1};
    for (std::size_t e = 0; e < kElements; ++e)
      for (std::size_t j = 0; j < kLimbs; ++j) {
        const Modulus m(spec.moduli[j]);
        for (std::size_t i = 0; i < n; ++i) {
          std::uint64_t sum[2] = {};
          for (std::size_t d = 0; d < kDigits; ++d) {
            const std::size_t at = ((e * kDigits + d) * kLimbs + j) * n + i;
            if (is_own(d, j)) left[at] = digits[at];
            const std::uint64_t x = is_own(d, j) ? own[e * words + j * n + i] : transformed[at];
            for (std::size_t part = 0; part < 2; ++part)
              sum[part] = m.add(sum[part], m.mul(x, key[((2 * d + part) * key_limbs + j + 1) * n + i]));
          }
          if (j < kOwn)
            sum[0] = m.add(sum[0], m.mul(factors[j], addend[(e * kOwn + j) * n + i] % spec.moduli[j]));
          for (std::size_t part = 0; part < 2; ++part)
            sums[((2 * e + part) * kLimbs + j) * n + i] = static_cast<Word>(sum[part]);
        }
      }
    const OnDevice<Word> x(plan.device(), digits);
    NTTF_CHECK(plan.forward_digits(digit_rows(), x.words));
    expect(x.back() == left, plan, "forward_digits");

    const OnDevice<Word> again(plan.device(), digits), values(plan.device(), own), keys(plan.device(), key),
        added(plan.device(), addend), out(plan.device(), sums.size());
    KeyWords<Word> words_of_key{.key = keys.words.data(),
                                .limbs = key_limbs,
                                .special = special,
                                .first = 1,
                                .own = values.words.data(),
                                .own_stride = words,
                                .addend = added.words.data(),
                                .addend_stride = kOwn * n,
                                .addend_parts = 1,
                                .addend_limbs = kOwn};
    for (std::size_t j = 0; j < kOwn; ++j) words_of_key.factors[j] = static_cast<Word>(factors[j]);
    NTTF_CHECK(plan.key_product(digit_rows(), words_of_key, again.words, out.words));
    expect(out.back() == sums, plan, "key_product");
  }
}

NTTF_TEST("cuda plan: the last pass of a division joins rows that stay and what is added, or its image") {
  Rng rng;
  for (const CudaNttPlan& plan : plans()) {
    const NttSpec& spec = plan.spec();
    const std::size_t n = spec.n, words = kLimbs * n, parts = 2;
    const Words x = residues<Word>(spec, parts, rng), rows = residues<Word>(spec, parts, rng),
                addend = residues<Word>(spec, 1, rng);
    // Fours change places, and words within them.
    std::vector<std::uint32_t> index(n);
    for (std::size_t i = 0; i < n; ++i)
      index[i] = static_cast<std::uint32_t>(((i / 4 * 5 + 3) % (n / 4)) * 4 + (i % 4 * 3 + i / 4) % 4);
    Words values(x.size());
    NttPlan(spec).forward(std::span<const Word>(x), std::span<Word>(values));
    for (const bool moves : {false, true}) {
      Words want = values;
      for (std::size_t i = 0; i < want.size(); ++i) {
        const std::size_t part = i / words, limb = i / n % kLimbs, at = i % n;
        const Modulus m(spec.moduli[limb]);
        std::uint64_t value = want[i];
        if (limb != 1) value = m.add(value, m.mul(limb + 7, rows[part * words + limb * n + at]));
        if (part == 0) value = m.add(value, addend[limb * n + (moves ? index[at] : at)]);
        want[i] = static_cast<Word>(value);
      }
      const OnDevice<Word> out(plan.device(), x), stay(plan.device(), rows), more(plan.device(), addend);
      const OnDevice<std::uint32_t> permutation(plan.device(), index);
      DivisionJoin<Word> join{.x = stay.words.data(),
                              .x_stride = words,
                              .addend = more.words.data(),
                              .addend_stride = words,
                              .image = moves ? permutation.words.data() : nullptr,
                              .addend_parts = 1,
                              .parts = parts};
      for (std::size_t j = 0; j < kLimbs; ++j) {
        join.row_of[j] = j == 1 ? join.kNoRow : static_cast<std::uint8_t>(j);
        join.own[j] = static_cast<Word>(j + 7);
        join.quotient[j] = static_cast<Word>((std::uint64_t{j + 7} << 32) / spec.moduli[j]);
      }
      NTTF_CHECK(plan.forward_joined(join, out.words));
      expect(out.back() == want, plan, "forward_joined");
    }
  }
}

NTTF_TEST("cuda plan: some limbs are transformed back, and others stay as they are") {
  Rng rng;
  for (const int device : testing_plans::places()) {
    const NttSpec spec = spec_of(1 << 12);
    const CudaNttPlan plan(spec, device);
    const Words x = residues<Word>(spec, 2, rng);
    Words want = x, whole(x.size());
    NttPlan(spec).inverse(std::span<const Word>(x), std::span<Word>(whole));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (i / spec.n % kLimbs != 0) want[i] = whole[i];
    const OnDevice<Word> out(device, x);
    NTTF_CHECK(plan.inverse_limbs(out.in(), out.words, 1, 2));
    expect(out.back() == want, plan, "inverse_limbs");
  }
}

}  // namespace
}  // namespace nttforge::cuda
