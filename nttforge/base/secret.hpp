#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace nttforge {

/// Overwrites memory with zeros in a way the compiler may not remove.
void secure_zero(void* data, std::size_t bytes);

/// Fills from the operating system's generator (getrandom). throws UnsupportedError if there is none.
void os_random(std::span<std::uint8_t> out);

}  // namespace nttforge
