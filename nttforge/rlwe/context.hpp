// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "nttforge/device/queue.hpp"
#include "nttforge/rlwe/chain.hpp"
#include "nttforge/rlwe/encoding.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/meta.hpp"
#include "nttforge/rlwe/noise.hpp"
#include "nttforge/rlwe/parameters.hpp"

namespace nttforge::rlwe {

class PartRounding;
class RlweContext;
using RlweContextPtr = std::shared_ptr<const RlweContext>;  ///< how objects hold their context

/// A parameter set bound to a device with every table computed, and a queue of that device in which the
/// operations of its objects run. Each scheme derives its own and says what differs. Immutable, shared by all
/// objects made with it, safe to use from many threads.
class RlweContext {
 public:
  virtual ~RlweContext() = default;
  RlweContext(const RlweContext&) = delete;
  RlweContext& operator=(const RlweContext&) = delete;

  const RlweParameters& parameters() const { return *parameters_; }
  const Device& device() const { return *device_; }
  /// For a further context whose operations run in one order with these.
  const std::shared_ptr<const Device>& shared_device() const { return device_; }
  const std::shared_ptr<const Queue>& shared_queue() const { return queue_; }
  /// throws ContextError if the device was reset since the context was made.
  const Queue& queue() const {
    device_->require_alive();
    return *queue_;
  }

  std::size_t n() const { return parameters_->n; }
  std::size_t limbs() const { return parameters_->limbs(); }  ///< k, primes of q
  std::size_t top_level() const { return chain_.top(); }
  std::size_t lowest_level() const { return chain_.lowest(); }        ///< where a message still fits
  std::size_t key_limbs() const { return parameters_->key_limbs(); }  ///< K, limbs of a key
  bool has_evaluation_keys() const { return parameters_->has_evaluation_keys(); }

  /// Checksum of the canonical bytes of the parameters; equal sets have equal fingerprints on any machine.
  std::uint64_t fingerprint() const { return fingerprint_; }
  /// True if objects of both may be used together: equal parameters and one memory space. How a device
  /// computes (threads, instruction set) does not matter: the words are the same.
  bool compatible(const RlweContext& other) const;
  bool equal_parameters(const RlweContext& other) const;

  const RingTables& ring_q() const { return chain_.ring(top_level()); }  ///< modulo Q
  const RingTables& ring_q(std::size_t level) const { return chain_.ring(level); }
  const Chain& chain() const { return chain_; }
  const RingTables& ring_key() const { return chain_.all(); }  ///< modulo Q P
  const RingTables& ring_key(std::size_t level) const { return chain_.key_ring(level); }
  const RingTables& ring_of_keys(std::size_t level) const { return chain_.ring_of_keys(level); }
  const SwitchTables& key_switching(std::size_t level) const { return chain_.key_switching(level); }
  /// From a level above the lowest to the one below.
  const StepTables& drop(std::size_t level) const { return chain_.drop(level); }
  /// The permutation that X -> X^element is on transformed rows, made once. element odd, below 2n.
  std::shared_ptr<const PermutationTables> automorphism(std::uint64_t element) const;
  /// To and from `bits` bits of a coefficient of a level, made once. throws ParameterError as PartRounding.
  const PartRounding& rounding(std::size_t level, unsigned bits) const;
  /// X^power modulo Q in values, [k][n]; power below 2n.
  DeviceArray monomial(std::size_t power) const;
  /// The automorphism that moves slots by `step`. throws ParameterError unless -n/2 < step < n/2.
  std::uint64_t rotation_element(std::int64_t step) const {
    return rlwe::rotation_element(n(), step, generator());
  }
  /// throws UnsupportedError without special prime: no relinearization or rotation.
  void require_evaluation_keys() const;

  /// What ciphertexts say at the highest level, in the form that they live in, of which nothing else is
  /// known.
  Meta top(Encoding encoding) const { return {{top_level(), form(), encoding}}; }

