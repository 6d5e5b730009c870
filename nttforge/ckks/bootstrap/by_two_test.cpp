// SPDX-License-Identifier: Apache-2.0
// One bootstrap on two devices gives the words of one device.

#include <cstdio>
#include <optional>

#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/testing.hpp"

namespace nttforge::ckks::testing {
namespace {

using nttforge::testing::full_tests;
using Words = std::vector<std::uint64_t>;

Words words_of(const Ciphertext& x) {
  Words words(x.words());
  x.context()->queue().download(x.data(), words);
  return words;
}

bool same(const Ciphertext& x, const Ciphertext& y) {
  const Meta &a = x.meta(), &b = y.meta();
  return words_of(x) == words_of(y) && a.numbers == b.numbers && a.scale == b.scale &&
         error_log2(x) == error_log2(y) &&
         error_log2(x, NoiseBound::proved) == error_log2(y, NoiseBound::proved);
}

/// A second device with its bootstrapper, and its part of the keys.
struct Second {
  Second(const Bootstrapper& first, const BootstrapKeys& all, std::shared_ptr<const Device> device)
      : context(Context::create(first.context()->parameters(), std::move(device))),
        bootstrapper(context, first.options()),
        evaluator(context),
        keys(first.keys_of_partner(all, context)) {}
  Partner partner() const { return {bootstrapper, evaluator, keys}; }

