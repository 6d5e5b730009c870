// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/batch.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

void require_batch(std::size_t batch) {
  if (batch < 1 || batch > kMaxBatch)
    throw ParameterError("batch = " + std::to_string(batch) + " is out of range [1, " +
                         std::to_string(kMaxBatch) + "]; split the data over several objects");
}

void require_element(std::size_t element, std::size_t batch) {
  if (element >= batch)
    throw SizeError("element = " + std::to_string(element) + " is out of range [0, " + std::to_string(batch) +
                    ") of this batch");
}

void require_elements(std::size_t first, std::size_t count, std::size_t batch) {
  if (count == 0 || count > batch || first > batch - count)
    throw SizeError("elements " + std::to_string(first) + " ... with count = " + std::to_string(count) +
                    ": need at least one, all of them in [0, " + std::to_string(batch) + ") of this batch");
}

std::size_t common_batch(std::size_t a, std::string_view name_a, std::size_t b, std::string_view name_b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  throw SizeError(std::string(name_a) + " is a batch of " + std::to_string(a) + " and " +
                  std::string(name_b) + " a batch of " + std::to_string(b) +
                  ": operands need the same batch, or one of them is single and serves every element");
}

}  // namespace nttforge::rlwe
