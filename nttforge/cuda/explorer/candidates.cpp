// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/candidates.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/explorer/papers.hpp"
#include "nttforge/cuda/plan/limb_classes.hpp"
#include "nttforge/cuda/plan/tables.hpp"

namespace nttforge::cuda {
namespace {

/// The rows among which recipes are chosen.
template <class Word>
std::span<const CudaKernelRow<Word>> rows_for(const NttSpec& spec) {
  return cuda_rows<Word>(spec.transform == Transform::dgt ? CudaRowKind::dgt : CudaRowKind::ntt);
}

/// These rows and those of papers, which are taken only when asked for by name.
template <class Word>
std::vector<const CudaKernelRow<Word>*> all_rows_for(const NttSpec& spec) {
  std::vector<const CudaKernelRow<Word>*> all;
  for (const auto& row : rows_for<Word>(spec)) all.push_back(&row);
  if (spec.transform == Transform::ntt) {
    for (const auto& row : cuda_rows<Word>(CudaRowKind::papers)) all.push_back(&row);
  }
  return all;
}

bool has_papers() { return !cuda_rows<std::uint64_t>(CudaRowKind::papers).empty(); }

template <class Word>
bool has_size(const CudaKernelRow<Word>& row, const NttSpec& spec) {
  const unsigned log_n = log_points(row, spec.n);
  return row.min_log_n <= log_n && log_n <= row.max_log_n;
}

/// Says why a row cannot do the spec on the card; empty if it can.
template <class Word>
std::string obstacle(const NttSpec& spec, const CudaKernelRow<Word>& row, const CudaDevice& card) {
  if (!has_size(row, spec)) {
    const unsigned pairs = spec.transform == Transform::dgt ? 1 : 0;
    return "n = " + std::to_string(spec.n) + " is not in 2^" + std::to_string(row.min_log_n + pairs) +
           " ... 2^" + std::to_string(row.max_log_n + pairs) + " of this recipe: choose another recipe or n";
  }
  const bool goldilocks = row.recipe.arithmetic == Arithmetic::goldilocks;
  for (const std::uint64_t q : spec.moduli) {
    if ((q >> 63 != 0) != goldilocks) {
      return "q = " + std::to_string(q) + " does not go with arithmetic " +
             std::string(arithmetic_name(row.recipe.arithmetic)) + ": choose another recipe";
    }
    if (!goldilocks && q >= row.q_limit) {
      return "q = " + std::to_string(q) + " is not below " + std::to_string(row.q_limit) +
             ", the limit of this recipe: choose another recipe or smaller primes";
    }
  }
  if (row.refuses != nullptr) {
    if (std::string reason = row.refuses(spec); !reason.empty()) return reason;
  }
  if (row.shared_bytes > card.shared_bytes_per_block) {
    return "the recipe needs " + std::to_string(row.shared_bytes) + " bytes of shared memory a block and " +
           card.name + " has " + std::to_string(card.shared_bytes_per_block) + ": choose another recipe";
  }
  if (row.recipe.cluster > card.max_cluster) {
    return "the recipe needs clusters of " + std::to_string(row.recipe.cluster) + " thread blocks and " +
           card.name + " has at most " + std::to_string(card.max_cluster) + ": choose another recipe";
  }
  if (row.recipe.threads > card.max_threads_per_block) {
    return "the recipe needs " + std::to_string(row.recipe.threads) + " threads a block and " + card.name +
           " has at most " + std::to_string(card.max_threads_per_block) + ": choose another recipe";
  }
  return {};
}

template <class Word>
std::vector<CudaRecipe> candidates(const NttSpec& spec, const CudaDevice& card) {
  std::vector<CudaRecipe> found;
  std::string why;  // why the first row for this n cannot do it
  for (const CudaKernelRow<Word>& row : rows_for<Word>(spec)) {
    const std::string reason = obstacle(spec, row, card);
    if (reason.empty()) {
      found.push_back(row.recipe);
      found.back().fused_product = row.has_product;
    } else if (why.empty() && has_size(row, spec)) {
      why = reason;
    }
  }
  if (found.empty()) {
    if (why.empty()) why = "no recipe of this build has n = " + std::to_string(spec.n);
    throw UnsupportedError("no GPU recipe can do this transform: " + why +
                           "; the CPU engine (device = \"cpu\") can");
  }
  return found;
}

}  // namespace

template <class Word>
const CudaKernelRow<Word>& find_row(const NttSpec& given, const CudaRecipe& recipe, const CudaDevice& card) {
  const std::vector<LimbClass> classes = limb_classes(given);
  const auto own =
      std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return suits(recipe, c); });
  const NttSpec& spec = own == classes.end() ? given : own->spec;
  if (recipe.word_bits != spec.word_bits) {
    throw ParameterError("recipe.word_bits = " + std::to_string(recipe.word_bits) + " and the spec has " +
                         std::to_string(spec.word_bits) + ": choose a recipe for that word size");
  }
  // Rows of several sizes may have equal recipes: the first that fits is taken.
  std::string why;
  for (const CudaKernelRow<Word>* const candidate : all_rows_for<Word>(spec)) {
    const CudaKernelRow<Word>& row = *candidate;
    if (row.recipe != recipe.of_transform()) continue;
    std::string reason = obstacle(spec, row, card);
    if (reason.empty() && recipe.fused_product && !row.has_product)
      reason = "it has no fused product: leave \"product\" out of the recipe";
    if (reason.empty()) return row;
    if (why.empty() || has_size(row, spec)) why = std::move(reason);
  }
  if (why.empty()) {
    if (!has_papers() && is_of_paper(recipe.algorithm)) {
      throw UnsupportedError("the recipe " + recipe.algorithm +
                             " is one of a paper: " + std::string(kWithoutPapers));
    }
    throw UnsupportedError("this build has no GPU kernel for the recipe " + recipe.to_json() +
                           ": nttforge plan --device cuda lists the ones it has");
  }
  throw UnsupportedError("the recipe " + recipe.algorithm + " cannot do this: " + why);
}

