#include "nttforge/cuda/rows_shoup32.hpp"

NTTF_DEFINE_HOST_STEPS(SteppedRows30)
