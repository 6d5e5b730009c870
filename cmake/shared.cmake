# SPDX-License-Identifier: Apache-2.0
# The C interface as a shared library, libnttforge_c, for languages that load one (docs/c.md). It exports the functions of
# nttforge.h and nothing else; its name has the number of that interface, NTTFORGE_ABI_VERSION.
macro(nttforge_add_shared)
  file(STRINGS nttforge/nttforge.h abi_line REGEX "^#define NTTFORGE_ABI_VERSION [0-9]+$")
  string(REGEX MATCH "[0-9]+$" NTTFORGE_ABI_VERSION "${abi_line}")
  # Compiled once more, where its names are visible: those of the static library are hidden.
  add_library(nttforge_c_shared SHARED nttforge/c/nttforge.cpp)
  add_library(nttforge::c_shared ALIAS nttforge_c_shared)
  set_target_properties(nttforge_c_shared PROPERTIES OUTPUT_NAME nttforge_c EXPORT_NAME c_shared
    SOVERSION ${NTTFORGE_ABI_VERSION} VERSION ${NTTFORGE_ABI_VERSION}.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_definitions(nttforge_c_shared PRIVATE NTTFORGE_SHARED)
  target_link_libraries(nttforge_c_shared PRIVATE nttforge $<BUILD_INTERFACE:nttforge_options>)
  target_include_directories(nttforge_c_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  if(APPLE)
    target_link_options(nttforge_c_shared PRIVATE "-Wl,-exported_symbol,_nttforge_*")
  else()
    set(exports "${PROJECT_SOURCE_DIR}/nttforge/c/exports.map")
    target_link_options(nttforge_c_shared PRIVATE "-Wl,--version-script=${exports}" -Wl,--no-undefined)
    set_target_properties(nttforge_c_shared PROPERTIES LINK_DEPENDS "${exports}")
  endif()
endmacro()

# After nttforge_install_pkgconfig(), which sets the folders.
macro(nttforge_install_shared)
  target_include_directories(nttforge_c_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS nttforge_c_shared EXPORT nttforgeTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  configure_file(cmake/nttforge_c.pc.in ${PROJECT_BINARY_DIR}/nttforge_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/nttforge_c.pc DESTINATION ${pc_folder} COMPONENT development)
endmacro()
