// SPDX-License-Identifier: Apache-2.0
// Polynomials from packed rows, on every queue and in both words; uniform polynomials in batches.

#include "nttforge/base/text/bits.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Words;

constexpr std::size_t kBatch = 3;

std::vector<std::uint8_t> packed(const Words& words, const RingCase& ring) {
  std::vector<std::uint8_t> all;
  for (std::size_t row = 0; row < words.size() / ring.n; ++row) {
    const std::uint64_t q = ring.moduli[row % ring.moduli.size()];
    const auto width = static_cast<std::size_t>(std::bit_width(q - 1));
    std::vector<std::uint8_t> bytes(packed_bytes(ring.n, q));
    for (std::size_t bit = 0; bit < ring.n * width; ++bit)
      bytes[bit / 8] = static_cast<std::uint8_t>(
          bytes[bit / 8] | (words[row * ring.n + bit / width] >> (bit % width) & 1u) << (bit % 8));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

NTTF_TEST("device: packed rows become polynomials, and rows that are not well formed are noticed") {
  testing::Rng rng;
  for (const std::size_t n : {1, 2, 8, 64, 1024})
    for (const unsigned bits : {20u, 30u, 32u, 49u, 62u}) {
      const RingCase ring{n, ntt_primes(n, bits, 3)};
      const std::size_t words = n * ring.moduli.size();
      const Words x = testing::random_polynomials(rng, ring, kBatch);
      const std::vector<std::uint8_t> good = packed(x, ring);
      Words expected(2 * kBatch * words, 0xDEADBEEF);
      for (std::size_t i = 0; i < x.size(); ++i) expected[i / words * 2 * words + i % words] = x[i];
      Words wrong = x;
      wrong[words + rng.below(2 * words)] = ~std::uint64_t{0} >> (64 - bits);
      const std::vector<std::uint8_t> bad = packed(wrong, ring);
      std::vector<std::uint8_t> padded = good;
      padded.back() = static_cast<std::uint8_t>(padded.back() | 0x80);
      for (const auto& queue : testing::all_queues())
        for (const unsigned word_bits : {64u, 32u}) {
          if (bits > word_bits) continue;
          NttSpec spec = testing::spec_of(ring);
          spec.word_bits = word_bits;
          const auto tables = queue->device().make_ring(spec);
          OnDevice out(*queue, expected.size(), word_bits);
          NTTF_CHECK(queue->unpack(*tables, good, out.data(), 2 * words, kBatch));
          check_same(out.host(), expected, *queue, ring, "unpack");
          NTTF_CHECK(!queue->unpack(*tables, bad, out.data(), 2 * words, kBatch));
          if (n * bits % 8 != 0) NTTF_CHECK(!queue->unpack(*tables, padded, out.data(), 2 * words, kBatch));
          NTTF_CHECK(queue->unpack(*tables, good, out.data(), 2 * words, kBatch));
        }
    }
}

NTTF_TEST("device: uniform polynomials of a batch have names that follow each other") {
  const StreamName name{{{8, 1}}, Domain::user, 250};
  for (const RingCase& ring : testing::ring_cases())
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      const std::size_t words = tables->words();
      OnDevice out(*queue, 2 * kBatch * words), expected(*queue, 2 * kBatch * words);
      StreamName one = name;
      for (std::size_t b = 0; b < kBatch; ++b, ++one.index)
        queue->sample_uniform(*tables, one, expected.data() + b * 2 * words);
      queue->sample_uniforms(*tables, name, out.data(), 2 * words, kBatch);
      check_same(out.host(), expected.host(), *queue, ring, "sample_uniforms");
    }
}

NTTF_TEST("device: words that are written on their way up, and transforms to another place") {
  testing::Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const Words x = testing::random_polynomials(rng, ring, 2);
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice in(*queue, x.size()), out(*queue, x.size()), expected(*queue, x);
      std::size_t next = 0;
      queue->upload_written(x.size(), in.data(), [&](std::size_t first, std::span<std::uint64_t> to) {
        NTTF_CHECK_EQ(first, next);
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
        next += to.size();
      });
      check_same(in.host(), x, *queue, ring, "upload_written");
      queue->forward_into(*tables, in.data(), out.data(), 2);
      queue->forward(*tables, expected.data(), 2);
      check_same(out.host(), expected.host(), *queue, ring, "forward_into");
      check_same(in.host(), x, *queue, ring, "the input of forward_into");
    }
  }
}

}  // namespace
}  // namespace nttforge
