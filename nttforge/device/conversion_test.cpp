// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

constexpr std::size_t kBatch = 2;

NTTF_TEST("device: lift_plain reads [0, t) as [-t/2, t/2)") {
  Rng rng;
  for (const RingCase& ring : testing::ring_cases()) {
    const std::size_t n = ring.n;
    for (const std::uint64_t t :
         {std::uint64_t{2}, std::uint64_t{7}, std::uint64_t{786433}, (std::uint64_t{1} << 52) - 1,
          std::uint64_t{1} << 52, (std::uint64_t{1} << 53) - 1, std::uint64_t{1} << 59,
          (std::uint64_t{1} << 62) - 1}) {
      Words plain(kBatch * n);
      for (std::size_t i = 0; i < plain.size(); ++i)
        plain[i] = i < 4 ? (t / 2 + t - 1 + i) % t : rng.below(t);
      Words expected;
      for (std::size_t b = 0; b < kBatch; ++b)
        for (const std::uint64_t q : ring.moduli)
          for (const std::uint64_t v : std::span(plain).subspan(b * n, n))
            expected.push_back(2 * v >= t ? Modulus(q).negate((t - v) % q) : v % q);
      for (const auto& queue : testing::all_queues()) {
        const auto tables = queue->device().make_ring(testing::spec_of(ring));
        OnDevice in(*queue, plain), out(*queue, expected.size());
        queue->lift_plain(*tables, t, in.data(), out.data(), kBatch);
        check_same(out.host(), expected, *queue, ring, "lift_plain");
      }
    }
  }
}

NTTF_TEST("device: sum_centred adds min(v, t - v), beyond one word") {
  Rng rng;
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  for (const std::size_t n : {std::size_t{1}, std::size_t{64}, std::size_t{8192}})
    for (const std::uint64_t t : {std::uint64_t{2}, std::uint64_t{65537}, std::uint64_t{1} << 60,
                                  (std::uint64_t{1} << 61) - 1, (std::uint64_t{1} << 62) - 1}) {
      Words plain(2 * n), expected;
      for (std::size_t i = 0; i < 2 * n; ++i) plain[i] = i < n ? t / 2 + i % 2 : rng.below(t);
      for (std::size_t b = 0; b < 2; ++b) {
        u128 sum = 0;
        for (std::size_t i = b * n; i < (b + 1) * n; ++i) sum += std::min(plain[i], t - plain[i]);
        expected.push_back(static_cast<std::uint64_t>(sum));
        expected.push_back(static_cast<std::uint64_t>(sum >> 64));
      }
      for (const auto& queue : queues) {
        OnDevice in(*queue, plain), out(*queue, expected.size());
        queue->sum_centred(t, in.data(), n, out.data(), 2);
        check_same(out.host(), expected, *queue, {n, {}}, "sum_centred");
      }
    }
}

}  // namespace
}  // namespace nttforge
