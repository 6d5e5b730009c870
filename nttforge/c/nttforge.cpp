// SPDX-License-Identifier: Apache-2.0
// The C interface: each function turns its arguments into spans, calls the C++ one and turns what is thrown
// into a status and a text.
#include "nttforge/nttforge.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory_source.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/plan.hpp"

struct nttforge_plan {
  nttforge::NttPlan plan;
  std::string recipe;
};

namespace nttforge {
namespace {

constexpr std::size_t kMaxLimbs = std::size_t{1} << 16;
thread_local char last_error[1024] = "";  // texts are stored without allocating

nttforge_status failed(nttforge_status status, std::string_view text) noexcept {
  const std::size_t size = std::min(text.size(), sizeof last_error - 1);
  std::memcpy(last_error, text.data(), size);
  last_error[size] = '\0';
  return status;
}

template <class Body>
nttforge_status guarded(const Body& body) noexcept {
  try {
    body();
    return NTTFORGE_OK;
  } catch (const ParameterError& error) {
    return failed(NTTFORGE_INVALID, error.what());
  } catch (const SizeError& error) {
    return failed(NTTFORGE_SIZE, error.what());
  } catch (const UnsupportedError& error) {
    return failed(NTTFORGE_UNSUPPORTED, error.what());
  } catch (const FormatError& error) {
    return failed(NTTFORGE_FORMAT, error.what());
  } catch (const std::bad_alloc& error) {
    return failed(NTTFORGE_MEMORY, error.what());
  } catch (const std::exception& error) {
    return failed(NTTFORGE_FAILED, error.what());
  } catch (...) {
    return failed(NTTFORGE_FAILED, "an exception of unknown type");
  }
}

template <class T>
T& there(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw ParameterError(std::string(name) + " = NULL: need a pointer to an object or array");
  }
  return *pointer;
}

template <class Word>
std::span<Word> array_of(Word* data, std::size_t words, const char* name) {
  if (words > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(Word)) {
    throw SizeError("words = " + std::to_string(words) +
                    " is more than memory can hold: pass the number of words");
  }
  if (words != 0) there(data, name);
  return {data, words};
}

template <class Enum>
Enum chosen(int value, const char* name, const char* choices) {
  if (value != 0 && value != 1) {
    throw ParameterError(std::string(name) + " = " + std::to_string(value) + ": need " + choices);
  }
  return static_cast<Enum>(value);
}

// The fields that the program knows, and for those that it does not know their defaults.
nttforge_spec known_fields(const nttforge_spec& given) {
  constexpr std::size_t kFirstSize =
      sizeof(nttforge_spec);  // stays that of version 0.1 when fields are added
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  if (given.struct_size < kFirstSize) {
    throw ParameterError("spec.struct_size = " + std::to_string(given.struct_size) + ": need " +
                         std::to_string(sizeof spec) +
                         ", begin with nttforge_spec spec = NTTFORGE_SPEC_INIT");
  }
  if (given.struct_size > sizeof spec) {
    throw UnsupportedError("spec.struct_size = " + std::to_string(given.struct_size) +
                           ": the program was compiled for a later nttforge than " NTTFORGE_VERSION);
  }
  std::memcpy(&spec, &given, given.struct_size);
  return spec;
}

NttSpec spec_of(const nttforge_spec* given) {
  const nttforge_spec from = known_fields(there(given, "spec"));
  if (from.limbs == 0 || from.limbs > kMaxLimbs) {
    throw ParameterError("spec.limbs = " + std::to_string(from.limbs) + ": need 1 to " +
                         std::to_string(kMaxLimbs));
  }
  there(from.moduli, "spec.moduli");
  constexpr const char* kOrders = "NTTFORGE_NATURAL (0) or NTTFORGE_BIT_REVERSED (1)";
  NttSpec spec;
  spec.n = from.n;
  spec.moduli.assign(from.moduli, from.moduli + from.limbs);
  if (from.roots != nullptr) spec.roots.assign(from.roots, from.roots + from.limbs);
  spec.ring = chosen<Ring>(from.ring, "spec.ring", "NTTFORGE_NEGACYCLIC (0) or NTTFORGE_CYCLIC (1)");
  spec.input_order = chosen<Order>(from.input_order, "spec.input_order", kOrders);
  spec.output_order = chosen<Order>(from.output_order, "spec.output_order", kOrders);
  spec.word_bits = from.word_bits;
  return spec;
}

template <class MakePlan>
nttforge_status create(nttforge_plan** out, const MakePlan& make_plan) noexcept {
  return guarded([&] {
    nttforge_plan*& result = there(out, "plan");
    const NttPlan plan = make_plan();
    result = new ::nttforge_plan{plan, plan.recipe().to_json()};
  });
}

// A method with arguments in, out.
template <auto kMethod, class Word>
nttforge_status transform(const nttforge_plan* plan, const Word* in, Word* out, std::size_t words) noexcept {
  return guarded([&] {
    const NttPlan& own = there(plan, "plan").plan;
    (own.*kMethod)(array_of(in, words, "in"), array_of(out, words, "out"));
  });
}

// A method with arguments a, b, out.
template <auto kMethod, class Word>
nttforge_status combine(const nttforge_plan* plan, const Word* a, const Word* b, Word* out,
                        std::size_t words) noexcept {
  return guarded([&] {
    const NttPlan& own = there(plan, "plan").plan;
    (own.*kMethod)(array_of(a, words, "a"), array_of(b, words, "b"), array_of(out, words, "the result"));
  });
}

template <class Word>
nttforge_status product(const nttforge_plan* plan, const Word* a, const Word* b, Word* out, Word* workspace,
                        std::size_t words) noexcept {
  return guarded([&] {
    const NttPlan& own = there(plan, "plan").plan;
    own.polynomial_product(array_of(a, words, "a"), array_of(b, words, "b"), array_of(out, words, "out"),
                           array_of(workspace, words, "workspace"));
  });
}

template <class Word>
using InOut = void (NttPlan::*)(std::span<const Word>, std::span<Word>) const;
template <class Word>
using Pair = void (NttPlan::*)(std::span<const Word>, std::span<const Word>, std::span<Word>) const;

template <class Word>
constexpr InOut<Word> kForward = &NttPlan::forward;
template <class Word>
constexpr InOut<Word> kInverse = &NttPlan::inverse;
template <class Word>
constexpr Pair<Word> kMultiply = &NttPlan::multiply;
template <class Word>
constexpr Pair<Word> kAccumulate = &NttPlan::multiply_accumulate;

}  // namespace
}  // namespace nttforge

