// SPDX-License-Identifier: Apache-2.0
// Drives the clock of a testbench that ends with `done`; prints one JSON line.
// Arguments: stall (0 or 1) and seed.
#include <cstdio>
#include <cstdlib>

#include "Vtestbench.h"
#include "verilated.h"

int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  Vtestbench bench{&context};
  bench.stall = argc > 1 && std::atoi(argv[1]) != 0;
  bench.seed = argc > 2 ? static_cast<unsigned>(std::atol(argv[2])) : 1U;
  while (!bench.done && !context.gotFinish()) {
    bench.clk = 0;
    bench.eval();
    bench.clk = 1;
    bench.eval();
  }
  std::printf("{\"errors\": %u, \"latency_forward\": %u, \"latency_inverse\": %u, \"interval\": %u}\n",
              bench.errors, bench.latency_forward, bench.latency_inverse, bench.interval);
  return bench.errors == 0 ? 0 : 1;
}
