// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the tests of steps between bases on a card: one array in which everything has a place. Not
// installed.

#include <vector>

#include "nttforge/cuda/device/gpu_queue.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::cuda::testing_steps {

using testing::OnDevice;
using testing::Rng;
using testing::Words;

constexpr std::uint64_t kUntouched = 0xABCDEF;

/// One step, and an array in which everything has a place: [batch][rows of own words, sources, outputs,
/// copies, and one row that nobody writes][n].
struct Case {
  RnsStep step;
  std::size_t n, batch;
  unsigned word_bits;
  std::size_t parts = 1, addend_parts = 0;

  std::size_t sources() const { return step.sources.size(); }
  std::size_t targets() const { return step.targets.size(); }
  std::size_t first_output() const { return step.own.size() + sources(); }
  std::size_t first_copy() const { return first_output() + targets(); }
  std::size_t stride() const { return (first_copy() + sources() + 1) * n; }
};

inline Words input_of(Rng& rng, const Case& c, bool largest) {
  Words x;
  const auto rows = [&](const Words& moduli) {
    for (const std::uint64_t q : moduli)
      for (std::size_t k = 0; k < c.n; ++k) x.push_back(largest || k % 7 == 0 ? q - 1 : rng.below(q));
  };
  for (std::size_t b = 0; b < c.batch; ++b) {
    if (!c.step.own.empty()) rows(c.step.targets);
    rows(c.step.sources);
    x.resize((b + 1) * c.stride(), kUntouched);
  }
  return x;
}

inline Words addend_of(Rng& rng, const Case& c) {
  Words x;
  for (std::size_t object = 0; object < c.batch / c.parts; ++object)
    for (std::size_t part = 0; part < c.addend_parts; ++part)
      for (const std::uint64_t q : c.step.targets)
        for (std::size_t k = 0; k < c.n; ++k) x.push_back(k == 0 ? q - 1 : rng.below(q));
  return x;
}

inline Words expected_of(const Case& c, Words x, const Words& addend) {
  const StepValue value(c.step);
  Words source(c.sources()), own(c.step.own.size()), out(c.targets());
  for (std::size_t b = 0; b < c.batch; ++b)
    for (std::size_t k = 0; k < c.n; ++k) {
      std::uint64_t* const row = x.data() + b * c.stride() + k;
      for (std::size_t j = 0; j < own.size(); ++j) own[j] = row[j * c.n];
      for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = row[(own.size() + i) * c.n];
        row[(c.first_copy() + i) * c.n] = source[i];
      }
      value.apply(source, own, out);
      for (std::size_t j = 0; j < out.size(); ++j) {
        const std::size_t object = b / c.parts, part = b % c.parts;
        if (part < c.addend_parts)
          out[j] = (out[j] + addend[((object * c.addend_parts + part) * c.targets() + j) * c.n + k]) %
                   c.step.targets[j];
        row[(c.first_output() + j) * c.n] = out[j];
      }
    }
  return x;
}

inline const GpuQueue& host_queue() {
  static const std::shared_ptr<const Queue> queue = make_cuda_device(-1)->make_queue();
  return dynamic_cast<const GpuQueue&>(*queue);
}

inline Conversion rows_of(const Case& c, WordPtr all, ConstWordPtr addend) {
  return {.sources = {all + c.step.own.size() * c.n, c.stride()},
          .own = {all, c.stride()},
          .out = {all + c.first_output() * c.n, c.stride()},
          .copies = {all + c.first_copy() * c.n, c.stride()},
          .addend = {addend, c.addend_parts * c.targets() * c.n},
          .addend_parts = c.addend_parts,
          .parts = c.parts};
}

}  // namespace nttforge::cuda::testing_steps
