// SPDX-License-Identifier: Apache-2.0
// Ciphertexts in as few bytes as their noise allows.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/integer_encoding/evaluator.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"

namespace nttforge::integer_encoding {
namespace {

std::string bits_text(double bits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", bits);
  return text;
}

double budget(const Ciphertext& a, NoiseBound bound) {
  const auto bits =
      bound == NoiseBound::proved ? proved_noise_budget_bits(a) : predicted_noise_budget_bits(a);
  if (bits.has_value()) return *bits;
  throw NoiseError(
      bound == NoiseBound::proved
          ? "a: nothing is proved of its noise, which bytes do not hold; shrink it where it was "
            "computed, or rely on what was predicted (bound = \"heuristic\")"
          : "a: nothing is known of its noise, so nothing says how far it may shrink; go down by "
            "hand (mod_switch), or have it written with its noise (to_bytes(noise=True))");
}

/// Whether this noise leaves that budget, and what decryption asks for.
bool suffices(const IntegerNoiseModel& model, const Noise& noise, std::size_t level, double min_budget,
              NoiseBound bound) {
  return model.budget_bits(noise, level, bound) >= min_budget &&
         (!noise.known() || model.budget_bits(noise, level) > 0);
}

/// The noise of `size` parts that are rounded to so many bits, of a modulus of `modulus` bits. What is
/// rounded twice, to h and back, is within half a unit and 1 of where it was.
Noise rounded_noise(const IntegerNoiseModel& model, const Noise& noise, std::size_t size, double modulus,
                    const StoredBits& bits) {
  std::vector<double> units;
  for (std::size_t i = 0; i < size; ++i) units.push_back(std::exp2(modulus - bits[i]) * 1.000001 + 2);
  return rounded(model.round_parts(noise, units));
}

/// The fewest bits of all parts together that leave the budget, part 0 having fewer than the others, whose
/// errors the secret multiplies; nothing if no rounding does.
std::optional<StoredBits> fewest_bits(const IntegerNoiseModel& model, const Noise& noise, std::size_t level,
                                      std::size_t size, double min_budget, NoiseBound bound) {
  const double modulus = model.modulus_log2(level);
  const auto enough = [&](const StoredBits& bits) {
    return suffices(model, rounded_noise(model, noise, size, modulus, bits), level, min_budget, bound);
  };
  const auto most = static_cast<std::uint8_t>(
      std::min<double>(PartRounding::kMostBits, std::ceil(modulus) - 2));  // below the modulus' own bits
  if (most < PartRounding::kLeastBits) return std::nullopt;
  const auto fewest = [&](StoredBits bits, std::size_t part) -> std::optional<std::uint8_t> {
    bits[part] = most;
    if (!enough(bits)) return std::nullopt;
    std::uint8_t low = PartRounding::kLeastBits, high = most;  // high is enough
    while (low < high) {
      bits[part] = static_cast<std::uint8_t>((low + high) / 2);
      if (enough(bits))
        high = bits[part];
      else
        low = static_cast<std::uint8_t>(bits[part] + 1);
    }
    return high;
  };
  std::optional<StoredBits> best;
  const auto total = [](const StoredBits& bits) { return bits[0] + bits[1] + bits[2]; };
  const std::uint8_t last = size == 3 ? most : 0;
  const auto least = fewest({most, most, last}, 1);
  if (!least) return best;
  // One or two bits more in part 1 may spare more of them in the others.
  for (int more = 0; more <= 3 && *least + more <= most; ++more) {
    StoredBits bits{most, static_cast<std::uint8_t>(*least + more), last};
    if (size == 3) {
      const auto found = fewest(bits, 2);
      if (!found) continue;
      bits[2] = static_cast<std::uint8_t>(std::min<int>(*found + 1, most));
    }
    const auto found = fewest(bits, 0);
    if (!found) continue;
    bits[0] = *found;
    if (!best || total(bits) < total(*best)) best = bits;
  }
  return best;
}

/// From a level down to another, as mod_switch says.
Noise switched(const IntegerNoiseModel& model, Noise noise, std::size_t from, std::size_t to,
               std::size_t size) {
  for (; from > to; --from) noise = rounded(model.switch_modulus(noise, from, size));
  return noise;
}

/// A level, and bits of each part there if not in full.
struct Smallest {
  std::size_t level;
  std::optional<StoredBits> bits;
};

/// The lowest level and then the fewest bits whose roundings alone, of a ciphertext without noise, leave that
/// budget. A ciphertext's own bound depends on plaintext factors, which its size would tell.
Smallest smallest(const IntegerNoiseModel& model, const Ciphertext& a, double budget, NoiseBound bound) {
  constexpr double kNone = -kMaxNoiseLog2;
  Noise noise{kNone, kNone, 0, {kNone, kNone}};
  std::size_t level = a.level();
  while (level > a.context()->lowest_level()) {
    const Noise lower = switched(model, noise, level, level - 1, a.size());
    if (!suffices(model, lower, level - 1, budget, bound)) break;
    noise = lower;
    --level;
  }
  return {level, fewest_bits(model, noise, level, a.size(), budget, bound)};
}

}  // namespace

Ciphertext IntegerEvaluator::shrink(const Ciphertext& a, double min_budget_bits, NoiseBound bound) const {
  require_compatible(*context_, a.context(), "a");
  if (!(min_budget_bits >= 0 && min_budget_bits <= 1000))
    throw ParameterError("min_budget = " + bits_text(min_budget_bits) +
                         " is out of range [0, 1000] bits; 10 leaves room for a bound that is off");
  const double left = budget(a, bound);
  if (left <= 0 || left < min_budget_bits)
    throw NoiseError("a: its " + std::string(bound == NoiseBound::proved ? "proved" : "predicted") +
                     " noise budget is " + bits_text(left) + " bits, which is " +
                     (left <= 0 ? "nothing" : "less than min_budget = " + bits_text(min_budget_bits)) +
                     " already; " +
                     (left <= 0 ? "use parameters with more room or fewer operations" : "ask for less"));
  // The roundings leave a little more than is asked for, so that the noise beside them fits; where it does
  // not, as the ciphertext has hardly more left, they leave more.
  constexpr double kFirstRoom = 0.25, kMoreRoom = 2;
  const IntegerNoiseModel& model = context_->noise_model();
  Smallest found{a.level(), StoredBits{}};
  Noise noise;
  bool enough = false;
  for (double room = kFirstRoom; !enough; room += kMoreRoom) {
    found = smallest(model, a, min_budget_bits + room, bound);
    noise = switched(model, a.noise(), a.level(), found.level, a.size());
    if (found.bits)
      noise = rounded_noise(model, noise, a.size(), model.modulus_log2(found.level), *found.bits);
    enough = suffices(model, noise, found.level, min_budget_bits, bound) ||
             (!found.bits && found.level == a.level());
  }
  const std::optional<StoredBits>& bits = found.bits;
  if (!bits) return mod_switch_to(a, found.level);
  const Ciphertext result = mod_switch_to(a, found.level).in(Form::coefficients);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(result.level());
  Meta meta = result.meta().computed(noise);
  meta.noise = noise;
  meta.stored_bits = *bits;
  Ciphertext rounded(context_, result.size(), meta, result.batch());
  DeviceArray h = queue.allocate(result.batch() * ring.n());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const PartRounding& rounding = context_->rounding(result.level(), (*bits)[i]);
    queue.in_one_piece([&] {
      rounding.down(result.rows(i), h.data(), result.batch());
      for (std::size_t e = 0; e < result.batch(); ++e)
        rounding.up(h.data() + e * ring.n(), rounded.part(i, e), 1);
    });
  }
  return rounded;
}

}  // namespace nttforge::integer_encoding
