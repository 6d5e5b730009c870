// SPDX-License-Identifier: Apache-2.0
#include "papers/kernels/bad18b/machine.hpp"

#include <cstring>

#include "papers/kernels/bad18b/constants.hpp"

namespace nttforge::cuda::bad18b {

void Machine::copy_bytes(void* to, const void* from, std::size_t bytes) const {
  if (is_cpu()) {
    std::memcpy(to, from, bytes);
    return;
  }
  CudaRuntime& runtime = runtime_of(*device_);
  wait();
  runtime.copy(*device_, to, from, bytes, stream_);
  wait();
}

namespace {

NttSpec spec_of(std::size_t n, std::span<const std::uint64_t> primes, Transform transform) {
  NttSpec spec{.n = n, .moduli = {primes.begin(), primes.end()}};
  spec.word_bits = 32;
  spec.transform = transform;
  return spec;
}

}  // namespace

Transforms::Transforms(std::size_t n, std::span<const std::uint64_t> primes, Transform transform,
                       const Machine& machine)
    : words_(n * primes.size()), complex_(transform == Transform::dgt), primes_(prime_list(primes)) {
  const NttSpec spec = spec_of(n, primes, transform);
  if (machine.is_cpu())
    on_cpu_.emplace(spec);
  else
    on_card_.emplace(spec, machine.device());
}

void Transforms::forward(const Machine& machine, const Word* in, Word* out, std::size_t batch) const {
  const std::span<const Word> from(in, batch * words_);
  const std::span<Word> to(out, batch * words_);
  if (on_cpu_)
    on_cpu_->forward(from, to);
  else
    on_card_->forward(from, to, machine.stream(), CallPlaces::promised);
}

void Transforms::inverse(const Machine& machine, Word* x, std::size_t batch) const {
  const std::span<Word> words(x, batch * words_);
  if (on_cpu_)
    on_cpu_->inverse(words, words);
  else
    on_card_->inverse(words, words, machine.stream(), CallPlaces::promised);
}

}  // namespace nttforge::cuda::bad18b
