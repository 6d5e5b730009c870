// SPDX-License-Identifier: Apache-2.0
// Firmware of the SoC in soc.py, bare metal on RV32IM: loads every modulus of answers.h into the engines,
// transforms the frames there in both directions, compares with the known answers, times a row of frames that
// ends with an interrupt, and prints PASS or FAIL on the UART. The lights show the verdict: all on is PASS, every second one is FAIL.
// soc.h has addresses, answers.h the moduli, their roots and what transforms must give.
#include <stddef.h>
#include <stdint.h>

#include "answers.h"
#include "nttf_burst.h"
#include "ntt_layout.h"
#include "soc.h"

#define REGISTER(address) (*(volatile uint32_t*)(uintptr_t)(address))

enum { N = ANSWERS_N, ROW = FRAMES_BYTES / (4 * N) };

static uint64_t powers[N], in[N], out[N];
static uint32_t pushed;
static volatile uint32_t interrupts, reasons;
/* The memory that engines read and write. A table needs less room than it has. */
static uint32_t* const words = (uint32_t*)(uintptr_t)FRAMES_BASE;
_Static_assert((5 + ANSWERS_ROWS) * (ANSWERS_LANES / 2) * 4 <= FRAMES_BYTES, "a table has no room");

int main(void);

__attribute__((naked, section(".start"), used)) void _start(void) {
  __asm__ volatile(
      "la sp, _stack\n"
      "la t0, _bss\n"
      "la t1, _bss_end\n"
      "1: bgeu t0, t1, 2f\n"
      "sw zero, 0(t0)\n"
      "addi t0, t0, 4\n"
      "j 1b\n"
      "2: call main\n"
      "3: j 3b\n");
}

static void put(char c) {
  while (REGISTER(UART_TXFULL)) {
  }
  REGISTER(UART_RXTX) = (uint8_t)c;
}

static void print(const char* text) {
  for (; *text; text++) {
    if (*text == '\n') put('\r');
    put(*text);
  }
}

static void print_number(uint32_t value) {
  char digits[11];
  int at = 10;
  digits[at] = 0;
  do digits[--at] = (char)('0' + value % 10);
  while (value /= 10);
  print(digits + at);
}

static uint32_t bus_read(void* context, uint32_t address) {
  (void)context;
  return REGISTER(ENGINES_BASE + address);
}

static void bus_write(void* context, uint32_t address, uint32_t value) {
  (void)context;
  REGISTER(ENGINES_BASE + address) = value;
}

static const nttf_bus bus;

/* Results go where frames were. What the CPU wrote is in memory before the engines are told, and read
 * after. */
static void bus_send(void* context, int channel, uint32_t user, const void* from, size_t bytes) {
  (void)context;
  (void)bytes;
  const uint32_t at = (uint32_t)(uintptr_t)from;
  __asm__ volatile("" ::: "memory");
  nttf_burst_push(&bus, at, at, channel == NTTF_TABLES ? NTTF_TABLE : user);
  pushed++;
  while (channel == NTTF_TABLES && nttf_burst_done(&bus) != pushed) {
  }
}

static void bus_receive(void* context, void* to, size_t bytes) {
  (void)context;
  (void)to;
  (void)bytes;
  while (nttf_burst_done(&bus) != pushed) {
  }
  __asm__ volatile("" ::: "memory");
}

static const nttf_bus bus = {NULL, bus_read, bus_write, bus_send, bus_receive};

#ifdef __riscv /* another compiler only reads this file, to check it */
__attribute__((interrupt("machine"), aligned(4)))
#endif
static void
trap(void) {
  const uint32_t found = nttf_burst_take(&bus);
  if (found) interrupts++;
  reasons |= found;
  (void)bus_read(NULL, 0x38); /* the interrupt is low before the trap ends */
}

static void listen(void) {
  __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
  __asm__ volatile("csrw 0xbc0, %0" ::"r"(1u << NTT_IRQ)); /* VexRiscv's mask */
  __asm__ volatile("csrw mie, %0" ::"r"(0x800u));
  __asm__ volatile("csrs mstatus, %0" ::"r"(8u));
  REGISTER(NTT_EV_ENABLE) = 1;
  nttf_burst_enable(&bus, NTTF_MARKED | NTTF_ERROR);
}

