#pragma once

// Emulated lanes with what transforms need beyond lanes_emulated.hpp. Tests only.

#include <utility>

#include "nttforge/cpu/lanes_emulated.hpp"

namespace nttforge::testing {
namespace {

template <std::size_t width>
struct Emulated64 : cpu::LanesEmulated<width> {
  using typename cpu::LanesEmulated<width>::Vec;
  static void transpose(Vec (&r)[width]) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < i; ++j) std::swap(r[i][j], r[j][i]);
    }
  }
};

template <std::size_t width>
struct Emulated32 : cpu::Lanes32Emulated<width> {
  using Base = cpu::Lanes32Emulated<width>;
  using typename Base::Vec;
  static Vec mul_hi(Vec a, Vec b) {
    return Base::map([&](std::size_t i) { return std::uint64_t{Base::get(a, i)} * Base::get(b, i) >> 32; });
  }
  static Vec merge_upper(Vec even, Vec odd) {
    return Base::map([&](std::size_t i) { return Base::get(i % 2 == 0 ? even : odd, i | 1); });
  }
  static void transpose(Vec (&r)[width]) {
    Vec t[width];
    for (std::size_t i = 0; i < width; ++i) {
      t[i] = Base::map([&](std::size_t j) { return Base::get(r[j], i); });
    }
    for (std::size_t i = 0; i < width; ++i) r[i] = t[i];
  }
};

}  // namespace
}  // namespace nttforge::testing
