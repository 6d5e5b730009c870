// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "nttforge/bgv/noise_model.hpp"
#include "nttforge/bgv/parameters.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rns/step.hpp"

namespace nttforge::bgv {

class Context;
using ContextPtr = std::shared_ptr<const Context>;  ///< how objects of BGV hold their context

/// BGV [BGV12]: messages sit at the bottom, factor m + t e, in values. The factor is a unit modulo t that
/// dividing by primes of the chain leaves behind.
class Context final : public IntegerContext {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device);
  /// On the CPU with all of its threads (make_cpu_device()).
  static ContextPtr create(Parameters parameters);

  const Parameters& parameters() const { return static_cast<const Parameters&>(RlweContext::parameters()); }
  const NoiseModel& noise_model() const override { return noise_model_; }
  void embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
             std::size_t batch) const override;
  std::shared_ptr<const StepTables> recover(std::size_t level, std::uint64_t factor) const override;
  Form form() const override { return Form::values; }
  std::uint64_t budget_scale() const override { return 1; }
  /// The factor is divided by the prime that goes, modulo t.
  CiphertextKind below(CiphertextKind kind) const override;
  /// throws ParameterError unless the factor is a unit modulo t.
  void require_message(const Meta& meta) const override;

 private:
  Context(const std::shared_ptr<const Parameters>& parameters, std::shared_ptr<const Device> device);

  NoiseModel noise_model_;
  std::vector<RnsStep> recover_steps_;                      // for the factor 1, by level - 1
  std::vector<std::shared_ptr<const StepTables>> recover_;  // the same on the device
};

}  // namespace nttforge::bgv