  ContextPtr context;
  Bootstrapper bootstrapper;
  Evaluator evaluator;
  BootstrapKeys keys;
};

/// The CPU, and a run of GPU kernels on it, which takes longer.
std::vector<std::shared_ptr<const Device>> devices(bool all) {
  std::vector<std::shared_ptr<const Device>> found{make_cpu_device(1)};
  if (!all) return found;
  try {
    found.push_back(make_cuda_device(-1));
  } catch (const Error&) {
    std::printf("        skipped: the host's run of GPU kernels is not here\n");
  }
  return found;
}

/// Complex and real numbers, with each device as the second one.
void check_words(Rng& rng, const Parameters& parameters, const Bootstrap& options, std::size_t batch = 1,
                 std::size_t iterations = 1, bool all_devices = false) {
  const Party party(parameters);
  const Bootstrapper bootstrapper(party.context, options);
  const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
  const std::size_t slots = bootstrapper.options().slots;
  for (const bool real : {false, true}) {
    const Values a = random_values(rng, slots * batch, 1, real);
    const Ciphertext x = party.evaluator.mod_switch_to(
        party.encrypt(a, {.slots = slots, .real = real, .batch = batch}), bootstrapper.input_level());
    const Ciphertext expected = bootstrapper.bootstrap(party.evaluator, x, keys, 0, iterations);
    for (const auto& device : devices(all_devices || full_tests())) {
      const Second second(bootstrapper, keys, device);
      const Partner partner = second.partner();
      NTTF_CHECK(same(bootstrapper.bootstrap(party.evaluator, x, keys, 0, iterations, &partner), expected));
      NTTF_CHECK(second.keys.to_sparse.empty());
      NTTF_CHECK(second.keys.rotations.elements().size() <= keys.rotations.elements().size());
    }
  }
}

NTTF_TEST("bootstrap by two devices: the words of one, of sets, sparse messages, batches and iterations") {
  Rng rng;
  const unsigned log_n = full_tests() ? 9 : 7;
  for (const char* name : {"boot16w_fast", "boot16_40"}) {
    const BootstrapSet set = bootstrap_preset(name, log_n);
    check_words(rng, set.parameters, set.options, 1, 1, true);
  }
  BootstrapSet set = bootstrap_preset("boot16w_fast", log_n);
  Bootstrap sparse = set.options;
  sparse.slots = 16;
  sparse.to_slots = {1, 1, 1, 1};
  sparse.to_coefficients = {1, 1, 2};
  check_words(rng, set.parameters, sparse, 2);
  set = bootstrap_preset("boot16w_54", log_n);
  check_words(rng, set.parameters, set.options, 1, 2);
  set.options.small_keys = true;
  check_words(rng, set.parameters, set.options);
  Bootstrap last;
  last.to_slots = {3, 3};
  last.to_coefficients = {3, 3};
  check_words(rng, bootstrap_parameters(128, 3, 2, 10), last);
}

NTTF_TEST("bootstrap by two devices: two runs of GPU kernels, and the first one's keys in host memory") {
  std::optional<Party> party;
  const BootstrapSet set = bootstrap_preset("boot16w_40", 7);
  std::shared_ptr<const Device> other;
  try {
    party.emplace(set.parameters, make_cuda_device(-1));
    other = make_cuda_device(-2);
  } catch (const Error&) {
    std::printf("        skipped: the host's run of GPU kernels is not here\n");
    return;
  }
  Rng rng;
  const Bootstrapper bootstrapper(party->context, set.options);
  BootstrapKeys keys = bootstrapper.make_keys(party->generator);
  const Ciphertext x = party->evaluator.mod_switch_to(
      party->encrypt(random_values(rng, party->context->slots())), bootstrapper.input_level());
  const Ciphertext expected = bootstrapper.bootstrap(party->evaluator, x, keys);
  const Second second(bootstrapper, keys, other);
  const Partner partner = second.partner();
  NTTF_CHECK(same(bootstrapper.bootstrap(party->evaluator, x, keys, 0, 1, &partner), expected));
  keys.offload(2);
  NTTF_CHECK(same(bootstrapper.bootstrap(party->evaluator, x, keys, 0, 1, &partner), expected));
}

NTTF_TEST("bootstrap by two devices: a graph of both cards") {
  std::shared_ptr<const Device> home, other;
  try {
    home = make_cuda_device(0);
    other = make_cuda_device(1);
  } catch (const Error&) {
    std::printf("        skipped: there are no two cards here\n");
    return;
  }
  Rng rng;
  const BootstrapSet set = bootstrap_preset("boot16w_fast", 10);
  const Party party(set.parameters, home);
  const Bootstrapper bootstrapper(party.context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
  const Second second(bootstrapper, keys, other);
  const Partner partner = second.partner();
  const Queue& queue = party.context->queue();
  for (const bool real : {false, true}) {
    const Values a = random_values(rng, party.context->slots(), 1, real);
    const Ciphertext x =
        party.evaluator.mod_switch_to(party.encrypt(a, {.real = real}), bootstrapper.input_level());
    const Ciphertext expected = bootstrapper.bootstrap(party.evaluator, x, keys);
    NTTF_CHECK(same(bootstrapper.bootstrap(party.evaluator, x, keys, 0, 1, &partner), expected));
    const auto capture = queue.begin_capture();
    Ciphertext y = bootstrapper.bootstrap(party.evaluator, x, keys, 0, 1, &partner);
    const auto graph = capture->finish();
    for (int round = 0; round < 3; ++round) {
      queue.fill_zero(y.data(), y.words());
      graph->run(queue);
      NTTF_CHECK(same(y, expected));
    }
  }
}

NTTF_TEST("bootstrap by two devices: partners that do not fit are refused, and errors of one side end both") {
  Rng rng;
  const BootstrapSet set = bootstrap_preset("boot15_31", 7);
  const Party party(set.parameters);
  const Bootstrapper bootstrapper(party.context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(party.generator);
  const Ciphertext x = party.evaluator.mod_switch_to(
      party.encrypt(random_values(rng, party.context->slots())), bootstrapper.input_level());
  const auto bootstrap = [&](const Partner& partner, const BootstrapKeys& own) {
    return bootstrapper.bootstrap(party.evaluator, x, own, 0, 1, &partner);
  };
  const Second second(bootstrapper, keys, make_cpu_device(1));
  const Party stranger(bootstrap_preset("boot16_40", 7).parameters);
  const Bootstrapper strange(stranger.context, bootstrap_preset("boot16_40", 7).options);
  NTTF_CHECK_THROWS(bootstrap({strange, stranger.evaluator, second.keys}, keys), ParameterError,
                    "its context has other parameters");
  Bootstrap options = bootstrapper.options();
  options.degree -= 2;
  const Bootstrapper other(second.context, options);
  NTTF_CHECK_THROWS(bootstrap({other, second.evaluator, second.keys}, keys), ParameterError,
                    "its bootstrapper has other options");
  const BootstrapKeys again = bootstrapper.make_keys(KeyGenerator(party.generator.secret_key()));
  NTTF_CHECK_THROWS(bootstrap(second.partner(), again), ParameterError, "its keys are no copy of these");
  NTTF_CHECK_THROWS(bootstrap({second.bootstrapper, second.evaluator, {}}, keys), ParameterError,
                    "its keys are no copy of these");
  BootstrapKeys fewer = second.keys;
  fewer.rotations = RotationKeys(second.context);
  NTTF_CHECK_THROWS(bootstrap({second.bootstrapper, second.evaluator, fewer}, keys), MissingKeyError, "");
}

}  // namespace
}  // namespace nttforge::ckks::testing
