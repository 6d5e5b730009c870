// SPDX-License-Identifier: Apache-2.0
// Encrypted sums of scores from plain C++; client and server exchange bytes. A score is 2 age + 5 smokes +
// age * smokes, a sum is over a ward of eight. docs/encrypted-computing.md explains the steps.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"

namespace {

using namespace nttforge;
using Bytes = std::vector<std::uint8_t>;
using Values = std::vector<std::int64_t>;
constexpr std::size_t kN = 8192, kWard = 8;

struct Request {
  Bytes parameters, relinearization, rotations, age, smokes;
};

// The server holds no secret. Readers check everything; which parameters it takes is its own choice.
Bytes serve(const Request& request) {
  const bfv::Parameters parameters = bfv::parameters_from_bytes(request.parameters);
  if (parameters.n != kN || !parameters.has_batching()) throw ParameterError("not computed here");
  const auto context = bfv::Context::create(parameters);  // on all threads of the CPU
  const auto relinearization = bfv::relinearization_key_from_bytes(context, request.relinearization);
  const auto rotations = bfv::rotation_keys_from_bytes(context, request.rotations);
  const std::vector<bfv::Ciphertext> inputs{bfv::ciphertext_from_bytes(context, request.age),
                                            bfv::ciphertext_from_bytes(context, request.smokes)};
  const bfv::BatchEncoder encoder(context);
  std::vector<bfv::PreparedPlaintext> weights;
  for (const std::int64_t w : {2, 5}) weights.emplace_back(encoder.encode(Values(kN, w)));
  const bfv::Evaluator evaluator(context);
  auto scores = evaluator.multiply_relinearize(inputs[0], inputs[1], relinearization);
  evaluator.add_in_place(scores, evaluator.dot_product(inputs, weights));
  const auto wards = evaluator.inner_sum(scores, kWard, rotations);  // slot i: slots i ... i + 7 of its row
  if (bfv::predicted_noise_budget_bits(wards) <= 0)
    throw ParameterError("too much noise for these parameters");
  return bfv::to_bytes(wards);
}

int run() {
  // t is prime, 1 modulo 2n and above twice the largest sum, 8 (2 * 110 + 5 * 60 + 110 * 60).
  const auto parameters = bfv::Parameters::preset(kN, ntt_primes(kN, 18, 1)[0]);
  const auto context = bfv::Context::create(parameters);
  const bfv::KeyGenerator generator(context);
  const bfv::BatchEncoder encoder(context);
  const bfv::Encryptor encryptor(generator.secret_key());  // others encrypt with generator.public_key()
  Values age(kN), smokes(kN), want(kN / kWard);
  for (std::size_t i = 0; i < kN; ++i) {
    age[i] = static_cast<std::int64_t>(i * i % 111);
    smokes[i] = static_cast<std::int64_t>(i * 7 % 61);
    want[i / kWard] += 2 * age[i] + 5 * smokes[i] + age[i] * smokes[i];
  }
  Request request{bfv::to_bytes(parameters), bfv::to_bytes(generator.relinearization_key()),
                  bfv::to_bytes(generator.inner_sum_keys(kWard)),
                  bfv::to_bytes(encryptor.encrypt(encoder.encode(age))),
                  bfv::to_bytes(encryptor.encrypt(encoder.encode(smokes)))};

  const auto result = bfv::ciphertext_from_bytes(context, serve(request));
  const bfv::Decryptor decryptor(generator.secret_key());
  const Values sums = encoder.decode_signed(decryptor.decrypt(result));  // NoiseError: not to be trusted
  const double budget = decryptor.noise_budget_bits(result);
  bool right = budget > 0;
  for (std::size_t i = 0; i < want.size(); ++i) right = right && sums[i * kWard] == want[i];
  std::printf("first sum %d (%d expected), %.0f bits left (%.0f predicted)\n", static_cast<int>(sums[0]),
              static_cast<int>(want[0]), budget, bfv::predicted_noise_budget_bits(result).value_or(0));

  request.age[100] ^= 1;
  try {
    serve(request);
    right = false;
  } catch (const FormatError& error) {
    std::printf("a damaged request: %s\n", error.what());
  }
  std::printf("%s\n", right ? "as expected" : "NOT as expected");
  return right ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
