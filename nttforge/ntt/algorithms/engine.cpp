// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/algorithms/engine.hpp"

#include <algorithm>
#include <bit>

#include "nttforge/arith/goldilocks.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/ntt/order.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace nttforge::algorithms {
namespace {

/// body(ring) with the arithmetic of a limb.
template <class Word, class Body>
void with_ring(Word q, bool goldilocks, const Body& body) {
  if constexpr (sizeof(Word) == 4) {
    body(ShoupRing32{q});
  } else if (goldilocks) {
    body(GoldilocksRing{q});
  } else {
    body(ShoupRing64{q});
  }
}

/// The factors first, first * ratio, first * ratio^2 ...
template <class Ring>
AlignedBuffer<Factor<typename Ring::Word>> geometric(const Ring& ring, std::uint64_t first,
                                                     std::uint64_t ratio, std::size_t count) {
  AlignedBuffer<Factor<typename Ring::Word>> out(count);
  const auto step = ring.factor(ratio);
  auto value = static_cast<typename Ring::Word>(first);
  SparsePoll poll;
  for (std::size_t i = 0; i < count; ++i, value = ring.mul(value, step)) {
    poll();
    out[i] = ring.factor(value);
  }
  return out;
}

template <class T>
void reverse_order(AlignedBuffer<T>& x, unsigned bits) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t j = bit_reverse(i, bits);
    if (i < j) std::swap(x[i], x[j]);
  }
}

template <class Word>
void add_step(std::vector<TraceStep>* steps, const char* name, const Word* x, std::size_t n) {
  if (steps != nullptr) steps->push_back({name, 0, {x, x + n}});
}

}  // namespace

template <class Word>
Engine<Word>::Engine(const NttSpec& spec, const NttRecipe& recipe)
    : spec_(spec),
      recipe_(recipe),
      info_(find_algorithm(recipe.algorithm)),
      log_n_(static_cast<unsigned>(std::bit_width(spec.n)) - 1) {
  limbs_.reserve(spec.moduli.size());
  for (std::size_t i = 0; i < spec.moduli.size(); ++i) {
    const bool goldilocks = spec.moduli[i] == kGoldilocks;
    Limb& limb = limbs_.emplace_back();
    limb.q = static_cast<Word>(spec.moduli[i]);
    limb.goldilocks = goldilocks;
    limb.runs = find_runs<Word>(recipe, goldilocks);
    with_ring(limb.q, goldilocks, [&](const auto& ring) { make_tables(ring, spec.roots[i], limb); });
  }
  if (info_.needs_workspace) workspaces_ = Workspaces<Word>(recipe.threads, spec.n);
}

template <class Word>
template <class Ring>
void Engine<Word>::make_tables(const Ring& ring, std::uint64_t root, Limb& limb) const {
  const std::uint64_t q = ring.q, inverse_root = wide_pow_mod(root, q - 2, q);
  const std::uint64_t scale = wide_pow_mod(spec_.n % q, q - 2, q);
  limb.scale = ring.factor(scale);
  make_direction(ring, root, 1 % q, limb.forward);
  make_direction(ring, inverse_root, scale, limb.inverse);
}

template <class Word>
template <class Ring>
void Engine<Word>::make_direction(const Ring& ring, std::uint64_t root, std::uint64_t scale,
                                  Direction& out) const {
  out.view.log_n = log_n_;
  out.view.cyclic = spec_.ring == nttforge::Ring::cyclic;
  if (info_.mirrored) {
    make_tree(ring, root, out);
    return;
  }
  const bool twisted = spec_.ring == nttforge::Ring::negacyclic;
  const std::uint64_t omega = twisted ? wide_mul_mod(root, root, ring.q) : root;
  out.powers = geometric(ring, 1 % ring.q, omega, spec_.n);
  out.view.powers = out.powers.data();
  if (!twisted) return;
  out.twist = geometric(ring, scale, root, spec_.n);
  if (spec_.input_order == Order::bit_reversed) reverse_order(out.twist, log_n_);
}

