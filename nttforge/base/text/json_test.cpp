// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/json.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"

using nttforge::FormatError;
using nttforge::Json;

NTTF_TEST("json: integers are exact up to both ends of 64 bits") {
  const Json v = Json::parse(" [0, 18446744073709551615, -9223372036854775808, 9223372036854775807, -0] ");
  NTTF_CHECK_EQ(v.size(), 5u);
  NTTF_CHECK_EQ(v[1].as_u64(), ~std::uint64_t{0});
  NTTF_CHECK_EQ(v[2].as_i64(), std::int64_t{-1} - 0x7FFFFFFFFFFFFFFF);
  NTTF_CHECK_EQ(v[3].as_i64(), std::int64_t{0x7FFFFFFFFFFFFFFF});
  NTTF_CHECK_EQ(v[4].as_u64(), 0u);
  NTTF_CHECK_EQ(v.dump(), "[0, 18446744073709551615, -9223372036854775808, 9223372036854775807, 0]");
  NTTF_CHECK_THROWS(Json::parse("18446744073709551616"), FormatError, "outside [-2^63, 2^64)");
  NTTF_CHECK_THROWS(Json::parse("-9223372036854775809"), FormatError, "outside [-2^63, 2^64)");
  NTTF_CHECK_THROWS(v[1].as_i64(), FormatError, "signed 64-bit");
  NTTF_CHECK_THROWS(v[2].as_u64(), FormatError, "unsigned");
  NTTF_CHECK_EQ(Json(std::int64_t{-5}).dump(), "-5");
  NTTF_CHECK_EQ(Json(-1).as_i64(), -1);
}

NTTF_TEST("json: objects keep their order, round trip and can be edited") {
  Json v = Json::parse(R"({"z": 1, "a": [true, false, null], "s": "x\"\\\n\u00e9\ud83d\ude00", "r": 2.5})");
  NTTF_CHECK_EQ(v.members()[0].first, "z");
  NTTF_CHECK_EQ(v.members()[1].first, "a");
  NTTF_CHECK_EQ(v.at("s").as_string(), "x\"\\\n\xC3\xA9\xF0\x9F\x98\x80");
  NTTF_CHECK_EQ(v.at("r").as_double(), 2.5);
  NTTF_CHECK(v.at("a")[0].as_bool());
  NTTF_CHECK(v.at("a")[2].is_null());
  NTTF_CHECK(v.find("q") == nullptr);
  NTTF_CHECK(Json::parse(v.dump()) == v);
  NTTF_CHECK(Json::parse(v.dump(2)) == v);
  v.set("z", "new");
  v.set("end", std::uint64_t{7});
  NTTF_CHECK_EQ(v.members()[0].second.as_string(), "new");
  NTTF_CHECK_EQ(v.members()[4].first, "end");
  Json list = Json::array();
  list.push_back(true);
  list.push_back(Json::object());
  NTTF_CHECK_EQ(list.dump(), "[true, {}]");
  NTTF_CHECK_EQ(list.dump(2), "[\n  true,\n  {}\n]");
  NTTF_CHECK(!(Json(1) == Json(true)));
  NTTF_CHECK(!(Json(1) == Json(-1)));
}

NTTF_TEST("json: control characters are escaped") {
  const std::string text("a\x01\x1f\r\0b", 6);
  NTTF_CHECK_EQ(Json(text).dump(), "\"a\\u0001\\u001f\\u000d\\u0000b\"");
  NTTF_CHECK_EQ(Json::parse(Json(text).dump()).as_string(), text);
}

NTTF_TEST("json: reals survive a round trip and stay reals") {
  for (const double x : {0.1, 1e300, -2.5e-300, 3.0, 1.0 / 3}) {
    const Json back = Json::parse(Json(x).dump());
    NTTF_CHECK(back.kind() == Json::Kind::real);
    NTTF_CHECK_EQ(back.as_double(), x);
  }
  NTTF_CHECK_THROWS(Json(1e308 * 10).dump(), FormatError, "not finite");
}

