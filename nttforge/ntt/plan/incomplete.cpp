// SPDX-License-Identifier: Apache-2.0
// A polynomial a of n = d m coefficients is sum_c X^c a_c(X^d) with d polynomials a_c of m coefficients.
// Modulo X^d - gamma it is sum_c a_c(gamma) X^c: the residues' coefficients of degree c are the complete
// transform of a_c. So a row is taken apart into d rows, which the plan for m transforms and whose products
// are products of rows, and put together again.
#include "nttforge/ntt/incomplete.hpp"

#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/arith/transform_size.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/ntt/plan/plan_checks.hpp"
#include "nttforge/ntt/plan/plan_limb.hpp"
#include "nttforge/ntt/plan/row_threads.hpp"
#include "nttforge/ntt/plan/workspaces.hpp"

namespace nttforge {
namespace {

unsigned log2_of(std::size_t n) { return static_cast<unsigned>(std::bit_width(n)) - 1; }

template <class Word>
struct Limb {
  RowModulus modulus;
  const RowOpsTable<Word>* ops;
  AlignedBuffer<Word> gammas;  // in the order of the values
};

/// The limbs of a plan and what they do to a row.
template <class Word>
struct Rows {
  const NttPlan& complete;
  const std::size_t m, d;
  std::vector<Limb<Word>> limbs{};
  Workspaces<Word> workspaces;  // four rows

  Rows(const NttPlan& plan, std::size_t n)
      : complete(plan), m(plan.n()), d(n / plan.n()), workspaces(plan.recipe().threads, 4 * n) {
    for (std::size_t i = 0; i < plan.limbs(); ++i) {
      const std::uint64_t q = plan.spec().moduli[i];
      Limb<Word>& limb = limbs.emplace_back();
      limb.modulus = make_row_modulus(q);
      limb.ops = &row_ops_for<Word>(plan.recipe().target, q);
      limb.gammas = AlignedBuffer<Word>(m);
      for (std::size_t j = 0; j < m; ++j) limb.gammas[j] = j == 1 ? 1 : 0;
      plan.forward_row(i, limb.gammas.data(), limb.gammas.data());  // the values of X
    }
  }

  /// parts[c] = the coefficients c, c + d, c + 2 d ... of the row; or those of c reversed, d - 1 - c.
  void take_apart(const Word* row, Word* parts, bool reversed) const {
    for (std::size_t c = 0; c < d; ++c) {
      Word* const part = parts + (reversed ? d - 1 - c : c) * m;
      for (std::size_t j = 0; j < m; ++j) part[j] = row[d * j + c];
    }
  }

  void put_together(const Word* parts, Word* row) const {
    for (std::size_t c = 0; c < d; ++c)
      for (std::size_t j = 0; j < m; ++j) row[d * j + c] = parts[c * m + j];
  }

  template <bool inverse>
  void transform(std::size_t limb, Word* parts) const {
    for (std::size_t c = 0; c < d; ++c) {
      Word* const part = parts + c * m;
      if constexpr (inverse) {
        complete.inverse_row(limb, part, part);
      } else {
        complete.forward_row(limb, part, part);
      }
    }
  }

  template <bool inverse>
  void transform_row(std::size_t limb, const Word* in, Word* out) const {
    const typename Workspaces<Word>::Lease work(workspaces);
    take_apart(in, work.data(), false);
    transform<inverse>(limb, work.data());
    put_together(work.data(), out);
  }

