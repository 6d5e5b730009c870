// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/real.hpp"

#include <clocale>
#include <limits>

#include "nttforge/base/testing.hpp"

using namespace nttforge;

namespace {

void check_texts() {
  NTTF_CHECK_EQ(real_text(1.5), std::string("1.5"));
  NTTF_CHECK_EQ(real_text(-3), std::string("-3.0"));
  NTTF_CHECK_EQ(real_text(1e300), std::string("1.0000000000000001e+300"));
  NTTF_CHECK(real_number("1.5") == 1.5);
  NTTF_CHECK(real_number("-25e-1") == -2.5);
  NTTF_CHECK(real_number("1,5") == std::nullopt);
  NTTF_CHECK(real_number("1.5x") == std::nullopt);
  NTTF_CHECK(real_number("1e309") == std::nullopt);
  NTTF_CHECK(real_number("-1e309") == std::nullopt);
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.1, 1 / 3.0, 1e-310, Limits::max(), Limits::min(), Limits::denorm_min(), 123456789.0})
    NTTF_CHECK(real_number(real_text(value)) == value);
}

}  // namespace

NTTF_TEST("doubles are the same after they were written and read") { check_texts(); }

NTTF_TEST("a locale with a decimal comma changes no text") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"})
    if (found == nullptr) found = std::setlocale(LC_NUMERIC, name);
  if (found == nullptr) return testing::skip("this machine has no such locale");
  check_texts();
  std::setlocale(LC_NUMERIC, before.c_str());
}
