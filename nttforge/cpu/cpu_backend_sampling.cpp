#include "nttforge/cpu/cpu_backend.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::cpu {

void CpuBackend::sample_uniform(const RingTables& ring, const StreamName& name, std::uint64_t* out) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  parallel(ring.limbs(), ring.words(), [&](std::size_t i) {
    nttforge::sample_uniform(name, static_cast<std::uint32_t>(i), own_ring.limb[i].q,
                             std::span(out + i * ring.n(), ring.n()), target_);
  });
}

void CpuBackend::lift_signed(const RingTables& ring, const std::int64_t* values, std::uint64_t* out) const {
  for_rows(own<CpuRing>(ring), 1, [&](const CpuLimb& limb, std::size_t at) {
    for (std::size_t i = 0; i < ring.n(); ++i) {
      const std::uint64_t v = static_cast<std::uint64_t>(values[i]);
      out[at + i] = v + (limb.q & (std::uint64_t{0} - (v >> 63)));
    }
  });
}

void CpuBackend::sample_ternary(const RingTables& ring, const StreamName& name, std::uint64_t* out) const {
  const std::shared_ptr<std::uint64_t> buffer = memory_->allocate(ring.n(), true);
  std::int64_t* values = reinterpret_cast<std::int64_t*>(buffer.get());
  nttforge::sample_ternary(name, std::span(values, ring.n()), target_);
  lift_signed(ring, values, out);
}

void CpuBackend::sample_binary(const RingTables& ring, const StreamName& name, std::uint64_t* out) const {
  const std::shared_ptr<std::uint64_t> buffer = memory_->allocate(ring.n(), true);
  std::int64_t* values = reinterpret_cast<std::int64_t*>(buffer.get());
  nttforge::sample_binary(name, std::span(values, ring.n()), target_);
  lift_signed(ring, values, out);
}

void CpuBackend::sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                              std::uint64_t* out) const {
  const std::shared_ptr<std::uint64_t> buffer = memory_->allocate(ring.n(), true);
  std::int64_t* values = reinterpret_cast<std::int64_t*>(buffer.get());
  nttforge::sample_error(name, distribution, std::span(values, ring.n()), target_);
  lift_signed(ring, values, out);
}

}  // namespace nttforge::cpu
