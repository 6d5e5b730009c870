// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "nttforge/base/system/system.hpp"

namespace nttforge::system {
namespace {

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

mode_t mode_of_new_files() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return static_cast<mode_t>(0666 & ~mask);
}

}  // namespace

int replace_file(const std::string& path, std::string_view content) {
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  std::string temporary = path + ".XXXXXX";
  const Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) return errno;
  const mode_t mode = exists ? static_cast<mode_t>(old.st_mode & 0777) : mode_of_new_files();
  if (write_all(file.get(), content) && ::fchmod(file.get(), mode) == 0 &&
      std::rename(temporary.c_str(), path.c_str()) == 0)
    return 0;
  const int reason = errno;
  ::unlink(temporary.c_str());
  return reason;
}

}  // namespace nttforge::system
