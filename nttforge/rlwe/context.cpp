// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/context.hpp"

#include <cstdio>
#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/multi/copy.hpp"
#include "nttforge/rlwe/levels/rounding.hpp"

namespace nttforge::rlwe {
namespace {

std::shared_ptr<const Device> checked_device(std::shared_ptr<const Device> device,
                                             const RlweParameters& parameters, std::size_t other_primes) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  // Two tables of value and quotient for each prime.
  const std::uint64_t primes = parameters.key_limbs() + other_primes;
  device->require_memory((4 * primes + 2) * sizeof(std::uint64_t) * parameters.n,
                         "the tables of a context of n = " + std::to_string(parameters.n) + " and " +
                             std::to_string(parameters.key_limbs()) + " primes");
  return device;
}

Chain make_chain(const RlweParameters& parameters, const Device& device, std::uint64_t factor,
                 std::size_t lowest) {
  const MemoryPurpose purpose("the tables of a context");
  return Chain(chain_moduli(parameters, lowest), device, factor);
}

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

RlweContext::RlweContext(std::shared_ptr<const RlweParameters> parameters,
                         std::shared_ptr<const Device> device, std::uint64_t error_factor,
                         std::size_t lowest_level, std::size_t other_primes,
                         std::shared_ptr<const Queue> queue)
    : parameters_(std::move(parameters)),
      device_(checked_device(std::move(device), *parameters_, other_primes)),
      queue_(queue != nullptr ? std::move(queue) : device_->make_queue()),
      canonical_(parameters_->canonical_bytes()),
      fingerprint_(checksum64(canonical_)),
      error_factor_(error_factor),
      chain_(make_chain(*parameters_, *device_, error_factor, lowest_level)) {}

bool RlweContext::equal_parameters(const RlweContext& other) const {
  return fingerprint_ == other.fingerprint_ && canonical_ == other.canonical_;
}

bool RlweContext::compatible(const RlweContext& other) const {
  return this == &other ||
         (equal_parameters(other) && device_->memory_space() == other.device_->memory_space());
}

std::shared_ptr<const PermutationTables> RlweContext::automorphism(std::uint64_t element) const {
  const std::lock_guard<std::mutex> lock(automorphisms_mutex_);
  std::shared_ptr<const PermutationTables>& tables = automorphisms_[element];
  if (tables == nullptr)
    tables = device_->make_permutation(automorphism_index(n(), element, ring_key().spec().output_order));
  return tables;
}

const PartRounding& RlweContext::rounding(std::size_t level, unsigned bits) const {
  const std::lock_guard<std::mutex> lock(roundings_mutex_);
  std::shared_ptr<const PartRounding>& found = roundings_[{level, bits}];
  if (found == nullptr) found = std::make_shared<const PartRounding>(*this, level, bits);
  return *found;
}

DeviceArray RlweContext::monomial(std::size_t power) const {
  const RingTables& ring = ring_q();
  std::vector<std::uint64_t> rows(ring.words(), 0);
  for (std::size_t j = 0; j < ring.limbs(); ++j)
    rows[j * n() + power % n()] = power < n() ? 1 : ring.spec().moduli[j] - 1;
  DeviceArray words = queue().allocate(ring, 1);
  queue().upload(rows, words.data());
  queue().forward(ring, words.data(), 1);
  return words;
}

void RlweContext::require_evaluation_keys() const {
  if (has_evaluation_keys()) return;
  throw UnsupportedError(
      "special = []: these parameters (" + parameters_->describe() +
      ") have no special prime, so no relinearization or rotation; use a set with one (presets "
      "from n = 4096)");
}

void RlweContext::require_message(const Meta& meta) const {
  if (meta.factor != 1)
    throw ParameterError("correction factor = " + std::to_string(meta.factor) + " must be 1 in " +
                         std::string(scheme_name(parameters_->scheme)));
}

void require_compatible(const RlweContext& context, const RlweContext* other, std::string_view what) {
  if (other == nullptr) throw ContextError(std::string(what) + " is empty: assign it before use");
  if (context.compatible(*other)) {
    context.device().require_alive();
    if (&other->device() != &context.device()) other->device().require_alive();
    return;
  }
  if (context.fingerprint() != other->fingerprint())
    throw ContextError(std::string(what) + " belongs to another context: fingerprint " +
                       hexadecimal(other->fingerprint()) + " (" + other->parameters().describe() +
                       "), expected " + hexadecimal(context.fingerprint()) + " (" +
                       context.parameters().describe() + ")");
  throw ContextError(std::string(what) + " lives in another memory (" + other->device().memory_space() +
                     ", " + other->device().description() + ") than this context (" +
                     context.device().memory_space() + ", " + context.device().description() +
                     "); move it with to(context)");
}

void require_equal_parameters(const RlweContext& from, const RlweContext& to) {
  if (!from.equal_parameters(to))
    throw ContextError("to: the context has other parameters (" + to.parameters().describe() +
                       ") than the object (" + from.parameters().describe() +
                       "); objects move between contexts of equal parameters only");
}

DeviceArray moved(const DeviceArray& words, const RlweContext& from, const RlweContext& to, Secrecy secrecy) {
  require_equal_parameters(from, to);
  const bool secret = secrecy == Secrecy::secret;
  const std::size_t size = words.size();
  DeviceArray result = secret ? to.queue().allocate_secret(size, words.word_bits())
                              : to.queue().allocate(size, words.word_bits());
  multi::copy_between(from.queue(), words.data(), to.queue(), result.data(), size);
  return result;
}

}  // namespace nttforge::rlwe
