// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cpu/conversion_constants.hpp"

#include <algorithm>
#include <utility>

namespace nttforge::cpu {
namespace {

bool all_narrow(std::span<const std::uint64_t> moduli) {
  return std::all_of(moduli.begin(), moduli.end(), is_narrow);
}

unsigned largest_bits(const RnsBase& base) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < base.size(); ++i) bits = std::max(bits, base.modulus(i).bits());
  return bits;
}

/// -q_i^-1 f mod m for each q_i: (Q/q_i) (-Q^-1) f.
std::vector<std::uint64_t> negative_inverses(const RnsBase& q, const Modulus& m, std::uint64_t f) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t value : q.values())
    result.push_back(m.mul(m.negate(m.inverse(m.reduce(value))), f));
  return result;
}

}  // namespace

void AffineMaps::add(std::uint64_t modulus, std::uint64_t offset, std::vector<std::uint64_t> coefficients) {
  rows_.push_back(std::move(coefficients));
  maps_.push_back({make_conversion_modulus(modulus), offset, nullptr});
}

void AffineMaps::finish(unsigned sum_bits, std::size_t terms, unsigned value_bits, unsigned extra_bits) {
  terms_ = terms;
  unsigned modulus_bits = 0;
  for (std::size_t j = 0; j < maps_.size(); ++j) {
    maps_[j].coefficients = rows_[j].data();
    modulus_bits = std::max(modulus_bits, maps_[j].modulus.modulus.bits());
  }
  chunk_ = longest_sum(sum_bits, std::max(value_bits, extra_bits), modulus_bits);
  // The extra product is wider and counts as 2^(extra_bits - value_bits) narrow ones.
  const std::size_t extra_weight = std::size_t{1} << (extra_bits > value_bits ? extra_bits - value_bits : 0);
  if (terms + extra_weight <= longest_sum(sum_bits, value_bits, modulus_bits)) chunk_ = terms + 1;
}

std::vector<ScaleRow> make_scale_rows(const RnsBase& base, std::span<const ShoupConstant> factors) {
  std::vector<ScaleRow> rows;
  for (std::size_t i = 0; i < base.size(); ++i)
    rows.push_back({factors[i], make_conversion_modulus(base.values()[i])});
  return rows;
}

CpuBehz::CpuBehz(const Behz& behz, Target target)
    : n(behz.n()),
      k(behz.q().size()),
      l(behz.bsk().size()),
      kernels(conversion_kernels(target, all_narrow(behz.q().values()))),
      extend_scale(make_scale_rows(behz.q(), behz.constants().extend_scale)),
      floor_scale(make_scale_rows(behz.q(), behz.constants().floor_scale)) {
  fold_extend(behz);
  fold_floor(behz);
  fold_to_q(behz);
}

// r' = r + 2^31 in [0, 2^32), r centred: x' = (sum_i y_i Q/q_i + r' Q - 2^31 Q) / m_tilde.
void CpuBehz::fold_extend(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  for (std::size_t i = 0; i < k; ++i)
    residue_coefficients.push_back(c.q_punctured_m_tilde[i] * c.negative_inverse_q_m_tilde);
  for (std::size_t j = 0; j < l; ++j) {
    const Modulus& m = behz.bsk().modulus(j);
    const std::uint64_t inverse = c.inverse_m_tilde_bsk[j].value;
    std::vector<std::uint64_t> coefficients;
    for (std::size_t i = 0; i < k; ++i) coefficients.push_back(m.mul(c.q_punctured_bsk[j * k + i], inverse));
    const std::uint64_t q_scaled = m.mul(c.q_mod_bsk[j], inverse);
    coefficients.push_back(q_scaled);
    const std::uint64_t half = std::uint64_t{1} << (Behz::kMTildeBits - 1);
    extend.add(m.value(), m.negate(m.mul(q_scaled, m.reduce(half))), std::move(coefficients));
  }
  extend.finish(kernels.sum_bits, k + 1, std::max(largest_bits(behz.q()), Behz::kMTildeBits));
}

// floor_j = x_j t Q^-1 - sum_i y_i (Q/q_i) Q^-1, times (M/m_j)^-1 for B and times -M^-1 for m_sk.
void CpuBehz::fold_floor(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  for (std::size_t j = 0; j < l; ++j) {
    const Modulus& m = behz.bsk().modulus(j);
    const std::uint64_t next = j + 1 < l ? c.b_inverse_punctured[j].value : m.negate(c.inverse_b_sk.value);
    std::vector<std::uint64_t> coefficients = negative_inverses(behz.q(), m, next);
    coefficients.push_back(m.mul(c.t_inverse_q_bsk[j].value, next));
    floor.add(m.value(), 0, std::move(coefficients));
  }
  floor.finish(kernels.sum_bits, k, largest_bits(behz.q()), largest_bits(behz.bsk()));
}

