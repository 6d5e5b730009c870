// SPDX-License-Identifier: Apache-2.0
#pragma once

// Range checks and sign shared by the two encoders. Which instructions run, and which memory they touch, does
// not depend on a value: only that some value is out of range shows, and which, once an error is thrown.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/integer_encoding/device_integers.hpp"
#include "nttforge/integer_encoding/plaintext.hpp"

namespace nttforge::integer_encoding {

/// Values of each of `batch` rows in an array called `what` of `count`. throws ParameterError for a batch out
/// of range, SizeError unless the rows are equally long and have at most n values.
std::size_t row_width(std::size_t count, std::size_t batch, std::size_t n, std::string_view what);

/// Where value i of an array [batch][width] is: "[i]", or "[row, place]" in a batch.
std::string index_text(std::size_t i, std::size_t width, std::size_t batch);

/// throws SizeError unless an output of `size` values holds the plaintext's.
void require_values(std::size_t size, const Plaintext& plaintext);

/// values [batch][m], m <= n -> out [batch][n] in device memory, in [0, t), zero padded. throws SizeError;
/// ParameterError naming index, value and range.
void upload_values(const IntegerContext& context, std::span<const std::uint64_t> values, std::size_t batch,
                   WordPtr out);
void upload_values(const IntegerContext& context, std::span<const std::int64_t> values, std::size_t batch,
                   WordPtr out);

/// Copies values, t <= 2^62; false if one of them is not below t. Each value is read once and the copy is
/// what is checked, since another thread may write to the values meanwhile; so do all that take values here.
bool copy_below(std::span<const std::uint64_t> values, std::uint64_t t, std::uint64_t* out);

/// copy(row, to) for each row of `width` values, with places `stride` words apart. False if one of them was.
template <class T, class Copy>
bool copy_rows(std::span<const T> values, std::size_t width, std::size_t stride, std::uint64_t* out,
               const Copy& copy) {
  bool inside = true;
  for (; !values.empty(); values = values.subspan(width), out += stride)
    inside &= copy(values.first(width), out);
  return inside;
}

/// values -> out [batch][n] in [0, t), zero padded. throws SizeError for rows of more than n integers;
/// ParameterError as upload_values(), if they are checked.
void reduce_on_device(const IntegerContext& context, const DeviceIntegers& values, WordPtr out);

/// Values in [0, t) to words that hold them, as they are or centred.
void write_on_device(const IntegerContext& context, ConstWordPtr values, std::size_t count, WordPtr out,
                     bool centred);

/// Values in [0, t) as the centred ones in [signed_low(t), signed_high(t)].
void centre(std::span<const std::uint64_t> values, std::uint64_t t, std::span<std::int64_t> out);

/// An encoder's values, centred. throws SizeError unless out has batch n.
template <class Encoder>
void decode_centred(const Encoder& encoder, const Plaintext& plaintext, std::span<std::int64_t> out) {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> values(out.size());
  encoder.decode(plaintext, values);
  centre(values, plaintext.context()->t(), out);
}

}  // namespace nttforge::integer_encoding
