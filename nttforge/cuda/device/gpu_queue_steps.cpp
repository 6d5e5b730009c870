// SPDX-License-Identifier: Apache-2.0
// Steps between bases, and divisions.
#include <algorithm>
#include <optional>
#include <type_traits>

#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/one_piece.hpp"
#include "nttforge/cuda/tile/call.hpp"
#include "nttforge/cuda/tile/shapes.hpp"

namespace nttforge::cuda {
namespace {

/// Size of the words that hold the outputs of a step.
unsigned bits_between(const RnsStep& step) {
  const std::uint64_t largest = *std::max_element(step.targets.begin(), step.targets.end());
  return largest >> 32 == 0 ? 32 : 64;
}

ConvertBase general_call(const ConvertTables& step, const Conversion& rows, std::size_t n,
                         std::size_t batch) {
  return {.shape = grid_of(batch * ConvertBase::groups(step.target_count), n),
          .step = step,
          .sources = {read(rows.sources.words), rows.sources.stride},
          .own = {read(rows.own.words), rows.own.stride},
          .out = {write(rows.out.words), rows.out.stride},
          .copies = {write(rows.copies.words), rows.copies.stride},
          .addend = {read(rows.addend.words), rows.addend.stride},
          .addend_parts = static_cast<std::uint32_t>(rows.addend_parts),
          .parts = static_cast<std::uint32_t>(rows.parts),
          .exceeded = write(rows.exceeded)};
}

}  // namespace

void GpuQueue::convert_once(const GpuStepTables& step, const Conversion& rows, std::size_t n,
                            std::size_t batch) const {
  const auto taken_by = [&]<class Arith>(const std::optional<TileStep<Arith>>& tables) {
    const auto call = tile_call(tables, rows, n, batch);
    if (!call) return false;
    if constexpr (std::is_same_v<Arith, NarrowTiles>) {
      if (is_matrix(*call, step.correction) && suits_matrix(rows, n)) {
        run_matrix(*call, matrix_parts(batch * n, tables->target_count, tables->matrix.groups),
                   step.correction);
        return true;
      }
    }
    if (step.correction == Correction::fractions) return false;
    const TileShape shape = choose_tile_shape<Arith>(batch * n, width_of(rows, n), tables->target_count);
    run_tiles(*call, shape, step.correction);
    return true;
  };
  if (taken_by(step.narrow) || taken_by(step.split) || taken_by(step.whole)) return;
  if (rows.second == nullptr) return run("step between bases", general_call(step.general, rows, n, batch));
  Conversion first = rows, rest = rows;
  first.second = rest.second = nullptr;
  rest.sources.words = rows.second;
  rest.out.words += rows.split * rows.out.stride;
  if (rows.copies.words != nullptr) rest.copies.words += rows.split * rows.copies.stride;
  run("step between bases", general_call(step.general, first, n, rows.split));
  run("step between bases", general_call(step.general, rest, n, batch - rows.split));
}

template <class Arith>
bool GpuQueue::convert_twice_by(const std::optional<TileStep<Arith>>& first,
                                const std::optional<TileStep<Arith>>& second, const Conversion& rows,
                                std::size_t n, std::size_t batch) const {
  if (!first || !second || first->kept != 0 || batch > kMostChainItems) return false;
  const auto from = tile_call(first, rows, n, batch), to = tile_call(second, rows, n, batch);
  if (!from || !to) return false;
  ChainCall<Arith> call{*from, *to};
  call.first.addend_parts = 0;
  call.second.copies = {};
  if constexpr (std::is_same_v<Arith, NarrowTiles>) {
    if (is_matrix_chain(call) && suits_matrix(rows, n) && rows.copies.words == nullptr) {
      runtime_.launch(ordinal_, "two steps between bases", [&] {
        if (ordinal_ >= 0) return enqueue_matrix_chain(call, stream());
        return with_matrix_chain(call, [](const auto& kernel) { return matrix_chain_on_host(kernel); });
      });
      return true;
    }
  }
  const unsigned targets = chain_targets(batch * n, std::max(first->target_count, second->target_count));
  if (targets == 0) return false;
  runtime_.launch(ordinal_, "two steps between bases", [&] {
    if (ordinal_ >= 0) return enqueue_chain(call, targets, stream());
    return with_chain_kernel(call, targets, [](const auto& kernel) { return chain_on_host(kernel); });
  });
  return true;
}

void GpuQueue::apply(const StepTables& step, BatchRows sources, BatchRows own_words, WordPtr out,
                     std::size_t batch, WordPtr exceeded) const {
  convert(
      step,
      {.sources = sources, .own = own_words, .out = {out, step.targets() * step.n()}, .exceeded = exceeded},
      batch);
}

void GpuQueue::convert(const StepTables& step, const Conversion& rows, std::size_t batch) const {
  const std::span<const GpuStepTables> steps = own<GpuStep>(step).steps();
  const std::size_t n = step.n();
  if (rows.exceeded != nullptr) fill_zero(rows.exceeded, 1);
  if (steps.size() == 2 && steps[0].correction == Correction::none &&
      steps[1].correction == Correction::other &&
      (convert_twice_by(steps[0].narrow, steps[1].narrow, rows, n, batch) ||
       convert_twice_by(steps[0].split, steps[1].split, rows, n, batch) ||
       convert_twice_by(steps[0].whole, steps[1].whole, rows, n, batch)))
    return;
  Conversion now = rows;
  DeviceArray between;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    DeviceArray next;
    now.out = rows.out;
    now.addend_parts = rows.addend_parts;
    if (i + 1 < steps.size()) {
      const std::size_t stride = step.chain()[i].targets.size() * n;
      const unsigned bits = bits_between(step.chain()[i]);
      if (rows.between.words != nullptr && rows.between.words.word_bits() == bits) {
        now.out = rows.between;
      } else {
        next = rows.secret ? allocate_secret(batch * stride, bits) : allocate(batch * stride, bits);
        now.out = {next.data(), stride};
      }
      now.addend_parts = 0;
    }
    convert_once(steps[i], now, n, batch);
    now.sources = {now.out.words, now.out.stride};
    now.second = nullptr;
    now.own = {};
    now.copies = {};
    between = std::move(next);
  }
}

