// SPDX-License-Identifier: Apache-2.0
// Words between the memories of two devices: the same ones, in order with both queues, from every device to
// every other.
#include "nttforge/multi/copy.hpp"

#include <cstdio>
#include <initializer_list>
#include <memory>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::multi {
namespace {

using nttforge::testing::RingCase;
using nttforge::testing::Rng;
using nttforge::testing::Words;

/// Two runs of GPU kernels on the host, if the build has them, and two GPUs, if there are so many.
std::vector<std::shared_ptr<const Device>> gpus(std::initializer_list<int> ordinals) {
  std::vector<std::shared_ptr<const Device>> found;
  for (const int ordinal : ordinals) try {
      found.push_back(make_cuda_device(ordinal));
    } catch (const Error&) {
      std::printf("        skipped: GPU device %d is not here\n", ordinal);
    }
  return found;
}

NTTF_TEST("words go from every device to every other in the order of both queues") {
  Rng rng;
  for (const unsigned bits : {49u, 30u}) {
    const RingCase ring{256, ntt_primes(256, bits, 2)};
    NttSpec spec = nttforge::testing::spec_of(ring);
    spec.word_bits = bits == 30 ? 32 : 64;
    const Words a = nttforge::testing::random_polynomials(rng, ring, 3);
    std::vector<std::shared_ptr<const Device>> devices = gpus({-1, -2, 0, 1});
    devices.push_back(make_cpu_device(1));
    devices.push_back(make_cpu_device(2));
    for (const auto& first : devices)
      for (const auto& second : devices) {
        const auto from = first->make_queue(), to = second->make_queue();
        const auto here = first->make_ring(spec), there = second->make_ring(spec);
        DeviceArray out = to->allocate(*there, 3);
        {
          DeviceArray x = from->allocate(*here, 3);
          from->upload(a, x.data());
          from->forward(*here, x.data(), 3);  // must have run before the copy
          copy_between(*from, x.data(), *to, out.data(), out.size());
        }
        to->inverse(*there, out.data(), 3);  // must run after it
        Words back(a.size());
        to->download(out.data(), back);
        NTTF_CHECK(back == a);
      }
  }
}

NTTF_TEST("cards of one runtime need no host between them, and others do") {
  const auto cards = gpus({-1, -2});
  if (cards.size() < 2) return;
  const auto queue = cards[0]->make_queue(), second = cards[1]->make_queue(),
             cpu = make_cpu_device()->make_queue();
  DeviceArray x = queue->allocate(8), y = second->allocate(8), z = cpu->allocate(8);
  const Words a{1, 2, 3, 4, 5, 6, 7, 8};
  queue->upload(a, x.data());
  NTTF_CHECK(second->copy_from(*queue, x.data(), y.data(), 8));
  Words back(8);
  second->download(y.data(), back);
  NTTF_CHECK(back == a);
  NTTF_CHECK(!second->copy_from(*cpu, z.data(), y.data(), 8));
  NTTF_CHECK(!cpu->copy_from(*second, y.data(), z.data(), 8));
}

NTTF_TEST("words of two sizes are refused") {
  const auto queue = make_cpu_device()->make_queue();
  DeviceArray x = queue->allocate(8, 32), y = queue->allocate(8, 64);
  NTTF_CHECK_THROWS(copy_between(*queue, x.data(), *queue, y.data(), 8), ParameterError,
                    "words of 32 bits go to words of 64: allocate");
}

}  // namespace
}  // namespace nttforge::multi
