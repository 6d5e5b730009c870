// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/tables.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "nttforge/arith/complex_mod.hpp"
#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/shoup.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/threads/thread_pool.hpp"
#include "nttforge/ntt/kernels/dgt/dgt_tables.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::cuda {
namespace {

/// Beyond so many points tables are made by all threads; groups that one of them writes together.
constexpr unsigned kLargeLogN = 20;
constexpr std::size_t kTogether = 4096;

unsigned table_threads(unsigned log_n) { return log_n < kLargeLogN ? 1 : 0; }

/// root^(bitrev_bits(i)), i < 2^bits.
std::vector<std::uint64_t> reversed_powers(unsigned bits, std::uint64_t root, std::uint64_t q) {
  std::vector<std::uint64_t> powers(std::size_t{1} << bits);
  std::uint64_t power = 1 % q;
  SparsePoll poll;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    poll();
    powers[bit_reverse(i, bits)] = power;
    power = wide_mul_mod(power, root, q);
  }
  return powers;
}

/// tree_twiddles(), each a product of two from short tables: with e = high 2^l + low,
/// root^bitrev(e) = root^(bitrev_l(low) 2^(bits - l)) root^bitrev(high), in order and by all threads.
AlignedBuffer<std::uint64_t> large_twiddles(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root,
                                            const ThreadPool& pool) {
  const std::size_t n = std::size_t{1} << log_n;
  const unsigned bits = ring == Ring::negacyclic ? log_n : log_n - 1, low_bits = bits / 2;
  AlignedBuffer<std::uint64_t> w(n);
  std::uint64_t* const powers = w.data() + n - (std::size_t{1} << bits);  // cyclic: the last stage's
  const auto high = reversed_powers(bits - low_bits, root, q);
  const auto low = reversed_powers(low_bits, wide_pow_mod(root, std::uint64_t{1} << (bits - low_bits), q), q);
  pool.parallel_for(high.size(), [&](std::size_t i) {
    std::uint64_t* const to = powers + (i << low_bits);
    if (q == kGoldilocks) {
      for (std::size_t j = 0; j < low.size(); ++j) to[j] = goldilocks::mul(low[j], high[i]);
    } else {
      const ShoupConstant factor = make_shoup(high[i], q);
      for (std::size_t j = 0; j < low.size(); ++j) to[j] = mul_shoup(low[j], factor, q);
    }
  });
  if (ring == Ring::cyclic) {  // a stage begins as the stage after it
    for (std::size_t m = n / 4; m >= 1; m /= 2) std::copy_n(&w[2 * m], m, &w[m]);
  }
  return w;
}

/// Entry 0 and those behind the table.
template <class Word, class Twiddles, class Write>
void write_base(const Twiddles& w, unsigned log_n, const CudaKernelRow<Word>& row, const Write& write,
                Word* table) {
  Word* const behind = table + (std::size_t{row.entry_words} << log_n);
  write({1}, table);
  write({1}, behind);
  for (std::size_t high = 1; high < std::size_t{1} << row.log_base; ++high)
    write(w[high << (log_n - row.log_base)], behind + high * row.entry_words);
}

/// A row's table of the twiddles w, W[groups + g] of ntt/twiddles/twiddles.hpp or dgt_tables.hpp; write(w,
/// entry) makes an entry, quotient(a, b) is a / b.
template <class Word, class Twiddles, class Write, class Quotient>
AlignedBuffer<Word> lay_out(const Twiddles& w, unsigned log_n, const CudaKernelRow<Word>& row,
                            const Write& write, const Quotient& quotient, const ThreadPool& pool) {
  AlignedBuffer<Word> table(table_words(row, log_n));
  if (row.log_base != 0) write_base(w, log_n, row, write, table.data());
  for (const TableRound& round : row.layout(log_n)) {
    const std::size_t groups = std::size_t{1} << round.first_stage;
    const std::size_t slots = (std::size_t{1} << round.log_radix) - 1;
    const auto place = [&](std::size_t g, std::size_t slot) {
      return table.data() +
             (groups + (round.slot_major ? slot * groups + g : g * slots + slot)) * row.entry_words;
    };
    for (unsigned stage = 0; stage < round.log_radix; ++stage) {
      poll_interrupt();  // between the loops of a pool, which run to their end
      const bool derived = stage != 0 && stage + round.derived >= round.log_radix;
      const std::size_t first_slot = (std::size_t{1} << stage) - 1;
      const std::size_t together = std::min(groups, kTogether);
      pool.parallel_for(groups / together, [&](std::size_t part) {
        for (std::size_t g = part * together; g < (part + 1) * together; ++g) {
          const auto* const of_group = &w[(groups + g) << stage];
          for (std::size_t j = 0; j < std::size_t{1} << stage; ++j) {
            if (!derived || j == 0) write(of_group[j], place(g, first_slot + j));
          }
        }
      });
      if (!derived) continue;
      const auto* const of_group = &w[groups << stage];
      for (std::size_t j = 1; j < std::size_t{1} << stage; ++j)
        write(quotient(of_group[j], of_group[0]), place(0, first_slot + j));
    }
  }
  return table;
}