  /// out = sum of `terms` products, added to out if `accumulate`: of residues, or of polynomials if
  /// `coefficients`. Terms of a and b are `stride` words apart.
  void products(std::size_t index, const Word* a, const Word* b, std::size_t stride, std::size_t terms,
                Word* out, bool coefficients, bool accumulate) const {
    const Limb<Word>& limb = limbs[index];
    const typename Workspaces<Word>::Lease work(workspaces);
    // x_i y_(c-i) with i <= c have degree c, and with i > c degree c + d, where X^d is gamma. y is reversed,
    // so that both are rows one after another.
    Word *const x = work.data(), *const y = x + d * m, *const low = y + d * m, *const high = low + d * m;
    if (accumulate) take_apart(out, low, false);
    for (std::size_t t = 0; t < terms; ++t) {
      take_apart(a + t * stride, x, false);
      take_apart(b + t * stride, y, true);
      if (coefficients) {
        transform<false>(index, x);
        transform<false>(index, y);
      }
      const auto sum = [&](std::size_t x_first, std::size_t y_first, std::size_t count, Word* to, bool more) {
        limb.ops->sum_of_products(limb.modulus, x + x_first * m, y + y_first * m, m, count, to, more, m);
      };
      for (std::size_t c = 0; c < d; ++c) sum(0, d - 1 - c, c + 1, low + c * m, accumulate || t != 0);
      for (std::size_t c = 0; c + 1 < d; ++c) sum(c + 1, 0, d - 1 - c, high + c * m, t != 0);
    }
    for (std::size_t c = 0; c + 1 < d; ++c)
      limb.ops->multiply_accumulate(limb.modulus, high + c * m, limb.gammas.data(), low + c * m, m);
    if (coefficients) transform<true>(index, low);
    put_together(low, out);
  }
};

NttSpec whole_spec(const NttPlan& complete, std::size_t n) {
  NttSpec spec = complete.spec();
  require_cpu_transform_size(n);
  if (n < spec.n || spec.n < 2 || spec.transform != Transform::ntt || spec.input_order != Order::natural) {
    throw ParameterError("the plan has n = " + std::to_string(spec.n) +
                         ": need an NTT of 2 to n = " + std::to_string(n) + " coefficients in natural order");
  }
  spec.n = n;
  require_memory(std::uint64_t{4} * n * complete.recipe().threads * spec.word_bits / 8,
                 "the workspaces of n = " + std::to_string(n));
  return spec;
}

}  // namespace

struct IncompleteNttPlan::Impl {
  NttPlan complete;
  NttSpec spec;
  RowThreads threads;
  std::optional<Rows<std::uint64_t>> rows64;
  std::optional<Rows<std::uint32_t>> rows32;

  Impl(const NttPlan& plan, std::size_t n)
      : complete(plan), spec(whole_spec(plan, n)), threads(plan.recipe().threads, n) {
    if (spec.word_bits == 64) {
      rows64.emplace(complete, n);
    } else {
      rows32.emplace(complete, n);
    }
  }

  /// body(rows, limb, offset of the row) for every row, on the plan's threads.
  template <class Word, class Body>
  void each_row(std::size_t count, const Body& body) const {
    const auto& rows = [this]() -> const Rows<Word>& {
      if constexpr (std::is_same_v<Word, std::uint64_t>) {
        return *rows64;
      } else {
        return *rows32;
      }
    }();
    const auto whole = [body, &rows](std::size_t row) {
      body(rows, row % rows.limbs.size(), row * rows.d * rows.m);
    };
    threads.each_row(count, false, whole, whole);
  }

  template <class Word, bool inverse>
  void transform(std::span<const Word> in, std::span<Word> out) const {
    const std::size_t count = check_rows<Word>(spec, out, "out");
    check_same(spec, in, "in", out.size());
    check_alias("in", in, out);
    each_row<Word>(count, [=](const Rows<Word>& rows, std::size_t limb, std::size_t at) {
      rows.template transform_row<inverse>(limb, in.data() + at, out.data() + at);
    });
  }

  template <class Word>
  void products(std::span<const Word> a, std::span<const Word> b, std::span<Word> out, const char* name,
                bool coefficients, bool accumulate) const {
    const std::size_t count = check_rows<Word>(spec, out, name);
    const std::size_t terms = terms_of<Word>(spec, a, b, out, name);
    if (terms > 1) {
      require_disjoint<Word>(name, out, {a, b});
    } else {
      check_alias("a", a, out, name);
      check_alias("b", b, out, name);
    }
    each_row<Word>(count, [=](const Rows<Word>& rows, std::size_t limb, std::size_t at) {
      rows.products(limb, a.data() + at, b.data() + at, out.size(), terms, out.data() + at, coefficients,
                    accumulate);
    });
  }

