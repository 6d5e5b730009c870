# SPDX-License-Identifier: Apache-2.0
# The launch table of GPU kernels: its lists of rows, and the units that compile what runs them, side by side. Another row
# is a change of its header alone; another list is a header and a line here.
#
#   unit      name of the files that are written to the build folder: each once for GPUs and once for the host
#   header    of the lists, in nttforge/cuda/table/ unless it has a path
#   compiles  transforms, of rows for the `ntt`, the `dgt` or `papers` (CudaRowKind in table/kernels.hpp), which stand in
#             the table in this order; or `products`, `sums`, `steps` or
#             `switching`, the fused forms of the lists' rows
set(NTTFORGE_CUDA_TABLE
  # unit               header                compiles   lists
  "shoup60             rows_shoup64.hpp      ntt        Rows60"
  "shoup60_small       rows_shoup64.hpp      ntt        SmallRows60"
  "fp64                rows_fp64.hpp         ntt        Rows50"
  "fp64_small          rows_fp64.hpp         ntt        SmallRows50"
  "shoup62             rows_shoup64.hpp      ntt        SmallRows62"
  "goldilocks          rows_goldilocks.hpp   ntt        RowsGoldilocks"
  "shoup30             rows_shoup32.hpp      ntt        Rows30"
  "shoup30_small       rows_shoup32.hpp      ntt        SmallRows30"
  "montgomery32        rows_montgomery32.hpp ntt        Rows32"
  "dgt62               rows_dgt.hpp          dgt        DgtRows62"
  "dgt_goldilocks      rows_dgt.hpp          dgt        DgtRowsGoldilocks"
  "dgt32               rows_dgt.hpp          dgt        DgtRows32"
  "shoup60_products    rows_shoup64.hpp      products   Rows60 SmallRows60"
  "shoup62_products    rows_shoup64.hpp      products   SmallRows62"
  "fp64_products       rows_fp64.hpp         products   Rows50 SmallRows50"
  "goldilocks_products rows_goldilocks.hpp   products   RowsGoldilocks"
  "shoup30_products    rows_shoup32.hpp      products   Rows30 SmallRows30"
  "shoup60_sums        rows_shoup64.hpp      sums       Rows60"
  "fp64_sums           rows_fp64.hpp         sums       Rows50"
  "shoup30_sums        rows_shoup32.hpp      sums       Rows30"
  "shoup60_steps       rows_shoup64.hpp      steps      Rows60"
  "fp64_steps          rows_fp64.hpp         steps      Rows50"
  "shoup30_steps       rows_shoup32.hpp      steps      Rows30"
  "shoup30_switching   rows_shoup32.hpp      switching  Rows30")
if(NTTFORGE_PAPERS)
  include(papers/kernels/table.cmake)
endif()

