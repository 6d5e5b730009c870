// SPDX-License-Identifier: Apache-2.0
// Rotations that share a decomposition or are composed of steps with a key, linear maps by diagonals,
// evaluation keys as one object, contexts without a device, ciphertexts from bytes by name.

#include <list>
#include <numeric>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/integer_encoding/testing_bytes.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::bfv {
namespace {

using testing::Party;
using testing::Rng;
using testing::Values;

constexpr std::size_t kN = 256, kRow = kN / 2;
constexpr std::uint64_t kT = 7681;  // = 1 (mod 512)

Values rotated(const Values& slots, std::int64_t step) {
  Values result(slots.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t row = i / kRow * kRow;
    result[i] =
        slots[row + static_cast<std::size_t>(static_cast<std::int64_t>(i - row + kRow) + step) % kRow];
  }
  return result;
}

/// Sets with digits of one prime and of several, on a CPU and by the GPU's kernels.
std::list<Party> parties() {
  std::list<Party> result;
  std::vector<std::shared_ptr<const Device>> devices = {make_cpu_device(1), make_cpu_device(3)};
  for (const auto& device : nttforge::testing::gpu_devices()) devices.push_back(device);
  for (const auto& device : devices) {
    result.emplace_back(testing::small_parameters(kN, kT, 4), device);
    result.emplace_back(testing::hybrid_parameters(kN, kT, 5, 45, 2, 2), device);
  }
  return result;
}

NTTF_TEST("rotate_many decrypts to what single rotations give, with the same bound, on batches too") {
  Rng rng;
  const std::vector<std::int64_t> steps = {1, 0, -3, 64, 127, 1};
  std::vector<std::vector<std::uint64_t>> words(2);
  for (std::size_t p = 0; const Party& party : parties()) {
    const RotationKeys keys = party.generator.rotation_keys(steps);
    const BatchEncoder encoder(party.context);
    Values values(3 * kN);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = (i * i + 5) % kT;
    const Ciphertext x = party.encryptor.encrypt(encoder.encode(values, 3), testing::test_seed(9), 0);
    const std::vector<Ciphertext> many = party.evaluator.rotate_many(x, steps, keys);
    NTTF_CHECK_EQ(many.size(), steps.size());
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Ciphertext single = party.evaluator.rotate_rows(x, steps[i], keys);
      NTTF_CHECK(many[i].noise() == single.noise());
      NTTF_CHECK(party.decryptor.noise_budget_bits(many[i]) >= *predicted_noise_budget_bits(many[i]));
      const Values got = encoder.decode(party.decryptor.decrypt(many[i]));
      for (std::size_t e = 0; e < 3; ++e)
        NTTF_CHECK(
            Values(got.begin() + std::ptrdiff_t(e * kN), got.begin() + std::ptrdiff_t((e + 1) * kN)) ==
            rotated({values.begin() + std::ptrdiff_t(e * kN), values.begin() + std::ptrdiff_t((e + 1) * kN)},
                    steps[i]));
      const auto residues = many[i].residues();
      all.insert(all.end(), residues.begin(), residues.end());
    }
    // The words are the same on every device and with any number of threads.
    std::vector<std::uint64_t>& first = words[p++ % 2];
    if (first.empty()) first = all;
    NTTF_CHECK(first == all);
  }
}

NTTF_TEST("rotate_many names all keys that are missing, and refuses three parts and coefficients") {
  const Party party(testing::small_parameters(kN, kT, 4), make_cpu_device(1));
  const RotationKeys keys = party.generator.rotation_keys(std::vector<std::int64_t>{1});
  const Ciphertext x = party.encryptor.encrypt(BatchEncoder(party.context).encode(Values{1, 2}));
  NTTF_CHECK_THROWS(party.evaluator.rotate_many(x, std::vector<std::int64_t>{5, 1, -2}, keys),
                    MissingKeyError, "lacks keys for the steps: -2, 5; steps with a key: 1");
  NTTF_CHECK_THROWS(party.evaluator.rotate_many(x, std::vector<std::int64_t>{5}, RotationKeys()),
                    MissingKeyError, "there are no rotation keys");
  NTTF_CHECK_THROWS(
      party.evaluator.rotate_many(party.evaluator.square(x), std::vector<std::int64_t>{1}, keys),
      ParameterError, "relinearize it first");
  NTTF_CHECK_THROWS(party.evaluator.rotate_many(x, std::vector<std::int64_t>{128}, keys), ParameterError,
                    "rotation step = 128 is out of range");
}

