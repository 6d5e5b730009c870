// SPDX-License-Identifier: Apache-2.0
#include "nttforge/multi/meeting.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/multi/copy.hpp"

namespace nttforge::multi {
namespace {

constexpr std::chrono::microseconds kSpin(200);

}  // namespace

void Meeting::give_up(std::size_t side) noexcept {
  {
    const std::lock_guard lock(mutex_);
    given_up_[side] = true;
  }
  changed_.notify_all();
}

void Meeting::post(std::size_t side, ConstWordPtr words) {
  Message message{words, queues_[side]->record()};
  {
    const std::lock_guard lock(mutex_);
    posted_[side].push_back(std::move(message));
  }
  changed_.notify_all();
}

ConstWordPtr Meeting::expect(std::size_t side) {
  const std::size_t other = 1 - side;
  const auto has_come = [&] { return !posted_[other].empty() || given_up_[other]; };
  // To be woken up takes longer than what the other thread mostly has left to do.
  const auto end = std::chrono::steady_clock::now() + kSpin;
  Message message;
  std::unique_lock lock(mutex_);
  while (!has_come() && std::chrono::steady_clock::now() < end) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  changed_.wait(lock, has_come);
  const bool is_there = !posted_[other].empty();
  if (is_there) {
    message = std::move(posted_[other].front());
    posted_[other].pop_front();
  }
  lock.unlock();
  if (!is_there) {
    try {
      queues_[other]->wait();  // it may be copying words that are released now
    } catch (const Error&) {   // its device is broken, or records
    }
    throw GivenUp();
  }
  queues_[side]->wait(*message.after);
  return message.words;
}

void Meeting::Side::copy(ConstWordPtr in, WordPtr out, std::size_t words) const {
  const Queue& other = *meeting_.queues_[1 - number_];
  if (!queue().fetch(other, in, out, words)) copy_between(other, in, queue(), out, words);
}

ConstWordPtr Meeting::Side::expect() const {
  const ConstWordPtr words = meeting_.expect(number_);
  kept_ = {};
  return words;
}

void Meeting::Side::meet() const {
  meeting_.post(number_, {});
  expect();
}

void Meeting::Side::give(ConstWordPtr words) const {
  meeting_.post(number_, words);
  expect();
}

void Meeting::Side::take(WordPtr out, std::size_t words) const {
  copy(expect(), out, words);
  meeting_.post(number_, {});
}

void Meeting::Side::join(const DeviceArray& owner, ConstWordPtr own, std::size_t first, std::size_t count,
                         WordPtr whole, std::size_t rows, std::size_t polynomials, std::size_t n) const {
  meeting_.post(number_, own);
  for (std::size_t p = 0; p < polynomials; ++p)
    queue().copy(own + p * count * n, whole + (p * rows + first) * n, count * n);
  const ConstWordPtr others = expect();
  kept_ = owner;
  const std::size_t there = rows - count, begin = first == 0 ? count : 0;
  for (std::size_t p = 0; p < polynomials; ++p)
    copy(others + p * there * n, whole + (p * rows + begin) * n, there * n);
}

}  // namespace nttforge::multi
