// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/kernels/dgt/dgt_tables.hpp"

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge {
namespace {

template <class Word>
class Writer {
 public:
  Writer(const std::vector<ComplexMod>& w, const TwiddleLayout& layout, std::uint64_t q, Word* p)
      : w_(w), layout_(layout), q_(q), p_(p) {}

  /// Words of entry w[index], `stride` words apart.
  void entry(std::size_t index, std::size_t stride, std::size_t lane) {
    const TwiddleEntry re = layout_.entry(w_[index].re, q_);
    const TwiddleEntry im = layout_.entry(w_[index].im, q_);
    std::size_t at = lane;
    for (const std::uint64_t word : {re.value, re.quotient, im.value, im.quotient}) {
      p_[at] = static_cast<Word>(word);
      at += stride;
    }
  }
  void advance(std::size_t words) { p_ += words; }

  /// The `stages` stages from `log_groups` on of group j: 1, 2, 4 ... twiddles.
  void group(unsigned log_groups, unsigned stages, std::size_t j) {
    poll_();
    for (unsigned s = 0; s < stages; ++s) {
      for (std::size_t o = 0; o < std::size_t{1} << s; ++o) {
        entry((std::size_t{1} << (log_groups + s)) + (j << s) + o, 1, 0);
        advance(4);
      }
    }
  }

  /// Entries of `lanes` neighbouring groups, one per lane.
  void vectors(unsigned log_groups, unsigned stages, std::size_t first, std::size_t lanes) {
    poll_();
    for (unsigned s = 0; s < stages; ++s) {
      for (std::size_t o = 0; o < std::size_t{1} << s; ++o) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
          entry((std::size_t{1} << (log_groups + s)) + ((first + lane) << s) + o, lanes, lane);
        advance(4 * lanes);
      }
    }
  }

 private:
  const std::vector<ComplexMod>& w_;
  const TwiddleLayout& layout_;
  std::uint64_t q_;
  Word* p_;
  SparsePoll poll_;
};

template <class Word>
AlignedBuffer<Word> lay_out(const std::vector<ComplexMod>& w, unsigned log_m, const TwiddleLayout& layout,
                            std::uint64_t q) {
  AlignedBuffer<Word> table(4 * (w.size() - 1));
  Writer<Word> writer(w, layout, q, table.data());
  const unsigned end = log_m - layout.tail_log, log_rows = log_m - layout.log_lanes;
  const std::size_t lanes = std::size_t{1} << layout.log_lanes;
  if (lanes > 1) {
    for (std::size_t first = 0; first < std::size_t{1} << log_rows; first += lanes)
      writer.vectors(log_rows, layout.log_lanes, first, lanes);
  }
  for (unsigned log_groups = 0; log_groups < end;) {
    const unsigned odd = end % layout.radix_log;
    const unsigned stages = log_groups == 0 && odd != 0 ? odd : layout.radix_log;
    for (std::size_t j = 0; j < std::size_t{1} << log_groups; ++j) writer.group(log_groups, stages, j);
    log_groups += stages;
  }
  if (lanes > 1) {
    for (std::size_t j = 0; j < std::size_t{1} << end; ++j) writer.group(end, layout.log_lanes, j);
  }
  return table;
}

}  // namespace

std::vector<ComplexMod> dgt_twiddles(unsigned log_n, std::uint64_t q, const ComplexMod& h) {
  const unsigned log_m = log_n - 1;
  std::vector<ComplexMod> w(std::size_t{1} << log_m);
  SparsePoll poll;
  for (unsigned s = 0; s < log_m; ++s) {
    const ComplexMod first = complex_pow(h, std::uint64_t{1} << (log_m - 1 - s), q);
    ComplexPowers powers(first, complex_pow(first, 4, q), q);
    const std::size_t groups = std::size_t{1} << s;
    for (std::size_t r = 0; r < groups; ++r) {
      poll();
      w[groups + bit_reverse(r, s)] = powers.next();
    }
  }
  return w;
}

template <class Word>
DgtTables<Word>::DgtTables(unsigned log_n, std::uint64_t q, const ComplexMod& h,
                           const TwiddleLayout& layout) {
  const std::uint64_t m = std::uint64_t{1} << (log_n - 1);
  const std::uint64_t scale = wide_pow_mod(m % q, q - 2, q);
  forward_ = lay_out<Word>(dgt_twiddles(log_n, q, h), log_n - 1, layout, q);
  std::vector<ComplexMod> inverse = dgt_twiddles(log_n, q, complex_inverse(h, q));
  if (m > 1) inverse[1] = complex_mul(inverse[1], {scale, 0}, q);
  inverse_ = lay_out<Word>(inverse, log_n - 1, layout, q);
  const TwiddleEntry entry = layout.entry(scale, q);
  view_.q = static_cast<Word>(q);
  view_.log_n = log_n;
  view_.forward = forward_.data();
  view_.inverse = inverse_.data();
  view_.scale = static_cast<Word>(entry.value);
  view_.scale_quotient = static_cast<Word>(entry.quotient);
}

template class DgtTables<std::uint64_t>;
template class DgtTables<std::uint32_t>;

}  // namespace nttforge
