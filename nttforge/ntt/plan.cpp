// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/plan.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "nttforge/base/threads/cpu_count.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/plan/plan_checks.hpp"
#include "nttforge/ntt/plan/plan_rows.hpp"
#include "nttforge/ntt/plan/row_threads.hpp"
#include "nttforge/ntt/wisdom.hpp"

namespace nttforge {

struct NttPlan::Impl {
  NttSpec spec;
  NttRecipe recipe;
  RowThreads threads;
  std::optional<PlanRows<std::uint64_t>> rows64;
  std::optional<PlanRows<std::uint32_t>> rows32;

  Impl(NttSpec valid, NttRecipe chosen)
      : spec(std::move(valid)),
        recipe(std::move(chosen)),
        threads((require_recipe(spec, recipe), recipe.threads), spec.n) {
    require_target(recipe.target);
    if (spec.word_bits == 64) {
      rows64.emplace(spec, recipe);
    } else {
      rows32.emplace(spec, recipe);
    }
  }

  /// Only for arrays that check_rows let through.
  template <class Word>
  const PlanRows<Word>& plan_rows() const {
    if constexpr (std::is_same_v<Word, std::uint64_t>) {
      return *rows64;
    } else {
      return *rows32;
    }
  }

  /// body(limb, offset of the row) for every row, on the plan's threads.
  template <class Word, class Body>
  void each_row(std::size_t rows, const Body& body) const {
    const auto whole = [body, &all = plan_rows<Word>()](std::size_t row) {
      body(all.limb_of(row), row * all.spec.n);
    };
    threads.each_row(rows, false, whole, whole);
  }

  template <class Word, bool inverse>
  void transform(std::span<const Word> in, std::span<Word> out) const {
    const std::size_t rows = check_rows<Word>(spec, out, "out");
    check_same(spec, in, "in", out.size());
    check_alias("in", in, out);
    const PlanRows<Word>& all = plan_rows<Word>();
    const auto whole = [&all, in, out](std::size_t row) {
      const std::size_t at = row * all.spec.n;
      if constexpr (inverse) {
        all.inverse_row(all.limb_of(row), in.data() + at, out.data() + at);
      } else {
        all.forward_row(all.limb_of(row), in.data() + at, out.data() + at);
      }
    };
    threads.each_row(rows, all.can_cut(), whole, [&](std::size_t row) {
      const std::size_t at = row * spec.n;
      all.template cut_row<inverse>(threads, all.limb_of(row), in.data() + at, out.data() + at);
    });
  }

  template <class Word>
  void multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) const {
    const std::size_t rows = check_rows<Word>(spec, out, "out");
    check_same(spec, a, "a", out.size());
    check_same(spec, b, "b", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    each_row<Word>(rows, [=, n = spec.n](const PlanLimb<Word>& limb, std::size_t at) {
      limb.multiply(limb.modulus, a.data() + at, b.data() + at, out.data() + at, n);
    });
  }

  template <class Word>
  void multiply_accumulate(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) const {
    const std::size_t rows = check_rows<Word>(spec, out, "accumulator");
    const std::size_t terms = terms_of<Word>(spec, a, b, out, "accumulator");
    if (terms > 1) {
      require_disjoint<Word>("accumulator", out, {a, b});
    } else {
      check_alias("a", a, out, "accumulator");
      check_alias("b", b, out, "accumulator");
    }
    each_row<Word>(rows, [=, n = spec.n](const PlanLimb<Word>& limb, std::size_t at) {
      const Word *x = a.data() + at, *y = b.data() + at;
      if (terms == 1) return limb.multiply_accumulate(limb.modulus, x, y, out.data() + at, n);
      limb.sum_of_products(limb.modulus, x, y, out.size(), terms, out.data() + at, true, n);
    });
  }

  template <class Word>
  void product(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
               std::span<Word> work) const {
    const std::size_t rows = check_rows<Word>(spec, out, "out");
    check_same(spec, a, "a", out.size());
    check_same(spec, b, "b", out.size());
    check_same<Word>(spec, work, "workspace", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    require_disjoint<Word>("workspace", work, {a, b, out});
    each_row<Word>(rows, [=, &all = plan_rows<Word>()](const PlanLimb<Word>& limb, std::size_t at) {
      all.row_product(limb, a.data() + at, b.data() + at, out.data() + at, work.data() + at);
    });
  }

  template <class Word>
  void sum_of_products(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                       std::span<Word> work) const {
    const std::size_t rows = check_rows<Word>(spec, out, "out");
    const std::size_t terms = terms_of<Word>(spec, a, b, out, "out");
    const std::size_t group = out.empty() ? 0 : work.size() / (2 * out.size());
    if (work.size() != group * 2 * out.size() || (group == 0 && !out.empty())) {
      throw SizeError("workspace has " + std::to_string(work.size()) + " words: need twice out's, " +
                      std::to_string(2 * out.size()) + ", or a multiple");
    }
    require_disjoint<Word>("out", out, {a, b});
    require_disjoint<Word>("workspace", work, {a, b, out});
    const bool square = a.data() == b.data();
    each_row<Word>(
        rows, [=, &all = plan_rows<Word>(), n = spec.n](const PlanLimb<Word>& limb, std::size_t at) {
          Word *const x = work.data() + 2 * group * at, *const y = square ? x : x + n, *sum = out.data() + at;
          for (std::size_t first = 0; first < terms; first += group) {
            const std::size_t count = std::min(group, terms - first);
            for (std::size_t i = 0; i < count; ++i) {
              const std::size_t from = (first + i) * out.size() + at;
              all.product_forward(limb, a.data() + from, x + 2 * n * i);
              if (!square) all.product_forward(limb, b.data() + from, y + 2 * n * i);
            }
            if (count > 1) {
              limb.sum_of_products(limb.modulus, x, y, 2 * n, count, sum, first != 0, n);
            } else {
              (first == 0 ? limb.multiply : limb.multiply_accumulate)(limb.modulus, x, y, sum, n);
            }
          }
          all.product_inverse(limb, sum);
        });
  }
};

namespace {

/// Roots are searched once, and only if the tables fit into memory.
NttSpec with_roots(NttSpec spec, std::string_view algorithm = kMergedAlgorithm) {
  require_valid_but_roots(spec);
  require_cpu_transform_size(spec.n);
  require_table_memory(spec, algorithm);
  return validated(std::move(spec));
}

NttRecipe chosen(const NttSpec& spec, unsigned threads) {
  return choose_recipe(spec, active_target(), threads == 0 ? default_threads() : threads);
}

}  // namespace

NttPlan::NttPlan(NttSpec spec, unsigned threads) {
  spec = with_roots(std::move(spec));
  NttRecipe recipe = chosen(spec, threads);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe));
}

