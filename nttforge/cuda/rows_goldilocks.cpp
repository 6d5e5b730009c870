#include "nttforge/cuda/rows_goldilocks.hpp"

NTTF_DEFINE_HOST_ROWS(RowsGoldilocks)
