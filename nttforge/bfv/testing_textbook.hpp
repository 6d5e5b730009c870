// SPDX-License-Identifier: Apache-2.0
#pragma once

// The textbook product, round(t/Q a tensor b) in exact integers, coefficient by coefficient: the reference of
// every form of products. Not installed.

#include <algorithm>
#include <memory>
#include <vector>

#include "nttforge/bfv/testing.hpp"
#include "nttforge/rns/testing.hpp"

namespace nttforge::bfv::testing {

using nttforge::testing::centred;
using nttforge::testing::floor_divide;
using nttforge::testing::Signed;

/// An RNS base whose product exceeds every coefficient of the tensor product, and rings to compute it
/// exactly.
struct ExactTensor {
  ExactTensor(const Context& context, const Queue& queue) : n(context.n()), q(context.parameters().q) {
    const std::size_t bits = 2 * context.parameters().q_bits() + 20;
    NttSpec spec;
    spec.n = n;
    spec.moduli = ntt_primes(n, 58, bits / 57 + 1);
    wide = std::make_unique<RnsBase>(spec.moduli);
    ring = queue.device().make_ring(spec);
  }
  std::size_t n;
  std::vector<std::uint64_t> q;
  std::unique_ptr<RnsBase> wide;
  std::shared_ptr<const RingTables> ring;
};

/// Centred residues modulo Q of [parts][k][n] -> residues modulo the wide base, transformed.
inline std::vector<std::uint64_t> lift(const ExactTensor& exact, const Queue& queue,
                                       const std::vector<std::uint64_t>& x) {
  const RnsBase base(exact.q);
  const std::size_t n = exact.n, k = exact.q.size(), l = exact.wide->size(), parts = x.size() / (n * k);
  std::vector<std::uint64_t> out(parts * l * n), column(k);
  for (std::size_t part = 0; part < parts; ++part)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < k; ++j) column[j] = x[(part * k + j) * n + i];
      const auto residues = nttforge::testing::residues_of(*exact.wide, centred(base, column));
      for (std::size_t j = 0; j < l; ++j) out[(part * l + j) * n + i] = residues[j];
    }
  DeviceArray device = queue.allocate(out.size());
  queue.upload(out, device.data());
  queue.forward(*exact.ring, device.data(), parts);
  queue.download(device.data(), out);
  return out;
}

/// round(t/Q a tensor b) modulo Q, [3][k][n].
inline std::vector<std::uint64_t> textbook_product(const Context& context, const Ciphertext& a,
                                                   const Ciphertext& b) {
  const Queue& queue = context.queue();
  const ExactTensor exact(context, queue);
  const std::size_t n = exact.n, k = exact.q.size(), l = exact.wide->size(), words = l * n;
  const auto x = lift(exact, queue, a.residues()), y = lift(exact, queue, b.residues());
  DeviceArray da = queue.allocate(2 * words), db = queue.allocate(2 * words), dt = queue.allocate(3 * words);
  queue.upload(x, da.data());
  queue.upload(y, db.data());
  queue.tensor(*exact.ring, da.data(), db.data(), dt.data(), false, 1);
  queue.inverse(*exact.ring, dt.data(), 3);
  std::vector<std::uint64_t> tensor(3 * words), column(l), out(3 * k * n);
  queue.download(dt.data(), tensor);
  const RnsBase base(exact.q);
  const BigUint half = base.product().shifted_right(1);
  for (std::size_t part = 0; part < 3; ++part)
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < l; ++j) column[j] = tensor[(part * l + j) * n + i];
      Signed z = centred(*exact.wide, column);
      z.magnitude *= context.t();
      // floor((t z + Q/2) / Q): add the half with the right sign, then floor.
      if (!z.negative) {
        z.magnitude += half;
      } else if (z.magnitude > half) {
        z.magnitude -= half;
      } else {
        z = {false, half - z.magnitude};
      }
      const auto residues = nttforge::testing::residues_of(base, floor_divide(z, exact.q));
      for (std::size_t j = 0; j < k; ++j) out[(part * k + j) * n + i] = residues[j];
    }
  return out;
}

/// Largest absolute centred difference of a coefficient modulo Q.
inline BigUint largest_difference(const Context& context, const std::vector<std::uint64_t>& a,
                                  const std::vector<std::uint64_t>& b) {
  const RnsBase base(context.parameters().q);
  const std::size_t n = context.n(), k = base.size();
  BigUint largest;
  std::vector<std::uint64_t> column(k);
  for (std::size_t i = 0; i < a.size() / k; ++i) {
    for (std::size_t j = 0; j < k; ++j) {
      const std::size_t at = (i / n * k + j) * n + i % n;
      column[j] = base.modulus(j).sub(a[at], b[at]);
    }
    largest = std::max(largest, centred(base, column).magnitude);
  }
  return largest;
}

}  // namespace nttforge::bfv::testing
