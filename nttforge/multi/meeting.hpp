// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>

#include "nttforge/device/queue.hpp"

namespace nttforge::multi {

/// Thrown where one side waits for the other, which has ended with an error of its own.
class GivenUp : public std::exception {
 public:
  const char* what() const noexcept override { return "the other device's part has ended with an error"; }
};

/// Where two threads, each of which gives work to a queue of its own, pass words on to one another. Words
/// that are given stay as they are until the other queue has copied them, in the order of both queues: no
/// host waits for a card, only one thread until the other has come as far.
class Meeting {
 public:
  Meeting(const Queue& first, const Queue& second) : queues_{&first, &second} {}

  /// What the thread of side 0 or 1 calls; the calls of both correspond, in order.
  class Side {
   public:
    Side(Meeting& meeting, std::size_t number) : meeting_(meeting), number_(number) {}
    std::size_t number() const { return number_; }

    /// What both sides are given from here on comes after what they were given so far. throws GivenUp.
    void meet() const;
    /// Words that the other side takes. throws GivenUp.
    void give(ConstWordPtr words) const;
    /// The other side's words. throws GivenUp, ParameterError as copy_between().
    void take(WordPtr out, std::size_t words) const;
    /// whole [polynomials][rows][n], of which both sides call: own [polynomials][count][n] are this side's
    /// rows first ... first + count - 1, and all others are the other's; side 0 has those that come first.
    /// own is part of `owner` and stays as it is until both sides have met again, by whatever call: the owner
    /// is kept until then. throws as take().
    void join(const DeviceArray& owner, ConstWordPtr own, std::size_t first, std::size_t count, WordPtr whole,
              std::size_t rows, std::size_t polynomials, std::size_t n) const;

   private:
    const Queue& queue() const { return *meeting_.queues_[number_]; }
    void copy(ConstWordPtr in, WordPtr out, std::size_t words) const;
    /// Meeting::expect, after which the other side has copied what was joined before.
    ConstWordPtr expect() const;

    Meeting& meeting_;
    std::size_t number_;
    mutable DeviceArray kept_;  // of the last join
  };

  /// The side has ended: the other one throws GivenUp where it waits for it.
  void give_up(std::size_t side) noexcept;

 private:
  /// Words that are ready, or null when a copy is done, after an event.
  struct Message {
    ConstWordPtr words{};
    std::shared_ptr<const Event> after;
  };
  void post(std::size_t side, ConstWordPtr words);
  /// The next message of the other side; this one's queue waits for its event.
  ConstWordPtr expect(std::size_t side);

  const Queue* queues_[2];
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> posted_[2];
  bool given_up_[2] = {false, false};
};

}  // namespace nttforge::multi
