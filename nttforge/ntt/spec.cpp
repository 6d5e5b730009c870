// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/spec.hpp"

#include <bit>
#include <string>
#include <utility>

#include "nttforge/arith/complex_mod.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"

namespace nttforge {
namespace {

std::string text(std::uint64_t value) { return std::to_string(value); }

std::string limb_name(const char* field, std::size_t limb) {
  return field + ("[" + std::to_string(limb) + "]");
}

std::uint64_t root_order(const NttSpec& spec) { return spec.ring == Ring::negacyclic ? 2 * spec.n : spec.n; }

void check_size(const NttSpec& spec) {
  require_transform_size(spec.n);
  if (spec.moduli.empty()) {
    throw ParameterError("moduli is empty: need at least one prime; use ntt_primes(n, bits, count)");
  }
  if (spec.word_bits != 64 && spec.word_bits != 32) {
    throw ParameterError("word_bits = " + text(spec.word_bits) + " is not supported: allowed are 32 and 64");
  }
  const std::size_t parts = spec.transform == Transform::dgt ? 2 : 1;
  if (!spec.roots.empty() && spec.roots.size() != parts * spec.moduli.size()) {
    throw ParameterError("roots has " + text(spec.roots.size()) + " entries for " + text(spec.moduli.size()) +
                         " moduli: give one root per modulus" +
                         (parts == 2 ? " (a DGT's as its real and imaginary part)" : "") +
                         ", or none for the smallest primitive ones");
  }
  if (!spec.roots.empty() && spec.transform == Transform::any) {
    throw ParameterError("roots belong to one transform: with roots, transform is ntt or dgt, not any");
  }
}

void check_dgt(const NttSpec& spec) {
  if (spec.ring != Ring::negacyclic) {
    throw ParameterError(
        "ring = cyclic has no DGT, which folds X^n + 1: use ring = negacyclic, or transform = ntt");
  }
  if (spec.n < 2) {
    throw ParameterError("n = 1 has no DGT: need n >= 2; use transform = ntt, which is the identity there");
  }
}

void check_enums(const NttSpec& spec) {
  if (spec.ring != Ring::negacyclic && spec.ring != Ring::cyclic) {
    throw ParameterError("ring = " + text(static_cast<std::uint64_t>(spec.ring)) +
                         " is unknown: allowed are Ring::negacyclic and Ring::cyclic");
  }
  if (spec.transform != Transform::ntt && spec.transform != Transform::dgt &&
      spec.transform != Transform::any) {
    throw ParameterError("transform = " + text(static_cast<std::uint64_t>(spec.transform)) +
                         " is unknown: allowed are Transform::ntt, Transform::dgt and Transform::any");
  }
  for (const auto& [name, order] :
       {std::pair{"input_order", spec.input_order}, std::pair{"output_order", spec.output_order}}) {
    if (order != Order::natural && order != Order::bit_reversed) {
      throw ParameterError(std::string(name) + " = " + text(static_cast<std::uint64_t>(order)) +
                           " is unknown: allowed are Order::natural and Order::bit_reversed");
    }
  }
}

/// Says what to do instead, for the end of an error message: with this modulus, or with another one.
std::string remedy(const NttSpec& spec, std::uint64_t q) {
  const TransformSupport support = transform_support(q);
  const bool negacyclic = spec.ring == Ring::negacyclic, dgt = spec.transform == Transform::dgt;
  const std::uint64_t largest = negacyclic ? support.max_n_negacyclic : support.max_n_cyclic;
  std::string out = "; with this q use ";
  if (!dgt && negacyclic && spec.n >= 2 && spec.n <= support.max_n_dgt)
    out += "transform = dgt, which multiplies modulo X^n + 1 up to n = " + text(support.max_n_dgt) + ", or ";
  if (largest >= 2) {
    out += "layers = " + text(static_cast<unsigned>(std::bit_width(largest)) - 1) +
           (dgt ? " and transform = ntt" : "") + ", an incomplete transform, or ";
  }
  out += "n <= " + text(dgt ? support.max_n_dgt : largest);
  if (!dgt && negacyclic && support.max_n_dgt > largest)
    out += " (transform = dgt: n <= " + text(support.max_n_dgt) + ")";
  return out + "; or take a prime of ntt_primes(" + text(spec.n) + ", bits, count)";
}

/// "need q = 1 (mod 512), and 3329 = 257 (mod 512)"
std::string need(std::uint64_t q, const char* residue, std::uint64_t order) {
  const std::string modulo = " (mod " + text(order) + ")";
  return "need q = " + (residue + modulo) + ", and " + text(q) + " = " + text(q % order) + modulo;
}

void check_modulus(const NttSpec& spec, std::size_t limb) {
  const std::uint64_t q = spec.moduli[limb];
  const std::string name = limb_name("moduli", limb) + " = " + text(q);
  if (q < 2 || (q >= std::uint64_t{1} << kMaxModulusBits && q != kGoldilocks)) {
    throw ParameterError(name + " is out of range: need a prime in [2, 2^62), or " + text(kGoldilocks) +
                         " = 2^64 - 2^32 + 1; use ntt_primes(n, bits, count)");
  }
  if (spec.word_bits == 32 && q >> 32 != 0) {
    throw ParameterError(name + " does not fit word_bits = 32: need q < 2^32; use word_bits = 64");
  }
  if (!is_prime(q))
    throw ParameterError(name + " is not prime: transforms need a prime; use ntt_primes(n, bits, count)");
  if (spec.transform == Transform::dgt) {
    if (spec.n <= transform_support(q).max_n_dgt) return;
    const std::string which = q % 4 == 3
                                  ? ": a DGT, which q = 3 (mod 4) may have, would " + need(q, "-1", spec.n)
                                  : ": both " + need(q, "1", 2 * spec.n);
    throw ParameterError("q = " + text(q) + " (" + limb_name("moduli", limb) +
                         ") has neither an NTT nor a DGT of n = " + text(spec.n) + which + remedy(spec, q));
  }
  const std::uint64_t order = root_order(spec);
  if (q % order != 1 % order) {
    throw ParameterError("q = " + text(q) + " (" + limb_name("moduli", limb) + ") does not support a " +
                         std::string(ring_name(spec.ring)) + " transform of n = " + text(spec.n) + ": " +
                         need(q, "1", order) + remedy(spec, q));
  }
}

/// root^(order/2) = -1 says that the order is exactly that power of two.
bool has_order(std::uint64_t root, std::uint64_t order, std::uint64_t q) {
  if (root == 0 || root >= q) return false;
  if (order == 1) return root == 1;
  std::uint64_t power = root;
  for (std::uint64_t i = order / 2; i > 1; i /= 2) {
    power = wide_mul_mod(power, power, q);
  }
  return power == q - 1;
}

void check_root(const NttSpec& spec, std::size_t limb) {
  const std::uint64_t q = spec.moduli[limb], order = root_order(spec);
  if (has_order(spec.roots[limb], order, q)) return;
  throw ParameterError(limb_name("roots", limb) + " = " + text(spec.roots[limb]) + " is not a primitive " +
                       text(order) + "-th root of unity mod q = " + text(q) +
                       ": give one in [1, q) of exactly that order, or leave roots empty for the smallest");
}

void check_dgt_root(const NttSpec& spec, std::size_t limb) {
  const std::uint64_t q = spec.moduli[limb];
  const ComplexMod h{spec.roots[2 * limb], spec.roots[2 * limb + 1]};
  if (h.re < q && h.im < q && complex_pow(h, spec.n / 2, q) == ComplexMod{0, 1}) return;
  throw ParameterError("root " + text(limb) + " = " + text(h.re) + " + " + text(h.im) +
                       " i is not a DGT root mod q = " + text(q) +
                       ": give h with parts in [0, q) and h^(n/2) = i, or leave roots empty");
}

void fill_root(NttSpec& spec, std::size_t limb) {
  spec.roots.push_back(smallest_root_of_unity(root_order(spec), spec.moduli[limb]));
}

void fill_dgt_root(NttSpec& spec, std::size_t limb) {
  const ComplexMod h = twist_root(spec.n, spec.moduli[limb]);
  spec.roots.insert(spec.roots.end(), {h.re, h.im});
}

}  // namespace

std::string_view transform_name(Transform transform) {
  return transform == Transform::ntt ? "ntt" : transform == Transform::dgt ? "dgt" : "any";
}
std::string_view ring_name(Ring ring) { return ring == Ring::negacyclic ? "negacyclic" : "cyclic"; }
std::string_view order_name(Order order) { return order == Order::natural ? "natural" : "bit_reversed"; }

Ring parse_ring(std::string_view name) {
  if (name == "negacyclic") return Ring::negacyclic;
  if (name == "cyclic") return Ring::cyclic;
  throw ParameterError("ring = \"" + std::string(name) + "\" is unknown; known: negacyclic, cyclic");
}

Order parse_order(std::string_view name) {
  if (name == "natural") return Order::natural;
  if (name == "bit_reversed") return Order::bit_reversed;
  throw ParameterError("order = \"" + std::string(name) + "\" is unknown; known: natural, bit_reversed");
}

Transform parse_transform(std::string_view name) {
  for (const Transform transform : {Transform::ntt, Transform::dgt, Transform::any}) {
    if (transform_name(transform) == name) return transform;
  }
  throw ParameterError("transform = \"" + std::string(name) + "\" is unknown; known: ntt, dgt, any");
}

Transform resolved_transform(const NttSpec& spec) {
  if (spec.transform != Transform::any) return spec.transform;
  check_size(spec);
  if (spec.ring != Ring::negacyclic || spec.n < 2) return Transform::ntt;
  for (const std::uint64_t q : spec.moduli) {
    if (q % root_order(spec) != 1) return Transform::dgt;
  }
  return Transform::ntt;
}

void require_valid_but_roots(const NttSpec& given) {
  check_enums(given);
  check_size(given);
  NttSpec spec = given;
  spec.transform = resolved_transform(spec);
  if (spec.transform == Transform::dgt) check_dgt(spec);
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) check_modulus(spec, limb);
}

NttSpec validated(NttSpec spec) {
  const bool given = !spec.roots.empty();
  spec = validated_but_roots(std::move(spec));
  if (given) return spec;
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb)
    spec.transform == Transform::dgt ? fill_dgt_root(spec, limb) : fill_root(spec, limb);
  return spec;
}

NttSpec validated_but_roots(NttSpec spec) {
  require_valid_but_roots(spec);
  spec.transform = resolved_transform(spec);
  if (spec.roots.empty()) return spec;
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb)
    spec.transform == Transform::dgt ? check_dgt_root(spec, limb) : check_root(spec, limb);
  return spec;
}

}  // namespace nttforge
