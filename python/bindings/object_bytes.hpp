// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bindings of all objects with bytes share.

#include <algorithm>
#include <vector>

#include "bindings.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/random/samplers.hpp"

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

inline Seed to_seed(const Bytes& bytes) {
  Seed seed;
  if (bytes.size() != seed.bytes.size()) throw SizeError("seed must have 32 bytes");
  std::copy_n(bytes.data(), bytes.size(), seed.bytes.begin());
  return seed;
}

}  // namespace nttforge::bindings
