// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/bad18a_plan_rows.hpp"
#include "bench/papers/kim20_plan_rows.hpp"
#include "nttforge/cuda/product/product.hpp"
#include "nttforge/cuda/table/rows_dgt.hpp"
#include "nttforge/cuda/table/rows_fp64.hpp"
#include "nttforge/cuda/table/rows_goldilocks.hpp"
#include "nttforge/cuda/table/rows_montgomery32.hpp"
#include "nttforge/cuda/table/rows_shoup32.hpp"
#include "nttforge/cuda/table/rows_shoup64.hpp"

namespace nttforge::cuda {

// Defined in rows_*.cpp and launch_*.cu; of lists with products also in rows_products_*.cpp and
// launch_products_*.cu, of rows with steps in rows_stepped_*.cpp and launch_stepped_*.cu.
#ifdef NTTFORGE_CUDA
#define NTTF_FOR_DEVICE(...) __VA_ARGS__
#else
#define NTTF_FOR_DEVICE(...)
#endif
#ifdef NTTFORGE_CUDA_HOST
#define NTTF_FOR_HOST(...) __VA_ARGS__
#else
#define NTTF_FOR_HOST(...)
#endif
#define NTTF_DECLARE_LIST(List)                             \
  template <>                                               \
  std::vector<CudaKernelRow<List::Word>> host_rows<List>(); \
  NTTF_FOR_DEVICE(template <> std::span<const RowLaunches<List::Word>> device_launches<List>();)
#define NTTF_DECLARE_PRODUCTS(List)                                                            \
  NTTF_FOR_HOST(template <> std::vector<HostProduct<List::Word>> host_products<List>();)       \
  NTTF_FOR_DEVICE(template <> std::vector<DeviceProduct<List::Word>> device_products<List>();) \
  template <>                                                                                  \
  inline constexpr bool kHasProducts<List> = true;
#define NTTF_DECLARE_STEPS(List, PickedOf)                                                        \
  NTTF_FOR_HOST(template <> std::vector<HostSteps<PickedOf::Word>> host_steps<PickedOf>();)       \
  NTTF_FOR_DEVICE(template <> std::vector<DeviceSteps<PickedOf::Word>> device_steps<PickedOf>();) \
  template <>                                                                                     \
  struct StepsOfList<List> {                                                                      \
    using Picked = PickedOf;                                                                      \
  };

/// Lists whose products are compiled.
template <class List>
inline constexpr bool kHasProducts = false;
/// The lists and the rows whose steps are compiled.
template <class List>
struct StepsOfList {};

NTTF_DECLARE_LIST(Rows60)
NTTF_DECLARE_LIST(SmallRows60)
NTTF_DECLARE_LIST(SmallRows62)
NTTF_DECLARE_LIST(Rows50)
NTTF_DECLARE_LIST(SmallRows50)
NTTF_DECLARE_LIST(RowsGoldilocks)
NTTF_DECLARE_LIST(Rows30)
NTTF_DECLARE_LIST(SmallRows30)
NTTF_DECLARE_LIST(Rows32)
NTTF_DECLARE_LIST(Kim20RadixRows64)
NTTF_DECLARE_LIST(Kim20RadixRows32)
NTTF_DECLARE_LIST(Kim20SharedRows64)
NTTF_DECLARE_LIST(Kim20SharedRows32)
NTTF_DECLARE_LIST(EmmartWeemsRows)
NTTF_DECLARE_LIST(DgtRows62)
NTTF_DECLARE_LIST(DgtRowsGoldilocks)
NTTF_DECLARE_LIST(DgtRows32)
NTTF_DECLARE_PRODUCTS(Rows60)
NTTF_DECLARE_PRODUCTS(SmallRows60)
NTTF_DECLARE_PRODUCTS(Rows50)
NTTF_DECLARE_PRODUCTS(SmallRows50)
NTTF_DECLARE_PRODUCTS(SmallRows62)
NTTF_DECLARE_PRODUCTS(RowsGoldilocks)
NTTF_DECLARE_PRODUCTS(Rows30)
NTTF_DECLARE_PRODUCTS(SmallRows30)
NTTF_DECLARE_STEPS(Rows60, SteppedRows60)
NTTF_DECLARE_STEPS(Rows50, SteppedRows50)
NTTF_DECLARE_STEPS(Rows30, SteppedRows30)

namespace {

/// The functions that run on the host, in builds that have them.
template <class List>
void add_host_runs([[maybe_unused]] CudaKernelRow<typename List::Word>* rows) {
#ifdef NTTFORGE_CUDA_HOST
  if constexpr (kHasProducts<List>) {
    std::size_t at = 0;
    for (const auto product : host_products<List>()) rows[at++].product_on_host = product;
  }
  if constexpr (requires { typename StepsOfList<List>::Picked; }) {
    for (const auto& step : host_steps<typename StepsOfList<List>::Picked>()) {
      rows[step.row].forward_step_on_host = step.forward;
      rows[step.row].inverse_step_on_host = step.inverse;
    }
  }
#endif
}

/// And those that run on GPUs.
template <class List>
void add_device_runs([[maybe_unused]] CudaKernelRow<typename List::Word>* rows) {
#ifdef NTTFORGE_CUDA
  std::size_t at = 0;
  for (const auto& launches : device_launches<List>()) {
    rows[at].forward = launches.forward;
    rows[at++].inverse = launches.inverse;
  }
  if constexpr (kHasProducts<List>) {
    at = 0;
    for (const auto product : device_products<List>()) rows[at++].product = product;
  }
  if constexpr (requires { typename StepsOfList<List>::Picked; }) {
    for (const auto& step : device_steps<typename StepsOfList<List>::Picked>()) {
      rows[step.row].forward_step = step.forward;
      rows[step.row].inverse_step = step.inverse;
    }
  }
#endif
}

template <class List>
void append(std::vector<CudaKernelRow<typename List::Word>>& rows) {
  const std::size_t first = rows.size();
  for (auto& row : host_rows<List>()) rows.push_back(std::move(row));
  if constexpr (kHasProducts<List>) {
    std::size_t at = first;
    List::each([&]<class Row>(Row) { rows[at++].has_product = ProductOf<Row>::kExists; });
  }
  if constexpr (requires { typename StepsOfList<List>::Picked; }) {
    StepsOfList<List>::Picked::each([&](std::size_t at, auto) { rows[first + at].has_steps = true; });
  }
  add_host_runs<List>(rows.data() + first);
  add_device_runs<List>(rows.data() + first);
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
  static const auto rows = all_rows<std::uint32_t, Rows30, SmallRows30, Rows32>();
  return rows;
}

template <>
std::span<const CudaKernelRow<std::uint64_t>> cuda_paper_rows<std::uint64_t>() {
  static const auto rows = all_rows<std::uint64_t, Kim20RadixRows64, Kim20SharedRows64, EmmartWeemsRows>();
  return rows;
}
template <>
std::span<const CudaKernelRow<std::uint32_t>> cuda_paper_rows<std::uint32_t>() {
  static const auto rows = all_rows<std::uint32_t, Kim20RadixRows32, Kim20SharedRows32>();
  return rows;
}
template <>
std::span<const CudaKernelRow<std::uint64_t>> cuda_dgt_rows<std::uint64_t>() {
  static const auto rows = all_rows<std::uint64_t, DgtRows62, DgtRowsGoldilocks>();
  return rows;
}
template <>
std::span<const CudaKernelRow<std::uint32_t>> cuda_dgt_rows<std::uint32_t>() {
  static const auto rows = all_rows<std::uint32_t, DgtRows32>();
  return rows;
}

}  // namespace nttforge::cuda
