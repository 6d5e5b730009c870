#include "nttforge/cuda/plan.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/elementwise.hpp"
#include "nttforge/cuda/explorer.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/tables.hpp"
#include "nttforge/ntt/plan_arrays.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::size_t kAlignment = 256;  // of each table
constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool overlap(const void* a, const void* b, std::size_t bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return bytes != 0 && x < y + bytes && y < x + bytes;
}

template <class Word>
struct Tables {
  const CudaKernelRow<Word>* row = nullptr;  ///< null for n = 1
  const CudaLimb<Word>* limbs = nullptr;     ///< on the device, as all of memory
  const ProductModulus<Word>* moduli = nullptr;
  CudaBuffer memory;

  /// [limbs][moduli][forward and inverse table of each limb], uploaded limb by limb.
  Tables(const NttSpec& spec, const CudaKernelRow<Word>* kernel, unsigned log_n, int device) : row(kernel) {
    const std::size_t count = spec.moduli.size();
    const std::size_t table = row == nullptr ? 0 : round_up(table_words(*row, log_n) * sizeof(Word));
    const std::size_t head =
        round_up(count * sizeof(CudaLimb<Word>)) + round_up(count * sizeof(ProductModulus<Word>));
    CudaRuntime& runtime = runtime_of(device);
    const CudaStream stream = runtime.make_stream(device);
    try {
      memory = CudaBuffer(device, head + 2 * table * count, stream);
      memory.share();  // used in the streams of others
      upload(spec, log_n, head, table, runtime, stream);
      runtime.synchronize(device, stream);
    } catch (...) {
      runtime.destroy_stream(device, stream);
      throw;
    }
    runtime.destroy_stream(device, stream);
  }

  void upload(const NttSpec& spec, unsigned log_n, std::size_t head, std::size_t table, CudaRuntime& runtime,
              CudaStream stream) {
    const std::size_t count = spec.moduli.size();
    auto* const base = static_cast<std::byte*>(memory.data());
    std::vector<CudaLimb<Word>> all(count);
    std::vector<ProductModulus<Word>> products(count);
    for (std::size_t i = 0; i < count; ++i) {
      products[i] = make_product_modulus<Word>(spec.moduli[i]);
      if (row == nullptr) continue;
      const LimbTables<Word> built = build_tables(spec.ring, log_n, spec.moduli[i], spec.roots[i], *row);
      all[i] = built.limb;
      std::byte* const place = base + head + 2 * i * table;
      for (const bool inverse : {false, true}) {
        const auto& words = inverse ? built.inverse : built.forward;
        std::byte* const at = place + (inverse ? table : 0);
        runtime.copy(memory.device(), at, words.data(), words.size() * sizeof(Word), stream);
        (inverse ? all[i].inverse : all[i].forward) = reinterpret_cast<const Word*>(at);
      }
      // The host's tables go away with this turn of the loop.
      runtime.synchronize(memory.device(), stream);
    }
    std::byte* const after_limbs = base + round_up(count * sizeof(CudaLimb<Word>));
    runtime.copy(memory.device(), base, all.data(), count * sizeof(CudaLimb<Word>), stream);
    runtime.copy(memory.device(), after_limbs, products.data(), count * sizeof(ProductModulus<Word>), stream);
    limbs = reinterpret_cast<const CudaLimb<Word>*>(base);
    moduli = reinterpret_cast<const ProductModulus<Word>*>(after_limbs);
    runtime.synchronize(memory.device(), stream);
  }
};

/// What every device must have before a plan is made on it.
CudaDevice usable_device(int device) {
  CudaDevice found = describe_device(device);
  if (device >= 0) require_architecture(found, architectures_of_build());
  return found;
}

NttSpec checked(NttSpec spec) {
  spec = validated(std::move(spec));
  if (spec.transform != Transform::ntt) {
    throw UnsupportedError("transform = dgt does not run on GPUs: use the CPU engine (device = \"cpu\")");
  }
  return spec;
}

CudaRecipe chosen(const NttSpec& spec, const CudaDevice& card, const Wisdom* wisdom, std::size_t batch) {
  if (wisdom != nullptr) {
    if (const auto known = find_in_wisdom(*wisdom, spec, card, batch)) return *known;
  }
  return candidate_recipes(spec, card, batch).front();
}

}  // namespace

