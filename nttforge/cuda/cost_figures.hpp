#pragma once

// Of the form that tools/gpu_cost_figures.py writes, measured on an H100 80 GB with these kernels.
// Nanoseconds of a transform of so many limbs, mean of forward and inverse in a graph of repeated
// calls; 0: not measured. Recipes as the hash of their JSON text (cost_model.cpp): changed ones
// have none.

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
    {0x4226e3cb0f8c1e81u, 11, {2000, 0, 2400, 2880, 0}},
    {0x8b6f09ce971fee79u, 11, {2800, 0, 3400, 4120, 0}},
    {0xabd2c44013235e85u, 12, {2175, 0, 2540, 3135, 0}},
    {0xcb2e1011a223feadu, 12, {3200, 3275, 3795, 5150, 0}},
    {0xf517927ecbae6242u, 12, {2280, 0, 2680, 3160, 0}},
    {0xf769605162ad6be4u, 12, {2620, 0, 3355, 4280, 0}},
    {0xbdaa1be6cdd255afu, 13, {2445, 0, 3040, 3980, 0}},
    {0xf769605162ad6be4u, 13, {2870, 0, 4450, 6430, 0}},
    {0xbdaa1be6cdd255afu, 14, {2520, 0, 3820, 5275, 0}},
    {0xf769605162ad6be4u, 14, {3015, 0, 6435, 10875, 0}},
    {0x65f8ba8bac2b6c20u, 15, {2605, 0, 5230, 8295, 0}},
    {0x95d2f9ee75bc6765u, 15, {3680, 0, 5935, 8150, 0}},
    {0xf769605162ad6be4u, 15, {3165, 5765, 10805, 21085, 0}},
    {0xff4d80c42589054au, 15, {4035, 0, 11170, 19080, 0}},
    {0x4ba65d7cce8706a7u, 16, {3250, 0, 8645, 14280, 0}},
    {0xbb7a943829b17db8u, 16, {4455, 0, 19260, 38065, 0}},
    {0xe1c7d1e3d7bcdd0cu, 16, {2935, 0, 8850, 15815, 0}},
    {0x0e8a99e358057121u, 17, {3670, 8065, 14305, 28550, 0}},
    {0x1c2e5e80f1cb1272u, 17, {3675, 7940, 14985, 29945, 0}},
    {0xccef7d47e9cc0378u, 17, {6140, 16800, 38570, 83145, 0}},
    {0xe1591cc854bf8b20u, 17, {5795, 17300, 38790, 84365, 0}},
};
// clang-format on

}  // namespace nttforge::cuda