// alpha = (sum_j y_j M/m_j - x_sk) M^-1 modulo m_sk, centred; out = sum_j y_j M/m_j - alpha M.
void CpuBehz::fold_to_q(const Behz& behz) {
  const Behz::Constants& c = behz.constants();
  const Modulus& m_sk = behz.bsk().modulus(l - 1);
  const std::uint64_t half = m_sk.value() / 2;
  std::vector<std::uint64_t> coefficients;
  for (std::size_t j = 0; j + 1 < l; ++j)
    coefficients.push_back(m_sk.mul(c.b_punctured_sk[j], c.inverse_b_sk.value));
  coefficients.push_back(1);  // the floor's last row is -x_sk / M already
  alpha.add(m_sk.value(), half, std::move(coefficients));
  alpha.finish(kernels.sum_bits, l, largest_bits(behz.bsk()));
  for (std::size_t i = 0; i < k; ++i) {
    const Modulus& q = behz.q().modulus(i);
    const std::uint64_t* row = c.b_punctured_q.data() + i * (l - 1);
    std::vector<std::uint64_t> row_coefficients(row, row + (l - 1));
    row_coefficients.push_back(q.negate(c.b_mod_q[i]));
    to_q.add(q.value(), q.mul(c.b_mod_q[i], q.reduce(half)), std::move(row_coefficients));
  }
  to_q.finish(kernels.sum_bits, l, largest_bits(behz.bsk()));
}

// rest = x + h mod p, h = floor(p / 2); out_j = (x_j + h - rest) p^-1.
CpuModDown::CpuModDown(const ModDown& constants, std::size_t dimension, Target target)
    : n(dimension),
      limbs(constants.base().size()),
      kernels(conversion_kernels(target, all_narrow(constants.base().values()))) {
  const RnsBase& base = constants.base();
  const unsigned bits = largest_bits(base);
  const std::uint64_t p = base.values().back();
  rest.add(p, p / 2, {1});
  rest.finish(kernels.sum_bits, 0, bits, bits);
  for (std::size_t j = 0; j + 1 < limbs; ++j) {
    const Modulus& q = base.modulus(j);
    const std::uint64_t inverse = constants.inverse_p()[j].value;
    down.add(q.value(), q.mul(constants.half_p()[j], inverse), {q.negate(inverse), inverse});
  }
  down.finish(kernels.sum_bits, 1, bits, bits);
}

// [Bad18b] Alg. 2: s_gamma' = s_gamma + (gamma-1)/2 in [0, gamma); m = gamma^-1 (s_t - s_gamma' +
// (gamma-1)/2) mod t.
CpuDecrypt::CpuDecrypt(const DecryptScale& constants, std::size_t dimension, Target target)
    : n(dimension),
      k(constants.q().size()),
      kernels(conversion_kernels(target, all_narrow(constants.q().values()) &&
                                             is_narrow(constants.t().value()) &&
                                             is_narrow(constants.gamma().value()))),
      scale(make_scale_rows(constants.q(), constants.constants().scale)),
      fraction{make_shoup(constants.constants().q_mod_t, constants.t().value()),
               make_conversion_modulus(constants.t().value())} {
  const RnsBase& q = constants.q();
  const Modulus& g = constants.gamma();
  const Modulus& m = constants.t();
  const std::uint64_t half = g.value() / 2;
  const unsigned bits = largest_bits(q);
  gamma.add(g.value(), half, negative_inverses(q, g, 1));
  gamma.finish(kernels.sum_bits, k, bits);
  allowed_low = half - constants.noise_limit() + 1;
  allowed_high = half + constants.noise_limit() - 1;
  const std::uint64_t inverse_gamma = constants.constants().inverse_gamma_t.value;
  std::vector<std::uint64_t> coefficients = negative_inverses(q, m, inverse_gamma);
  coefficients.push_back(m.negate(inverse_gamma));
  t.add(m.value(), m.mul(m.reduce(half), inverse_gamma), std::move(coefficients));
  t.finish(kernels.sum_bits, k + 1, std::max(bits, g.bits()));
  for (std::size_t i = 0; i < k; ++i) plain.add(q.values()[i], 0, {1, constants.constants().delta[i].value});
  plain.finish(kernels.sum_bits, 1, m.bits() + 1, m.bits());
}

}  // namespace nttforge::cpu
