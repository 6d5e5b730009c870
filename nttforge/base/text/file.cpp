// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

[[noreturn]] void fail(const char* what, const std::string& path, int reason) {
  throw Error(std::string("cannot ") + what + " " + path + ": " + std::strerror(reason));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return ::fsync(file) == 0;
}

constexpr int kTooLarge = -1;

/// 0, kTooLarge, or the system's reason.
int read_all(const std::string& path, std::size_t limit, std::string& content) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return errno;
  char block[16384];
  for (;;) {
    const ssize_t count = ::read(file.get(), block, sizeof(block));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    if (content.size() + static_cast<std::size_t>(count) > limit) return kTooLarge;
    content.append(block, static_cast<std::size_t>(count));
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
  struct stat old{};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) fail("write", path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) throw Error("cannot write " + path + ": it is no regular file");
  std::string temporary = target.string() + ".XXXXXX";
  const Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) fail("write", path, errno);
  mode_t mode = old.st_mode & 0777;
  if (!exists) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    mode = 0666 & ~mask;
  }
  if (!write_all(file.get(), content) || ::fchmod(file.get(), mode) != 0 ||
      std::rename(temporary.c_str(), target.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    fail("write", path, reason);
  }
}

}  // namespace nttforge
