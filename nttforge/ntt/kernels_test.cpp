#include "nttforge/ntt/kernels.hpp"

#include <bit>

#include "nttforge/ntt/testing.hpp"
#include "nttforge/ntt/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

template <class Word>
std::vector<Word> narrow(const Words& x) {
  std::vector<Word> y;
  for (const std::uint64_t v : x) y.push_back(static_cast<Word>(v));
  return y;
}

/// One kernel against the scalar radix-2 kernel, bit for bit, both directions, edge inputs.
template <class Word>
void compare(const KernelRow<Word>& row, const KernelRow<Word>& reference, Ring ring, unsigned log_n,
             std::uint64_t q) {
  const std::size_t n = std::size_t{1} << log_n;
  const std::uint64_t root = validated({n, {q}, ring}).roots[0];
  const TransformTables<Word> tables(ring, log_n, q, root, row.layout);
  const TransformTables<Word> plain(ring, log_n, q, root, reference.layout);
  Rng rng;
  bool same = true;
  for (const Words& input : edge_inputs(n, q, rng)) {
    const auto a = narrow<Word>(input);
    std::vector<Word> x(n), y(n);
    row.forward(tables.view(), a.data(), x.data());
    reference.forward(plain.view(), a.data(), y.data());
    same &= x == y;
    row.inverse(tables.view(), a.data(), x.data());
    reference.inverse(plain.view(), a.data(), y.data());
    same &= x == y;
    row.inverse(tables.view(), y.data(), y.data());
    row.forward(tables.view(), y.data(), y.data());
    same &= x == y;
  }
  if (!same) {
    fail(__FILE__, __LINE__,
         "target " + std::string(target_name(row.target)) + ", " +
             std::string(arithmetic_name(row.arithmetic)) + ", radix " + std::to_string(row.radix) +
             ", n = " + std::to_string(n) + ", q = " + std::to_string(q));
  }
}

template <class Word>
void compare_all(unsigned largest_log_n) {
  const KernelRow<Word>* reference = nullptr;
  const KernelRow<Word>* reference_goldilocks = nullptr;
  for (const auto& row : kernel_rows<Word>()) {
    if (row.target != Target::scalar || row.radix != 2) continue;
    (row.arithmetic == Arithmetic::goldilocks ? reference_goldilocks : reference) = &row;
  }
  NTTF_CHECK(reference != nullptr);
  for (const auto& row : kernel_rows<Word>()) {
    if (!target_available(row.target)) continue;
    for (unsigned log_n = row.min_log_n; log_n <= largest_log_n; ++log_n) {
      for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) {
        if (row.arithmetic == Arithmetic::goldilocks) {
          if constexpr (sizeof(Word) == 8) compare(row, *reference_goldilocks, ring, log_n, kGoldilocks);
          continue;
        }
        for (const std::uint64_t q : test_primes(ring, std::size_t{1} << log_n, 8 * sizeof(Word))) {
          if (q < row.q_limit) compare(row, *reference, ring, log_n, q);
        }
      }
    }
  }
}

}  // namespace

NTTF_TEST("every kernel equals the scalar radix-2 kernel, 64-bit words") { compare_all<std::uint64_t>(15); }
NTTF_TEST("every kernel equals the scalar radix-2 kernel, 32-bit words") { compare_all<std::uint32_t>(15); }

NTTF_TEST("every kernel accepts the largest primes below its limit") {
  for (const auto& row : kernel_rows<std::uint64_t>()) {
    if (row.arithmetic == Arithmetic::goldilocks) continue;
    const unsigned bits = static_cast<unsigned>(std::bit_width(row.q_limit)) - 1;
    NTTF_CHECK(std::has_single_bit(row.q_limit));
    NTTF_CHECK(largest_prime(1024, bits) < row.q_limit);
  }
}
