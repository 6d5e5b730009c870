// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"
#include "nttforge/base/text/real.hpp"

namespace nttforge {

/// Recursive descent over untrusted text; every step checks the end and the depth.
class JsonParser {
 public:
  JsonParser(std::string_view text, std::size_t max_values) : text_(text), max_values_(max_values) {}

  Json document() {
    Json value = parse_value(0);
    skip_space();
    if (at_ != text_.size()) fail("text after the end of the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError("JSON: " + what + " at offset " + std::to_string(at_));
  }

  bool ended() const { return at_ == text_.size(); }
  char peek() const { return ended() ? '\0' : text_[at_]; }

  bool accept(char c) {
    if (ended() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (!ended() && std::string_view(" \t\n\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  void expect_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("expected '" + std::string(word) + "'");
    at_ += word.size();
  }

  Json parse_value(unsigned depth) {
    if (++values_ > max_values_) fail("more than " + std::to_string(max_values_) + " values");
    if (depth > Json::kMaxDepth) fail("more than " + std::to_string(Json::kMaxDepth) + " levels");
    skip_space();
    switch (peek()) {
      case '{':
        return parse_object(depth);
      case '[':
        return parse_array(depth);
      case '"':
        return Json(parse_string());
      case 't':
        expect_word("true");
        return Json(true);
      case 'f':
        expect_word("false");
        return Json(false);
      case 'n':
        expect_word("null");
        return Json();
      default:
        return parse_number();
    }
  }

  Json parse_array(unsigned depth) {
    Json result = Json::array();
    ++at_;
    skip_space();
    if (accept(']')) return result;
    auto& elements = std::get<std::vector<Json>>(result.data_);
    for (;;) {
      elements.push_back(parse_value(depth + 1));
      skip_space();
      if (accept(']')) return result;
      if (!accept(',')) fail("expected ',' or ']'");
    }
  }

  Json parse_object(unsigned depth) {
    Json result = Json::object();
    ++at_;
    skip_space();
    if (accept('}')) return result;
    auto& members = std::get<std::vector<Json::Member>>(result.data_);
    for (;;) {
      skip_space();
      if (peek() != '"') fail("expected the name of a member");
      std::string name = parse_string();
      skip_space();
      if (!accept(':')) fail("expected ':'");
      members.emplace_back(std::move(name), parse_value(depth + 1));
      skip_space();
      if (accept('}')) break;
      if (!accept(',')) fail("expected ',' or '}'");
    }
    reject_repeated(members);
    return result;
  }

  void reject_repeated(const std::vector<Json::Member>& members) const {
    std::vector<std::string_view> names;
    names.reserve(members.size());
    for (const Json::Member& member : members) names.push_back(member.first);
    std::sort(names.begin(), names.end());
    const auto repeated = std::adjacent_find(names.begin(), names.end());
    if (repeated != names.end())
      fail("member '" + std::string(*repeated) + "' is repeated in the object that ends");
  }

  std::string parse_string() {
    ++at_;
    std::string result;
    for (;;) {
      if (ended()) fail("unterminated string");
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return result;
      }
      if (c < 0x20) fail("control character in a string");
      if (c == '\\') {
        parse_escape(result);
      } else if (c < 0x80) {
        result += text_[at_++];
      } else {
        copy_utf8(result);
      }
    }
  }

  void parse_escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    ++at_;
    if (ended()) fail("unterminated string");
    if (accept('u')) return append_code_point(parse_code_point(), out);
    const auto found = kLetters.find(text_[at_]);
    if (found == std::string_view::npos) fail("unknown escape");
    out += kMeanings[found];
    ++at_;
  }

  unsigned parse_hex4() {
    unsigned value = 0;
    const auto digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 4 || error != std::errc() || end != digits.data() + 4)
      fail("expected four hexadecimal digits");
    at_ += 4;
    return value;
  }

  unsigned parse_code_point() {
    const unsigned high = parse_hex4();
    if (high >= 0xDC00 && high < 0xE000) fail("second half of a surrogate pair without the first");
    if (high < 0xD800 || high >= 0xE000) return high;
    if (!accept('\\') || !accept('u')) fail("first half of a surrogate pair without the second");
    const unsigned low = parse_hex4();
    if (low < 0xDC00 || low >= 0xE000) fail("first half of a surrogate pair without the second");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  static void append_code_point(unsigned code, std::string& out) {
    const auto put = [&out](unsigned byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
      put(0xC0 | (code >> 6));
    } else {
      if (code < 0x10000) {
        put(0xE0 | (code >> 12));
      } else {
        put(0xF0 | (code >> 18));
        put(0x80 | ((code >> 12) & 0x3F));
      }
      put(0x80 | ((code >> 6) & 0x3F));
    }
    put(0x80 | (code & 0x3F));
  }

  void copy_utf8(std::string& out) {
    const auto byte = [this](std::size_t i) -> unsigned {
      return i < text_.size() ? static_cast<unsigned char>(text_[i]) : 0u;
    };
    const unsigned lead = byte(at_);
    const unsigned length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    unsigned code = lead & (0x7Fu >> length);
    for (unsigned i = 1; i < length; ++i) {
      if ((byte(at_ + i) & 0xC0) != 0x80) fail("invalid UTF-8");
      code = (code << 6) | (byte(at_ + i) & 0x3F);
    }
    constexpr unsigned kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    if (lead < 0xC0 || lead >= 0xF8 || code < kSmallest[length] || code > 0x10FFFF || surrogate)
      fail("invalid UTF-8");
    out.append(text_.substr(at_, length));
    at_ += length;
  }

  std::size_t skip_digits() {
    const std::size_t start = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - start;
  }

  Json parse_number() {
    const std::size_t start = at_;
    const bool negative = accept('-');
    const std::size_t digits_start = at_;
    const std::size_t digits = skip_digits();
    if (digits == 0) fail("expected a value");
    if (digits > 1 && text_[digits_start] == '0') fail("number with a leading zero");
    const std::size_t digits_end = at_;
    bool real = false;
    if (accept('.')) {
      real = true;
      if (skip_digits() == 0) fail("expected a digit after '.'");
    }
    if (accept('e') || accept('E')) {
      real = true;
      if (!accept('+')) static_cast<void>(accept('-'));
      if (skip_digits() == 0) fail("expected a digit in the exponent");
    }
    if (!real) return parse_integer(negative, text_.substr(digits_start, digits_end - digits_start));
    const std::optional<double> value = real_number(text_.substr(start, at_ - start));
    if (!value) fail("number out of range");
    return Json(*value);
  }

  Json parse_integer(bool negative, std::string_view digits) const {
    std::uint64_t magnitude = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
    const bool fits = error == std::errc() && end == digits.data() + digits.size();
    if (!fits || (negative && magnitude > std::uint64_t{1} << 63))
      fail("integer outside [-2^63, 2^64), which ends");
    Json value(magnitude);
    value.negative_ = negative && magnitude != 0;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0, values_ = 0;
  const std::size_t max_values_;
};

Json Json::parse(std::string_view text, std::size_t max_values) {
  return JsonParser(text, max_values).document();
}

}  // namespace nttforge
