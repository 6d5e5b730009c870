// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "nttforge/backend/backend.hpp"
#include "nttforge/rns/kernels.hpp"

namespace nttforge::cpu {

/// Affine maps with their coefficients. Not copyable: maps point into `rows`.
class AffineMaps {
 public:
  AffineMaps() = default;
  AffineMaps(const AffineMaps&) = delete;
  AffineMaps& operator=(const AffineMaps&) = delete;

  /// coefficients: `terms` of them, one more if the maps have an extra row.
  void add(std::uint64_t modulus, std::uint64_t offset, std::vector<std::uint64_t> coefficients);
  /// After the last add: the bits of the largest input value, and of the extra row's (0 for none).
  void finish(unsigned sum_bits, std::size_t terms, unsigned value_bits, unsigned extra_bits = 0);

  std::span<const AffineMap> maps() const { return maps_; }
  void run(const ConversionKernels& kernels, const std::uint64_t* in, std::size_t in_stride,
           const std::uint64_t* extra, std::size_t extra_stride, std::uint64_t* out, std::size_t out_stride,
           std::size_t count) const {
    kernels.affine(maps_.data(), maps_.size(), terms_, chunk_, in, in_stride, extra, extra_stride, out,
                   out_stride, count);
  }
  /// Map j alone, with the extra row at `extra` and the result at `out`.
  void run_one(const ConversionKernels& kernels, std::size_t j, const std::uint64_t* in,
               std::size_t in_stride, const std::uint64_t* extra, std::uint64_t* out,
               std::size_t count) const {
    kernels.affine(maps_.data() + j, 1, terms_, chunk_, in, in_stride, extra, 0, out, 0, count);
  }

 private:
  std::vector<std::vector<std::uint64_t>> rows_;
  std::vector<AffineMap> maps_;
  std::size_t terms_ = 0;
  std::size_t chunk_ = 1;
};

std::vector<ScaleRow> make_scale_rows(const RnsBase& base, std::span<const ShoupConstant> factors);

/// Behz::Constants folded for the kernels, see docs/bounds/conversion52.md.
class CpuBehz final : public BehzTables {
 public:
  CpuBehz(const Behz& behz, Target target);

  std::size_t n = 0, k = 0, l = 0;
  const ConversionKernels& kernels;
  std::vector<ScaleRow> extend_scale, floor_scale;
  std::vector<std::uint32_t> residue_coefficients;  ///< of the Montgomery residue, shifted by 2^31
  AffineMaps extend;                                ///< y_0 ... y_{k-1}, residue -> B_sk
  AffineMaps floor;  ///< y_0 ... y_{k-1} and row j of x -> digits for B, -x/M for m_sk
  AffineMaps alpha;  ///< those l rows -> alpha shifted by (m_sk - 1)/2
  AffineMaps to_q;   ///< digits for B and alpha -> Q

 private:
  void fold_extend(const Behz& behz);
  void fold_floor(const Behz& behz);
  void fold_to_q(const Behz& behz);
};

class CpuModDown final : public ModDownTables {
 public:
  CpuModDown(const ModDown& constants, std::size_t dimension, Target target);
  std::size_t n = 0;
  std::size_t limbs = 0;  ///< with p
  const ConversionKernels& kernels;
  AffineMaps rest;  ///< row p -> x + floor(p/2) mod p
  AffineMaps down;  ///< rest and row j -> quotient
};

class CpuDecrypt final : public DecryptTables {
 public:
  CpuDecrypt(const DecryptScale& constants, std::size_t dimension, Target target);
  std::size_t n = 0, k = 0;
  const ConversionKernels& kernels;
  std::vector<ScaleRow> scale;
  AffineMaps gamma;                                 ///< y_0 ... y_{k-1} -> s_gamma shifted by (gamma - 1)/2
  std::uint64_t allowed_low = 0, allowed_high = 0;  ///< of that row while noise leaves half a bit of budget
  AffineMaps t;                                     ///< y_0 ... y_{k-1}, that row -> plaintext
  ScaleRow fraction;                                ///< multiplies by Q mod t, modulo t
  AffineMaps plain;                                 ///< fraction and plaintext -> Q
};

}  // namespace nttforge::cpu
