// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/plan_tables.hpp"

#include <algorithm>
#include <string>

#include "nttforge/base/memory/memory.hpp"
#include "nttforge/cuda/plan/tables.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // of each table
constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

template <class Word>
std::size_t table_bytes(const CudaKernelRow<Word>& row, const NttSpec& spec) {
  return round_up(table_words(row, log_points(row, spec.n)) * sizeof(Word));
}

}  // namespace

// [limbs][moduli][forward and inverse table of each limb], uploaded table by table.
template <class Word>
PlanTables<Word>::PlanTables(const NttSpec& spec, const std::vector<const CudaKernelRow<Word>*>& rows,
                             std::span<const std::uint64_t> factors, int device) {
  const std::size_t count = spec.moduli.size();
  std::size_t bytes =
                  round_up(count * sizeof(CudaLimb<Word>)) + round_up(count * sizeof(ProductModulus<Word>)),
              largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i] == nullptr) continue;
    const std::size_t table = table_bytes(*rows[i], spec);
    bytes += 2 * table;
    largest = std::max(largest, table);
    if (!runs_.empty() && runs_.back().row == rows[i]) {
      runs_.back().count += 1;
    } else {
      runs_.push_back({rows[i], static_cast<std::uint32_t>(i), 1});
    }
  }
  const std::size_t tables = bytes;
  const bool needs_workspace =
      std::any_of(runs_.begin(), runs_.end(), [](const auto& run) { return run.row->needs_workspace; });
  if (needs_workspace) bytes += count * spec.n * sizeof(Word);
  CudaRuntime& runtime = runtime_of(device);
  const CudaStream stream = runtime.make_stream(device);
  try {
    memory_ = CudaBuffer(device, bytes, stream);
    memory_.share();  // used in the streams of others
    if (needs_workspace)
      workspace_ = reinterpret_cast<Word*>(static_cast<std::byte*>(memory_.data()) + tables);
    // The host holds one table at a time, and the powers that it is made of.
    require_memory(largest + 16 * spec.n, "a table of n = " + std::to_string(spec.n) + " while it is made");
    upload(spec, rows, factors, runtime, stream);
    runtime.synchronize(device, stream);
  } catch (...) {
    runtime.destroy_stream(device, stream);
    throw;
  }
  runtime.destroy_stream(device, stream);
}

template <class Word>
void PlanTables<Word>::upload(const NttSpec& spec, const std::vector<const CudaKernelRow<Word>*>& rows,
                              std::span<const std::uint64_t> factors, CudaRuntime& runtime,
                              CudaStream stream) {
  const std::size_t count = spec.moduli.size();
  const int device = memory_.device();
  auto* const base = static_cast<std::byte*>(memory_.data());
  std::byte* const after_limbs = base + round_up(count * sizeof(CudaLimb<Word>));
  std::byte* place = after_limbs + round_up(count * sizeof(ProductModulus<Word>));
  std::vector<CudaLimb<Word>> all(count);
  std::vector<ProductModulus<Word>> products(count);
  for (std::size_t i = 0; i < count; ++i) {
    products[i] = make_product_modulus<Word>(spec.moduli[i]);
    if (rows[i] == nullptr) continue;
    const TableSource source{spec, i, factors.empty() ? 1 : factors[i]};
    all[i] = make_limb(source, *rows[i]);
    for (const bool inverse : {false, true}) {
      const AlignedBuffer<Word> words = build_table(source, *rows[i], inverse);
      runtime.copy(device, place, words.data(), words.size() * sizeof(Word), stream);
      (inverse ? all[i].inverse : all[i].forward) = reinterpret_cast<const Word*>(place);
      place += table_bytes(*rows[i], spec);
      runtime.synchronize(device, stream);  // the host's table goes away
    }
  }
  runtime.copy(device, base, all.data(), count * sizeof(CudaLimb<Word>), stream);
  runtime.copy(device, after_limbs, products.data(), count * sizeof(ProductModulus<Word>), stream);
  limbs_ = reinterpret_cast<const CudaLimb<Word>*>(base);
  moduli_ = reinterpret_cast<const ProductModulus<Word>*>(after_limbs);
  runtime.synchronize(device, stream);
}

template class PlanTables<std::uint64_t>;
template class PlanTables<std::uint32_t>;

}  // namespace nttforge::cuda
