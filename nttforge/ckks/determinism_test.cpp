// SPDX-License-Identifier: Apache-2.0
// One seed, one answer: the bytes of every operation on every device.

#include <cstring>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/polynomial.hpp"
#include "nttforge/ckks/testing.hpp"
#include "nttforge/device/testing_reference.hpp"

namespace nttforge::ckks::testing {
namespace {

Seed seed_of(std::uint8_t value) {
  Seed seed;
  seed.bytes.fill(value);
  return seed;
}

/// Checksums of what one computation gives, step by step.
std::vector<std::uint64_t> transcript(const Parameters& parameters, std::shared_ptr<const Device> device) {
  const ContextPtr context = Context::create(parameters, std::move(device));
  const KeyGenerator generator(context, seed_of(1));
  const Evaluator e(context);
  const RelinearizationKey key = generator.relinearization_key();
  const RotationKeys rotations = generator.rotation_keys(std::vector<std::int64_t>{1, 2, -3}, true);
  const std::size_t slots = context->slots();
  Values a(2 * slots), b(slots);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = {static_cast<double>(i % 17) / 19 - 0.4, static_cast<double>(i % 5) / 7 - 0.3};
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = {static_cast<double>(i % 11) / 13 - 0.4, 0.1};
  const Plaintext pa(context, a, {.batch = 2}), pb(context, b, {});
  const Encryptor by_public(generator.public_key()), by_secret(generator.secret_key());
  const Ciphertext x = by_public.encrypt(pa, seed_of(2), 0), y = by_secret.encrypt(pb, seed_of(3), 0);
  const Ciphertext three = e.multiply(x, y), product = e.multiply_relinearize(x, y, key);
  const std::int64_t steps[] = {1, 2};
  std::vector<Ciphertext> results = {x,
                                     y,
                                     three,
                                     product,
                                     e.relinearize(three, key),
                                     e.rescale(three),
                                     e.add(product, x),
                                     e.sub(x, three),
                                     e.mod_switch_to(x, 1),
                                     e.multiply_plain(x, pb),
                                     e.add_plain(x, pb),
                                     e.multiply_constant(x, {0.3, -0.7}),
                                     e.add_constant(x, {0.25, 0.5}),
                                     e.multiply_by_i(product),
                                     e.multiply_integer(x, -7),
                                     e.rotate_rows(x, -3, rotations),
                                     e.conjugate(product, rotations),
                                     e.inner_sum(y, 4, rotations),
                                     evaluate_chebyshev(e, x, std::vector<double>{0.1, 0.2, 0.3, 0.05}, key)};
  for (const Ciphertext& rotated : e.rotate_many(x, steps, rotations)) results.push_back(rotated);
  Diagonals matrix{slots, {}};
  for (const std::size_t d : {std::size_t{0}, std::size_t{1}, slots - 3}) matrix.of_step[d] = b;
  const LinearTransform map(context, matrix, x.level(), {{0, 1}, {0, -3}});
  results.push_back(map.apply(e, x, rotations));
  std::vector<std::uint64_t> checksums;
  for (const Ciphertext& result : results) checksums.push_back(checksum64(to_bytes(result)));
  const Decryptor decryptor(generator.secret_key());
  for (const Ciphertext& result : {x, product, three}) {
    const Values values = decryptor.decrypt(result);
    std::vector<std::uint8_t> bytes(values.size() * sizeof values[0]);
    std::memcpy(bytes.data(), values.data(), bytes.size());
    checksums.push_back(checksum64(bytes));
  }
  return checksums;
}

std::uint64_t checksum_of_bootstrap(const BootstrapSet& set, std::shared_ptr<const Device> device) {
  const ContextPtr context = Context::create(set.parameters, std::move(device));
  const KeyGenerator generator(context, seed_of(4));
  const Bootstrapper bootstrapper(context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(generator, seed_of(5));
  Values a(context->slots());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = {static_cast<double>(i % 7) / 9 - 0.3, 0.2};
  const Encryptor encryptor(generator.public_key());
  std::vector<Ciphertext> elements;
  std::vector<const Ciphertext*> all;
  // Elements of a batch share what maps read in words of 32 bits.
  for (std::uint32_t i = 0; i < (set.parameters.word_bits == 32 && !set.options.small_keys ? 3u : 1u); ++i)
    elements.push_back(encryptor.encrypt(Plaintext(context, a, {}), seed_of(6), i));
  for (const Ciphertext& element : elements) all.push_back(&element);
  const std::size_t iterations = set.options.small_keys ? 2 : 1;
  return checksum64(
      to_bytes(bootstrapper.bootstrap(Evaluator(context), Ciphertext::stack(all), keys, 0, iterations)));
}

BootstrapSet with_small_keys(const char* name) {
  BootstrapSet set = bootstrap_preset(name, 7);
  set.options.small_keys = true;
  return set;
}

std::vector<std::shared_ptr<const Device>> devices() {
  std::vector<std::shared_ptr<const Device>> result = nttforge::testing::gpu_devices();
  result.push_back(nttforge::testing::make_reference_device());
  for (const Target target : kAllTargets)
    if (target_available(target))
      for (const unsigned threads : {1u, 2u}) result.push_back(make_cpu_device(threads, target));
  return result;
}

NTTF_TEST("ckks: the same bytes on the reference device, every target and thread count, and GPUs") {
  for (const Parameters& parameters : {small_parameters(64, 3, 40, 2), small_parameters(32, 2, 50),
                                       window_parameters(64), window_parameters(32, 2)}) {
    const std::vector<std::uint64_t> expected = transcript(parameters, make_cpu_device(1));
    for (const auto& device : devices()) NTTF_CHECK(transcript(parameters, device) == expected);
  }
  for (const BootstrapSet& set :
       {BootstrapSet{bootstrap_parameters(128, 1, 2, 10), {.to_slots = {3, 3}, .to_coefficients = {3, 3}}},
        bootstrap_preset("boot16_40", 7), bootstrap_preset("boot16w_40", 7),
        bootstrap_preset("boot15w_30", 7), with_small_keys("boot16w_40"), with_small_keys("boot16_51")}) {
    const std::uint64_t expected = checksum_of_bootstrap(set, make_cpu_device(1));
    for (const auto& device : devices()) NTTF_CHECK_EQ(checksum_of_bootstrap(set, device), expected);
  }
}

NTTF_TEST("ckks: frozen bytes, which every later release must write and read") {
  std::uint64_t all = 0;
  for (const std::uint64_t checksum : transcript(window_parameters(32, 2), make_cpu_device(1)))
    all = all * 0x9E3779B97F4A7C15u + checksum;
  NTTF_CHECK_EQ(all, std::uint64_t{8964408216800028356u});
}

}  // namespace
}  // namespace nttforge::ckks::testing