NttPlan::NttPlan(NttSpec spec, const Wisdom& wisdom, unsigned threads, std::size_t batch) {
  spec = with_roots(std::move(spec));
  const std::optional<NttRecipe> known = wisdom.find(spec, {threads, batch});
  NttRecipe recipe = known ? *known : chosen(spec, threads);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe));
}

NttPlan::NttPlan(NttSpec spec, NttRecipe recipe) {
  spec = with_roots(std::move(spec), recipe.algorithm);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe));
}

const NttSpec& NttPlan::spec() const { return impl_->spec; }
const NttRecipe& NttPlan::recipe() const { return impl_->recipe; }

#define NTTF_PLAN_FORWARDERS(Word)                                                                         \
  void NttPlan::forward(std::span<const Word> in, std::span<Word> out) const {                             \
    impl_->transform<Word, false>(in, out);                                                                \
  }                                                                                                        \
  void NttPlan::inverse(std::span<const Word> in, std::span<Word> out) const {                             \
    impl_->transform<Word, true>(in, out);                                                                 \
  }                                                                                                        \
  void NttPlan::forward_row(std::size_t limb, const Word* in, Word* out) const {                           \
    const PlanRows<Word>& all = impl_->plan_rows<Word>();                                                  \
    all.forward_row(all.limbs[limb], in, out);                                                             \
  }                                                                                                        \
  void NttPlan::inverse_row(std::size_t limb, const Word* in, Word* out) const {                           \
    const PlanRows<Word>& all = impl_->plan_rows<Word>();                                                  \
    all.inverse_row(all.limbs[limb], in, out);                                                             \
  }                                                                                                        \
  void NttPlan::multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) const {    \
    impl_->multiply(a, b, out);                                                                            \
  }                                                                                                        \
  void NttPlan::multiply_accumulate(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) \
      const {                                                                                              \
    impl_->multiply_accumulate(a, b, out);                                                                 \
  }                                                                                                        \
  void NttPlan::polynomial_product(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,  \
                                   std::span<Word> workspace) const {                                      \
    impl_->product(a, b, out, workspace);                                                                  \
  }                                                                                                        \
  void NttPlan::sum_of_products(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,     \
                                std::span<Word> workspace) const {                                         \
    impl_->sum_of_products(a, b, out, workspace);                                                          \
  }                                                                                                        \
  void NttPlan::require_reduced(std::span<const Word> x) const { check_reduced(spec(), x); }

NTTF_PLAN_FORWARDERS(std::uint64_t)
NTTF_PLAN_FORWARDERS(std::uint32_t)
#undef NTTF_PLAN_FORWARDERS

}  // namespace nttforge
