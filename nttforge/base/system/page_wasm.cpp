// SPDX-License-Identifier: Apache-2.0
// A module of WebAssembly has no system: its memory grows, random bytes come from the page that loads it, and
// there are no files, no forks and no other threads.
#include <cerrno>

#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"
#include "nttforge/base/text/file.hpp"

/// crypto.getRandomValues(); 0 if it throws.
extern "C" __attribute__((import_module("nttforge"), import_name("random"))) int nttforge_page_random(
    std::uint8_t* out, std::size_t bytes);

namespace nttforge {
namespace system {

bool random_bytes(std::uint8_t* out, std::size_t bytes, std::string& why) {
  if (nttforge_page_random(out, bytes) != 0) return true;
  why = "crypto.getRandomValues() gives none";
  return false;
}

std::uint64_t available_bytes() {
  constexpr std::uint64_t kPageBytes = 65536;
  return (std::uint64_t{1} << 32) - kPageBytes * __builtin_wasm_memory_size(0);
}

unsigned cpus_allowed() { return 1; }
std::vector<int> cpus_after_mine() { return {}; }
void keep_on_cpu(std::thread&, int) {}
void at_fork(void (*)(), void (*)(), void (*)()) {}
void ask_for_huge_pages(void*, std::size_t) {}
int replace_file(const std::string&, std::string_view) { return ENOTSUP; }
bool is_mapped(std::uintptr_t address) { return address / 65536 < __builtin_wasm_memory_size(0); }
bool cpu_has(std::string_view feature) { return feature == "simd128"; }
std::string cpu_brand() { return "WebAssembly"; }
std::string cpu_signature() { return ""; }

}  // namespace system

namespace {
[[noreturn]] void no_files(const char* what, const std::string& path) {
  throw UnsupportedError(std::string("cannot ") + what + " " + path +
                         ": WebAssembly has no files; pass bytes between the page and the module");
}
}  // namespace

std::string read_file(const std::string& path, std::size_t) { no_files("read", path); }
std::string read_file_if_any(const std::string&, std::size_t) { return ""; }
void write_file(const std::string& path, std::string_view) { no_files("write", path); }

}  // namespace nttforge
