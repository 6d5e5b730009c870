// SPDX-License-Identifier: Apache-2.0
#pragma once

// As much of HEXL's interface as SEAL uses, and nothing behind it: results are whatever the memory held. SEAL
// built with this takes the time of everything that is not in the header.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace intel {
namespace hexl {

struct AllocatorBase {
  virtual ~AllocatorBase() noexcept = default;
};
template <class AllocatorImpl>
struct AllocatorInterface : public AllocatorBase {};

class NTT {
 public:
  template <class Adaptee, class... Args>
  struct AllocatorAdapter;
  template <class... Arguments>
  NTT(Arguments&&...) {}
  NTT(const NTT&) = default;
  NTT(NTT&) = default;
  NTT(NTT&&) = default;
  void ComputeForward(std::uint64_t*, const std::uint64_t*, std::uint64_t, std::uint64_t) const {}
  void ComputeInverse(std::uint64_t*, const std::uint64_t*, std::uint64_t, std::uint64_t) const {}
};

template <class... Arguments>
void EltwiseAddMod(Arguments...) {}
template <class... Arguments>
void EltwiseSubMod(Arguments...) {}
template <class... Arguments>
void EltwiseMultMod(Arguments...) {}
template <class... Arguments>
void EltwiseFMAMod(Arguments...) {}
template <class... Arguments>
void EltwiseReduceMod(Arguments...) {}

}  // namespace hexl
}  // namespace intel
