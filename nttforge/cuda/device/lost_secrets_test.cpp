// SPDX-License-Identifier: Apache-2.0
// Secrets are overwritten when they are released; not after a reset, when their memory is somebody else's.

#include <algorithm>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/runtime/runtime_host.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::cuda {
namespace {

NTTF_TEST("secrets from before a reset do not overwrite what was made after it") {
  if (!host_in_this_build()) return;
  constexpr std::size_t kWords = 1 << 12;
  const auto before = make_cuda_device(kHost2)->make_queue();
  std::vector<DeviceArray> secrets;
  for (int i = 0; i < 8; ++i) secrets.push_back(before->allocate_secret(kWords));
  reset_host(kHost2);
  NTTF_CHECK_THROWS(before->device().require_alive(), ContextError, "was reset since");
  const auto after = make_cuda_device(kHost2)->make_queue();
  const std::vector<std::uint64_t> ones(kWords, 1);
  std::vector<DeviceArray> arrays;
  bool reused = false;
  for (int i = 0; i < 8; ++i) {
    arrays.push_back(after->allocate(kWords));
    after->upload(ones, arrays.back().data());
    reused |= std::any_of(secrets.begin(), secrets.end(),
                          [&](DeviceArray& secret) { return secret.data() == arrays.back().data(); });
  }
  NTTF_CHECK(reused);  // else nothing is tested
  secrets.clear();
  std::vector<std::uint64_t> words(kWords);
  for (const DeviceArray& array : arrays) {
    after->download(array.data(), words);
    NTTF_CHECK(words == ones);
  }
}

}  // namespace
}  // namespace nttforge::cuda
