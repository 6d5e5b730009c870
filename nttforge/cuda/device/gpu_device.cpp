// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/gpu_device.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device/gpu_queue.hpp"
#include "nttforge/cuda/step/image_words.hpp"
#include "nttforge/cuda/tile/matrix.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/random/gaussian_tables.hpp"

namespace nttforge {

std::shared_ptr<const Device> make_cuda_device(int ordinal) {
  return std::make_shared<const cuda::GpuDevice>(ordinal);
}

namespace cuda {
namespace {

template <class T>
CudaBuffer uploaded(const std::vector<T>& values, int device) {
  if (values.empty()) return {};
  CudaBuffer buffer(device, values.size() * sizeof(T));
  buffer.from_host(values.data());
  return buffer;
}

std::vector<Wide> wide_moduli(std::span<const std::uint64_t> moduli) {
  std::vector<Wide> result;
  for (const std::uint64_t q : moduli) result.push_back(wide_modulus(q));
  return result;
}

NttSpec checked(const NttSpec& spec) {
  if (spec.moduli.size() > kMostLimbs)
    throw ParameterError("moduli: " + std::to_string(spec.moduli.size()) + " primes, at most " +
                         std::to_string(kMostLimbs) + " on GPUs");
  return checked_ring_spec(spec);
}

}  // namespace

GpuRing::GpuRing(const NttSpec& spec, int device)
    : RingTables(checked(spec)),
      plan_(this->spec(), device),
      moduli_(uploaded(wide_moduli(this->spec().moduli), device)) {}

namespace {

constexpr std::uint64_t kCorrections = 65537;  // modulus of a correction that is a source, which is below it

/// The largest correction by fractions.
u128 largest_correction(const RnsStep& step) {
  u128 sum = step.nearest ? u128{1} << (step.fraction_bits - 1) : 0;
  for (std::size_t i = 0; i < step.sources.size(); ++i) sum += u128{step.sources[i] - 1} * step.fractions[i];
  return sum >> step.fraction_bits;
}

/// A step whose correction by fractions is its last source.
RnsStep with_correction_row(RnsStep step) {
  const std::size_t count = step.sources.size();
  step.factors.resize(step.targets.size() * count);  // zeros, where there are none
  for (std::size_t j = step.targets.size(); j > 0; --j)
    step.factors.insert(step.factors.begin() + static_cast<std::ptrdiff_t>(j * count), step.excess[j - 1]);
  step.sources.push_back(kCorrections);
  if (!step.scale.empty()) step.scale.push_back(1);
  step.fraction_bits = 0;
  step.nearest = false;
  step.fractions.clear();
  step.excess.clear();
  return step;
}

}  // namespace

GpuStep::GpuStep(std::span<const RnsStep> chain, std::size_t dimension, int device)
    : StepTables(folded(chain), dimension), constants_(this->chain(), device) {
  for (const RnsStep& step : this->chain()) steps_.push_back(tables_of(step, device));
  if (this->chain().size() != 1 || this->chain().front().own.empty()) return;
  RnsStep step = this->chain().front();
  step.own.clear();
  has_correction_row_ = step.fraction_bits != 0 && (!steps_.front().narrow || dimension < kMatrixColumns);
  if (has_correction_row_ && largest_correction(step) >= kCorrections) return;
  without_own_ = tables_of(has_correction_row_ ? with_correction_row(step) : step, device);
}

GpuStepTables GpuStep::tables_of(const RnsStep& step, int device) {
  ConvertTables tables;
  tables.sources = static_cast<std::uint32_t>(step.sources.size());
  tables.target_count = static_cast<std::uint32_t>(step.targets.size());
  tables.fraction_bits = step.fraction_bits;
  tables.nearest = step.nearest;
  tables.takes_own = !step.own.empty();
  tables.limit = step.limit;
  if (step.modulus != 0) tables.correction = wide_modulus(step.modulus);
  std::vector<ConvertTarget> targets;
  for (std::size_t j = 0; j < step.targets.size(); ++j) {
    const auto at = [j](const std::vector<std::uint64_t>& values) { return values.empty() ? 0 : values[j]; };
    targets.push_back({wide_modulus(step.targets[j]), at(step.own), at(step.offset), at(step.excess)});
  }
  const auto keep = [&](const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    memory_.push_back(uploaded(values, device));
    return static_cast<const Value*>(memory_.back().data());
  };
  tables.targets = keep(targets);
  tables.source_moduli = keep(wide_moduli(step.sources));
  tables.scale = keep(step.scale);
  tables.weights = keep(step.weights);
  tables.fractions = keep(step.fractions);
  tables.factors = keep(step.factors);
  GpuStepTables all{tables, correction_of(step), {}, {}, {}};
  all.narrow = make_tile_step<NarrowTiles>(step, device, memory_);
  all.split = make_tile_step<SplitTiles>(step, device, memory_);
  if (!all.split) all.whole = make_tile_step<WholeTiles>(step, device, memory_);
  return all;
}

GpuPermutation::GpuPermutation(std::span<const std::uint32_t> index, int device)
    : PermutationTables(index.size()) {
  const std::vector<std::uint32_t> words(index.begin(), index.end());
  memory_ = uploaded(words, device);
  const auto keeps = [index](std::size_t count) {
    for (std::size_t i = 0; i < index.size(); ++i)
      if (index[i] / count != index[i / count * count] / count) return false;
    return index.size() % count == 0;
  };
  while (group_ < 4 && keeps(2 * group_)) group_ *= 2;
  if (group_ != 4 || index.size() > ImageWords<4>::kMostPacked) return;
  std::vector<std::uint32_t> packed;
  for (std::uint32_t i = 0; i < index.size() / 4; ++i)
    packed.push_back(ImageWords<4>(words.data(), i).packed());
  packed_ = uploaded(packed, device);
}

namespace {

template <class Real>
CudaBuffer uploaded_roots(const Embedding& embedding, int device) {
  std::vector<EmbeddedNumber<Real>> roots;
  for (std::size_t i = 0; i < embedding.slots(); ++i)
    roots.push_back({real_of(embedding.cosines()[i], Real{}), real_of(embedding.sines()[i], Real{})});
  return uploaded(roots, device);
}

std::vector<std::uint32_t> slots_of_places(const Embedding& embedding) {
  std::vector<std::uint32_t> slot(embedding.slots());
  for (std::uint32_t i = 0; i < slot.size(); ++i) slot[embedding.places()[i]] = i;
  return slot;
}

}  // namespace

GpuEmbedding::GpuEmbedding(std::size_t slots, int device)
    : EmbeddingTables(slots),
      doubles_(uploaded_roots<double>(embedding(), device)),
      double_doubles_(uploaded_roots<DoubleDouble>(embedding(), device)),
      slot_(uploaded(slots_of_places(embedding()), device)) {}

GpuDevice::GpuDevice(int ordinal) : ordinal_(ordinal) {
  describe_device(ordinal);  // throws if there is none
  std::vector<std::uint64_t> tables(kGaussianSigma32.begin(), kGaussianSigma32.end());
  tables.insert(tables.end(), kGaussianSigma8.begin(), kGaussianSigma8.end());
  error_tables_ = uploaded(tables, ordinal);
}

std::string GpuDevice::description() const {
  return device_name(ordinal_) + ", " + describe_device(ordinal_).name;
}

void GpuDevice::require_memory(std::uint64_t bytes, const std::string& what) const {
  const CudaPoolInfo now = pool_info(ordinal_);
  const std::uint64_t kept = now.held_bytes - std::min(now.held_bytes, now.used_bytes);
  const std::uint64_t allowed = now.limit_bytes - std::min(now.limit_bytes, now.used_bytes);
  const std::uint64_t room = std::min<std::uint64_t>(allowed, now.free_bytes + kept);
  if (bytes <= room) return;
  const auto text = [](std::uint64_t value) { return std::to_string(value); };
  const std::uint64_t ours = now.free_bytes + now.held_bytes;
  throw UnsupportedError(what + " need " + text(bytes) + " bytes on " + device_name(ordinal_) + ", and " +
                         text(room) + " are free: nttforge uses " + text(now.used_bytes) + " of at most " +
                         text(now.limit_bytes) + ", others use " +
                         text(now.total_bytes - std::min<std::uint64_t>(now.total_bytes, ours)) + " of " +
                         text(now.total_bytes) +
                         "; let contexts, keys and ciphertexts go that are not needed, move keys to host "
                         "memory (offload), raise the limit (nttforge.cuda.set_memory_limit, "
                         "set_pool_limit), or take a smaller n, batch or number of keys");
}

std::shared_ptr<const Queue> GpuDevice::make_queue() const {
  return std::make_shared<const GpuQueue>(shared_from_this());
}

std::shared_ptr<const RingTables> GpuDevice::make_ring(const NttSpec& spec) const {
  return std::make_shared<const GpuRing>(spec, ordinal_);
}

std::shared_ptr<const StepTables> GpuDevice::make_step(std::span<const RnsStep> chain, std::size_t n) const {
  return std::make_shared<const GpuStep>(chain, n, ordinal_);
}

std::shared_ptr<const RingTables> GpuDevice::make_joint(const RingTables& first,
                                                        const RingTables& second) const {
  NttSpec spec = first.spec();
  const NttSpec& more = second.spec();
  if (more.word_bits != spec.word_bits || spec.moduli.size() + more.moduli.size() > kMostLimbs)
    return nullptr;
  spec.moduli.insert(spec.moduli.end(), more.moduli.begin(), more.moduli.end());
  spec.roots.insert(spec.roots.end(), more.roots.begin(), more.roots.end());
  return make_ring(spec);
}

std::shared_ptr<const PermutationTables> GpuDevice::make_permutation(
    std::span<const std::uint32_t> index) const {
  return std::make_shared<const GpuPermutation>(index, ordinal_);
}

std::shared_ptr<const EmbeddingTables> GpuDevice::make_embedding(std::size_t slots) const {
  return std::make_shared<const GpuEmbedding>(slots, ordinal_);
}

std::string GpuDevice::recipe_json(const RingTables& ring) const {
  return own<GpuRing>(ring).plan().recipe().to_json();
}

std::span<const std::uint64_t> GpuDevice::error_table(ErrorDistribution distribution) const {
  const auto* const all = static_cast<const std::uint64_t*>(error_tables_.data());
  if (distribution == ErrorDistribution::sigma_3_2) return {all, kGaussianSigma32.size()};
  return {all + kGaussianSigma32.size(), kGaussianSigma8.size()};
}

}  // namespace cuda
}  // namespace nttforge