template const CudaKernelRow<std::uint64_t>& find_row(const NttSpec&, const CudaRecipe&, const CudaDevice&);
template const CudaKernelRow<std::uint32_t>& find_row(const NttSpec&, const CudaRecipe&, const CudaDevice&);

namespace {

/// Names card and driver, as another driver may compile and schedule otherwise.
std::string wisdom_name(const CudaDevice& card) { return card.name + ", driver " + card.driver; }

void require_row(const NttSpec& spec, const CudaRecipe& recipe, const CudaDevice& card) {
  if (spec.word_bits == 64) {
    static_cast<void>(find_row<std::uint64_t>(spec, recipe, card));
  } else {
    static_cast<void>(find_row<std::uint32_t>(spec, recipe, card));
  }
}

}  // namespace

std::optional<CudaRecipe> find_in_wisdom(const Wisdom& wisdom, const NttSpec& given, const CudaDevice& card,
                                         std::size_t batch) {
  const NttSpec spec = validated(given);
  const auto text = wisdom.find_on_gpu(spec, wisdom_name(card), batch);
  if (!text) return std::nullopt;
  try {
    CudaRecipe recipe = CudaRecipe::from_json(*text);
    require_row(spec, recipe, card);
    return recipe;
  } catch (const Error&) {
    return std::nullopt;  // somebody edited the file: this is as good as no entry
  }
}

void remember_in_wisdom(Wisdom& wisdom, const NttSpec& given, const CudaDevice& card, std::size_t batch,
                        const CudaRecipe& recipe, double ns) {
  const NttSpec spec = validated(given);
  require_row(spec, recipe, card);
  wisdom.remember_on_gpu(spec, wisdom_name(card), batch, recipe.to_json(), ns);
}

std::vector<CudaRecipe> paper_recipes(const NttSpec& given, const CudaDevice& card) {
  const NttSpec spec = limb_classes(validated(given)).front().spec;
  std::vector<CudaRecipe> found;
  const auto add = [&]<class Word>() {
    for (const CudaKernelRow<Word>& row : cuda_rows<Word>(CudaRowKind::papers)) {
      if (obstacle(spec, row, card).empty()) found.push_back(row.recipe);
    }
  };
  if (!has_papers()) throw UnsupportedError(std::string(kWithoutPapers));
  if (spec.transform != Transform::ntt) return found;
  spec.word_bits == 64 ? add.template operator()<std::uint64_t>() : add.template operator()<std::uint32_t>();
  return found;
}

namespace {

unsigned launches_of(const NttSpec& spec, const CudaRecipe& recipe, const CudaDevice& card) {
  return spec.word_bits == 64 ? find_row<std::uint64_t>(spec, recipe, card).launches
                              : find_row<std::uint32_t>(spec, recipe, card).launches;
}

}  // namespace

double cost_of_calls_ns(double device_ns, unsigned launches) {
  constexpr double kHostLaunchNs = 2500;  // the host's time for one launch
  constexpr double kShare = 0.22;         // how much a nanosecond of waiting counts
  return device_ns + kShare * std::max(0.0, launches * kHostLaunchNs - device_ns);
}

std::vector<CudaRecipe> candidate_recipes(const NttSpec& given, const CudaDevice& card, std::size_t batch) {
  const NttSpec spec = limb_classes(validated(given)).front().spec;
  if (is_copy(spec)) {
    CudaRecipe copy;
    copy.algorithm = "copy";
    copy.word_bits = spec.word_bits;
    return {copy};
  }
  std::vector<CudaRecipe> found =
      spec.word_bits == 64 ? candidates<std::uint64_t>(spec, card) : candidates<std::uint32_t>(spec, card);
  std::vector<std::pair<double, CudaRecipe>> order;
  for (CudaRecipe& recipe : found) {
    const double ns =
        cost_of_calls_ns(predicted_ns(spec, recipe, card, batch), launches_of(spec, recipe, card));
    const auto same = [&](const auto& other) { return other.second == recipe; };
    if (std::none_of(order.begin(), order.end(), same)) order.emplace_back(ns, std::move(recipe));
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  found.clear();
  for (auto& [ns, recipe] : order) found.push_back(std::move(recipe));
  return found;
}

}  // namespace nttforge::cuda
