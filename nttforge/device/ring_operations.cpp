// SPDX-License-Identifier: Apache-2.0
#include "nttforge/device/ring_operations.hpp"

#include <vector>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"

namespace nttforge {

void RingOperations::sample_small(const RingTables& ring, const SmallPolynomial& polynomial,
                                  WordPtr out) const {
  switch (polynomial.kind) {
    case SmallPolynomial::Kind::ternary:
      sample_ternary(ring, polynomial.name, out);
      break;
    case SmallPolynomial::Kind::binary:
      sample_binary(ring, polynomial.name, out);
      break;
    case SmallPolynomial::Kind::error:
      sample_error(ring, polynomial.name, polynomial.error, out);
      break;
  }
  if (polynomial.factor == 1) return;
  std::vector<std::uint64_t> factors;
  for (const std::uint64_t q : ring.spec().moduli) factors.push_back(polynomial.factor % q);
  multiply_scalar(ring, out, factors, out, 1);
}

void RingOperations::forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out,
                                  std::size_t batch) const {
  copy(in, out, batch * ring.words());
  forward(ring, out, batch);
}

void RingOperations::sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out,
                                     std::size_t stride, std::size_t batch) const {
  StreamName now = name;
  for (std::size_t b = 0; b < batch; ++b, ++now.index, out += stride) {
    poll_interrupt();
    sample_uniform(ring, now, out);
  }
}

void RingOperations::tensor_combination(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                        std::uint64_t times, std::span<const CombinedRows> terms,
                                        std::span<const std::uint64_t> scalars,
                                        std::span<const std::uint64_t> constants, WordPtr out,
                                        std::size_t batch) const {
  tensor(ring, a, b, out, false, batch);
  if (times == 1 && terms.empty() && constants.empty()) return;
  std::vector<CombinedRows> rows{{out, ring.words(), 3}};
  rows.insert(rows.end(), terms.begin(), terms.end());
  std::vector<std::uint64_t> all(ring.limbs(), times);
  all.insert(all.end(), scalars.begin(), scalars.end());
  linear_combination(ring, rows, all, constants, 3, out, batch);
}

void RingOperations::sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x,
                                      WordPtr out, std::size_t groups, std::size_t terms,
                                      std::size_t parts) const {
  const std::size_t words = ring.words();
  fill_zero(out, groups * parts * words);
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t i = 0; i < terms; ++i)
      for (std::size_t part = 0; part < parts; ++part)
        multiply_accumulate(ring, factors + (g * terms + i) * words, x + (i * parts + part) * words,
                            out + (g * parts + part) * words, 1);
}

void RingOperations::sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms,
                                  std::size_t parts, WordPtr out, std::size_t elements,
                                  bool accumulate) const {
  const std::size_t words = ring.words();
  if (!accumulate) fill_zero(out, elements * parts * words);
  for (const FactorTerm& term : terms) {
    poll_interrupt();
    for (std::size_t e = 0; e < elements; ++e)
      for (std::size_t part = 0; part < term.parts; ++part)
        multiply_accumulate(ring, term.x + e * term.stride + part * words,
                            term.factor + e * term.factor_stride, out + (e * parts + part) * words, 1);
  }
}

void RingOperations::repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n,
                            std::size_t rows) const {
  SecretVector<std::uint64_t> words(rows * n / times), repeated(rows * n);
  download(in, words);
  for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = words[i / times];
  upload(repeated, out);
}

void RingOperations::automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element,
                                              WordPtr out, std::size_t batch) const {
  DeviceArray x = allocate_secret(ring, batch);
  copy(in, x.data(), batch * ring.words());
  inverse(ring, x.data(), batch);
  automorphism(ring, x.data(), element, out, batch);
  forward(ring, out, batch);
}

}  // namespace nttforge
