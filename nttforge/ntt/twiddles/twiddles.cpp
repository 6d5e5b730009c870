// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/twiddles/twiddles.hpp"

#include <bit>

#include "nttforge/arith/shoup.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/macros.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/twiddles/pass_steps.hpp"

namespace nttforge {
namespace {

/// The powers 1, root, root^2, ...: for q < 2^63 by Shoup's product, for Goldilocks by division.
class Powers {
 public:
  Powers(std::uint64_t root, std::uint64_t q) : root_(make_shoup(root, q)), q_(q), value_(1 % q) {}
  std::uint64_t next() {
    const std::uint64_t value = value_;
    value_ = q_ >> 63 != 0 ? wide_mul_mod(value_, root_.value, q_) : mul_shoup(value_, root_, q_);
    return value;
  }

 private:
  ShoupConstant root_;
  std::uint64_t q_, value_;
};

/// Writes pairs for the `stages` stages from `log_m` on of group j: 1, 2, 4 ... twiddles.
template <class Word>
Word* write_group(const AlignedBuffer<std::uint64_t>& w, unsigned log_m, unsigned stages, std::size_t j,
                  const TwiddleLayout& layout, std::uint64_t q, Word* p) {
  for (unsigned s = 0; s < stages; ++s) {
    for (std::size_t o = 0; o < std::size_t{1} << s; ++o) {
      const TwiddleEntry entry = layout.entry(w[(std::size_t{1} << (log_m + s)) + (j << s) + o], q);
      *p++ = static_cast<Word>(entry.value);
      *p++ = static_cast<Word>(entry.quotient);
    }
  }
  return p;
}

/// The twiddle of group j of stage `stage`; the last stage's with its sign.
template <class Word>
void write_lane(const AlignedBuffer<std::uint64_t>& w, unsigned log_n, unsigned stage, std::size_t j,
                const TwiddleLayout& layout, std::uint64_t q, Word* value, Word* quotient) {
  const std::uint64_t twiddle = w[(std::size_t{1} << stage) + j];
  const bool negate = layout.signs && stage + 1 == log_n && std::popcount(j) % 2 != 0;
  const TwiddleEntry entry = layout.entry(negate ? q - twiddle : twiddle, q);
  *value = static_cast<Word>(entry.value);
  *quotient = static_cast<Word>(entry.quotient);
}

template <class Word>
Word* write_vectors(const AlignedBuffer<std::uint64_t>& w, unsigned log_n, const TwiddleLayout& layout,
                    std::uint64_t q, Word* p) {
  const std::size_t lanes = std::size_t{1} << layout.log_lanes;
  const unsigned log_rows = log_n - layout.log_lanes;  // rows of `lanes` neighbouring points
  const bool values_alone = layout.lanes == LaneTwiddles::vectors_of_values;
  const std::size_t step = values_alone ? lanes : 2 * lanes;
  Word unused = 0;
  SparsePoll poll;
  for (std::size_t first = 0; first < std::size_t{1} << log_rows; first += lanes) {
    poll();
    for (unsigned s = 0; s < layout.log_lanes; ++s) {
      for (std::size_t o = 0; o < std::size_t{1} << s; ++o, p += step) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          write_lane(w, log_n, log_rows + s, ((first + lane) << s) + o, layout, q, p + lane,
                     values_alone ? &unused : p + lanes + lane);
        }
      }
    }
  }
  return p;
}

bool quotients_alone(const TwiddleLayout& layout, unsigned log_n) {
  return layout.quotients_from != 0 && log_n >= layout.quotients_from;
}

/// For lane_exchange.hpp: by codelet, by stage, by pair of rows j and j + L/2, the twiddles of lanes v_0 (the
/// row), v_1 ... v_s (which group of it, highest bit first).
template <class Word>
Word* write_exchanged(const AlignedBuffer<std::uint64_t>& w, unsigned log_n, const TwiddleLayout& layout,
                      std::uint64_t q, Word* p) {
  const std::size_t lanes = std::size_t{1} << layout.log_lanes;
  const unsigned log_rows = log_n - layout.log_lanes;
  const bool alone = quotients_alone(layout, log_n);
  Word unused = 0;
  SparsePoll poll;
  for (std::size_t first = 0; first < std::size_t{1} << log_rows; first += lanes) {
    poll();
    for (unsigned s = 0; s < layout.log_lanes; ++s) {
      const std::size_t count = std::size_t{2} << s;
      for (std::size_t j = 0; j < lanes / 2; ++j, p += (alone ? 1 : 2) * count) {
        for (std::size_t v = 0; v < count; ++v) {
          const std::size_t row = first + j + (v & 1) * lanes / 2;
          write_lane(w, log_n, log_rows + s, (row << s) + bit_reverse(v >> 1, s), layout, q,
                     alone ? &unused : p + v, alone ? p + v : p + count + v);
        }
      }
    }
  }
  return p;
}

