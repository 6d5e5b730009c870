// SPDX-License-Identifier: Apache-2.0
// Compares every row of the launch table, its phases run on the host, with the CPU's transforms.
#include <algorithm>
#include <bit>
#include <vector>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/plan/tables.hpp"
#include "nttforge/ntt/plan.hpp"

namespace nttforge::cuda {
namespace {

/// From 2^18 on, multi_pass rows have two strided passes before the last one.
constexpr unsigned kMostLogN = 18;

/// The least q = 1 (mod 2n): far from the class's limit.
std::uint64_t smallest_prime(std::size_t n) {
  std::uint64_t q = 2 * n + 1;
  while (!is_prime(q)) q += 2 * n;
  return q;
}

template <class Word>
struct Case {
  const CudaKernelRow<Word>& row;
  NttSpec spec;
  std::size_t batch;
};

template <class Word>
void check_row(const Case<Word>& test, testing::Rng& rng) {
  const std::size_t limbs = test.spec.moduli.size(), n = test.spec.n;
  const auto log_n = static_cast<unsigned>(std::countr_zero(n));
  const NttPlan plan(test.spec);
  std::vector<LimbTables<Word>> tables;
  std::vector<CudaLimb<Word>> limb(limbs);
  for (std::size_t l = 0; l < limbs; ++l) {
    tables.push_back(build_tables({plan.spec(), l}, test.row));
    limb[l] = tables[l].limb;
  }
  std::vector<Word> x(test.batch * limbs * n), expected(x.size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint64_t q = test.spec.moduli[i / n % limbs];
    x[i] = static_cast<Word>(rng.below(8) == 0 ? q - 1 : rng.below(q));
  }
  CudaLaunch<Word> launch{x.data(),
                          y.data(),
                          limb.data(),
                          static_cast<std::uint32_t>(limbs),
                          static_cast<std::uint32_t>(test.batch),
                          log_n};
  plan.forward(x, expected);
  test.row.forward_on_host(launch);
  NTTF_CHECK(y == expected);
  launch.in = y.data();
  test.row.inverse_on_host(launch);
  NTTF_CHECK(y == x);
}

template <class Word>
void check_rows() {
  testing::Rng rng;
  for (const CudaKernelRow<Word>& row : cuda_rows<Word>(CudaRowKind::ntt)) {
    for (unsigned log_n = row.min_log_n; log_n <= std::min(row.max_log_n, kMostLogN); ++log_n) {
      const std::size_t n = std::size_t{1} << log_n;
      std::vector<std::uint64_t> moduli{kGoldilocks};
      if (row.recipe.arithmetic != Arithmetic::goldilocks) {
        moduli = ntt_primes(n, static_cast<unsigned>(std::bit_width(row.q_limit) - 1), log_n < 12 ? 2 : 1);
        moduli.push_back(smallest_prime(n));
      }
      const Ring ring = rng.below(2) == 0 ? Ring::negacyclic : Ring::cyclic;
      const NttSpec spec{.n = n, .moduli = moduli, .ring = ring, .word_bits = 8 * sizeof(Word)};
      check_row<Word>({row, spec, log_n < 12 ? 1 + rng.below(3) : 1}, rng);
    }
  }
}

NTTF_TEST("every row of 64-bit words agrees with the CPU") { check_rows<std::uint64_t>(); }
NTTF_TEST("every row of 32-bit words agrees with the CPU") { check_rows<std::uint32_t>(); }

}  // namespace
}  // namespace nttforge::cuda
