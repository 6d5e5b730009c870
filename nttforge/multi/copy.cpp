// SPDX-License-Identifier: Apache-2.0
#include "nttforge/multi/copy.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"

namespace nttforge::multi {

void copy_between(const Queue& from, ConstWordPtr in, const Queue& to, WordPtr out, std::size_t words) {
  if (in.word_bits() != out.word_bits())
    throw ParameterError("words of " + std::to_string(in.word_bits()) + " bits go to words of " +
                         std::to_string(out.word_bits()) + ": allocate both for words of one size");
  if (words == 0) return;
  if (from.device().memory_space() == to.device().memory_space()) {
    if (&from != &to) to.wait(*from.record());
    to.copy(in, out, words);
    return;
  }
  if (to.copy_from(from, in, out, words)) return;
  // The host's own memory is read and written where it is; two words of 32 bits go as one of 64.
  const auto in_host = [](const Queue& queue) { return queue.device().memory_space() == "host"; };
  const std::size_t bytes = words * (in.word_bits() / 8);
  const auto aligned = [](const void* place) {
    return reinterpret_cast<std::uintptr_t>(place) % alignof(std::uint64_t) == 0;
  };
  if (bytes % sizeof(std::uint64_t) == 0 && aligned(in.address()) && aligned(out.address())) {
    const std::size_t wide = bytes / sizeof(std::uint64_t);
    const ConstWordPtr source(static_cast<const std::uint64_t*>(in.address()));
    auto* const place = static_cast<std::uint64_t*>(out.address());
    if (in_host(to)) return from.download(source, {place, wide});
    if (in_host(from)) return to.upload({source.as<std::uint64_t>(), wide}, place);
  }
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> host(words);
  from.download(in, host);
  to.upload(host, out);
}

}  // namespace nttforge::multi
