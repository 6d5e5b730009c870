// SPDX-License-Identifier: Apache-2.0
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

}  // namespace
}  // namespace nttforge
