// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/runtime/staging.hpp"

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "nttforge/base/testing.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan/testing_plans.hpp"

namespace nttforge::cuda {
namespace {

std::vector<std::uint8_t> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> result(bytes);
  for (std::size_t i = 0; i < bytes; ++i) result[i] = static_cast<std::uint8_t>((i * 131 + i / 251) ^ seed);
  return result;
}

/// Whether bytes come back, in pieces that follow each other.
bool round_trip(int device, std::size_t bytes, unsigned seed) {
  Staging& staging = Staging::of(device);
  const std::vector<std::uint8_t> expected = pattern(bytes, seed);
  const CudaBuffer there(device, bytes);
  std::size_t next = 0;
  staging.upload(there.data(), bytes, nullptr, [&](void* piece, std::size_t first, std::size_t size) {
    if (first == next && first % 65536 == 0 && size <= Staging::kPieceBytes) next += size;
    std::memcpy(piece, expected.data() + first, size);
  });
  std::vector<std::uint8_t> back(bytes);
  staging.download(there.data(), bytes, nullptr, [&](const void* piece, std::size_t first, std::size_t size) {
    std::memcpy(back.data() + first, piece, size);
  });
  return next == bytes && back == expected;
}

NTTF_TEST("staging: sizes around pieces, several threads, a writer that fails") {
  for (const int device : testing_plans::places()) {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{65535}, std::size_t{65537},
                                    4 * Staging::kPieceBytes, 9 * Staging::kPieceBytes + 12345})
      NTTF_CHECK(round_trip(device, bytes, 7));
    std::vector<std::thread> threads;
    std::atomic<unsigned> failed{0};
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        for (unsigned k = 0; k < 5; ++k) failed += !round_trip(device, 300000 + 1000 * i, i);
      });
    for (std::thread& thread : threads) thread.join();
    NTTF_CHECK_EQ(failed.load(), 0u);

    const CudaBuffer there(device, 1 << 20);
    std::size_t pieces = 0;
    NTTF_CHECK_THROWS(Staging::of(device).upload(there.data(), 1 << 20, nullptr,
                                                 [&](void*, std::size_t, std::size_t) {
                                                   if (++pieces == 2) throw std::runtime_error("no more");
                                                 }),
                      std::runtime_error, "no more");
    NTTF_CHECK(round_trip(device, 1 << 20, 3));
  }
}

NTTF_TEST("staging: an answer is zero unless it is written") {
  for (const int device : testing_plans::places()) {
    Staging& staging = Staging::of(device);
    NTTF_CHECK_EQ(staging.answer(nullptr, [](std::uint64_t*) {}), 0u);
    const std::uint64_t value = 0x123456789;
    const std::uint64_t found = staging.answer(nullptr, [&](std::uint64_t* word) {
      runtime_of(device).copy(device, word, &value, sizeof value, nullptr);
    });
    NTTF_CHECK_EQ(found, value);
    NTTF_CHECK_EQ(staging.answer(nullptr, [](std::uint64_t*) {}), 0u);
  }
}

}  // namespace
}  // namespace nttforge::cuda
