// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/plan_tables.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

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

template <class Word>
PlanTables<Word>::PlanTables(const NttSpec& spec, const std::vector<const CudaKernelRow<Word>*>& rows,
                             std::span<const std::uint64_t> factors, int device)
    : tables_(spec.moduli.size()) {
  bool needs_workspace = false;
  std::vector<TableSource> sources;
  for (std::size_t i = 0; i < spec.moduli.size(); ++i) {
    sources.push_back({spec, i, factors.empty() ? 1 : factors[i]});
    if (rows[i] == nullptr) continue;
    needs_workspace = needs_workspace || rows[i]->needs_workspace;
    if (!runs_.empty() && runs_.back().row == rows[i]) {
      runs_.back().count += 1;
    } else {
      runs_.push_back({rows[i], static_cast<std::uint32_t>(i), 1});
    }
  }
  const std::size_t count = spec.moduli.size();
  const std::size_t constants =
      round_up(count * sizeof(CudaLimb<Word>)) + round_up(count * sizeof(ProductModulus<Word>));
  CudaRuntime& runtime = runtime_of(device);
  const CudaStream stream = runtime.make_stream(device);
  try {
    memory_ = CudaBuffer(device, constants + (needs_workspace ? count * spec.n * sizeof(Word) : 0), stream);
    memory_.share();  // used in the streams of others
    if (needs_workspace)
      workspace_ = reinterpret_cast<Word*>(static_cast<std::byte*>(memory_.data()) + constants);
    take_tables(sources, rows, runtime, stream);
    upload_constants(sources, rows, runtime, stream);
  } catch (...) {
    runtime.destroy_stream(device, stream);
    throw;
  }
  runtime.destroy_stream(device, stream);
}

// Tables that no plan has yet are in one piece of memory, forward and inverse table of a limb one behind the
// other.
template <class Word>
void PlanTables<Word>::take_tables(const std::vector<TableSource>& sources,
                                   const std::vector<const CudaKernelRow<Word>*>& rows, CudaRuntime& runtime,
                                   CudaStream stream) {
  const int device = memory_.device();
  std::map<TableKey, std::vector<std::size_t>> missing;  // and the limbs that have them
  std::size_t bytes = 0, largest = 0;
  bytes_ = memory_.bytes();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (rows[i] == nullptr) continue;
    const std::size_t table = table_bytes(*rows[i], sources[i].spec);
    bytes_ += 2 * table;
    const TableKey key = table_key(sources[i], *rows[i], device, memory_.context_id());
    tables_[i] = known_tables<Word>(key);
    if (tables_[i] != nullptr) continue;
    std::vector<std::size_t>& limbs = missing[key];
    if (limbs.empty()) {
      bytes += 2 * table;
      largest = std::max(largest, table);
    }
    limbs.push_back(i);
  }
  if (missing.empty()) return;
  const CudaBuffer memory(device, bytes, stream);
  memory.share();
  // The host holds one table at a time, and the powers that it is made of.
  const std::size_t n = sources.front().spec.n;
  require_memory(largest + 16 * n, "a table of n = " + std::to_string(n) + " while it is made");
  auto* place = static_cast<std::byte*>(memory.data());
  for (const auto& [key, limbs] : missing) {
    const TableSource& source = sources[limbs.front()];
    const CudaKernelRow<Word>& row = *rows[limbs.front()];
    DeviceTables<Word> tables{memory, nullptr, nullptr};
    for (const bool inverse : {false, true}) {
      const AlignedBuffer<Word> words = build_table(source, row, inverse);
      runtime.copy(device, place, words.data(), words.size() * sizeof(Word), stream);
      (inverse ? tables.inverse : tables.forward) = reinterpret_cast<const Word*>(place);
      place += table_bytes(row, source.spec);
      runtime.synchronize(device, stream);  // the host's table goes away
    }
    const auto shared = share_tables(key, std::move(tables));
    for (const std::size_t limb : limbs) tables_[limb] = shared;
  }
}

template <class Word>
void PlanTables<Word>::upload_constants(const std::vector<TableSource>& sources,
                                        const std::vector<const CudaKernelRow<Word>*>& rows,
                                        CudaRuntime& runtime, CudaStream stream) {
  const std::size_t count = sources.size();
  auto* const base = static_cast<std::byte*>(memory_.data());
  std::byte* const after_limbs = base + round_up(count * sizeof(CudaLimb<Word>));
  std::vector<CudaLimb<Word>> all(count);
  std::vector<ProductModulus<Word>> products(count);
  for (std::size_t i = 0; i < count; ++i) {
    products[i] = make_product_modulus<Word>(sources[i].spec.moduli[i]);
    if (rows[i] == nullptr) continue;
    all[i] = make_limb(sources[i], *rows[i]);
    all[i].forward = tables_[i]->forward;
    all[i].inverse = tables_[i]->inverse;
  }
  const int device = memory_.device();
  runtime.copy(device, base, all.data(), count * sizeof(CudaLimb<Word>), stream);
  runtime.copy(device, after_limbs, products.data(), count * sizeof(ProductModulus<Word>), stream);
  limbs_ = reinterpret_cast<const CudaLimb<Word>*>(base);
  moduli_ = reinterpret_cast<const ProductModulus<Word>*>(after_limbs);
  runtime.synchronize(device, stream);
}

template class PlanTables<std::uint64_t>;
template class PlanTables<std::uint32_t>;

}  // namespace nttforge::cuda
