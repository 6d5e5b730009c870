// SPDX-License-Identifier: Apache-2.0
// Transforms for programs of C++17 and later, header only, over the C interface: docs/c.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "nttforge/nttforge.h"

namespace nttforge {
namespace cxx17 {

/// What every function here throws: the text says which value is wrong and what is allowed.
class Error : public std::runtime_error {
 public:
  Error(nttforge_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
  nttforge_status status() const noexcept { return status_; }

 private:
  nttforge_status status_;
};

/// throws Error with the text of the thread's last failure if `status` is not NTTFORGE_OK.
inline void check(nttforge_status status) {
  if (status != NTTFORGE_OK) throw Error(status, nttforge_last_error());
}

/// The `count` largest primes of `bits` bits that carry negacyclic transforms of n. throws Error.
inline std::vector<std::uint64_t> ntt_primes(std::size_t n, unsigned bits, std::size_t count) {
  std::vector<std::uint64_t> primes(count);
  check(nttforge_ntt_primes(n, bits, count, primes.data()));
  return primes;
}

/// What is transformed; fields as in nttforge_spec. Roots may be empty: then the smallest are taken.
struct Spec {
  std::size_t n = 0;
  std::vector<std::uint64_t> moduli{};
  nttforge_ring ring = NTTFORGE_NEGACYCLIC;
  nttforge_order input_order = NTTFORGE_NATURAL;
  nttforge_order output_order = NTTFORGE_BIT_REVERSED;
  unsigned word_bits = 64;
  std::vector<std::uint64_t> roots{};
  unsigned layers = 0;
};

/// A transform that is ready to run; it can be moved, not copied. Any number of threads may use one.
///
/// Arrays are [batch][limbs][n] of std::uint64_t or, for plans of 32-bit words, std::uint32_t, residues in
/// [0, q) of their limb: pointers and a number of words, or contiguous containers of one size (anything that
/// std::data and std::size take). in and out are the same array or disjoint. Each function throws Error and
/// leaves results as they were; so does each function of a plan that was moved from.
class Plan {
 public:
  /// threads: 1 to 1024; 0: one per CPU.
  explicit Plan(const Spec& spec, unsigned threads = 1) {
    create(spec, [&](const nttforge_spec* own, nttforge_plan** made) {
      return nttforge_plan_create(own, threads, made);
    });
  }
  /// With a recipe as JSON text, such as recipe() of another plan.
  Plan(const Spec& spec, const std::string& recipe) {
    create(spec, [&](const nttforge_spec* own, nttforge_plan** made) {
      return nttforge_plan_create_from_recipe(own, recipe.c_str(), made);
    });
  }

  /// For functions of the C interface; null after a move. The plan stays this object's.
  const nttforge_plan* get() const noexcept { return plan_.get(); }

  std::string recipe() const {
    const char* text = nullptr;
    check(nttforge_plan_recipe(get(), &text));
    return text;
  }
  /// psi (cyclic: omega) of a limb.
  std::uint64_t root(std::size_t limb) const {
    std::uint64_t root = 0;
    check(nttforge_plan_root(get(), limb, &root));
    return root;
  }

  void forward(const std::uint64_t* in, std::uint64_t* out, std::size_t words) const {
    check(nttforge_forward(get(), in, out, words));
  }
  void forward(const std::uint32_t* in, std::uint32_t* out, std::size_t words) const {
    check(nttforge_forward32(get(), in, out, words));
  }
  template <class In, class Out>
  void forward(const In& in, Out&& out) const {
    forward(std::data(in), std::data(out), common_size(in, out));
  }

  void inverse(const std::uint64_t* in, std::uint64_t* out, std::size_t words) const {
    check(nttforge_inverse(get(), in, out, words));
  }
  void inverse(const std::uint32_t* in, std::uint32_t* out, std::size_t words) const {
    check(nttforge_inverse32(get(), in, out, words));
  }
  template <class In, class Out>
  void inverse(const In& in, Out&& out) const {
    inverse(std::data(in), std::data(out), common_size(in, out));
  }

