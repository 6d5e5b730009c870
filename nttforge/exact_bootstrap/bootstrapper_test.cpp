// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/testing.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/exact_bootstrap/presets.hpp"

namespace nttforge::exact_bootstrap::testing {
namespace {

using namespace integer_encoding::testing;  // NOLINT

template <class Scheme>
void measure(const char* name, std::uint64_t t, unsigned passes, unsigned log_n) {
  const BootstrapSet set = bootstrap_preset(name, t, passes, log_n);
  const auto p = Scheme::Parameters::custom(set.n, t, set.q, set.special, set.security);
  const auto device = make_cpu_device(std::getenv("THREADS") ? std::atoi(std::getenv("THREADS")) : 1);
  PartyOf<Scheme> party(p, device);
  const Bootstrapper b(party.context, set.options);
  std::printf("%s\nchain %s\n", p.describe().c_str(), b.chain()->parameters().describe().c_str());
  std::printf(
      "entry %.2f sine %.2f exit %.2f fit %.2f, P %.2f, last gain %u, full %.2f budget %.2f, keys %.3f GB, "
      "fails 2^%.1f\n",
      std::log2(b.plan().precision().entry), std::log2(b.plan().precision().sine),
      std::log2(b.plan().precision().exit), std::log2(b.plan().precision().fit), -b.plan().error_log2(),
      b.plan().last_gain_log2(), b.full_budget_bits(), b.budget_bits(),
      static_cast<double>(b.keys_bytes()) / 1e9, b.plan().failure_log2());
  const BootstrapKeys keys = b.make_keys(party.generator.secret_key());
  Rng rng;
  Values m = random_values(rng, set.n, t);
  Ciphertext x = party.encryptor.encrypt(CoefficientEncoder(party.context).encode(m));
  std::printf("  before %.2f said %.2f\n", party.decryptor.noise_budget_bits(x),
              *predicted_noise_budget_bits(x));
  for (const double budget : {40.0, b.full_budget_bits()}) {
    const Ciphertext y = b.bootstrap(x, keys, budget);
    const Plaintext d = party.decryptor.decrypt(y);
    NTTF_CHECK(CoefficientEncoder(party.context).decode(d) == m);
    std::printf("  after %.2f said %.2f proved %.2f\n", party.decryptor.noise_budget_bits(y),
                *predicted_noise_budget_bits(y), proved_noise_budget_bits(y).value_or(-1));
    for (auto& pass : b.plan().passes(budget)) std::printf("   %u %.2f\n", pass.gain_log2, pass.budget_bits);
  }
}

struct Bgv {
  using Parameters = bgv::Parameters;
  using Context = bgv::Context;
  using Evaluator = bgv::Evaluator;
};

NTTF_TEST("exact bootstrap: try") {
  const char* name = std::getenv("NAME");
  const char* log_n = std::getenv("LOG_N");
  const char* t = std::getenv("T");
  const char* k = std::getenv("K");
  measure<bfv::testing::Bfv>(name ? name : "exact16", t == nullptr ? 65537 : std::strtoull(t, nullptr, 10),
                             k ? std::atoi(k) : 0, log_n ? std::atoi(log_n) : 8);
}

}  // namespace
}  // namespace nttforge::exact_bootstrap::testing
