// SPDX-License-Identifier: Apache-2.0
#include "nttforge/hexl/ntt.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <string>

#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/wide_mod.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/hexl/number_theory.hpp"
#include "nttforge/ntt/candidates.hpp"
#include "nttforge/ntt/spec.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

namespace intel::hexl {
namespace {

using Word = std::uint64_t;
using Words = AlignedVector64<Word>;
using Kernel = nttforge::TransformKernel<Word>;
using Tables = nttforge::KernelTables<Word>;
/// Programs go through many moduli in turn, so tables come from far away and shorter ones are faster for
/// smaller n than in a plan whose tables stay near (docs/decisions/hexl-compat.md).
constexpr unsigned kQuotientsFrom = 12;
constexpr std::size_t kTables = static_cast<std::size_t>(NTT::Table::inverses64) + 1;

nttforge::NttSpec spec_of(Word degree, Word q, std::vector<Word> roots) {
  if (degree < 2 || degree > Word{1} << NTT::MaxDegreeBits()) {
    throw nttforge::ParameterError("degree = " + std::to_string(degree) +
                                   ": need a power of two, 2 ... 2^20");
  }
  return nttforge::validated({.n = degree, .moduli = {q}, .roots = std::move(roots)});
}

/// Bits of the quotients that a table holds, 0 for powers.
unsigned quotient_bits(NTT::Table table) {
  switch (table) {
    case NTT::Table::powers32:
    case NTT::Table::repeated32:
    case NTT::Table::inverses32:
      return 32;
    case NTT::Table::repeated52:
    case NTT::Table::inverses52:
      return 52;
    case NTT::Table::powers64:
    case NTT::Table::repeated64:
    case NTT::Table::inverses64:
      return 64;
    default:
      return 0;
  }
}

}  // namespace

/// One transform: the kernel and its tables, in the memory of the caller's allocator, and the tables that
/// getters show.
struct NTT::Engine {
  const Word root, q;
  const unsigned log_n;
  const AlignedAllocator<Word, 64> memory;
  const Kernel* kernel;
  Words storage;
  Tables reduced, lazy;  ///< for inputs in [0, q), and others
  mutable std::mutex mutex;
  mutable std::array<std::once_flag, kTables> made;
  mutable std::array<Words, kTables> shown;

  Engine(const nttforge::NttSpec& spec, const std::shared_ptr<AllocatorBase>& alloc)
      : root(spec.roots[0]),
        q(spec.moduli[0]),
        log_n(static_cast<unsigned>(std::bit_width(spec.n)) - 1),
        memory(alloc),
        storage(memory) {
    const auto recipe = nttforge::choose_recipe(spec, nttforge::active_target());
    kernel = &nttforge::find_kernel<Word>(spec, recipe, 0);
    nttforge::TwiddleLayout layout = kernel->layout;
    if (layout.quotients_from != 0) layout.quotients_from = kQuotientsFrom;
    const nttforge::TransformTables<Word> tables(spec.ring, log_n, q, root, layout);
    reduced = tables.view();
    const auto words = static_cast<std::size_t>(reduced.inverse - reduced.forward);
    storage.assign(reduced.forward, reduced.forward + 2 * words);
    reduced.forward = storage.data();
    reduced.inverse = storage.data() + words;
    lazy = reduced;
    lazy.lazy_input = true;
  }

  const Words& table(Table which) const {
    const auto index = static_cast<std::size_t>(which);
    std::call_once(made[index], [&] {
      const std::scoped_lock lock(mutex);  // allocators need not serve several threads at once
      shown[index] = make(which);
    });
    return shown[index];
  }

 private:
  Words make(Table which) const {
    const bool inverses = which >= Table::inverses;
    const auto powers = nttforge::tree_twiddles(nttforge::Ring::negacyclic, log_n, q,
                                                inverses ? nttforge::wide_pow_mod(root, q - 2, q) : root);
    const std::size_t n = powers.size();
    Words words(memory);
    words.reserve(which >= Table::repeated && !inverses ? 2 * n : n);
    const auto append = [&](std::size_t first, std::size_t end, std::size_t times) {
      for (std::size_t i = first; i < end; ++i) words.insert(words.end(), times, powers[i]);
    };
    if (inverses) {
      append(0, 1, 1);
      for (std::size_t m = n / 2; m > 0; m /= 2) append(m, 2 * m, 1);
    } else if (which >= Table::repeated) {
      append(0, n / 8, 1);
      append(n / 8, n / 4, 4);
      append(n / 4, n / 2, 2);
      append(n / 2, n, 1);
    } else {
      append(0, n, 1);
    }
    if (const unsigned bits = quotient_bits(which); bits != 0) {
      for (Word& word : words) word = MultiplyFactor(word, bits, q).BarrettFactor();
    }
    return words;
  }
};

namespace {

const NTT::Engine& require_made(const std::shared_ptr<const NTT::Engine>& engine) {
  if (engine == nullptr) {
    throw nttforge::ParameterError(
        "this NTT was made without a degree and a modulus: assign another one first");
  }
  return *engine;
}

[[noreturn]] void refuse_factors(Word input, Word output, const char* allowed) {
  throw nttforge::ParameterError("input_mod_factor = " + std::to_string(input) +
                                 ", output_mod_factor = " + std::to_string(output) + ": need " + allowed);
}

}  // namespace

NTT::NTT(Word degree, Word q, std::shared_ptr<AllocatorBase> alloc_ptr)
    : engine_(std::make_shared<const Engine>(spec_of(degree, q, {}), alloc_ptr)) {}

NTT::NTT(Word degree, Word q, Word root_of_unity, std::shared_ptr<AllocatorBase> alloc_ptr)
    : engine_(std::make_shared<const Engine>(spec_of(degree, q, {root_of_unity}), alloc_ptr)) {}

bool NTT::CheckArguments(Word degree, Word modulus) {
  return degree >= 2 && degree <= Word{1} << MaxDegreeBits() && IsPowerOfTwo(degree) &&
         modulus >> MaxModulusBits() == 0 && modulus % (2 * degree) == 1 && nttforge::is_prime(modulus);
}

void NTT::ComputeForward(Word* result, const Word* operand, Word input_mod_factor,
                         Word output_mod_factor) const {
  const Engine& engine = require_made(engine_);
  const bool reduced = input_mod_factor == 1, lazy = input_mod_factor == 2 || input_mod_factor == 4;
  if (!(reduced || lazy) || (output_mod_factor != 1 && output_mod_factor != 4)) {
    refuse_factors(input_mod_factor, output_mod_factor, "1, 2 or 4 and 1 or 4");
  }
  engine.kernel->forward(reduced ? engine.reduced : engine.lazy, operand, result);
}

void NTT::ComputeInverse(Word* result, const Word* operand, Word input_mod_factor,
                         Word output_mod_factor) const {
  const Engine& engine = require_made(engine_);
  const bool reduced = input_mod_factor == 1, lazy = input_mod_factor == 2;
  if (!(reduced || lazy) || (output_mod_factor != 1 && output_mod_factor != 2)) {
    refuse_factors(input_mod_factor, output_mod_factor, "1 or 2 and 1 or 2");
  }
  engine.kernel->inverse(reduced ? engine.reduced : engine.lazy, operand, result);
}

Word NTT::GetMinimalRootOfUnity() const { return require_made(engine_).root; }
Word NTT::GetDegree() const { return Word{1} << require_made(engine_).log_n; }
Word NTT::GetModulus() const { return require_made(engine_).q; }
const Words& NTT::table(Table which) const { return require_made(engine_).table(which); }

}  // namespace intel::hexl
