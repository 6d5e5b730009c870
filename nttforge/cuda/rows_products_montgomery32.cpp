#include "nttforge/cuda/product.hpp"
#include "nttforge/cuda/rows_montgomery32.hpp"

NTTF_DEFINE_HOST_PRODUCTS(Rows32)
