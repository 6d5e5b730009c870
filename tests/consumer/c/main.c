// SPDX-License-Identifier: Apache-2.0
/* A product from C, with memory of the program's own: what is taken must be given back. */
#include <stdio.h>
#include <stdlib.h>

#include "nttforge/nttforge.h"

struct counts {
  size_t taken, given_back;
};

/* The address of the whole block stands right before the aligned part. */
static void* take(size_t bytes, size_t alignment, void* user) {
  char* whole = malloc(bytes + alignment + sizeof(void*));
  uintptr_t at;
  if (whole == NULL) return NULL;
  at = ((uintptr_t)whole + sizeof(void*) + alignment - 1) & ~(uintptr_t)(alignment - 1);
  ((void**)at)[-1] = whole;
  ((struct counts*)user)->taken += bytes;
  return (void*)at;
}

static void give_back(void* memory, size_t bytes, size_t alignment, void* user) {
  (void)alignment;
  ((struct counts*)user)->given_back += bytes;
  free(((void**)memory)[-1]);
}

int main(void) {
  static struct counts counts;
  const uint64_t q = 17, a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  uint64_t product[4], workspace[4];
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  nttforge_plan* plan = NULL;
  int i;
  spec.n = 4;
  spec.moduli = &q;
  spec.limbs = 1;
  if (nttforge_set_allocator(take, give_back, &counts) != NTTFORGE_OK ||
      nttforge_plan_create(&spec, 1, &plan) != NTTFORGE_OK ||
      nttforge_polynomial_product(plan, a, b, product, workspace, 4) != NTTFORGE_OK) {
    fprintf(stderr, "%s\n", nttforge_last_error());
    return 1;
  }
  for (i = 0; i < 4; ++i) printf("%d ", (int)product[i]);
  nttforge_plan_destroy(plan);
  printf("\n%s\n",
         counts.taken > 0 && counts.taken == counts.given_back ? "all memory came back" : "memory lost");
  return 0;
}
