# SPDX-License-Identifier: Apache-2.0
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)

vcpkg_download_distfile(ARCHIVE
    URLS "https://pypi.org/packages/source/n/nttforge/nttforge-${VERSION}.tar.gz"
    FILENAME "nttforge-${VERSION}.tar.gz"
    SHA512 00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${ARCHIVE}")

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DNTTFORGE_CUDA=OFF
)
vcpkg_cmake_install()
# Its package HEXL stays in a folder of its own, where only -DHEXL_DIR=... finds it: the port hexl is the other one.
vcpkg_cmake_config_fixup(
    PACKAGE_NAME nttforge-hexl
    CONFIG_PATH lib/cmake/nttforge-hexl
    DO_NOT_DELETE_PARENT_CONFIG_PATH
)
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/nttforge)
file(REMOVE_RECURSE
    "${CURRENT_PACKAGES_DIR}/debug/include"
    "${CURRENT_PACKAGES_DIR}/debug/share"
    "${CURRENT_PACKAGES_DIR}/share/licenses"
)
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
