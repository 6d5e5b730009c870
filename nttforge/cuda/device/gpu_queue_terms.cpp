// SPDX-License-Identifier: Apache-2.0
// Products of pairs, and linear combinations, alone and beside such products.
#include <algorithm>
#include <initializer_list>
#include <vector>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"

namespace nttforge::cuda {
namespace {

/// The kernel of terms, but for its shape and place, from term `first` on.
template <class Word>
CombineTerms<Word> combined(const RingTables& ring, std::span<const CombinedRows> terms,
                            std::span<const std::uint64_t> scalars, std::size_t first, std::size_t parts) {
  constexpr std::size_t kTerms = CombineTerms<Word>::kTerms;
  const std::size_t limbs = ring.limbs();
  CombineTerms<Word> sum{};
  sum.ring = own<GpuRing>(ring).rows();
  sum.terms = static_cast<std::uint32_t>(std::min(kTerms, terms.size() - first));
  sum.parts = static_cast<std::uint32_t>(parts);
  sum.products = products_of(ring);
  for (std::size_t i = 0; i < sum.terms; ++i) {
    const CombinedRows& term = terms[first + i];
    sum.words[i] = term.words.template as<Word>();
    sum.stride[i] = term.stride;
    sum.term_parts[i] = static_cast<std::uint32_t>(term.parts);
    std::copy_n(scalars.begin() + static_cast<std::ptrdiff_t>((first + i) * limbs), limbs, sum.scalars[i]);
  }
  return sum;
}

/// A place whose lowest bits are those that any place of terms has: these matter.
const void* place_of(std::initializer_list<ConstWordPtr> words, std::span<const CombinedRows> terms) {
  std::uintptr_t places = 0;
  for (const ConstWordPtr& at : words) places |= reinterpret_cast<std::uintptr_t>(at.address());
  for (const CombinedRows& term : terms) places |= reinterpret_cast<std::uintptr_t>(term.words.address());
  return reinterpret_cast<const void*>(places);
}

}  // namespace

void GpuQueue::linear_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                                  std::span<const std::uint64_t> scalars,
                                  std::span<const std::uint64_t> constants, std::size_t parts, WordPtr out,
                                  std::size_t elements) const {
  require_combination(ring, terms, scalars, constants);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(elements * parts * ring.limbs(), ring.n(), {place_of({out}, terms)});
    for (std::size_t first = 0; first < terms.size(); first += CombineTerms<Word>::kTerms) {
      CombineTerms<Word> sum = combined<Word>(ring, terms, scalars, first, parts);
      sum.shape = grid.shape;
      sum.log_n = grid.log_n;
      sum.step = grid.step;
      sum.out = out.as<Word>();
      sum.accumulate = first != 0;
      if (first == 0) std::copy(constants.begin(), constants.end(), sum.constants);
      run("combination", sum);
    }
  });
}

void GpuQueue::tensor_combination(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, std::uint64_t times,
                                  std::span<const CombinedRows> terms, std::span<const std::uint64_t> scalars,
                                  std::span<const std::uint64_t> constants, WordPtr out,
                                  std::size_t batch) const {
  const std::vector<std::uint64_t> factors(ring.limbs(), times);
  require_scalars(ring, factors);
  if (!terms.empty()) require_combination(ring, terms, scalars, constants);
  const bool fused = with_word(out.word_bits(), [&]<class Word>(Word) {
    if (terms.size() > CombineTerms<Word>::kTerms || (times == 1 && terms.empty() && constants.empty()))
      return false;
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {place_of({a, b, out}, terms)});
    TensorAndTerms<Word> all{
        grid.shape, combined<Word>(ring, terms, scalars, 0, 3), a.as<Word>(), b.as<Word>(), {}};
    all.sum.log_n = grid.log_n;
    all.sum.step = grid.step;
    all.sum.out = out.as<Word>();
    std::copy(constants.begin(), constants.end(), all.sum.constants);
    std::copy(factors.begin(), factors.end(), all.times);
    run("tensor product and terms", all);
    return true;
  });
  if (!fused) Queue::tensor_combination(ring, a, b, times, terms, scalars, constants, out, batch);
}

void GpuQueue::sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms, std::size_t parts,
                            WordPtr out, std::size_t elements, bool accumulate) const {
  if (terms.empty()) return Queue::sum_of_terms(ring, terms, parts, out, elements, accumulate);
  std::uintptr_t places = reinterpret_cast<std::uintptr_t>(out.address());
  for (const FactorTerm& term : terms)
    for (const ConstWordPtr at : {term.factor, term.x})
      places |= reinterpret_cast<std::uintptr_t>(at.address());
  with_word(out.word_bits(), [&]<class Word>(Word) {
    using Sum = SumOfTerms<Word>;
    const RowGrid<Word> grid(elements * ring.limbs(), ring.n(), {reinterpret_cast<const void*>(places)});
    for (std::size_t first = 0; first < terms.size(); first += Sum::kTerms) {
      poll_interrupt();
      Sum sum{};
      sum.shape = grid.shape;
      sum.log_n = grid.log_n;
      sum.step = grid.step;
      sum.ring = own<GpuRing>(ring).rows();
      sum.out = out.as<Word>();
      sum.terms = static_cast<std::uint32_t>(std::min<std::size_t>(Sum::kTerms, terms.size() - first));
      sum.parts = static_cast<std::uint32_t>(parts);
      sum.products = products_of(ring);
      sum.accumulate = accumulate || first != 0;
      for (std::size_t i = 0; i < sum.terms; ++i) {
        const FactorTerm& term = terms[first + i];
        sum.factors[i] = term.factor.as<Word>();
        sum.words[i] = term.x.as<Word>();
        sum.factor_stride[i] = term.factor_stride;
        sum.stride[i] = term.stride;
        sum.term_parts[i] = static_cast<std::uint32_t>(term.parts);
      }
      for (; sum.first_part < sum.parts; sum.first_part += Sum::kParts) run("sum of terms", sum);
    }
  });
}

void GpuQueue::tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {a.address(), b.address(), out.address()});
    run("tensor product", TensorOfPairs<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(),
                                              a.as<Word>(), b.as<Word>(), out.as<Word>(), accumulate});
  });
}

}  // namespace nttforge::cuda
