// SPDX-License-Identifier: Apache-2.0
/* Driver of engines with loaded moduli (NAME_dma.sv) in C99, for bare metal or an operating system.
 *
 * A bus is four functions of the user: two for registers behind AXI4-Lite, two for DMA. Words in memory
 * are residues of ELEMENT bytes (4, or 8 for more than 32 bits), lane by lane, so that a frame is an array
 * of n of them. The driver allocates nothing: whoever calls gives room for what is sent.
 *
 *   nttf_open        checks identity and sizes of what answers at the bus
 *   nttf_load        loads a modulus with its twiddles into a set of an engine
 *   nttf_transform   one transform, from and to arrays in natural order (coefficients) and bit-reversed
 *                    order (values)
 *   nttf_begin, nttf_end   the same in two halves, so that frames of several engines are under way
 *
 * Registers, by byte address: 00 identity, 04 control (bit 0 flushes), 08 status (bit 0: a frame's or
 * table's end was wrong; bit 1: a residue was too large, or engine or set do not exist; bit 2: words are
 * inside), 0c n, 10 lanes, 14 engines times sets, 18 bits, 1c frames taken, 20 frames given.
 * Channels of words to the engines: 0 frames, 1 tables. `user` of a frame is TUSER: bit 0 is 1 for an
 * inverse transform, bits 8 to 15 are the set, bits 16 to 23 the engine. */
#ifndef NTTF_ENGINE_H
#define NTTF_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NTTF_FRAMES = 0, NTTF_TABLES = 1 };
enum {
  NTTF_OK = 0,
  NTTF_NOT_THERE = -1, /* no engines answer, or they have other sizes */
  NTTF_ARGUMENT = -2,  /* a modulus, root, engine or set that does not fit */
  NTTF_FAILED = -3     /* an error bit of the status is set */
};

typedef struct {
  void* context; /* handed to every function */
  uint32_t (*read)(void* context, uint32_t address);
  void (*write)(void* context, uint32_t address, uint32_t value);
  /* Sends words with TLAST on the last one, behind those begun before on the same channel. May return
   * before a frame is sent, but not before a table is: frames must not overtake it. */
  void (*send)(void* context, int channel, uint32_t user, const void* words, size_t bytes);
  /* Waits until so many bytes of results are in memory. */
  void (*receive)(void* context, void* words, size_t bytes);
} nttf_bus;

/* What the generator says of a design: NAME_layout.h. An entry of `table` is a lane of a row of twiddles:
 * -1 for one that is not used, else the index into the product tree, plus n for an inverse twiddle. */
typedef struct {
  uint32_t n, lanes, engines, sets, bits, element, rows;
  uint32_t barrett;           /* 0: Montgomery */
  uint32_t digit_bits, steps; /* Montgomery */
  uint32_t negacyclic;        /* 0: cyclic */
  const int32_t* table;       /* rows * lanes / 2 */
} nttf_layout;

typedef struct {
  nttf_bus bus;
  const nttf_layout* layout;
} nttf_engines;

/* a b mod q for a, b < q < 2^62. Compilers for 32-bit processors have no integers of 128 bits. */
static inline uint64_t nttf_multiply(uint64_t a, uint64_t b, uint64_t q) {
  if (q >> 32 == 0) return a * b % q;
#ifdef __SIZEOF_INT128__
  return (uint64_t)((unsigned __int128)a * b % q);
#else
  uint64_t result = 0;
  for (; b; b >>= 1) {
    if (b & 1) result = result + a >= q ? result + a - q : result + a;
    a = a + a >= q ? a + a - q : a + a;
  }
  return result;
#endif
}

static inline uint64_t nttf_power(uint64_t base, uint64_t exponent, uint64_t q) {
  uint64_t result = 1 % q;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = nttf_multiply(result, base, q);
    base = nttf_multiply(base, base, q);
  }
  return result;
}

static inline uint32_t nttf_reverse(uint32_t value, uint32_t bits) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < bits; i++) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

static inline void nttf_put(const nttf_engines* e, void* words, size_t at, uint64_t value) {
  if (e->layout->element == 8)
    ((uint64_t*)words)[at] = value;
  else
    ((uint32_t*)words)[at] = (uint32_t)value;
}

static inline uint64_t nttf_get(const nttf_engines* e, const void* words, size_t at) {
  return e->layout->element == 8 ? ((const uint64_t*)words)[at] : ((const uint32_t*)words)[at];
}

/* Bytes of a table as it is sent, and of a frame. */
static inline size_t nttf_table_bytes(const nttf_layout* l) {
  return (size_t)(5 + l->rows) * (l->lanes / 2) * l->element;
}
static inline size_t nttf_frame_bytes(const nttf_layout* l) { return (size_t)l->n * l->element; }

static inline int nttf_open(nttf_engines* e, nttf_bus bus, const nttf_layout* layout) {
  e->bus = bus;
  e->layout = layout;
  const uint32_t wanted[] = {layout->n, layout->lanes, layout->engines * layout->sets, layout->bits};
  if (bus.read(bus.context, 0x00) != 0x4e545446) return NTTF_NOT_THERE;
  for (uint32_t i = 0; i < 4; i++)
    if (bus.read(bus.context, 0x0c + 4 * i) != wanted[i]) return NTTF_NOT_THERE;
  bus.write(bus.context, 0x04, 1); /* a flush, then the errors before it */
  bus.write(bus.context, 0x08, 3);
  return NTTF_OK;
}

/* NTTF_OK, or NTTF_FAILED where an error was seen since nttf_open. */
static inline int nttf_status(const nttf_engines* e) {
  return (e->bus.read(e->bus.context, 0x08) & 3) ? NTTF_FAILED : NTTF_OK;
}

