// SPDX-License-Identifier: Apache-2.0
#pragma once

// Minimal unit test harness for foo_test.cpp files: no C++ test library is to be had from the package
// registries the project builds from (docs/decisions/). One executable per folder; main() is in
// testing_main.cpp.

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

namespace nttforge::testing {

/// Registered by NTTF_TEST; run by main in order of registration.
struct Registration {
  Registration(const char* name, void (*body)());
};

/// Records a failure of the running test; the test goes on.
void fail(const char* file, int line, const std::string& message);

/// The running test has nothing to do here, and why.
void skip(const char* why);

/// Seed of this run (printed; NTTFORGE_TEST_SEED overrides it): the same in every run, another in each full
/// one.
std::uint64_t seed();

/// How many tests have begun in this run.
unsigned test_number();

/// Whether full sweeps run: NTTFORGE_TEST_FULL is 1, as in make full.
bool full_tests();

/// Deterministic 64-bit generator for test inputs (SplitMix64). Not for secrets.
class Rng {
 public:
  explicit Rng(std::uint64_t state = seed()) : state_(state) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  /// Uniform enough for tests in [0, bound).
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : next() % bound; }

 private:
  std::uint64_t state_;
};

template <class T>
std::string show(const T& value) {
  if constexpr (requires(std::ostringstream& s) { s << value; }) {
    std::ostringstream stream;
    stream << std::boolalpha << value;
    return stream.str();
  } else {
    return "(value)";
  }
}

}  // namespace nttforge::testing

#define NTTF_CONCAT_INNER(a, b) a##b
#define NTTF_CONCAT(a, b) NTTF_CONCAT_INNER(a, b)
#define NTTF_TEST(name)                                                                     \
  static void NTTF_CONCAT(nttf_test_, __LINE__)();                                          \
  static const ::nttforge::testing::Registration NTTF_CONCAT(nttf_registration_, __LINE__)( \
      name, &NTTF_CONCAT(nttf_test_, __LINE__));                                            \
  static void NTTF_CONCAT(nttf_test_, __LINE__)()

#define NTTF_CHECK(condition)                                                                 \
  do {                                                                                        \
    if (!(condition)) ::nttforge::testing::fail(__FILE__, __LINE__, "not true: " #condition); \
  } while (false)

#define NTTF_CHECK_EQ(left, right)                                                                          \
  do {                                                                                                      \
    const auto nttf_l = (left);                                                                             \
    const auto nttf_r = (right);                                                                            \
    if (!(nttf_l == nttf_r))                                                                                \
      ::nttforge::testing::fail(__FILE__, __LINE__,                                                         \
                                std::string(#left " == " #right ": ") + ::nttforge::testing::show(nttf_l) + \
                                    " != " + ::nttforge::testing::show(nttf_r));                            \
  } while (false)

/// The expression must throw `type` with a message containing `text`.
#define NTTF_CHECK_THROWS(expression, type, text)                                                     \
  do {                                                                                                \
    bool nttf_thrown = false;                                                                         \
    try {                                                                                             \
      (void)(expression);                                                                             \
    } catch (const type& nttf_error) {                                                                \
      nttf_thrown = true;                                                                             \
      if (std::string_view(nttf_error.what()).find(text) == std::string_view::npos)                   \
        ::nttforge::testing::fail(                                                                    \
            __FILE__, __LINE__,                                                                       \
            std::string("message \"") + nttf_error.what() + "\" lacks \"" + (text) + "\"");           \
    } catch (const std::exception& nttf_error) {                                                      \
      nttf_thrown = true;                                                                             \
      ::nttforge::testing::fail(__FILE__, __LINE__, std::string("wrong type: ") + nttf_error.what()); \
    }                                                                                                 \
    if (!nttf_thrown) ::nttforge::testing::fail(__FILE__, __LINE__, "did not throw: " #expression);   \
  } while (false)
