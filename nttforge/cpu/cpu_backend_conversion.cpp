// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "nttforge/cpu/conversion_constants.hpp"
#include "nttforge/cpu/cpu_backend.hpp"

namespace nttforge::cpu {

void CpuBackend::behz_extend(const BehzTables& behz, const std::uint64_t* in, std::uint64_t* out,
                             std::size_t batch) const {
  const CpuBehz& tables = own<CpuBehz>(behz);
  const ConversionKernels& kernels = tables.kernels;
  const std::size_t n = tables.n, k = tables.k, l = tables.l;
  for_blocks(batch, n, k, k + 1, false,
             [&](std::size_t polynomial, std::size_t c, std::size_t count, std::uint64_t* y) {
               std::uint64_t* residue = y + k * kBlock;
               kernels.scale(tables.extend_scale.data(), k, in + polynomial * k * n + c, n, y, kBlock, count);
               kernels.affine_mod_2_32(tables.residue_coefficients.data(), std::uint32_t{1} << 31, k, y,
                                       kBlock, residue, count);
               tables.extend.run(kernels, y, kBlock, nullptr, 0, out + polynomial * l * n + c, n, count);
             });
}

void CpuBackend::behz_floor(const BehzTables& behz, std::uint64_t* in_q, std::uint64_t* in_bsk,
                            std::uint64_t* out, std::size_t batch) const {
  const CpuBehz& tables = own<CpuBehz>(behz);
  const ConversionKernels& kernels = tables.kernels;
  const std::size_t n = tables.n, k = tables.k, l = tables.l;
  for_blocks(batch, n, k, k + l, false,
             [&](std::size_t polynomial, std::size_t c, std::size_t count, std::uint64_t* y) {
               std::uint64_t* z = y + k * kBlock;
               std::uint64_t* alpha = z + (l - 1) * kBlock;
               kernels.scale(tables.floor_scale.data(), k, in_q + polynomial * k * n + c, n, y, kBlock,
                             count);
               tables.floor.run(kernels, y, kBlock, in_bsk + polynomial * l * n + c, n, z, kBlock, count);
               tables.alpha.run(kernels, z, kBlock, nullptr, 0, alpha, kBlock, count);
               tables.to_q.run(kernels, z, kBlock, nullptr, 0, out + polynomial * k * n + c, n, count);
             });
}

void CpuBackend::mod_down(const ModDownTables& tables, std::uint64_t* in, std::uint64_t* out,
                          std::size_t batch) const {
  const CpuModDown& own_tables = own<CpuModDown>(tables);
  const ConversionKernels& kernels = own_tables.kernels;
  const std::size_t n = own_tables.n, limbs = own_tables.limbs;
  for_blocks(batch, n, limbs, 1, false,
             [&](std::size_t polynomial, std::size_t c, std::size_t count, std::uint64_t* rest) {
               const std::uint64_t* x = in + polynomial * limbs * n + c;
               own_tables.rest.run(kernels, nullptr, 0, x + (limbs - 1) * n, n, rest, kBlock, count);
               own_tables.down.run(kernels, rest, kBlock, x, n, out + polynomial * (limbs - 1) * n + c, n,
                                   count);
             });
}

void CpuBackend::decrypt_scale(const DecryptTables& tables, const std::uint64_t* x, std::uint64_t* out,
                               std::uint64_t* exhausted) const {
  const CpuDecrypt& own_tables = own<CpuDecrypt>(tables);
  const ConversionKernels& kernels = own_tables.kernels;
  const std::size_t n = own_tables.n, k = own_tables.k;
  std::atomic<std::uint64_t> outside{0};
  for_blocks(1, n, k, k + 1, true, [&](std::size_t, std::size_t c, std::size_t count, std::uint64_t* y) {
    std::uint64_t* gamma_row = y + k * kBlock;
    kernels.scale(own_tables.scale.data(), k, x + c, n, y, kBlock, count);
    own_tables.gamma.run(kernels, y, kBlock, nullptr, 0, gamma_row, kBlock, count);
    own_tables.t.run(kernels, y, kBlock, nullptr, 0, out + c, n, count);
    if (exhausted == nullptr) return;
    // Bit 63 says whether any value lies outside [allowed_low, allowed_high]; no branch depends on one.
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < count; ++i)
      any |= (gamma_row[i] - own_tables.allowed_low) | (own_tables.allowed_high - gamma_row[i]);
    outside.fetch_or(any, std::memory_order_relaxed);
  });
  if (exhausted != nullptr) *exhausted = outside.load() >> 63;
}

void CpuBackend::scale_plain(const DecryptTables& tables, const std::uint64_t* plain,
                             std::uint64_t* out) const {
  const CpuDecrypt& own_tables = own<CpuDecrypt>(tables);
  const ConversionKernels& kernels = own_tables.kernels;
  const std::size_t n = own_tables.n, k = own_tables.k;
  for_blocks(1, n, k, 1, true, [&](std::size_t, std::size_t c, std::size_t count, std::uint64_t* fraction) {
    kernels.scaled_fraction(own_tables.fraction, plain + c, fraction, count);
    own_tables.plain.run(kernels, fraction, kBlock, plain + c, 0, out + c, n, count);
  });
}

}  // namespace nttforge::cpu
