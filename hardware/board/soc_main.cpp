// SPDX-License-Identifier: Apache-2.0
// The whole SoC in Verilator: runs the clock, prints what the UART sends, and ends with PASS (exit code 0),
// with FAIL (1), or after too many cycles (2). Arguments: cycles of a bit of the UART, and the most cycles to
// run.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vprogram.h"
#include "verilated.h"

namespace {

// A receiver of 8 bits with one start and one stop bit.
class Uart {
 public:
  explicit Uart(std::uint64_t bit) : bit_(bit) {}

  // The byte that is complete in this cycle, or -1.
  int take(bool level) {
    if (!receiving_) {
      receiving_ = !level;
      waited_ = 0;
      byte_ = 0;
      return -1;
    }
    waited_++;
    const std::uint64_t index = waited_ / bit_;
    if (waited_ % bit_ != bit_ / 2) return -1;
    if (index == 0) {  // a start bit is still there in its middle, what a reset leaves is not
      receiving_ = !level;
      return -1;
    }
    if (index <= 8) byte_ |= static_cast<int>(level) << (index - 1);
    if (index < 9) return -1;
    receiving_ = false;
    return byte_;
  }

 private:
  std::uint64_t bit_, waited_ = 0;
  bool receiving_ = false;
  int byte_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  Uart uart(std::strtoull(arguments[1], nullptr, 10));
  const std::uint64_t most = std::strtoull(arguments[2], nullptr, 10);
  VerilatedContext context;
  Vprogram top(&context);
  top.serial_rx = 1;
  top.user_btn1 = 0;
  std::string line;
  for (std::uint64_t cycle = 0; cycle < most; cycle++) {
    for (const int level : {0, 1}) {
      top.clk25 = static_cast<std::uint8_t>(level);
      top.eval();
    }
    const int byte = uart.take(top.serial_tx);
    if (byte < 0 || byte == '\r') continue;
    if (byte != '\n') {
      line += static_cast<char>(byte);
      continue;
    }
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
    if (line == "PASS" || line == "FAIL") {
      std::printf("%llu cycles\n", static_cast<unsigned long long>(cycle));
      return line == "FAIL";
    }
    line.clear();
  }
  std::printf("no verdict in %llu cycles; the line begun: %s\n", static_cast<unsigned long long>(most),
              line.c_str());
  return 2;
}
