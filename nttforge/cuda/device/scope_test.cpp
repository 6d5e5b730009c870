// SPDX-License-Identifier: Apache-2.0
// Callers' streams and graphs: the same words, in order, and all memory comes back.
#include <cstdio>
#include <thread>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/device/gpu_queue.hpp"
#include "nttforge/cuda/runtime/runtime_host.hpp"
#include "nttforge/cuda/stream_scope.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::cuda {
namespace {

using nttforge::testing::OnDevice;
using nttforge::testing::RingCase;
using nttforge::testing::Rng;
using nttforge::testing::Words;

RingCase ring_of_test() { return {256, ntt_primes(256, 49, 3)}; }

/// a^2 + b, by way of temporaries that come and go.
DeviceArray computed(const Queue& queue, const RingTables& ring, ConstWordPtr a, ConstWordPtr b) {
  DeviceArray out = queue.allocate(ring, 1);
  for (unsigned round = 0; round < 3; ++round) {
    DeviceArray x = queue.allocate(ring, 1), y = queue.allocate_secret(ring, 1);
    queue.copy(a, x.data(), ring.words());
    queue.forward(ring, x.data(), 1);
    queue.multiply(ring, x.data(), x.data(), y.data(), 1);
    queue.inverse(ring, y.data(), 1);
    queue.add(ring, y.data(), b, out.data(), 1);
  }
  return out;
}

Words downloaded(const Queue& queue, const DeviceArray& x) {
  Words words(x.size());
  queue.download(x.data(), words);
  return words;
}

NTTF_TEST("operations in a caller's stream give the same words, and their memory comes back") {
  Rng rng;
  const RingCase ring = ring_of_test();
  const Words a = nttforge::testing::random_polynomials(rng, ring, 1),
              b = nttforge::testing::random_polynomials(rng, ring, 1);
  for (const auto& device : nttforge::testing::gpu_devices()) {
    const int ordinal = device->memory_space() == device_name(kHost) ? kHost : 0;
    CudaRuntime& runtime = runtime_of(ordinal);
    const auto queue = device->make_queue();
    const auto tables = device->make_ring(nttforge::testing::spec_of(ring));
    OnDevice x(*queue, a), y(*queue, b);
    const Words expected = downloaded(*queue, computed(*queue, *tables, x.data(), y.data()));
    const std::size_t before = pool_info(ordinal).used_bytes;
    const CudaStream stream = runtime.make_stream(ordinal);
    for (unsigned round = 0; round < 10; ++round) {
      DeviceArray outside = queue->allocate(*tables, 1), result;
      {
        const StreamScope scope(ordinal, stream);
        result = computed(*queue, *tables, x.data(), y.data());
        outside = {};
        NTTF_CHECK(downloaded(*queue, result) == expected);
        const StreamScope same_again(ordinal, stream);
        NTTF_CHECK(downloaded(*queue, computed(*queue, *tables, x.data(), y.data())) == expected);
      }
      NTTF_CHECK(downloaded(*queue, result) == expected);
    }
    runtime.destroy_stream(ordinal, stream);
    NTTF_CHECK_EQ(pool_info(ordinal).used_bytes, before);
  }
}

NTTF_TEST("a graph runs again with what its arrays hold then, and refuses waits and uploads") {
  Rng rng;
  const RingCase ring = ring_of_test();
  const Words a = nttforge::testing::random_polynomials(rng, ring, 1),
              b = nttforge::testing::random_polynomials(rng, ring, 1);
  for (const auto& device : nttforge::testing::gpu_devices()) {
    const auto queue = device->make_queue();
    const auto tables = device->make_ring(nttforge::testing::spec_of(ring));
    if (device->memory_space() == device_name(kHost)) {
      NTTF_CHECK_THROWS(queue->begin_capture(), UnsupportedError, "has no graphs");
      continue;
    }
    OnDevice x(*queue, a), y(*queue, b);
    const Words expected = downloaded(*queue, computed(*queue, *tables, x.data(), y.data()));
    const Words other = downloaded(*queue, computed(*queue, *tables, y.data(), y.data()));
    const std::size_t before = pool_info(0).used_bytes;
    {
      std::shared_ptr<const Graph> graph;
      DeviceArray result;
      {
        const auto capture = queue->begin_capture();
        result = computed(*queue, *tables, x.data(), y.data());
        Words words(result.size());
        NTTF_CHECK_THROWS(queue->download(result.data(), words), ParameterError, "cannot be part of a graph");
        NTTF_CHECK_THROWS(queue->upload(words, result.data()), ParameterError, "cannot be part of a graph");
        NTTF_CHECK_THROWS(queue->wait(), ParameterError, "cannot be part of a graph");
        NTTF_CHECK_THROWS(queue->begin_capture(), ParameterError, "cannot be part of a graph");
        const StreamName name{{{7, 1}}, Domain::user, 3};
        NTTF_CHECK_THROWS(queue->sample_uniform(*tables, name, result.data()), ParameterError,
                          "cannot be part of a graph");
        graph = capture->finish();
      }
      graph->run(*queue);
      NTTF_CHECK(downloaded(*queue, result) == expected);
      queue->copy(y.data(), x.data(), tables->words());
      graph->run(*queue);
      NTTF_CHECK(downloaded(*queue, result) == other);
      {
        const auto abandoned = queue->begin_capture();
      }
      graph->run(*queue);
      NTTF_CHECK(downloaded(*queue, result) == other);
    }
    NTTF_CHECK_EQ(pool_info(0).used_bytes, before);
  }
}

NTTF_TEST("copies apart from what a card computes give the same words, in memory that is everybody's after") {
  Rng rng;
  const Words a = nttforge::testing::random_polynomials(rng, ring_of_test(), 1);
  for (const auto& device : nttforge::testing::gpu_devices()) {
    const int ordinal = device->memory_space() == device_name(kHost) ? kHost : 0;
    const auto queue = device->make_queue();
    const std::size_t before = pool_info(ordinal).used_bytes;
    {
      OnDevice x(*queue, a);
      StreamMark(ordinal).wait();
      for (unsigned round = 0; round < 5; ++round) {
        DeviceArray y;
        {
          const ApartScope apart(ordinal);
          const DeviceArray passing = queue->allocate(a.size());
          y = queue->allocate(a.size());
          queue->copy(x.data(), y.data(), a.size());
        }
        NTTF_CHECK(downloaded(*queue, y) == a);
      }
    }
    NTTF_CHECK_EQ(pool_info(ordinal).used_bytes, before);
  }
}

NTTF_TEST("operations in one piece give the same words, with whatever arrays and from several threads") {
  const RingCase ring = ring_of_test();
  for (const auto& device : nttforge::testing::gpu_devices()) {
    const auto tables = device->make_ring(nttforge::testing::spec_of(ring));
    const auto check = [&](std::uint64_t seed, unsigned rounds) {
      Rng rng(seed);
      const auto queue = device->make_queue();
      for (unsigned round = 0; round < rounds; ++round) {
        OnDevice x(*queue, nttforge::testing::random_polynomials(rng, ring, 1)),
            y(*queue, nttforge::testing::random_polynomials(rng, ring, 1));
        const Words expected = downloaded(*queue, computed(*queue, *tables, x.data(), y.data()));
        DeviceArray found;
        queue->in_one_piece([&] { found = computed(*queue, *tables, x.data(), y.data()); });
        NTTF_CHECK(downloaded(*queue, found) == expected);
        queue->in_one_piece([&] {  // what waits comes after what was given before
          found = computed(*queue, *tables, x.data(), y.data());
          NTTF_CHECK(downloaded(*queue, found) == expected);
          queue->in_one_piece([&] { found = computed(*queue, *tables, y.data(), y.data()); });
        });
        NTTF_CHECK(downloaded(*queue, found) ==
                   downloaded(*queue, computed(*queue, *tables, y.data(), y.data())));
        const auto broken = [&] {
          queue->in_one_piece([&] {
            queue->forward(*tables, x.data(), 1);
            throw ParameterError("halfway");
          });
        };
        NTTF_CHECK_THROWS(broken(), ParameterError, "halfway");
      }
    };
    check(1, 5);
    std::thread other([&] { check(2, 5); });
    check(3, 5);
    other.join();
  }
}

// Secrets are overwritten when they are released; not after a reset, when their memory is somebody else's,
// or, as blocks of this size are, nobody's any more.
NTTF_TEST("secrets from before a reset do not overwrite what was made after it") {
  if (!host_in_this_build()) return;
  constexpr std::size_t kWords = std::size_t{1} << 18;
  const auto before = make_cuda_device(kHost2)->make_queue();
  std::vector<DeviceArray> secrets, arrays;
  for (int i = 0; i < 4; ++i) secrets.push_back(before->allocate_secret(kWords));
  reset_host(kHost2);
  NTTF_CHECK_THROWS(before->device().require_alive(), ContextError, "was reset since");
  const auto after = make_cuda_device(kHost2)->make_queue();
  const Words ones(kWords, 1);
  for (int i = 0; i < 4; ++i) {
    arrays.push_back(after->allocate(kWords));
    after->upload(ones, arrays.back().data());
  }
  secrets.clear();
  Words words(kWords);
  for (const DeviceArray& array : arrays) {
    after->download(array.data(), words);
    NTTF_CHECK(words == ones);
  }
}

}  // namespace
}  // namespace nttforge::cuda
