// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"

namespace nttforge {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int reason) {
  throw Error(std::string("cannot ") + what + " " + path + ": " + std::strerror(reason));
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr int kTooLarge = -1;

/// 0, kTooLarge, or the system's reason.
int read_all(const std::string& path, std::size_t limit, std::string& content) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return errno;
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // blocks of ours
  char block[16384];
  for (;;) {
    errno = 0;
    const std::size_t count = std::fread(block, 1, sizeof(block), file.get());
    if (content.size() + count > limit) return kTooLarge;
    content.append(block, count);
    if (std::ferror(file.get()) != 0) {
      if (errno != EINTR) return errno != 0 ? errno : EIO;
      std::clearerr(file.get());
    } else if (count == 0) {
      return 0;
    }
  }
}

}  // namespace

std::string read_file(const std::string& path, std::size_t limit) {
  std::string content;
  const int reason = read_all(path, limit, content);
  if (reason == kTooLarge) {
    throw FormatError(path + " is larger than " + std::to_string(limit) + " bytes: not a file of this kind");
  }
  if (reason != 0) fail("read", path, reason);
  return content;
}

std::string read_file_if_any(const std::string& path, std::size_t limit) {
  std::string content;
  return read_all(path, limit, content) == 0 ? content : std::string();
}

void write_file(const std::string& path, std::string_view content) {
  std::error_code error;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) target = path;
  error.clear();
  const std::filesystem::path folder = target.parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) fail("make the folder of", path, error.value());
  const std::filesystem::file_status old = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(old)) fail("write", path, EISDIR);
  if (std::filesystem::exists(old) && !std::filesystem::is_regular_file(old))
    throw Error("cannot write " + path + ": it is no regular file");
  if (const int reason = system::replace_file(target.string(), content); reason != 0)
    fail("write", path, reason);
}

}  // namespace nttforge
