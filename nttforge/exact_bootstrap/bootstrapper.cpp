// SPDX-License-Identifier: Apache-2.0
#include "nttforge/exact_bootstrap/bootstrapper.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/rlwe/evaluation/operands.hpp"

namespace nttforge::exact_bootstrap {
namespace {

std::vector<std::uint64_t> residues_of(const BigUint& value, std::span<const std::uint64_t> primes) {
  std::vector<std::uint64_t> result;
  for (const std::uint64_t q : primes) result.push_back(value.mod(q));
  return result;
}

BigUint power_of_two(unsigned exponent) {
  std::vector<std::uint64_t> words(exponent / 64 + 1, 0);
  words.back() = std::uint64_t{1} << (exponent % 64);
  return BigUint::from_words(words);
}

Noise multiplied(Noise noise, double factor_log2) {
  for (double* bound :
       {&noise.coefficient, &noise.canonical, &noise.proved.coefficient, &noise.proved.canonical})
    *bound += factor_log2;
  return noise;
}

/// Residues of -1, 0 and 1, centred. Not inlined, so that it lies below the caller's StackWipe.
__attribute__((noinline)) void centre(std::span<const std::uint64_t> residues, std::uint64_t q,
                                      std::span<std::int64_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint64_t above = std::uint64_t{0} - ((q / 2 - residues[i]) >> 63);  // all ones above q / 2
    out[i] = static_cast<std::int64_t>(residues[i] - (q & above));
  }
}

void require_own(const IntegerContext& context, const BootstrapKeys& keys) {
  if (keys.fingerprint != context.fingerprint())
    throw ContextError("bootstrap keys are for ciphertexts of another context: make them for this one");
}

/// What leads from the ciphertexts' parameters to the chain, as the bytes of keys begin.
ckks::KeyOwner owner_of(const Bootstrapper& bootstrapper) {
  const Options& o = bootstrapper.plan().options();
  const std::size_t digits = bootstrapper.chain()->parameters().digit_primes;
  ckks::KeyOwner owner{bootstrapper.context(),
                       {{"number of primes above those of q", 1, o.primes.size()},
                        {"number of special primes", 1, o.special.size()},
                        {"primes of a digit", 2, digits}}};
  for (const std::uint64_t q : o.primes) owner.fields.push_back({"prime above those of q", 8, q});
  for (const std::uint64_t p : o.special) owner.fields.push_back({"special prime", 8, p});
  return owner;
}

/// The same secret in another context of one n and distribution.
SecretKey secret_in(const RlweContextPtr& to, const SecretKey& secret) {
  const StackWipe wipe(StackDepth::deep);
  const RlweContext& from = *secret.context();
  const RingTables& ring = from.ring_q(from.lowest_level());
  const Queue& queue = from.queue();
  DeviceArray words = queue.allocate_secret(ring, 1);
  queue.copy(secret.data(), words.data(), ring.words());
  queue.inverse(ring, words.data(), 1);
  SecretVector<std::uint64_t> residues(ring.words());
  queue.download(words.data(), residues);
  SecretVector<std::int64_t> small(from.n());
  centre(std::span(residues).first(from.n()), ring.spec().moduli.front(), small);
  return SecretKey(to, small, from.parameters().secret);
}

}  // namespace

Bootstrapper::Bootstrapper(IntegerContextPtr context, Options options)
    : context_(require_context(context)),
      plan_(context_->parameters(), context_->t(), std::move(options)),
      q_log2_(BigUint::product(context_->parameters().q).log2()),
      chain_(ckks::Context::create((plan_.require_primes(), plan_.chain()), context_->shared_device(),
                                   context_->shared_queue())),
      evaluator_(chain_),
      circuit_(chain_, plan_.circuit()) {}

BootstrapKeys Bootstrapper::make_keys(const SecretKey& secret, std::optional<std::size_t> offload) const {
  return make_keys(secret, os_seed(), offload);
}

BootstrapKeys Bootstrapper::make_keys(const SecretKey& secret, const Seed& seed,
                                      std::optional<std::size_t> offload) const {
  require_compatible(*context_, secret.context(), "secret key");
  const KeyGenerator generator(secret_in(chain_, secret), seed);
  return {circuit_.make_keys(generator, seed, offload), context_->fingerprint()};
}

Ciphertext Bootstrapper::lifted(const Ciphertext& a) const {
  const std::size_t top = context_->top_level(), n = context_->n();
  const Ciphertext x = a.in(Form::coefficients);
  if (a.level() == top) return x;
  const std::span<const std::uint64_t> primes = context_->parameters().q;
  const std::span<const std::uint64_t> own = primes.first(a.level());
  const BigUint factor = BigUint::product(primes.subspan(a.level()));
  Meta meta = x.meta().computed(multiplied(x.noise(), factor.log2()));
  meta.level = top;
  // Where the plaintext is a part of the phase, it is multiplied too.
  if (context_->budget_scale() == 1)
    meta.factor = Modulus(context_->t()).mul(meta.factor, factor.mod(context_->t()));
  Ciphertext result(context_, 2, meta, x.batch());
  const Queue& queue = context_->queue();
  const RingTables& ring = context_->ring_q(a.level());
  DeviceArray scaled = queue.allocate(ring, x.polynomials());
  queue.multiply_scalar(ring, x.data(), residues_of(factor, own), scaled.data(), x.polynomials());
  queue.fill_zero(result.data(), result.words());
  for (std::size_t i = 0; i < x.polynomials(); ++i)
    queue.copy(scaled.data() + i * own.size() * n, result.data() + i * top * n, own.size() * n);
  return result;
}

