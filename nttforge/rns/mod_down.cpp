// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rns/mod_down.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/rns/base_conversion.hpp"

namespace nttforge {
namespace {

void require_two(const RnsBase& base) {
  if (base.size() < 2)
    throw ParameterError("base has " + std::to_string(base.size()) +
                         " modulus: dividing by the last one needs at least 2");
}

/// A quotient x T / D modulo each of `to` whose remainder is t times a remainder modulo D, the product of
/// `dropped`. T is the product of `added`, primes of `to` modulo which x has no residue and x T is zero.
struct Quotient {
  const RnsBase& to;
  const RnsBase& dropped;
  std::span<const std::uint64_t> added{};
  std::uint64_t t = 1;

  RnsStep step() const {
    RnsStep result{.sources = {dropped.values().begin(), dropped.values().end()},
                   .targets = {to.values().begin(), to.values().end()}};
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Modulus& q = to.modulus(j);
      const std::uint64_t inverse = q.inverse(product_mod(dropped.values(), q));
      result.own.push_back(q.mul(product_mod(added, q), inverse));
    }
    return result;
  }
  /// The factor T / t of what is reduced modulo prime i of D.
  std::uint64_t digit_factor(std::size_t i) const {
    const Modulus& p = dropped.modulus(i);
    return p.mul(product_mod(added, p), p.inverse(p.reduce(t)));
  }

  /// By one prime p: (x T - t r) / p, r = x T / t modulo p, centred.
  RnsStep by_one() const {
    RnsStep result = step();
    result.modulus = result.sources[0];
    result.weights = {digit_factor(0)};
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Modulus& q = to.modulus(j);
      result.excess.push_back(q.negate(q.mul(q.reduce(t), q.inverse(q.reduce(result.modulus)))));
    }
    return result;
  }
  /// By several, y_i the digits of x T / t: [x T / t]_D + u D = sum_i y_i D / d_i, so that x T / D -
  /// t sum_i y_i / d_i is the quotient of x T / t, rounded down, less u, times t.
  RnsStep by_several() const {
    RnsStep result = step();
    for (std::size_t i = 0; i < dropped.size(); ++i)
      result.scale.push_back(dropped.modulus(i).mul(digit_factor(i), dropped.inverse_punctured(i).value));
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Modulus& q = to.modulus(j);
      for (const std::uint64_t p : dropped.values())
        result.factors.push_back(q.negate(q.mul(q.reduce(t), q.inverse(q.reduce(p)))));
    }
    return result;
  }
  /// The same and t floor(a / 2), a primes in D.
  RnsStep fast() const {
    RnsStep result = by_several();
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Modulus& q = to.modulus(j);
      result.offset.push_back(q.mul(q.reduce(dropped.size() / 2), q.reduce(t)));
    }
    return result;
  }
  /// The same with the correction floor(sum_i y_i / d_i + 1/2) = u, or u + 1 where [x T / t]_D is at least
  /// D / 2.
  RnsStep nearest() const {
    RnsStep result = by_several();
    result.nearest = true;
    set_fractions(result);
    for (std::size_t j = 0; j < to.size(); ++j) result.excess.push_back(to.modulus(j).reduce(t));
    return result;
  }
};

/// The last prime of a base and the others.
struct Ends {
  explicit Ends(const RnsBase& base)
      : stay({base.values().begin(), base.values().end() - 1}), last({base.values().back()}) {}
  RnsBase stay, last;
};

Ends ends_of(const RnsBase& base) {
  require_two(base);
  return Ends(base);
}

/// The values of `a` that `b` lacks.
std::vector<std::uint64_t> less(const RnsBase& a, const RnsBase& b) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t q : a.values())
    if (std::find(b.values().begin(), b.values().end(), q) == b.values().end()) result.push_back(q);
  return result;
}

}  // namespace

RnsStep mod_down(const RnsBase& base) {
  const Ends ends = ends_of(base);
  return Quotient{ends.stay, ends.last}.by_one();
}

RnsStep switch_modulus(const RnsBase& base, std::uint64_t t) {
  const Ends ends = ends_of(base);
  return Quotient{.to = ends.stay, .dropped = ends.last, .t = t}.by_one();
}

RnsStep mod_down_fast(const RnsBase& q, const RnsBase& special) { return Quotient{q, special}.fast(); }

RnsStep switch_modulus_fast(const RnsBase& q, const RnsBase& special, std::uint64_t t) {
  return Quotient{.to = q, .dropped = special, .t = t}.fast();
}

RnsStep mod_down_nearest(const RnsBase& q, const RnsBase& special) { return Quotient{q, special}.nearest(); }

RnsStep rescale(const RnsBase& from, const RnsBase& to, std::uint64_t t) {
  const std::vector<std::uint64_t> added = less(to, from), gone = less(from, to);
  if (gone.empty() || added.size() == to.size())
    throw ParameterError("to has " + std::to_string(to.size()) + " moduli, " + std::to_string(added.size()) +
                         " of them not in from, which loses " + std::to_string(gone.size()) +
                         ": rescaling drops one at least and keeps one at least");
  const RnsBase dropped(gone);
  const Quotient quotient{.to = to, .dropped = dropped, .added = added, .t = t};
  return gone.size() == 1 ? quotient.by_one() : quotient.nearest();
}

}  // namespace nttforge
