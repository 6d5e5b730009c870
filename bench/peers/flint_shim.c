// SPDX-License-Identifier: Apache-2.0
#include "flint_shim.h"

#include <flint/fft_small.h>
#include <flint/flint.h>
#include <flint/nmod.h>
#include <math.h>
#include <stdlib.h>

struct FlintTransform {
  sd_fft_ctx_t context;
  unsigned log_n;
};

FlintTransform* flint_transform_create(unsigned long q, unsigned log_n) {
  FlintTransform* transform = (FlintTransform*)malloc(sizeof(FlintTransform));
  sd_fft_ctx_init_prime(transform->context, q);
  sd_fft_ctx_fit_depth(transform->context, log_n);
  transform->log_n = log_n;
  return transform;
}

void flint_transform_destroy(FlintTransform* transform) {
  sd_fft_ctx_clear(transform->context);
  free(transform);
}

void flint_transform_forward(FlintTransform* transform, double* x) {
  const ulong n = 1UL << transform->log_n;
  sd_fft_trunc(transform->context, x, transform->log_n, n, n);
}

void flint_transform_inverse(FlintTransform* transform, double* x) {
  sd_ifft_trunc(transform->context, x, transform->log_n, 1UL << transform->log_n);
}

void flint_transform_multiply(FlintTransform* transform, double* a, const double* b) {
  const nmod_t mod = transform->context->mod;
  sd_fft_ctx_point_mul(transform->context, a, b, nmod_inv(1UL << transform->log_n, mod), transform->log_n);
}

unsigned long flint_transform_reduce(FlintTransform* transform, double x) {
  const double q = transform->context->p;
  const double r = fmod(x, q);  // exact
  return (unsigned long)(r < 0 ? r + q : r);
}

const char* flint_library_version(void) { return FLINT_VERSION; }
