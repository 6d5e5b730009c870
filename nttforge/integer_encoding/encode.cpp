// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/encode.hpp"

#include <algorithm>
#include <string>

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr const char* kSigned = "encode signed values in [-t/2, t/2) (int64_t, in Python signed=True)";
constexpr const char* kChanged = "values changed while they were looked at: wait for whoever writes them";
constexpr const char* kUnsigned = "encode unsigned values in [0, t) (uint64_t, in Python signed=False)";

/// `other` is the choice that takes other values.
template <class T>
[[noreturn]] void out_of_range(const std::string& index, T value, std::int64_t low, std::int64_t high,
                               std::uint64_t t, const std::string& other) {
  throw ParameterError("values" + index + " = " + std::to_string(value) + " is out of range [" +
                       std::to_string(low) + ", " + std::to_string(high) + "] for t = " + std::to_string(t) +
                       "; scale the data down, choose a larger t, or " + other);
}

/// Copies values, t for each negative one added; false if one of them is not in [low, low + t).
bool copy_signed(std::span<const std::int64_t> values, std::int64_t low, std::uint64_t t,
                 std::uint64_t* out) {
  std::copy(values.begin(), values.end(), reinterpret_cast<std::int64_t*>(out));
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t value = out[i], above = value - static_cast<std::uint64_t>(low);
    outside |= above | ~(above - t);
    out[i] = value + ((std::uint64_t{0} - (value >> 63)) & t);
  }
  return outside >> 63 == 0;
}

}  // namespace

std::size_t row_width(std::size_t count, std::size_t batch, std::size_t n, std::string_view what) {
  require_batch(batch);
  const std::string given = std::string(what) + ".size() = " + std::to_string(count);
  if (count % batch != 0)
    throw SizeError(given + " is no multiple of batch = " + std::to_string(batch) +
                    ": every row of a batch has the same number of values, at most " + std::to_string(n));
  if (count / batch > n)
    throw SizeError(given + " exceeds the " + (batch == 1 ? "" : std::to_string(batch) + " x ") +
                    std::to_string(n) + " places of " + (batch == 1 ? "a plaintext" : "this batch") +
                    "; split the data over several plaintexts or use a larger n");
  return count / batch;
}

std::string index_text(std::size_t i, std::size_t width, std::size_t batch) {
  const std::string row = batch == 1 ? "" : std::to_string(i / width) + ", ";
  return "[" + row + std::to_string(i % width) + "]";
}

void require_values(std::size_t size, const Plaintext& plaintext) {
  if (size == plaintext.words()) return;
  const bool single = plaintext.batch() == 1;
  throw SizeError("out.size() = " + std::to_string(size) + ", expected " + (single ? "" : "batch x ") +
                  "n = " + std::to_string(plaintext.words()));
}

bool copy_below(std::span<const std::uint64_t> values, std::uint64_t t, std::uint64_t* out) {
  std::copy(values.begin(), values.end(), out);
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    outside |= out[i] | ~(out[i] - t);  // bit 63 of one of them is set unless value < t
  return outside >> 63 == 0;
}

void centre(std::span<const std::uint64_t> values, std::uint64_t t, std::span<std::int64_t> out) {
  for (std::size_t i = 0; i < values.size(); ++i)
    out[i] = static_cast<std::int64_t>(centred_integer(values[i], t));
}

namespace {

/// Rows of `width` values to rows of n words in the device's memory. copy(values, to) copies some that are
/// neighbours, and returns false if one of them is out of range; then so does this.
template <class T, class Copy>
bool upload_rows(const Queue& queue, std::span<const T> values, std::size_t width, std::size_t n,
                 std::size_t batch, WordPtr out, const Copy& copy) {
  bool inside = true;
  queue.upload_written(batch * n, out, [&](std::size_t first, std::span<std::uint64_t> to) {
    while (!to.empty()) {
      const std::size_t row = first / n, column = first % n;
      const std::size_t size = std::min(n - column, to.size());
      const std::size_t given = column < width ? std::min(width - column, size) : 0;
      if (given != 0) inside &= copy(values.subspan(row * width + column, given), to.data());
      std::fill(to.begin() + static_cast<std::ptrdiff_t>(given),
                to.begin() + static_cast<std::ptrdiff_t>(size), 0);
      to = to.subspan(size);
      first += size;
    }
  });
  return inside;
}

}  // namespace

