// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/device/tables.hpp"

namespace nttforge {

class Queue;

/// A machine that computes: its memory, and the tables of constants that its operations read. Operations run
/// in queues (queue.hpp). const, and safe to call from several threads.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;         ///< "cpu"
  virtual std::string description() const = 0;  ///< machine, target, threads, for reports
  /// Names the memory that arrays are in: "host", or a device with its own. Arrays of devices of one memory
  /// space may be mixed, whatever computes on them.
  virtual std::string memory_space() const = 0;
  /// throws ContextError if the device was reset since this object was made: with its memory every table and
  /// array is gone.
  virtual void require_alive() const {}
  /// throws UnsupportedError naming `what` (in the plural), the bytes it needs, those there are and what
  /// could be released, if the memory has no room for it now. Nothing is allocated.
  virtual void require_memory(std::uint64_t bytes, const std::string& what) const;
  /// How much stack steps between bases use (apply), for the operations that wipe it after them.
  virtual StackDepth conversion_depth() const { return StackDepth::deep; }

  /// A new queue, with which the device lives on.
  virtual std::shared_ptr<const Queue> make_queue() const = 0;

  /// Tables that every queue of this device reads, for words of spec.word_bits. The spec must be negacyclic,
  /// natural input; any output order. throws ParameterError naming the field.
  virtual std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const = 0;
  /// Steps that follow one another (rns/step.hpp), for polynomials of n coefficients. throws ParameterError
  /// as folded(), naming the field.
  virtual std::shared_ptr<const StepTables> make_step(std::span<const RnsStep> chain,
                                                      std::size_t n) const = 0;
  std::shared_ptr<const StepTables> make_step(const RnsStep& step, std::size_t n) const {
    return make_step(std::span(&step, 1), n);
  }
  /// out[i] = in[index[i]] for rows of index.size() words. throws ParameterError if an index is no word of
  /// the row.
  virtual std::shared_ptr<const PermutationTables> make_permutation(
      std::span<const std::uint32_t> index) const = 0;
  /// Messages of so many slots (embedding/embedding.hpp). throws ParameterError unless it is a power of two
  /// up to 2^16.
  virtual std::shared_ptr<const EmbeddingTables> make_embedding(std::size_t slots) const;
  /// Key switching modulo `ring` with keys of `key_ring`, which has the primes of `ring` and then the special
  /// ones. The primes of `ring` are those of a chain from position `first` on, whose digits have these ends
  /// (rns/digits.hpp). division: its sources are the special primes (mod_down.hpp); null if there are none.
  /// throws ParameterError if the rings, the ends or the division do not fit together.
  SwitchTables make_switch(std::shared_ptr<const RingTables> ring, std::shared_ptr<const RingTables> key_ring,
                           std::span<const std::size_t> ends, const RnsStep* division,
                           std::size_t first = 0) const;
  /// The same where the chain begins with the primes of `ring`, in digits of digit_primes primes.
  SwitchTables make_switch(std::shared_ptr<const RingTables> ring, std::shared_ptr<const RingTables> key_ring,
                           std::size_t digit_primes = 1, const RnsStep* division = nullptr) const;
  /// The end of key switching at a level whose result is modulo the primes of `ring`. division: its sources
  /// are the level's other primes and the special ones, in their order; of the primes of `ring`, own words
  /// are zeros for those that the level lacks. throws ParameterError if it does not fit.
  RescaleTables make_rescale(const SwitchTables& level, std::shared_ptr<const RingTables> ring,
                             const RnsStep& division) const;
  /// Products modulo `ring` by way of `auxiliary` (Queue::sum_of_products). throws ParameterError if the
  /// rings and the steps do not fit together.
  ProductTables make_product(std::shared_ptr<const RingTables> ring,
                             std::shared_ptr<const RingTables> auxiliary,
                             std::shared_ptr<const StepTables> extend,
                             std::shared_ptr<const StepTables> scale) const;
  /// Products of factors modulo the primes of `ring` and, if there is a `drop`, those that it divides away.
  /// throws ParameterError as make_product does.
  ProductTables make_product_over(std::shared_ptr<const RingTables> ring,
                                  std::shared_ptr<const RingTables> auxiliary,
                                  std::shared_ptr<const StepTables> extend,
                                  std::shared_ptr<const StepTables> change,
                                  std::shared_ptr<const StepTables> back,
                                  std::shared_ptr<const StepTables> scale,
                                  std::shared_ptr<const StepTables> drop = nullptr) const;
  /// The transform recipe a ring runs with, as JSON, for reports.
  virtual std::string recipe_json(const RingTables& ring) const = 0;

 protected:
  /// Tables for the limbs of two rings together, for a device that transforms them in one go; else null.
  virtual std::shared_ptr<const RingTables> make_joint(const RingTables&, const RingTables&) const {
    return nullptr;
  }
};

/// The permutation that X -> X^element is on a transformed row: forward(f(X^element))[i] =
/// forward(f)[index[i]], `order` that of the ring's transforms. throws ParameterError unless n is a power of
/// two and element odd and below 2n.
std::vector<std::uint32_t> automorphism_index(std::size_t n, std::uint64_t element,
                                              Order order = Order::bit_reversed);

}  // namespace nttforge
