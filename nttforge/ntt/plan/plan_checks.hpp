// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the arrays of a plan's call must be; the messages name the argument.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan/plan_arrays.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge {

template <class Word>
bool overlap(std::span<const Word> a, std::span<const Word> b) {
  const auto x = reinterpret_cast<std::uintptr_t>(a.data()), y = reinterpret_cast<std::uintptr_t>(b.data());
  return !a.empty() && !b.empty() && x < y + b.size_bytes() && y < x + a.size_bytes();
}

/// Two arrays of a call must be equal or disjoint.
template <class Word>
void check_alias(const char* name, std::span<const Word> in, std::span<Word> out, const char* other = "out") {
  if (in.data() != out.data() && overlap(in, std::span<const Word>(out))) {
    throw SizeError(std::string(name) + " and " + other +
                    " overlap partly: pass the same array or disjoint ones");
  }
}

template <class Word>
void require_disjoint(const char* name, std::span<const Word> x,
                      std::initializer_list<std::span<const Word>> others) {
  for (const std::span<const Word> other : others) {
    if (overlap(x, other))
      throw SizeError(std::string(name) + " overlaps an argument: pass an array of its own");
  }
}

/// An array must have words of the right type and a whole number of [limbs][n] blocks. Returns its rows.
template <class Word>
std::size_t check_rows(const NttSpec& spec, std::span<const Word> x, const char* name) {
  require_blocks(spec, 8 * sizeof(Word), x.size(), name);
  return x.size() / spec.n;
}

template <class Word>
void check_same(const NttSpec& spec, std::span<const Word> x, const char* name, std::size_t size,
                const char* other = "out") {
  check_rows(spec, x, name);
  if (x.size() != size) {
    throw SizeError(std::string(name) + " has " + std::to_string(x.size()) + " words and " + other + " has " +
                    std::to_string(size) + ": all arrays of a call need the same shape");
  }
}

/// Returns how many arrays of out's shape a and b hold, which must be one at least.
template <class Word>
std::size_t terms_of(const NttSpec& spec, std::span<const Word> a, std::span<const Word> b,
                     std::span<const Word> out, const char* name) {
  check_rows(spec, a, "a");
  check_same(spec, b, "b", a.size(), "a");
  const std::size_t terms = out.empty() ? 0 : a.size() / out.size();
  if (terms * out.size() != a.size() || (terms == 0 && !out.empty())) {
    throw SizeError("a has " + std::to_string(a.size()) + " words and " + name + " has " +
                    std::to_string(out.size()) + ": a and b need one array of " + name +
                    "'s shape for each term, one term at least");
  }
  return terms;
}

/// Every residue must be below its modulus.
template <class Word>
void check_reduced(const NttSpec& spec, std::span<const Word> x) {
  const std::size_t rows = check_rows(spec, x, "x");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t limb = row % spec.moduli.size();
    for (std::size_t i = 0; i < spec.n; ++i) {
      const std::uint64_t value = x[row * spec.n + i];
      if (value < spec.moduli[limb]) continue;
      throw ParameterError("x[" + std::to_string(row / spec.moduli.size()) + "][" + std::to_string(limb) +
                           "][" + std::to_string(i) + "] = " + std::to_string(value) +
                           " is not reduced: allowed is [0, q) with q = " +
                           std::to_string(spec.moduli[limb]) + "; reduce the input modulo q");
    }
  }
}

}  // namespace nttforge
