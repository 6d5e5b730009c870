// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/threads/cpu_count.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"
#include "nttforge/base/text/words.hpp"

namespace nttforge {
namespace {

constexpr unsigned kMaxThreads = 1024;

}  // namespace

unsigned quota_cpus(std::string_view text) {
  const auto quota = number_of(take_word(text)), period = number_of(take_word(text));
  if (!quota || !period || *quota == 0 || *period == 0) return 0;  // "max" and -1: no limit
  const std::uint64_t cpus = *quota / *period + (*quota % *period != 0 ? 1 : 0);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(cpus, 1, kMaxThreads));
}

unsigned usable_cpus() {
  const unsigned allowed = system::cpus_allowed();
  return std::min(kMaxThreads, std::max(1u, allowed != 0 ? allowed : std::thread::hardware_concurrency()));
}

unsigned default_threads() {
  const char* text = std::getenv("NTTFORGE_THREADS");
  if (text == nullptr || *text == '\0') return usable_cpus();
  const std::string value = text;
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
  if (error != std::errc() || end != value.data() + value.size() || threads == 0 || threads > kMaxThreads) {
    throw ParameterError("environment variable NTTFORGE_THREADS = '" + value +
                         "' is not a number in 1 ... 1024; set it so, or unset it for all CPUs");
  }
  return threads;
}

}  // namespace nttforge
