// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/memory/secret.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("secret: secure_zero clears exactly the bytes asked for") {
  std::array<std::uint8_t, 64> data{};
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t size = 0; size + begin <= data.size(); ++size) {
      data.fill(0xAB);
      secure_zero(data.data() + begin, size);
      for (std::size_t i = 0; i < data.size(); ++i) {
        const bool inside = i >= begin && i < begin + size;
        NTTF_CHECK_EQ(unsigned{data[i]}, inside ? 0u : 0xABu);
      }
    }
  }
  secure_zero(nullptr, 0);
}

NTTF_TEST("secret: the system's random bytes fill any length and differ between calls") {
  for (const std::size_t size : {0, 1, 32, 255, 256, 257, 1000}) {
    std::vector<std::uint8_t> first(size + 1, 0), second(size + 1, 0);
    os_random({first.data(), size});
    os_random({second.data(), size});
    NTTF_CHECK_EQ(unsigned{first[size]}, 0u);
    if (size >= 32) {
      NTTF_CHECK(first != second);
      // The last 32 bytes are not all zero: every part of the request was filled.
      NTTF_CHECK(std::any_of(first.end() - 33, first.end() - 1, [](std::uint8_t byte) { return byte != 0; }));
    }
  }
}