/// W[1 ... n - 1], or its first part and the two tables for the last stages: with B-bit k (B = log n for the
/// negacyclic, log n - 1 for the cyclic ring), W = root^bitrev_B(k), and the lowest log2(base) bits of the
/// exponent are the highest of k.
template <class Word>
template <class Ring>
void Engine<Word>::make_tree(const Ring& ring, std::uint64_t root, Direction& out) const {
  const unsigned on_the_fly = recipe_.twiddles.stages;
  const std::size_t kept = spec_.n >> on_the_fly;
  const AlignedBuffer<std::uint64_t> w = tree_twiddles(spec_.ring, log_n_, ring.q, root);
  out.tree = AlignedBuffer<Factor<Word>>(kept);
  SparsePoll poll;
  for (std::size_t i = 1; i < kept; ++i) {
    poll();
    out.tree[i] = ring.factor(w[i]);
  }
  out.view.tree = out.tree.data();
  out.view.on_the_fly = on_the_fly;
  if (on_the_fly == 0) return;
  const unsigned bits = out.view.cyclic ? log_n_ - 1 : log_n_;
  const unsigned low_bits = std::min(bits, static_cast<unsigned>(std::bit_width(recipe_.twiddles.base)) - 1);
  out.view.high_bits = bits - low_bits;
  out.low = geometric(ring, 1 % ring.q, root, std::size_t{1} << low_bits);
  reverse_order(out.low, low_bits);
  const std::uint64_t giant = wide_pow_mod(root, std::uint64_t{1} << low_bits, ring.q);
  out.high = geometric(ring, 1 % ring.q, giant, std::size_t{1} << out.view.high_bits);
  reverse_order(out.high, out.view.high_bits);
  out.view.low = out.low.data();
  out.view.high = out.high.data();
}

/// Runs the stages on x, with bit reversals where `from` and `to` are not the algorithm's own orders.
template <class Word>
void Engine<Word>::run(Run<Word> function, const Limb& limb, const Direction& direction, Order from, Order to,
                       Word* x, std::vector<TraceStep>* steps) const {
  const bool mirror = info_.mirrored && &direction == &limb.inverse;
  const Order input = mirror ? info_.output : info_.input, output = mirror ? info_.input : info_.output;
  const std::size_t n = spec_.n;
  if (from != input) {
    permute_bit_reversed(x, x, log_n_);
    add_step(steps, "bit_reverse", x, n);
  }
  const typename Workspaces<Word>::Lease work(workspaces_);
  StageValues<Word> values(n);
  Word* const result = function(limb.q, direction.view, x, work.data(), steps == nullptr ? nullptr : &values);
  for (std::size_t s = 0; s < values.stages().size(); ++s)
    steps->push_back({"stage", static_cast<unsigned>(s + 1), values.stages()[s]});
  if (output != to) {
    permute_bit_reversed(result, x, log_n_);
    add_step(steps, "bit_reverse", x, n);
  } else if (result != x) {
    std::copy_n(result, n, x);
  }
}

template <class Word>
void Engine<Word>::forward(std::size_t index, const Word* in, Word* out,
                           std::vector<TraceStep>* steps) const {
  const Limb& limb = limbs_[index];
  const auto& twist = limb.forward.twist;
  if (twist.size() == 0) {
    if (in != out) std::copy_n(in, spec_.n, out);
  } else {
    with_ring(limb.q, limb.goldilocks, [&](const auto& ring) {
      for (std::size_t i = 0; i < spec_.n; ++i) out[i] = ring.mul(in[i], twist[i]);
    });
    add_step(steps, "twist", out, spec_.n);
  }
  run(limb.runs.forward, limb, limb.forward, spec_.input_order, spec_.output_order, out, steps);
}

template <class Word>
void Engine<Word>::inverse(std::size_t index, const Word* in, Word* out,
                           std::vector<TraceStep>* steps) const {
  const Limb& limb = limbs_[index];
  if (in != out) std::copy_n(in, spec_.n, out);
  run(limb.runs.inverse, limb, limb.inverse, spec_.output_order, spec_.input_order, out, steps);
  const auto& twist = limb.inverse.twist;  // psi^-j / n
  with_ring(limb.q, limb.goldilocks, [&](const auto& ring) {
    for (std::size_t i = 0; i < spec_.n; ++i)
      out[i] = ring.mul(out[i], twist.size() == 0 ? limb.scale : twist[i]);
  });
  add_step(steps, "scale", out, spec_.n);
}

template class Engine<std::uint64_t>;
template class Engine<std::uint32_t>;

}  // namespace nttforge::algorithms
