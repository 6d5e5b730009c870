// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace nttforge::cuda {

/// Algorithms of recipes whose kernels stand in papers/kernels, and how to get these.
inline constexpr std::array<std::string_view, 19> kPaperAlgorithms = {"radix2",
                                                                      "high_radix",
                                                                      "shared_two_kernel",
                                                                      "stockham",
                                                                      "emmart_weems",
                                                                      "din24_dit_paper",
                                                                      "din24_dif_paper",
                                                                      "din24_flat_paper",
                                                                      "din24_pease_paper",
                                                                      "din24_pease_nc_paper",
                                                                      "din24_six_step_paper",
                                                                      "din24_stockham_paper",
                                                                      "din24_dit_tuned",
                                                                      "din24_dif_tuned",
                                                                      "din24_flat_tuned",
                                                                      "din24_pease_tuned",
                                                                      "din24_pease_nc_tuned",
                                                                      "din24_six_step_tuned",
                                                                      "din24_stockham_tuned"};
inline constexpr std::string_view kWithoutPapers =
    "the kernels of papers are not in this build: build it with 'pip install "
    "-Ccmake.define.NTTFORGE_PAPERS=ON .' in a clone (CMake: -DNTTFORGE_PAPERS=ON)";

inline bool is_of_paper(std::string_view algorithm) {
  return std::find(kPaperAlgorithms.begin(), kPaperAlgorithms.end(), algorithm) != kPaperAlgorithms.end();
}

}  // namespace nttforge::cuda
