#pragma once

#include <cstdint>

namespace nttforge::cuda {

inline constexpr unsigned kFigureLimbs[] = {1, 8, 21, 45, 180};

struct CostFigures {
  std::uint64_t recipe;
  unsigned log_n;
  float ns[5];
};

// clang-format off
inline constexpr CostFigures kCostFigures[] = {
    {0, 0, {0, 0, 0, 0, 0}},
};
// clang-format on

}  // namespace nttforge::cuda
