#include "nttforge/cuda/rows_fp64.hpp"

NTTF_DEFINE_HOST_ROWS(Rows50)
