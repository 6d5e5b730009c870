// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// A batch of polynomials that ciphertexts are multiplied with, transformed, modulo the primes of a level, by
/// default the highest, and of the special primes: [batch][level + special][n]. Immutable; copies share.
class Polynomial {
 public:
  Polynomial() = default;
  /// norms: of each, the sum of the absolute values of its coefficients, for the noise prediction; in CKKS a
  /// bound on its values at the roots.
  Polynomial(RlweContextPtr context, Encoding encoding, DeviceArray words, std::vector<double> norms,
             std::size_t level = 0)
      : context_(std::move(context)),
        words_(std::move(words)),
        encoding_(encoding),
        norms_(std::move(norms)),
        level_(level == 0 ? context_->top_level() : level) {}

  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t batch() const { return norms_.size(); }
  ConstWordPtr data() const { return words_.data(); }
  double norm(std::size_t element) const { return norms_[element]; }  ///< element < batch()
  std::size_t level() const { return level_; }
  /// The rows of the primes of a level and of the special primes, [batch][level + special][n]: a copy, but
  /// for its own level. throws ParameterError for a level with primes that this one's lacks.
  DeviceArray at_level(std::size_t level) const;

 private:
  RlweContextPtr context_;
  DeviceArray words_;
  Encoding encoding_ = Encoding::coefficients;
  std::vector<double> norms_;
  std::size_t level_ = 0;
};

}  // namespace nttforge::rlwe