  template <class Word>
  void one_product(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                   bool coefficients) const {
    check_same(spec, a, "a", out.size());
    products<Word>(a, b, out, "out", coefficients, false);
  }
};

IncompleteNttPlan::IncompleteNttPlan(const NttSpec& spec, unsigned layers, unsigned threads)
    : IncompleteNttPlan(NttPlan(complete_part(spec, layers), threads), spec.n) {}

IncompleteNttPlan::IncompleteNttPlan(const NttPlan& complete, std::size_t n)
    : impl_(std::make_shared<const Impl>(complete, n)) {}

const NttSpec& IncompleteNttPlan::spec() const { return impl_->spec; }
unsigned IncompleteNttPlan::layers() const { return log2_of(impl_->complete.n()); }
const NttRecipe& IncompleteNttPlan::recipe() const { return impl_->complete.recipe(); }

#define NTTF_INCOMPLETE_FORWARDERS(Word)                                                                  \
  void IncompleteNttPlan::forward(std::span<const Word> in, std::span<Word> out) const {                  \
    impl_->transform<Word, false>(in, out);                                                               \
  }                                                                                                       \
  void IncompleteNttPlan::inverse(std::span<const Word> in, std::span<Word> out) const {                  \
    impl_->transform<Word, true>(in, out);                                                                \
  }                                                                                                       \
  void IncompleteNttPlan::multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) \
      const {                                                                                             \
    impl_->one_product(a, b, out, false);                                                                 \
  }                                                                                                       \
  void IncompleteNttPlan::multiply_accumulate(std::span<const Word> a, std::span<const Word> b,           \
                                              std::span<Word> out) const {                                \
    impl_->products(a, b, out, "accumulator", false, true);                                               \
  }                                                                                                       \
  void IncompleteNttPlan::polynomial_product(std::span<const Word> a, std::span<const Word> b,            \
                                             std::span<Word> out, std::span<Word>) const {                \
    impl_->one_product(a, b, out, true);                                                                  \
  }                                                                                                       \
  void IncompleteNttPlan::sum_of_products(std::span<const Word> a, std::span<const Word> b,               \
                                          std::span<Word> out, std::span<Word>) const {                   \
    impl_->products(a, b, out, "out", true, false);                                                       \
  }                                                                                                       \
  void IncompleteNttPlan::require_reduced(std::span<const Word> x) const { check_reduced(spec(), x); }

NTTF_INCOMPLETE_FORWARDERS(std::uint64_t)
NTTF_INCOMPLETE_FORWARDERS(std::uint32_t)
#undef NTTF_INCOMPLETE_FORWARDERS

NttSpec complete_part(const NttSpec& spec, unsigned layers) {
  require_cpu_transform_size(spec.n);
  const unsigned log_n = log2_of(spec.n);
  if (layers < 1 || layers > log_n) {
    throw ParameterError("layers = " + std::to_string(layers) + " with n = " + std::to_string(spec.n) +
                         ": need 1 to log2(n) = " + std::to_string(log_n) + ", the complete transform");
  }
  if (spec.transform != Transform::ntt) {
    throw ParameterError("transform = " + std::string(transform_name(spec.transform)) +
                         " does not go with layers: use transform = ntt");
  }
  if (spec.input_order != Order::natural) {
    throw ParameterError("input_order = " + std::string(order_name(spec.input_order)) +
                         " does not go with layers: use natural");
  }
  NttSpec part = spec;
  part.n = std::size_t{1} << layers;
  for (std::size_t i = 0; i < spec.moduli.size(); ++i) {
    const std::uint64_t q = spec.moduli[i];
    if (q < 2 || !is_prime(q)) continue;  // which the plan says
    const TransformSupport support = transform_support(q);
    const bool negacyclic = spec.ring == Ring::negacyclic;
    const std::uint64_t largest = negacyclic ? support.max_n_negacyclic : support.max_n_cyclic;
    if (part.n <= largest) continue;
    throw ParameterError("layers = " + std::to_string(layers) + " with q = " + std::to_string(q) +
                         " (moduli[" + std::to_string(i) + "]): X^" + std::to_string(spec.n) +
                         (negacyclic ? " + 1" : " - 1") + " has no more than " + std::to_string(largest) +
                         " such factors modulo this q" +
                         (largest < 2 ? "; use ntt_primes(n, bits, count)"
                                      : ", use layers <= " + std::to_string(log2_of(largest))));
  }
  return part;
}

}  // namespace nttforge
