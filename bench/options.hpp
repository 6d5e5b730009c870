// SPDX-License-Identifier: Apache-2.0
#pragma once

// Command line of the benchmark programs: `--name value` pairs, declared once as a table. A wrong name or
// value is a ParameterError that says what is allowed; an unoptimised build refuses to run at all.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"

namespace nttforge::bench {

struct Option {
  std::string name;     ///< "--runs"
  std::string meaning;  ///< one line, printed by --help and with an unknown option
  std::function<void(const std::string&)> set;
};

/// A number in [low, high], decimal.
template <class Number>
Option number_option(std::string name, std::string meaning, Number& value, Number low, Number high) {
  const auto set = [&value, name, low, high](const std::string& text) {
    Number parsed{};
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, parsed);
    if (result.ec != std::errc{} || result.ptr != end || !(parsed >= low && parsed <= high)) {
      throw ParameterError(name + " = '" + text + "' must be a number from " + Json(low).dump() + " to " +
                           Json(high).dump());
    }
    value = parsed;
  };
  return {std::move(name), std::move(meaning), set};
}

inline Option text_option(std::string name, std::string meaning, std::string& value) {
  return {std::move(name), std::move(meaning), [&value](const std::string& text) { value = text; }};
}

/// One of the given words.
inline Option choice_option(std::string name, std::string meaning, std::string& value,
                            std::vector<std::string> allowed) {
  const auto set = [&value, name, allowed](const std::string& text) {
    std::string list;
    for (const std::string& word : allowed) {
      if (word == text) {
        value = text;
        return;
      }
      list += (list.empty() ? "" : ", ") + word;
    }
    throw ParameterError(name + " = '" + text + "' must be one of " + list);
  };
  return {std::move(name), std::move(meaning), set};
}

inline std::string option_list(const std::vector<Option>& options) {
  std::string list;
  for (const Option& option : options) list += "  " + option.name + "  " + option.meaning + '\n';
  return list;
}

inline std::vector<Option> operator+(std::vector<Option> a, std::vector<Option> b) {
  for (Option& option : b) a.push_back(std::move(option));
  return a;
}

inline void parse_options(int count, char** arguments, const std::vector<Option>& options) {
  for (int i = 1; i < count; i += 2) {
    const std::string name = arguments[i];
    if (name == "--help") {
      std::printf("%s", option_list(options).c_str());
      std::exit(0);
    }
    const Option* found = nullptr;
    for (const Option& option : options) {
      if (option.name == name) found = &option;
    }
    if (found == nullptr) {
      throw ParameterError("unknown option " + name + "; the options are\n" + option_list(options));
    }
    if (i + 1 == count) throw ParameterError(name + " needs a value");
    found->set(arguments[i + 1]);
  }
}

/// Writes a file in one step: readers see it as it was before, or whole.
inline void write_document(const std::string& path, const Json& document) {
  if (path.empty()) return;
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished);
  file << document.dump(1) << '\n';
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) throw Error("cannot write " + path);
}

/// Why figures of this build would mean nothing; empty if they do mean something.
inline std::string why_not_measured() {
#if !defined(__OPTIMIZE__)
  return "it was compiled without optimisation";
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return "it was compiled with a sanitizer";
#else
  return "";
#endif
}

/// main() of every program: refuses an unoptimised build, prints what() of an error; exit status 0, 1 (error)
/// or 2 (refused).
inline int guarded_main(const char* program, const std::function<void()>& body) {
  if (const std::string reason = why_not_measured(); !reason.empty()) {
    std::fprintf(stderr, "%s: no figures from this build: %s; build with CMAKE_BUILD_TYPE=Release\n", program,
                 reason.c_str());
    return 2;
  }
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 1;
  }
}

}  // namespace nttforge::bench