// The same numbers as those that answers.h was made from.
static void random_frame(uint32_t seed, uint32_t q) {
  uint32_t noise = seed;
  for (int k = 0; k < N; k++) {
    noise = noise * 1664525u + 1013904223u;
    in[k] = (uint64_t)noise * q >> 32;
  }
}

static uint32_t compare_frame(const nttf_engines* e, uint32_t set) {
  uint32_t errors = 0;
  random_frame(answers_seed[set], answers_modulus[set]);
  errors += nttf_transform(e, 0, set, 0, in, out, words) != NTTF_OK;
  for (int k = 0; k < N; k++) errors += out[k] != answers_values[set][k];
  errors += nttf_transform(e, 0, set, 1, out, out, words) != NTTF_OK;
  for (int k = 0; k < N; k++) errors += out[k] != in[k];
  return errors;
}

/* Cycles of the engines' clock from the first descriptor to the interrupt of the last one; in place. */
static uint32_t time_row(uint32_t frames) {
  const uint32_t before = interrupts, begun = REGISTER(NTT_CYCLES);
  for (uint32_t f = 0; f < frames; f++) {
    const uint32_t at = FRAMES_BASE + f * 4u * N;
    nttf_burst_push(&bus, at, at, f == frames - 1 ? NTTF_MARK : 0);
    pushed++;
  }
  while (interrupts == before) {
  }
  return REGISTER(NTT_CYCLES) - begun;
}

/* Frames of set 0 in a row, every result compared; first a frame that brings the code into the cache. */
static uint32_t row_of_frames(const nttf_engines* e) {
  uint32_t errors = 0, cycles[3];
  for (uint32_t pass = 0; pass < 3; pass++) {
    const uint32_t frames = pass == 2 ? ROW : 1;
    random_frame(answers_seed[0], answers_modulus[0]);
    for (uint32_t f = 0; f < frames; f++)
      for (uint32_t k = 0; k < N; k++) {
        const uint32_t from = k % ANSWERS_LANES * (N / ANSWERS_LANES) + k / ANSWERS_LANES;
        words[f * N + k] = (uint32_t)in[from];
      }
    __asm__ volatile("" ::: "memory");
    cycles[pass] = time_row(frames);
    __asm__ volatile("" ::: "memory");
    for (uint32_t f = 0; f < frames; f++)
      for (uint32_t k = 0; k < N; k++) errors += words[f * N + k] != answers_values[0][k];
  }
  errors += nttf_burst_done(&bus) != pushed || reasons != NTTF_MARKED || interrupts != 3;
  errors += nttf_status(e) != NTTF_OK || nttf_burst_status(&bus) != NTTF_OK;
  print("cycles of the engines: ");
  print_number(cycles[1]);
  print(" for one frame, ");
  print_number(cycles[2]);
  print(" for ");
  print_number(ROW);
  print(", one more in ");
  print_number((cycles[2] - cycles[1]) / (ROW - 1));
  print("\n");
  return errors;
}

int main(void) {
  nttf_engines engines;
  uint32_t errors = 0;
  print("nttforge on ECP5, n = ");
  print_number(N);
  print(", clock ");
  print_number(CLOCK_HZ / 1000000u);
  print(" MHz, engines ");
  print_number(ENGINE_HZ / 1000000u);
  print(" MHz\n");
  if (nttf_burst_open(&engines, bus, &ntt_layout) != NTTF_OK) {
    print("no engines answer\n");
    errors = 1;
  }
  for (uint32_t set = 0; !errors && set < ANSWERS_SETS; set++) {
    errors += nttf_load(&engines, 0, set, answers_modulus[set], answers_root[set], powers, words) != NTTF_OK;
    errors += compare_frame(&engines, set);
    print("q = ");
    print_number(answers_modulus[set]);
    print(": ");
    print_number(errors);
    print(" errors\n");
  }
  if (!errors) {
    listen();
    errors += row_of_frames(&engines);
  }
  REGISTER(LIGHTS_OUT) = errors ? 0x55 : 0xff;
  print(errors ? "FAIL\n" : "PASS\n");
  return 0;
}
