// SPDX-License-Identifier: Apache-2.0
#include "nttforge/random/chacha20.hpp"

#include "nttforge/base/memory/secret.hpp"

namespace nttforge {

// Not in the headers: an instruction-set file must not leave a copy of its own behind (base/macros.hpp).
Seed::~Seed() { secure_zero(bytes.data(), bytes.size()); }
ChaChaInput::~ChaChaInput() { secure_zero(this, sizeof *this); }

ChaChaInput chacha_input(const StreamName& name, std::uint32_t lane) {
  ChaChaInput input;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint8_t* bytes = name.seed.bytes.data() + 4 * i;
    input.key[i] = static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
                   static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
  }
  input.nonce[0] = static_cast<std::uint32_t>(name.domain);
  input.nonce[1] = name.index;
  input.nonce[2] = lane;
  return input;
}

}  // namespace nttforge
