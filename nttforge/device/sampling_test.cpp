// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Words;

Words lifted(const RingCase& ring, const std::vector<std::int64_t>& values) {
  Words out;
  for (const std::uint64_t q : ring.moduli)
    for (const std::int64_t v : values)
      out.push_back(v < 0 ? q - static_cast<std::uint64_t>(-v) : static_cast<std::uint64_t>(v));
  return out;
}

NTTF_TEST("device: samples are those of random/, reduced into every limb") {
  StreamName name;
  for (std::size_t i = 0; i < 32; ++i) name.seed.bytes[i] = static_cast<std::uint8_t>(7 * i + 1);
  name.domain = Domain::user;
  name.index = 3;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t n = ring.n;
    Words uniform(n * ring.moduli.size());
    for (std::size_t i = 0; i < ring.moduli.size(); ++i)
      sample_uniform(name, static_cast<std::uint32_t>(i), ring.moduli[i],
                     std::span(uniform).subspan(i * n, n));
    std::vector<std::int64_t> ternary(n), binary(n), error(n), wide_error(n);
    sample_ternary(name, ternary);
    sample_binary(name, binary);
    sample_error(name, ErrorDistribution::sigma_3_2, error);
    sample_error(name, ErrorDistribution::sigma_8_bound_48, wide_error);
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice out(*queue, uniform.size());
      queue->sample_uniform(*tables, name, out.data());
      check_same(out.host(), uniform, *queue, ring, "sample_uniform");
      queue->sample_ternary(*tables, name, out.data());
      check_same(out.host(), lifted(ring, ternary), *queue, ring, "sample_ternary");
      queue->sample_binary(*tables, name, out.data());
      check_same(out.host(), lifted(ring, binary), *queue, ring, "sample_binary");
      queue->sample_error(*tables, name, ErrorDistribution::sigma_3_2, out.data());
      check_same(out.host(), lifted(ring, error), *queue, ring, "sample_error");
      queue->sample_error(*tables, name, ErrorDistribution::sigma_8_bound_48, out.data());
      check_same(out.host(), lifted(ring, wide_error), *queue, ring, "sample_error, sigma 8");
    }
  }
}

/// The first prime q = 1 (mod 2n) above a number.
std::uint64_t prime_above(std::uint64_t least, std::uint64_t n) {
  std::uint64_t q = least / (2 * n) * 2 * n + 1;
  while (q < least || !is_prime(q)) q += 2 * n;
  return q;
}

NTTF_TEST("device: rejected words are drawn again, one of 8 and one of 16") {
  const StreamName name{{{4, 7}}, Domain::user, 11};
  for (const std::size_t n : {1, 2, 8, 64, 1024}) {
    const RingCase ring{n, {prime_above(std::uint64_t{1} << 61, n), prime_above(std::uint64_t{3} << 60, n)}};
    Words uniform(n * ring.moduli.size());
    for (std::size_t i = 0; i < ring.moduli.size(); ++i)
      sample_uniform(name, static_cast<std::uint32_t>(i), ring.moduli[i],
                     std::span(uniform).subspan(i * n, n));
    for (const auto& queue : testing::all_queues()) {
      const auto tables = queue->device().make_ring(testing::spec_of(ring));
      OnDevice out(*queue, uniform.size());
      queue->sample_uniform(*tables, name, out.data());
      check_same(out.host(), uniform, *queue, ring, "sample_uniform");
    }
  }
}

NTTF_TEST("device: sample_small multiplies by the factor modulo each prime") {
  using Kind = SmallPolynomial::Kind;
  StreamName name;
  name.seed.bytes[5] = 77;
  name.domain = Domain::user;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t n = ring.n;
    std::vector<std::int64_t> ternary(n), binary(n), error(n);
    sample_ternary(name, ternary);
    sample_binary(name, binary);
    sample_error(name, ErrorDistribution::sigma_8_bound_48, error);
    const std::pair<Kind, const std::vector<std::int64_t>*> samples[] = {
        {Kind::ternary, &ternary}, {Kind::binary, &binary}, {Kind::error, &error}};
    for (const auto& [kind, values] : samples)
      for (const std::uint64_t factor : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{65537},
                                         (std::uint64_t{1} << 60) - 93, ~std::uint64_t{0}}) {
        Words expected = lifted(ring, *values);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          const std::uint64_t q = ring.moduli[i / n];
          expected[i] = static_cast<std::uint64_t>(static_cast<u128>(expected[i]) * (factor % q) % q);
        }
        for (const auto& queue : testing::all_queues()) {
          const auto tables = queue->device().make_ring(testing::spec_of(ring));
          OnDevice out(*queue, expected.size());
          queue->sample_small(*tables, {kind, name, ErrorDistribution::sigma_8_bound_48, factor}, out.data());
          check_same(out.host(), expected, *queue, ring, "sample_small");
        }
      }
  }
}

}  // namespace
}  // namespace nttforge
