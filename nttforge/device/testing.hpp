// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the queue tests: every queue that can run here, and random polynomials. Not installed.

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge::testing {

using Words = std::vector<std::uint64_t>;

/// The host's run of the GPU's kernels, and the first GPU, where there are any.
inline std::vector<std::shared_ptr<const Device>> gpu_devices() {
  std::vector<std::shared_ptr<const Device>> result;
  for (const int ordinal : {-1, 0}) {
    try {
      result.push_back(make_cuda_device(ordinal));
    } catch (const UnsupportedError&) {
      std::printf("        skipped: GPU device %d cannot run here\n", ordinal);
    }
  }
  return result;
}

/// Every available target with 1, 2 and 3 threads, and GPUs. Says once which targets are left out. Rows are
/// shared out among threads before a target's kernels see them: outside full sweeps the active target alone
/// has every count.
inline const std::vector<std::shared_ptr<const Queue>>& all_queues() {
  static const std::vector<std::shared_ptr<const Queue>> queues = [] {
    std::vector<std::shared_ptr<const Queue>> result;
    unsigned turn = 0;
    for (const Target target : kAllTargets) {
      if (!target_available(target)) {
        std::printf("        skipped: target %s cannot run here\n", std::string(target_name(target)).c_str());
        continue;
      }
      turn = turn % 3 + 1;
      for (const unsigned threads : {1u, 2u, 3u})
        if (full_tests() || target == active_target() || threads == turn)
          result.push_back(make_cpu_device(threads, target)->make_queue());
    }
    for (const auto& device : gpu_devices()) result.push_back(device->make_queue());
    return result;
  }();
  return queues;
}

/// The largest n for which tests of several nested grids run all of them: many words take long on the
/// reference and on the host's run of GPU kernels.
inline std::size_t largest_of_every_case() { return full_tests() ? 4096 : 64; }

struct RingCase {
  std::size_t n;
  std::vector<std::uint64_t> moduli;
};

/// Sizes below, at and above a vector and a block; classes 30, 49, 50, 60, 62 bits, alone and mixed; the last
/// two large enough for several threads.
inline std::vector<RingCase> ring_cases() {
  const unsigned mixed[] = {30, 50, 60, 62};
  const unsigned narrow[] = {30, 50, 49, 41};
  return {{1, mixed_primes(1, mixed)},     {2, ntt_primes(2, 62, 3)},        {4, ntt_primes(4, 62, 2)},
          {16, ntt_primes(16, 49, 1)},     {64, mixed_primes(64, narrow)},   {512, ntt_primes(512, 50, 17)},
          {4096, ntt_primes(4096, 49, 5)}, {4096, mixed_primes(4096, mixed)}};
}

/// [batch][limbs][n] residues; one coefficient of each row is 0, one q - 1, if there is room.
inline Words random_polynomials(Rng& rng, const RingCase& ring, std::size_t batch) {
  Words x;
  for (std::size_t b = 0; b < batch; ++b)
    for (const std::uint64_t q : ring.moduli) {
      for (std::size_t i = 0; i < ring.n; ++i) x.push_back(rng.below(q));
      if (ring.n > 1) x.back() = q - 1;
      if (ring.n > 2) x[x.size() - 2] = 0;
    }
  return x;
}

/// A copy in the queue's memory.
class OnDevice {
 public:
  OnDevice(const Queue& queue, const Words& words, unsigned word_bits = 64)
      : queue_(queue), array_(queue.allocate(words.size(), word_bits)) {
    queue.upload(words, array_.data());
  }
  OnDevice(const Queue& queue, std::size_t words, unsigned word_bits = 64)
      : OnDevice(queue, Words(words, 0xDEADBEEF), word_bits) {}
  WordPtr data() { return array_.data(); }
  Words host() const {
    Words result(array_.size());
    queue_.download(array_.data(), result);
    return result;
  }

 private:
  const Queue& queue_;
  DeviceArray array_;
};

inline void check_same(const Words& got, const Words& expected, const Queue& queue, const RingCase& ring,
                       const char* operation) {
  if (got == expected) return;
  std::size_t at = 0;
  while (at < got.size() && got[at] == expected[at]) ++at;
  fail(__FILE__, __LINE__,
       std::string(operation) + " on " + queue.device().description() + ", n = " + std::to_string(ring.n) +
           ", " + std::to_string(ring.moduli.size()) + " limbs: first difference at word " +
           std::to_string(at) + ": " + std::to_string(got[at]) + " != " + std::to_string(expected[at]));
}

inline NttSpec spec_of(const RingCase& ring) {
  NttSpec spec;
  spec.n = ring.n;
  spec.moduli = ring.moduli;
  return spec;
}

}  // namespace nttforge::testing
