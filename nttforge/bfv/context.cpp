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
    : IntegerContext(parameters, std::move(device), 1, parameters.lowest_level(), parameters.limbs() + 4),
      parameters_(std::move(parameters)),
      noise_model_(parameters_),
      top_(make_level(limbs())) {}

std::unique_ptr<const Context::Level> Context::make_level(std::size_t level) const {
  const MemoryPurpose purpose("the tables of a context");
  const Device& tables = this->device();
  const RnsBase base(ring_q(level).spec().moduli);
  auto result =
      std::make_unique<Level>(Level{Behz(base, t(), n(), parameters_.key_moduli(), kTerms,
                                         parameters_.word_bits == 32 ? kNarrowBits : Behz::kPrimeBits),
                                    DecryptScale(base, t()),
                                    {},
                                    nullptr,
                                    nullptr});
  const Behz& behz = result->behz;
  NttSpec bsk;
  bsk.n = n();
  bsk.word_bits = parameters_.word_bits;
  bsk.moduli.assign(behz.bsk().values().begin(), behz.bsk().values().end());
  const RnsStep down[] = {behz.floor(), behz.to_q()};
  result->product = tables.make_product(key_switching(level).ring, tables.make_ring(bsk),
                                        tables.make_step(behz.extend(), n()), tables.make_step(down, n()));
  result->round_phase = tables.make_step(result->decrypt_scale.decrypt(), n());
  result->scale_plain = tables.make_step(result->decrypt_scale.encrypt(), n());
  return result;
}

const Context::Level& Context::at(std::size_t level) const {
  if (level == limbs()) return *top_;
  const std::lock_guard<std::mutex> lock(lower_mutex_);
  std::unique_ptr<const Level>& found = lower_[level];
  if (found == nullptr) found = make_level(level);
  return *found;
}

void Context::embed(ConstWordPtr plain, std::size_t level, std::uint64_t, WordPtr out,
                    std::size_t batch) const {
  queue().apply(*at(level).scale_plain, plain, nullptr, out, batch);
}

std::shared_ptr<const StepTables> Context::recover(std::size_t level, std::uint64_t) const {
  return at(level).round_phase;
}

}  // namespace nttforge::bfv
