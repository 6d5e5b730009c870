// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/meta.hpp"

#include <algorithm>
#include <cmath>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

std::string describe(const CiphertextKind& kind) {
  return "level " + std::to_string(kind.level) + ", correction factor " + std::to_string(kind.factor) +
         (kind.form == Form::values ? ", in values" : ", in coefficients") +
         (kind.slots == 0 ? ""
                          : ", " + std::to_string(kind.slots) + " slots, scale 2^" +
                                std::to_string(std::log2(kind.scale.hi)));
}

Meta Meta::computed(const Noise& of_result) const {
  Meta result{static_cast<const CiphertextKind&>(*this)};
  result.numbers = numbers;
  result.noise = rlwe::rounded(of_result);
  result.source = result.noise.known() ? NoiseSource::computed : NoiseSource::unknown;
  return result;
}

Meta Meta::plus(const Meta& other, const RlweNoiseModel& model) const {
  Meta result = computed(model.add(noise, other.noise));
  if (slots != 0)
    result.numbers = {log2_sum(numbers.bound, other.numbers.bound), numbers.real && other.numbers.real};
  return result;
}

Meta Meta::fresh(const RlweNoiseModel& model, NoiseSource by, bool proved) const {
  if (by != NoiseSource::fresh_secret && by != NoiseSource::fresh_public)
    throw ParameterError(
        "source = " + std::to_string(static_cast<unsigned>(by)) +
        " is no key's: fresh ciphertexts are made by the secret key (1) or the public key (2)");
  Meta result = computed(by == NoiseSource::fresh_secret ? model.fresh_secret() : model.fresh_public());
  result.source = by;
  if (!proved) result.noise.proved = {};
  return result;
}

Meta Meta::without_seed() const {
  Meta result = *this;
  result.seed.reset();
  return result;
}

void Meta::include(const Meta& other) {
  if (other.stored_bits != stored_bits) stored_bits = {};
  numbers = {std::max(numbers.bound, other.numbers.bound), numbers.real && other.numbers.real};
  if (other.source == source && other.noise == noise) return;
  noise = largest(noise, other.noise);
  source = noise.known() ? NoiseSource::computed : NoiseSource::unknown;
}

}  // namespace nttforge::rlwe
