// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/bfv/parameters.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/rns/behz.hpp"
#include "nttforge/rns/scale.hpp"

namespace nttforge::bfv {

class Context;
using ContextPtr = std::shared_ptr<const Context>;

/// A parameter set bound to a device with every table computed. Immutable, shared by all objects made with
/// it, safe to use from many threads.
class Context {
 public:
  /// throws ParameterError (see Parameters::validate), UnsupportedError.
  static ContextPtr create(Parameters parameters, std::shared_ptr<const Device> device);

  const Parameters& parameters() const { return parameters_; }
  const Device& device() const { return *device_; }
  const Queue& queue() const { return *queue_; }  ///< in which the operations of its objects run
  const NoiseModel& noise_model() const { return noise_model_; }

  std::size_t n() const { return parameters_.n; }
  std::uint64_t t() const { return parameters_.t; }
  std::size_t limbs() const { return parameters_.limbs(); }          ///< k, limbs of a ciphertext
  std::size_t key_limbs() const { return parameters_.key_limbs(); }  ///< K, limbs of a key
  bool has_batching() const { return ring_t_ != nullptr; }
  bool has_evaluation_keys() const { return parameters_.has_evaluation_keys(); }

  /// Checksum of the canonical bytes of the parameters; equal sets have equal fingerprints on any machine.
  std::uint64_t fingerprint() const { return fingerprint_; }

  /// True if objects of both may be used together: equal parameters and one memory space. How a device
  /// computes (threads, instruction set) does not matter: the words are the same.
  bool compatible(const Context& other) const;

  // What the scheme is made of.
  const RingTables& ring_q() const { return *ring_q_; }      ///< modulo Q
  const RingTables& ring_key() const { return *ring_key_; }  ///< modulo Q p; the same as ring_q without p
  const RingTables& ring_bsk() const { return *ring_bsk_; }  ///< modulo the auxiliary base of BEHZ
  const RingTables& ring_t() const;           ///< modulo t. throws UnsupportedError without batching
  const Behz& behz() const { return behz_; }  ///< the auxiliary base
  const DecryptScale& decrypt_scale() const { return decrypt_scale_; }  ///< Q, t and gamma
  const StepTables& extend() const { return *extend_; }                 ///< Q -> B_sk
  /// x modulo Q, own words x modulo B_sk -> floor(t x / Q) - u modulo Q, 0 <= u < k.
  const StepTables& floor() const { return *floor_; }
  const SwitchTables& key_switching() const { return switch_; }  ///< empty without special prime
  const StepTables& mod_down() const;  ///< Q p -> Q. throws UnsupportedError without special prime
  const StepTables& round_phase() const { return *round_phase_; }  ///< Q -> t: decryption's last step
  const StepTables& scale_plain() const { return *scale_plain_; }  ///< t -> Q: encryption's first step

 private:
  Context(Parameters parameters, std::shared_ptr<const Device> device);

  Parameters parameters_;
  std::shared_ptr<const Device> device_;
  std::shared_ptr<const Queue> queue_;
  NoiseModel noise_model_;
  std::uint64_t fingerprint_ = 0;
  std::shared_ptr<const RingTables> ring_q_, ring_key_, ring_bsk_, ring_t_;
  Behz behz_;
  DecryptScale decrypt_scale_;
  std::shared_ptr<const StepTables> extend_, floor_, round_phase_, scale_plain_;
  SwitchTables switch_;
};

/// throws ContextError naming both sides unless `other` (an object called `what`) belongs with `context`.
void require_compatible(const Context& context, const ContextPtr& other, std::string_view what);

/// The context of an object; null for an object that is missing, as for an empty one.
template <class Object>
ContextPtr context_of(const Object* object) {
  return object == nullptr ? nullptr : object->context();
}

}  // namespace nttforge::bfv