struct CudaNttPlan::Impl {
  NttSpec spec;
  CudaRecipe recipe;
  int device;
  unsigned log_n;
  CudaRuntime& runtime;
  std::variant<std::monostate, Tables<std::uint64_t>, Tables<std::uint32_t>> storage;

  Impl(NttSpec valid, CudaRecipe choice, const CudaDevice& card)
      : spec(std::move(valid)),
        recipe(std::move(choice)),
        device(card.ordinal),
        log_n(static_cast<unsigned>(std::bit_width(spec.n)) - 1),
        runtime(runtime_of(device)) {
    if (spec.word_bits == 64) {
      storage.emplace<Tables<std::uint64_t>>(spec, row<std::uint64_t>(card), log_n, device);
    } else {
      storage.emplace<Tables<std::uint32_t>>(spec, row<std::uint32_t>(card), log_n, device);
    }
  }

  template <class Word>
  const CudaKernelRow<Word>* row(const CudaDevice& card) const {
    return spec.n == 1 ? nullptr : &find_row<Word>(spec, recipe, card);
  }

  template <class Word>
  const Tables<Word>& tables() const {
    return std::get<Tables<Word>>(storage);
  }
  const CudaBuffer& memory() const {
    return spec.word_bits == 64 ? tables<std::uint64_t>().memory : tables<std::uint32_t>().memory;
  }

  /// Word size, whole number of [limbs][n] blocks, device memory.
  template <class Word>
  void check_array(std::span<const Word> x, const char* name) const {
    require_blocks(spec, 8 * sizeof(Word), x.size(), name);
    if (x.size() / spec.n > 0xFFFFFFFFu) {
      throw SizeError(std::string(name) + " has " + std::to_string(x.size() / spec.n) +
                      " polynomials: at most 2^32 - 1 go into one call");
    }
    if (!x.empty()) check_place(x.data(), x.size_bytes(), name);
  }

  void check_place(const void* first, std::size_t bytes, const char* name) const {
    const auto* last = static_cast<const std::byte*>(first) + bytes - 1;
    for (const void* end : {first, static_cast<const void*>(last)}) {
      const CudaPlace place = runtime.locate(end);
      if (place.kind == CudaPlace::Kind::managed ||
          (place.kind == CudaPlace::Kind::device && place.device == device)) {
        continue;
      }
      if (place.kind == CudaPlace::Kind::device) {
        throw ParameterError(std::string(name) + " is on " + device_name(place.device) + " and the plan on " +
                             device_name(device) + ": copy the array there, or make a plan on its device");
      }
      throw ParameterError(std::string(name) + (end == first ? " is in" : " extends into") +
                           " host memory and the plan runs on " + device_name(device) +
                           ": copy the array to the device first (nttforge.cuda.to_device)");
    }
    if (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) {
      throw ParameterError(std::string(name) +
                           " is not aligned to 16 bytes: GPU kernels load pairs of words; pass a copy");
    }
  }

  template <class Word>
  void check_same(std::span<const Word> x, const char* name, std::size_t size) const {
    check_array(x, name);
    if (x.size() != size) {
      throw SizeError(std::string(name) + " has " + std::to_string(x.size()) + " words and out has " +
                      std::to_string(size) + ": all arrays of a call need the same shape");
    }
  }

  template <class Word>
  void check_alias(const char* name, std::span<const Word> in, std::span<Word> out) const {
    if (in.data() != out.data() && overlap(in.data(), out.data(), out.size_bytes())) {
      throw SizeError(std::string(name) + " and out overlap partly: pass the same array or disjoint ones");
    }
  }

  /// First of all: after a reset addresses mean nothing.
  void check_stream(CudaStream stream) const {
    memory().require_alive();
    const int owner = runtime.device_of(stream, device);
    if (owner != device) {
      throw ParameterError("the stream belongs to " + device_name(owner) + " and the plan to " +
                           device_name(device) + ": pass a stream of the plan's device");
    }
  }

  template <class Word>
  Rows<Word> rows_of(std::size_t words) const {
    return {tables<Word>().moduli, static_cast<std::uint32_t>(spec.moduli.size()),
            static_cast<std::uint32_t>(words / spec.n), log_n};
  }

