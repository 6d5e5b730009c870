#include "nttforge/cuda/tables.hpp"

#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/ntt/twiddles.hpp"

namespace nttforge::cuda {
namespace {

template <class Word>
AlignedBuffer<Word> lay_out(const AlignedBuffer<std::uint64_t>& w, unsigned log_n, std::uint64_t q,
                            const CudaKernelRow<Word>& row) {
  AlignedBuffer<Word> table(table_words(row, log_n));
  for (const TableRound& round : row.layout(log_n)) {
    const std::size_t groups = std::size_t{1} << round.first_stage;
    const std::size_t slots = (std::size_t{1} << round.log_radix) - 1;
    const auto place = [&](std::size_t g, std::size_t slot) {
      return table.data() +
             (groups + (round.slot_major ? slot * groups + g : g * slots + slot)) * row.entry_words;
    };
    for (unsigned stage = 0; stage < round.log_radix; ++stage) {
      const bool derived = stage != 0 && stage + round.derived >= round.log_radix;
      const std::size_t first_slot = (std::size_t{1} << stage) - 1;
      for (std::size_t g = 0; g < groups; ++g) {
        const std::uint64_t* const of_group = &w[(groups + g) << stage];
        for (std::size_t j = 0; j < std::size_t{1} << stage; ++j) {
          if (!derived || j == 0) row.entry(of_group[j], q, place(g, first_slot + j));
        }
      }
      if (!derived) continue;
      const std::uint64_t* const of_group = &w[groups << stage];
      const std::uint64_t reciprocal = wide_pow_mod(of_group[0], q - 2, q);
      for (std::size_t j = 1; j < std::size_t{1} << stage; ++j) {
        row.entry(wide_mul_mod(of_group[j], reciprocal, q), q, place(0, first_slot + j));
      }
    }
  }
  return table;
}

}  // namespace

template <class Word>
std::size_t table_words(const CudaKernelRow<Word>& row, unsigned log_n) {
  return (std::size_t{1} << log_n) * row.entry_words;
}

template <class Word>
LimbTables<Word> build_tables(Ring ring, unsigned log_n, std::uint64_t q, std::uint64_t root,
                              const CudaKernelRow<Word>& row) {
  const std::uint64_t n = std::uint64_t{1} << log_n;
  const std::uint64_t scale = wide_pow_mod(n % q, q - 2, q);
  AlignedBuffer<std::uint64_t> inverse = tree_twiddles(ring, log_n, q, wide_pow_mod(root, q - 2, q));
  if (n > 1) inverse[1] = wide_mul_mod(inverse[1], scale, q);
  LimbTables<Word> tables;
  tables.forward = lay_out(tree_twiddles(ring, log_n, q, root), log_n, q, row);
  tables.inverse = lay_out(inverse, log_n, q, row);
  tables.limb.q = static_cast<Word>(q);
  tables.limb.negated = static_cast<Word>(0 - q);
  row.entry(scale, q, tables.limb.scale);
  row.fill_constants(tables.limb);
  tables.limb.forward = tables.forward.data();
  tables.limb.inverse = tables.inverse.data();
  return tables;
}

template std::size_t table_words(const CudaKernelRow<std::uint64_t>&, unsigned);
template std::size_t table_words(const CudaKernelRow<std::uint32_t>&, unsigned);
template LimbTables<std::uint64_t> build_tables(Ring, unsigned, std::uint64_t, std::uint64_t,
                                                const CudaKernelRow<std::uint64_t>&);
template LimbTables<std::uint32_t> build_tables(Ring, unsigned, std::uint64_t, std::uint64_t,
                                                const CudaKernelRow<std::uint32_t>&);

}  // namespace nttforge::cuda
