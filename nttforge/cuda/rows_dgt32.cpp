#include "nttforge/cuda/rows_dgt.hpp"

NTTF_DEFINE_HOST_ROWS(DgtRows32)
