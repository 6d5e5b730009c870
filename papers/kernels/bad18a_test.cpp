// SPDX-License-Identifier: Apache-2.0
// The kernels of [Bad18a], their phases run on the host, against the CPU's Goldilocks transforms.
#include <algorithm>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/ntt/plan.hpp"
#include "papers/kernels/bad18a_rows.hpp"

namespace nttforge::cuda::bad18a {
namespace {

std::vector<std::vector<Row>> all_rows() {
  std::vector<std::vector<Row>> rows = rows_of_switches<2>();
  for (const auto& more : {rows_of_switches<3>(), rows_of_switches<4>()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

NTTF_TEST("powers of two modulo the Goldilocks prime") {
  testing::Rng rng;
  std::uint64_t power = 1;
  const std::uint64_t edges[] = {0, 1, kP - 1, 0xFFFFFFFFu, 0xFFFFFFFF00000000u};
  for (unsigned exponent = 0; exponent < 50; ++exponent) {
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t x = i < 5 ? edges[i] : rng.below(kP);
      NTTF_CHECK_EQ(shifted_by_switch(x, exponent), goldilocks::mul(x, power));
      NTTF_CHECK_EQ(mul(x, power), goldilocks::mul(x, power));
    }
    power = goldilocks::mul(power, 8);
  }
}

NTTF_TEST("three kernels forward and backwards, N = 2^14 ... 2^16") {
  testing::Rng rng;
  for (const auto& rows : all_rows()) {
    const unsigned log_n = 12 + rows[0].shape.log_r;
    const std::size_t n = std::size_t{1} << log_n, polynomials = log_n == 14 ? 2 : 1;
    const std::uint64_t w = root_of(log_n);
    const auto roots = powers_of(w, n);
    const NttPlan plan(
        NttSpec{.n = n, .moduli = {kP}, .ring = Ring::cyclic, .output_order = Order::natural, .roots = {w}});
    Args args;
    args.roots = roots.data();
    args.polynomials = static_cast<std::uint32_t>(polynomials);
    const auto eighths = powers_of(8, 64);
    std::copy(eighths.begin(), eighths.end(), args.powers);
    std::vector<std::uint32_t> words(polynomials * n / 2);
    std::vector<std::uint64_t> expected(polynomials * n), x(polynomials * n), y(polynomials * n);
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] =
          static_cast<std::uint32_t>(rng.below(8) == 0 ? 0xFFFFFFFFu : rng.below(std::uint64_t{1} << 32));
      expected[i / (n / 2) * n + i % (n / 2)] = words[i];
    }
    for (std::size_t i = 0; i < polynomials; ++i) {
      const std::span<std::uint64_t> row(expected.data() + i * n, n);
      plan.forward(std::span<const std::uint64_t>(row), row);
    }
    const auto run = [&args](const Row& row, const void* in, void* out) {
      args.in = in;
      args.out = out;
      row.on_host(args);
    };
    run(rows[0], words.data(), x.data());
    run(rows[2], x.data(), y.data());
    run(rows[3], y.data(), x.data());
    NTTF_CHECK(x == expected);

    // Values are arbitrary modulo p and go back to coefficients modulo a 32-bit prime.
    for (auto& v : y) v = rng.below(kP);
    const std::vector<std::uint64_t> coefficients = y;
    for (std::size_t i = 0; i < polynomials; ++i) {
      const std::span<std::uint64_t> row(y.data() + i * n, n);
      plan.forward(std::span<const std::uint64_t>(row), row);
    }
    args.prime = 4294967291u;
    args.scale = 1;  // 1/N: 2^-log_n = 2^(192 - log_n)
    for (unsigned i = log_n; i < 192; ++i) args.scale = goldilocks::mul(args.scale, 2);
    std::vector<std::uint64_t> z(y.size());
    std::vector<std::uint32_t> reduced(y.size());
    run(rows[1], y.data(), x.data());
    run(rows[2], x.data(), z.data());
    run(rows[4], z.data(), reduced.data());
    bool right = true;
    for (std::size_t i = 0; i < reduced.size(); ++i)
      right = right && reduced[i] == coefficients[i] % args.prime;
    NTTF_CHECK(right);
  }
}

}  // namespace
}  // namespace nttforge::cuda::bad18a
