// SPDX-License-Identifier: Apache-2.0
/* Number theoretic transforms for C99 and everything that calls C; docs/c.md is the guide.
 *
 * Every function that can fail returns a status; nttforge_last_error() says why. After an error the arrays
 * and pointers to results are as before the call. A null pointer is an error where nothing else is said. No
 * exception leaves a function. Plans are immutable: any number of threads may use one at a time, on distinct
 * outputs; nttforge_plan_destroy() comes after the last use. */
#ifndef NTTFORGE_H
#define NTTFORGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What functions return that can fail. */
typedef enum nttforge_status {
  NTTFORGE_OK = 0,
  NTTFORGE_INVALID = 1,     /* a value is outside its range */
  NTTFORGE_SIZE = 2,        /* an array has the wrong size, or arrays overlap */
  NTTFORGE_UNSUPPORTED = 3, /* this build or machine cannot do it */
  NTTFORGE_FORMAT = 4,      /* text that does not parse */
  NTTFORGE_MEMORY = 5,      /* not enough memory */
  NTTFORGE_FAILED = 6       /* anything else */
} nttforge_status;

/* Why the last call of this thread that failed did so: field, value, what is allowed. Valid until the next
 * failure on the thread; "" before the first. */
const char* nttforge_last_error(void);

/* "0.1.0" */
const char* nttforge_version(void);

/* Raised when a program compiled for a lower number would no longer work; the shared library has it in its
 * name, libnttforge_c.so.1. New functions and fields at the end of nttforge_spec do not raise it. */
#define NTTFORGE_ABI_VERSION 1
/* NTTFORGE_ABI_VERSION of the library that runs. */
int nttforge_abi_version(void);

/* The instruction set that plans use unless told otherwise, e.g. "avx2"; NTTFORGE_TARGET forces one. */
nttforge_status nttforge_active_target(const char** name);

/* Takes the memory of tables and arrays of all plans from these functions; small objects come from the C++
 * library. Once per process, before anything else is called: later it is NTTFORGE_INVALID. The functions are
 * called from any thread; allocate returns `bytes` bytes at a multiple of `alignment`, or null. */
nttforge_status nttforge_set_allocator(void* (*allocate)(size_t bytes, size_t alignment, void* user),
                                       void (*release)(void* memory, size_t bytes, size_t alignment,
                                                       void* user),
                                       void* user);

/* The `count` largest primes below 2^bits, of `bits` bits (2 to 62), that carry negacyclic transforms of n.
 */
nttforge_status nttforge_ntt_primes(size_t n, unsigned bits, size_t count, uint64_t* primes);

/* X^n + 1, or X^n - 1. */
typedef enum nttforge_ring { NTTFORGE_NEGACYCLIC = 0, NTTFORGE_CYCLIC = 1 } nttforge_ring;
/* Of coefficients, or of values. */
typedef enum nttforge_order { NTTFORGE_NATURAL = 0, NTTFORGE_BIT_REVERSED = 1 } nttforge_order;

/* What is transformed. `nttforge_spec spec = NTTFORGE_SPEC_INIT;` leaves n, moduli and limbs to be set. Later
 * versions may add fields at the end: struct_size tells the library which ones the program knows. */
typedef struct nttforge_spec {
  size_t struct_size;     /* sizeof(nttforge_spec) */
  size_t n;               /* power of two, 1 to 2^24 */
  const uint64_t* moduli; /* [limbs] primes */
  size_t limbs;
  const uint64_t* roots; /* [limbs] psi (cyclic: omega); null: the smallest of each prime */
  int ring;              /* nttforge_ring; default negacyclic */
  int input_order;       /* nttforge_order of coefficients; default natural */
  int output_order;      /* nttforge_order of values; default bit-reversed */
  unsigned word_bits;    /* 64 (default) or 32, which needs primes below 2^32 */
  /* 0 (default): the complete transform. Else one of so few layers, 1 to log2(n), for primes that carry no
   * more (ML-KEM: n = 256, q = 3329, layers = 7): the residues modulo the 2^layers factors X^d - gamma of
   * X^n + 1 (or X^n - 1), d = n / 2^layers words each, lowest degree first, factors in output_order. roots
   * are the zetas, of order 2^(layers + 1) (cyclic: 2^layers); nttforge_multiply() is the base product. */
  unsigned layers;
} nttforge_spec;
#define NTTFORGE_SPEC_INIT                                                          \
  {sizeof(nttforge_spec), 0,  NULL, 0, NULL, NTTFORGE_NEGACYCLIC, NTTFORGE_NATURAL, \
   NTTFORGE_BIT_REVERSED, 64, 0}

