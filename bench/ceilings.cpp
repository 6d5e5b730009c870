// SPDX-License-Identifier: Apache-2.0
#include "bench/ceilings.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <chrono>

#include "bench/clock.hpp"
#include "bench/measure.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/aligned_buffer.hpp"

namespace nttforge::bench {
namespace {

using Loop = void (*)(std::size_t rounds);

constexpr std::size_t kPerRound = 12 * 8;

// Twelve accumulators and two sources; the assembler repeats the text, \r being the number of the
// accumulator.
#define NTTF_LOOP(vector, text)                                                                             \
  [](std::size_t rounds) {                                                                                  \
    asm volatile(                                                                                           \
        ".irp r, 0,1,2,3,4,5,6,7,8,9,10,11,12,13\n\tvpxor %%xmm\\r, %%xmm\\r, %%xmm\\r\n\t.endr\n\t"        \
        "1:\n\t.rept 8\n\t.irp r, 0,1,2,3,4,5,6,7,8,9,10,11\n\t" text                                       \
        "\n\t.endr\n\t.endr\n\tdec %0\n\tjnz 1b\n\tvzeroupper"                                              \
        : "+r"(rounds)                                                                                      \
        :                                                                                                   \
        : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
          "xmm12", "xmm13", "cc");                                                                          \
  }

struct Instruction {
  const char* name;
  unsigned vector_bits;
  Loop loop;
};

#define NTTF_BOTH(name, operands512, operands256) \
  {name, 512, NTTF_LOOP("zmm", name " " operands512)}, { name, 256, NTTF_LOOP("ymm", name " " operands256) }
#define NTTF_THREE(name) NTTF_BOTH(name, "%%zmm13, %%zmm12, %%zmm\\r", "%%ymm13, %%ymm12, %%ymm\\r")

const Instruction kInstructions[] = {
    {"vpmadd52luq", 512, NTTF_LOOP("zmm", "vpmadd52luq %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpmadd52huq", 512, NTTF_LOOP("zmm", "vpmadd52huq %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpmullq", 512, NTTF_LOOP("zmm", "vpmullq %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpminuq", 512, NTTF_LOOP("zmm", "vpminuq %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpermq", 512, NTTF_LOOP("zmm", "vpermq %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpermt2q", 512, NTTF_LOOP("zmm", "vpermt2q %%zmm13, %%zmm12, %%zmm\\r")},
    {"vshufi64x2", 512, NTTF_LOOP("zmm", "vshufi64x2 $0x44, %%zmm13, %%zmm12, %%zmm\\r")},
    {"vpandq", 512, NTTF_LOOP("zmm", "vpandq %%zmm13, %%zmm12, %%zmm\\r")},
    NTTF_THREE("vpmuludq"),
    NTTF_THREE("vpmulld"),
    NTTF_THREE("vpaddq"),
    NTTF_THREE("vpsubq"),
    NTTF_THREE("vpaddd"),
    NTTF_THREE("vpminud"),
    NTTF_THREE("vpunpcklqdq"),
    NTTF_BOTH("vpsrlq", "$32, %%zmm12, %%zmm\\r", "$32, %%ymm12, %%ymm\\r"),
    NTTF_THREE("vfmadd231pd"),
    NTTF_THREE("vaddpd"),
    NTTF_THREE("vmulpd"),
    {"vroundpd", 256, NTTF_LOOP("ymm", "vroundpd $0, %%ymm12, %%ymm\\r")},
    {"vrndscalepd", 512, NTTF_LOOP("zmm", "vrndscalepd $0, %%zmm12, %%zmm\\r")},
    {"vpand", 256, NTTF_LOOP("ymm", "vpand %%ymm13, %%ymm12, %%ymm\\r")},
    {"vpcmpgtq", 256, NTTF_LOOP("ymm", "vpcmpgtq %%ymm13, %%ymm12, %%ymm\\r")},
    {"vpermq (ymm)", 256, NTTF_LOOP("ymm", "vpermq $0x4e, %%ymm12, %%ymm\\r")},
    {"vperm2i128", 256, NTTF_LOOP("ymm", "vperm2i128 $0x20, %%ymm13, %%ymm12, %%ymm\\r")},
};
#undef NTTF_THREE
#undef NTTF_BOTH
#undef NTTF_LOOP

/// mul: 64 x 64 -> 128 bits, independent.
void scalar_multiplications(std::size_t rounds) {
  asm volatile("1:\n\t.rept 24\n\tmov %%rdx, %%rax\n\tmul %%rdx\n\tmov %1, %%rdx\n\t.endr\n\tdec %0\n\tjnz 1b"
               : "+r"(rounds)
               : "r"(std::uint64_t{12345678901})
               : "rax", "rdx", "cc");
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// One pass over memory, eight vectors a round.
#define NTTF_PASS(body)                                                                                     \
  asm volatile("1:\n\t" body "\n\tadd %4, %0\n\tadd %4, %1\n\tadd %4, %2\n\tdec %3\n\tjnz 1b\n\tvzeroupper" \
               : "+r"(a), "+r"(b), "+r"(c), "+r"(rounds)                                                    \
               : "r"(step)                                                                                  \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "memory", "cc")

#define NTTF_LANES(R, S)                                                                                  \
  if (access == "read") {                                                                                 \
    NTTF_PASS(".irp r,0,1,2,3,4,5,6,7\n\tvmovaps " S "*\\r(%0), %%" R "\\r\n\t.endr");                    \
  } else if (access == "write") {                                                                         \
    NTTF_PASS(".irp r,0,1,2,3,4,5,6,7\n\tvmovaps %%" R "8, " S "*\\r(%0)\n\t.endr");                      \
  } else if (access == "in place") {                                                                      \
    NTTF_PASS(".irp r,0,1,2,3,4,5,6,7\n\tvaddpd " S "*\\r(%0), %%" R "8, %%" R "\\r\n\tvmovaps %%" R      \
              "\\r, " S "*\\r(%0)\n\t.endr");                                                             \
  } else if (access == "add") {                                                                           \
    NTTF_PASS(".irp r,0,1,2,3,4,5,6,7\n\tvmovaps " S "*\\r(%0), %%" R "\\r\n\tvaddpd " S "*\\r(%1), %%" R \
              "\\r, %%" R "\\r\n\tvmovaps %%" R "\\r, " S "*\\r(%2)\n\t.endr");                           \
  } else {                                                                                                \
    NTTF_PASS(".irp r,0,1,2,3,4,5,6,7\n\tvmovaps " S "*\\r(%0), %%" R "\\r\n\tvaddpd " S "*\\r(%1), %%" R \
              "\\r, %%" R "\\r\n\tvmovaps %%" R "\\r, " S "*\\r(%0)\n\t.endr");                           \
  }

void pass(const std::string& access, unsigned vector_bits, const char* a, const char* b, const char* c,
          std::size_t rounds) {
  const std::size_t step = vector_bits;  // eight vectors, in bytes
  if (vector_bits == 512) {
    NTTF_LANES("zmm", "64")
  } else {
    NTTF_LANES("ymm", "32")
  }
}
#undef NTTF_LANES
#undef NTTF_PASS

}  // namespace

double clock_ghz() {
  double best = 0;
  for (int run = 0; run < 5; ++run) best = std::max(best, chain_ghz(4000));
  return best;
}

double tsc_ghz() {
  const double begin = seconds_now();
  const std::uint64_t ticks = __rdtsc();
  while (seconds_now() - begin < 0.02) {
  }
  return static_cast<double>(__rdtsc() - ticks) / (seconds_now() - begin) * 1e-9;
}

std::vector<InstructionRate> instruction_rates(unsigned vector_bits, unsigned runs) {
  std::vector<InstructionRate> rates;
  const auto rate = [&](const char* name, Loop loop, double per_round) {
    constexpr std::size_t kRounds = 4000;
    loop(kRounds);  // the clock settles
    InstructionRate best{name, vector_bits, 0, 0};
    for (unsigned run = 0; run < runs; ++run) {
      const double begin = seconds_now();
      loop(kRounds);
      const double per_ns = per_round * kRounds / (seconds_now() - begin) * 1e-9;
      const double ghz = chain_ghz(500);
      // A run that was interrupted has a low rate or a low clock: neither is kept.
      if (per_ns > best.per_cycle * best.ghz)
        best = {name, vector_bits, per_ns / std::max(ghz, best.ghz), std::max(ghz, best.ghz)};
    }
    rates.push_back(best);
  };
  if (vector_bits == 64) {
    rate("mul", scalar_multiplications, 24);
    return rates;
  }
  for (const Instruction& instruction : kInstructions) {
    if (instruction.vector_bits == vector_bits) rate(instruction.name, instruction.loop, kPerRound);
  }
  return rates;
}

Bandwidth bandwidth(const std::string& access, unsigned vector_bits, std::size_t bytes, unsigned runs) {
  const std::size_t arrays = access == "add" ? 3 : access == "add in place" ? 2 : 1;
  const std::size_t part = bytes / arrays / vector_bits * vector_bits;  // whole rounds
  if (part == 0) throw ParameterError("bandwidth over " + std::to_string(bytes) + " bytes: too few");
  // Arrays do not start at the same offset of a page.
  const std::size_t stride = (part / 4096 + 1) * 4096 + 1024;
  AlignedBuffer<char> memory(arrays * stride);
  std::fill(memory.data(), memory.data() + arrays * stride, char{0});
  const char* const base = memory.data();
  const auto body = [&] {
    pass(access, vector_bits, base, base + (arrays > 1 ? stride : 0), base + (arrays > 2 ? 2 * stride : 0),
         part / vector_bits);
  };
  const Timing timing = measure(body, runs, 100);
  const double streams = access == "read" || access == "write" ? 1 : access == "in place" ? 2 : 3;
  const double moved = streams * static_cast<double>(part);
  return {access,
          vector_bits,
          part * arrays,
          moved / timing.min_ns * 1e9,
          moved / timing.min_ns / clock_ghz(),
          timing.min_ns};
}

}  // namespace nttforge::bench
