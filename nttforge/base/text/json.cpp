// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/text/json.hpp"

#include <cmath>
#include <cstdio>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/real.hpp"

namespace nttforge {
namespace {

constexpr const char* kKindNames[] = {"null",     "a boolean", "an integer", "a real number",
                                      "a string", "an array",  "an object"};
constexpr std::uint64_t kTwoTo63 = std::uint64_t{1} << 63;

std::string kind_name(Json::Kind kind) { return kKindNames[static_cast<unsigned>(kind)]; }

void write_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string finite_text(double value) {
  if (!std::isfinite(value)) throw FormatError("JSON cannot hold a number that is not finite");
  return real_text(value);
}

void break_line(unsigned indent, unsigned level, std::string& out) {
  if (indent == 0) return;
  out += '\n';
  out.append(std::size_t{indent} * level, ' ');
}

}  // namespace

Json Json::array() {
  Json value;
  value.kind_ = Kind::array;
  value.data_ = std::vector<Json>();
  return value;
}

Json Json::object() {
  Json value;
  value.kind_ = Kind::object;
  value.data_ = std::vector<Member>();
  return value;
}

bool operator==(const Json& a, const Json& b) {
  return a.kind_ == b.kind_ && a.negative_ == b.negative_ && a.data_ == b.data_;
}

void Json::require(Kind kind) const {
  if (kind_ != kind) throw FormatError("JSON: expected " + kind_name(kind) + ", found " + kind_name(kind_));
}

bool Json::as_bool() const {
  require(Kind::boolean);
  return std::get<std::uint64_t>(data_) != 0;
}

std::uint64_t Json::as_u64() const {
  require(Kind::integer);
  if (negative_) throw FormatError("JSON: expected an unsigned integer, found " + dump());
  return std::get<std::uint64_t>(data_);
}

std::int64_t Json::as_i64() const {
  require(Kind::integer);
  const std::uint64_t magnitude = std::get<std::uint64_t>(data_);
  if (magnitude > (negative_ ? kTwoTo63 : kTwoTo63 - 1))
    throw FormatError("JSON: expected a signed 64-bit integer, found " + dump());
  return static_cast<std::int64_t>(negative_ ? std::uint64_t{0} - magnitude : magnitude);
}

double Json::as_double() const {
  if (kind_ == Kind::integer) {
    const auto magnitude = static_cast<double>(std::get<std::uint64_t>(data_));
    return negative_ ? -magnitude : magnitude;
  }
  require(Kind::real);
  return std::get<double>(data_);
}

const std::string& Json::as_string() const {
  require(Kind::string);
  return std::get<std::string>(data_);
}

std::vector<std::uint64_t> Json::as_u64_vector() const {
  std::vector<std::uint64_t> result;
  result.reserve(elements().size());
  for (const Json& element : elements()) result.push_back(element.as_u64());
  return result;
}

std::vector<std::int64_t> Json::as_i64_vector() const {
  std::vector<std::int64_t> result;
  result.reserve(elements().size());
  for (const Json& element : elements()) result.push_back(element.as_i64());
  return result;
}

const std::vector<Json>& Json::elements() const {
  require(Kind::array);
  return std::get<std::vector<Json>>(data_);
}

const std::vector<Json::Member>& Json::members() const {
  require(Kind::object);
  return std::get<std::vector<Member>>(data_);
}

std::size_t Json::size() const { return kind_ == Kind::object ? members().size() : elements().size(); }

const Json& Json::operator[](std::size_t index) const {
  if (index >= elements().size()) {
    throw FormatError("JSON: element " + std::to_string(index) + " is missing from an array of " +
                      std::to_string(elements().size()));
  }
  return elements()[index];
}

const Json* Json::find(std::string_view name) const {
  for (const Member& member : members()) {
    if (member.first == name) return &member.second;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  const Json* member = find(name);
  if (member == nullptr) throw FormatError("JSON: member '" + std::string(name) + "' is missing");
  return *member;
}

void Json::push_back(Json value) {
  require(Kind::array);
  std::get<std::vector<Json>>(data_).push_back(std::move(value));
}

void Json::set(std::string_view name, Json value) {
  require(Kind::object);
  auto& all = std::get<std::vector<Member>>(data_);
  for (Member& member : all) {
    if (member.first == name) {
      member.second = std::move(value);
      return;
    }
  }
  all.emplace_back(std::string(name), std::move(value));
}

template <class Items, class WriteItem>
void Json::write_items(char open, char close, const Items& items, unsigned indent, unsigned level,
                       std::string& out, const WriteItem& write_item) {
  out += open;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += indent == 0 ? ", " : ",";
    first = false;
    break_line(indent, level + 1, out);
    write_item(item);
  }
  if (!first) break_line(indent, level, out);
  out += close;
}

void Json::write(unsigned indent, unsigned level, std::string& out) const {
  switch (kind_) {
    case Kind::null:
      out += "null";
      break;
    case Kind::boolean:
      out += as_bool() ? "true" : "false";
      break;
    case Kind::integer:
      out += (negative_ ? "-" : "") + std::to_string(std::get<std::uint64_t>(data_));
      break;
    case Kind::real:
      out += finite_text(std::get<double>(data_));
      break;
    case Kind::string:
      write_string(as_string(), out);
      break;
    case Kind::array:
      write_items('[', ']', elements(), indent, level, out,
                  [&](const Json& element) { element.write(indent, level + 1, out); });
      break;
    case Kind::object:
      write_items('{', '}', members(), indent, level, out, [&](const Member& member) {
        write_string(member.first, out);
        out += ": ";
        member.second.write(indent, level + 1, out);
      });
      break;
  }
}

std::string Json::dump(unsigned indent) const {
  std::string out;
  write(indent, 0, out);
  return out;
}

}  // namespace nttforge
