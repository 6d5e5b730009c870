// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nttforge {

/// Instruction sets the one binary carries; chosen at run time. A binary for x86-64 has the AVX ones, one for
/// aarch64 has neon, a module for WebAssembly has wasm.
enum class Target { scalar, avx2, avx512, avx512_ifma, neon, wasm };

/// Every target; of one processor the lowest first.
inline constexpr Target kAllTargets[] = {Target::scalar,      Target::avx2, Target::avx512,
                                         Target::avx512_ifma, Target::neon, Target::wasm};

std::string_view target_name(Target target);  ///< throws ParameterError if it is none of kAllTargets

/// Whether a CPU for `target` runs what is made for `part`: neon and wasm contain scalar alone, each other
/// target all those before it.
bool target_contains(Target target, Target part);

/// Inverse of target_name. throws ParameterError listing the known names.
Target parse_target(std::string_view name);

/// True if this build contains the target and this CPU (and OS) can run it.
bool target_available(Target target);
std::vector<Target> available_targets();

/// throws UnsupportedError naming the missing CPU features if the target cannot run here.
void require_target(Target target);

/// The best available target, or the one forced by the environment variable NTTFORGE_TARGET.
/// throws ParameterError (unknown name) or UnsupportedError (known, cannot run here). Reads the environment
/// on each call.
Target active_target();

/// Brand string of the CPU and the features that matter to us, for reports.
struct CpuDescription {
  std::string brand;
  std::string signature;  ///< vendor and family/model/stepping: virtual machines share brands
  std::vector<std::string> features;
  unsigned hardware_threads = 1;
};
CpuDescription describe_cpu();  ///< this CPU

}  // namespace nttforge
