// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

#include "nttforge/base/testing.hpp"

namespace nttforge::testing {
namespace {

struct Case {
  const char* name;
  void (*body)();
};

// A function-local static, because registrations run before main in an unspecified order between files.
std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

constexpr unsigned kMaxReportedFailures = 10;  // per test; the rest is only counted
constexpr double kSlowSeconds = 1.0;

constexpr std::uint64_t kSeed = 20261130;

unsigned failures_of_case = 0;
unsigned begun = 0;
const char* skipped_because = nullptr;

std::uint64_t choose_seed() {
  if (const char* text = std::getenv("NTTFORGE_TEST_SEED")) return std::strtoull(text, nullptr, 0);
  if (!full_tests()) return kSeed;
  return (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
}

/// Runs one case; true if it passed.
bool run(const Case& test) {
  failures_of_case = 0;
  ++begun;
  skipped_because = nullptr;
  const auto start = std::chrono::steady_clock::now();
  try {
    test.body();
  } catch (const std::exception& error) {
    fail(test.name, 0, std::string("unexpected exception: ") + error.what());
  } catch (...) {
    fail(test.name, 0, "unexpected exception of unknown type");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (failures_of_case != 0) {
    std::printf("FAILED  %s (%u failed checks)\n", test.name, failures_of_case);
  } else if (skipped_because != nullptr) {
    std::printf("skipped %s: %s\n", test.name, skipped_because);
  } else if (seconds >= kSlowSeconds) {
    std::printf("ok      %s (%.1f s)\n", test.name, seconds);
  } else {
    std::printf("ok      %s\n", test.name);
  }
  std::fflush(stdout);
  return failures_of_case == 0;
}

bool wanted(const Case& test, std::span<char* const> parts) {
  const auto has = [&](std::string_view part) {
    return std::string_view(test.name).find(part) != std::string_view::npos;
  };
  return parts.empty() || std::any_of(parts.begin(), parts.end(), has);
}

/// Every count-th of the wanted tests, from the number-th on (1 ... count); a shard may be empty.
struct Shard {
  unsigned number = 1, count = 1;
};

int run_all(std::span<char* const> parts, Shard shard) {
  std::printf("seed %llu (NTTFORGE_TEST_SEED repeats it)\n", static_cast<unsigned long long>(seed()));
  unsigned passed = 0;
  unsigned failed = 0;
  unsigned skipped = 0;
  unsigned index = 0;
  for (const Case& test : cases()) {
    if (!wanted(test, parts) || index++ % shard.count != shard.number - 1) continue;
    (!run(test) ? failed : skipped_because != nullptr ? skipped : passed)++;
  }
  std::printf("%u passed, %u failed", passed, failed);
  std::printf(skipped == 0 ? "\n" : ", %u skipped\n", skipped);
  if (index == 0) std::printf("no test matches '%s'\n", parts.empty() ? "" : parts.front());
  return failed == 0 && index != 0 ? 0 : 1;
}

/// The names of all tests, one a line.
int list() {
  for (const Case& test : cases()) std::printf("%s\n", test.name);
  return 0;
}

}  // namespace

Registration::Registration(const char* name, void (*body)()) { cases().push_back({name, body}); }

void fail(const char* file, int line, const std::string& message) {
  if (++failures_of_case <= kMaxReportedFailures) std::printf("  %s:%d: %s\n", file, line, message.c_str());
}

void skip(const char* why) { skipped_because = why; }

std::uint64_t seed() {
  static const std::uint64_t value = choose_seed();
  return value;
}

unsigned test_number() { return begun; }

bool full_tests() {
  const char* value = std::getenv("NTTFORGE_TEST_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace nttforge::testing

/// usage: nttforge_<folder>_test [--list] [--shard number/count] [part of a test's name ...]
int main(int argc, char** argv) {
  std::span<char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 1 ? argc - 1 : 0));
  if (!arguments.empty() && std::string_view(arguments[0]) == "--list") return nttforge::testing::list();
  nttforge::testing::Shard shard;
  if (arguments.size() >= 2 && std::string_view(arguments[0]) == "--shard") {
    if (std::sscanf(arguments[1], "%u/%u", &shard.number, &shard.count) != 2 || shard.number == 0 ||
        shard.number > shard.count) {
      std::printf("--shard %s must be number/count, 1 <= number <= count\n", arguments[1]);
      return 1;
    }
    arguments = arguments.subspan(2);
  }
  return nttforge::testing::run_all(arguments, shard);
}
