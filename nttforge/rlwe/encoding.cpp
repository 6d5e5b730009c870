// SPDX-License-Identifier: Apache-2.0
#include "nttforge/rlwe/encoding.hpp"

#include <string>

#include "nttforge/base/error.hpp"

namespace nttforge::rlwe {

std::string_view encoding_name(Encoding encoding) {
  switch (encoding) {
    case Encoding::slots:
      return "slots";
    case Encoding::coefficients:
      return "coefficients";
  }
  throw ParameterError("encoding = " + std::to_string(static_cast<unsigned>(encoding)) +
                       " is unknown: slots is 1, coefficients is 2");
}

Encoding parse_encoding(std::string_view name) {
  for (const Encoding encoding : {Encoding::slots, Encoding::coefficients})
    if (encoding_name(encoding) == name) return encoding;
  throw ParameterError("encoding = '" + std::string(name) + "' is not one of 'slots', 'coefficients'");
}

void require_same_encoding(Encoding a, std::string_view name_a, Encoding b, std::string_view name_b) {
  if (a == b) return;
  throw ParameterError(std::string(name_a) + " is encoded as " + std::string(encoding_name(a)) + " and " +
                       std::string(name_b) + " as " + std::string(encoding_name(b)) +
                       ": both need the same encoding; encode " + std::string(name_b) + " as " +
                       std::string(encoding_name(a)));
}

void require_slots(Encoding encoding, std::string_view name, std::string_view operation) {
  if (encoding == Encoding::slots) return;
  throw ParameterError(std::string(name) + " is encoded as " + std::string(encoding_name(encoding)) +
                       ", and " + std::string(operation) +
                       " moves slots: encode it as slots (BatchEncoder, encoding=\"slots\")");
}

}  // namespace nttforge::rlwe
