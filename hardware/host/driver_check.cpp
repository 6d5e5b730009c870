// SPDX-License-Identifier: Apache-2.0
// Checks nttf_engine.h on a simulated design: every engine and set is loaded with the same modulus, frames
// of both directions are begun together, and values are compared with the definition.
// Arguments: a prime and its root (psi, or omega in the cyclic ring). Prints errors and cycles.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../driver/ntt_layout.h"
#include "rtl_model.hpp"

namespace {

RtlModel& model_of(void* context) { return *static_cast<RtlModel*>(context); }

nttf_bus bus_of(RtlModel& model) {
  return {&model, [](void* c, std::uint32_t address) { return model_of(c).read(address); },
          [](void* c, std::uint32_t address, std::uint32_t value) { model_of(c).write(address, value); },
          [](void* c, int channel, std::uint32_t user, const void* words, std::size_t bytes) {
            model_of(c).send(channel, user, words, bytes);
          },
          [](void* c, void* words, std::size_t bytes) { model_of(c).receive(words, bytes); }};
}

std::vector<std::uint64_t> defined(const nttf_layout& l, const std::vector<std::uint64_t>& a, std::uint64_t q,
                                   std::uint64_t root) {
  std::uint32_t log_n = 0;
  while (l.n >> (log_n + 1)) log_n++;
  std::vector<std::uint64_t> values(l.n);
  for (std::uint32_t k = 0; k < l.n; k++) {
    const std::uint64_t x = nttf_power(root, l.negacyclic ? 2 * k + 1 : k, q);
    std::uint64_t power = 1, sum = 0;
    for (std::uint32_t j = 0; j < l.n; j++, power = nttf_multiply(power, x, q))
      sum = (sum + nttf_multiply(a[j], power, q)) % q;
    values[nttf_reverse(k, log_n)] = sum;
  }
  return values;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const std::uint64_t q = std::strtoull(arguments[1], nullptr, 10),
                      root = std::strtoull(arguments[2], nullptr, 10);
  const nttf_layout& l = ntt_layout;
  RtlModel model;
  nttf_engines engines;
  int errors = nttf_open(&engines, bus_of(model), &l) != NTTF_OK;
  std::vector<std::uint64_t> powers(l.n), words(nttf_table_bytes(&l) / 4);
  errors += nttf_load(&engines, 0, 0, q, 1, powers.data(), words.data()) != NTTF_ARGUMENT;
  for (std::uint32_t engine = 0; engine < l.engines; engine++)
    for (std::uint32_t set = 0; set < l.sets; set++)
      errors += nttf_load(&engines, engine, set, q, root, powers.data(), words.data()) != NTTF_OK;

  const std::uint32_t frames = 2 * l.engines * l.sets;  // each modulus both ways
  std::vector<std::vector<std::uint64_t>> given(frames), wanted(frames), room(frames);
  std::uint64_t noise = 1;
  for (std::uint32_t f = 0; f < frames; f++) {
    std::vector<std::uint64_t> a(l.n);
    for (auto& x : a) x = (noise = noise * 6364136223846793005U + 1442695040888963407U) % q;
    const auto values = defined(l, a, q, root);
    given[f] = f % 2 ? values : a;
    wanted[f] = f % 2 ? a : values;
    room[f].resize(l.n);
    errors += nttf_begin(&engines, f / 2 % l.engines, f / 2 / l.engines, static_cast<int>(f % 2),
                         given[f].data(), room[f].data()) != NTTF_OK;
  }
  std::vector<std::uint64_t> result(l.n);
  for (std::uint32_t f = 0; f < frames; f++) {
    nttf_end(&engines, static_cast<int>(f % 2), result.data(), room[f].data());
    for (std::uint32_t k = 0; k < l.n; k++) errors += result[k] != wanted[f][k];
  }
  errors += nttf_status(&engines) != NTTF_OK;
  given[0][0] = (std::uint64_t{1} << l.bits) - 1;  // not below q
  errors += nttf_transform(&engines, 0, 0, 0, given[0].data(), result.data(), room[0].data()) != NTTF_FAILED;
  std::printf("%d errors, %llu cycles\n", errors, static_cast<unsigned long long>(model.cycles()));
  return errors != 0;
}