  /// The automorphism X -> X^generator moves every slot by one: docs/decisions/encoding-of-real-numbers.md.
  std::uint64_t generator() const { return parameters_->approximate() ? kComplexGenerator : kRowGenerator; }

  // What schemes differ in.
  /// What ciphertexts are made in, and turned to where an operation's operands differ.
  virtual Form form() const { return Form::coefficients; }
  /// What errors are multiplied with: 1, or t where the message sits below the multiples of t.
  std::uint64_t error_factor() const { return error_factor_; }
  virtual const RlweNoiseModel& noise_model() const = 0;
  /// throws UnsupportedError if these parameters have no such encoding.
  virtual void require_encoding(Encoding encoding) const = 0;
  /// What a ciphertext of this kind says once it is divided on the way to the level below.
  virtual CiphertextKind below(CiphertextKind kind) const {
    --kind.level;
    return kind;
  }
  /// throws ParameterError unless a ciphertext may say this of its message: correction factor, scale, slots.
  virtual void require_message(const Meta& meta) const;

 protected:
  /// The parameters are valid. lowest_level: of ciphertexts. other_primes: of rings that the scheme adds.
  /// queue: of the device; null: one of its own.
  RlweContext(std::shared_ptr<const RlweParameters> parameters, std::shared_ptr<const Device> device,
              std::uint64_t error_factor, std::size_t lowest_level, std::size_t other_primes,
              std::shared_ptr<const Queue> queue = nullptr);

 private:
  std::shared_ptr<const RlweParameters> parameters_;
  std::shared_ptr<const Device> device_;
  std::shared_ptr<const Queue> queue_;
  std::vector<std::uint8_t> canonical_;
  std::uint64_t fingerprint_;
  std::uint64_t error_factor_;
  Chain chain_;
  mutable std::mutex automorphisms_mutex_;
  mutable std::map<std::uint64_t, std::shared_ptr<const PermutationTables>> automorphisms_;
  mutable std::mutex roundings_mutex_;
  mutable std::map<std::pair<std::size_t, unsigned>, std::shared_ptr<const PartRounding>> roundings_;
};

/// throws ContextError naming both sides unless `other` (an object called `what`) belongs with `context`.
void require_compatible(const RlweContext& context, const RlweContext* other, std::string_view what);
template <class C>
void require_compatible(const RlweContext& context, const std::shared_ptr<const C>& other,
                        std::string_view what) {
  require_compatible(context, other.get(), what);
}

/// The context of an object; null for an object that is missing, as for an empty one.
template <class Object>
auto context_of(const Object* object) {
  return object == nullptr ? nullptr : object->context();
}

/// The context of a scheme's own type. throws ContextError if `context`, of an object called `what`, is null
/// or another scheme's.
template <class C>
std::shared_ptr<const C> context_as(const RlweContextPtr& context, std::string_view what) {
  if (context == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  auto result = std::dynamic_pointer_cast<const C>(context);
  if (result == nullptr)
    throw ContextError(std::string(what) + " belongs to " +
                       std::string(scheme_name(context->parameters().scheme)) + ", which is another scheme");
  return result;
}

/// throws ContextError unless an object of `from` can move to `to`: both have equal parameters.
void require_equal_parameters(const RlweContext& from, const RlweContext& to);

enum class Secrecy : std::uint8_t { open, secret };  ///< whether copies on the way are overwritten
/// A copy of an array for objects of `to`, in its device's memory: how objects move between devices. Waits
/// for a copy over the host where the memory spaces differ. throws ContextError unless both contexts have
/// equal parameters.
DeviceArray moved(const DeviceArray& words, const RlweContext& from, const RlweContext& to, Secrecy secrecy);

/// throws ContextError if it is null.
template <class C>
const std::shared_ptr<const C>& require_context(const std::shared_ptr<const C>& context) {
  if (context == nullptr) throw ContextError("context is null: make one with Context::create");
  return context;
}

}  // namespace nttforge::rlwe