Ciphertext Bootstrapper::noise_of(const Ciphertext& a, unsigned gain, double ratio,
                                  const ckks::BootstrapKeys& keys) const {
  const Queue& queue = context_->queue();  // the chain's too
  const std::span<const std::uint64_t> primes = context_->parameters().q;
  const RingTables& ring = context_->ring_q();
  // The ciphertext of the noise, times 2^gain; divided down to the chain's lowest level.
  DeviceArray words = queue.allocate(ring, a.polynomials());
  queue.multiply_scalar(ring, a.data(), residues_of(power_of_two(gain) * context_->budget_scale(), primes),
                        words.data(), a.polynomials());
  for (std::size_t level = plan_.exit_level(); level > 1; --level) {
    DeviceArray lower = queue.allocate(chain_->ring_q(level - 1), a.polynomials());
    queue.rescale(chain_->drop(level), chain_->ring_q(level), chain_->ring_q(level - 1), words.data(),
                  Form::coefficients, lower.data(), a.polynomials());
    words = std::move(lower);
  }
  Meta meta{{1, Form::coefficients, Encoding::slots}};
  meta.scale = chain_->scale(1);
  meta.slots = static_cast<std::uint32_t>(chain_->slots());
  meta.numbers.bound = Plan::kUnitBits + gain - ratio;
  // The last division's rounding, and what those before it leave of theirs.
  meta.noise = rlwe::rounded(rlwe::times(chain_->noise_model().rounding(), 1.0 / 1024));
  meta.source = NoiseSource::computed;
  Ciphertext low(chain_, 2, meta, a.batch());
  queue.copy(words.data(), low.data(), words.size());
  const Ciphertext high = circuit_.bootstrap(evaluator_, low, keys).in(Form::coefficients);

  Ciphertext result(context_, 2, a.meta().computed(Noise::unknown()), a.batch());
  const BigUint back = power_of_two(plan_.last_gain_log2() - gain + plan_.shift_log2()) *
                       (context_->t() / context_->budget_scale());
  queue.multiply_scalar(ring, high.data(), residues_of(back, primes), result.data(), result.polynomials());
  result.set_noise(multiplied(high.noise(), back.log2()));
  return result;
}

Ciphertext Bootstrapper::bootstrap(const Ciphertext& a, const BootstrapKeys& keys,
                                   std::optional<double> budget) const {
  require_compatible(*context_, a.context(), "a");
  require_two_parts(a, "a");
  require_own(*context_, keys);
  require_compatible(*chain_, keys.relinearization.context(), "bootstrap keys");
  if (!budget.has_value() && !a.noise().known())
    throw NoiseError("a: nothing is known of its noise, as of bytes that do not say; state the budget that " +
                     std::string("is left, if you know it"));
  const IntegerNoiseModel& model = context_->noise_model();
  const double said = model.budget_bits(a.noise(), a.level());
  const std::vector<Pass> passes = plan_.passes(budget.value_or(said));
  Ciphertext x = lifted(a);
  x.set_meta(x.meta().computed(x.noise()));
  const double scale = std::log2(static_cast<double>(context_->budget_scale()));
  double ratio = budget.value_or(said) + 1;
  for (const Pass& pass : passes) {
    poll_interrupt();
    // What is proved of the result needs a proved bound on what is bootstrapped.
    const double proved = q_log2_ - scale - x.noise().proved.coefficient;
    const bool is_proved = proved - pass.gain_log2 >= Plan::kLeastRatio;
    const Ciphertext noise = noise_of(x, pass.gain_log2, is_proved ? std::min(proved, ratio) : ratio, keys);
    context_->queue().sub(context_->ring_q(), x.data(), noise.data(), x.data(), x.polynomials());
    x.set_noise(plan_.noise_after(ratio, pass.gain_log2, context_->budget_scale(),
                                  is_proved ? noise.noise().proved : ProvedNoise{}));
    ratio = pass.budget_bits + 1;
  }
  return x.in(context_->form());
}

std::uint64_t serialized_size(const Bootstrapper& bootstrapper) {
  return ckks::serialized_size(bootstrapper.circuit(), owner_of(bootstrapper));
}

std::vector<std::uint8_t> to_bytes(const Bootstrapper& bootstrapper, const BootstrapKeys& keys) {
  require_own(*bootstrapper.context(), keys);
  return ckks::to_bytes(bootstrapper.circuit(), keys, owner_of(bootstrapper));
}

void write(const Bootstrapper& bootstrapper, const BootstrapKeys& keys, const rlwe::WriteBytes& to,
           const rlwe::ByteProgress& progress) {
  require_own(*bootstrapper.context(), keys);
  ckks::write(bootstrapper.circuit(), keys, to, progress, owner_of(bootstrapper));
}

BootstrapKeys bootstrap_keys_from_bytes(const Bootstrapper& bootstrapper, std::span<const std::uint8_t> bytes,
                                        std::optional<std::size_t> offload) {
  return {ckks::bootstrap_keys_from_bytes(bootstrapper.circuit(), bytes, offload, owner_of(bootstrapper)),
          bootstrapper.context()->fingerprint()};
}

BootstrapKeys read_bootstrap_keys(const Bootstrapper& bootstrapper, const rlwe::ReadBytes& from,
                                  const rlwe::ByteProgress& progress, std::optional<std::size_t> offload) {
  return {ckks::read_bootstrap_keys(bootstrapper.circuit(), from, progress, offload, owner_of(bootstrapper)),
          bootstrapper.context()->fingerprint()};
}

}  // namespace nttforge::exact_bootstrap
