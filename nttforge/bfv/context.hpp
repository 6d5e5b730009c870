// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/bfv/products.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge::bfv {

using namespace integer_encoding;  // NOLINT: the layer's names beside its own

class Context;
using ContextPtr = std::shared_ptr<const Context>;  ///< how objects of BFV hold their context

/// BFV: messages sit at the top, Q/t m; products by BEHZ [Bad18b], or by a form of HPS (products.hpp).
class Context final : public IntegerContext {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device,
                           ProductForm product = ProductForm::behz);
  /// On the CPU with all of its threads (make_cpu_device()).
  static ContextPtr create(Parameters parameters);

  const Parameters& parameters() const { return parameters_; }
  const NoiseModel& noise_model() const override { return noise_model_; }
  const StepTables* fresh_embedding() const override { return top_->scale_plain.get(); }
  void embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
             std::size_t batch) const override;
  std::shared_ptr<const StepTables> recover(std::size_t level, std::uint64_t factor) const override;
  std::uint64_t budget_scale() const override { return t(); }

  const DecryptScale& decrypt_scale() const { return top_->decrypt_scale; }  ///< Q, t and gamma
  const Products& products() const { return products_; }
  /// The tables of products that keep all primes.
  const ProductTables& product() const { return products_.tables(limbs(), limbs()); }

 private:
  Context(Parameters parameters, std::shared_ptr<const Device> device, ProductForm product);

  /// What depends on the modulus of a level; lower levels' are made when they are asked for first.
  struct Level {
    DecryptScale decrypt_scale;
    std::shared_ptr<const StepTables> round_phase, scale_plain;
  };
  std::unique_ptr<const Level> make_level(std::size_t level) const;
  const Level& at(std::size_t level) const;

  Parameters parameters_;
  NoiseModel noise_model_;
  std::unique_ptr<const Level> top_;
  mutable std::mutex lower_mutex_;
  mutable std::map<std::size_t, std::unique_ptr<const Level>> lower_;
  Products products_;
};

}  // namespace nttforge::bfv