template <class Arith>
bool GpuQueue::convert_digits_by(std::optional<TileStep<Arith>> GpuStepTables::* tables,
                                 const SwitchTables& level, BatchRows c, WordPtr out, std::size_t batch,
                                 bool with_own) const {
  const std::size_t n = level.ring->n(), words = level.key_ring->words(), count = level.digits.size();
  const auto tables_of = [&](std::size_t i) -> const auto& {
    return own<GpuStep>(*level.digits[i]).steps()[0].*tables;
  };
  for (std::size_t i = 0; i < count; ++i)
    if (!tables_of(i)) return false;
  const Conversion rows{.sources = c, .out = {out, words}};
  const auto first_call = tile_call(tables_of(0), rows, n, batch);
  if (!first_call) return false;
  std::uint32_t source = 0;
  for (std::size_t first = 0; first < count; first += kTileSteps) {
    TileCall<Arith, kTileSteps> call{};
    call.steps_used = static_cast<std::uint32_t>(std::min<std::size_t>(kTileSteps, count - first));
    for (std::size_t i = 0; i < call.steps_used; ++i) {
      call.steps[i] = *tables_of(first + i);
      call.steps[i].first_source = source;
      source += call.steps[i].source_count;
    }
    call.sources = first_call->sources;
    call.out = {first_call->out.words + first * words, words};
    call.out_gap = (count - call.steps_used) * words;
    call.log_n = first_call->log_n;
    call.items = static_cast<std::uint32_t>(batch * call.steps_used);
    call.leaves_kept = !with_own;
    if constexpr (std::is_same_v<Arith, NarrowTiles>) {
      if (matrix_groups_of(call) != 0 && suits_matrix(rows, n)) {
        run_matrix(call, matrix_parts(call.items * n, call.most_targets(), matrix_groups_of(call)),
                   Correction::none);
        continue;
      }
    }
    const TileShape shape = choose_tile_shape<Arith>(call.items * n, width_of(rows, n), call.most_targets());
    run_tiles(call, shape, Correction::none);
  }
  return true;
}

void GpuQueue::convert_digits(const SwitchTables& level, BatchRows c, WordPtr out, std::size_t batch,
                              bool with_own) const {
  if (convert_digits_by(&GpuStepTables::narrow, level, c, out, batch, with_own) ||
      convert_digits_by(&GpuStepTables::split, level, c, out, batch, with_own) ||
      convert_digits_by(&GpuStepTables::whole, level, c, out, batch, with_own))
    return;
  const std::size_t words = level.key_ring->words(), count = level.digits.size();
  std::size_t source = 0;
  for (std::size_t i = 0; i < count; ++i) {
    convert(
        *level.digits[i],
        {.sources = {c.words + source * level.ring->n(), c.stride}, .out = {out + i * words, count * words}},
        batch);
    source += level.digits[i]->sources();
  }
}

