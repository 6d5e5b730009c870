// SPDX-License-Identifier: Apache-2.0
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "papers/kernels/bad18b/fv.hpp"
#include "papers/kernels/bad18b/measure.hpp"

namespace nttforge::bench {
namespace {

namespace paper = cuda::bad18b;
using paper::Array;
using paper::Rounding;

const char* name_of(Rounding rounding, Transform transform) {
  switch (rounding) {
    case Rounding::integers:
      return "textbook";
    case Rounding::integers_on_host:
      return "textbook, rounding on host";
    default:
      return transform == Transform::dgt ? "paper" : "paper with NTT";
  }
}

void time_scheme(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base, Rounding rounding,
                 Transform transform) {
  paper::Fv fv(base, place.machine, transform, rounding);
  fv.verify();
  paper::Machine& machine = fv.machine();
  const Array message = machine.allocate(base.n), x = machine.allocate(fv.ciphertext_words()),
              y = machine.allocate(fv.ciphertext_words()), z = machine.allocate(fv.ciphertext_words());
  const std::vector<paper::Word> bits(base.n, 1);
  machine.copy(message.get(), bits.data(), bits.size());
  fv.encrypt(message.get(), 3, x.get());
  fv.encrypt(message.get(), 4, y.get());
  const bool waits = rounding == Rounding::integers_on_host;
  const auto time = [&](const char* operation, const std::function<void()>& body) {
    const Bad18bCell cell{"table 5", base.n, base.q.product().bits(), name_of(rounding, transform),
                          operation};
    waits ? clock.time_waiting(cell, body) : clock.time(cell, machine, body);
  };
  if (rounding == Rounding::residues) {
    time("key generation", [&] { fv.generate_keys(7); });
    fv.generate_keys(2018);
    time("encrypt", [&] { fv.encrypt(message.get(), 5, z.get()); });
    time("add", [&] { fv.add(x.get(), y.get(), z.get()); });
  }
  time("decrypt", [&] { fv.decrypt(x.get(), message.get()); });
  time("multiply + relinearize", [&] { fv.multiply(x.get(), y.get(), z.get()); });
}

/// Decrypts a product; throws on a wrong answer.
void verify(const bfv::ContextPtr& context, const bfv::KeyGenerator& generator,
            const bfv::RelinearizationKey& key) {
  const bfv::CoefficientEncoder encoder(context);
  const bfv::Encryptor encryptor(generator.public_key());
  const auto x = encryptor.encrypt(encoder.encode(std::vector<std::uint64_t>{1, 1}));
  const auto y = encryptor.encrypt(encoder.encode(std::vector<std::uint64_t>{1, 0, 1}));
  std::vector<std::uint64_t> expected(context->n(), 0);
  for (std::size_t i = 0; i < 4; ++i) expected[i] = 1;  // (1 + X)(1 + X^2)
  const auto product = bfv::Evaluator(context).multiply_relinearize(x, y, key);
  if (encoder.decode(bfv::Decryptor(generator.secret_key()).decrypt(product)) != expected)
    throw Error("wrong result for " + context->parameters().describe());
}

void time_ours(Bad18bClock& clock, const bfv::Parameters& parameters,
               const std::shared_ptr<const Device>& device, unsigned log2_q, const std::string& variant) {
  using namespace bfv;
  const ContextPtr context = Context::create(parameters, device);
  const KeyGenerator generator(context);
  const RelinearizationKey key = generator.relinearization_key();
  verify(context, generator, key);
  const Encryptor encryptor(generator.public_key());
  const Decryptor decryptor(generator.secret_key());
  const bfv::Evaluator evaluator(context);
  const Plaintext plain(context, std::vector<std::uint64_t>(context->n(), 1));
  const Ciphertext x = encryptor.encrypt(plain), y = encryptor.encrypt(plain);
  const Ciphertext product = evaluator.multiply(x, y);
  const auto time = [&](const char* operation, const std::function<void()>& body) {
    clock.time({"table 5", context->n(), log2_q, variant, operation}, context->queue(), body);
  };
  time("key generation", [&] {
    const KeyGenerator fresh(context);
    fresh.public_key();
    fresh.relinearization_key();
  });
  time("encrypt", [&] { encryptor.encrypt(plain); });
  time("decrypt", [&] { decryptor.decrypt(x); });
  time("add", [&] { evaluator.add(x, y); });
  time("multiply", [&] { evaluator.multiply(x, y); });
  time("relinearize", [&] { evaluator.relinearize(product, key); });
  time("multiply + relinearize", [&] { evaluator.multiply_relinearize(x, y, key); });
}

/// The set on the paper's own primes: 31 bits in 32-bit words, and a special prime.
bfv::Parameters on_31_bits(const paper::FvBase& base) {
  const auto primes = ntt_primes(base.n, 31, base.q.size() + 1);
  return bfv::Parameters::custom(base.n, base.t, {primes.begin() + 1, primes.end()}, primes[0],
                                 bfv::SecurityLevel::insecure_by_request, SecretDistribution::binary,
                                 ErrorDistribution::sigma_8_bound_48, bfv::kStrictestTable, 32);
}

}  // namespace

void measure_bad18b_scheme(Bad18bClock& clock, Bad18bPlace& place, const paper::FvBase& base) {
  time_scheme(clock, place, base, Rounding::residues, Transform::dgt);
  time_scheme(clock, place, base, Rounding::residues, Transform::ntt);
  time_scheme(clock, place, base, Rounding::integers, Transform::dgt);
  if (!place.machine.is_cpu()) time_scheme(clock, place, base, Rounding::integers_on_host, Transform::dgt);
}

void measure_bad18b_ours(Bad18bClock& clock, const std::shared_ptr<const Device>& device,
                         const paper::FvBase& base, const std::string& variant) {
  const unsigned log2_q = base.q.product().bits();
  if (base.n >= 2048) time_ours(clock, bfv::Parameters::badawi2018(base.n), device, log2_q, variant);
  time_ours(clock, on_31_bits(base), device, log2_q, variant + ", 31-bit primes");
}

}  // namespace nttforge::bench
