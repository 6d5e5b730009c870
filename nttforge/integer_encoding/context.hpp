// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "nttforge/integer_encoding/noise_model.hpp"
#include "nttforge/integer_encoding/parameters.hpp"
#include "nttforge/rlwe/batch.hpp"
#include "nttforge/rlwe/context.hpp"

namespace nttforge::integer_encoding {

using namespace rlwe;  // NOLINT: the layer's names beside its own

class IntegerContext;
using IntegerContextPtr = std::shared_ptr<const IntegerContext>;  ///< the context of BFV or BGV

/// A context whose plaintexts are integers modulo t. A scheme says how a plaintext gets into a ciphertext and
/// out of it.
class IntegerContext : public RlweContext {
 public:
  const IntegerParameters& parameters() const {
    return static_cast<const IntegerParameters&>(RlweContext::parameters());
  }
  std::uint64_t t() const { return parameters().t; }
  bool has_batching() const { return ring_t_ != nullptr; }
  const RingTables& ring_t() const;  ///< modulo t. throws UnsupportedError without batching
  /// Where the values of slots stand in the transform's output, and the inverse permutation; made once, when
  /// first asked for.
  struct SlotTables {
    std::shared_ptr<const PermutationTables> position, slot;
  };
  const SlotTables& slot_tables() const;
  void require_encoding(Encoding encoding) const override;
  const IntegerNoiseModel& noise_model() const override = 0;

  /// plain [batch][n] in [0, t) -> out [batch][level][n], what is added to part 0 of ciphertexts of this
  /// level and correction factor.
  virtual void embed(ConstWordPtr plain, std::size_t level, std::uint64_t factor, WordPtr out,
                     std::size_t batch) const = 0;
  /// The step that embed() is at the highest level and factor 1, if it is one; else null.
  virtual const StepTables* fresh_embedding() const { return nullptr; }
  /// Steps from the phase c0 + c1 s + ... at a level to the plaintext modulo t; the limit of one of them says
  /// where noise leaves less than half a bit of budget.
  virtual std::shared_ptr<const StepTables> recover(std::size_t level, std::uint64_t factor) const = 0;
  /// The largest coefficient of `scale` times the phase, centred modulo Q, is Q / 2^(1 + budget).
  virtual std::uint64_t budget_scale() const = 0;

 protected:
  IntegerContext(std::shared_ptr<const IntegerParameters> parameters, std::shared_ptr<const Device> device,
                 std::uint64_t error_factor, std::size_t lowest_level, std::size_t other_primes);

 private:
  std::shared_ptr<const RingTables> ring_t_;
  mutable std::once_flag slots_once_;
  mutable SlotTables slots_;
};

}  // namespace nttforge::integer_encoding