NTTF_TEST("a linear map is its sum of rotations times factors") {
  Rng rng;
  const std::vector<std::int64_t> babies = {0, 1, 3}, giants = {-4, 0, 60};
  std::vector<std::vector<std::uint64_t>> words(2);
  for (std::size_t p = 0; const Party& party : parties()) {
    const BatchEncoder encoder(party.context);
    Values factors(babies.size() * giants.size() * kN), x(2 * kN), expected(2 * kN, 0);
    for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = (i * 77 + 3) % kT;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i * i) % kT;
    const Modulus t(kT);
    for (std::size_t e = 0; e < 2; ++e) {
      const Values one(x.begin() + std::ptrdiff_t(e * kN), x.begin() + std::ptrdiff_t((e + 1) * kN));
      for (std::size_t g = 0; g < giants.size(); ++g) {
        Values sum(kN, 0);
        for (std::size_t j = 0; j < babies.size(); ++j) {
          const Values turned = rotated(one, babies[j]);
          for (std::size_t i = 0; i < kN; ++i)
            sum[i] = t.add(sum[i], t.mul(factors[(g * babies.size() + j) * kN + i], turned[i]));
        }
        const Values moved = rotated(sum, giants[g]);
        for (std::size_t i = 0; i < kN; ++i) expected[e * kN + i] = t.add(expected[e * kN + i], moved[i]);
      }
    }
    const LinearMap map(babies, giants,
                        prepare_factors(encoder.encode(factors, babies.size() * giants.size())));
    NTTF_CHECK(map.rotations() == (std::vector<std::int64_t>{-4, 1, 3, 60}));
    const RotationKeys keys = party.generator.rotation_keys(map.rotations());
    const Ciphertext y = apply(party.evaluator, map,
                               party.encryptor.encrypt(encoder.encode(x, 2), testing::test_seed(3), 0), keys);
    NTTF_CHECK_EQ(y.batch(), std::size_t{2});
    NTTF_CHECK(encoder.decode(party.decryptor.decrypt(y)) == expected);
    NTTF_CHECK(party.decryptor.noise_budget_bits(y) >= *predicted_noise_budget_bits(y));
    std::vector<std::uint64_t>& first = words[p++ % 2];
    if (first.empty()) first = y.residues();
    NTTF_CHECK(first == y.residues());
    NTTF_CHECK_THROWS(
        apply(party.evaluator, map, y, party.generator.rotation_keys(std::vector<std::int64_t>{1})),
        MissingKeyError, "the linear map lacks keys for the steps: -4, 3, 60");
    NTTF_CHECK_THROWS(LinearMap({0}, {0, 1}, map.factors()), SizeError, "a batch of 9");
    NTTF_CHECK_THROWS(LinearMap({}, {}, map.factors()), SizeError, "one of each at least");
  }
}