using namespace nttforge;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

const char* nttforge_last_error(void) { return last_error; }
const char* nttforge_version(void) { return NTTFORGE_VERSION; }

nttforge_status nttforge_active_target(const char** name) {
  return guarded([&] { there(name, "name") = target_name(active_target()).data(); });
}

nttforge_status nttforge_set_allocator(void* (*allocate)(size_t, size_t, void*),
                                       void (*release)(void*, size_t, size_t, void*), void* user) {
  if (allocate == nullptr || release == nullptr) {
    return failed(NTTFORGE_INVALID, "allocate or release = NULL: need both functions");
  }
  if (!set_memory_source({allocate, release, user})) {
    return failed(
        NTTFORGE_INVALID,
        "an allocator is set, or memory was allocated already: set one once, before any other call");
  }
  return NTTFORGE_OK;
}

nttforge_status nttforge_ntt_primes(size_t n, unsigned bits, size_t count, uint64_t* primes) {
  return guarded([&] {
    if (count != 0) there(primes, "primes");
    const std::vector<U64> found = ntt_primes(n, bits, count);
    std::copy(found.begin(), found.end(), primes);
  });
}

nttforge_status nttforge_plan_create(const nttforge_spec* spec, unsigned threads, nttforge_plan** plan) {
  return create(plan, [&] { return NttPlan(spec_of(spec), threads); });
}
nttforge_status nttforge_plan_create_from_recipe(const nttforge_spec* spec, const char* recipe,
                                                 nttforge_plan** plan) {
  return create(plan, [&] { return NttPlan(spec_of(spec), NttRecipe::from_json(&there(recipe, "recipe"))); });
}
void nttforge_plan_destroy(nttforge_plan* plan) { delete plan; }

nttforge_status nttforge_plan_recipe(const nttforge_plan* plan, const char** recipe) {
  return guarded([&] { there(recipe, "recipe") = there(plan, "plan").recipe.c_str(); });
}
nttforge_status nttforge_plan_root(const nttforge_plan* plan, size_t limb, uint64_t* root) {
  return guarded([&] {
    const std::vector<U64>& roots = there(plan, "plan").plan.spec().roots;
    if (limb >= roots.size()) {
      throw ParameterError("limb = " + std::to_string(limb) + ": need 0 to " +
                           std::to_string(roots.size() - 1));
    }
    there(root, "root") = roots[limb];
  });
}

nttforge_status nttforge_forward(const nttforge_plan* plan, const U64* in, U64* out, size_t words) {
  return transform<kForward<U64>>(plan, in, out, words);
}
nttforge_status nttforge_inverse(const nttforge_plan* plan, const U64* in, U64* out, size_t words) {
  return transform<kInverse<U64>>(plan, in, out, words);
}
nttforge_status nttforge_forward32(const nttforge_plan* plan, const U32* in, U32* out, size_t words) {
  return transform<kForward<U32>>(plan, in, out, words);
}
nttforge_status nttforge_inverse32(const nttforge_plan* plan, const U32* in, U32* out, size_t words) {
  return transform<kInverse<U32>>(plan, in, out, words);
}

nttforge_status nttforge_multiply(const nttforge_plan* plan, const U64* a, const U64* b, U64* out,
                                  size_t words) {
  return combine<kMultiply<U64>>(plan, a, b, out, words);
}
nttforge_status nttforge_multiply32(const nttforge_plan* plan, const U32* a, const U32* b, U32* out,
                                    size_t words) {
  return combine<kMultiply<U32>>(plan, a, b, out, words);
}
nttforge_status nttforge_multiply_accumulate(const nttforge_plan* plan, const U64* a, const U64* b, U64* sum,
                                             size_t words) {
  return combine<kAccumulate<U64>>(plan, a, b, sum, words);
}
nttforge_status nttforge_multiply_accumulate32(const nttforge_plan* plan, const U32* a, const U32* b,
                                               U32* sum, size_t words) {
  return combine<kAccumulate<U32>>(plan, a, b, sum, words);
}

nttforge_status nttforge_polynomial_product(const nttforge_plan* plan, const U64* a, const U64* b, U64* out,
                                            U64* workspace, size_t words) {
  return product(plan, a, b, out, workspace, words);
}
nttforge_status nttforge_polynomial_product32(const nttforge_plan* plan, const U32* a, const U32* b, U32* out,
                                              U32* workspace, size_t words) {
  return product(plan, a, b, out, workspace, words);
}

nttforge_status nttforge_require_reduced(const nttforge_plan* plan, const U64* x, size_t words) {
  return guarded([&] { there(plan, "plan").plan.require_reduced(array_of(x, words, "x")); });
}
nttforge_status nttforge_require_reduced32(const nttforge_plan* plan, const U32* x, size_t words) {
  return guarded([&] { there(plan, "plan").plan.require_reduced(array_of(x, words, "x")); });
}
