// SPDX-License-Identifier: Apache-2.0
// Offers an RtlModel at a pipe. A request is a byte and its operands, 32-bit words, lowest byte first:
//   r address            -> the register's value, 32 bits
//   w address value      -> nothing
//   s channel user bytes, then so many bytes -> nothing: RtlModel::send
//   g bytes              -> so many bytes of results
//   c                    -> cycles so far, 64 bits
// The end of the input ends the program, with 0.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "rtl_model.hpp"

namespace {

bool take(void* to, std::size_t bytes) { return std::fread(to, 1, bytes, stdin) == bytes; }

std::uint32_t word() {
  std::uint32_t value = 0;
  if (!take(&value, sizeof value)) throw std::runtime_error("a request ends too early");
  return value;
}

void give(const void* from, std::size_t bytes) {
  std::fwrite(from, 1, bytes, stdout);
  std::fflush(stdout);
}

}  // namespace

int main() {
  try {
    RtlModel model;
    std::vector<std::uint8_t> buffer;
    for (std::uint8_t request = 0; take(&request, 1);) {
      if (request == 'r') {
        const std::uint32_t value = model.read(word());
        give(&value, sizeof value);
      } else if (request == 'w') {
        const std::uint32_t address = word();
        model.write(address, word());
      } else if (request == 's') {
        const std::uint32_t channel = word(), user = word();
        buffer.resize(word());
        if (channel > 1 || !take(buffer.data(), buffer.size())) throw std::runtime_error("a wrong transfer");
        model.send(static_cast<int>(channel), user, buffer.data(), buffer.size());
      } else if (request == 'g') {
        buffer.resize(word());
        model.receive(buffer.data(), buffer.size());
        give(buffer.data(), buffer.size());
      } else if (request == 'c') {
        const std::uint64_t cycles = model.cycles();
        give(&cycles, sizeof cycles);
      } else {
        throw std::runtime_error("an unknown request");
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
