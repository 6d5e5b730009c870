// SPDX-License-Identifier: Apache-2.0
// Collects the rows of this build from the lists that cmake/cuda_table.cmake writes to the header below. What
// rows are is compiled here; units that the same table makes compile the functions that run them.
#include <nttforge_cuda_lists.hpp>
#include <type_traits>
#include <vector>

#include "nttforge/cuda/table/row.hpp"

namespace nttforge::cuda {
namespace {

template <class List, class... Lists>
constexpr bool is_one_of(built::Lists<Lists...>) {
  return (std::is_same_v<List, Lists> || ...);
}

template <class List>
void append(std::vector<CudaKernelRow<typename List::Word>>& rows) {
  constexpr bool kProducts = is_one_of<List>(built::WithProducts{}),
                 kSums = is_one_of<List>(built::WithSums{}), kSteps = is_one_of<List>(built::WithSteps{}),
                 kSwitching = is_one_of<List>(built::WithSwitching{});
  const std::size_t first = rows.size();
  List::each([&]<class Row>(Row row) {
    rows.push_back(make_row(row));
    if constexpr (kProducts) rows.back().has_product = Row::kHasProduct;
    if constexpr (kSteps) {
      rows.back().has_steps = Row::kHasStep;
    } else if constexpr (requires { Row::kHasStep; }) {
      static_assert(!Row::kHasStep, "cmake/cuda_table.cmake needs a unit for the steps of this list");
    }
  });
  [[maybe_unused]] const auto fill = [&]<Where kWhere>() {
    fill_transforms<List, kWhere>(rows.data() + first);
    if constexpr (kProducts) fill_products<List, kWhere>(rows.data() + first);
    if constexpr (kSums) fill_sums<List, kWhere>(rows.data() + first);
    if constexpr (kSteps) fill_steps<List, kWhere>(rows.data() + first);
    if constexpr (kSwitching) fill_switching<List, kWhere>(rows.data() + first);
  };
  if constexpr (built::kOnDevice) fill.template operator()<Where::device>();
  if constexpr (built::kOnHost) fill.template operator()<Where::host>();
}

template <class Word, class... Lists>
std::vector<CudaKernelRow<Word>> rows_of_lists(built::Lists<Lists...>) {
  std::vector<CudaKernelRow<Word>> rows;
  [[maybe_unused]] const auto append_if_of_word = [&]<class List>() {
    if constexpr (std::is_same_v<typename List::Word, Word>) append<List>(rows);
  };
  (append_if_of_word.template operator()<Lists>(), ...);
  return rows;
}

}  // namespace

template <class Word>
std::span<const CudaKernelRow<Word>> cuda_rows(CudaRowKind kind) {
  static const std::vector<CudaKernelRow<Word>> ntt = rows_of_lists<Word>(built::Ntt{}),
                                                dgt = rows_of_lists<Word>(built::Dgt{}),
                                                papers = rows_of_lists<Word>(built::Papers{});
  return kind == CudaRowKind::ntt ? ntt : kind == CudaRowKind::dgt ? dgt : papers;
}
template std::span<const CudaKernelRow<std::uint64_t>> cuda_rows(CudaRowKind);
template std::span<const CudaKernelRow<std::uint32_t>> cuda_rows(CudaRowKind);

}  // namespace nttforge::cuda
