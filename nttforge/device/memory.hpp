// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "nttforge/device/array.hpp"
#include "nttforge/device/device.hpp"
#include "nttforge/device/tables.hpp"

namespace nttforge {

/// A point in a queue's order: the operations that were given to the queue before it.
class Event {
 public:
  virtual ~Event() = default;
  virtual void wait() const = 0;  ///< returns when they have run
};

class Queue;

/// Operations that were recorded (Queue::begin_capture), to be run as often as wanted with the arrays that
/// they name: whoever made those keeps them alive. Arrays that were allocated while it was recorded are its
/// own. Safe to call from several threads; runs of one graph need an order, since they share its arrays.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Gives the operations to the queue, of the device that recorded them, in one piece.
  virtual void run(const Queue& queue) const = 0;
};

/// A recording in progress, which ends without a graph if it is destroyed before finish().
class Capture {
 public:
  virtual ~Capture() = default;
  /// throws UnsupportedError if something was recorded that a graph cannot have.
  virtual std::shared_ptr<const Graph> finish() = 0;
};

/// Arrays of a device, and the order of operations that are given to one of its queues (queue.hpp).
class MemoryAndOrder {
 public:
  virtual ~MemoryAndOrder() = default;
  virtual const Device& device() const = 0;

  virtual DeviceArray allocate(std::size_t words, unsigned word_bits) const = 0;  ///< contents unspecified
  virtual DeviceArray allocate_secret(std::size_t words,
                                      unsigned word_bits) const = 0;  ///< zeroed on release
  DeviceArray allocate(std::size_t words) const { return allocate(words, 64); }
  DeviceArray allocate_secret(std::size_t words) const { return allocate_secret(words, 64); }
  /// Polynomials of a ring, in its words.
  DeviceArray allocate(const RingTables& ring, std::size_t polynomials) const {
    return allocate(polynomials * ring.words(), ring.spec().word_bits);
  }
  DeviceArray allocate_secret(const RingTables& ring, std::size_t polynomials) const {
    return allocate_secret(polynomials * ring.words(), ring.spec().word_bits);
  }
  /// The host's words have been read when it returns; those for 32-bit words are below 2^32.
  virtual void upload(std::span<const std::uint64_t> host, WordPtr device) const = 0;
  /// The same of words that write(first, out) puts where they are read from, out.size() of them from word
  /// `first` on, in order and each once. What it throws is passed on; then `device` is written in part.
  using WriteWords = std::function<void(std::size_t first, std::span<std::uint64_t> out)>;
  virtual void upload_written(std::size_t words, WordPtr device, const WriteWords& write) const;
  virtual void download(ConstWordPtr device, std::span<std::uint64_t> host) const = 0;  ///< waits
  /// The words of both places may differ in size; then the values fit.
  virtual void copy(ConstWordPtr in, WordPtr out, std::size_t words) const = 0;
  virtual void fill_zero(WordPtr out, std::size_t words) const = 0;
  /// Words of `from`'s device, which is not this one, in words of the same size, after what was given to
  /// `from` so far. Waits. False, with nothing done, if they can only go by way of the host
  /// (multi/copy.hpp).
  virtual bool copy_from(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const;
  /// The same in the order of this queue alone, without waiting: events say when the words are there, and
  /// until when they stay.
  virtual bool fetch(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const;
  /// Packed rows (base/text/bits.hpp) of polynomials, limb by limb, one polynomial after the other -> the
  /// polynomials [limbs][n] at out, out + stride ... Waits. Returns whether every row is well formed and
  /// below its modulus; if not, the words are unspecified.
  virtual bool unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                      std::size_t stride, std::size_t batch) const;

  // Order.
  virtual void wait() const = 0;  ///< returns when every operation given so far has run
  virtual std::shared_ptr<const Event> record() const = 0;  ///< after every operation given so far
  /// What is given to this queue from now on runs after the event, which may be another queue's.
  virtual void wait(const Event& event) const = 0;

  /// From here on what this thread gives to this device's queues is recorded and not run, until the capture
  /// is finished or destroyed, by the same thread. What waits for the host or reads its memory (download,
  /// wait, upload) and what samples, since each run would repeat the same randomness, throws ParameterError
  /// meanwhile. throws UnsupportedError where there are no graphs.
  virtual std::unique_ptr<Capture> begin_capture() const;

  /// Where the event, of another device, is part of a recording: what this thread gives to this device's
  /// queues is part of it too, until the result goes, in the same thread. An event of this device that was
  /// waited for there comes after all of it. Null where the event is part of none.
  virtual std::shared_ptr<void> record_with(const Event& /*event*/) const { return nullptr; }

  /// The operations that `give` gives to this queue, in one piece where a device starts many at the price of
  /// one. Nobody else may wait for what they write until it has returned; if it throws, some of them may not
  /// run. Not for what samples: what it is started with would stay in the host's memory.
  virtual void in_one_piece(const std::function<void()>& give) const { give(); }
};

}  // namespace nttforge
