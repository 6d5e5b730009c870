// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nttforge {

/// The whole file. throws Error naming path and reason if it cannot be read, FormatError if it is larger than
/// `limit` bytes (nothing is allocated for it then).
std::string read_file(const std::string& path, std::size_t limit);

/// The whole file, or nothing where it cannot be read or is larger than `limit` bytes: for what a system may
/// or may not say.
std::string read_file_if_any(const std::string& path, std::size_t limit);

/// Replaces the file in one step: readers see the old content or the new, also after a crash. Makes missing
/// folders, keeps the old file's permissions, and follows a symbolic link. Devices and pipes are refused.
/// throws Error naming path and reason; then the old file is untouched.
void write_file(const std::string& path, std::string_view content);

}  // namespace nttforge
