// Drives the clock of a testbench that ends with `done`; prints one JSON line.
#include <cstdio>

#include "Vtestbench.h"
#include "verilated.h"

int main(int argc, char** argv) {
  VerilatedContext context;
  context.commandArgs(argc, argv);
  Vtestbench bench{&context};
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
