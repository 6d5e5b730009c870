// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/shared_tables.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace nttforge::cuda {
namespace {

/// What plans have of one size of word.
template <class Word>
struct Shelf {
  std::mutex mutex;
  std::map<TableKey, std::weak_ptr<const DeviceTables<Word>>> tables;
};

template <class Word>
Shelf<Word>& shelf() {
  static auto* const found = new Shelf<Word>;  // never destroyed: plans may end with the process
  return *found;
}

}  // namespace

template <class Word>
TableKey table_key(const TableSource& source, const CudaKernelRow<Word>& row, int device,
                   std::uint64_t context) {
  const NttSpec& spec = source.spec;
  const std::size_t i = source.limb;
  TableKey key{device, context, &row, spec.transform, spec.ring, spec.n, spec.moduli[i], source.factor, {}};
  if (spec.transform == Transform::dgt) {
    key.roots[0] = spec.roots[2 * i];
    key.roots[1] = spec.roots[2 * i + 1];
  } else {
    key.roots[0] = spec.roots[i];
  }
  return key;
}

template <class Word>
std::shared_ptr<const DeviceTables<Word>> known_tables(const TableKey& key) {
  Shelf<Word>& all = shelf<Word>();
  const std::lock_guard lock(all.mutex);
  const auto found = all.tables.find(key);
  return found == all.tables.end() ? nullptr : found->second.lock();
}

template <class Word>
std::shared_ptr<const DeviceTables<Word>> share_tables(const TableKey& key, DeviceTables<Word> tables) {
  Shelf<Word>& all = shelf<Word>();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.tables, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const DeviceTables<Word>>& place = all.tables[key];
  if (auto first = place.lock()) return first;
  auto own = std::make_shared<const DeviceTables<Word>>(std::move(tables));
  place = own;
  return own;
}

NTTF_SHARED_TABLES(, std::uint64_t)
NTTF_SHARED_TABLES(, std::uint32_t)

}  // namespace nttforge::cuda
