// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/words.hpp"

#include "nttforge/base/testing.hpp"

using namespace nttforge;

NTTF_TEST("words: lines end at the line end or with the text") {
  std::string_view text = "first line\n\nlast";
  NTTF_CHECK(take_line(text) == "first line");
  NTTF_CHECK(take_line(text) == "" && text == "last");
  NTTF_CHECK(take_line(text) == "last" && text.empty());
  NTTF_CHECK(take_line(text) == "" && text.empty());
}

NTTF_TEST("words: white space around words is skipped") {
  std::string_view text = "  MemAvailable:\t 12 kB\n";
  NTTF_CHECK(take_word(text) == "MemAvailable:");
  NTTF_CHECK(take_word(text) == "12");
  NTTF_CHECK(take_word(text) == "kB");
  NTTF_CHECK(take_word(text) == "" && text.empty());
}

NTTF_TEST("words: a number is digits alone, below 2^64") {
  NTTF_CHECK(number_of("0") == 0u && number_of("007") == 7u);
  NTTF_CHECK(number_of("18446744073709551615") == ~std::uint64_t{0});
  for (const char* bad : {"", "max", "-1", "+1", " 1", "1 ", "1x", "0x1", "1e3", "18446744073709551616"})
    NTTF_CHECK(!number_of(bad).has_value());
}
