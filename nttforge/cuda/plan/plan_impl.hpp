// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/elementwise/elementwise.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/plan/limb_classes.hpp"
#include "nttforge/cuda/plan/plan_arrays.hpp"
#include "nttforge/cuda/plan/plan_tables.hpp"
#include "nttforge/cuda/plan/tables.hpp"

// What a plan is inside, for plan.cpp and plan_steps.cpp.

namespace nttforge::cuda {

struct CudaNttPlan::Impl {
  NttSpec spec;
  CudaRecipe recipe;
  int device;
  unsigned log_n;
  CudaRuntime& runtime;
  PlanArrays arrays;
  std::vector<CudaRecipe> limb_recipes;
  std::variant<std::monostate, PlanTables<std::uint64_t>, PlanTables<std::uint32_t>> storage;

  Impl(NttSpec valid, CudaRecipe choice, const CudaDevice& card, const CudaPlanOptions& options)
      : spec(std::move(valid)),
        recipe(std::move(choice)),
        device(card.ordinal),
        log_n(static_cast<unsigned>(std::bit_width(spec.n)) - 1),
        runtime(runtime_of(device)),
        arrays(spec, device),
        limb_recipes(spec.moduli.size()) {
    check_factors(options.inverse_factors);
    if (spec.word_bits == 64) {
      make_tables<std::uint64_t>(card, options);
    } else {
      make_tables<std::uint32_t>(card, options);
    }
  }

