// SPDX-License-Identifier: Apache-2.0
// Sums of products of polynomials with factors of their own.

#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

NTTF_TEST("device: sum_of_terms adds up products with factors of each element or of all") {
  Rng rng;
  constexpr std::size_t kElements = 3;
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  for (const RingCase& ring :
       {RingCase{16, ntt_primes(16, 30, 3)}, {64, ntt_primes(64, 62, 2)}, {1, ntt_primes(1, 40, 2)}})
    for (const std::size_t terms : {1, 3, 37})
      for (std::size_t parts = 1; parts <= 3; ++parts) {
        const std::size_t words = ring.n * ring.moduli.size();
        const Words factors = testing::random_polynomials(rng, ring, terms * kElements),
                    x = testing::random_polynomials(rng, ring, terms * kElements * parts),
                    before = testing::random_polynomials(rng, ring, kElements * parts);
        // All elements share the factor of every third term and the ciphertext of every second one; every
        // fourth term lacks the last part.
        const auto term_of = [&](ConstWordPtr f, ConstWordPtr y, std::size_t i) {
          return FactorTerm{.factor = f + i * kElements * words,
                            .factor_stride = i % 3 == 0 ? 0 : words,
                            .x = y + i * kElements * parts * words,
                            .stride = i % 2 == 0 ? 0 : parts * words,
                            .parts = i % 4 == 3 && parts > 1 ? parts - 1 : parts};
        };
        for (const bool accumulate : {false, true}) {
          Words sums = accumulate ? before : Words(before.size());
          for (std::size_t i = 0; i < terms; ++i) {
            const FactorTerm term = term_of(factors.data(), x.data(), i);
            for (std::size_t e = 0; e < kElements; ++e)
              for (std::size_t w = 0; w < term.parts * words; ++w) {
                const Modulus m(ring.moduli[w % words / ring.n]);
                std::uint64_t& sum = sums[e * parts * words + w];
                sum = m.add(sum, m.mul((term.factor + e * term.factor_stride).as<std::uint64_t>()[w % words],
                                       (term.x + e * term.stride).as<std::uint64_t>()[w]));
              }
          }
          for (const auto& queue : queues)
            for (const unsigned bits : {64u, 32u}) {
              if (bits == 32 && ring.moduli[0] >> 31 != 0) continue;
              NttSpec spec = testing::spec_of(ring);
              spec.word_bits = bits;
              const auto tables = queue->device().make_ring(spec);
              OnDevice f(*queue, factors, bits), y(*queue, x, bits), out(*queue, before, bits);
              std::vector<FactorTerm> all;
              for (std::size_t i = 0; i < terms; ++i) all.push_back(term_of(f.data(), y.data(), i));
              queue->sum_of_terms(*tables, all, parts, out.data(), kElements, accumulate);
              check_same(out.host(), sums, *queue, ring, "sum_of_terms");
            }
        }
      }
}

}  // namespace
}  // namespace nttforge
