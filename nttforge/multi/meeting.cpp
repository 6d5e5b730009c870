// SPDX-License-Identifier: Apache-2.0
#include "nttforge/multi/meeting.hpp"

#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/multi/copy.hpp"

namespace nttforge::multi {

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
  Message message;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !posted_[other].empty() || given_up_[other]; });
    if (posted_[other].empty()) {
      lock.unlock();
      try {
        queues_[other]->wait();  // it may be copying words that are released now
      } catch (const Error&) {   // its device is broken, or records
      }
      throw GivenUp();
    }
    message = std::move(posted_[other].front());
    posted_[other].pop_front();
  }
  queues_[side]->wait(*message.after);
  return message.words;
}

void Meeting::Side::copy(ConstWordPtr in, WordPtr out, std::size_t words) const {
  const Queue& other = *meeting_.queues_[1 - number_];
  if (!queue().fetch(other, in, out, words)) copy_between(other, in, queue(), out, words);
}

void Meeting::Side::meet() const {
  meeting_.post(number_, {});
  meeting_.expect(number_);
}

void Meeting::Side::give(ConstWordPtr words) const {
  meeting_.post(number_, words);
  meeting_.expect(number_);
}

void Meeting::Side::take(WordPtr out, std::size_t words) const {
  copy(meeting_.expect(number_), out, words);
  meeting_.post(number_, {});
}

void Meeting::Side::join(ConstWordPtr own, std::size_t first, std::size_t count, WordPtr whole,
                         std::size_t rows, std::size_t polynomials, std::size_t n) const {
  meeting_.post(number_, own);
  for (std::size_t p = 0; p < polynomials; ++p)
    queue().copy(own + p * count * n, whole + (p * rows + first) * n, count * n);
  const ConstWordPtr others = meeting_.expect(number_);
  const std::size_t there = rows - count, begin = first == 0 ? count : 0;
  for (std::size_t p = 0; p < polynomials; ++p)
    copy(others + p * there * n, whole + (p * rows + begin) * n, there * n);
  meet();
}

}  // namespace nttforge::multi
