// SPDX-License-Identifier: Apache-2.0
// Words that two threads pass on to one another, each with a queue of its own.
#include "nttforge/multi/meeting.hpp"

#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/device/testing.hpp"

namespace nttforge::multi {
namespace {

using nttforge::testing::Words;

/// Pairs of devices: two of the CPU, and with a card, or the host's run of its kernels, if there is one.
std::vector<std::pair<std::shared_ptr<const Device>, std::shared_ptr<const Device>>> pairs() {
  std::vector<std::pair<std::shared_ptr<const Device>, std::shared_ptr<const Device>>> found;
  found.emplace_back(make_cpu_device(1), make_cpu_device(1));
  for (const auto& [first, second] : {std::pair{-1, -2}, {0, 1}}) try {
      const auto a = make_cuda_device(first), b = make_cuda_device(second);
      found.emplace_back(make_cpu_device(1), a);
      found.emplace_back(a, b);
    } catch (const Error&) {
      std::printf("        skipped: GPU devices %d and %d are not here\n", first, second);
    }
  return found;
}

NTTF_TEST("two sides give, take and join rows in the order of both queues") {
  constexpr std::size_t kN = 64, kRows = 5, kFirst = 2;
  for (const auto& [one, two] : pairs()) {
    const auto a = one->make_queue(), b = two->make_queue();
    Meeting meeting(*a, *b);
    Words whole(2 * kRows * kN), given(kN, 7);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = 1000 + i;
    Words found[2], passed;
    const auto side = [&](std::size_t number, const Queue& queue) {
      const Meeting::Side self(meeting, number);
      const std::size_t first = number == 0 ? 0 : kFirst, count = number == 0 ? kFirst : kRows - kFirst;
      DeviceArray own = queue.allocate(2 * count * kN), all = queue.allocate(2 * kRows * kN);
      for (int round = 0; round < 3; ++round) {
        DeviceArray x = queue.allocate(kN);
        if (number == 0) {
          queue.upload(given, x.data());
          self.give(x.data());
          queue.fill_zero(x.data(), kN);  // the other side has them
        } else {
          self.take(x.data(), kN);
          passed.resize(kN);
          queue.download(x.data(), passed);
        }
        for (std::size_t p = 0; p < 2; ++p)
          queue.upload(std::span(whole).subspan((p * kRows + first) * kN, count * kN),
                       own.data() + p * count * kN);
        self.join(own, own.data(), first, count, all.data(), kRows, 2, kN);
        self.meet();
        queue.fill_zero(own.data(), 2 * count * kN);
      }
      found[number].resize(whole.size());
      queue.download(all.data(), found[number]);
    };
    std::thread other([&] { side(1, *b); });
    side(0, *a);
    other.join();
    NTTF_CHECK(found[0] == whole && found[1] == whole && passed == given);
  }
}

NTTF_TEST("whoever waits for a side that has given up is told") {
  const auto queue = make_cpu_device(1)->make_queue();
  Meeting meeting(*queue, *queue);
  DeviceArray x = queue->allocate(8);
  bool told = false;
  std::thread other([&] {
    try {
      Meeting::Side(meeting, 1).take(x.data(), 8);
    } catch (const GivenUp&) {
      told = true;
    }
  });
  meeting.give_up(0);
  other.join();
  NTTF_CHECK(told);
}

}  // namespace
}  // namespace nttforge::multi
