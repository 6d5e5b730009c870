// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/tile/tables.hpp"

#include <algorithm>
#include <type_traits>

#include "nttforge/arith/odd_inverse.hpp"
#include "nttforge/cuda/tile/matrix_step.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::uint64_t kPower = std::uint64_t{1} << 32;

template <class Arith>
constexpr unsigned kModulusBits = 62;
template <>
constexpr unsigned kModulusBits<NarrowTiles> = 31;
template <>
constexpr unsigned kModulusBits<SplitTiles> = SplitTiles::kModulusBits;

template <class Arith>
bool takes_modulus(std::uint64_t q) {
  return q >> kModulusBits<Arith> == 0 && (Arith::kMontgomeryBits == 0 || q % 2 == 1);
}

/// Whether products of matrices take the correction of a step: its sums and it itself have room.
bool takes_fractions(const RnsStep& step) {
  if (step.fraction_bits <= kLowFractionBits || step.sources.size() >= kMostMatrixGroups * kMatrixGroup)
    return false;
  u128 high = u128{1} << (step.fraction_bits - 1) >> kLowFractionBits, sum = high << kLowFractionBits;
  for (std::size_t i = 0; i < step.sources.size(); ++i) {
    if (step.fractions[i] >> kLowFractionBits >= kPower) return false;
    high += u128{step.sources[i]} * ((step.fractions[i] >> kLowFractionBits) + 1);
    sum += u128{step.sources[i]} * step.fractions[i];
  }
  return high >> 64 == 0 && sum >> step.fraction_bits < kPower;
}

template <class Arith>
bool takes(const RnsStep& step) {
  return (step.fraction_bits == 0 || (std::is_same_v<Arith, NarrowTiles> && takes_fractions(step))) &&
         step.sources.size() <= kMostTileSources &&
         std::all_of(step.sources.begin(), step.sources.end(), takes_modulus<Arith>) &&
         std::all_of(step.targets.begin(), step.targets.end(), takes_modulus<Arith>) &&
         (step.modulus == 0 || step.modulus == kPower || takes_modulus<Arith>(step.modulus));
}

std::uint64_t at(const std::vector<std::uint64_t>& values, std::size_t i) {
  return values.empty() ? 0 : values[i];
}

/// Whether output j is source i.
bool keeps(const RnsStep& step, std::size_t j, std::size_t i) {
  const std::uint64_t q = step.targets[j];
  if (q != step.sources[i] || step.factors.empty() || at(step.offset, j) != 0) return false;
  const std::uint64_t* const factors = step.factors.data() + j * step.sources.size();
  for (std::size_t other = 0; other < step.sources.size(); ++other)
    if (other != i && factors[other] != 0) return false;
  const std::uint64_t scale = step.scale.empty() ? 1 : step.scale[i];
  return static_cast<std::uint64_t>(u128{factors[i]} * scale % q) == 1;
}

/// The first of as many outputs as there are sources that are the sources in order; else the count of
/// targets.
std::size_t kept_at(const RnsStep& step) {
  const std::size_t sources = step.sources.size(), targets = step.targets.size();
  if (!step.own.empty() || step.has_correction() || sources == targets) return targets;
  for (std::size_t first = 0; first + sources <= targets; ++first) {
    std::size_t i = 0;
    while (i < sources && keeps(step, first + i, i)) ++i;
    if (i == sources) return first;
  }
  return targets;
}

/// Products of a digit and a factor that fit a sum beside `taken`.
template <class Sum>
std::uint32_t products_beside(Sum taken, Sum product) {
  constexpr Sum kMost = 1024;
  return static_cast<std::uint32_t>(std::min(kMost, static_cast<Sum>((~Sum{0} - taken) / product)));
}

/// Sources are loaded four at a time, so sums take a multiple of four, unless they would be folded more
/// often.
void round_products(std::uint32_t sources, std::uint32_t& first, std::uint32_t& next) {
  const auto rounded = [](std::uint32_t count) { return count < 4 ? count : count / 4 * 4; };
  const auto folds = [&](std::uint32_t begin, std::uint32_t step) {
    return sources <= begin ? 0 : (sources - begin + step - 1) / step;
  };
  const std::uint32_t short_first = rounded(first), short_next = rounded(next);
  if (folds(short_first, short_next) > folds(first, next)) return;
  first = short_first;
  next = short_next;
}

/// docs/bounds/gpu_conversions.md
template <class Arith>
void set_products(const RnsStep& step, TileStep<Arith>& tables) {
  if constexpr (std::is_same_v<Arith, SplitTiles>) {
    tables.first_products = tables.next_products = SplitTiles::kProducts - 16;
  } else {
    using Sum = typename Arith::Sum;
    const Sum s = *std::max_element(step.sources.begin(), step.sources.end());
    const std::uint64_t odd = step.modulus == kPower ? 0 : step.modulus;
    const Sum q = std::max(*std::max_element(step.targets.begin(), step.targets.end()), odd);
    const Sum product = (s - 1) * (q - 1);
    const Sum begin = (q - 1) + (step.own.empty() ? 0 : (q - 1) * (q - 1));  // offset and own word
    const Sum addend = (q - 1) * (q - 1);
    const Sum end = step.modulus == 0 ? 0 : static_cast<Sum>(step.modulus / 2) * q;
    const Sum folded = Arith::kMontgomeryBits != 0 ? static_cast<Sum>(kPower) * q : q;
    tables.first_products = products_beside<Sum>(begin + addend + end, product);
    tables.next_products = products_beside<Sum>(folded + end, product);
    round_products(tables.source_count, tables.first_products, tables.next_products);
  }
}

