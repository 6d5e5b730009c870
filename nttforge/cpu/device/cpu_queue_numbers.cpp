// SPDX-License-Identifier: Apache-2.0
// Numbers to polynomials and back.

#include <atomic>

#include "nttforge/cpu/device/cpu_queue.hpp"
#include "nttforge/cpu/device/word_views.hpp"
#include "nttforge/embedding/small_integers.hpp"

namespace nttforge::cpu {

EncodedRange CpuQueue::encode(const EmbeddingTables& embedding, const RingTables& ring,
                              const NumberRows& numbers, const DoubleDouble& scale, double bits, Form form,
                              WordPtr out, std::size_t batch) const {
  const EmbeddingKernels& kernels = embedding_kernels(target_);
  const double* const values = numbers.words.as<double>();
  const std::uint64_t t = lifting_modulus(bits);
  if (t == 0) {
    const EncodedRange range = encode_by_host(kernels, embedding, ring, values, numbers, scale, out, batch);
    if (form == Form::values) forward(ring, out, batch);
    return range;
  }
  const std::size_t n = ring.n(), slots = embedding.slots(), stride = n / (2 * slots),
                    apart = numbers.length * numbers.parts;
  EncodedRange range{kernels.range(values, batch * numbers.length, numbers.parts)};
  if (!range.finite) return range;
  const std::shared_ptr<std::uint64_t> words = memory_.allocate(batch * n, true);
  std::atomic<bool> inside{true};
  parallel(batch, batch * n, [&](std::size_t e) {
    const std::shared_ptr<std::uint64_t> scratch =
        memory_.allocate(Embedding::kScratch * slots + 2 * slots, true);
    std::uint64_t *const row = words.get() + e * n, *const found =
                                                        stride == 1
                                                            ? row
                                                            : scratch.get() + Embedding::kScratch * slots;
    if (!embedding.embedding().encode(kernels, {values + e * apart, numbers.length, numbers.parts}, scale, t,
                                      found, reinterpret_cast<double*>(scratch.get())))
      inside = false;
    if (stride == 1) return;
    std::fill_n(row, n, 0);
    for (std::size_t i = 0; i < 2 * slots; ++i) row[i * stride] = found[i];
  });
  range.inside = inside;
  if (out.word_bits() == 32) {
    lift_plain(ring, t, words.get(), out, batch);
    if (form == Form::values) forward(ring, out, batch);
    return range;
  }
  for_rows(own<CpuRing>(ring), batch, [&](const CpuLimb& limb, std::size_t at) {
    std::uint64_t* const row = out.as<std::uint64_t>() + at;
    lift_row(limb, t, words.get() + at / ring.words() * n, row, n);
    if (form == Form::values) limb.forward(row, row);
  });
  return range;
}

void CpuQueue::decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
                      const DoubleDouble& scale, double bits, bool real, WordPtr out,
                      std::size_t batch) const {
  const EmbeddingKernels& kernels = embedding_kernels(target_);
  const std::vector<std::uint64_t>& moduli = ring.spec().moduli;
  const std::size_t n = ring.n(), slots = embedding.slots(), stride = n / (2 * slots), words = ring.words();
  const SmallIntegers integers(std::span<const std::uint64_t>(moduli).first(primes_that_hold(moduli, bits)));
  if (integers.size() > 2 || (integers.size() == 2 && integers.bits() > 61.9)) {
    const Input rows(*this, phase, batch * words);
    parallel(batch, batch * words, [&](std::size_t e) {
      decode_on_host(kernels, embedding, ring, rows.words() + e * words, scale, bits, real,
                     out.as<double>() + e * 2 * slots);
    });
    return;
  }
  parallel(batch, batch * words, [&](std::size_t e) {
    const std::shared_ptr<std::uint64_t> scratch =
        memory_.allocate(Embedding::kScratch * slots + 2 * slots, true);
    std::uint64_t* const gathered = scratch.get() + Embedding::kScratch * slots;
    const std::uint64_t* found = gathered;
    with_word(phase, [&](auto zero) {
      using Word = decltype(zero);
      const Word* const row = phase.as<Word>() + e * words;
      if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
        if (integers.size() == 1 && stride == 1) {
          found = row;
          return;
        }
      }
      for (std::size_t i = 0; i < 2 * slots; ++i) {
        const Word* const x = row + i * stride;
        gathered[i] = integers.size() == 1 ? *x : static_cast<std::uint64_t>(integers.centred(*x, x[n]));
      }
    });
    embedding.embedding().decode(kernels, found, integers.size() == 1 ? moduli[0] : 0, scale, real,
                                 out.as<double>() + e * 2 * slots, reinterpret_cast<double*>(scratch.get()));
  });
}

}  // namespace nttforge::cpu
