#include "nttforge/cuda/rows_shoup32.hpp"
#include "nttforge/cuda/rows_shoup64.hpp"

namespace nttforge::cuda {
namespace {

template <class List>
void append(std::vector<CudaKernelRow<typename List::Word>>& rows) {
  [[maybe_unused]] std::size_t first = rows.size();
  List::each([&](auto row) { rows.push_back(make_row(row)); });
#ifdef NTTFORGE_CUDA
  for (const auto& launches : device_launches<List>()) {
    rows[first].forward = launches.forward;
    rows[first].inverse = launches.inverse;
    ++first;
  }
#endif
}

template <class Word, class... Lists>
std::vector<CudaKernelRow<Word>> all_rows() {
  std::vector<CudaKernelRow<Word>> rows;
  (append<Lists>(rows), ...);
  return rows;
}

}  // namespace

template <>
std::span<const CudaKernelRow<std::uint64_t>> cuda_kernel_rows<std::uint64_t>() {
  static const auto rows = all_rows<std::uint64_t, Rows60, Rows62>();
  return rows;
}
template <>
std::span<const CudaKernelRow<std::uint32_t>> cuda_kernel_rows<std::uint32_t>() {
  static const auto rows = all_rows<std::uint32_t, Rows30>();
  return rows;
}

}  // namespace nttforge::cuda