  template <class Operation>
  void run(const char* what, const Operation& operation, CudaStream stream) const {
    runtime.launch(device, what,
                   [&] { return device < 0 ? each_on_host(operation) : enqueue(operation, stream); });
  }

  template <class Word>
  void permute(const Word* in, Word* out, std::size_t words, CudaStream stream) const {
    run("permuting", Permute<Word>{rows_of<Word>(words), in, out}, stream);
  }

  /// The kernel's own transform: natural coefficients, bit-reversed values.
  template <class Word, bool kInverse>
  void kernel(const Word* in, Word* out, std::size_t words, CudaStream stream) const {
    const Tables<Word>& t = tables<Word>();
    if (t.row == nullptr) {  // n = 1
      if (in != out) runtime.copy(device, out, in, words * sizeof(Word), stream);
      return;
    }
    const auto limb_count = static_cast<std::uint32_t>(spec.moduli.size());
    const CudaLaunch<Word> launch{
        in, out, t.limbs, limb_count, static_cast<std::uint32_t>(words / spec.n / limb_count), log_n};
    runtime.launch(device, kInverse ? "starting an inverse transform" : "starting a forward transform", [&] {
      if (device < 0) {
        (kInverse ? t.row->inverse_on_host : t.row->forward_on_host)(launch);
        return 0;
      }
      return (kInverse ? t.row->inverse : t.row->forward)(launch, stream);
    });
  }

  template <class Word, bool kInverse>
  void transform(std::span<const Word> in, std::span<Word> out, CudaStream stream) const {
    check_stream(stream);
    check_array(std::span<const Word>(out), "out");
    check_same(in, "in", out.size());
    check_alias("in", in, out);
    if (out.empty()) return;
    const Order first = kInverse ? spec.output_order : spec.input_order;
    const Order last = kInverse ? spec.input_order : spec.output_order;
    constexpr Order kBefore = kInverse ? Order::bit_reversed : Order::natural;  // what the kernel takes
    const Word* from = in.data();
    if (first != kBefore) {
      permute(from, out.data(), out.size(), stream);
      from = out.data();
    }
    kernel<Word, kInverse>(from, out.data(), out.size(), stream);
    if (last == kBefore) permute(static_cast<const Word*>(out.data()), out.data(), out.size(), stream);
  }

  template <class Word, bool kAccumulate>
  void multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                CudaStream stream) const {
    check_stream(stream);
    check_array(std::span<const Word>(out), kAccumulate ? "accumulator" : "out");
    check_same(a, "a", out.size());
    check_same(b, "b", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    if (out.empty()) return;
    run("multiplying", Multiply<Word, kAccumulate>{rows_of<Word>(out.size()), a.data(), b.data(), out.data()},
        stream);
  }

  /// Orders of the values cancel between transforms and product.
  template <class Word>
  void product(std::span<const Word> a, std::span<const Word> b, std::span<Word> out, std::span<Word> work,
               CudaStream stream) const {
    check_stream(stream);
    check_array(std::span<const Word>(out), "out");
    check_same(a, "a", out.size());
    check_same(b, "b", out.size());
    check_same(std::span<const Word>(work), "workspace", out.size());
    check_alias("a", a, out);
    check_alias("b", b, out);
    for (const Word* other : {a.data(), b.data(), static_cast<const Word*>(out.data())}) {
      if (overlap(other, work.data(), work.size_bytes())) {
        throw SizeError("workspace overlaps an argument: pass an array of its own");
      }
    }
    if (out.empty()) return;
    const bool square = a.data() == b.data();
    to_values(a.data(), work.data(), out.size(), stream);
    if (!square) to_values(b.data(), out.data(), out.size(), stream);
    const Word* const right = square ? work.data() : out.data();
    run("multiplying", Multiply<Word, false>{rows_of<Word>(out.size()), work.data(), right, out.data()},
        stream);
    kernel<Word, true>(out.data(), out.data(), out.size(), stream);
    if (spec.input_order == Order::bit_reversed) {
      permute(static_cast<const Word*>(out.data()), out.data(), out.size(), stream);
    }
  }

  template <class Word>
  void to_values(const Word* in, Word* out, std::size_t words, CudaStream stream) const {
    if (spec.input_order == Order::bit_reversed) {
      permute(in, out, words, stream);
      in = out;
    }
    kernel<Word, false>(in, out, words, stream);
  }

  template <class Word>
  void require_reduced(std::span<const Word> x, CudaStream stream) const {
    check_stream(stream);
    check_array(x, "x");
    if (x.empty()) return;
    constexpr unsigned long long kNone = ~0ull;
    unsigned long long found = kNone;
    const CudaBuffer answer(device, sizeof found, stream);
    answer.from_host(&found, stream);
    run("checking residues",
        FindUnreduced<Word>{rows_of<Word>(x.size()), x.data(),
                            static_cast<unsigned long long*>(answer.data())},
        stream);
    answer.to_host(&found, stream);
    if (found == kNone) return;
    Word value = 0;
    runtime.copy(device, &value, x.data() + found, sizeof value, stream);
    runtime.synchronize(device, stream);
    const std::size_t row_index = static_cast<std::size_t>(found) / spec.n,
                      limb = row_index % spec.moduli.size();
    throw ParameterError("x[" + std::to_string(row_index / spec.moduli.size()) + "][" + std::to_string(limb) +
                         "][" + std::to_string(found % spec.n) + "] = " + std::to_string(value) +
                         " is not reduced: allowed is [0, q) with q = " + std::to_string(spec.moduli[limb]) +
                         "; reduce the input modulo q");
  }
};

