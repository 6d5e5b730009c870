#include "nttforge/cuda/pass_launch.cuh"
#include "nttforge/cuda/product.hpp"
#include "nttforge/cuda/rows_montgomery32.hpp"

NTTF_DEFINE_DEVICE_PRODUCTS(Rows32)
