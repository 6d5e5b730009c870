// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/context.hpp"

#include "nttforge/base/memory/out_of_memory.hpp"

namespace nttforge::bfv {

namespace {

constexpr std::size_t kTerms = 16;    // products that are scaled together
constexpr unsigned kNarrowBits = 30;  // of the auxiliary base's primes where words have 32 bits

}  // namespace

ContextPtr Context::create(Parameters parameters, std::shared_ptr<const Device> device) {
  if (device == nullptr) throw ParameterError("device is null: pass make_cpu_device()");
  parameters.validate();
  return ContextPtr(new Context(std::move(parameters), std::move(device)));
}

Context::Context(Parameters parameters, std::shared_ptr<const Device> device)
    : IntegerContext(parameters, std::move(device), 1, parameters.limbs(), parameters.limbs() + 4),
      parameters_(std::move(parameters)),
      noise_model_(parameters_),
      behz_(RnsBase(parameters_.q), t(), n(), parameters_.key_moduli(), kTerms,
            parameters_.word_bits == 32 ? kNarrowBits : Behz::kPrimeBits),
      decrypt_scale_(RnsBase(parameters_.q), t()) {
  const MemoryPurpose purpose("the tables of a context");
  const Device& tables = this->device();
  NttSpec bsk;
  bsk.n = n();
  bsk.word_bits = parameters_.word_bits;
  bsk.moduli.assign(behz_.bsk().values().begin(), behz_.bsk().values().end());
  const RnsStep down[] = {behz_.floor(), behz_.to_q()};
  product_ = tables.make_product(key_switching(limbs()).ring, tables.make_ring(bsk),
                                 tables.make_step(behz_.extend(), n()), tables.make_step(down, n()));
  round_phase_ = tables.make_step(decrypt_scale_.decrypt(), n());
  scale_plain_ = tables.make_step(decrypt_scale_.encrypt(), n());
}

void Context::embed(ConstWordPtr plain, std::size_t, std::uint64_t, WordPtr out, std::size_t batch) const {
  queue().apply(*scale_plain_, plain, nullptr, out, batch);
}

std::shared_ptr<const StepTables> Context::recover(std::size_t, std::uint64_t) const { return round_phase_; }

}  // namespace nttforge::bfv
