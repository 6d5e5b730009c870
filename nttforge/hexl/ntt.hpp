// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "nttforge/hexl/allocator.hpp"
#include "nttforge/hexl/macros.hpp"

namespace intel {
namespace hexl {

/// The negacyclic number theoretic transform modulo a prime q = 1 (mod 2 degree), natural to bit-reversed
/// order, on one array of `degree` words. Copies share their tables. Transforms are const, allocate nothing
/// and may run in several threads at once, also with one object.
class NTT {
 public:
  /// Programs specialise it for their allocators: an AllocatorInterface with allocate_impl and
  /// deallocate_impl.
  template <class Adaptee, class... Args>
  struct AllocatorAdapter : public AllocatorInterface<AllocatorAdapter<Adaptee, Args...>> {
    explicit AllocatorAdapter(Adaptee&& adaptee, Args&&... args);
    AllocatorAdapter(const Adaptee& adaptee, Args&... args);
    void* allocate_impl(std::size_t bytes_count);
    void deallocate_impl(void* p, std::size_t n);
  };

  /// Only what is neither a number nor a shared AllocatorBase is to be adapted.
  template <class Allocator>
  using IfAllocator = std::enable_if_t<!std::is_arithmetic_v<std::decay_t<Allocator>> &&
                                       !std::is_convertible_v<Allocator, std::shared_ptr<AllocatorBase>>>;

  NTT() = default;  ///< may only be assigned to
  /// degree         a power of two, 2 ... 2^20
  /// q              a prime below 2^62
  /// root_of_unity  of order 2 degree; the smallest one unless given
  /// alloc_ptr      memory of the tables; malloc's unless given. The getters of tables take more of it, when
  /// first
  ///                called, one at a time
  /// throws nttforge::ParameterError if these do not fit, and UnsupportedError if NTTFORGE_TARGET cannot run
  /// here.
  NTT(std::uint64_t degree, std::uint64_t q, std::shared_ptr<AllocatorBase> alloc_ptr = {});
  NTT(std::uint64_t degree, std::uint64_t q, std::uint64_t root_of_unity,
      std::shared_ptr<AllocatorBase> alloc_ptr = {});
  template <class Allocator, class... AllocatorArgs, class = IfAllocator<Allocator>>
  NTT(std::uint64_t degree, std::uint64_t q, Allocator&& a, AllocatorArgs&&... args)
      : NTT(degree, q, adapted(std::forward<Allocator>(a), std::forward<AllocatorArgs>(args)...)) {}
  template <class Allocator, class... AllocatorArgs, class = IfAllocator<Allocator>>
  NTT(std::uint64_t degree, std::uint64_t q, std::uint64_t root_of_unity, Allocator&& a,
      AllocatorArgs&&... args)
      : NTT(degree, q, root_of_unity,
            adapted(std::forward<Allocator>(a), std::forward<AllocatorArgs>(args)...)) {}

  /// Whether the first two constructors take these.
  static bool CheckArguments(std::uint64_t degree, std::uint64_t modulus);

  /// Natural to bit-reversed order; result is operand or disjoint from it.
  /// input_mod_factor   1, 2 or 4: words of operand are below that times q
  /// output_mod_factor  1 or 4: words of result may be below that times q. They are below q always
  /// throws nttforge::ParameterError for other factors, or if this is a default-constructed object.
  void ComputeForward(std::uint64_t* result, const std::uint64_t* operand, std::uint64_t input_mod_factor,
                      std::uint64_t output_mod_factor) const;
  /// Bit-reversed to natural order, with the factor 1/degree; both factors are 1 or 2.
  void ComputeInverse(std::uint64_t* result, const std::uint64_t* operand, std::uint64_t input_mod_factor,
                      std::uint64_t output_mod_factor) const;

  /// The root of unity in use.
  std::uint64_t GetMinimalRootOfUnity() const;
  std::uint64_t GetDegree() const;
  std::uint64_t GetModulus() const;

