#include "nttforge/cuda/product.hpp"
#include "nttforge/cuda/rows_dgt.hpp"

NTTF_DEFINE_HOST_PRODUCTS(DgtRows62)
