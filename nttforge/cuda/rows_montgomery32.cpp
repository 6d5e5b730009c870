#include "nttforge/cuda/rows_montgomery32.hpp"

NTTF_DEFINE_HOST_ROWS(Rows32)
