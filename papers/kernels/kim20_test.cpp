// SPDX-License-Identifier: Apache-2.0
// Every kernel of [Kim20], its phases run on the host: residues against the CPU's transforms word for word,
// the complex ones against the sum of the definition.
#include <algorithm>
#include <bit>
#include <complex>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/ntt/plan.hpp"
#include "papers/kernels/kim20_rows.hpp"
#include "papers/kernels/kim20_tables.hpp"

namespace nttforge::cuda {
namespace {

/// Polynomials of some limbs and what is to come out, for the kernels of one arithmetic.
template <class Arith>
struct Problem {
  using Word = typename Arith::Word;
  NttSpec spec;
  unsigned log_n;
  std::vector<std::vector<Word>> tables;
  std::vector<typename Arith::Limb> limbs;
  std::vector<Word> input, expected;
  Kim20ConstantArgs<Arith> args;

  Problem(unsigned of_log_n, unsigned bits, std::size_t limb_count, std::size_t batch, Order order,
          unsigned log_base)
      : log_n(of_log_n) {
    testing::Rng rng;
    const std::size_t n = std::size_t{1} << log_n;
    spec = validated({.n = n,
                      .moduli = ntt_primes(n, bits, limb_count),
                      .output_order = order,
                      .word_bits = 8 * sizeof(Word)});
    for (std::size_t l = 0; l < limb_count; ++l) {
      tables.push_back(
          kim20_table<Arith>(log_n, spec.moduli[l], spec.roots[l], log_base, order == Order::natural));
      typename Arith::Limb limb;
      limb.q = static_cast<Word>(spec.moduli[l]);
      limb.negated = static_cast<Word>(0 - limb.q);
      Arith::fill_constants(limb);
      limb.forward = tables.back().data();
      limbs.push_back(limb);
    }
    for (std::size_t i = 0; i < batch * limb_count * n; ++i) {
      const std::uint64_t q = spec.moduli[i / n % limb_count];
      input.push_back(static_cast<Word>(rng.below(8) == 0 ? q - 1 : rng.below(q)));
    }
    expected.resize(input.size());
    NttPlan(spec).forward(std::span<const Word>(input), std::span<Word>(expected));
    args.limbs = limbs.data();
    args.limb_count = static_cast<std::uint32_t>(limb_count);
    args.polynomials = static_cast<std::uint32_t>(batch * limb_count);
    args.log_n = log_n;
    args.log_base = log_base;
  }
  /// Constant memory holds the first entries of every limb.
  void fill_constants(unsigned per_limb) {
    args.entries_per_limb = per_limb;
    for (std::size_t l = 0; l < limbs.size(); ++l) {
      std::copy_n(tables[l].begin(), per_limb * Arith::kEntryWords,
                  args.constants + l * per_limb * Arith::kEntryWords);
    }
  }
  std::vector<Word> run(const std::vector<const Kim20Row<Arith>*>& kernels) {
    std::vector<Word> x = input, y(input.size());
    unsigned stage = 0;
    for (const Kim20Row<Arith>* kernel : kernels) {
      const bool moves = kernel->kind == Kim20Kind::stockham;
      args.in = x.data();
      args.out = moves ? y.data() : x.data();
      args.first_stage = stage;
      kernel->on_host(args);
      if (moves) x.swap(y);
      stage += kernel->shape.log_radix;
    }
    return x;
  }
};

/// The kernels of one radix after another; what is left over by a smaller one.
template <class Arith>
std::vector<const Kim20Row<Arith>*> chain(const std::vector<Kim20Row<Arith>>& rows, unsigned log_radix,
                                          unsigned log_n) {
  std::vector<const Kim20Row<Arith>*> kernels;
  for (unsigned left = log_n; left != 0;) {
    kernels.push_back(&rows[std::min(left, log_radix) - 1]);
    left -= kernels.back()->shape.log_radix;
  }
  return kernels;
}

template <class Arith>
void check_radices(const std::vector<Kim20Row<Arith>>& rows, unsigned bits, Order order,
                   unsigned constants = 0) {
  for (const unsigned log_n : {9u, 10u}) {
    Problem<Arith> problem(log_n, bits, 2, 2, order, 4);
    problem.fill_constants(constants);
    for (const auto& row : rows)
      NTTF_CHECK(problem.run(chain(rows, row.shape.log_radix, log_n)) == problem.expected);
  }
}

NTTF_TEST("radix 2 ... 128 in registers, every multiplication and twiddle memory") {
  check_radices(kim20_radix_rows<Kim20Shoup64, 7>(), 62, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Shoup32, 7>(), 30, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Shoup64, 4, TwiddleMemory::global>(), 62, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Shoup64, 4, TwiddleMemory::constant>(), 62, Order::bit_reversed, 64);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint64_t, Kim20Native>, 4>(), 62, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint64_t, Kim20Barrett>, 4>(), 62, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint64_t, Kim20Barrett>, 2>(), 20, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint64_t, Kim20Montgomery>, 4>(), 62, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint32_t, Kim20Native>, 4>(), 31, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint32_t, Kim20Barrett>, 4>(), 30, Order::bit_reversed);
  check_radices(kim20_radix_rows<Kim20Strict<std::uint32_t, Kim20Montgomery>, 4>(), 31, Order::bit_reversed);
}

NTTF_TEST("Stockham, natural order in and out") {
  check_radices(kim20_stockham_rows<Kim20Shoup64, 4>(), 62, Order::natural);
  check_radices(kim20_stockham_rows<Kim20Shoup32, 4>(), 30, Order::natural);
}

/// Every first kernel before a last one that is known, and the other way round.
template <class Arith>
void check_pairs(const std::vector<Kim20Row<Arith>>& rows, unsigned bits, unsigned log_base) {
  const auto firsts = kim20_first_rows<Arith, 1, false>();
  const auto lasts = kim20_last_rows<Arith, 1>();
  const auto other = [&](const auto& candidates, const Kim20Row<Arith>& row) -> const Kim20Row<Arith>& {
    const unsigned least = row.shape.log_radix + row.shape.log_merged;
    for (const auto& candidate : candidates) {
      const unsigned log_n = candidate.shape.log_radix + row.shape.log_radix;
      if (log_n >= least && log_n >= candidate.shape.log_radix + candidate.shape.log_merged) return candidate;
    }
    throw Error("no kernel goes with this one");
  };
  for (const auto& row : rows) {
    const bool first = row.kind == Kim20Kind::first;
    const auto& partner = first ? other(lasts, row) : other(firsts, row);
    Problem<Arith> problem(row.shape.log_radix + partner.shape.log_radix, bits, 2, 1, Order::bit_reversed,
                           log_base);
    NTTF_CHECK(problem.run(first ? std::vector{&row, &partner} : std::vector{&partner, &row}) ==
               problem.expected);
  }
}

NTTF_TEST("two kernels through shared memory: points per thread, coalescing, preloading") {
  check_pairs(kim20_first_rows<Kim20Shoup64, 4, true>(), 62, 4);
  check_pairs(kim20_last_rows<Kim20Shoup64, 4>(), 62, 4);
  check_pairs(kim20_one_sync_rows<Kim20Shoup64>(), 62, 4);
}

NTTF_TEST("two kernels: twiddles on the fly in the last one or two stages, any base") {
  for (const unsigned log_base : {1u, 5u, 10u})
    check_pairs(kim20_on_the_fly_rows<Kim20Shoup64>(), 62, log_base);
}

NTTF_TEST("two kernels: every multiplication, both word sizes") {
  const auto check = []<class Arith>(unsigned bits) {
    const auto rows = kim20_multiplication_rows<Arith>();
    Problem<Arith> problem(17, bits, 1, 1, Order::bit_reversed, 10);
    NTTF_CHECK(problem.run({&rows[0], &rows[1]}) == problem.expected);
  };
  check.operator()<Kim20Strict<std::uint64_t, Kim20Native>>(60);
  check.operator()<Kim20Strict<std::uint64_t, Kim20Barrett>>(60);
  check.operator()<Kim20Strict<std::uint64_t, Kim20Montgomery>>(60);
  check.operator()<Kim20Shoup32>(30);
  check.operator()<Kim20Strict<std::uint32_t, Kim20Native>>(30);
}

/// Sampled outputs of kernels on complex numbers against the definition.
void check_dft(unsigned log_n, const std::vector<const Kim20Row<Kim20Dft>*>& kernels) {
  testing::Rng rng;
  const std::size_t n = std::size_t{1} << log_n;
  std::vector<Kim20Complex> x(2 * n);
  for (auto& v : x)
    v = {static_cast<float>(rng.below(2000)) / 1000 - 1, static_cast<float>(rng.below(2000)) / 1000 - 1};
  const auto input = x;
  const auto table = kim20_dft_table(log_n);
  const Kim20Dft::Limb limb{table.data()};
  Kim20ConstantArgs<Kim20Dft> args;
  args.in = args.out = x.data();
  args.limbs = &limb;
  args.limb_count = 1;
  args.polynomials = 2;
  args.log_n = log_n;
  for (const auto* kernel : kernels) {
    kernel->on_host(args);
    args.first_stage += kernel->shape.log_radix;
  }
  for (int sample = 0; sample < 12; ++sample) {
    const std::size_t k = rng.below(n), polynomial = rng.below(2);
    std::complex<double> sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const auto& v = input[polynomial * n + j];
      sum += std::complex<double>(v.re, v.im) *
             std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n));
    }
    const auto& found = x[polynomial * n + kim20_bitrev(static_cast<std::uint32_t>(k), log_n)];
    const double off = std::abs(sum - std::complex<double>(found.re, found.im));
    NTTF_CHECK(off < 1e-5 * std::sqrt(static_cast<double>(n)) * log_n);
  }
}

NTTF_TEST("the complex DFT of the same structure") {
  const auto radices = kim20_radix_rows<Kim20Dft, 7>();
  for (unsigned k = 1; k <= 7; ++k) check_dft(10, chain(radices, k, 10));
  const auto firsts = kim20_first_rows<Kim20Dft, 3, true>();
  const auto lasts = kim20_last_rows<Kim20Dft, 3>();
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const unsigned log_n = std::max(12u, firsts[i].shape.log_radix + firsts[i].shape.log_merged);
    for (const auto& last : lasts) {
      if (last.shape.log_points == firsts[i].shape.log_points &&
          last.shape.log_radix + firsts[i].shape.log_radix == std::max(log_n, 15u)) {
        check_dft(std::max(log_n, 15u), {&firsts[i], &last});
      }
    }
  }
}

}  // namespace
}  // namespace nttforge::cuda
