#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nttforge {

enum class Ring { negacyclic, cyclic };  ///< X^n + 1 and X^n - 1
enum class Order { natural, bit_reversed };

std::string_view ring_name(Ring ring);
std::string_view order_name(Order order);
Ring parse_ring(std::string_view name);    ///< throws ParameterError
Order parse_order(std::string_view name);  ///< throws ParameterError

inline constexpr std::size_t kMaxTransformSize = std::size_t{1} << 24;

/// What is to be transformed; says nothing about how. Plain data, comparable.
///
/// forward, negacyclic: X[k] = sum_j a[j] psi^(j (2k+1)), psi a primitive 2n-th root of unity mod q;
/// forward, cyclic:     X[k] = sum_j a[j] omega^(j k),    omega a primitive n-th root.
/// `input_order` is the order of the coefficients a, `output_order` that of the values X: X[k] stands at
/// position k (natural) or at the bit reversal of k. The inverse undoes the forward exactly, factor 1/n
/// included.
struct NttSpec {
  std::size_t n = 0;                    ///< power of two, 1 ... 2^24
  std::vector<std::uint64_t> moduli{};  ///< one prime per limb; repeats are allowed here
  Ring ring = Ring::negacyclic;
  Order input_order = Order::natural;
  Order output_order = Order::bit_reversed;
  unsigned word_bits = 64;             ///< 32 or 64; 32 needs every q < 2^32
  std::vector<std::uint64_t> roots{};  ///< psi (or omega) per limb; empty: the smallest primitive one

  friend bool operator==(const NttSpec&, const NttSpec&) = default;
};

/// Checks everything and returns the spec with `roots` filled in.
/// throws ParameterError naming field, value, allowed range and remedy, e.g.
///   "q = 97 does not support a negacyclic transform of n = 64: need q = 1 (mod 128), and 97 = 97 (mod 128);
///   ..."
NttSpec validated(NttSpec spec);

}  // namespace nttforge
