// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device.hpp"

#include <cstdlib>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {
namespace {

NTTF_TEST("device names") {
  NTTF_CHECK_EQ(parse_device("cuda"), 0);
  NTTF_CHECK_EQ(parse_device("cuda:12"), 12);
  NTTF_CHECK_EQ(parse_device("cuda:host"), kHost);
  for (const int device : {0, 3, kHost, kHost2}) {
    NTTF_CHECK_EQ(parse_device(device_name(device)), device);
  }
  for (const char* name : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1 ", "CUDA", "cuda:99999999999"}) {
    NTTF_CHECK_THROWS(parse_device(name), ParameterError, "\"cuda:1\" the second");
  }
}

NTTF_TEST("architectures of a build and of a card") {
  NTTF_CHECK(architectures_cover("90", 90));
  NTTF_CHECK(architectures_cover("90", 100));  // by its PTX
  NTTF_CHECK(!architectures_cover("90", 89));
  NTTF_CHECK(!architectures_cover("90-real", 100));
  NTTF_CHECK(architectures_cover("80-real", 86));
  NTTF_CHECK(!architectures_cover("86-real", 80));
  NTTF_CHECK(architectures_cover("80-virtual", 75 + 5));
  NTTF_CHECK(architectures_cover("70-real;90-virtual", 120));
  NTTF_CHECK(!architectures_cover("70-real;90-virtual", 86));
  NTTF_CHECK(architectures_cover("90a", 90));
  NTTF_CHECK(!architectures_cover("90a", 100));
  NTTF_CHECK(architectures_cover("native", 75));
  NTTF_CHECK(!architectures_cover("", 90));
}

NTTF_TEST("a card that the build has no code for is refused, with the option to build with") {
  CudaDevice card;
  card.name = "a card";
  card.compute_capability = 80;
  NTTF_CHECK_THROWS(require_architecture(card, "90;100-real"), UnsupportedError,
                    "for architecture 90;100-real, and a card is 80: build nttforge with "
                    "-DNTTFORGE_CUDA_ARCHITECTURES=80");
  card.compute_capability = 120;
  require_architecture(card, "90;100-real");  // by the PTX of 90
}

NTTF_TEST("a build or machine without GPUs says so in one sentence") {
  const std::string why = why_unavailable();
  NTTF_CHECK_EQ(why.empty(), device_count() > 0);
  if (std::getenv("NTTFORGE_REQUIRE_GPU") != nullptr) NTTF_CHECK_EQ(why, std::string());
  if (why.empty()) {
    NTTF_CHECK_THROWS(describe_device(device_count()), ParameterError, "does not exist");
    return;
  }
  NTTF_CHECK(devices().empty());
  NTTF_CHECK_THROWS(describe_device(0), UnsupportedError, why.substr(0, 40));
  NTTF_CHECK_THROWS(runtime_of(0).context_id(0), UnsupportedError, why.substr(0, 40));
}

NTTF_TEST("every GPU is described") {
  for (const CudaDevice& device : devices()) {
    NTTF_CHECK(!device.name.empty());
    NTTF_CHECK(device.compute_capability >= 50 && device.multiprocessors > 0);
    NTTF_CHECK(device.total_bytes > (std::size_t{1} << 28) && device.shared_bytes_per_block >= 48 * 1024);
  }
  NTTF_CHECK_EQ(describe_device(kHost).ordinal, kHost);
  NTTF_CHECK_THROWS(describe_device(-3), ParameterError, "does not exist");
}

}  // namespace
}  // namespace nttforge::cuda