  /// out = a b, residue by residue.
  void multiply(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out, std::size_t words) const {
    check(nttforge_multiply(get(), a, b, out, words));
  }
  void multiply(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out, std::size_t words) const {
    check(nttforge_multiply32(get(), a, b, out, words));
  }
  template <class A, class B, class Out>
  void multiply(const A& a, const B& b, Out&& out) const {
    multiply(std::data(a), std::data(b), std::data(out), common_size(a, b, out));
  }

  /// sum = sum + a b, residue by residue.
  void multiply_accumulate(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* sum,
                           std::size_t words) const {
    check(nttforge_multiply_accumulate(get(), a, b, sum, words));
  }
  void multiply_accumulate(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* sum,
                           std::size_t words) const {
    check(nttforge_multiply_accumulate32(get(), a, b, sum, words));
  }
  template <class A, class B, class Sum>
  void multiply_accumulate(const A& a, const B& b, Sum&& sum) const {
    multiply_accumulate(std::data(a), std::data(b), std::data(sum), common_size(a, b, sum));
  }

  /// out = a b in the ring, all as coefficients. workspace: as many words as out, overlapping nothing.
  void polynomial_product(const std::uint64_t* a, const std::uint64_t* b, std::uint64_t* out,
                          std::uint64_t* workspace, std::size_t words) const {
    check(nttforge_polynomial_product(get(), a, b, out, workspace, words));
  }
  void polynomial_product(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t* out,
                          std::uint32_t* workspace, std::size_t words) const {
    check(nttforge_polynomial_product32(get(), a, b, out, workspace, words));
  }
  template <class A, class B, class Out, class Workspace>
  void polynomial_product(const A& a, const B& b, Out&& out, Workspace&& workspace) const {
    polynomial_product(std::data(a), std::data(b), std::data(out), std::data(workspace),
                       common_size(a, b, out, workspace));
  }

  /// throws Error naming the first residue that is not in [0, q).
  void require_reduced(const std::uint64_t* x, std::size_t words) const {
    check(nttforge_require_reduced(get(), x, words));
  }
  void require_reduced(const std::uint32_t* x, std::size_t words) const {
    check(nttforge_require_reduced32(get(), x, words));
  }
  template <class X>
  void require_reduced(const X& x) const {
    require_reduced(std::data(x), std::size(x));
  }

 private:
  struct Destroy {
    void operator()(nttforge_plan* plan) const noexcept { nttforge_plan_destroy(plan); }
  };

  template <class Make>
  void create(const Spec& from, const Make& make) {
    if (!from.roots.empty() && from.roots.size() != from.moduli.size()) {
      throw Error(NTTFORGE_INVALID, "spec.roots has " + std::to_string(from.roots.size()) +
                                        " values: need none or " + std::to_string(from.moduli.size()) +
                                        ", one for each modulus");
    }
    nttforge_spec spec = NTTFORGE_SPEC_INIT;
    spec.n = from.n;
    spec.moduli = from.moduli.data();
    spec.limbs = from.moduli.size();
    spec.roots = from.roots.empty() ? nullptr : from.roots.data();
    spec.ring = from.ring;
    spec.input_order = from.input_order;
    spec.output_order = from.output_order;
    spec.word_bits = from.word_bits;
    spec.layers = from.layers;
    nttforge_plan* made = nullptr;
    check(make(&spec, &made));
    plan_.reset(made);
  }

  template <class First, class... Rest>
  static std::size_t common_size(const First& first, const Rest&... rest) {
    const std::size_t words = std::size(first);
    for (const std::size_t other : {static_cast<std::size_t>(std::size(rest))...}) {
      if (other != words) {
        throw Error(NTTFORGE_SIZE, "arrays of " + std::to_string(words) + " and " + std::to_string(other) +
                                       " words: need arrays of one size");
      }
    }
    return words;
  }

  std::unique_ptr<nttforge_plan, Destroy> plan_;
};

}  // namespace cxx17
}  // namespace nttforge