/// factor / points, what the last stage of the inverse multiplies by.
std::uint64_t scale_of(const TableSource& source, unsigned log_n) {
  const std::uint64_t q = source.spec.moduli[source.limb];
  return wide_mul_mod(wide_pow_mod((std::uint64_t{1} << log_n) % q, q - 2, q), source.factor % q, q);
}

template <class Word>
AlignedBuffer<Word> build_dgt_table(const TableSource& source, const CudaKernelRow<Word>& row, bool inverse,
                                    unsigned log_m) {
  const std::uint64_t q = source.spec.moduli[source.limb];
  const ComplexMod h{source.spec.roots[2 * source.limb], source.spec.roots[2 * source.limb + 1]};
  auto w = dgt_twiddles(log_m + 1, q, inverse ? complex_inverse(h, q) : h);
  if (inverse && log_m != 0) w[1] = complex_mul(w[1], {scale_of(source, log_m), 0}, q);
  return lay_out<Word>(
      w, log_m, row, [&](const ComplexMod& x, Word* entry) { row.complex_entry(x.re, x.im, q, entry); },
      [&](const ComplexMod& a, const ComplexMod& b) { return complex_mul(a, complex_inverse(b, q), q); },
      ThreadPool(table_threads(log_m)));
}

}  // namespace

template <class Word>
unsigned log_points(const CudaKernelRow<Word>& row, std::size_t n) {
  return static_cast<unsigned>(std::bit_width(n)) - (row.complex_entry != nullptr ? 2 : 1);
}

template <class Word>
std::size_t table_words(const CudaKernelRow<Word>& row, unsigned log_n) {
  const std::size_t behind = row.log_base == 0 ? 0 : std::size_t{1} << row.log_base;
  return ((std::size_t{1} << log_n) + behind) * row.entry_words;
}

template <class Word>
AlignedBuffer<Word> build_table(const TableSource& source, const CudaKernelRow<Word>& row, bool inverse) {
  const std::uint64_t q = source.spec.moduli[source.limb];
  const unsigned log_n = log_points(row, source.spec.n);
  if (row.complex_entry != nullptr) return build_dgt_table(source, row, inverse, log_n);
  if (row.own_table != nullptr) {
    AlignedBuffer<Word> table(table_words(row, log_n));
    row.own_table(source.spec, source.limb, inverse, table.data());
    return table;
  }
  const std::uint64_t root = source.spec.roots[source.limb];
  const ThreadPool pool(table_threads(log_n));
  const std::uint64_t base = inverse ? wide_pow_mod(root, q - 2, q) : root;
  auto w = log_n < kLargeLogN ? tree_twiddles(source.spec.ring, log_n, q, base)
                              : large_twiddles(source.spec.ring, log_n, q, base, pool);
  if (inverse && log_n != 0 && !row.scales) w[1] = wide_mul_mod(w[1], scale_of(source, log_n), q);
  return lay_out<Word>(
      w, log_n, row, [&](std::uint64_t x, Word* entry) { row.entry(x, q, entry); },
      [&](std::uint64_t a, std::uint64_t b) { return wide_mul_mod(a, wide_pow_mod(b, q - 2, q), q); }, pool);
}

template <class Word>
CudaLimb<Word> make_limb(const TableSource& source, const CudaKernelRow<Word>& row) {
  const std::uint64_t q = source.spec.moduli[source.limb];
  const std::uint64_t scale = scale_of(source, log_points(row, source.spec.n));
  CudaLimb<Word> limb;
  limb.q = static_cast<Word>(q);
  limb.negated = static_cast<Word>(0 - q);
  limb.product = make_product_modulus<Word>(q);
  if (row.complex_entry != nullptr) {
    row.complex_entry(scale, 0, q, limb.scale);
  } else {
    row.entry(scale, q, limb.scale);
  }
  row.fill_constants(limb);
  return limb;
}

template <class Word>
LimbTables<Word> build_tables(const TableSource& source, const CudaKernelRow<Word>& row) {
  LimbTables<Word> tables{make_limb(source, row), build_table(source, row, false),
                          build_table(source, row, true)};
  tables.limb.forward = tables.forward.data();
  tables.limb.inverse = tables.inverse.data();
  return tables;
}

NTTF_TABLES_OF_WORD(, std::uint64_t)
NTTF_TABLES_OF_WORD(, std::uint32_t)

}  // namespace nttforge::cuda