  /// Powers of the root w: entry i is w^(bit reversal of i). PreconB: floor(power 2^B / q) of each.
  const AlignedVector64<std::uint64_t>& GetRootOfUnityPowers() const { return table(Table::powers); }
  std::uint64_t GetRootOfUnityPower(std::size_t i) const { return GetRootOfUnityPowers()[i]; }
  const AlignedVector64<std::uint64_t>& GetPrecon32RootOfUnityPowers() const {
    return table(Table::powers32);
  }
  const AlignedVector64<std::uint64_t>& GetPrecon64RootOfUnityPowers() const {
    return table(Table::powers64);
  }
  /// The same powers, those of index degree/8 to degree/4 four times each and those to degree/2 twice.
  const AlignedVector64<std::uint64_t>& GetAVX512RootOfUnityPowers() const { return table(Table::repeated); }
  const AlignedVector64<std::uint64_t>& GetAVX512Precon32RootOfUnityPowers() const {
    return table(Table::repeated32);
  }
  const AlignedVector64<std::uint64_t>& GetAVX512Precon52RootOfUnityPowers() const {
    return table(Table::repeated52);
  }
  const AlignedVector64<std::uint64_t>& GetAVX512Precon64RootOfUnityPowers() const {
    return table(Table::repeated64);
  }
  /// Inverses of powers in the order in which an inverse transform reads them: 1, then those of indices
  /// degree/2 to degree, of degree/4 to degree/2, ..., of 1.
  const AlignedVector64<std::uint64_t>& GetInvRootOfUnityPowers() const { return table(Table::inverses); }
  std::uint64_t GetInvRootOfUnityPower(std::size_t i) const { return GetInvRootOfUnityPowers()[i]; }
  const AlignedVector64<std::uint64_t>& GetPrecon32InvRootOfUnityPowers() const {
    return table(Table::inverses32);
  }
  const AlignedVector64<std::uint64_t>& GetPrecon52InvRootOfUnityPowers() const {
    return table(Table::inverses52);
  }
  const AlignedVector64<std::uint64_t>& GetPrecon64InvRootOfUnityPowers() const {
    return table(Table::inverses64);
  }

  static std::size_t MaxDegreeBits() { return 20; }
  static std::size_t MaxModulusBits() { return 62; }
  static constexpr std::size_t s_default_shift_bits{64};
  static constexpr std::size_t s_ifma_shift_bits{52};
  static constexpr std::size_t s_max_fwd_32_modulus{std::size_t{1} << 30};
  static constexpr std::size_t s_max_inv_32_modulus{std::size_t{1} << 30};
  static constexpr std::size_t s_max_fwd_ifma_modulus{std::size_t{1} << 50};
  static constexpr std::size_t s_max_inv_ifma_modulus{std::size_t{1} << 50};
  static constexpr std::size_t s_max_inv_dq_modulus{std::size_t{1} << 62};
  /// The modulus below which arithmetic with quotients of 32, 52 or 64 bits serves; 0 for other numbers of
  /// bits.
  static std::size_t s_max_fwd_modulus(int bit_shift) {
    return bit_shift == 32 || bit_shift == 52 || bit_shift == 64 ? std::size_t{1} << (bit_shift - 2) : 0;
  }
  static std::size_t s_max_inv_modulus(int bit_shift) { return s_max_fwd_modulus(bit_shift); }

  struct Engine;  ///< not for users
  enum class Table : unsigned {
    powers,
    powers32,
    powers64,
    repeated,
    repeated32,
    repeated52,
    repeated64,
    inverses,
    inverses32,
    inverses52,
    inverses64
  };

 private:
  template <class Allocator, class... AllocatorArgs>
  static std::shared_ptr<AllocatorBase> adapted(Allocator&& a, AllocatorArgs&&... args) {
    return std::make_shared<AllocatorAdapter<Allocator, AllocatorArgs...>>(
        std::move(a), std::forward<AllocatorArgs>(args)...);
  }
  const AlignedVector64<std::uint64_t>& table(Table which) const;

  std::shared_ptr<const Engine> engine_;
};

}  // namespace hexl
}  // namespace intel
