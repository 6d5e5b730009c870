// SPDX-License-Identifier: Apache-2.0
#include "nttforge/device/memory.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/text/bits.hpp"

namespace nttforge {

std::unique_ptr<Capture> MemoryAndOrder::begin_capture() const {
  throw UnsupportedError(device().name() + " records no graphs: call the operations themselves");
}

bool MemoryAndOrder::copy_from(const Queue& /*from*/, ConstWordPtr /*in*/, WordPtr /*out*/,
                               std::size_t /*words*/) const {
  return false;
}

bool MemoryAndOrder::fetch(const Queue& /*from*/, ConstWordPtr /*in*/, WordPtr /*out*/,
                           std::size_t /*words*/) const {
  return false;
}

void MemoryAndOrder::upload_written(std::size_t words, WordPtr device, const WriteWords& write) const {
  SecretVector<std::uint64_t> host(words);
  write(0, host);
  upload(host, device);
}

bool MemoryAndOrder::unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                            std::size_t stride, std::size_t batch) const {
  std::vector<std::uint64_t> host(ring.words());
  for (std::size_t b = 0; b < batch; ++b, out += stride) {
    poll_interrupt();
    for (std::size_t j = 0; j < ring.limbs(); ++j) {
      const std::uint64_t q = ring.spec().moduli[j];
      const std::size_t bytes = packed_bytes(ring.n(), q);
      if (!unpack_residues(packed.first(bytes), q, std::span(host).subspan(j * ring.n(), ring.n())))
        return false;
      packed = packed.subspan(bytes);
    }
    upload(host, out);
  }
  return true;
}

}  // namespace nttforge
