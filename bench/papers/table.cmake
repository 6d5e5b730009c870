# SPDX-License-Identifier: Apache-2.0
# The rows of [Kim20] and [Bad18a] in the launch table, with NTTFORGE_PAPERS: columns as in cmake/cuda_table.cmake. Plans take
# them when they are asked for by name (paper_recipes() in nttforge/cuda/candidates.hpp).
list(APPEND NTTFORGE_CUDA_TABLE
  # unit         header                             compiles  lists
  "kim20_radix   bench/papers/kim20_plan_rows.hpp   papers    Kim20RadixRows64 Kim20RadixRows32"
  "kim20_shared  bench/papers/kim20_plan_rows.hpp   papers    Kim20SharedRows64 Kim20SharedRows32"
  "emmart_weems  bench/papers/bad18a_plan_rows.hpp  papers    EmmartWeemsRows")
