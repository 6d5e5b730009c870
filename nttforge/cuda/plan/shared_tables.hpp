// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>

#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan/tables.hpp"

namespace nttforge::cuda {

/// The tables of one limb on a device, complete, in memory that those of other limbs may be in as well.
template <class Word>
struct DeviceTables {
  CudaBuffer memory;
  const Word* forward;
  const Word* inverse;
};

/// What the tables of a limb follow from: limbs that agree in it have one copy on a device.
struct TableKey {
  int device;
  std::uint64_t context;  ///< of the device: tables go with a reset
  const void* row;        ///< of the launch table
  Transform transform;
  Ring ring;
  std::size_t n;
  std::uint64_t q, factor;
  std::uint64_t roots[2];  ///< one of a DGT in two parts; else the second is 0

  auto operator<=>(const TableKey&) const = default;
};

template <class Word>
TableKey table_key(const TableSource& source, const CudaKernelRow<Word>& row, int device,
                   std::uint64_t context);

/// The tables of that key which a plan has now; null if none has.
template <class Word>
std::shared_ptr<const DeviceTables<Word>> known_tables(const TableKey& key);
/// These, or those that another thread's plan has got meanwhile. They go when nobody uses them.
template <class Word>
std::shared_ptr<const DeviceTables<Word>> share_tables(const TableKey& key, DeviceTables<Word> tables);

#define NTTF_SHARED_TABLES(prefix, Word)                                                                  \
  prefix template TableKey table_key(const TableSource&, const CudaKernelRow<Word>&, int, std::uint64_t); \
  prefix template std::shared_ptr<const DeviceTables<Word>> known_tables(const TableKey&);                \
  prefix template std::shared_ptr<const DeviceTables<Word>> share_tables(const TableKey&, DeviceTables<Word>);
NTTF_SHARED_TABLES(extern, std::uint64_t)
NTTF_SHARED_TABLES(extern, std::uint32_t)

}  // namespace nttforge::cuda
