// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/polynomial.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

DeviceArray Polynomial::at_level(std::size_t level) const {
  if (level == level_) return words_;
  const Window own = context_->parameters().window(level_), wanted = context_->parameters().window(level);
  if (wanted.first < own.first || wanted.last > own.last)
    throw ParameterError("factors are modulo the primes of level " + std::to_string(level_) +
                         ", which lack some of level " + std::to_string(level) +
                         ": make them for that level");
  const Queue& queue = context_->queue();
  const RingTables &from = context_->ring_key(level_), &to = context_->ring_key(level);
  const std::size_t special = (context_->key_limbs() - context_->limbs()) * context_->n();
  const std::size_t first = to.words() - special, skipped = (wanted.first - own.first) * context_->n();
  DeviceArray rows = queue.allocate_secret(to, batch());
  for (std::size_t i = 0; i < batch(); ++i) {
    const ConstWordPtr in = data() + i * from.words();
    const WordPtr out = rows.data() + i * to.words();
    queue.copy(in + skipped, out, first);
    queue.copy(in + (from.words() - special), out + first, special);
  }
  return rows;
}

}  // namespace nttforge::rlwe
