// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/ntt.hpp"

#include <algorithm>
#include <thread>

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/hexl/number_theory.hpp"
#include "nttforge/hexl/testing_cxx17.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;
namespace hexl = intel::hexl;

namespace {

/// Words plus `most` times q at most.
Words lazy(const Words& x, std::uint64_t q, std::uint64_t most, Rng& rng) {
  Words y = x;
  for (auto& v : y) v += rng.below(most + 1) * q;
  return y;
}

/// All factors, in place and out of place, against the values of x.
void check_transform(const hexl::NTT& ntt, const Words& x, const Words& values, Rng& rng) {
  const std::uint64_t q = ntt.GetModulus();
  for (const std::uint64_t in : {1u, 2u, 4u}) {
    for (const std::uint64_t out : {1u, 4u}) {
      Words a = lazy(x, q, in - 1, rng), b(a.size());
      ntt.ComputeForward(b.data(), a.data(), in, out);
      ntt.ComputeForward(a.data(), a.data(), in, out);
      NTTF_CHECK(a == values && b == values);
    }
  }
  for (const std::uint64_t in : {1u, 2u}) {
    for (const std::uint64_t out : {1u, 2u}) {
      Words a = lazy(values, q, in - 1, rng), b(a.size());
      ntt.ComputeInverse(b.data(), a.data(), in, out);
      ntt.ComputeInverse(a.data(), a.data(), in, out);
      NTTF_CHECK(a == x && b == x);
    }
  }
}

}  // namespace

NTTF_TEST("hexl: transforms of the oracle's vectors, every pair of factors") {
  Rng rng;
  std::size_t checked = 0;
  const Json vectors = load_vectors("ntt.json");
  for (const Json& row : vectors.at("small").elements()) {
    for (const Json& c : row.at("cases").elements()) {
      const std::uint64_t n = c.at("n").as_u64(), q = row.at("q").as_u64();
      if (row.at("ring").as_string() != "negacyclic" || n < 2 || q >> 62 != 0) continue;
      const hexl::NTT ntt(n, q, c.at("root").as_u64());
      check_transform(ntt, c.at("input").as_u64_vector(), c.at("bit_reversed").as_u64_vector(), rng);
      ++checked;
    }
  }
  NTTF_CHECK(checked > 20);
}

NTTF_TEST("hexl: transforms against their sum, primes next to each limit") {
  Rng rng;
  for (const std::size_t n :
       {std::size_t{2}, std::size_t{4}, std::size_t{8}, std::size_t{64}, std::size_t{1024}}) {
    for (const unsigned bits : {20u, 30u, 49u, 50u, 51u, 59u, 60u, 61u, 62u}) {
      const std::uint64_t q = largest_prime(n, bits);
      const hexl::NTT ntt(n, q);
      NTTF_CHECK_EQ(ntt.GetMinimalRootOfUnity(), validated({n, {q}}).roots[0]);
      for (const Words& x : edge_inputs(n, q, rng)) {
        const Words values = transform_by_sum(x, Ring::negacyclic, q, ntt.GetMinimalRootOfUnity());
        check_transform(ntt, x, reordered(values, Order::bit_reversed), rng);
      }
    }
  }
}

NTTF_TEST("hexl: tables of roots in the layouts that the getters promise") {
  for (const std::uint64_t n : {2u, 4u, 8u, 32u}) {
    const std::uint64_t q = largest_prime(n, 50);
    const hexl::NTT ntt(n, q);
    const std::uint64_t w = ntt.GetMinimalRootOfUnity(), w_inverse = hexl::InverseMod(w, q);
    unsigned log_n = 0;
    while (n >> (log_n + 1) != 0) ++log_n;
    Words powers(n), inverses(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      powers[i] = wide_pow_mod(w, hexl::ReverseBits(i, log_n), q);
      inverses[i] = wide_pow_mod(w_inverse, hexl::ReverseBits(i, log_n), q);
      NTTF_CHECK_EQ(ntt.GetRootOfUnityPower(i), powers[i]);
    }
    Words ordered = {1}, repeated;
    for (std::uint64_t m = n / 2; m > 0; m /= 2) {
      for (std::uint64_t i = 0; i < m; ++i) ordered.push_back(inverses[m + i]);
    }
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::size_t times = i < n / 8 || i >= n / 2 ? 1 : i < n / 4 ? 4 : 2;
      repeated.insert(repeated.end(), times, powers[i]);
    }
    const auto holds = [&](const hexl::AlignedVector64<std::uint64_t>& table, const Words& expected,
                           unsigned bits) {
      NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(table.data()) % 64, std::uintptr_t{0});
      bool same = table.size() == expected.size();
      for (std::size_t i = 0; same && i < table.size(); ++i) {
        same = table[i] ==
               (bits == 0 ? expected[i] : hexl::MultiplyFactor(expected[i], bits, q).BarrettFactor());
      }
      NTTF_CHECK(same);
    };
    holds(ntt.GetRootOfUnityPowers(), powers, 0);
    holds(ntt.GetPrecon32RootOfUnityPowers(), powers, 32);
    holds(ntt.GetPrecon64RootOfUnityPowers(), powers, 64);
    holds(ntt.GetAVX512RootOfUnityPowers(), repeated, 0);
    holds(ntt.GetAVX512Precon32RootOfUnityPowers(), repeated, 32);
    holds(ntt.GetAVX512Precon52RootOfUnityPowers(), repeated, 52);
    holds(ntt.GetAVX512Precon64RootOfUnityPowers(), repeated, 64);
    holds(ntt.GetInvRootOfUnityPowers(), ordered, 0);
    holds(ntt.GetPrecon32InvRootOfUnityPowers(), ordered, 32);
    holds(ntt.GetPrecon52InvRootOfUnityPowers(), ordered, 52);
    holds(ntt.GetPrecon64InvRootOfUnityPowers(), ordered, 64);
    NTTF_CHECK_EQ(ntt.GetInvRootOfUnityPower(n - 1), ordered[n - 1]);
  }
}

