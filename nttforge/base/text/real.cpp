// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/real.hpp"

#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace nttforge {
namespace {

/// The first `from` in `text`, if any, becomes `to`.
void replace_first(std::string& text, std::string_view from, std::string_view to) {
  if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

/// What C's functions read and write between whole and fraction: a comma in many locales.
std::string_view decimal_point() {
  const char* point = std::localeconv()->decimal_point;
  return point == nullptr || *point == '\0' ? "." : point;
}

}  // namespace

std::string real_text(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value);
  std::string result = text;
  replace_first(result, decimal_point(), ".");
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::optional<double> real_number(std::string_view text) {
  if (text.find_first_not_of("+-.0123456789eE") != std::string_view::npos) return std::nullopt;
  std::string local(text);
  replace_first(local, ".", decimal_point());
  char* end = nullptr;
  const double value = std::strtod(local.c_str(), &end);
  if (end != local.c_str() + local.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace nttforge