/// Words of a table, whole cache lines.
template <class Word>
std::size_t table_words(unsigned log_n, const TwiddleLayout& layout) {
  constexpr std::size_t kLineWords = kLineBytes / sizeof(Word);
  const std::size_t n = std::size_t{1} << log_n;
  const bool single = layout.lanes == LaneTwiddles::vectors_of_values || quotients_alone(layout, log_n);
  const std::size_t bare = single ? n - (n >> layout.log_lanes) : 0;  // of lanes, of one word
  return (2 * (n - 1) - bare + kLineWords - 1) / kLineWords * kLineWords;
}

template <class Word>
void lay_out(const AlignedBuffer<std::uint64_t>& w, unsigned log_n, const TwiddleLayout& layout,
             std::uint64_t q, Word* p) {
  if (log_n == 0) return;
  if (layout.log_lanes != 0) {
    p = layout.lanes == LaneTwiddles::exchanged ? write_exchanged(w, log_n, layout, q, p)
                                                : write_vectors(w, log_n, layout, q, p);
  }
  const unsigned end = log_n - layout.tail_log;
  const PassSteps steps{end, layout.tail_log, layout.radix_log, layout.long_above};
  SparsePoll poll;
  for (unsigned log_m = 0; log_m < end;) {
    const unsigned stages = steps.step(log_m);
    for (std::size_t j = 0; j < std::size_t{1} << log_m; ++j) {
      poll();
      p = write_group(w, log_m, stages, j, layout, q, p);
    }
    log_m += stages;
  }
  // Those of the tail's stages that are between vectors.
  if (const unsigned last = layout.tail_log - layout.log_lanes; last != 0) {
    for (std::size_t j = 0; j < std::size_t{1} << end; ++j) {
      poll();
      p = write_group(w, end, last, j, layout, q, p);
    }
  }
}

}  // namespace

TwiddleEntry shoup_entry(std::uint64_t w, std::uint64_t q, unsigned bits) {
  if (bits <= 32 && w >> 32 == 0) return {w, (w << bits) / q};
  return {w, static_cast<std::uint64_t>((static_cast<u128>(w) << bits) / q)};
}

TwiddleEntry real_entry(std::uint64_t w, std::uint64_t q) {
  const double value = w > q / 2 ? -static_cast<double>(q - w) : static_cast<double>(w);
  return {std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(value / static_cast<double>(q))};
}

AlignedBuffer<std::uint64_t> tree_twiddles(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root) {
  const std::size_t n = std::size_t{1} << log_n;
  AlignedBuffer<std::uint64_t> w(n);
  Powers powers(root, q);
  SparsePoll poll;
  if (ring == Ring::negacyclic) {
    for (std::size_t i = 0; i < n; ++i) {
      poll();
      w[bit_reverse(i, log_n)] = powers.next();
    }
    return w;
  }
  // The last stage (m = n/2) has every power omega^0 ... omega^(n/2 - 1); stage m has every (n/2m)-th.
  for (std::size_t i = 0; i < n / 2; ++i) {
    poll();
    w[n / 2 + bit_reverse(i, log_n - 1)] = powers.next();
  }
  for (std::size_t m = n / 4; m >= 1; m /= 2) {
    // bitrev_{log m}(j) n/2m = bitrev_{log n/2}(j): stage m begins as the stage after it.
    for (std::size_t j = 0; j < m; ++j) w[m + j] = w[2 * m + j];
  }
  return w;
}

template <class Word>
TransformTables<Word>::TransformTables(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root,
                                       const TwiddleLayout& layout) {
  const std::size_t n = std::size_t{1} << log_n;
  const std::uint64_t scale = wide_pow_mod(n % q, q - 2, q);
  const std::size_t words = table_words<Word>(log_n, layout);
  tables_ = AlignedBuffer<Word>(2 * words);
  lay_out(tree_twiddles(ring, log_n, q, root), log_n, layout, q, tables_.data());
  AlignedBuffer<std::uint64_t> inverse = tree_twiddles(ring, log_n, q, wide_pow_mod(root, q - 2, q));
  if (n > 1) inverse[1] = wide_mul_mod(inverse[1], scale, q);
  TwiddleLayout unsigned_layout = layout;
  unsigned_layout.signs = false;
  lay_out(inverse, log_n, unsigned_layout, q, tables_.data() + words);
  view_.q = static_cast<Word>(q);
  view_.log_n = log_n;
  view_.quotients_alone = quotients_alone(layout, log_n);
  view_.forward = tables_.data();
  view_.inverse = tables_.data() + words;
  const TwiddleEntry entry = layout.entry(scale, q);
  view_.scale = static_cast<Word>(entry.value);
  view_.scale_quotient = static_cast<Word>(entry.quotient);
  const std::uint64_t factor = wide_pow_mod(2 % q, layout.product_bits, q);
  const auto store = [&](std::uint64_t value, Word(&pair)[2]) {
    const TwiddleEntry product = layout.entry(wide_mul_mod(value, factor, q), q);
    pair[0] = static_cast<Word>(product.value);
    pair[1] = static_cast<Word>(product.quotient);
  };
  store(scale, view_.product_scale);
  if (n > 1) store(inverse[1], view_.product_first);
}

template class TransformTables<std::uint64_t>;
template class TransformTables<std::uint32_t>;

}  // namespace nttforge