NTTF_TEST("hexl: a program of C++17 with allocators of its own") {
  const std::uint64_t n = 64, q = 7681;
  Rng rng;
  const Words x = random_residues(n, q, rng);
  const hexl::NTT ntt(n, q);
  Words values(n);
  ntt.ComputeForward(values.data(), x.data(), 1, 1);
  NTTF_CHECK(transform_as_cxx17(n, q, x) == values);
  NTTF_CHECK(adapter_bytes().given > 4 * 8 * n);
  NTTF_CHECK_EQ(adapter_bytes().given, adapter_bytes().returned);
}

NTTF_TEST("hexl: one object serves many threads, its tables too") {
  const std::uint64_t n = 256, q = 12289;
  Rng rng;
  const Words x = random_residues(n, q, rng);
  const hexl::NTT ntt(n, q);
  Words values(n);
  ntt.ComputeForward(values.data(), x.data(), 1, 1);
  std::vector<int> right(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      Words y(n);
      ntt.ComputeForward(y.data(), x.data(), 4, 4);
      right[t] =
          y == values && ntt.GetRootOfUnityPowers()[0] == 1 && ntt.GetInvRootOfUnityPowers().size() == n;
    });
  }
  for (std::thread& thread : threads) thread.join();
  NTTF_CHECK(std::count(right.begin(), right.end(), 1) == static_cast<std::ptrdiff_t>(right.size()));
}

NTTF_TEST("hexl: what an NTT refuses") {
  NTTF_CHECK(hexl::NTT::CheckArguments(64, 7681));
  NTTF_CHECK(!hexl::NTT::CheckArguments(63, 7681));
  NTTF_CHECK(!hexl::NTT::CheckArguments(1024, 7681));
  NTTF_CHECK(!hexl::NTT::CheckArguments(64, 7681 * 7681));
  NTTF_CHECK(!hexl::NTT::CheckArguments(std::uint64_t{1} << 21, 12289));
  NTTF_CHECK_EQ(hexl::NTT::MaxDegreeBits(), std::size_t{20});
  NTTF_CHECK_EQ(hexl::NTT::s_max_fwd_modulus(52), std::size_t{1} << 50);
  NTTF_CHECK_THROWS(hexl::NTT(1024, 7681), ParameterError, "7681");
  NTTF_CHECK_THROWS(hexl::NTT(64, 7681, std::uint64_t{3}), ParameterError, "root");
  NTTF_CHECK_THROWS(hexl::NTT(1, 7681), ParameterError, "degree = 1");
  NTTF_CHECK_THROWS(hexl::NTT().GetModulus(), ParameterError, "assign");
  Words x(64, 1);
  const hexl::NTT ntt(64, 7681);
  NTTF_CHECK_THROWS(ntt.ComputeForward(x.data(), x.data(), 3, 1), ParameterError, "input_mod_factor = 3");
  NTTF_CHECK_THROWS(ntt.ComputeForward(x.data(), x.data(), 4, 2), ParameterError, "output_mod_factor = 2");
  NTTF_CHECK_THROWS(ntt.ComputeInverse(x.data(), x.data(), 4, 1), ParameterError, "input_mod_factor = 4");
  NTTF_CHECK_THROWS(hexl::NTT().ComputeInverse(x.data(), x.data(), 1, 1), ParameterError, "assign");
  NTTF_CHECK(x == Words(64, 1));
}
