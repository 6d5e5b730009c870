// SPDX-License-Identifier: Apache-2.0
// Ciphertexts in as few bytes as their noise allows.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/rlwe/evaluator.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"

namespace nttforge::rlwe {
namespace {

std::string bits_text(double bits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", bits);
  return text;
}

double budget(const Ciphertext& a, NoiseBound bound) {
  const auto bits =
      bound == NoiseBound::proved ? a.proved_noise_budget_bits() : a.predicted_noise_budget_bits();
  if (bits.has_value()) return *bits;
  throw NoiseError(
      bound == NoiseBound::proved
          ? "a: nothing is proved of its noise, which bytes do not hold; shrink it where it was "
            "computed, or rely on what was predicted (bound = \"heuristic\")"
          : "a: nothing is known of its noise, so nothing says how far it may shrink; go down by "
            "hand (mod_switch), or have it written with its noise (to_bytes(noise=True))");
}

/// Whether this noise leaves that budget, and what decryption asks for.
bool suffices(const RlweNoiseModel& model, const Noise& noise, std::size_t level, double min_budget,
              NoiseBound bound) {
  return model.budget_bits(noise, level, bound) >= min_budget &&
         (!noise.known() || model.budget_bits(noise, level) > 0);
}

/// The noise of a ciphertext whose parts are rounded to so many bits, of a modulus of `modulus` bits. What is
/// rounded twice, to h and back, is within half a unit and 1 of where it was.
Noise rounded_noise(const Ciphertext& a, double modulus, const StoredBits& bits) {
  std::vector<double> units;
  for (std::size_t i = 0; i < a.size(); ++i) units.push_back(std::exp2(modulus - bits[i]) * 1.000001 + 2);
  return rounded(a.context()->noise_model().round_parts(a.noise(), units));
}

/// The fewest bits of all parts together that leave the budget, part 0 having fewer than the others, whose
/// errors the secret multiplies; nothing if no rounding does.
std::optional<StoredBits> fewest_bits(const Ciphertext& a, double modulus, double min_budget,
                                      NoiseBound bound) {
  const RlweNoiseModel& model = a.context()->noise_model();
  const auto enough = [&](const StoredBits& bits) {
    return suffices(model, rounded_noise(a, modulus, bits), a.level(), min_budget, bound);
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
  const std::uint8_t last = a.size() == 3 ? most : 0;
  const auto least = fewest({most, most, last}, 1);
  if (!least) return best;
  // One or two bits more in part 1 may spare more of them in the others.
  for (int more = 0; more <= 3 && *least + more <= most; ++more) {
    StoredBits bits{most, static_cast<std::uint8_t>(*least + more), last};
    if (a.size() == 3) {
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

}  // namespace

Ciphertext RlweEvaluator::shrink(const Ciphertext& a, double min_budget_bits, NoiseBound bound) const {
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
  Ciphertext result = a;
  while (result.level() > context_->lowest_level()) {
    Ciphertext lower = mod_switch(result);
    if (!suffices(context_->noise_model(), lower.noise(), lower.level(), min_budget_bits, bound)) break;
    result = std::move(lower);
  }
  const double modulus = context_->noise_model().modulus_log2(result.level());
  const auto bits = fewest_bits(result, modulus, min_budget_bits, bound);
  if (!bits) return result;
  const Noise noise = rounded_noise(result, modulus, *bits);
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(result.level());
  Ciphertext rounded(context_, result.size(), result.encoding(), result.level(), result.batch());
  DeviceArray h = queue.allocate(result.batch() * ring.n()), part = queue.allocate(ring, 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const PartRounding rounding(*context_, result.level(), (*bits)[i]);
    rounding.down(result.rows(i), h.data(), result.batch());
    for (std::size_t e = 0; e < result.batch(); ++e)
      rounding.up(h.data() + e * ring.n(), rounded.part(i, e), 1);
  }
  rounded.set_factor(result.factor());
  rounded.restore_noise(noise);
  rounded.set_stored_bits(*bits);
  return rounded;
}

}  // namespace nttforge::rlwe
