#pragma once

#include <cstdint>
#include <vector>

#include "nttforge/base/aligned_buffer.hpp"
#include "nttforge/cuda/kernels.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// Tables and constants of one limb for one row, in host memory.
template <class Word>
struct LimbTables {
  CudaLimb<Word> limb;  ///< its pointers are into `forward` and `inverse`; set them anew after uploading
  AlignedBuffer<Word> forward, inverse;
};

/// Words of one table: of 2^log_n entries.
template <class Word>
std::size_t table_words(const CudaKernelRow<Word>& row, unsigned log_n);

/// q and root (psi or omega) as in a validated spec; min_log_n <= log_n <= max_log_n, q < q_limit.
/// The inverse table's stage 0 has the factor 1/n in it.
template <class Word>
LimbTables<Word> build_tables(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root,
                              const CudaKernelRow<Word>& row);

extern template std::size_t table_words(const CudaKernelRow<std::uint64_t>&, unsigned);
extern template std::size_t table_words(const CudaKernelRow<std::uint32_t>&, unsigned);
extern template LimbTables<std::uint64_t> build_tables(Ring, unsigned, std::uint64_t, std::uint64_t,
                                                       const CudaKernelRow<std::uint64_t>&);
extern template LimbTables<std::uint32_t> build_tables(Ring, unsigned, std::uint64_t, std::uint64_t,
                                                       const CudaKernelRow<std::uint32_t>&);

}  // namespace nttforge::cuda
