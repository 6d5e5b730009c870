// SPDX-License-Identifier: Apache-2.0
// Firmware of the SoC in soc.py, bare metal on RV32IM: loads every modulus of answers.h into the engines,
// transforms the frames there in both directions, compares with the known answers, and prints PASS or FAIL
// on the UART. The lights show the verdict: all on is PASS, every second one is FAIL.
// soc.h has addresses, answers.h the moduli, their roots and what transforms must give.
#include <stddef.h>
#include <stdint.h>

#include "answers.h"
#include "ntt_layout.h"
#include "soc.h"

#define REGISTER(address) (*(volatile uint32_t*)(uintptr_t)(address))

enum { N = ANSWERS_N, TABLE_WORDS = (5 + ANSWERS_ROWS) * (ANSWERS_LANES / 2) };

static uint64_t powers[N], in[N], out[N];
static uint32_t words[TABLE_WORDS > N ? TABLE_WORDS : N];

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

static void bus_send(void* context, int channel, uint32_t user, const void* from, size_t bytes) {
  (void)context;
  REGISTER(NTT_SEND_USER) = user;
  REGISTER(NTT_SEND_TABLE) = channel == NTTF_TABLES;
  REGISTER(NTT_SEND_BASE) = (uint32_t)(uintptr_t)from;
  REGISTER(NTT_SEND_BYTES) = (uint32_t)bytes;
  REGISTER(NTT_SEND_ENABLE) = 1;
  while (!REGISTER(NTT_SEND_DONE)) {
  }
  REGISTER(NTT_SEND_ENABLE) = 0;
}

static void bus_receive(void* context, void* to, size_t bytes) {
  (void)context;
  REGISTER(NTT_RECEIVE_BASE) = (uint32_t)(uintptr_t)to;
  REGISTER(NTT_RECEIVE_BYTES) = (uint32_t)bytes;
  REGISTER(NTT_RECEIVE_ENABLE) = 1;
  while (!REGISTER(NTT_RECEIVE_DONE)) {
  }
  REGISTER(NTT_RECEIVE_ENABLE) = 0;
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

int main(void) {
  nttf_engines engines;
  const nttf_bus bus = {NULL, bus_read, bus_write, bus_send, bus_receive};
  uint32_t errors = 0;
  print("nttforge on ECP5, n = ");
  print_number(N);
  print(", clock ");
  print_number(CLOCK_HZ / 1000000u);
  print(" MHz\n");
  if (nttf_open(&engines, bus, &ntt_layout) != NTTF_OK) {
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
  if (!errors) { /* once more, to see how long it takes */
    const uint32_t begun = REGISTER(NTT_CYCLES);
    errors += nttf_begin(&engines, 0, 0, 0, in, words) != NTTF_OK;
    const uint32_t sent = REGISTER(NTT_CYCLES);
    bus.receive(NULL, words, nttf_frame_bytes(&ntt_layout));
    const uint32_t received = REGISTER(NTT_CYCLES);
    print("cycles: ");
    print_number(sent - begun);
    print(" to arrange and send a frame, ");
    print_number(received - sent);
    print(" until its result is there\n");
  }
  REGISTER(LIGHTS_OUT) = errors ? 0x55 : 0xff;
  print(errors ? "FAIL\n" : "PASS\n");
  return 0;
}
