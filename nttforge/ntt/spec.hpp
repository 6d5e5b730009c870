// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nttforge/arith/transform_size.hpp"
#include "nttforge/base/cxx20.hpp"

namespace nttforge {

enum class Ring { negacyclic, cyclic };      ///< X^n + 1 and X^n - 1
enum class Order { natural, bit_reversed };  ///< of coefficients, or of values

/// Which values a polynomial is turned into.
enum class Transform {
  ntt,  ///< values modulo q
  dgt,  ///< values in GF(q)[i]: negacyclic products also modulo primes without a power-of-two root
  any,  ///< ntt where every modulus carries one, else dgt; validated() says which
};

std::string_view transform_name(Transform transform);  ///< "ntt", "dgt" or "any"
std::string_view ring_name(Ring ring);                 ///< "negacyclic" or "cyclic"
std::string_view order_name(Order order);              ///< "natural" or "bit_reversed"
Transform parse_transform(std::string_view name);      ///< throws ParameterError
Ring parse_ring(std::string_view name);                ///< throws ParameterError
Order parse_order(std::string_view name);              ///< throws ParameterError

/// What is to be transformed; says nothing about how. Plain data, comparable.
///
/// forward, negacyclic: X[k] = sum_j a[j] psi^(j (2k+1)), psi a primitive 2n-th root of unity mod q;
/// forward, cyclic:     X[k] = sum_j a[j] omega^(j k),    omega a primitive n-th root.
/// `input_order` is the order of the coefficients a, `output_order` that of the values X: X[k] stands at
/// position k (natural) or at the bit reversal of k. The inverse undoes the forward exactly, factor 1/n
/// included.
///
/// transform = dgt (negacyclic, n >= 2), [Bad18b] Alg. 1 with h^(n/2) = i:
///   A[k] = sum_{j < n/2} (a[j] + i a[j + n/2]) h^(j (4k + 1)),   k < n/2.
/// Real parts of A stand in the first half of the values, imaginary parts in the second, each half in
/// `output_order` (bit reversal of k over log2(n) - 1 bits). q = 3 (mod 4) carries n with n | q + 1,
/// q = 1 (mod 4) those with an NTT.
struct NttSpec {
  std::size_t n = 0;                    ///< transform_sizes(): power of two, 1 ... 2^28, on CPUs 2^24
  std::vector<std::uint64_t> moduli{};  ///< one prime per limb; repeats are allowed here
  Ring ring = Ring::negacyclic;
  Order input_order = Order::natural;
  Order output_order = Order::bit_reversed;
  unsigned word_bits = 64;  ///< 32 or 64; 32 needs every q < 2^32
  /// psi (or omega) per limb, for a DGT real and imaginary part of h per limb; empty: the smallest primitive
  /// one (for a DGT twist_root() of arith/complex_mod.hpp).
  std::vector<std::uint64_t> roots{};
  Transform transform = Transform::ntt;

  friend bool operator==(const NttSpec&, const NttSpec&) = default;
};

/// Checks everything and returns the spec with `roots` filled in.
/// throws ParameterError naming field, value, allowed range and remedy, e.g.
///   "q = 97 does not support a negacyclic transform of n = 64: need q = 1 (mod 128), and 97 = 97 (mod 128);
///   ..."
NttSpec validated(NttSpec spec);

/// All that validated() checks but the roots, whose search takes time proportional to n.
void require_valid_but_roots(const NttSpec& spec);

/// As validated(), but roots that are not given are not searched: what recipes and wisdom need of a spec.
NttSpec validated_but_roots(NttSpec spec);

/// ntt or dgt: what `any` stands for in this spec. throws ParameterError as validated() for n, word_bits and
/// the number of moduli and roots.
Transform resolved_transform(const NttSpec& spec);

}  // namespace nttforge
