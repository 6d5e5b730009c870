#include "nttforge/cuda/rows_fp64.hpp"
#include "nttforge/cuda/rows_goldilocks.hpp"
#include "nttforge/cuda/rows_shoup32.hpp"
#include "nttforge/cuda/rows_shoup64.hpp"

namespace nttforge::cuda {

// Defined in rows_*.cpp and launch_*.cu.
template <>
std::vector<CudaKernelRow<Rows60::Word>> host_rows<Rows60>();
template <>
std::vector<CudaKernelRow<SmallRows60::Word>> host_rows<SmallRows60>();
template <>
std::vector<CudaKernelRow<SmallRows62::Word>> host_rows<SmallRows62>();
template <>
std::vector<CudaKernelRow<Rows50::Word>> host_rows<Rows50>();
template <>
std::vector<CudaKernelRow<SmallRows50::Word>> host_rows<SmallRows50>();
template <>
std::vector<CudaKernelRow<RowsGoldilocks::Word>> host_rows<RowsGoldilocks>();
template <>
std::vector<CudaKernelRow<Rows30::Word>> host_rows<Rows30>();
template <>
std::vector<CudaKernelRow<SmallRows30::Word>> host_rows<SmallRows30>();
#ifdef NTTFORGE_CUDA
template <>
std::span<const RowLaunches<Rows60::Word>> device_launches<Rows60>();
template <>
std::span<const RowLaunches<SmallRows60::Word>> device_launches<SmallRows60>();
template <>
std::span<const RowLaunches<SmallRows62::Word>> device_launches<SmallRows62>();
template <>
std::span<const RowLaunches<Rows50::Word>> device_launches<Rows50>();
template <>
std::span<const RowLaunches<SmallRows50::Word>> device_launches<SmallRows50>();
template <>
std::span<const RowLaunches<RowsGoldilocks::Word>> device_launches<RowsGoldilocks>();
template <>
std::span<const RowLaunches<Rows30::Word>> device_launches<Rows30>();
template <>
std::span<const RowLaunches<SmallRows30::Word>> device_launches<SmallRows30>();
#endif

namespace {

template <class List>
void append(std::vector<CudaKernelRow<typename List::Word>>& rows) {
  [[maybe_unused]] std::size_t first = rows.size();
  for (auto& row : host_rows<List>()) rows.push_back(std::move(row));
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
  static const auto rows =
      all_rows<std::uint64_t, Rows60, SmallRows60, Rows50, SmallRows50, SmallRows62, RowsGoldilocks>();
  return rows;
}
template <>
std::span<const CudaKernelRow<std::uint32_t>> cuda_kernel_rows<std::uint32_t>() {
  static const auto rows = all_rows<std::uint32_t, Rows30, SmallRows30>();
  return rows;
}

}  // namespace nttforge::cuda
