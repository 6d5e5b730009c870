// SPDX-License-Identifier: Apache-2.0
#pragma once

// FLINT's fft_small header is C only (_Atomic): this shim calls it, the adapter beside it is C++.

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FlintTransform FlintTransform;

FlintTransform* flint_transform_create(unsigned long q, unsigned log_n);
void flint_transform_destroy(FlintTransform* transform);
/// Cyclic, in place; doubles in FLINT's own order and range.
void flint_transform_forward(FlintTransform* transform, double* x);
/// n times the inverse.
void flint_transform_inverse(FlintTransform* transform, double* x);
/// a = a * b / n, pointwise.
void flint_transform_multiply(FlintTransform* transform, double* a, const double* b);
/// The word of one output of the inverse, in [0, q).
unsigned long flint_transform_reduce(FlintTransform* transform, double x);
const char* flint_library_version(void);

#ifdef __cplusplus
}
#endif
