#include "nttforge/ntt/plan.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nttforge/base/cpu_count.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory.hpp"
#include "nttforge/ntt/algorithms/engine.hpp"
#include "nttforge/ntt/explorer.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/plan_arrays.hpp"
#include "nttforge/ntt/plan_limb.hpp"
#include "nttforge/ntt/row_threads.hpp"
#include "nttforge/ntt/wisdom.hpp"

namespace nttforge {
namespace {

template <class Word>
bool overlap(std::span<const Word> a, std::span<const Word> b) {
  const auto x = reinterpret_cast<std::uintptr_t>(a.data()), y = reinterpret_cast<std::uintptr_t>(b.data());
  return !a.empty() && !b.empty() && x < y + b.size_bytes() && y < x + a.size_bytes();
}

/// Equal or disjoint.
template <class Word>
void check_alias(const char* name, std::span<const Word> in, std::span<Word> out) {
  if (in.data() != out.data() && overlap(in, std::span<const Word>(out))) {
    throw SizeError(std::string(name) + " and out overlap partly: pass the same array or disjoint ones");
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

}  // namespace

struct NttPlan::Impl {
  NttSpec spec;
  NttRecipe recipe;
  unsigned log_n = 0;
  RowThreads threads;
  std::vector<PlanLimb<std::uint64_t>> limbs64;
  std::vector<PlanLimb<std::uint32_t>> limbs32;
  std::unique_ptr<algorithms::Engine<std::uint64_t>> engine64;  // null for merged kernels
  std::unique_ptr<algorithms::Engine<std::uint32_t>> engine32;

  Impl(NttSpec valid, NttRecipe chosen)
      : spec(std::move(valid)),
        recipe(std::move(chosen)),
        threads((require_recipe(spec, recipe), recipe.threads), spec.n) {
    require_target(recipe.target);
    log_n = static_cast<unsigned>(std::bit_width(spec.n)) - 1;
    if (spec.word_bits == 64) {
      make_limbs(limbs64, engine64);
    } else {
      make_limbs(limbs32, engine32);
    }
  }

  template <class Word>
  void make_limbs(std::vector<PlanLimb<Word>>& limbs, std::unique_ptr<algorithms::Engine<Word>>& engine) {
    if (recipe.algorithm != kMergedAlgorithm) {
      engine = std::make_unique<algorithms::Engine<Word>>(spec, recipe);
    } else {
      // Two tables of value and quotient a limb, and two arrays of powers while they are made.
      require_memory((4 * spec.moduli.size() * sizeof(Word) + 16) * spec.n,
                     "the tables of n = " + std::to_string(spec.n) + " and " +
                         std::to_string(spec.moduli.size()) + " moduli");
    }
    limbs.reserve(spec.moduli.size());
    for (std::size_t i = 0; i < spec.moduli.size(); ++i)
      limbs.push_back(make_plan_limb<Word>(spec, recipe, i));
  }

  template <class Word>
  const std::vector<PlanLimb<Word>>& limbs() const {
    if constexpr (std::is_same_v<Word, std::uint64_t>) {
      return limbs64;
    } else {
      return limbs32;
    }
  }

  template <class Word>
  const algorithms::Engine<Word>* engine() const {
    if constexpr (std::is_same_v<Word, std::uint64_t>) {
      return engine64.get();
    } else {
      return engine32.get();
    }
  }
  template <class Word>
  std::size_t index_of(const PlanLimb<Word>& limb) const {
    return static_cast<std::size_t>(&limb - limbs<Word>().data());
  }

  /// Words of the right type, and a whole number of [limbs][n] blocks; returns the number of rows.
  template <class Word>
  std::size_t check(std::span<const Word> x, const char* name) const {
    require_blocks(spec, 8 * sizeof(Word), x.size(), name);
    return x.size() / spec.n;
  }

  template <class Word>
  void check_same(std::span<const Word> x, const char* name, std::size_t size) const {
    check_same(x, name, "out", size);
  }
  template <class Word>
  void check_same(std::span<const Word> x, const char* name, const char* other, std::size_t size) const {
    check(x, name);
    if (x.size() != size) {
      throw SizeError(std::string(name) + " has " + std::to_string(x.size()) + " words and " + other +
                      " has " + std::to_string(size) + ": all arrays of a call need the same shape");
    }
  }

  /// body(limb, offset of the row) for every row, on the plan's threads.
  template <class Word, class Body>
  void each_row(std::size_t rows, const Body& body) const {
    const auto whole = [body, all = std::span(limbs<Word>()), n = spec.n](std::size_t row) {
      body(all[row % all.size()], row * n);
    };
    threads.each_row(rows, false, whole, whole);
  }

  /// A DGT's values are two halves, each in its order.
  template <class Word>
  void permute_values(const Word* in, Word* out) const {
    if (spec.transform != Transform::dgt) return permute_bit_reversed(in, out, log_n);
    const std::size_t half = spec.n / 2;
    permute_bit_reversed(in, out, log_n - 1);
    permute_bit_reversed(in + half, out + half, log_n - 1);
  }

  template <class Word>
  void forward_row(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine<Word>() != nullptr) return engine<Word>()->forward(index_of(limb), in, out);
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(in, out, log_n);
      in = out;
    }
    limb.kernel->forward(limb.tables, in, out);
    if (spec.output_order == Order::natural) permute_values(out, out);
  }

