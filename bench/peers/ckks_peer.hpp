// SPDX-License-Identifier: Apache-2.0
#pragma once

// CKKS of another library beside ours: one thread, the same ring, scale, depth and message, each with the
// special primes that serve it best, timed by turns.

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "bench/ckks_message.hpp"
#include "bench/peers/peer.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/ckks/ckks.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bench {

struct CkksSet {
  std::size_t n;
  unsigned scale_bits, lowest_bits, special_bits;
  std::size_t depth;
};

/// The recommended sets of ours, as primes of one size a level and one special prime.
inline constexpr CkksSet kCkksSets[] = {
    {8192, 36, 46, 50, 3}, {16384, 40, 50, 50, 7}, {32768, 40, 55, 57, 16}, {65536, 40, 60, 60, 33}};

/// What the square of message() is, turned by one slot: every library's answer before it is timed.
inline void require_turned_square(const Numbers& found, std::size_t slots, const char* library) {
  const Numbers a = message(slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const std::complex<double> value = a[(i + 1) % slots];
    if (!(std::abs(found[i] - value * value) < 1e-4)) throw Error(std::string(library) + ": wrong result");
  }
}

/// Operations of ours on one set, by name.
class OurCkks {
 public:
  explicit OurCkks(const CkksSet& set)
      : context_(ckks::Context::create(ckks::Parameters::preset(set.n, set.scale_bits), make_cpu_device(1))),
        generator_(context_),
        encryptor_(generator_.public_key()),
        decryptor_(generator_.secret_key()),
        evaluator_(context_),
        relinearization_(generator_.relinearization_key()),
        rotations_(generator_.rotation_keys(std::vector<std::int64_t>{1})),
        message_(message(context_->slots())),
        plain_(context_, message_, {}),
        x_(encryptor_.encrypt(plain_)),
        low_(evaluator_.mod_switch_to(x_, 1)) {
    const auto square = evaluator_.multiply_relinearize(x_, x_, relinearization_);
    require_turned_square(decryptor_.decrypt(evaluator_.rotate_rows(square, 1, rotations_)),
                          context_->slots(), "nttforge");
  }

  std::string describe() const { return context_->parameters().describe(); }
  void run(const std::string& operation) const {
    if (operation == "encode") ckks::Plaintext(context_, message_, {.form = Form::values});
    if (operation == "encrypt (public key)") encryptor_.encrypt(plain_);
    if (operation == "decrypt and decode, lowest level") decryptor_.decrypt(low_);
    if (operation == "multiply, relinearize, rescale")
      evaluator_.multiply_relinearize(x_, x_, relinearization_);
    if (operation == "rotate") evaluator_.rotate_rows(x_, 1, rotations_);
  }

 private:
  ckks::ContextPtr context_;
  rlwe::KeyGenerator generator_;
  ckks::Encryptor encryptor_;
  ckks::Decryptor decryptor_;
  ckks::Evaluator evaluator_;
  rlwe::RelinearizationKey relinearization_;
  rlwe::RotationKeys rotations_;
  Numbers message_;
  ckks::Plaintext plain_;
  rlwe::Ciphertext x_, low_;
};

/// Times one operation of a peer, by turns with ours.
inline void compare_ckks(PeerReport& report, const std::string& library, const CkksSet& set,
                         const OurCkks& ours, const std::string& operation,
                         const std::function<void()>& theirs, double seconds) {
  const auto runs = static_cast<std::size_t>(std::max(3.0, seconds * 100));
  const ByTurns turns = measure_by_turns(theirs, [&] { ours.run(operation); }, runs, 1000);
  std::printf("%-10s n = %-6zu scale 2^%u  %-34s %10.1f us, nttforge %10.1f us: %.2f x\n", library.c_str(),
              set.n, set.scale_bits, operation.c_str(), turns.first.min_ns / 1e3, turns.second.min_ns / 1e3,
              turns.ratio);
  std::fflush(stdout);
  for (const bool own : {false, true}) {
    Json row = Json::object();
    row.set("kind", "ckks");
    row.set("library", own ? "nttforge" : library);
    row.set("beside", own ? library : "nttforge");
    row.set("n", set.n);
    row.set("scale_bits", set.scale_bits);
    row.set("depth", set.depth);
    row.set("operation", operation);
    row.set("threads", 1);
    if (!own) row.set("ratio", turns.ratio);
    report.add(std::move(row), own ? turns.second : turns.first);
  }
}

}  // namespace nttforge::bench
