// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "nttforge/rlwe/context.hpp"

namespace nttforge::rlwe {

/// A batch of polynomials that ciphertexts are multiplied with, transformed, modulo the primes of a level and
/// the special primes: [batch][primes][n / repeat], as MapFactors has them. Immutable; copies share.
class Polynomial {
 public:
  Polynomial() = default;
  /// norms: of each, the sum of the absolute values of its coefficients, for the noise prediction.
  /// level: 0 is the highest. repeat: a power of two that divides n.
  Polynomial(RlweContextPtr context, Encoding encoding, DeviceArray words, std::vector<double> norms,
             std::size_t level = 0, std::size_t repeat = 1)
      : context_(std::move(context)),
        words_(std::move(words)),
        encoding_(encoding),
        norms_(std::move(norms)),
        level_(level == 0 ? context_->top_level() : level),
        repeat_(repeat) {}

  bool empty() const { return context_ == nullptr; }
  const RlweContextPtr& context() const { return context_; }
  Encoding encoding() const { return encoding_; }
  std::size_t level() const { return level_; }    ///< the highest of ciphertexts that they multiply
  std::size_t repeat() const { return repeat_; }  ///< neighbouring words that each word stands for
  std::size_t batch() const { return norms_.size(); }
  ConstWordPtr data() const { return words_.data(); }
  double norm(std::size_t element) const { return norms_[element]; }  ///< element < batch()
  /// The rows of the primes of a level and of the special primes: a copy, but for level(). throws
  /// ParameterError for a level with other primes.
  DeviceArray at_level(std::size_t level) const;

 private:
  RlweContextPtr context_;
  DeviceArray words_;
  Encoding encoding_ = Encoding::coefficients;
  std::vector<double> norms_;
  std::size_t level_ = 0, repeat_ = 1;
};

}  // namespace nttforge::rlwe
