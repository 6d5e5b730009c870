# SPDX-License-Identifier: Apache-2.0
# What is installed of the C++ library, as component "development"; the Python package takes only component "python".

# The interface: docs/overview.md says what each is for.
set(NTTFORGE_PUBLIC_HEADERS
  arith/modulus.hpp arith/primes.hpp arith/roots.hpp
  base/error.hpp base/interrupt.hpp base/target.hpp
  bfv/bfv.hpp
  bgv/bgv.hpp
  ckks/ckks.hpp
  exact_bootstrap/bootstrapper.hpp exact_bootstrap/presets.hpp
  cxx17.hpp hexl_compat.hpp nttforge.h
  cuda/candidates.hpp cuda/device.hpp cuda/error.hpp cuda/explorer.hpp cuda/memory.hpp cuda/plan.hpp cuda/rns_steps.hpp cuda/stream_scope.hpp
  ntt/algorithms/algorithms.hpp ntt/candidates.hpp ntt/explorer.hpp ntt/incomplete.hpp ntt/plan.hpp ntt/recipe.hpp ntt/spec.hpp ntt/trace.hpp ntt/wisdom.hpp
  random/samplers.hpp random/secret_distribution.hpp random/stream.hpp
  rns/base.hpp rns/base_conversion.hpp rns/behz.hpp rns/hps.hpp rns/mod_down.hpp rns/plain.hpp rns/scale.hpp rns/step.hpp)

# What these include, and no more (tools/test_consumer.py checks it).
set(NTTFORGE_INCLUDED_HEADERS
  arith/barrett.hpp arith/double_double.hpp arith/goldilocks.hpp arith/host_device.hpp arith/shoup.hpp arith/row_modulus.hpp arith/transform_size.hpp
  device/array.hpp device/device.hpp device/form.hpp device/fusions.hpp device/key_switching.hpp device/make_device.hpp device/memory.hpp device/queue.hpp
  device/real_numbers.hpp device/ring_operations.hpp device/tables.hpp
  embedding/embedding.hpp embedding/kernels.hpp
  base/cxx20.hpp base/macros.hpp base/memory/aligned_buffer.hpp base/memory/aligned_memory.hpp base/memory/out_of_memory.hpp base/memory/stack_wipe.hpp
  bfv/context.hpp bfv/evaluator.hpp bfv/noise_model.hpp bfv/parameters.hpp bfv/products.hpp
  bgv/context.hpp bgv/evaluator.hpp bgv/noise_model.hpp bgv/parameters.hpp
  ckks/bootstrap/bootstrapper.hpp ckks/bootstrap/cosine.hpp ckks/bootstrap/keys.hpp ckks/bootstrap/presets.hpp ckks/context.hpp ckks/decryptor.hpp ckks/encryptor.hpp ckks/evaluator.hpp ckks/linear_transform.hpp ckks/noise_model.hpp ckks/parameters.hpp ckks/plaintext.hpp ckks/polynomial.hpp
  circuits/expansion.hpp circuits/linear_map.hpp
  exact_bootstrap/plan.hpp exact_bootstrap/precision.hpp multi/meeting.hpp
  integer_encoding/batch_encoder.hpp integer_encoding/budget.hpp integer_encoding/coefficient_encoder.hpp integer_encoding/context.hpp integer_encoding/decryptor.hpp integer_encoding/device_integers.hpp
  integer_encoding/encryptor.hpp integer_encoding/evaluator.hpp integer_encoding/flooding.hpp integer_encoding/integer_encoding.hpp
  integer_encoding/noise_model.hpp integer_encoding/parameters.hpp integer_encoding/plaintext.hpp
  integer_encoding/serialize.hpp
  rlwe/batch.hpp rlwe/bounds/phase_noise.hpp rlwe/chain.hpp rlwe/ciphertext.hpp rlwe/context.hpp rlwe/encoding.hpp rlwe/evaluator.hpp rlwe/galois.hpp rlwe/key_generator.hpp rlwe/keys.hpp rlwe/meta.hpp
  rlwe/noise.hpp rlwe/parameters.hpp rlwe/phase.hpp rlwe/polynomial.hpp rlwe/proved_noise.hpp rlwe/sampling.hpp rlwe/security.hpp rlwe/serialize.hpp rlwe/window.hpp rlwe/zero_encryptor.hpp
  cuda/block/block.hpp cuda/table/kernels.hpp cuda/product/modulus.hpp cuda/product/sums.hpp cuda/recipe.hpp cuda/step/division_join.hpp cuda/step/image_words.hpp cuda/step/rns_step.hpp cuda/runtime/runtime.hpp
  hexl/allocator.hpp hexl/eltwise.hpp hexl/macros.hpp hexl/ntt.hpp hexl/number_theory.hpp
  ntt/kernels.hpp ntt/row_ops.hpp ntt/twiddles/twiddle_entry.hpp
  rns/big_uint.hpp)

macro(nttforge_install)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  target_include_directories(nttforge PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS nttforge EXPORT nttforgeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  foreach(header IN LISTS NTTFORGE_PUBLIC_HEADERS NTTFORGE_INCLUDED_HEADERS)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES nttforge/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nttforge/${folder} COMPONENT development)
  endforeach()
  install(FILES LICENSE NOTICE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/licenses/nttforge COMPONENT development)
  install(EXPORT nttforgeTargets NAMESPACE nttforge:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nttforge COMPONENT development)
  # What the compiler links into programs of C++ and a C compiler does not.
  set(NTTFORGE_CXX_LIBRARIES ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
  list(FILTER NTTFORGE_CXX_LIBRARIES INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|c\\+\\+abi|unwind|m)$")
  list(REMOVE_DUPLICATES NTTFORGE_CXX_LIBRARIES)
  if(NTTFORGE_ZIG_TARGET)  # whose compiler does not tell
    set(NTTFORGE_CXX_LIBRARIES c++)
  endif()
  configure_package_config_file(cmake/nttforgeConfig.cmake.in ${PROJECT_BINARY_DIR}/nttforgeConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nttforge PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/nttforgeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/nttforgeConfig.cmake ${PROJECT_BINARY_DIR}/nttforgeConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nttforge COMPONENT development)
  nttforge_install_pkgconfig()
  if(NTTFORGE_SHARED)
    nttforge_install_shared()
  endif()
  nttforge_install_hexl()
endmacro()
