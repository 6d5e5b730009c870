// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge::bfv {

using namespace integer_encoding;  // NOLINT: the layer's names beside its own

class Context;
using ContextPtr = std::shared_ptr<const Context>;

/// BFV: messages sit at the top, Q/t m; products by BEHZ [Bad18b].
class Context final : public IntegerContext {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device);

  const Parameters& parameters() const { return parameters_; }
  const NoiseModel& noise_model() const override { return noise_model_; }
  const StepTables* fresh_embedding() const override { return scale_plain_.get(); }
  void embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
             std::size_t batch) const override;
  std::shared_ptr<const StepTables> recover(std::size_t level, std::uint64_t factor) const override;
  std::uint64_t budget_scale() const override { return t(); }

  const Behz& behz() const { return behz_; }                            ///< the auxiliary base
  const DecryptScale& decrypt_scale() const { return decrypt_scale_; }  ///< Q, t and gamma
  /// Products modulo Q by way of B_sk, scaled to floor(t x / Q) - u, 0 <= u < k.
  const ProductTables& product() const { return product_; }

 private:
  Context(Parameters parameters, std::shared_ptr<const Device> device);

  Parameters parameters_;
  NoiseModel noise_model_;
  Behz behz_;
  DecryptScale decrypt_scale_;
  ProductTables product_;
  std::shared_ptr<const StepTables> round_phase_, scale_plain_;
};

}  // namespace nttforge::bfv
