# One row per instruction set: every nttforge/cpu/*_<target>.cpp is compiled with these flags and nothing else is.
set(NTTFORGE_TARGET_FLAGS_avx2 -mavx2 -mfma -mbmi2)
set(NTTFORGE_TARGET_FLAGS_avx512 -mavx2 -mfma -mbmi2 -mavx512f -mavx512dq -mavx512bw -mavx512vl)
set(NTTFORGE_TARGET_FLAGS_avx512_ifma ${NTTFORGE_TARGET_FLAGS_avx512} -mavx512ifma)

function(nttforge_apply_target_flags)
  foreach(source IN LISTS ARGN)
    foreach(target avx2 avx512 avx512_ifma)
      if(source MATCHES "_${target}\\.cpp$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${NTTFORGE_TARGET_FLAGS_${target}}")
      endif()
    endforeach()
  endforeach()
endfunction()
