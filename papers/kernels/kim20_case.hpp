// SPDX-License-Identifier: Apache-2.0
#pragma once

// Polynomials on the device for the kernels of [Kim20]: tables, inputs, right outputs, and chains of kernels
// that are checked and timed.

#include <algorithm>
#include <complex>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "bench/gpu_measure.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/ntt/plan.hpp"
#include "papers/kernels/kim20.hpp"
#include "papers/kernels/kim20_tables.hpp"

namespace nttforge::bench {

template <class Arith>
inline constexpr bool kIsDft = std::is_same_v<Arith, cuda::Kim20Dft>;

/// What a chain of kernels works on.
template <class Arith>
class Kim20Case {
 public:
  using Word = typename Arith::Word;
  using Row = cuda::Kim20Row<Arith>;

  /// `limbs` residues of `bits` bits (complex numbers: one table for all). Natural: for Stockham's.
  Kim20Case(unsigned log_n, unsigned bits, unsigned limbs, unsigned log_base = 10, bool natural = false)
      : log_n_(log_n),
        polynomials_(limbs),
        limbs_(kIsDft<Arith> ? 1 : limbs),
        entries_((std::size_t{1} << log_n) + (kIsDft<Arith> ? 0 : std::size_t{1} << log_base)),
        tables_(entries_ * Arith::kEntryWords * limbs_),
        limb_array_(limbs_),
        data_((kRotatedBuffers << log_n) * std::size_t{limbs}) {
    args_.limbs = limb_array_.data();
    args_.limb_count = limbs_;
    args_.polynomials = limbs;
    args_.log_n = log_n;
    args_.log_base = log_base;
    input_.resize(std::size_t{limbs} << log_n);
    if constexpr (kIsDft<Arith>) {
      fill_complex();
    } else {
      fill_residues(bits, log_base, natural);
    }
    upload();
  }

  unsigned log_n() const { return log_n_; }
  unsigned polynomials() const { return polynomials_; }
  void constants(unsigned per_limb) {
    args_.entries_per_limb = per_limb;
    if constexpr (!kIsDft<Arith>) {
      for (std::size_t l = 0; l < limbs_; ++l) {
        std::copy_n(&host_table_[l * entries_ * Arith::kEntryWords], per_limb * Arith::kEntryWords,
                    args_.constants + l * per_limb * Arith::kEntryWords);
      }
    }
  }
  /// Enqueues the kernels on buffer `i`, in place (Stockham's: to the next buffer and back).
  void enqueue(const std::vector<const Row*>& kernels, unsigned buffer, cudaStream_t stream) {
    Word *x = at(buffer), *y = at((buffer + 1) % kRotatedBuffers);
    args_.first_stage = 0;
    for (const Row* kernel : kernels) {
      const bool moves = kernel->kind == cuda::Kim20Kind::stockham;
      args_.in = x;
      args_.out = moves ? y : x;
      require(static_cast<cudaError_t>(kernel->on_device(args_, stream)), "launch");
      if (moves) std::swap(x, y);
      args_.first_stage += kernel->shape.log_radix;
    }
    last_ = x;
  }
  /// Throws unless the kernels compute the whole transform.
  void verify(const std::vector<const Row*>& kernels, cudaStream_t stream, const std::string& name) {
    upload();
    enqueue(kernels, 0, stream);
    require(cudaStreamSynchronize(stream), name.c_str());
    std::vector<Word> found(input_.size());
    require(cudaMemcpy(found.data(), last_, found.size() * sizeof(Word), cudaMemcpyDeviceToHost), "copy");
    if (!right(found)) throw Error("wrong result, not timed: " + name);
  }

 private:
  Word* at(unsigned buffer) const { return data_.data() + buffer * input_.size(); }
  void upload() {
    for (unsigned i = 0; i < kRotatedBuffers; ++i) data_.set(input_.data(), input_.size(), i * input_.size());
  }
  void fill_residues(unsigned bits, unsigned log_base, bool natural) {
    const std::size_t n = std::size_t{1} << log_n_, words = entries_ * Arith::kEntryWords;
    const NttSpec spec = validated({.n = n,
                                    .moduli = ntt_primes(n, bits, limbs_),
                                    .output_order = natural ? Order::natural : Order::bit_reversed,
                                    .word_bits = 8 * sizeof(Word)});
    host_table_.resize(words * limbs_);
    std::vector<typename Arith::Limb> limbs(limbs_);
    parallel_for(limbs_, [&](std::size_t l) {
      const auto table = cuda::kim20_table<Arith>(log_n_, spec.moduli[l], spec.roots[l], log_base, natural);
      std::copy(table.begin(), table.end(), &host_table_[l * words]);
      limbs[l].q = static_cast<Word>(spec.moduli[l]);
      limbs[l].negated = static_cast<Word>(0 - limbs[l].q);
      Arith::fill_constants(limbs[l]);
      limbs[l].forward = tables_.data() + l * words;
      std::uint64_t state = l + 1;
      for (std::size_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        input_[l * n + i] = static_cast<Word>((state >> 1) % spec.moduli[l]);
      }
    });
    tables_.set(host_table_);
    limb_array_.set(limbs);
    expected_.resize(input_.size());
    NttPlan(spec).forward(std::span<const Word>(input_), std::span<Word>(expected_));
  }
  void fill_complex() {
    tables_.set(cuda::kim20_dft_table(log_n_));
    limb_array_.set(std::vector<typename Arith::Limb>{{tables_.data()}});
    std::uint64_t state = 1;
    for (auto& v : input_) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      v.re = static_cast<float>(state >> 40) / (1 << 23) - 1;
      v.im = static_cast<float>(state >> 16 & 0xFFFFFF) / (1 << 23) - 1;
    }
  }
  bool right(const std::vector<Word>& found) const {
    if constexpr (!kIsDft<Arith>) {
      return found == expected_;
    } else {  // sampled, by the definition
      const std::size_t n = std::size_t{1} << log_n_, first = input_.size() - n;
      for (std::size_t sample = 0; sample < 4; ++sample) {
        const std::size_t k = (sample * 2654435761u + 17) % n;
        std::complex<double> sum = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const double angle =
              -2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
          sum += std::complex<double>(input_[first + j].re, input_[first + j].im) * std::polar(1.0, angle);
        }
        const auto& v = found[first + cuda::kim20_bitrev(static_cast<std::uint32_t>(k), log_n_)];
        if (std::abs(sum - std::complex<double>(v.re, v.im)) > 1e-2 * std::sqrt(static_cast<double>(n)))
          return false;
      }
      return true;
    }
  }

  unsigned log_n_, polynomials_, limbs_;
  std::size_t entries_;
  OnDevice<Word> tables_;
  OnDevice<typename Arith::Limb> limb_array_;
  OnDevice<Word> data_;
  std::vector<Word> input_, expected_, host_table_;
  cuda::Kim20ConstantArgs<Arith> args_;
  Word* last_ = nullptr;
};

}  // namespace nttforge::bench