/// A constant in the form that the arithmetic takes.
template <class Arith>
typename Arith::Word form(std::uint64_t c, std::uint64_t q) {
  return static_cast<typename Arith::Word>((u128{c} << Arith::kMontgomeryBits) % q);
}

template <class Arith>
typename Arith::Target target_of(std::uint64_t q, std::uint64_t own, std::uint64_t offset,
                                 std::uint64_t excess) {
  typename Arith::Target t;
  if constexpr (Arith::kMontgomeryBits != 0) {
    t.q = static_cast<typename Arith::Word>(q);
    t.inverse = inverse_of_odd(t.q);
  } else {
    t.modulus = wide_modulus(q);
  }
  t.unit = form<Arith>(1, q);
  t.own = form<Arith>(own, q);
  t.offset = form<Arith>(offset, q);
  t.excess = form<Arith>(excess, q);
  return t;
}

/// A weight in the form of p's sum: 2^32 has none.
template <class Arith>
typename Arith::Word weight_of(std::uint64_t weight, std::uint64_t p) {
  return p == 0 || p == kPower ? static_cast<typename Arith::Word>(weight) : form<Arith>(weight, p);
}

template <class Arith>
typename Arith::Source source_of(std::uint64_t s, std::uint64_t scale, std::uint64_t weight,
                                 std::uint64_t p) {
  if constexpr (sizeof(typename Arith::Word) == 4) {
    const auto q = static_cast<std::uint32_t>(s);
    return {q, inverse_of_odd(q), form<Arith>(scale, s), weight_of<Arith>(weight, p)};
  } else {
    return {s, scale, static_cast<std::uint64_t>((u128{scale} << 64) / s), weight_of<Arith>(weight, p)};
  }
}

template <class T>
const T* kept_in(std::vector<CudaBuffer>& memory, const std::vector<T>& values, int device) {
  memory.emplace_back(device, values.size() * sizeof(T));
  memory.back().from_host(values.data());
  return static_cast<const T*>(memory.back().data());
}

/// The constants of products of matrices, in `memory`; none if there are too many sources.
MatrixStep make_matrix_step(const RnsStep& step, const TileStep<NarrowTiles>& tables,
                            const std::vector<NarrowTiles::Source>& tile_sources,
                            const std::vector<NarrowTiles::Target>& tile_targets,
                            const std::vector<NarrowTiles::Factor>& factors, int device,
                            std::vector<CudaBuffer>& memory) {
  MatrixStep matrix;
  const std::uint32_t sources = tables.source_count, targets = tables.target_count;
  const auto factor_of = [&](std::uint32_t source, std::uint32_t target) -> std::uint64_t {
    return factors[std::size_t{source} * tables.padded_targets + target];
  };
  std::uint32_t rows = sources;
  const Correction correction = correction_of(step);
  if (correction != Correction::none) {
    // The last source may have no factors but a weight, as the modulus of BEHZ's correction does.
    bool is_free = true;
    for (std::uint32_t target = 0; target < targets; ++target)
      is_free = is_free && factor_of(sources - 1, target) == 0;
    matrix.correction_row = is_free ? sources - 1 : sources;
    rows = matrix.correction_row + 1;
  }
  if (matrix_groups(rows) > kMostMatrixGroups) return {};
  matrix.groups = matrix_groups(rows);

  std::uint64_t shift = 0;  // what the correction's source is more than the correction
  if (correction == Correction::power) shift = kPower / 2;
  if (correction == Correction::other) {
    shift = (step.modulus - 1) / 2;
    matrix.modulus = target_of<NarrowTiles>(step.modulus, 0, 0, 0);
    matrix.folds = step.modulus >> 30 != 0 ||
                   std::any_of(step.sources.begin(), step.sources.end(), [](auto s) { return s >> 30 != 0; });
  }
  if (correction == Correction::fractions) {
    std::vector<MatrixFraction> fractions(std::size_t{matrix.groups} * kMatrixGroup);
    for (std::uint32_t i = 0; i < sources; ++i)
      fractions[i] = {static_cast<std::uint32_t>(step.fractions[i] >> kLowFractionBits),
                      static_cast<std::uint32_t>(step.fractions[i] & ((1u << kLowFractionBits) - 1))};
    matrix.fractions = kept_in(memory, fractions, device);
    matrix.shift = step.fraction_bits - kLowFractionBits;
    matrix.half = step.nearest ? std::uint64_t{1} << (matrix.shift - 1) : 0;
  }
  std::vector<MatrixSource> source_rows(std::size_t{matrix.groups} * kMatrixGroup);
  for (std::uint32_t i = 0; i < sources; ++i) {
    const std::uint64_t q = step.sources[i], scale = at(step.scale, i);
    source_rows[i] = {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(scale),
                      static_cast<std::uint32_t>((scale << 32) / q), tile_sources[i].weight};
  }
  const std::uint32_t target_groups = matrix_groups(targets);
  std::vector<MatrixTarget> target_rows(std::size_t{target_groups} * kMatrixGroup);
  std::vector<std::uint32_t> words(std::size_t{target_groups} * matrix.groups * kMatrixWords);
  for (std::uint32_t target = 0; target < targets; ++target) {
    const NarrowTiles::Target& t = tile_targets[target];
    const std::uint64_t q = t.q, less = shift % q * t.excess % q;
    target_rows[target] = {t.q, t.inverse, t.own, static_cast<std::uint32_t>((t.offset + q - less) % q)};
    for (std::uint32_t source = 0; source < rows; ++source) {
      const std::uint64_t factor = source == matrix.correction_row ? t.excess : factor_of(source, target);
      const std::uint32_t group = source / kMatrixGroup, in_group = source % kMatrixGroup;
      std::uint32_t* const block =
          words.data() + std::size_t{target / kMatrixGroup * matrix.groups + group} * kMatrixWords;
      const unsigned lane = matrix_lane_of_factor(in_group, target % kMatrixGroup);
      for (unsigned i = 0; i < 4; ++i) {
        const std::uint64_t constant = (factor << (8 * i)) % q;
        for (unsigned byte = 0; byte < 4; ++byte)
          block[matrix_word_of_factor(lane, byte, in_group / 4)] |=
              static_cast<std::uint32_t>(constant >> (8 * byte) & 0xFF) << (8 * i);
      }
    }
  }
  matrix.sources = kept_in(memory, source_rows, device);
  matrix.targets = kept_in(memory, target_rows, device);
  matrix.factors = kept_in(memory, words, device);
  return matrix;
}

}  // namespace

