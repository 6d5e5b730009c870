// SPDX-License-Identifier: Apache-2.0
// Sampling.
#include <algorithm>

#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/samplers.hpp"
#include "nttforge/random/chacha20.hpp"

namespace nttforge::cuda {
namespace {

constexpr const char *kSample = "a sample", *kRepeats = "each run would repeat the same randomness";

StreamKey stream_key(const StreamName& name) {
  const ChaChaInput input = chacha_input(name, 0);
  StreamKey key;
  std::copy(std::begin(input.key), std::end(input.key), key.key);
  key.domain = static_cast<std::uint32_t>(name.domain);
  key.index = name.index;
  return key;
}

}  // namespace

void GpuQueue::sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const {
  require_not_recording(kSample, kRepeats);
  run("sampling", SampleUniform{grid_of(ring.limbs(), ring.n()), own<GpuRing>(ring).rows(), stream_key(name),
                                write(out)});
}

void GpuQueue::sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  require_not_recording(kSample, kRepeats);
  run("sampling", SampleSmall{grid_of(ring.limbs(), ring.n()), own<GpuRing>(ring).rows(), stream_key(name),
                              SampleSmall::Kind::ternary, 0, nullptr, write(out)});
}

void GpuQueue::sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  require_not_recording(kSample, kRepeats);
  run("sampling", SampleSmall{grid_of(ring.limbs(), ring.n()), own<GpuRing>(ring).rows(), stream_key(name),
                              SampleSmall::Kind::binary, 0, nullptr, write(out)});
}

void GpuQueue::sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            WordPtr out) const {
  require_not_recording(kSample, kRepeats);
  const std::span<const std::uint64_t> table = device_->error_table(distribution);
  run("sampling", SampleSmall{grid_of(ring.limbs(), ring.n()), own<GpuRing>(ring).rows(), stream_key(name),
                              SampleSmall::Kind::error, static_cast<std::uint32_t>(table.size()),
                              table.data(), write(out)});
}

}  // namespace nttforge::cuda