CudaNttPlan::CudaNttPlan(NttSpec spec, int device) {
  const CudaDevice card = usable_device(device);
  spec = checked(std::move(spec));
  CudaRecipe recipe = chosen(spec, card, nullptr, 1);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe), card);
}

CudaNttPlan::CudaNttPlan(NttSpec spec, const Wisdom& wisdom, std::size_t batch, int device) {
  const CudaDevice card = usable_device(device);
  spec = checked(std::move(spec));
  CudaRecipe recipe = chosen(spec, card, &wisdom, batch);
  impl_ = std::make_shared<const Impl>(std::move(spec), std::move(recipe), card);
}

CudaNttPlan::CudaNttPlan(NttSpec spec, CudaRecipe recipe, int device) {
  const CudaDevice card = usable_device(device);
  impl_ = std::make_shared<const Impl>(checked(std::move(spec)), std::move(recipe), card);
}

const NttSpec& CudaNttPlan::spec() const { return impl_->spec; }
const CudaRecipe& CudaNttPlan::recipe() const { return impl_->recipe; }
int CudaNttPlan::device() const { return impl_->device; }
std::size_t CudaNttPlan::table_bytes() const { return impl_->memory().bytes(); }

#define NTTF_PLAN_FORWARDERS(Word)                                                                        \
  void CudaNttPlan::forward(std::span<const Word> in, std::span<Word> out, CudaStream stream) const {     \
    impl_->transform<Word, false>(in, out, stream);                                                       \
  }                                                                                                       \
  void CudaNttPlan::inverse(std::span<const Word> in, std::span<Word> out, CudaStream stream) const {     \
    impl_->transform<Word, true>(in, out, stream);                                                        \
  }                                                                                                       \
  void CudaNttPlan::multiply(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,       \
                             CudaStream stream) const {                                                   \
    impl_->multiply<Word, false>(a, b, out, stream);                                                      \
  }                                                                                                       \
  void CudaNttPlan::multiply_accumulate(std::span<const Word> a, std::span<const Word> b,                 \
                                        std::span<Word> accumulator, CudaStream stream) const {           \
    impl_->multiply<Word, true>(a, b, accumulator, stream);                                               \
  }                                                                                                       \
  void CudaNttPlan::polynomial_product(std::span<const Word> a, std::span<const Word> b,                  \
                                       std::span<Word> out, std::span<Word> workspace, CudaStream stream) \
      const {                                                                                             \
    impl_->product<Word>(a, b, out, workspace, stream);                                                   \
  }                                                                                                       \
  void CudaNttPlan::require_reduced(std::span<const Word> x, CudaStream stream) const {                   \
    impl_->require_reduced<Word>(x, stream);                                                              \
  }
NTTF_PLAN_FORWARDERS(std::uint64_t)
NTTF_PLAN_FORWARDERS(std::uint32_t)

}  // namespace nttforge::cuda
