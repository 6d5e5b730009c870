# SPDX-License-Identifier: Apache-2.0
# The rows of [Kim20], [Bad18a] and [Din24] in the launch table, with NTTFORGE_PAPERS: columns as in cmake/cuda_table.cmake. Plans take
# them when they are asked for by name (paper_recipes() in nttforge/cuda/candidates.hpp).
list(APPEND NTTFORGE_CUDA_TABLE
  # unit         header                             compiles  lists
  "kim20_radix   papers/kernels/kim20_plan_rows.hpp   papers    Kim20RadixRows64 Kim20RadixRows32"
  "kim20_shared  papers/kernels/kim20_plan_rows.hpp   papers    Kim20SharedRows64 Kim20SharedRows32"
  "din24_paper   papers/kernels/din24_plan_rows.hpp   papers    Din24PaperTime64 Din24PaperTime32 Din24PaperFrequency64 Din24PaperFrequency32"
  "din24_time_64  papers/kernels/din24_plan_rows.hpp   papers    Din24TunedTime64"
  "din24_time_32  papers/kernels/din24_plan_rows.hpp   papers    Din24TunedTime32"
  "din24_frequency_64  papers/kernels/din24_plan_rows.hpp   papers    Din24TunedFrequency64"
  "din24_frequency_32  papers/kernels/din24_plan_rows.hpp   papers    Din24TunedFrequency32"
  "emmart_weems  papers/kernels/bad18a_plan_rows.hpp  papers    EmmartWeemsRows")
