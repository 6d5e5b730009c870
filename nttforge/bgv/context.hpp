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

using namespace integer_encoding;  // NOLINT: the layer's names beside its own

class Context;
using ContextPtr = std::shared_ptr<const Context>;  ///< how objects of BGV hold their context

/// BGV [BGV12]: messages sit at the bottom, factor m + t e. The factor is a unit modulo t that dividing by
/// primes of the chain leaves behind.
class Context final : public IntegerContext {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device);
  /// On the CPU with all of its threads (make_cpu_device()).
  static ContextPtr create(Parameters parameters);

  const Parameters& parameters() const { return parameters_; }
  const NoiseModel& noise_model() const override { return noise_model_; }
  void embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
             std::size_t batch) const override;
  std::shared_ptr<const StepTables> recover(std::size_t level, std::uint64_t factor) const override;
  std::uint64_t budget_scale() const override { return 1; }
  /// Divided by the prime that goes, modulo t.
  std::uint64_t factor_below(std::uint64_t factor, std::size_t level) const override;
  /// throws ParameterError unless the factor is a unit modulo t.
  void require_factor(std::uint64_t factor) const override;

 private:
  Context(Parameters parameters, std::shared_ptr<const Device> device);

  Parameters parameters_;
  NoiseModel noise_model_;
  std::vector<RnsStep> recover_steps_;                      // for the factor 1, by level - 1
  std::vector<std::shared_ptr<const StepTables>> recover_;  // the same on the device
};

}  // namespace nttforge::bgv
