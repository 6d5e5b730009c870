// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bindings of all objects with bytes share.

#include <algorithm>
#include <vector>

#include "bindings.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/random/samplers.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::bindings {

using Bytes = In<std::uint8_t>;

template <class T>
nb::bytes bytes_of(const T& object) {
  std::vector<std::uint8_t> data;
  const WipeAtExit wipe(data);  // a key or a plaintext, perhaps
  {
    const ReleasedGil released;
    data = to_bytes(object);
  }
  return nb::bytes(data.data(), data.size());
}

/// A Python function (done, total), or None, as what the library calls without the GIL.
inline rlwe::ByteProgress progress_of(const nb::object& progress) {
  if (progress.is_none()) return {};
  return [&progress](std::uint64_t done, std::uint64_t total) {
    const nb::gil_scoped_acquire acquired;
    progress(done, total);
  };
}

/// A Python function that takes bytes; called without the GIL.
inline rlwe::WriteBytes sent_to(const nb::callable& to) {
  return [&to](std::span<const std::uint8_t> part) {
    const nb::gil_scoped_acquire acquired;
    to(nb::bytes(part.data(), part.size()));
  };
}

/// from(n): at most n bytes, fewer at the end only; called without the GIL.
inline rlwe::ReadBytes fetched_from(const nb::callable& from) {
  return [&from](std::span<std::uint8_t> part) {
    const nb::gil_scoped_acquire acquired;
    const nb::bytes got = nb::cast<nb::bytes>(from(part.size()));
    if (got.size() <= part.size())
      std::copy_n(reinterpret_cast<const std::uint8_t*>(got.c_str()), got.size(), part.data());
    return got.size();
  };
}

inline Seed to_seed(const Bytes& bytes) {
  Seed seed;
  if (bytes.size() != seed.bytes.size()) throw SizeError("seed must have 32 bytes");
  std::copy_n(bytes.data(), bytes.size(), seed.bytes.begin());
  return seed;
}

}  // namespace nttforge::bindings
