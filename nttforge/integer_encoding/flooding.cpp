// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/flooding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/integer_encoding/budget.hpp"
#include "nttforge/random/samplers.hpp"

namespace nttforge::integer_encoding {
namespace {

constexpr Domain kFlooding{11};

/// What flooding is a multiple of, so that it changes no message.
std::uint64_t unit(const IntegerContext& context) { return context.t() / context.budget_scale(); }

std::string bits_text(double bits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", bits);
  return text;
}

/// Residues [limbs][n] of u (x - F), x uniform in [0, 2 F), for coefficient after coefficient.
__attribute__((noinline)) void sample(const RingTables& ring, std::uint64_t unit, unsigned log2_f,
                                      const StreamName& name, std::span<std::uint64_t> out) {
  const std::size_t words = log2_f / 64 + 1, n = ring.n();  // log2_f + 1 bits
  const std::uint64_t mask = ~std::uint64_t{0} >> (63 - log2_f % 64);
  const auto& moduli = ring.spec().moduli;
  std::vector<Modulus> primes;
  std::vector<std::uint64_t> half;
  for (const std::uint64_t q : moduli) {
    primes.emplace_back(q);
    half.push_back(primes.back().pow(2, log2_f));
  }
  SecretVector<std::uint64_t> stream(words * n);
  stream_words(name, 0, 0, stream);
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 1024 == 0) poll_interrupt();
    const auto x = std::span(stream).subspan(i * words, words);
    x[words - 1] &= mask;
    for (std::size_t j = 0; j < primes.size(); ++j) {
      const Modulus& q = primes[j];
      std::uint64_t residue = 0;
      for (std::size_t w = words; w-- > 0;) residue = q.reduce128(static_cast<u128>(residue) << 64 | x[w]);
      out[j * n + i] = q.mul(q.sub(residue, half[j]), q.reduce(unit));
    }
  }
}

}  // namespace

unsigned flooding_log2(const IntegerContext& context, std::size_t level) {
  const double limit =
      context.noise_model().limit_log2(level) - std::log2(static_cast<double>(unit(context)));
  return static_cast<unsigned>(std::max(0.0, std::floor(limit) - 1));
}

double shared_budget_bits(const IntegerContext& context, unsigned security_bits) {
  return security_bits + std::log2(static_cast<double>(context.n())) + 2;
}

void require_room_for_flooding(const Ciphertext& ciphertext, unsigned security_bits, NoiseBound bound,
                               std::optional<double> stated) {
  if (security_bits < kLeastSharedBits || security_bits > kMostSharedBits)
    throw ParameterError("security_bits = " + std::to_string(security_bits) + " is out of range [" +
                         std::to_string(kLeastSharedBits) + ", " + std::to_string(kMostSharedBits) + "]");
  const auto context = context_as<IntegerContext>(ciphertext.context(), "ciphertext");
  const bool proved = bound == NoiseBound::proved;
  auto budget = proved ? proved_noise_budget_bits(ciphertext) : predicted_noise_budget_bits(ciphertext);
  if (stated.has_value()) budget = stated;
  if (!budget.has_value())
    throw NoiseError(proved ? "ciphertext: nothing is proved of its noise, as bytes prove nothing; state the "
                              "budget that the computation leaves, from your own run of it "
                              "(proved_bits = f(x).proved_noise_budget_bits), or rely on what its maker "
                              "predicted (bound = \"heuristic\")"
                            : "ciphertext: nothing is known of its noise; have it written with its noise "
                              "(to_bytes(noise=True))");
  const double needed = shared_budget_bits(*context, security_bits);
  if (*budget >= needed) return;
  throw NoiseError(
      "ciphertext: its " +
      std::string(stated.has_value() ? "stated"
                  : proved           ? "proved"
                                     : "predicted") +
      " noise budget is " + bits_text(*budget) + " bits and an answer to be shared needs " +
      bits_text(needed) + " (" + std::to_string(security_bits) +
      " of security_bits, the rest for n = " + std::to_string(context->n()) +
      "); use parameters with more room, fewer operations or fewer security_bits" +
      (proved && !stated.has_value() ? ", or rely on the prediction (bound = \"heuristic\")" : ""));
}

Ciphertext flooded(const Ciphertext& ciphertext, const Seed& seed) {
  const StackWipe wipe(StackDepth::deep);
  const auto context = context_as<IntegerContext>(ciphertext.context(), "ciphertext");
  const RingTables& ring = context->ring_q(ciphertext.level());
  const Queue& queue = context->queue();
  Ciphertext result = ciphertext;
  SecretVector<std::uint64_t> host(ring.words());
  DeviceArray noise = queue.allocate_secret(ring, 1);
  for (std::size_t e = 0; e < ciphertext.batch(); ++e) {
    sample(ring, unit(*context), flooding_log2(*context, ciphertext.level()),
           {seed, kFlooding, static_cast<std::uint32_t>(e)}, host);
    queue.upload(host, noise.data());
    if (result.form() == Form::values) queue.forward(ring, noise.data(), 1);
    queue.add(ring, result.part(0, e), noise.data(), result.part(0, e), 1);
  }
  result.set_meta(result.meta().computed(Noise::unknown()));
  return result;
}

}  // namespace nttforge::integer_encoding
