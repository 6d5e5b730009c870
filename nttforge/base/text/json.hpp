// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace nttforge {

/// A JSON value [RFC 8259]. Objects keep the order of their members; integers are exact in [-2^63, 2^64).
///
///   const Json recipe = Json::parse(text);
///   const std::uint64_t n = recipe.at("n").as_u64();
///
/// The accessors throw FormatError, saying what was found, if the value is of another kind, a number does not
/// fit, or a member or element is missing.
class Json {
 public:
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, array, object };
  using Member = std::pair<std::string, Json>;

  Json() = default;  ///< null
  Json(std::same_as<bool> auto value) : kind_(Kind::boolean), data_(std::uint64_t{value}) {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
  Json(Integer value) : kind_(Kind::integer), negative_(below_zero(value)), data_(magnitude_of(value)) {}
  Json(double value) : kind_(Kind::real), data_(value) {}
  Json(std::string value) : kind_(Kind::string), data_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  static Json array();
  static Json object();

  static constexpr unsigned kMaxDepth = 64;
  static constexpr std::size_t kMaxValues = std::size_t{1} << 20;
  /// Strict: one value, no trailing text, valid UTF-8, no repeated member, at most kMaxDepth levels and
  /// `max_values` values, of 100 bytes each beside their text. throws FormatError naming the byte offset.
  static Json parse(std::string_view text, std::size_t max_values = kMaxValues);

  /// On one line, or with `indent` spaces a level. throws FormatError for a real that is not finite.
  std::string dump(unsigned indent = 0) const;

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool as_bool() const;
  std::uint64_t as_u64() const;
  std::int64_t as_i64() const;
  double as_double() const;  ///< of an integer too, rounded
  const std::string& as_string() const;
  std::vector<std::uint64_t> as_u64_vector() const;
  std::vector<std::int64_t> as_i64_vector() const;

  const std::vector<Json>& elements() const;        ///< of an array
  const std::vector<Member>& members() const;       ///< of an object
  std::size_t size() const;                         ///< of either
  const Json& operator[](std::size_t index) const;  ///< element of an array
  const Json& at(std::string_view name) const;      ///< member of an object
  const Json* find(std::string_view name) const;    ///< the same, nullptr if there is none

  void push_back(Json value);                   ///< to an array
  void set(std::string_view name, Json value);  ///< member of an object: replaced or appended

  friend bool operator==(const Json& a, const Json& b);

 private:
  friend class JsonParser;
  template <class Integer>
  static bool below_zero(Integer value) {
    if constexpr (std::signed_integral<Integer>) return value < 0;
    return false;
  }
  template <class Integer>
  static std::uint64_t magnitude_of(Integer value) {
    const auto word = static_cast<std::uint64_t>(value);  // sign-extended
    return below_zero(value) ? std::uint64_t{0} - word : word;
  }
  void require(Kind kind) const;
  void write(unsigned indent, unsigned level, std::string& out) const;
  template <class Items, class WriteItem>
  static void write_items(char open, char close, const Items& items, unsigned indent, unsigned level,
                          std::string& out, const WriteItem& write_item);

  Kind kind_ = Kind::null;
  bool negative_ = false;
  // Booleans and integers (their magnitude), reals, strings, arrays, objects.
  std::variant<std::uint64_t, double, std::string, std::vector<Json>, std::vector<Member>> data_;
};

}  // namespace nttforge
