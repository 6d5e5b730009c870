// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/encode.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::integer_encoding {
namespace {

void check_count(std::size_t count, std::size_t n) {
  if (count > n)
    throw SizeError("values.size() = " + std::to_string(count) + " exceeds the " + std::to_string(n) +
                    " places of a plaintext; split the data over several plaintexts or use a larger n");
}

constexpr const char* kSigned = "encode signed values in [-t/2, t/2) (int64_t, in Python signed=True)";
constexpr const char* kUnsigned = "encode unsigned values in [0, t) (uint64_t, in Python signed=False)";

/// `other` is the choice that takes other values.
template <class T>
[[noreturn]] void out_of_range(std::size_t index, T value, std::int64_t low, std::int64_t high,
                               std::uint64_t t, const std::string& other) {
  throw ParameterError("values[" + std::to_string(index) + "] = " + std::to_string(value) +
                       " is out of range [" + std::to_string(low) + ", " + std::to_string(high) +
                       "] for t = " + std::to_string(t) + "; scale the data down, choose a larger t, or " +
                       other);
}

/// Copies values, t for each negative one added; false if one of them is not in [low, low + t).
bool copy_signed(std::span<const std::int64_t> values, std::int64_t low, std::uint64_t t,
                 std::uint64_t* out) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t value = static_cast<std::uint64_t>(values[i]);
    const std::uint64_t above = value - static_cast<std::uint64_t>(low);
    outside |= above | ~(above - t);
    out[i] = value + (static_cast<std::uint64_t>(values[i] >> 63) & t);
  }
  return outside >> 63 == 0;
}

}  // namespace

bool copy_below(std::span<const std::uint64_t> values, std::uint64_t t, std::uint64_t* out) {
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    outside |= values[i] | ~(values[i] - t);  // bit 63 of one of them is set unless value < t
    out[i] = values[i];
  }
  return outside >> 63 == 0;
}

void centre(std::span<const std::uint64_t> values, std::uint64_t t, std::span<std::int64_t> out) {
  const std::uint64_t half = (t - 1) / 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t negative = std::uint64_t{0} - ((half - values[i]) >> 63);
    out[i] = static_cast<std::int64_t>(values[i] - (t & negative));
  }
}

SecretVector<std::uint64_t> checked_values(const IntegerContext& context,
                                           std::span<const std::uint64_t> values) {
  check_count(values.size(), context.n());
  const std::uint64_t t = context.t();
  SecretVector<std::uint64_t> result(context.n(), 0);
  if (!copy_below(values, t, result.data()))
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] >= t) out_of_range(i, values[i], 0, static_cast<std::int64_t>(t - 1), t, kSigned);
  return result;
}

SecretVector<std::uint64_t> checked_values(const IntegerContext& context,
                                           std::span<const std::int64_t> values) {
  check_count(values.size(), context.n());
  const std::uint64_t t = context.t();
  const std::int64_t low = -static_cast<std::int64_t>(t / 2), high = static_cast<std::int64_t>((t - 1) / 2);
  SecretVector<std::uint64_t> result(context.n(), 0);
  if (!copy_signed(values, low, t, result.data()))
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] < low || values[i] > high) out_of_range(i, values[i], low, high, t, kUnsigned);
  return result;
}

}  // namespace nttforge::integer_encoding
