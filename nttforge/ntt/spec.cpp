#include "nttforge/ntt/spec.hpp"

#include <string>
#include <utility>

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

void check_size(const NttSpec& spec) {
  if (spec.n == 0 || (spec.n & (spec.n - 1)) != 0 || spec.n > kMaxTransformSize) {
    throw ParameterError("n = " + text(spec.n) + " is not supported: need a power of two, 1 ... " +
                         text(kMaxTransformSize) + "; pad the polynomial to the next power of two");
  }
  if (spec.moduli.empty()) {
    throw ParameterError("moduli is empty: need at least one prime; use ntt_primes(n, bits, count)");
  }
  if (spec.word_bits != 64 && spec.word_bits != 32) {
    throw ParameterError("word_bits = " + text(spec.word_bits) + " is not supported: allowed are 32 and 64");
  }
  if (!spec.roots.empty() && spec.roots.size() != spec.moduli.size()) {
    throw ParameterError("roots has " + text(spec.roots.size()) + " entries for " + text(spec.moduli.size()) +
                         " moduli: give one root per modulus, or none for the smallest primitive ones");
  }
}

void check_enums(const NttSpec& spec) {
  if (spec.ring != Ring::negacyclic && spec.ring != Ring::cyclic) {
    throw ParameterError("ring = " + text(static_cast<std::uint64_t>(spec.ring)) +
                         " is unknown: allowed are Ring::negacyclic and Ring::cyclic");
  }
  for (const auto& [name, order] :
       {std::pair{"input_order", spec.input_order}, std::pair{"output_order", spec.output_order}}) {
    if (order != Order::natural && order != Order::bit_reversed) {
      throw ParameterError(std::string(name) + " = " + text(static_cast<std::uint64_t>(order)) +
                           " is unknown: allowed are Order::natural and Order::bit_reversed");
    }
  }
}

void check_modulus(const NttSpec& spec, std::size_t limb, std::uint64_t order) {
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
  if (q % order != 1 % order) {
    const std::string dimension = text(spec.n), residue = text(q % order);
    throw ParameterError("q = " + text(q) + " (" + limb_name("moduli", limb) + ") does not support a " +
                         std::string(ring_name(spec.ring)) + " transform of n = " + dimension +
                         ": need q = 1 (mod " + text(order) + "), and " + text(q) + " = " + residue +
                         " (mod " + text(order) + "); use ntt_primes(" + dimension + ", bits, count)");
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

}  // namespace

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

NttSpec validated(NttSpec spec) {
  check_size(spec);
  check_enums(spec);
  const std::uint64_t order = spec.ring == Ring::negacyclic ? 2 * spec.n : spec.n;
  const bool given = !spec.roots.empty();
  for (std::size_t limb = 0; limb < spec.moduli.size(); ++limb) {
    check_modulus(spec, limb, order);
    const std::uint64_t q = spec.moduli[limb];
    if (!given) {
      spec.roots.push_back(smallest_root_of_unity(order, q));
    } else if (!has_order(spec.roots[limb], order, q)) {
      throw ParameterError(
          limb_name("roots", limb) + " = " + text(spec.roots[limb]) + " is not a primitive " + text(order) +
          "-th root of unity mod q = " + text(q) +
          ": give one in [1, q) of exactly that order, or leave roots empty for the smallest");
    }
  }
  return spec;
}

}  // namespace nttforge
