// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/context.hpp"

#include <cstdio>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/format.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge::bfv {
namespace {

NttSpec ring_spec(std::size_t n, std::vector<std::uint64_t> moduli) {
  NttSpec spec;
  spec.n = n;
  spec.moduli = std::move(moduli);
  return spec;
}

Parameters validated(Parameters parameters) {
  parameters.validate();
  return parameters;
}

/// Two tables of value and quotient for each prime: those of Q p, as many and two more of BEHZ's base, and t.
void require_table_memory(const Parameters& parameters) {
  const std::uint64_t primes = parameters.key_limbs() + parameters.limbs() + 3;
  require_memory((4 * primes + 2) * sizeof(std::uint64_t) * parameters.n,
                 "the tables of a context of n = " + std::to_string(parameters.n) + " and " +
                     std::to_string(parameters.key_limbs()) + " primes");
}

/// Q, then p if there is one.
std::vector<std::uint64_t> key_moduli(const Parameters& parameters) {
  std::vector<std::uint64_t> moduli = parameters.q;
  if (parameters.p != 0) moduli.push_back(parameters.p);
  return moduli;
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

ContextPtr Context::create(Parameters parameters, std::shared_ptr<const Device> device) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  return ContextPtr(new Context(validated(std::move(parameters)), std::move(device)));
}

Context::Context(Parameters parameters, std::shared_ptr<const Device> device)
    : parameters_(std::move(parameters)),
      device_(std::move(device)),
      queue_(device_->make_queue()),
      noise_model_(parameters_),
      behz_(RnsBase(parameters_.q), t(), n(), key_moduli(parameters_)),
      decrypt_scale_(RnsBase(parameters_.q), t()) {
  require_table_memory(parameters_);
  const MemoryPurpose purpose("the tables of a context");
  fingerprint_ = checksum64(canonical_bytes(parameters_));
  ring_q_ = device_->make_ring(ring_spec(n(), parameters_.q));
  ring_key_ = ring_q_;
  if (parameters_.p != 0) {
    const std::vector<std::uint64_t> moduli = key_moduli(parameters_);
    ring_key_ = device_->make_ring(ring_spec(n(), moduli));
    const RnsStep division = nttforge::mod_down(RnsBase(moduli));
    switch_ = device_->make_switch(ring_q_, ring_key_, 1, &division);
  }
  const auto bsk = behz_.bsk().values();
  ring_bsk_ = device_->make_ring(ring_spec(n(), {bsk.begin(), bsk.end()}));
  extend_ = device_->make_step(behz_.extend(), n());
  const RnsStep down[] = {behz_.floor(), behz_.to_q()};
  floor_ = device_->make_step(down, n());
  round_phase_ = device_->make_step(decrypt_scale_.decrypt(), n());
  scale_plain_ = device_->make_step(decrypt_scale_.encrypt(), n());
  if (parameters_.has_batching()) ring_t_ = device_->make_ring(ring_spec(n(), {t()}));
}

bool Context::compatible(const Context& other) const {
  return this == &other || (fingerprint_ == other.fingerprint_ && parameters_ == other.parameters_ &&
                            device_->memory_space() == other.device_->memory_space());
}

const RingTables& Context::ring_t() const {
  if (ring_t_ == nullptr)
    throw UnsupportedError("t = " + std::to_string(t()) + " does not allow batching at n = " +
                           std::to_string(n()) + ": need a prime t = 1 (mod " + std::to_string(2 * n()) +
                           "); choose such a t (ntt_primes(" + std::to_string(n()) +
                           ", bits) finds them), or encode coefficients (CoefficientEncoder, "
                           "encoding=\"coefficients\")");
  return *ring_t_;
}

const StepTables& Context::mod_down() const {
  if (switch_.division == nullptr)
    throw UnsupportedError(
        "p = 0: these parameters (" + parameters_.describe() +
        ") have no special prime, so no relinearization or rotation; use a set with one (presets "
        "from n = 4096)");
  return *switch_.division;
}

void require_compatible(const Context& context, const ContextPtr& other, std::string_view what) {
  if (other == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  if (context.compatible(*other)) return;
  if (context.fingerprint() != other->fingerprint())
    throw ContextError(std::string(what) + " belongs to another context: fingerprint " +
                       hexadecimal(other->fingerprint()) + " (" + other->parameters().describe() +
                       "), expected " + hexadecimal(context.fingerprint()) + " (" +
                       context.parameters().describe() + ")");
  throw ContextError(std::string(what) + " lives in another memory (" + other->device().memory_space() +
                     ", " + other->device().description() + ") than this context (" +
                     context.device().memory_space() + ", " + context.device().description() +
                     "); move it with to_bytes and ..._from_bytes");
}

}  // namespace nttforge::bfv
