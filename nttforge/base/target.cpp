// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/target.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace nttforge {
namespace {

// CPU features this library may use, as bits; `usable` also means that the operating system saves the
// registers.
enum Feature : unsigned {
  kAvx2 = 1u << 0,
  kFma = 1u << 1,
  kBmi2 = 1u << 2,
  kAdx = 1u << 3,
  kAvx512f = 1u << 4,
  kAvx512dq = 1u << 5,
  kAvx512bw = 1u << 6,
  kAvx512vl = 1u << 7,
  kAvx512ifma = 1u << 8,
  kAsimd = 1u << 9,  // NEON of aarch64, as Linux calls it
  kSve = 1u << 10,
  kSve2 = 1u << 11,
  kSimd128 = 1u << 12,  // of WebAssembly: without it a module with such instructions is not loaded
};

struct FeatureName {
  unsigned bit;
  const char* name;
};
constexpr FeatureName kFeatureNames[] = {
    {kAvx2, "avx2"},         {kFma, "fma"},           {kBmi2, "bmi2"},
    {kAdx, "adx"},           {kAvx512f, "avx512f"},   {kAvx512dq, "avx512dq"},
    {kAvx512bw, "avx512bw"}, {kAvx512vl, "avx512vl"}, {kAvx512ifma, "avx512ifma"},
    {kAsimd, "asimd"},       {kSve, "sve"},           {kSve2, "sve2"},
    {kSimd128, "simd128"},
};

// Matches the compiler flags in cmake/targets.cmake.
constexpr unsigned kNeedsAvx2 = kAvx2 | kFma | kBmi2;
constexpr unsigned kNeedsAvx512 = kNeedsAvx2 | kAvx512f | kAvx512dq | kAvx512bw | kAvx512vl;

enum class Processor { any, x86_64, aarch64, wasm };
constexpr const char* kProcessorNames[] = {"any processor", "x86-64", "aarch64", "WebAssembly"};
#if defined(__x86_64__)
constexpr Processor kProcessor = Processor::x86_64;
#elif defined(__aarch64__)
constexpr Processor kProcessor = Processor::aarch64;
#elif defined(__wasm__)
constexpr Processor kProcessor = Processor::wasm;
#else
constexpr Processor kProcessor = Processor::any;
#endif

struct TargetRow {
  Target target;
  const char* name;
  Processor processor;
  unsigned needs;
};
constexpr TargetRow kTargets[] = {
    {Target::scalar, "scalar", Processor::any, 0},
    {Target::avx2, "avx2", Processor::x86_64, kNeedsAvx2},
    {Target::avx512, "avx512", Processor::x86_64, kNeedsAvx512},
    {Target::avx512_ifma, "avx512_ifma", Processor::x86_64, kNeedsAvx512 | kAvx512ifma},
    {Target::neon, "neon", Processor::aarch64, kAsimd},
    {Target::wasm, "wasm", Processor::wasm, kSimd128},
};

bool in_this_build(const TargetRow& row) {
  return row.processor == Processor::any || row.processor == kProcessor;
}

const TargetRow& row(Target target) {
  const auto index = static_cast<unsigned>(target);
  if (index < std::size(kTargets)) return kTargets[index];
  throw ParameterError("target = " + std::to_string(index) + " is unknown: allowed are those of kAllTargets");
}

#if defined(__x86_64__)
std::uint64_t enabled_register_sets() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

unsigned detect_features() {
  constexpr std::uint64_t kYmmState = 0x6;   // XMM and upper halves of YMM
  constexpr std::uint64_t kZmmState = 0xE6;  // and opmask, upper halves of ZMM0-15, ZMM16-31
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return 0;
  const bool osxsave = (c & (1u << 27)) != 0;
  const bool avx = (c & (1u << 28)) != 0;
  const bool fma = (c & (1u << 12)) != 0;
  const std::uint64_t state = osxsave ? enabled_register_sets() : 0;
  const bool ymm = avx && (state & kYmmState) == kYmmState;
  const bool zmm = ymm && (state & kZmmState) == kZmmState;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return 0;
  const auto has = [b](unsigned bit) { return (b & (1u << bit)) != 0; };
  unsigned found = 0;
  if (has(8)) found |= kBmi2;
  if (has(19)) found |= kAdx;
  if (ymm && fma) found |= kFma;
  if (ymm && has(5)) found |= kAvx2;
  if (zmm && has(16)) found |= kAvx512f;
  if (zmm && has(17)) found |= kAvx512dq;
  if (zmm && has(21)) found |= kAvx512ifma;
  if (zmm && has(30)) found |= kAvx512bw;
  if (zmm && has(31)) found |= kAvx512vl;
  return found;
}

std::string detect_brand() {
  constexpr unsigned kBrandLeaves = 0x80000002u;
  char text[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned words[4] = {};
    if (__get_cpuid(kBrandLeaves + i, &words[0], &words[1], &words[2], &words[3]) == 0)
      return "unknown x86-64 CPU";
    std::memcpy(text + 16 * i, words, 16);
  }
  std::string brand = text;
  brand.erase(brand.find_last_not_of(' ') + 1);
  brand.erase(0, brand.find_first_not_of(' '));
  return brand;
}

std::string detect_signature() {
  unsigned a = 0, words[3] = {}, version = 0, unused[3] = {};
  if (__get_cpuid(0, &a, &words[0], &words[2], &words[1]) == 0) return "unknown";
  char vendor[13] = {};
  std::memcpy(vendor, words, 12);
  if (__get_cpuid(1, &version, &unused[0], &unused[1], &unused[2]) == 0) return vendor;
  const auto bits = [version](unsigned from, unsigned count) {
    return version >> from & ((1u << count) - 1);
  };
  const unsigned base_family = bits(8, 4);
  const unsigned family = base_family == 15 ? base_family + bits(20, 8) : base_family;
  const unsigned model = base_family == 6 || base_family == 15 ? bits(16, 4) << 4 | bits(4, 4) : bits(4, 4);
  return std::string(vendor) + " " + std::to_string(family) + "/" + std::to_string(model) + "/" +
         std::to_string(bits(0, 4));
}
#else
unsigned detect_features() {
  unsigned found = 0;
  for (const FeatureName& feature : kFeatureNames) {
    if (system::cpu_has(feature.name)) found |= feature.bit;
  }
  return found;
}
std::string detect_signature() {
  const std::string signature = system::cpu_signature();
  return signature.empty() ? "unknown" : signature;
}
std::string detect_brand() {
  const std::string brand = system::cpu_brand();
  if (!brand.empty()) return brand;
  return std::string("unknown ") + kProcessorNames[static_cast<unsigned>(kProcessor)] + " CPU";
}
#endif

unsigned cpu_features() {
  static const unsigned features = detect_features();
  return features;
}

std::string join_names(unsigned features) {
  std::string text;
  for (const FeatureName& feature : kFeatureNames) {
    if ((features & feature.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(feature.name);
  }
  return text;
}

std::string available_names() {
  std::string text;
  for (const Target target : available_targets())
    text += (text.empty() ? "" : ", ") + std::string(target_name(target));
  return text;
}

}  // namespace

std::string_view target_name(Target target) { return row(target).name; }

Target parse_target(std::string_view name) {
  for (const TargetRow& candidate : kTargets) {
    if (name == candidate.name) return candidate.target;
  }
  std::string known;
  for (const TargetRow& candidate : kTargets)
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  throw ParameterError("target = '" + std::string(name) + "' is unknown; use one of " + known);
}

bool target_contains(Target target, Target part) {
  return part <= target && (part == Target::scalar || row(part).processor == row(target).processor);
}

bool target_available(Target target) {
  return in_this_build(row(target)) && (row(target).needs & ~cpu_features()) == 0;
}

std::vector<Target> available_targets() {
  std::vector<Target> result;
  for (const Target target : kAllTargets) {
    if (target_available(target)) result.push_back(target);
  }
  return result;
}

void require_target(Target target) {
  if (target_available(target)) return;
  const std::string name(target_name(target));
  if (!in_this_build(row(target)))
    throw UnsupportedError("target = " + name + " cannot run here: it is for " +
                           kProcessorNames[static_cast<unsigned>(row(target).processor)] +
                           ", and this build is for " + kProcessorNames[static_cast<unsigned>(kProcessor)] +
                           "; use one of " + available_names());
  throw UnsupportedError("target = " + name + " cannot run here: this CPU or its operating system lacks " +
                         join_names(row(target).needs & ~cpu_features()) + "; use one of " +
                         available_names());
}

Target active_target() {
  const char* forced = std::getenv("NTTFORGE_TARGET");
  if (forced != nullptr && *forced != '\0') {
    Target target = Target::scalar;
    try {
      target = parse_target(forced);
      require_target(target);
    } catch (const ParameterError& error) {
      throw ParameterError(std::string("environment variable NTTFORGE_TARGET: ") + error.what());
    } catch (const UnsupportedError& error) {
      throw UnsupportedError(std::string("environment variable NTTFORGE_TARGET: ") + error.what());
    }
    return target;
  }
  return available_targets().back();
}

CpuDescription describe_cpu() {
  CpuDescription description;
  description.brand = detect_brand();
  description.signature = detect_signature();
  for (const FeatureName& feature : kFeatureNames) {
    if ((cpu_features() & feature.bit) != 0) description.features.emplace_back(feature.name);
  }
  description.hardware_threads = std::max(1u, std::thread::hardware_concurrency());
  return description;
}

}  // namespace nttforge
