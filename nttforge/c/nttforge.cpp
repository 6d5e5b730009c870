// SPDX-License-Identifier: Apache-2.0
// The C interface: each function turns its arguments into spans, calls the C++ one and turns what is thrown
// into a status and a text.
#if defined(NTTFORGE_SHARED)  // the shared library, of which these names are all that is seen
#pragma GCC visibility push(default)
#include "nttforge/nttforge.h"
#pragma GCC visibility pop
#else
#include "nttforge/nttforge.h"
#endif

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory_source.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/ntt/incomplete.hpp"
#include "nttforge/ntt/plan.hpp"

struct nttforge_plan {
  std::variant<nttforge::NttPlan, nttforge::IncompleteNttPlan> plan;
  std::string recipe;

  /// call(plan), of whichever kind.
  template <class Call>
  decltype(auto) visit(const Call& call) const {
    return std::visit(call, plan);
  }
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
  constexpr std::size_t kFirstSize = offsetof(nttforge_spec, layers);  // the fields of the first ABI
  nttforge_spec spec = NTTFORGE_SPEC_INIT;
  if (given.struct_size < sizeof spec && given.struct_size != kFirstSize) {
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

/// A plan of the kind that the spec asks for. complete(spec) makes one of an NttPlan.
template <class MakeComplete>
nttforge_status create(const nttforge_spec* given, nttforge_plan** out,
                       const MakeComplete& complete) noexcept {
  return guarded([&] {
    nttforge_plan*& result = there(out, "plan");
    const NttSpec spec = spec_of(given);
    const unsigned layers = known_fields(*given).layers;
    const NttPlan plan = complete(layers == 0 ? spec : complete_part(spec, layers));
    std::string recipe = plan.recipe().to_json();
    if (layers == 0) {
      result = new ::nttforge_plan{plan, std::move(recipe)};
    } else {
      result = new ::nttforge_plan{IncompleteNttPlan(plan, spec.n), std::move(recipe)};
    }
  });
}

// call(plan, in, out).
template <class Word, class Call>
nttforge_status transform(const nttforge_plan* plan, const Word* in, Word* out, std::size_t words,
                          const Call& call) noexcept {
  return guarded([&] {
    there(plan, "plan").visit([&](const auto& own) {
      call(own, std::span<const Word>(array_of(in, words, "in")), array_of(out, words, "out"));
    });
  });
}

// call(plan, a, b, out).
template <class Word, class Call>
nttforge_status combine(const nttforge_plan* plan, const Word* a, const Word* b, Word* out, std::size_t words,
                        const Call& call) noexcept {
  return guarded([&] {
    there(plan, "plan").visit([&](const auto& own) {
      call(own, std::span<const Word>(array_of(a, words, "a")),
           std::span<const Word>(array_of(b, words, "b")), array_of(out, words, "the result"));
    });
  });
}

template <class Word>
nttforge_status product(const nttforge_plan* plan, const Word* a, const Word* b, Word* out, Word* workspace,
                        std::size_t words) noexcept {
  return guarded([&] {
    there(plan, "plan").visit([&](const auto& own) {
      own.polynomial_product(array_of(a, words, "a"), array_of(b, words, "b"), array_of(out, words, "out"),
                             array_of(workspace, words, "workspace"));
    });
  });
}

template <class Word>
nttforge_status require_reduced(const nttforge_plan* plan, const Word* x, std::size_t words) noexcept {
  return guarded([&] {
    there(plan, "plan").visit([&](const auto& own) { own.require_reduced(array_of(x, words, "x")); });
  });
}

constexpr auto kForward = [](const auto& plan, auto in, auto out) { plan.forward(in, out); };
constexpr auto kInverse = [](const auto& plan, auto in, auto out) { plan.inverse(in, out); };
constexpr auto kMultiply = [](const auto& plan, auto a, auto b, auto out) { plan.multiply(a, b, out); };
constexpr auto kAccumulate = [](const auto& plan, auto a, auto b, auto sum) {
  plan.multiply_accumulate(a, b, sum);
};

}  // namespace
}  // namespace nttforge

using namespace nttforge;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

const char* nttforge_last_error(void) { return last_error; }
const char* nttforge_version(void) { return NTTFORGE_VERSION; }
int nttforge_abi_version(void) { return NTTFORGE_ABI_VERSION; }

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
  return create(spec, plan, [&](const NttSpec& own) { return NttPlan(own, threads); });
}
nttforge_status nttforge_plan_create_from_recipe(const nttforge_spec* spec, const char* recipe,
                                                 nttforge_plan** plan) {
  return create(spec, plan, [&](const NttSpec& own) {
    return NttPlan(own, NttRecipe::from_json(&there(recipe, "recipe")));
  });
}
void nttforge_plan_destroy(nttforge_plan* plan) { delete plan; }

nttforge_status nttforge_plan_recipe(const nttforge_plan* plan, const char** recipe) {
  return guarded([&] { there(recipe, "recipe") = there(plan, "plan").recipe.c_str(); });
}
nttforge_status nttforge_plan_root(const nttforge_plan* plan, size_t limb, uint64_t* root) {
  return guarded([&] {
    const std::vector<U64>& roots = there(plan, "plan").visit([](const auto& own) -> const std::vector<U64>& {
      return own.spec().roots;
    });
    if (limb >= roots.size()) {
      throw ParameterError("limb = " + std::to_string(limb) + ": need 0 to " +
                           std::to_string(roots.size() - 1));
    }
    there(root, "root") = roots[limb];
  });
}

nttforge_status nttforge_forward(const nttforge_plan* plan, const U64* in, U64* out, size_t words) {
  return transform(plan, in, out, words, kForward);
}
nttforge_status nttforge_inverse(const nttforge_plan* plan, const U64* in, U64* out, size_t words) {
  return transform(plan, in, out, words, kInverse);
}
nttforge_status nttforge_forward32(const nttforge_plan* plan, const U32* in, U32* out, size_t words) {
  return transform(plan, in, out, words, kForward);
}
nttforge_status nttforge_inverse32(const nttforge_plan* plan, const U32* in, U32* out, size_t words) {
  return transform(plan, in, out, words, kInverse);
}

nttforge_status nttforge_multiply(const nttforge_plan* plan, const U64* a, const U64* b, U64* out,
                                  size_t words) {
  return combine(plan, a, b, out, words, kMultiply);
}
nttforge_status nttforge_multiply32(const nttforge_plan* plan, const U32* a, const U32* b, U32* out,
                                    size_t words) {
  return combine(plan, a, b, out, words, kMultiply);
}
nttforge_status nttforge_multiply_accumulate(const nttforge_plan* plan, const U64* a, const U64* b, U64* sum,
                                             size_t words) {
  return combine(plan, a, b, sum, words, kAccumulate);
}
nttforge_status nttforge_multiply_accumulate32(const nttforge_plan* plan, const U32* a, const U32* b,
                                               U32* sum, size_t words) {
  return combine(plan, a, b, sum, words, kAccumulate);
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
  return require_reduced(plan, x, words);
}
nttforge_status nttforge_require_reduced32(const nttforge_plan* plan, const U32* x, size_t words) {
  return require_reduced(plan, x, words);
}
