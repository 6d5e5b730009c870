// SPDX-License-Identifier: Apache-2.0
#include "nttforge/backend/testing.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnBackend;
using testing::RingCase;
using testing::Words;

Words lifted(const RingCase& ring, const std::vector<std::int64_t>& values) {
  Words out;
  for (const std::uint64_t q : ring.moduli)
    for (const std::int64_t v : values)
      out.push_back(v < 0 ? q - static_cast<std::uint64_t>(-v) : static_cast<std::uint64_t>(v));
  return out;
}

NTTF_TEST("backend: samples are those of random/, reduced into every limb") {
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
    for (const auto& backend : testing::all_backends()) {
      const auto tables = backend->make_ring(testing::spec_of(ring));
      OnBackend out(*backend, uniform.size());
      backend->sample_uniform(*tables, name, out.data());
      check_same(out.host(), uniform, *backend, ring, "sample_uniform");
      backend->sample_ternary(*tables, name, out.data());
      check_same(out.host(), lifted(ring, ternary), *backend, ring, "sample_ternary");
      backend->sample_binary(*tables, name, out.data());
      check_same(out.host(), lifted(ring, binary), *backend, ring, "sample_binary");
      backend->sample_error(*tables, name, ErrorDistribution::sigma_3_2, out.data());
      check_same(out.host(), lifted(ring, error), *backend, ring, "sample_error");
      backend->sample_error(*tables, name, ErrorDistribution::sigma_8_bound_48, out.data());
      check_same(out.host(), lifted(ring, wide_error), *backend, ring, "sample_error, sigma 8");
    }
  }
}

}  // namespace
}  // namespace nttforge
