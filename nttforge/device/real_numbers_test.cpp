// SPDX-License-Identifier: Apache-2.0
// Numbers to polynomials and back on every queue, to the last bit what Embedding defines number by number.

#include <bit>
#include <cmath>
#include <limits>

#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/embedding/small_integers.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

constexpr std::size_t kBatch = 2;

struct Message {
  std::size_t n, slots, length;
  unsigned parts;
};

/// Every kind of pass: few and many layers, odd and even; full, sparse, short, real.
const Message kMessages[] = {{2, 1, 1, 2},       {8, 4, 4, 2},      {64, 32, 20, 2},      {128, 64, 64, 2},
                             {256, 128, 128, 1}, {1024, 64, 64, 2}, {512, 256, 200, 2},   {1024, 512, 512, 2},
                             {64, 2, 1, 1},      {4096, 64, 3, 1},  {8192, 4096, 4096, 2}};

std::vector<std::shared_ptr<const Queue>> queues() {
  std::vector<std::shared_ptr<const Queue>> result = testing::all_queues();
  result.push_back(testing::make_reference_device()->make_queue());
  return result;
}

RingCase ring_of(std::size_t n, unsigned word_bits) {
  const unsigned mixed[] = {30, 50, 60, 62};
  if (word_bits == 32) return {n, ntt_primes(n, 30, 6)};
  return {n, testing::mixed_primes(n, mixed)};
}

NttSpec spec_of(const RingCase& ring, unsigned word_bits) {
  NttSpec spec = testing::spec_of(ring);
  spec.word_bits = word_bits;
  return spec;
}

Words random_numbers(Rng& rng, std::size_t count) {
  Words words;
  for (std::size_t i = 0; i < count; ++i) {
    // Some are halves of units of 2^-30 and 2^-40, whose rounding is a tie.
    const double x = static_cast<double>(static_cast<std::int64_t>(rng.next()) >> (i % 7 == 0 ? 22 : 0));
    words.push_back(std::bit_cast<std::uint64_t>(x * (i % 7 == 0 ? 0x1p-42 : 0x1p-63)));
  }
  return words;
}

std::vector<Coefficient> coefficients_of(const Message& m, const Words& words, const DoubleDouble& scale) {
  std::vector<Coefficient> result;
  for (std::size_t b = 0; b < kBatch; ++b) {
    std::vector<std::complex<double>> values(m.slots);
    for (std::size_t i = 0; i < m.length; ++i) {
      const std::uint64_t* const at = words.data() + (b * m.length + i) * m.parts;
      values[i] = {std::bit_cast<double>(at[0]), m.parts == 2 ? std::bit_cast<double>(at[1]) : 0.0};
    }
    std::vector<Coefficient> one(2 * m.slots);
    Embedding(m.slots).encode(values, scale, one);
    result.insert(result.end(), one.begin(), one.end());
  }
  return result;
}

Words residues_of(const RingCase& ring, const Message& m, std::span<const Coefficient> coefficients) {
  const std::size_t stride = ring.n / (2 * m.slots), words = ring.n * ring.moduli.size();
  Words result(kBatch * words, 0);
  for (std::size_t b = 0; b < kBatch; ++b)
    for (std::size_t j = 0; j < ring.moduli.size(); ++j)
      for (std::size_t i = 0; i < 2 * m.slots; ++i) {
        const auto q = static_cast<Coefficient>(ring.moduli[j]);
        result[b * words + j * ring.n + i * stride] =
            static_cast<std::uint64_t>((coefficients[b * 2 * m.slots + i] % q + q) % q);
      }
  return result;
}

NTTF_TEST("device: numbers are encoded and decoded to the last bit, in doubles and double-doubles") {
  Rng rng;
  for (const Message& m : kMessages)
    for (const unsigned word_bits : {64u, 32u}) {
      const RingCase ring = ring_of(m.n, word_bits);
      const Words numbers = random_numbers(rng, kBatch * m.length * m.parts);
      for (const DoubleDouble scale :
           {DoubleDouble{0x1p30, 0}, DoubleDouble{0x1.23456789abcdfp40, 0}, DoubleDouble{0x1p50, 0},
            DoubleDouble{0x1p54, 0x1.8p-3}, DoubleDouble{0x1p90, 0}}) {
        const double bits = std::log2(scale.hi) + 0.5;
        const std::vector<Coefficient> coefficients = coefficients_of(m, numbers, scale);
        const Words residues = residues_of(ring, m, coefficients);
        Words decoded[2];
        for (const bool real : {false, true})
          for (std::size_t b = 0; b < kBatch; ++b) {
            std::vector<std::complex<double>> values(m.slots);
            Embedding(m.slots).decode(std::span(coefficients).subspan(b * 2 * m.slots, 2 * m.slots), scale,
                                      values);
            for (const std::complex<double>& value : values) {
              decoded[real].push_back(std::bit_cast<std::uint64_t>(value.real()));
              decoded[real].push_back(real ? 0 : std::bit_cast<std::uint64_t>(value.imag()));
            }
          }
        for (const auto& queue : queues()) {
          const auto tables = queue->device().make_ring(spec_of(ring, word_bits));
          const auto embedding = queue->device().make_embedding(m.slots);
          OnDevice in(*queue, numbers), out(*queue, residues.size(), word_bits);
          const EncodedRange range = queue->encode(*embedding, *tables, {in.data(), m.length, m.parts}, scale,
                                                   bits, Form::coefficients, out.data(), kBatch);
          NTTF_CHECK(range.finite && range.inside && range.real > 0 && range.real <= 1);
          NTTF_CHECK((range.imaginary > 0) == (m.parts == 2) && range.imaginary <= 1);
          check_same(out.host(), residues, *queue, ring, "encode");
          OnDevice transformed(*queue, residues.size(), word_bits),
              direct(*queue, residues.size(), word_bits);
          queue->forward_into(*tables, out.data(), transformed.data(), kBatch);
          queue->encode(*embedding, *tables, {in.data(), m.length, m.parts}, scale, bits, Form::values,
                        direct.data(), kBatch);
          check_same(direct.host(), transformed.host(), *queue, ring, "encode in values");
          for (const bool real : {false, true}) {
            OnDevice values(*queue, kBatch * 2 * m.slots);
            queue->decode(*embedding, *tables, out.data(), scale, bits, real, values.data(), kBatch);
            check_same(values.host(), decoded[real], *queue, ring, "decode");
          }
        }
      }
    }
}