Correction correction_of(const RnsStep& step) {
  if (step.fraction_bits != 0) return Correction::fractions;
  if (step.modulus == 0) return Correction::none;
  return step.modulus == kPower ? Correction::power : Correction::other;
}

template <class Arith>
std::optional<TileStep<Arith>> make_tile_step(const RnsStep& step, int device,
                                              std::vector<CudaBuffer>& memory) {
  if (!takes<Arith>(step)) return {};
  const std::size_t count = step.sources.size(), kept = kept_at(step);
  TileStep<Arith> tables;
  tables.kept_at = static_cast<std::uint32_t>(kept);
  tables.kept = kept < step.targets.size() ? static_cast<std::uint32_t>(count) : 0;
  tables.source_count = static_cast<std::uint32_t>(count);
  tables.target_count = static_cast<std::uint32_t>(step.targets.size()) - tables.kept;
  tables.padded_targets = (tables.target_count + kTilePadding - 1) / kTilePadding * kTilePadding;
  tables.scaled = !step.scale.empty();
  tables.takes_own = !step.own.empty();
  tables.limit = step.limit;
  if (correction_of(step) == Correction::other)
    tables.correction = kept_in(memory, std::vector{target_of<Arith>(step.modulus, 0, 0, 0)}, device);
  set_products(step, tables);

  std::vector<typename Arith::Source> sources;
  for (std::size_t i = 0; i < count; ++i)
    sources.push_back(
        source_of<Arith>(step.sources[i], at(step.scale, i), at(step.weights, i), step.modulus));
  std::vector<typename Arith::Target> targets;
  std::vector<typename Arith::Factor> factors(count * tables.padded_targets);
  for (std::size_t j = 0; j < step.targets.size(); ++j) {
    if (j >= kept && j < kept + tables.kept) continue;
    const std::uint64_t q = step.targets[j];
    const std::size_t column = targets.size();
    targets.push_back(target_of<Arith>(q, at(step.own, j), at(step.offset, j), at(step.excess, j)));
    for (std::size_t i = 0; i < count && !step.factors.empty(); ++i) {
      factors[i * tables.padded_targets + column] =
          Arith::factor(form<Arith>(step.factors[j * count + i], q));
    }
  }
  if constexpr (std::is_same_v<Arith, NarrowTiles>)
    tables.matrix = make_matrix_step(step, tables, sources, targets, factors, device, memory);
  targets.resize(tables.padded_targets, targets.back());
  tables.sources = kept_in(memory, sources, device);
  tables.factors = kept_in(memory, factors, device);
  tables.targets = kept_in(memory, targets, device);
  return tables;
}

template std::optional<TileStep<NarrowTiles>> make_tile_step(const RnsStep&, int, std::vector<CudaBuffer>&);
template std::optional<TileStep<SplitTiles>> make_tile_step(const RnsStep&, int, std::vector<CudaBuffer>&);
template std::optional<TileStep<WholeTiles>> make_tile_step(const RnsStep&, int, std::vector<CudaBuffer>&);

}  // namespace nttforge::cuda