  void check_factors(const std::vector<std::uint64_t>& factors) const {
    if (factors.empty()) return;
    if (factors.size() != spec.moduli.size()) {
      throw ParameterError("inverse_factors has " + std::to_string(factors.size()) + " entries for " +
                           std::to_string(spec.moduli.size()) + " moduli: give one factor per modulus");
    }
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] < spec.moduli[i]) continue;
      throw ParameterError("inverse_factors[" + std::to_string(i) + "] = " + std::to_string(factors[i]) +
                           " is not reduced: allowed is [0, q) with q = " + std::to_string(spec.moduli[i]));
    }
    if (is_copy(spec)) {
      throw ParameterError("inverse_factors need a transform, and n = " + std::to_string(spec.n) +
                           " has none: multiply the residues");
    }
  }

  template <class Word>
  void make_tables(const CudaDevice& card, const CudaPlanOptions& options) {
    std::vector<const CudaKernelRow<Word>*> rows(spec.moduli.size());
    for (const ClassRecipe& part : recipes_of_classes(spec, recipe, card)) {
      const auto* const row = is_copy(spec) ? nullptr : &find_row<Word>(part.limbs.spec, part.recipe, card);
      for (const std::size_t limb : part.limbs.limbs) {
        rows[limb] = row;
        limb_recipes[limb] = part.recipe;
      }
      if (row == nullptr || !row->has_product) recipe.fused_product = false;  // all or none
      if (row != nullptr && row->whole && part.limbs.limbs.size() != spec.moduli.size()) {
        throw UnsupportedError("the recipe " + part.recipe.algorithm +
                               " computes limbs of one arithmetic: make a plan for the Goldilocks limbs and "
                               "one for the others, or "
                               "choose another recipe");
      }
    }
    for (CudaRecipe& of_limb : limb_recipes) of_limb.fused_product = recipe.fused_product;
    storage.emplace<PlanTables<Word>>(spec, rows, options.inverse_factors, device);
  }

  template <class Word>
  const PlanTables<Word>& tables() const {
    return std::get<PlanTables<Word>>(storage);
  }
  const CudaBuffer& memory() const {
    return spec.word_bits == 64 ? tables<std::uint64_t>().memory() : tables<std::uint32_t>().memory();
  }
  std::size_t table_bytes() const {
    return spec.word_bits == 64 ? tables<std::uint64_t>().bytes() : tables<std::uint32_t>().bytes();
  }

  template <class Word>
  Rows<Word> rows_of(std::size_t words) const {
    return {tables<Word>().moduli(), static_cast<std::uint32_t>(spec.moduli.size()),
            static_cast<std::uint32_t>(words / spec.n), log_n};
  }

  template <class Operation>
  void run(const char* what, const Operation& operation, CudaStream stream) const {
    runtime.launch(device, what,
                   [&] { return device < 0 ? each_on_host(operation) : enqueue(operation, stream); });
  }

  /// The values of a DGT are two halves, each in its order.
  template <class Word>
  Rows<Word> halves_of(std::size_t words) const {
    Rows<Word> rows = rows_of<Word>(words);
    rows.log_n -= 1;
    return rows;
  }

  template <class Word>
  void permute(const Word* in, Word* out, std::size_t words, bool values, CudaStream stream) const {
    Rows<Word> rows = rows_of<Word>(words);
    if (values && spec.transform == Transform::dgt) {
      rows = halves_of<Word>(words);
      rows.rows *= 2;
    }
    run("permuting", Permute<Word>{rows, in, out}, stream);
  }

  template <class Word>
  CudaLaunch<Word> launch_of(const LimbRun<Word>& limbs, const Word* in, Word* out, std::size_t words) const {
    const auto limb_count = static_cast<std::uint32_t>(spec.moduli.size());
    return {in,
            out,
            tables<Word>().limbs(),
            limb_count,
            static_cast<std::uint32_t>(words / spec.n / limb_count),
            log_points(*limbs.row, spec.n),
            limbs.first,
            limbs.count,
            tables<Word>().workspace()};
  }

  /// The order of the values between kernels.
  template <class Word>
  Order kernel_values() const {
    const auto& runs = tables<Word>().runs();
    return !runs.empty() && runs.front().row->natural_values ? Order::natural : Order::bit_reversed;
  }

  /// Whether arrays are in the orders of the kernels.
  template <class Word>
  bool has_kernel_orders() const {
    return spec.input_order == Order::natural && spec.output_order == kernel_values<Word>();
  }

  /// The kernel's own transform: natural coefficients, values as kernel_values() says.
  template <class Word, bool kInverse>
  void kernel(const Word* in, Word* out, std::size_t words, CudaStream stream) const {
    if (tables<Word>().runs().empty()) {
      if (in != out) runtime.copy(device, out, in, words * sizeof(Word), stream);
      return;
    }
    for (const LimbRun<Word>& limbs : tables<Word>().runs())
      enqueue_row<kInverse>(*limbs.row, launch_of(limbs, in, out, words), stream);
  }

  template <bool kInverse, class Word>
  void enqueue_row(const CudaKernelRow<Word>& row, const CudaLaunch<Word>& launch, CudaStream stream) const {
    runtime.launch(device, kInverse ? "starting an inverse transform" : "starting a forward transform", [&] {
      if (device < 0) {
        (kInverse ? row.inverse_on_host : row.forward_on_host)(launch);
        return 0;
      }
      return (kInverse ? row.inverse : row.forward)(launch, stream);
    });
  }

  template <class Word, bool kInverse>
  void transform(std::span<const Word> in, std::span<Word> out, CudaStream stream, CallPlaces places) const {
    const CudaCall call(runtime, device);
    arrays.check_call(memory(), stream, places);
    arrays.check(std::span<const Word>(out), "out", places);
    arrays.check_same(in, "in", out, places);
    arrays.check_alias("in", in, out);
    if (out.empty()) return;
    const Order first = kInverse ? spec.output_order : spec.input_order;
    const Order last = kInverse ? spec.input_order : spec.output_order;
    const Order before = kInverse ? kernel_values<Word>() : Order::natural;  // what the kernel takes
    const Order after = kInverse ? Order::natural : kernel_values<Word>();
    const Word* from = in.data();
    if (first != before) {
      permute(from, out.data(), out.size(), kInverse, stream);
      from = out.data();
    }
    kernel<Word, kInverse>(from, out.data(), out.size(), stream);
    if (last != after)
      permute(static_cast<const Word*>(out.data()), out.data(), out.size(), !kInverse, stream);
  }

  template <class Word, bool kAccumulate>
  void multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out, CudaStream stream,
                CallPlaces places) const {
    const CudaCall call(runtime, device);
    arrays.check_call(memory(), stream, places);
    arrays.check_binary(a, b, out, kAccumulate ? "accumulator" : "out", places);
    if (out.empty()) return;
    multiply_values<Word, kAccumulate>(a.data(), b.data(), out, stream);
  }

  template <class Word, bool kAccumulate>
  void multiply_values(const Word* a, const Word* b, std::span<Word> out, CudaStream stream) const {
    if (spec.transform == Transform::dgt) {
      run("multiplying", ComplexMultiply<Word, kAccumulate>{halves_of<Word>(out.size()), a, b, out.data()},
          stream);
    } else {
      run("multiplying", Multiply<Word, kAccumulate>{rows_of<Word>(out.size()), a, b, out.data()}, stream);
    }
  }

  /// Orders of the values cancel between transforms and product.
  template <class Word>
  void product(std::span<const Word> a, std::span<const Word> b, std::span<Word> out, std::span<Word> work,
               CudaStream stream, CallPlaces places) const {
    const CudaCall call(runtime, device);
    arrays.check_call(memory(), stream, places);
    arrays.check_binary(a, b, out, "out", places);
    arrays.check_workspace(a, b, out, work, places);
    if (out.empty()) return;
    const bool square = a.data() == b.data(), reversed = spec.input_order == Order::bit_reversed;
    const Word *x = a.data(), *y = b.data();
    if (reversed) {
      permute(x, work.data(), out.size(), false, stream);
      if (!square) permute(y, out.data(), out.size(), false, stream);
      x = work.data();
      y = square ? x : out.data();
    }
    recipe.fused_product ? fused(x, y, out, work, stream) : composed(x, y, out, work, stream);
    if (reversed) permute(static_cast<const Word*>(out.data()), out.data(), out.size(), false, stream);
  }

  template <class Word>
  void fused(const Word* x, const Word* y, std::span<Word> out, std::span<Word> work,
             CudaStream stream) const {
    for (const LimbRun<Word>& limbs : tables<Word>().runs()) {
      const CudaKernelRow<Word>& row = *limbs.row;
      const bool square = x == y;
      CudaProductLaunch<Word> launch{launch_of(limbs, x, out.data(), out.size()), y};
      if (row.launches > 1) {
        launch.call.part = PassPart::before_last;
        launch.call.out = work.data();
        enqueue_row<false>(row, launch.call, stream);
        launch.call.in = launch.second;
        launch.call.out = out.data();
        if (!square) enqueue_row<false>(row, launch.call, stream);
        launch.call.in = work.data();
        launch.second = square ? work.data() : out.data();
      }
      runtime.launch(device, "starting a product", [&] {
        if (device >= 0) return row.product(launch, stream);
        row.product_on_host(launch);
        return 0;
      });
      launch.call.in = out.data();
      if (row.launches > 1) enqueue_row<true>(row, launch.call, stream);
    }
  }

  template <class Word>
  void composed(const Word* x, const Word* y, std::span<Word> out, std::span<Word> work,
                CudaStream stream) const {
    kernel<Word, false>(x, work.data(), out.size(), stream);
    if (x != y) kernel<Word, false>(y, out.data(), out.size(), stream);
    multiply_values<Word, false>(work.data(), x == y ? work.data() : out.data(), out, stream);
    kernel<Word, true>(out.data(), out.data(), out.size(), stream);
  }

  // plan_steps.cpp
  template <class Word>
  void forward_converted(const CudaRnsStep& step, std::span<const Word> in, std::span<const Word> sources,
                         std::span<Word> out, CudaStream stream) const;
  template <class Word>
  void inverse_converted(const CudaRnsStep& step, std::span<const Word> in, std::span<const Word> sources,
                         std::span<Word> out, CudaStream stream) const;

  // plan_sums.cpp
  template <class Word>
  bool inverse_of_sums(const ProductSums<Word>& sums, std::span<Word> out, CudaStream stream) const;

  // plan_switching.cpp
  template <class Word>
  bool inverse_limbs(std::span<const Word> in, std::span<Word> out, std::size_t first, std::size_t count,
                     CudaStream stream) const;
  template <class Word>
  const LimbRun<Word>* switching() const;  ///< all limbs, if their row has pass/switching.hpp
  template <class Word>
  bool forward_joined(const DivisionJoin<Word>& join, std::span<Word> x, CudaStream stream) const;
  template <class Word>
  void enqueue_digits(const LimbRun<Word>& limbs, const DigitRows& rows, std::span<Word> x, PassPart part,
                      CudaStream stream) const;
  template <class Word>
  bool forward_digits(const DigitRows& rows, std::span<Word> x, CudaStream stream) const;
  template <class Word>
  bool key_product(const DigitRows& rows, const KeyWords<Word>& key, std::span<Word> x, std::span<Word> out,
                   CudaStream stream) const;

  template <class Word>
  void require_reduced(std::span<const Word> x, CudaStream stream) const {
    const CudaCall call(runtime, device);
    arrays.check_call(memory(), stream);
    arrays.check(x, "x");
    if (x.empty()) return;
    constexpr unsigned long long kNone = ~0ull;
    unsigned long long found = kNone;
    const CudaBuffer answer(device, sizeof found, stream);
    answer.from_host(&found, stream);
    run("checking residues",
        FindUnreduced<Word>{rows_of<Word>(x.size()), x.data(),
                            static_cast<unsigned long long*>(answer.data())},
        stream);
    answer.to_host(&found, stream);
    if (found == kNone) return;
    Word value = 0;
    runtime.copy(device, &value, x.data() + found, sizeof value, stream);
    runtime.synchronize(device, stream);
    const std::size_t row_index = static_cast<std::size_t>(found) / spec.n,
                      limb = row_index % spec.moduli.size();
    throw ParameterError("x[" + std::to_string(row_index / spec.moduli.size()) + "][" + std::to_string(limb) +
                         "][" + std::to_string(found % spec.n) + "] = " + std::to_string(value) +
                         " is not reduced: allowed is [0, q) with q = " + std::to_string(spec.moduli[limb]) +
                         "; reduce the input modulo q");
  }
};

}  // namespace nttforge::cuda