  template <class Word>
  void inverse_row(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine<Word>() != nullptr) return engine<Word>()->inverse(index_of(limb), in, out);
    if (spec.output_order == Order::natural) {
      permute_values(in, out);
      in = out;
    }
    limb.kernel->inverse(limb.tables, in, out);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(out, out, log_n);
  }

  template <class Word, bool inverse>
  void transform(std::span<const Word> in, std::span<Word> out) const {
    const std::size_t rows = check(std::span<const Word>(out), "out");
    check_same(in, "in", out.size());
    check_alias("in", in, out);
    const std::span all(limbs<Word>());
    const auto whole = [this, all, in, out](std::size_t row) {
      const std::size_t at = row * spec.n;
      if constexpr (inverse) {
        inverse_row(all[row % all.size()], in.data() + at, out.data() + at);
      } else {
        forward_row(all[row % all.size()], in.data() + at, out.data() + at);
      }
    };
    threads.each_row(rows, can_cut<Word>(), whole, [&](std::size_t row) {
      cut_row<Word, inverse>(all[row % all.size()], in.data() + row * spec.n, out.data() + row * spec.n);
    });
  }

  template <class Word>
  bool can_cut() const {
    return std::all_of(limbs<Word>().begin(), limbs<Word>().end(), [](const PlanLimb<Word>& limb) {
      return limb.kernel != nullptr && limb.kernel->forward_part != nullptr;
    });
  }

  /// One row over all threads.
  template <class Word, bool inverse>
  void cut_row(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    const Order first = inverse ? spec.output_order : spec.input_order;
    const Order last = inverse ? spec.input_order : spec.output_order;
    constexpr Order natural = inverse ? Order::bit_reversed : Order::natural;  // to the kernel
    const auto permute = [&](const Word* from) {
      threads.each_part(8, [&](std::size_t part, std::size_t parts) {  // of unequal cost
        permute_bit_reversed_part(from, out, log_n, part, parts);
      });
    };
    if (first != natural) {
      permute(in);
      in = out;
    }
    const auto run = inverse ? limb.kernel->inverse_part : limb.kernel->forward_part;
    for (const unsigned phase : {0u, 1u}) {
      threads.each_part(
          1, [&](std::size_t part, std::size_t parts) { run(limb.tables, in, out, phase, part, parts); });
    }
    if (last == natural) permute(out);
  }

