// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "targets.hpp"

namespace nttforge::fuzz {

/// Makes wrong inputs of right ones, the same for the same seed.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  /// Some changes of one of the inputs. Four in five framed ones get the lengths and checksums again that
  /// make a loader look further than its header.
  Bytes mutated(const std::vector<Bytes>& inputs, bool framed);
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

 private:
  void change(Bytes& bytes, const std::vector<Bytes>& inputs, bool text);
  std::mt19937_64 random_;
};

/// Payload length, checksum, and of parameters the fingerprint. Shorter bytes than a frame stay as they are.
void repair(Bytes& bytes);

}  // namespace nttforge::fuzz