void upload_values(const IntegerContext& context, std::span<const std::uint64_t> values, std::size_t batch,
                   WordPtr out) {
  const std::size_t n = context.n(), width = row_width(values.size(), batch, n, "values");
  const std::uint64_t t = context.t();
  const auto copy = [t](std::span<const std::uint64_t> part, std::uint64_t* to) {
    return copy_below(part, t, to);
  };
  if (upload_rows(context.queue(), values, width, n, batch, out, copy)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] >= t)
      out_of_range(index_text(i, width, batch), values[i], 0, static_cast<std::int64_t>(t - 1), t, kSigned);
  throw ParameterError(kChanged);
}

void upload_values(const IntegerContext& context, std::span<const std::int64_t> values, std::size_t batch,
                   WordPtr out) {
  const std::size_t n = context.n(), width = row_width(values.size(), batch, n, "values");
  const std::uint64_t t = context.t();
  const std::int64_t low = signed_low(t), high = signed_high(t);
  const auto copy = [&](std::span<const std::int64_t> part, std::uint64_t* to) {
    return copy_signed(part, low, t, to);
  };
  if (upload_rows(context.queue(), values, width, n, batch, out, copy)) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] < low || values[i] > high)
      out_of_range(index_text(i, width, batch), values[i], low, high, t, kUnsigned);
  throw ParameterError(kChanged);
}

namespace {

/// Finds the first integer that is out of range, of words that the device holds, and says so.
[[noreturn]] void throw_first_outside(const IntegerContext& context, const DeviceIntegers& values,
                                      std::int64_t low) {
  const std::uint64_t t = context.t();
  const std::int64_t high = low + static_cast<std::int64_t>(t - 1);
  const IntegerRows& rows = values.rows;
  SecretVector<std::uint64_t> words(values.batch * rows.width);
  context.queue().download(rows.words, words);
  const bool narrow = rows.words.word_bits() == 32;
  const std::string other = values.centred ? kUnsigned : kSigned;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string index = index_text(i, rows.width, values.batch);
    if (rows.is_signed) {
      const std::int64_t value =
          narrow ? std::int64_t{static_cast<std::int32_t>(words[i])} : static_cast<std::int64_t>(words[i]);
      if (value < low || value > high) out_of_range(index, value, low, high, t, other);
    } else if (words[i] > static_cast<std::uint64_t>(high)) {
      out_of_range(index, words[i], low, high, t, other);
    }
  }
  throw ParameterError(kChanged);
}

}  // namespace

void reduce_on_device(const IntegerContext& context, const DeviceIntegers& values, WordPtr out) {
  const std::size_t n = context.n();
  row_width(values.batch * values.rows.width, values.batch, n, "values");
  const std::int64_t low = values.centred ? signed_low(context.t()) : 0;
  const Queue& queue = context.queue();
  DeviceArray outside = values.checked ? queue.allocate(1) : DeviceArray();
  const WordPtr flag = values.checked ? outside.data() : WordPtr(nullptr);
  queue.reduce_integers(context.t(), values.rows, low, out, n, values.batch, flag);
  if (!values.checked) return;
  std::uint64_t any = 0;
  queue.download(flag, std::span(&any, 1));
  if (any != 0) throw_first_outside(context, values, low);
}

void write_on_device(const IntegerContext& context, ConstWordPtr values, std::size_t count, WordPtr out,
                     bool centred) {
  if (centred)
    context.queue().centre(context.t(), values, out, count);
  else
    context.queue().copy(values, out, count);
}

}  // namespace nttforge::integer_encoding