/* Loads the prime q into a set; `root` is psi, a primitive 2n-th root of unity modulo q (cyclic: omega, an
 * n-th one). No frame of this set may be under way. `powers`: room for n numbers; `words`: room for
 * nttf_table_bytes. */
static inline int nttf_load(const nttf_engines* e, uint32_t engine, uint32_t set, uint64_t q, uint64_t root,
                            uint64_t* powers, void* words) {
  const nttf_layout* l = e->layout;
  const uint32_t half = l->lanes / 2, order = l->negacyclic ? 2 * l->n : l->n;
  uint32_t log_n = 0;
  while (l->n >> (log_n + 1)) log_n++;
  if (engine >= l->engines || set >= l->sets || q >> l->bits || q % order != 1) return NTTF_ARGUMENT;
  if (l->barrett && !(q >> (l->bits - 1))) return NTTF_ARGUMENT;
  if (nttf_power(root, order / 2, q) != q - 1) return NTTF_ARGUMENT;

  const uint64_t mask = ((uint64_t)1 << l->bits) - 1;
  uint64_t low = 0, high = 0, factor = 1; /* the constant of the reduction: low bits, and those above */
  if (l->barrett) {
    uint64_t rest = 1; /* 2^(2 bits + 3) / q, bit by bit */
    for (uint32_t i = 0; i < 2 * l->bits + 3; i++) {
      rest += rest;
      low += low + (rest >= q);
      if (rest >= q) rest -= q;
      high += high + (low >> l->bits);
      low &= mask;
    }
  } else {
    uint64_t inverse = 1; /* of q modulo a power of two, by Newton */
    for (int i = 0; i < 6; i++) inverse *= 2 - q * inverse;
    low = inverse & (((uint64_t)1 << l->digit_bits) - 1);
    factor = nttf_power(2, (uint64_t)l->steps * l->digit_bits, q);
  }
  const uint64_t header[5] = {engine, set, q, low, high};
  for (uint32_t w = 0; w < 5; w++)
    for (uint32_t b = 0; b < half; b++) nttf_put(e, words, (size_t)w * half + b, b ? 0 : header[w]);

  /* Entry m + i of the product tree is the root to the power (2 rev(i) + 1) n / (2 m), or in the cyclic ring
   * rev(i) n / (2 m); an inverse twiddle carries 1/2. */
  uint64_t power = factor % q;
  for (uint32_t k = 0; k < l->n; k++, power = nttf_multiply(power, root, q)) powers[k] = power;
  for (uint32_t r = 0; r < l->rows * half; r++) {
    uint64_t value = 0;
    if (l->table[r] >= 0) {
      const uint32_t inverse = (uint32_t)l->table[r] >= l->n;
      const uint32_t index = (uint32_t)l->table[r] - (inverse ? l->n : 0);
      uint32_t bits = 0;
      while (index >> (bits + 1)) bits++;
      const uint32_t m = 1u << bits, i = nttf_reverse(index - m, bits);
      const uint32_t exponent = l->negacyclic ? (2 * i + 1) * (l->n / 2 / m) : i * (l->n / 2 / m);
      value = powers[exponent];
      if (inverse) { /* root^-e = -root^(order/2 - e), for e > 0 */
        value = exponent ? q - powers[order / 2 - exponent] : powers[0];
        value = (value & 1) ? (value >> 1) + (q >> 1) + 1 : value >> 1;
      }
    }
    nttf_put(e, words, (size_t)5 * half + r, value);
  }
  e->bus.send(e->bus.context, NTTF_TABLES, 0, words, nttf_table_bytes(l));
  return NTTF_OK;
}

/* Begins the transform of n residues below the set's q; `frame`: room for nttf_frame_bytes until nttf_end.
 * As many frames may be begun as the user has room for. */
static inline int nttf_begin(const nttf_engines* e, uint32_t engine, uint32_t set, int inverse,
                             const uint64_t* in, void* frame) {
  const nttf_layout* l = e->layout;
  const uint32_t words = l->n / l->lanes;
  if (engine >= l->engines || set >= l->sets) return NTTF_ARGUMENT;
  for (uint32_t k = 0; k < l->n; k++) /* lane k % lanes of word k / lanes */
    nttf_put(e, frame, k, in[inverse ? k : (k % l->lanes) * words + k / l->lanes]);
  e->bus.send(e->bus.context, NTTF_FRAMES, (inverse ? 1u : 0u) | set << 8 | engine << 16, frame,
              nttf_frame_bytes(l));
  return NTTF_OK;
}

/* Waits for the result of the oldest frame, which had this direction. */
static inline int nttf_end(const nttf_engines* e, int inverse, uint64_t* out, void* frame) {
  const nttf_layout* l = e->layout;
  const uint32_t words = l->n / l->lanes;
  e->bus.receive(e->bus.context, frame, nttf_frame_bytes(l));
  for (uint32_t k = 0; k < l->n; k++)
    out[inverse ? (k % l->lanes) * words + k / l->lanes : k] = nttf_get(e, frame, k);
  return NTTF_OK;
}

static inline int nttf_transform(const nttf_engines* e, uint32_t engine, uint32_t set, int inverse,
                                 const uint64_t* in, uint64_t* out, void* frame) {
  const int begun = nttf_begin(e, engine, set, inverse, in, frame);
  if (begun != NTTF_OK) return begun;
  nttf_end(e, inverse, out, frame);
  return nttf_status(e);
}

#ifdef __cplusplus
}
#endif
#endif
