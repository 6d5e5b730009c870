// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/polynomial.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

DeviceArray Polynomial::at_level(std::size_t level) const {
  if (level == level_) return words_;
  const Window own = context_->parameters().window(level_), wanted = context_->parameters().window(level);
  if (!own.contains(wanted))
    throw ParameterError("factors are of level " + std::to_string(level_) + ", and level " +
                         std::to_string(level) + " has other primes: make them for that level");
  const Queue& queue = context_->queue();
  const RingTables &from = context_->ring_key(level_), &to = context_->ring_key(level);
  const std::size_t n = context_->n() / repeat_, of = from.limbs() * n, words = to.limbs() * n,
                    special = words - wanted.size() * n;
  DeviceArray rows = queue.allocate_secret(batch() * words, to.spec().word_bits);
  for (std::size_t i = 0; i < batch(); ++i) {
    const ConstWordPtr in = data() + i * of;
    const WordPtr out = rows.data() + i * words;
    queue.copy(in + (wanted.first - own.first) * n, out, wanted.size() * n);
    queue.copy(in + (of - special), out + wanted.size() * n, special);
  }
  return rows;
}

}  // namespace nttforge::rlwe
