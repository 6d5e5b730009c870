// SPDX-License-Identifier: Apache-2.0
// A program of C++17 that uses the headers as SEAL does: compiled with -std=c++17 (CMakeLists.txt), called by
// ntt_test.cpp and number_theory_test.cpp.
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "nttforge/hexl/eltwise.hpp"
#include "nttforge/hexl/ntt.hpp"
#include "nttforge/hexl/number_theory.hpp"
#include "nttforge/hexl/testing_cxx17.hpp"

static_assert(__cplusplus == 201703L, "this file tests that C++17 is enough");

namespace {

std::uint64_t given = 0, returned = 0;

struct Pool {
  std::size_t factor = 1;
};
struct Policy {
  std::unique_ptr<std::mutex> mutex = std::make_unique<std::mutex>();
};

}  // namespace

namespace intel {
namespace hexl {

template <>
struct NTT::AllocatorAdapter<Pool> : public AllocatorInterface<NTT::AllocatorAdapter<Pool>> {
  AllocatorAdapter(Pool) {}
  void* allocate_impl(std::size_t bytes) {
    given += bytes;
    return ::operator new(bytes);
  }
  void deallocate_impl(void* p, std::size_t bytes) {
    returned += bytes;
    ::operator delete(p, bytes);
  }
};

template <>
struct NTT::AllocatorAdapter<Pool, Policy> : public NTT::AllocatorAdapter<Pool> {
  AllocatorAdapter(Pool pool, Policy&& policy) : AllocatorAdapter<Pool>(pool), policy_(std::move(policy)) {}

 private:
  Policy policy_;
};

}  // namespace hexl
}  // namespace intel

namespace nttforge {
namespace testing {

namespace hexl = intel::hexl;

std::vector<std::uint64_t> transform_as_cxx17(std::uint64_t n, std::uint64_t q,
                                              std::vector<std::uint64_t> x) {
  hexl::NTT unset;
  unset = hexl::NTT(n, q, hexl::MinimalPrimitiveRoot(2 * n, q), Pool{}, Policy{});
  const hexl::NTT copy = unset;
  unset = hexl::NTT(n, q, Pool{});
  copy.ComputeForward(x.data(), x.data(), 1, 1);
  return copy.GetRootOfUnityPowers() == unset.GetRootOfUnityPowers() ? x : std::vector<std::uint64_t>();
}

AdapterBytes adapter_bytes() { return {given, returned}; }

bool inline_helpers_hold() {
  using namespace intel::hexl;
  const std::uint64_t q = 1000003, twice = 2 * q, four = 4 * q;
  bool holds = Log2(1) == 0 && Log2(q) == 19 && MSB(~std::uint64_t{0}) == 63 && IsPowerOfTwo(64) &&
               !IsPowerOfTwo(0) && IsPowerOfFour(64) && !IsPowerOfFour(32) &&
               MaximumValue(64) == ~std::uint64_t{0} && MaximumValue(3) == 7;
  std::uint64_t high = 0, low = 0;
  MultiplyUInt64(~std::uint64_t{0}, ~std::uint64_t{0}, &high, &low);
  holds = holds && high == ~std::uint64_t{0} - 1 && low == 1 && AddUInt64(1, ~std::uint64_t{0}, &low) == 1 &&
          low == 0;
  holds =
      holds && BarrettReduce128(1, 0, q) == static_cast<std::uint64_t>((static_cast<uint128_t>(1) << 64) % q);
  holds = holds && DivideUInt128UInt64Lo(1, 0, 3) == 0x5555555555555555u;
  for (std::uint64_t x : {std::uint64_t{0}, q - 1, q, 123456789012345678u, ~std::uint64_t{0}}) {
    const std::uint64_t barrett = MultiplyFactor(1, 64, q).BarrettFactor();
    holds = holds && BarrettReduce64<1>(x, q, barrett) == x % q &&
            BarrettReduce64<2>(x, q, barrett) < twice && BarrettReduce64<2>(x, q, barrett) % q == x % q;
    const std::uint64_t wide = static_cast<std::uint64_t>(static_cast<uint128_t>(x) * 77 % q);
    holds = holds && MultiplyModLazy<64>(x, 77, q) % q == wide && MultiplyModLazy<64>(x, 77, q) < twice;
    if (x >> 52 == 0) holds = holds && MultiplyModLazy<52>(x, 77, q) % q == wide;
  }
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t x = i * q + 5;
    if (i < 2) holds = holds && ReduceMod<2>(x, q) == 5;
    if (i < 4) holds = holds && ReduceMod<4>(x, q, &twice) == 5;
    holds = holds && ReduceMod<8>(x, q, &twice, &four) == 5;
  }
  for (std::uint32_t r : {20u, 46u, 51u, 64u}) {
    holds = holds && ((HenselLemma2adicRoot(r, q) * q + 1) & MaximumValue(r)) == 0 &&
            HenselLemma2adicRoot(r, q) <= MaximumValue(r);
  }
  const std::uint64_t root = HenselLemma2adicRoot(46, q);
  for (std::uint64_t t : {std::uint64_t{0}, std::uint64_t{1}, (q << 46) - 1, (q << 40) + 12345}) {
    const std::uint64_t reduced = MontgomeryReduce<64>(0, t, q, 46, MaximumValue(46), root);
    holds = holds && reduced < q && static_cast<uint128_t>(reduced) * (std::uint64_t{1} << 46) % q == t % q &&
            MontgomeryReduce<52>(t >> 52, t & MaximumValue(52), q, 46, MaximumValue(46), root) == reduced;
  }
  return holds;
}

}  // namespace testing
}  // namespace nttforge
