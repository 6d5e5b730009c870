// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/random/random_kernels.hpp"

#include <algorithm>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cpu/lanes/lanes_emulated.hpp"
#include "nttforge/random/gaussian_tables.hpp"

using namespace nttforge;

namespace {

// Loops written over vectors run on every machine here; what the real targets give is compared in random/.
constexpr RandomKernels kEmulated512 =
    cpu::RandomKernelsOf<cpu::Lanes32Emulated<16>, cpu::LanesEmulated<8>>::table();
constexpr RandomKernels kEmulated256 =
    cpu::RandomKernelsOf<cpu::Lanes32Emulated<8>, cpu::LanesEmulated<4>>::table();

}  // namespace

NTTF_TEST(
    "random kernels: emulated vectors equal scalar for every number of blocks, across the counter's end") {
  testing::Rng rng;
  const RandomKernels& scalar = random_kernels(Target::scalar);
  ChaChaInput input;
  for (auto& word : input.key) word = static_cast<std::uint32_t>(rng.next());
  for (auto& word : input.nonce) word = static_cast<std::uint32_t>(rng.next());
  for (std::size_t blocks = 0; blocks <= 40; ++blocks) {
    const auto counter = blocks % 2 == 0 ? static_cast<std::uint32_t>(rng.next()) : 0xFFFFFFF0u;
    std::vector<std::uint64_t> expected(8 * blocks + 1, 0xABAB);
    scalar.key_stream(input, counter, expected.data(), blocks);
    for (const RandomKernels* emulated : {&kEmulated512, &kEmulated256}) {
      std::vector<std::uint64_t> out(8 * blocks + 1, 0xABAB);
      emulated->key_stream(input, counter, out.data(), blocks);
      NTTF_CHECK(out == expected);
    }
  }
}

NTTF_TEST("random kernels: emulated vectors equal scalar for reduction, comparison and errors") {
  testing::Rng rng;
  const RandomKernels& scalar = random_kernels(Target::scalar);
  const std::uint64_t top = ~std::uint64_t{0};
  // The divisors of 2^64 + 1: 2^64 / q is rounded down by almost one, so the quotient is as wrong as it gets.
  for (const std::uint64_t q : {std::uint64_t{274177}, std::uint64_t{67280421310721}, std::uint64_t{2},
                                std::uint64_t{3}, std::uint64_t{97}, (std::uint64_t{1} << 50) - 27,
                                (std::uint64_t{1} << 61) + 1, (std::uint64_t{1} << 62) - 57}) {
    const std::uint64_t ratio = Modulus(q).barrett_high();
    for (std::size_t count = 0; count <= 33; ++count) {
      std::vector<std::uint64_t> words(count);
      for (auto& word : words) {
        const std::uint64_t near = top / q * q - 2 + rng.below(4);  // around the largest multiple
        const std::uint64_t choices[] = {rng.next(), near, ~rng.below(std::uint64_t{1} << 40),
                                         ~rng.below(4)};  // beside the last entries of a table
        word = choices[rng.below(4)];
      }
      std::vector<std::int64_t> expected_errors(count), errors(count);
      scalar.error(words.data(), kGaussianSigma32.data(), kGaussianSigma32.size(), expected_errors.data(),
                   count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto passes = [u = words[i] >> 1](std::uint64_t entry) { return entry <= u; };
        const auto magnitude = std::count_if(kGaussianSigma32.begin(), kGaussianSigma32.end(), passes);
        NTTF_CHECK_EQ(expected_errors[i], std::int64_t{words[i] % 2 == 0 ? magnitude : -magnitude});
      }
      for (const RandomKernels* emulated : {&kEmulated512, &kEmulated256}) {
        std::vector<std::uint64_t> out(count);
        emulated->reduce(words.data(), q, ratio, out.data(), count);
        for (std::size_t i = 0; i < count; ++i) NTTF_CHECK_EQ(out[i], words[i] % q);
        scalar.reduce(words.data(), q, ratio, out.data(), count);
        for (std::size_t i = 0; i < count; ++i) NTTF_CHECK_EQ(out[i], words[i] % q);
        if (q >> 32 == 0)
          for (const RandomKernels* kernels : {emulated, &scalar}) {
            std::vector<std::uint32_t> halves(count);
            kernels->reduce32(words.data(), q, ratio, halves.data(), count);
            for (std::size_t i = 0; i < count; ++i) NTTF_CHECK_EQ(halves[i], words[i] % q);
          }
        emulated->error(words.data(), kGaussianSigma32.data(), kGaussianSigma32.size(), errors.data(), count);
        NTTF_CHECK(errors == expected_errors);
        const std::uint64_t largest = count == 0 ? 0 : *std::max_element(words.begin(), words.end());
        NTTF_CHECK(!emulated->any_above(words.data(), largest, count));
        if (largest != 0) NTTF_CHECK(emulated->any_above(words.data(), largest - 1, count));
      }
    }
  }
}