NTTF_TEST("json: malformed text is refused with its offset") {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case cases[] = {{"", "expected a value at offset 0"},
                        {"{", "expected the name of a member at offset 1"},
                        {"[1,]", "expected a value at offset 3"},
                        {"[1 2]", "expected ',' or ']' at offset 3"},
                        {"{\"a\" 1}", "expected ':' at offset 5"},
                        {"{\"a\": 1,}", "name of a member"},
                        {"{\"a\": 1, \"b\": 2, \"a\": 3}", "member 'a' is repeated"},
                        {"1 2", "after the end of the value at offset 2"},
                        {"tru", "expected 'true' at offset 0"},
                        {"01", "leading zero"},
                        {"-", "expected a value"},
                        {"+1", "expected a value"},
                        {"1.", "digit after '.'"},
                        {"1e", "digit in the exponent"},
                        {"1e999", "out of range"},
                        {"NaN", "expected a value"},
                        {"\"abc", "unterminated string at offset 4"},
                        {"\"\\", "unterminated string"},
                        {"\"\\x\"", "unknown escape"},
                        {"\"\\u12\"", "hexadecimal"},
                        {"\"\\u-123\"", "hexadecimal"},
                        {"\"\\ud800\"", "surrogate"},
                        {"\"\\udc00\"", "surrogate"},
                        {"\"\\ud800\\u0041\"", "surrogate"},
                        {"\"\xC0\x80\"", "UTF-8"},
                        {"\"\xE0\x80\x80\"", "UTF-8"},
                        {"\"\xED\xA0\x80\"", "UTF-8"},
                        {"\"\xF4\x90\x80\x80\"", "UTF-8"},
                        {"\"\x80\"", "UTF-8"},
                        {"\"\xC3", "UTF-8"},
                        {"\"\n\"", "control character"}};
  for (const Case& bad : cases) NTTF_CHECK_THROWS(Json::parse(bad.text), FormatError, bad.message);
}

NTTF_TEST("json: depth is limited") {
  const auto nested = [](unsigned levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  NTTF_CHECK_EQ(Json::parse(nested(Json::kMaxDepth)).dump(), nested(Json::kMaxDepth));
  NTTF_CHECK_THROWS(Json::parse(nested(Json::kMaxDepth + 2)), FormatError, "levels");
  NTTF_CHECK_THROWS(Json::parse(std::string(1000000, '[')), FormatError, "levels");
}

NTTF_TEST(
    "json: the number of values is limited, so that a text takes no more memory than its reader allows") {
  NTTF_CHECK_EQ(Json::parse("[1, {\"a\": 2}]", 4).size(), 2u);
  NTTF_CHECK_THROWS(Json::parse("[1, {\"a\": 2}]", 3), FormatError, "more than 3 values at offset 9");
  std::string ones = "[1";
  for (unsigned i = 0; i < Json::kMaxValues; ++i) ones += ",1";
  NTTF_CHECK_THROWS(Json::parse(ones + "]"), FormatError, "more than 1048576 values");
}

NTTF_TEST("json: truncation anywhere is an error, never a crash") {
  const std::string text = R"({"a": [1, -2, 3.5e1, "\u00e9"], "b": {"c": true, "d": null}})";
  for (std::size_t length = 0; length < text.size(); ++length) {
    bool thrown = false;
    try {
      Json::parse(std::string_view(text).substr(0, length));
    } catch (const FormatError&) {
      thrown = true;
    }
    NTTF_CHECK(thrown);
  }
}

NTTF_TEST("json: accessors name what they found") {
  const Json v = Json::parse(R"({"a": [1]})");
  NTTF_CHECK_THROWS(v.at("b"), FormatError, "member 'b' is missing");
  NTTF_CHECK_THROWS(v.at("a").as_string(), FormatError, "expected a string, found an array");
  NTTF_CHECK_THROWS(v.at("a")[1], FormatError, "element 1 is missing from an array of 1");
  NTTF_CHECK_THROWS(v.as_bool(), FormatError, "expected a boolean, found an object");
  NTTF_CHECK_EQ(v.at("a").as_u64_vector().size(), 1u);
}
