// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "nttforge/ckks/noise_model.hpp"
#include "nttforge/ckks/parameters.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/embedding/embedding.hpp"
#include "nttforge/rlwe/context.hpp"

namespace nttforge::ckks {

class Context;
using ContextPtr = std::shared_ptr<const Context>;  ///< how objects of CKKS hold their context

/// CKKS [CKKS17]: the message is the phase, scale m + e, in values. Every level has one exact scale: that of
/// the level above, squared, divided by what leaves [KPP22].
class Context final : public RlweContext {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  /// queue: of the device, which another context has (RlweContext::shared_queue); null: one of its own.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device,
                           std::shared_ptr<const Queue> queue = nullptr);
  /// On the CPU with all of its threads (make_cpu_device()).
  static ContextPtr create(Parameters parameters);

  const Parameters& parameters() const { return static_cast<const Parameters&>(RlweContext::parameters()); }
  const NoiseModel& noise_model() const override { return noise_model_; }
  Form form() const override { return Form::values; }
  void require_encoding(Encoding) const override {}
  CiphertextKind below(CiphertextKind kind) const override;
  /// throws PrecisionError where scale times bound does not fit below half of the modulus, ParameterError for
  /// slots that are no power of two up to n/2 and for numbers out of range.
  void require_message(const Meta& meta) const override;

  std::size_t slots() const { return n() / 2; }
  /// That of a level, 1 ... top_level().
  const DoubleDouble& scale(std::size_t level) const { return scales_[level - 1]; }
  /// Whether products at a level, 2 ... top_level(), are rescaled to the scale of the level below: not where
  /// that level has one of its own (Parameters::scales).
  bool leads_below(std::size_t level) const { return leads_below_[level - 1]; }
  /// The scale of a plaintext at a level, 2 ... top_level(), whose product with a ciphertext of a scale has
  /// exactly the scale of the level below.
  DoubleDouble factor_scale(std::size_t level, const DoubleDouble& of_ciphertext) const;
  /// The transform of messages of so many slots; made once. throws ParameterError unless it is a power of two
  /// up to n/2.
  const EmbeddingTables& embedding(std::size_t slots) const;
  /// X^(n/2) modulo Q in values, [k][n]: i in every slot; made once.
  ConstWordPtr imaginary_unit() const;

 private:
  Context(const std::shared_ptr<const Parameters>& parameters, std::shared_ptr<const Device> device,
          std::shared_ptr<const Queue> queue);

  NoiseModel noise_model_;
  std::vector<DoubleDouble> scales_;
  std::vector<bool> leads_below_;  // by level - 1
  mutable std::mutex mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const EmbeddingTables>> embeddings_;
  mutable DeviceArray imaginary_unit_;
};

}  // namespace nttforge::ckks
