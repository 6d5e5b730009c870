// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/memory.hpp"

#include <numeric>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"
#include "nttforge/cuda/runtime/runtime_host.hpp"

namespace nttforge::cuda {
namespace {

using testing_plans::places;

NTTF_TEST("what is copied to a device comes back") {
  for (const int device : places()) {
    std::vector<std::uint64_t> words(100'003), back(words.size());
    std::iota(words.begin(), words.end(), testing::seed());
    CudaRuntime& runtime = runtime_of(device);
    const CudaStream own = runtime.make_stream(device);
    for (const CudaStream stream : {CudaStream{}, own}) {
      const CudaBuffer buffer(device, 8 * words.size(), stream);
      NTTF_CHECK_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, std::uintptr_t{0});
      buffer.from_host(words.data(), stream);
      buffer.to_host(back.data(), stream);
      NTTF_CHECK(back == words);
      buffer.require_alive();
    }
    runtime.destroy_stream(device, own);
    NTTF_CHECK_EQ(CudaBuffer(device, 0).data(), nullptr);
  }
}

NTTF_TEST("the pool counts what is used and keeps to its limit") {
  for (const int device : places()) {
    const CudaPoolInfo before = pool_info(device);
    {
      const CudaBuffer a(device, 1 << 20);
      const CudaBuffer same = a;  // NOLINT: shared
      NTTF_CHECK_EQ(pool_info(device).used_bytes, before.used_bytes + (1 << 20));
      set_pool_limit(device, before.used_bytes + (3 << 20));
      const CudaBuffer b(device, 2 << 20);
      NTTF_CHECK_THROWS(CudaBuffer(device, 1), UnsupportedError, "1 bytes on " + device_name(device));
      NTTF_CHECK_THROWS(CudaBuffer(device, ~std::size_t{0}), UnsupportedError, "exceed the memory limit");
      NTTF_CHECK_EQ(pool_info(device).used_bytes, before.used_bytes + (3 << 20));
    }
    NTTF_CHECK_EQ(pool_info(device).used_bytes, before.used_bytes);
    NTTF_CHECK_EQ(pool_info(device).limit_bytes, before.used_bytes + (3 << 20));
    set_pool_limit(device, std::size_t{1} << 60);
    NTTF_CHECK_THROWS(CudaBuffer(device, std::size_t{1} << 59), UnsupportedError, "bytes are free");
    set_pool_limit(device, before.limit_bytes);
    trim_pool(device);
    if (device >= 0) NTTF_CHECK(pool_info(device).held_bytes <= before.held_bytes + (1 << 25));
    NTTF_CHECK_THROWS(set_pool_limit(device, 0), ParameterError, "limit is 0");
  }
}

NTTF_TEST("streams and pointers of another device are told apart") {
  CudaRuntime& host = host_runtime();
  const CudaStream other = host.make_stream(kHost2);
  NTTF_CHECK_THROWS(CudaBuffer(kHost, 8, other), ParameterError, "stream belongs to cuda:host2");
  host.destroy_stream(kHost2, other);
  NTTF_CHECK_THROWS(CudaBuffer(kHost, 8, other), ParameterError, "not one of this process");
  const CudaBuffer buffer(kHost2, 16);
  const auto* bytes = static_cast<const char*>(buffer.data());
  for (const int offset : {0, 15}) {
    NTTF_CHECK(host.locate(bytes + offset).kind == CudaPlace::Kind::device);
    NTTF_CHECK_EQ(host.locate(bytes + offset).device, kHost2);
  }
  NTTF_CHECK(host.locate(bytes + 16).kind != CudaPlace::Kind::device);
  NTTF_CHECK(host.locate(&buffer).kind != CudaPlace::Kind::device);
  if (device_count() == 0) {
    NTTF_CHECK_THROWS(CudaBuffer(0, 8), UnsupportedError, why_unavailable().substr(0, 40));
    return;
  }
  const CudaBuffer card(0, 16);
  NTTF_CHECK(machine_runtime().locate(card.data()).kind == CudaPlace::Kind::device);
  NTTF_CHECK(machine_runtime().locate(&card).kind == CudaPlace::Kind::host);
}

NTTF_TEST("what was made before a device was reset is refused, and it is used again") {
  testing_plans::check_reset(kHost2, [] { static_cast<HostCudaRuntime&>(host_runtime()).reset(kHost2); });
}

}  // namespace
}  // namespace nttforge::cuda
