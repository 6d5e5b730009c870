#include "nttforge/cuda/bad18a_plan_rows.hpp"

NTTF_DEFINE_HOST_ROWS(EmmartWeemsRows)
