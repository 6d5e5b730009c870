# SPDX-License-Identifier: Apache-2.0
# The package HEXL that is this library: the paths of HEXL's public headers, each of which includes nttforge/hexl_compat.hpp,
# and a HEXLConfig.cmake in a folder of its own, so that nobody finds it without asking (docs/hexl.md).
set(NTTFORGE_HEXL_VERSION 1.2.6)
set(NTTFORGE_HEXL_PATHS
  hexl.hpp
  eltwise/eltwise-add-mod.hpp eltwise/eltwise-cmp-add.hpp eltwise/eltwise-cmp-sub-mod.hpp eltwise/eltwise-fma-mod.hpp
  eltwise/eltwise-mult-mod.hpp eltwise/eltwise-reduce-mod.hpp eltwise/eltwise-sub-mod.hpp
  logging/logging.hpp ntt/ntt.hpp number-theory/number-theory.hpp
  util/aligned-allocator.hpp util/allocator.hpp util/check.hpp util/compiler.hpp util/defines.hpp util/types.hpp util/util.hpp)

macro(nttforge_install_hexl)
  set(hexl_build ${PROJECT_BINARY_DIR}/nttforge-hexl)
  foreach(path IN LISTS NTTFORGE_HEXL_PATHS)
    file(CONFIGURE OUTPUT ${hexl_build}/include/hexl/${path}
      CONTENT "// SPDX-License-Identifier: Apache-2.0\n#pragma once\n#include \"nttforge/hexl_compat.hpp\"\n")
  endforeach()
  install(DIRECTORY ${hexl_build}/include/hexl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/nttforge-hexl COMPONENT development)
  configure_package_config_file(cmake/HEXLConfig.cmake.in ${hexl_build}/HEXLConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nttforge-hexl PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${hexl_build}/HEXLConfigVersion.cmake VERSION ${NTTFORGE_HEXL_VERSION}
    COMPATIBILITY SameMajorVersion)
  install(FILES ${hexl_build}/HEXLConfig.cmake ${hexl_build}/HEXLConfigVersion.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nttforge-hexl COMPONENT development)
endmacro()