NTTF_TEST("evaluation keys are one object of bytes with either part or both") {
  const Party party(testing::small_parameters(kN, kT, 2), make_cpu_device(1));
  const RelinearizationKey relinearization = party.generator.relinearization_key();
  const RotationKeys rotations = party.generator.rotation_keys(std::vector<std::int64_t>{1, -5}, true);
  for (const auto& [first, second] :
       {std::pair(true, true), std::pair(true, false), std::pair(false, true)}) {
    EvaluationKeys keys;
    if (first) keys.relinearization = relinearization;
    if (second) keys.rotations = rotations;
    const std::vector<std::uint8_t> bytes = to_bytes(keys);
    const EvaluationKeys read = evaluation_keys_from_bytes(party.context, bytes);
    NTTF_CHECK_EQ(read.relinearization.empty(), !first);
    NTTF_CHECK_EQ(read.rotations.empty(), !second);
    NTTF_CHECK(to_bytes(read) == bytes);
    const ObjectSizes sizes = party.context->parameters().serialized_sizes();
    NTTF_CHECK_EQ(bytes.size(), sizes.evaluation_keys_frame + (first ? sizes.relinearization_key - 40 : 0) +
                                    (second ? sizes.rotation_keys_frame - 40 + 3 * sizes.rotation_key : 0));
    for (std::size_t cut = 0; cut < bytes.size(); cut += 1 + bytes.size() / 50)
      NTTF_CHECK_THROWS(evaluation_keys_from_bytes(party.context, std::span(bytes).first(cut)), FormatError,
                        "");
    NTTF_CHECK_THROWS(relinearization_key_from_bytes(party.context, bytes), FormatError,
                      "the bytes hold evaluation keys, expected relinearization key");
  }
  NTTF_CHECK_THROWS(to_bytes(EvaluationKeys()), ContextError, "evaluation keys is empty");
}

}  // namespace
}  // namespace nttforge::bfv

namespace nttforge::bfv::testing {
namespace {

using Steps = std::vector<std::int64_t>;

NTTF_TEST("composed rotations: fewest steps, the slots of one rotation, the noise of all") {
  const Party party(small_parameters(32, 193, 3, 45), make_cpu_device(1));
  const auto powers = party.generator.rotation_keys(Steps{1, 2, 4, 8});
  const auto all = party.generator.rotation_keys(Steps{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7});
  NTTF_CHECK(powers.composed(0) == Steps{} && powers.composed(8) == Steps{8});
  NTTF_CHECK((powers.composed(7) == Steps{1, 2, 4}) && (powers.composed(-1) == Steps{1, 2, 4, 8}));
  NTTF_CHECK((party.generator.rotation_keys(Steps{3, -1}).composed(5) == Steps{-1, 3, 3}));
  const BatchEncoder encoder(party.context);
  Rng rng;
  const Ciphertext x = party.encryptor.encrypt(encoder.encode(random_values(rng, 32, 193)));
  for (std::int64_t step = -15; step < 16; ++step) {
    const Steps found = powers.composed(step);
    NTTF_CHECK_EQ((std::accumulate(found.begin(), found.end(), std::int64_t{0}) - step) % 16, 0);
    const Ciphertext composed = party.evaluator.rotate_composed(x, step, powers);
    NTTF_CHECK(party.decryptor.decrypt(composed) ==
               party.decryptor.decrypt(party.evaluator.rotate_rows(x, step, all)));
    NTTF_CHECK(party.decryptor.noise_budget_bits(composed) >= *predicted_noise_budget_bits(composed));
  }
  const auto even = party.generator.rotation_keys(Steps{2, 4});
  NTTF_CHECK_THROWS(party.evaluator.rotate_composed(x, 3, even), MissingKeyError,
                    "rotation step 3 is no sum of steps with a key: 2, 4; make a key for it");
  NTTF_CHECK_THROWS(party.evaluator.rotate_composed(x, 3, RotationKeys()), MissingKeyError,
                    "there are no rotation keys");
  NTTF_CHECK_THROWS(powers.composed(16), ParameterError, "step");
  NTTF_CHECK_THROWS(
      party.evaluator.rotate_composed(party.encryptor.encrypt_zero(Encoding::coefficients), 1, powers),
      ParameterError, "slots");
}

NTTF_TEST("a context without a device computes on the CPU, and a ciphertext reads its bytes") {
  const ContextPtr context = Context::create(small_parameters(16, 97));
  NTTF_CHECK_EQ(context->device().memory_space(), make_cpu_device()->memory_space());
  const Party party(context);
  const Ciphertext x = party.encryptor.encrypt_zero(Encoding::slots);
  NTTF_CHECK(Ciphertext::from_bytes(context, to_bytes(x)) == x);
  NTTF_CHECK_THROWS(Ciphertext::from_bytes(context, Bytes(8)), FormatError, "too few");
}

}  // namespace
}  // namespace nttforge::bfv::testing
