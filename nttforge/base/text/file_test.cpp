// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/file.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "nttforge-file-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
};

}  // namespace

NTTF_TEST("files are written whole, into new folders, and read back") {
  const Folder folder;
  const std::string path = folder / "a/b/file", large(100000, 'x');
  for (const std::string& content : {std::string("one"), std::string(), std::string("a\0b", 3), large}) {
    write_file(path, content);
    NTTF_CHECK(read_file(path, large.size()) == content);
    NTTF_CHECK_EQ(std::distance(std::filesystem::directory_iterator(folder.path / "a/b"), {}), 1);
  }
  NTTF_CHECK_THROWS(read_file(path, large.size() - 1), FormatError, "is larger than 99999 bytes");
}

NTTF_TEST("files: what failures say, and the old content stays") {
  const Folder folder;
  NTTF_CHECK_THROWS(read_file(folder / "none", 10), Error, "none: No such file");
  NTTF_CHECK_THROWS(read_file(folder.path.string(), 10), Error, "cannot read");
  write_file(folder / "file", "old");
  NTTF_CHECK_THROWS(write_file(folder / "file/below", "new"), Error, "cannot");
  std::filesystem::create_directory(folder.path / "taken");
  NTTF_CHECK_THROWS(write_file(folder / "taken", "new"), Error, "cannot write");
  NTTF_CHECK(read_file(folder / "file", 10) == "old");
  NTTF_CHECK_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 2);
}

NTTF_TEST("files: links are followed, permissions kept, and what is no file stays") {
  namespace fs = std::filesystem;
  const Folder folder;
  write_file(folder / "file", "old");
  fs::permissions(folder / "file", fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("file", folder / "link");
  write_file(folder / "link", "new");
  NTTF_CHECK(fs::is_symlink(folder / "link"));
  NTTF_CHECK(read_file(folder / "file", 10) == "new");
  NTTF_CHECK(fs::status(folder / "file").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  NTTF_CHECK_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  NTTF_CHECK_THROWS(write_file(folder / "pipe", "new"), Error, "pipe: it is no regular file");
  NTTF_CHECK(fs::is_fifo(folder / "pipe"));
  NTTF_CHECK_EQ(std::distance(fs::directory_iterator(folder.path), {}), 3);
}