# Writes nttforge_cuda_lists.hpp, and units to nttforge/cuda/table/ of the build folder: sets `host` and `device` to them.
function(nttforge_cuda_units host device)
  set(filled_by_ntt transforms nttforge/cuda/table/fill_transforms.hpp)
  set(filled_by_dgt ${filled_by_ntt})
  set(filled_by_papers ${filled_by_ntt})
  set(filled_by_products products nttforge/cuda/product/product.hpp)
  set(filled_by_sums sums nttforge/cuda/pass/summed.hpp)
  set(filled_by_steps steps nttforge/cuda/pass/stepped.hpp)
  set(filled_by_switching switching nttforge/cuda/pass/switching.hpp)
  foreach(kind ntt dgt papers products sums steps switching)
    set(lists_of_${kind} "")
  endforeach()
  set(headers "")
  set(folder ${PROJECT_BINARY_DIR}/nttforge/cuda/table)
  set(host_units "")
  set(device_units "")
  set(said "// Written by cmake/cuda_table.cmake.\n")
  set(device_names "")
  foreach(row IN LISTS NTTFORGE_CUDA_TABLE)
    separate_arguments(columns UNIX_COMMAND "${row}")
    list(POP_FRONT columns unit header compiles)
    if(NOT header MATCHES "/")
      set(header nttforge/cuda/table/${header})
    endif()
    list(GET filled_by_${compiles} 0 function)
    list(GET filled_by_${compiles} 1 definition)
    list(APPEND lists_of_${compiles} ${columns})
    list(APPEND headers "#include \"${header}\"\n")
    set(includes "#include \"${definition}\"\n#include \"${header}\"\n")
    set(host_text "")
    set(device_text "")
    foreach(list IN LISTS columns)
      set(signature "void fill_${function}<${list}, Where::@where@>(CudaKernelRow<${list}::Word>*")
      string(REPLACE @where@ host text "template ${signature});\n")
      string(APPEND host_text "${text}")
      string(REPLACE @where@ device text "template ${signature});\n")
      if(NTTFORGE_CUDA_SAMPLE)
        string(REPLACE @where@ device text
          "template <> ${signature} rows) {\n  fill_${function}<FirstRows<${list}>, Where::device>(rows);\n}\n")
      endif()
      string(APPEND device_text "${text}")
    endforeach()
    if(NTTFORGE_CUDA_HOST)
      file(CONFIGURE OUTPUT ${folder}/${unit}.cpp CONTENT
        "${said}${includes}\nnamespace nttforge::cuda {\n${host_text}}\n" @ONLY)
      list(APPEND host_units ${folder}/${unit}.cpp)
    endif()
    # The rows of a sample compile sooner than what they include: those of one header are one unit.
    set(device_unit ${unit})
    if(NTTFORGE_CUDA_SAMPLE)
      get_filename_component(device_unit ${header} NAME_WE)
    endif()
    list(APPEND includes_of_${device_unit} "#include \"${definition}\"\n" "#include \"${header}\"\n")
    string(APPEND text_of_${device_unit} "${device_text}")
    list(APPEND device_names ${device_unit})
  endforeach()
  if(NTTFORGE_HAS_CUDA)
    list(REMOVE_DUPLICATES device_names)
    foreach(unit IN LISTS device_names)
      list(REMOVE_DUPLICATES includes_of_${unit})
      string(JOIN "" includes ${includes_of_${unit}})
      file(CONFIGURE OUTPUT ${folder}/${unit}.cu CONTENT
        "${said}#include \"nttforge/cuda/pass/launch.cuh\"\n${includes}\nnamespace nttforge::cuda {\n${text_of_${unit}}}\n" @ONLY)
      list(APPEND device_units ${folder}/${unit}.cu)
    endforeach()
  endif()

  list(REMOVE_DUPLICATES headers)
  string(JOIN "" headers ${headers})
  foreach(kind ntt dgt papers products sums steps switching)
    string(JOIN ", " lists_of_${kind} ${lists_of_${kind}})
  endforeach()
  set(on_device false)
  set(on_host false)
  if(NTTFORGE_HAS_CUDA)
    set(on_device true)
  endif()
  if(NTTFORGE_CUDA_HOST)
    set(on_host true)
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/nttforge_cuda_lists.hpp @ONLY CONTENT
"${said}#pragma once

@headers@
namespace nttforge::cuda::built {
inline constexpr bool kOnDevice = @on_device@, kOnHost = @on_host@;
template <class...>
struct Lists {};
using Ntt = Lists<@lists_of_ntt@>;
using Dgt = Lists<@lists_of_dgt@>;
using Papers = Lists<@lists_of_papers@>;
using WithProducts = Lists<@lists_of_products@>;
using WithSums = Lists<@lists_of_sums@>;
using WithSteps = Lists<@lists_of_steps@>;
using WithSwitching = Lists<@lists_of_switching@>;
}
")
  set(${host} ${host_units} PARENT_SCOPE)
  set(${device} ${device_units} PARENT_SCOPE)
endfunction()
