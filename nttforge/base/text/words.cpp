// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/words.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace nttforge {
namespace {

constexpr std::string_view kSpace = " \t\n\r\v\f";

}  // namespace

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kSpace));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace nttforge
