// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {
namespace {

int reason_of(DWORD error) {
  return std::error_code(static_cast<int>(error), std::system_category()).default_error_condition().value();
}

bool write_all(HANDLE file, std::string_view content) {
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
  while (!content.empty()) {
    DWORD count = 0;
    const auto bytes = static_cast<DWORD>(content.size() < kMostAtOnce ? content.size() : kMostAtOnce);
    if (WriteFile(file, content.data(), bytes, &count, nullptr) == 0 || count == 0) return false;
    content.remove_prefix(count);
  }
  return FlushFileBuffers(file) != 0;
}

}  // namespace

int replace_file(const std::string& path, std::string_view content) {
  static std::atomic<unsigned> number{0};
  const std::filesystem::path target(path);
  const std::filesystem::path temporary(path + "." + std::to_string(GetCurrentProcessId()) + "-" +
                                        std::to_string(number.fetch_add(1)));
  const HANDLE file =
      CreateFileW(temporary.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (file == INVALID_HANDLE_VALUE) return reason_of(GetLastError());
  bool good = write_all(file, content);
  DWORD error = good ? 0 : GetLastError();
  CloseHandle(file);
  if (good) {
    good = MoveFileExW(temporary.c_str(), target.c_str(),
                       MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
    if (!good) error = GetLastError();
  }
  if (good) return 0;
  DeleteFileW(temporary.c_str());
  return reason_of(error);
}

}  // namespace nttforge::system