  template <class Word>
  void multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) const {
    const std::size_t rows = check(std::span<const Word>(out), "out");
    check_same(a, "a", out.size());
    check_same(b, "b", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    each_row<Word>(rows, [=, n = spec.n](const PlanLimb<Word>& limb, std::size_t at) {
      limb.multiply(limb.modulus, a.data() + at, b.data() + at, out.data() + at, n);
    });
  }

  /// How many arrays of out's shape a and b hold, one at least.
  template <class Word>
  std::size_t terms_of(std::span<const Word> a, std::span<const Word> b, std::span<const Word> out,
                       const char* name) const {
    check(a, "a");
    check_same(b, "b", "a", a.size());
    const std::size_t terms = out.empty() ? 0 : a.size() / out.size();
    if (terms * out.size() != a.size() || (terms == 0 && !out.empty())) {
      throw SizeError("a has " + std::to_string(a.size()) + " words and " + name + " has " +
                      std::to_string(out.size()) + ": a and b need one array of " + name +
                      "'s shape for each term, one term at least");
    }
    return terms;
  }

  template <class Word>
  void multiply_accumulate(std::span<const Word> a, std::span<const Word> b, std::span<Word> out) const {
    const std::size_t rows = check(std::span<const Word>(out), "accumulator");
    const std::size_t terms = terms_of<Word>(a, b, out, "accumulator");
    if (terms > 1) {
      require_disjoint<Word>("accumulator", out, {a, b});
    } else {
      check_alias("a", a, out);
      check_alias("b", b, out);
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
    const std::size_t rows = check(std::span<const Word>(out), "out");
    check_same(a, "a", out.size());
    check_same(b, "b", out.size());
    check_same(std::span<const Word>(work), "workspace", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    require_disjoint<Word>("workspace", work, {a, b, out});
    each_row<Word>(rows, [=, this](const PlanLimb<Word>& limb, std::size_t at) {
      row_product(limb, a.data() + at, b.data() + at, out.data() + at, work.data() + at);
    });
  }

  /// Orders cancel between forward, product and inverse, so only the kernels' own order is used where
  /// possible.
  template <class Word>
  void row_product(const PlanLimb<Word>& limb, const Word* a, const Word* b, Word* out, Word* work) const {
    if (limb.kernel == nullptr || limb.kernel->product == nullptr)
      return product_by_parts(limb, a, b, out, work);
    const bool square = a == b;
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(a, work, log_n);
      if (!square) permute_bit_reversed(b, out, log_n);
      a = work;
      b = square ? work : out;
    }
    limb.kernel->product(limb.tables, {limb.modulus, limb.multiply}, a, b, out, work);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(out, out, log_n);
  }

  template <class Word>
  void product_by_parts(const PlanLimb<Word>& limb, const Word* a, const Word* b, Word* out,
                        Word* work) const {
    product_forward(limb, a, work);
    const Word* y = work;
    if (a != b) {
      product_forward(limb, b, out);
      y = out;
    }
    limb.multiply(limb.modulus, work, y, out, spec.n);
    product_inverse(limb, out);
  }

  template <class Word>
  void sum_of_products(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                       std::span<Word> work) const {
    const std::size_t rows = check(std::span<const Word>(out), "out");
    const std::size_t terms = terms_of<Word>(a, b, out, "out");
    const std::size_t group = out.empty() ? 0 : work.size() / (2 * out.size());
    if (work.size() != group * 2 * out.size() || (group == 0 && !out.empty())) {
      throw SizeError("workspace has " + std::to_string(work.size()) + " words: need twice out's, " +
                      std::to_string(2 * out.size()) + ", or a multiple");
    }
    require_disjoint<Word>("out", out, {a, b});
    require_disjoint<Word>("workspace", work, {a, b, out});
    const bool square = a.data() == b.data();
    each_row<Word>(rows, [=, this, n = spec.n](const PlanLimb<Word>& limb, std::size_t at) {
      Word *const x = work.data() + 2 * group * at, *const y = square ? x : x + n, *sum = out.data() + at;
      for (std::size_t first = 0; first < terms; first += group) {
        const std::size_t count = std::min(group, terms - first);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t from = (first + i) * out.size() + at;
          product_forward(limb, a.data() + from, x + 2 * n * i);
          if (!square) product_forward(limb, b.data() + from, y + 2 * n * i);
        }
        if (count > 1) {
          limb.sum_of_products(limb.modulus, x, y, 2 * n, count, sum, first != 0, n);
        } else {
          (first == 0 ? limb.multiply : limb.multiply_accumulate)(limb.modulus, x, y, sum, n);
        }
      }
      product_inverse(limb, sum);
    });
  }

  template <class Word>
  void product_inverse(const PlanLimb<Word>& limb, Word* x) const {
    if (engine<Word>() != nullptr) return engine<Word>()->inverse(index_of(limb), x, x);
    limb.kernel->inverse(limb.tables, x, x);
    if (spec.input_order == Order::bit_reversed) permute_bit_reversed(x, x, log_n);
  }

  template <class Word>
  void product_forward(const PlanLimb<Word>& limb, const Word* in, Word* out) const {
    if (engine<Word>() != nullptr) return engine<Word>()->forward(index_of(limb), in, out);
    if (spec.input_order == Order::bit_reversed) {
      permute_bit_reversed(in, out, log_n);
      in = out;
    }
    limb.kernel->forward(limb.tables, in, out);
  }

  template <class Word>
  void require_reduced(std::span<const Word> x) const {
    const std::size_t rows = check(x, "x");
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
};

NttPlan::NttPlan(NttSpec spec, unsigned threads) {
  NttRecipe recipe = choose_recipe(spec, active_target(), threads == 0 ? default_threads() : threads);
  impl_ = std::make_shared<const Impl>(validated(std::move(spec)), std::move(recipe));
}

NttPlan::NttPlan(NttSpec spec, const Wisdom& wisdom, unsigned threads, std::size_t batch) {
  if (const auto recipe = wisdom.find(spec, {threads, batch})) {
    impl_ = std::make_shared<const Impl>(validated(std::move(spec)), *recipe);
  } else {
    *this = NttPlan(std::move(spec), threads);
  }
}

NttPlan::NttPlan(NttSpec spec, NttRecipe recipe)
    : impl_(std::make_shared<const Impl>(validated(std::move(spec)), std::move(recipe))) {}

const NttSpec& NttPlan::spec() const { return impl_->spec; }
const NttRecipe& NttPlan::recipe() const { return impl_->recipe; }

#define NTTF_PLAN_FORWARDERS(Word)                                                                         \
  void NttPlan::forward(std::span<const Word> in, std::span<Word> out) const {                             \
    impl_->transform<Word, false>(in, out);                                                                \
  }                                                                                                        \
  void NttPlan::inverse(std::span<const Word> in, std::span<Word> out) const {                             \
    impl_->transform<Word, true>(in, out);                                                                 \
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
  void NttPlan::require_reduced(std::span<const Word> x) const { impl_->require_reduced(x); }

NTTF_PLAN_FORWARDERS(std::uint64_t)
NTTF_PLAN_FORWARDERS(std::uint32_t)
#undef NTTF_PLAN_FORWARDERS

}  // namespace nttforge
