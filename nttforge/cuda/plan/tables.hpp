// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nttforge/base/memory/aligned_buffer.hpp"
#include "nttforge/cuda/table/kernels.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// A limb of a validated spec, and what its inverse is to be multiplied by, in [0, q).
struct TableSource {
  const NttSpec& spec;
  std::size_t limb;
  std::uint64_t factor = 1;
};

/// log2 of the points of the row's kernels: numbers modulo q, or pairs of them (row.complex_entry).
template <class Word>
unsigned log_points(const CudaKernelRow<Word>& row, std::size_t n);

/// Words of one table: of 2^log_n entries.
template <class Word>
std::size_t table_words(const CudaKernelRow<Word>& row, unsigned log_n);

/// The table of a limb for a row whose size and limit it fits, in host memory. The inverse one's stage 0 has
/// factor/n in it.
template <class Word>
AlignedBuffer<Word> build_table(const TableSource& source, const CudaKernelRow<Word>& row, bool inverse);
/// The constants of a limb, without its tables.
template <class Word>
CudaLimb<Word> make_limb(const TableSource& source, const CudaKernelRow<Word>& row);

/// Both tables of a limb with its constants.
template <class Word>
struct LimbTables {
  CudaLimb<Word> limb;  ///< its pointers are into `forward` and `inverse`; set them anew after uploading
  AlignedBuffer<Word> forward, inverse;
};
template <class Word>
LimbTables<Word> build_tables(const TableSource& source, const CudaKernelRow<Word>& row);

#define NTTF_TABLES_OF_WORD(prefix, Word)                                                                \
  prefix template unsigned log_points(const CudaKernelRow<Word>&, std::size_t);                          \
  prefix template std::size_t table_words(const CudaKernelRow<Word>&, unsigned);                         \
  prefix template AlignedBuffer<Word> build_table(const TableSource&, const CudaKernelRow<Word>&, bool); \
  prefix template CudaLimb<Word> make_limb(const TableSource&, const CudaKernelRow<Word>&);              \
  prefix template LimbTables<Word> build_tables(const TableSource&, const CudaKernelRow<Word>&);
NTTF_TABLES_OF_WORD(extern, std::uint64_t)
NTTF_TABLES_OF_WORD(extern, std::uint32_t)

}  // namespace nttforge::cuda
