// SPDX-License-Identifier: Apache-2.0

#include "nttforge/cpu/device/word_views.hpp"

namespace nttforge::cpu {

void CpuQueue::add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().add(limb.row_modulus, a.as<Word>() + at, b.as<Word>() + at, out.as<Word>() + at,
                           ring.n());
    });
  });
}

void CpuQueue::sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().sub(limb.row_modulus, a.as<Word>() + at, b.as<Word>() + at, out.as<Word>() + at,
                           ring.n());
    });
  });
}

void CpuQueue::negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().negate(limb.row_modulus, a.as<Word>() + at, out.as<Word>() + at, ring.n());
    });
  });
}

void CpuQueue::multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                        std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().multiply(limb.row_modulus, a.as<Word>() + at, b.as<Word>() + at, out.as<Word>() + at,
                                ring.n());
    });
  });
}

void CpuQueue::multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                   std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().multiply_accumulate(limb.row_modulus, a.as<Word>() + at, b.as<Word>() + at,
                                           out.as<Word>() + at, ring.n());
    });
  });
}

void CpuQueue::multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                               WordPtr out, std::size_t batch) const {
  require_scalars(ring, scalars);
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      const Word scalar = static_cast<Word>(scalars[at / ring.n() % ring.limbs()]);
      limb.ops<Word>().multiply_scalar(limb.row_modulus, a.as<Word>() + at, scalar, out.as<Word>() + at,
                                       ring.n());
    });
  });
}

void CpuQueue::multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                  std::size_t batch) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
      limb.ops<Word>().multiply(limb.row_modulus, a.as<Word>() + at, b.as<Word>() + at % ring.words(),
                                out.as<Word>() + at, ring.n());
    });
  });
}

void CpuQueue::tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      std::size_t batch) const {
  const std::size_t words = ring.words();
  const Input left(*this, a, batch * 2 * words), right(*this, b, batch * 2 * words);
  const Output sums(*this, out, batch * 3 * words, accumulate);
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    const std::size_t first = at / words * words;  // of the polynomial
    conversion_kernels_of(target_, limb.q)
        .tensor(limb.row_modulus, left.words() + first + at, words, right.words() + first + at, words,
                sums.words() + 2 * first + at, words, accumulate, ring.n());
  });
}

void CpuQueue::automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                            std::size_t batch) const {
  const CpuRing& own_ring = own<CpuRing>(ring);
  const std::uint64_t n = ring.n();
  // out[j] = +-in[i] with i element = j (mod 2n), minus from n on.
  const std::uint64_t inverse = inverse_element(n, element);
  const Input x(*this, in, batch * ring.words());
  const Output image(*this, out, batch * ring.words());
  for_rows(own_ring, batch, [&](const CpuLimb& limb, std::size_t at) {
    own_ring.kernels.automorphism(limb.q, n, inverse, x.words() + at, image.words() + at);
  });
}

void CpuQueue::repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n,
                      std::size_t rows) const {
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    parallel(rows, rows * n, [&](std::size_t row) {
      for (std::size_t i = row * n / times; i < (row + 1) * n / times; ++i)
        std::fill_n(out.as<Word>() + i * times, times, in.as<Word>()[i]);
    });
  });
}

void CpuQueue::gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
                      std::size_t rows) const {
  const CpuPermutation& own_permutation = own<CpuPermutation>(permutation);
  const std::vector<std::uint32_t>& index = own_permutation.index;
  const std::size_t n = index.size();
  if (out.word_bits() == 64) {
    const ConversionKernels& kernels = conversion_kernels(target_, false);
    parallel(rows, rows * n, [&](std::size_t row) {
      own_permutation.gather(kernels, in.as<std::uint64_t>() + row * n, out.as<std::uint64_t>() + row * n);
    });
    return;
  }
  with_word(out, [&](auto zero) {
    using Word = decltype(zero);
    parallel(rows, rows * n, [&](std::size_t row) {
      const Word* x = in.as<Word>() + row * n;
      Word* y = out.as<Word>() + row * n;
      for (std::size_t i = 0; i < n; ++i) y[i] = x[index[i]];
    });
  });
}

void CpuQueue::lift_row(const CpuLimb& limb, std::uint64_t t, const std::uint64_t* values, std::uint64_t* row,
                        std::size_t n) const {
  const std::uint64_t first_negative = t - t / 2;  // v >= t/2 stands for v - t
  // The fewest multiples of q that make every v - t at least 0: below t/2 + q, and below q where t/2 is.
  const std::uint64_t q = limb.q, lifted = (t / 2 + q - 1) / q * q - t;
  // Kernels of narrow moduli reduce words below 2^52, and t/2 + q is.
  const ConversionKernels& kernels = conversion_kernels(target_, t >> 52 == 0 && is_narrow(q));
  const auto lift = embedding_kernels(target_).lift;
  for (std::size_t first = 0; first < n; first += kBlock, values += kBlock, row += kBlock) {
    const std::size_t count = std::min(kBlock, n - first);
    lift(values, first_negative - 1, lifted, row, count);
    if (t / 2 >= q) kernels.reduce(limb.row_modulus, row, row, count);
  }
}

void CpuQueue::lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                          std::size_t batch) const {
  const Input coefficients(*this, plain, batch * ring.n());
  const Output residues(*this, out, batch * ring.words());
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    lift_row(limb, t, coefficients.words() + at / ring.words() * ring.n(), residues.words() + at, ring.n());
  });
}

void CpuQueue::sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                           std::size_t batch) const {
  const Input coefficients(*this, plain, batch * n);
  parallel(batch, batch * n, [&](std::size_t b) {
    std::uint64_t low = 0, high = 0;
    for (std::size_t i = b * n; i < (b + 1) * n; ++i) {
      const std::uint64_t v = coefficients.words()[i], opposite = t - v;
      const std::uint64_t larger = std::uint64_t{0} - ((opposite - v) >> 63);
      low += v ^ ((v ^ opposite) & larger);  // low is below 2^63 and the term below 2^62
      high += low >> 63;
      low &= ~std::uint64_t{0} >> 1;
    }
    low |= high << 63;
    high >>= 1;
    if (out.word_bits() == 64) {
      out.as<std::uint64_t>()[2 * b] = low;
      out.as<std::uint64_t>()[2 * b + 1] = high;
    } else {
      out.as<std::uint32_t>()[2 * b] = static_cast<std::uint32_t>(low);
      out.as<std::uint32_t>()[2 * b + 1] = static_cast<std::uint32_t>(low >> 32);
    }
  });
}

}  // namespace nttforge::cpu