void GpuQueue::rescale(const StepTables& division, const RingTables& from, const RingTables& to,
                       ConstWordPtr in, Form form, WordPtr out, std::size_t batch) const {
  if (form == Form::values) {
    DeviceArray rest = allocate(from, batch);
    OnePiece piece(ordinal_);
    const bool divided = divide_values(division, from, to, in, rest.data(), {}, out, batch);
    piece.start();
    if (divided) return;
  }
  Queue::rescale(division, from, to, in, form, out, batch);
}

bool GpuQueue::divide_values(const StepTables& division, const RingTables& from, const RingTables& to,
                             ConstWordPtr in, WordPtr rest, const Addend& addend, WordPtr out,
                             std::size_t batch) const {
  const GpuStep& tables = own<GpuStep>(division);
  const GpuStepTables* const step = tables.without_own();
  if (step == nullptr) return false;
  const std::vector<std::size_t> dropped = places_in(from, division.chain().front().sources);
  const std::size_t n = from.n(), count = dropped.size(), all = batch * from.words();
  // Those at the beginning, if there are any besides those at the end, go before these.
  std::size_t begin = 0;
  while (begin < count && dropped[begin] == begin && dropped.back() - begin + 1 != count - begin) ++begin;
  const std::size_t first = dropped[begin], sources = (first - begin) * n;
  if (dropped.back() - first + 1 != count - begin) return false;
  // Where rows move, or one is added, they have a place of their own, with room behind the last.
  DeviceArray place;
  if (begin != 0 || tables.has_correction_row()) {
    place = allocate(all + sources + n, out.word_bits());
    rest = place.data();
  }
  const bool inverted = with_word(out.word_bits(), [&]<class Word>(Word) {
    const auto inverse_of = [&](std::size_t limb, std::size_t limbs, WordPtr to_words) {
      return own<GpuRing>(from).plan().inverse_limbs(
          std::span(in.as<Word>(), all), std::span(to_words.as<Word>(), all), limb, limbs, stream());
    };
    return inverse_of(first, count - begin, rest) && (begin == 0 || inverse_of(0, begin, rest + sources));
  });
  if (!inverted) return false;
  const Conversion rows{.sources = {rest + sources, from.words()}, .out = {out, to.words()}};
  if (tables.has_correction_row())
    run("corrections of a division",
        CorrectionRow{grid_of(batch, n), general_call(tables.steps().front().general, rows, n, batch),
                      write(rest + sources)});
  convert_once(*step, rows, n, batch);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(batch * to.limbs(), n,
                             {in.address(), addend.rows.words.address(), out.address()});
    DivisionJoin<Word> join{.x = in.as<Word>(),
                            .x_stride = from.words(),
                            .addend = addend.rows.words.as<Word>(),
                            .addend_stride = addend.rows.stride,
                            .image = addend.image == nullptr ? nullptr : addend.image->index(),
                            .addend_parts = static_cast<std::uint32_t>(addend.parts),
                            .parts = static_cast<std::uint32_t>(addend.of_parts)};
    const std::vector<std::size_t> kept = places_in(from, to.spec().moduli);
    for (std::size_t j = 0; j < to.limbs(); ++j) {
      join.row_of[j] = kept[j] < from.limbs() ? static_cast<std::uint8_t>(kept[j]) : join.kNoRow;
      const std::uint64_t factor = division.chain().front().own[j];
      join.own[j] = static_cast<Word>(factor);
      if constexpr (sizeof(Word) == 4)
        join.quotient[j] = static_cast<Word>((factor << 32) / to.spec().moduli[j]);
    }
    const bool together =
        grid.step != 1 && (addend.image == nullptr || addend.image->keeps_groups_of(grid.step));
    const std::span<Word> words(out.as<Word>(), batch * to.words());
    if (together && own<GpuRing>(to).plan().forward_joined(join, words, stream())) return;
    forward(to, out, batch);
    const std::uint32_t step_words = together ? grid.step : 1;
    run("finishing a division", JoinDivision<Word>{.shape = grid_of(batch * to.limbs(), n / step_words),
                                                   .log_n = grid.log_n,
                                                   .step = step_words,
                                                   .ring = own<GpuRing>(to).rows(),
                                                   .join = join,
                                                   .out = out.as<Word>()});
  });
  return true;
}

void GpuQueue::divide(const SwitchTables& level, ConstWordPtr x, BatchRows addend, std::size_t addend_parts,
                      WordPtr out, std::size_t batch) const {
  const std::size_t words = level.ring->words(), stride = level.key_ring->words();
  convert(*level.division,
          {.sources = {x + words, stride},
           .own = {x, stride},
           .out = {out, words},
           .addend = addend,
           .addend_parts = addend_parts,
           .parts = 2},
          2 * batch);
}

}  // namespace nttforge::cuda