/* A transform that is ready to run. */
typedef struct nttforge_plan nttforge_plan;

/* A plan with the recipe that is predicted to be fastest here. threads: 1 to 1024; 0: one per CPU. */
nttforge_status nttforge_plan_create(const nttforge_spec* spec, unsigned threads, nttforge_plan** plan);
/* A plan with a recipe as JSON text, of nttforge_plan_recipe() or `nttforge plan`. */
nttforge_status nttforge_plan_create_from_recipe(const nttforge_spec* spec, const char* recipe,
                                                 nttforge_plan** plan);
/* Null: nothing happens. */
void nttforge_plan_destroy(nttforge_plan* plan);
/* The recipe as JSON text, which lives as long as the plan. */
nttforge_status nttforge_plan_recipe(const nttforge_plan* plan, const char** recipe);
/* psi (cyclic: omega) of a limb. */
nttforge_status nttforge_plan_root(const nttforge_plan* plan, size_t limb, uint64_t* root);

/* Arrays are [batch][limbs][n], `words` words each, residues in [0, q) of their limb, which is trusted. in
 * and out are the same array or disjoint. Functions ending in 32 are for plans of 32-bit words. */
nttforge_status nttforge_forward(const nttforge_plan* plan, const uint64_t* in, uint64_t* out, size_t words);
nttforge_status nttforge_inverse(const nttforge_plan* plan, const uint64_t* in, uint64_t* out, size_t words);
nttforge_status nttforge_forward32(const nttforge_plan* plan, const uint32_t* in, uint32_t* out,
                                   size_t words);
nttforge_status nttforge_inverse32(const nttforge_plan* plan, const uint32_t* in, uint32_t* out,
                                   size_t words);

/* out = a b, residue by residue; with layers the product of residues modulo each factor. */
nttforge_status nttforge_multiply(const nttforge_plan* plan, const uint64_t* a, const uint64_t* b,
                                  uint64_t* out, size_t words);
nttforge_status nttforge_multiply32(const nttforge_plan* plan, const uint32_t* a, const uint32_t* b,
                                    uint32_t* out, size_t words);
/* sum = sum + a b, residue by residue. */
nttforge_status nttforge_multiply_accumulate(const nttforge_plan* plan, const uint64_t* a, const uint64_t* b,
                                             uint64_t* sum, size_t words);
nttforge_status nttforge_multiply_accumulate32(const nttforge_plan* plan, const uint32_t* a,
                                               const uint32_t* b, uint32_t* sum, size_t words);

/* out = a b in the ring, all as coefficients. workspace: `words` words that overlap nothing. */
nttforge_status nttforge_polynomial_product(const nttforge_plan* plan, const uint64_t* a, const uint64_t* b,
                                            uint64_t* out, uint64_t* workspace, size_t words);
nttforge_status nttforge_polynomial_product32(const nttforge_plan* plan, const uint32_t* a, const uint32_t* b,
                                              uint32_t* out, uint32_t* workspace, size_t words);

/* NTTFORGE_INVALID, naming the first residue that is not in [0, q). */
nttforge_status nttforge_require_reduced(const nttforge_plan* plan, const uint64_t* x, size_t words);
nttforge_status nttforge_require_reduced32(const nttforge_plan* plan, const uint32_t* x, size_t words);

#ifdef __cplusplus
}
#endif

#endif /* NTTFORGE_H */
