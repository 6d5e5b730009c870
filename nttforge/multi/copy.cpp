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
    to.wait(*from.record());
    to.copy(in, out, words);
    return;
  }
  if (to.copy_from(from, in, out, words)) return;
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> host(words);
  from.download(in, host);
  to.upload(host, out);
}

}  // namespace nttforge::multi