NTTF_TEST("device: what numbers are is said, where they cannot be encoded too") {
  const std::size_t slots = 128;
  const RingCase ring = ring_of(2 * slots, 64);
  for (const auto& queue : queues()) {
    const auto tables = queue->device().make_ring(testing::spec_of(ring));
    const auto embedding = queue->device().make_embedding(slots);
    const auto range_of = [&](double re, double im, double scale) {
      Words numbers(4 * slots, 0);
      numbers[2 * slots + 6] = std::bit_cast<std::uint64_t>(re);
      numbers[2 * slots + 7] = std::bit_cast<std::uint64_t>(im);
      OnDevice in(*queue, numbers), out(*queue, 2 * ring.n * ring.moduli.size());
      return queue->encode(*embedding, *tables, {in.data(), slots, 2}, {scale, 0}, std::log2(scale),
                           Form::coefficients, out.data(), 2);
    };
    const EncodedRange good = range_of(-2.5, 0.75, 0x1p40);
    NTTF_CHECK(good.finite && good.inside && good.real == 2.5 && good.imaginary == 0.75);
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double bad : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
      NTTF_CHECK(!range_of(bad, 0, 0x1p40).finite);
      NTTF_CHECK(!range_of(1, bad, 0x1p60).finite);
    }
    for (const double scale : {0x1p40, 0x1p70}) {
      NTTF_CHECK(!range_of(0x1p100, 0, scale).inside);
      NTTF_CHECK(!range_of(0, std::numeric_limits<double>::max(), scale).inside);
    }
  }
}

NTTF_TEST("device: phases of many primes are decoded, beyond a word and at both ends") {
  const std::size_t slots = 64;
  Rng rng;
  for (const unsigned word_bits : {64u, 32u}) {
    const RingCase ring = ring_of(2 * slots, word_bits);
    for (const double bits : {20.0, 45.0, 58.0, 90.0, 120.0}) {
      const std::size_t primes = primes_that_hold(ring.moduli, bits);
      u128 product = 1;
      for (std::size_t j = 0; j < primes; ++j) product *= ring.moduli[j];
      const bool fits = bits < 120;  // else the product has more than 128 bits
      std::vector<Coefficient> coefficients;
      for (std::size_t i = 0; i < kBatch * 2 * slots; ++i) {
        const auto size =
            static_cast<Coefficient>((u128{rng.next()} << 64 | rng.next()) >> (128 - unsigned(bits)));
        coefficients.push_back(i % 2 == 0 ? size : -size);
      }
      if (fits) {
        coefficients[0] = static_cast<Coefficient>((product - 1) / 2);
        coefficients[1] = -coefficients[0];
      }
      const Words phase = residues_of(ring, {2 * slots, slots, slots, 2}, coefficients);
      for (const double scale : {0x1p33, 0x1p77}) {
        Words expected;
        for (std::size_t b = 0; b < kBatch; ++b) {
          std::vector<std::complex<double>> values(slots);
          Embedding(slots).decode(std::span(coefficients).subspan(b * 2 * slots, 2 * slots), {scale, 0},
                                  values);
          for (const std::complex<double>& value : values)
            for (const double part : {value.real(), value.imag()})
              expected.push_back(std::bit_cast<std::uint64_t>(part));
        }
        for (const auto& queue : queues()) {
          const auto tables = queue->device().make_ring(spec_of(ring, word_bits));
          const auto embedding = queue->device().make_embedding(slots);
          OnDevice in(*queue, phase, word_bits), out(*queue, expected.size());
          queue->decode(*embedding, *tables, in.data(), {scale, 0}, bits, false, out.data(), kBatch);
          check_same(out.host(), expected, *queue, ring, "decode");
        }
      }
    }
  }
}

}  // namespace
}  // namespace nttforge
