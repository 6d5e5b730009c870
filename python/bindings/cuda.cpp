// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/system/system.hpp"
#include "nttforge/cuda/candidates.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/cuda/explorer.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/cuda/runtime/runtime_host.hpp"
#include "nttforge/cuda/stream_scope.hpp"

namespace nttforge::bindings {
namespace {

using namespace nttforge::cuda;  // NOLINT: this file mirrors that namespace

// Addresses of device memory and streams are Python integers here.
CudaStream stream_at(std::uintptr_t address) { return reinterpret_cast<CudaStream>(address); }

template <class Word>
std::span<const Word> words_in(std::uintptr_t address, std::size_t count) {
  return {reinterpret_cast<const Word*>(address), count};
}
template <class Word>
std::span<Word> words_out(std::uintptr_t address, std::size_t count) {
  return {reinterpret_cast<Word*>(address), count};
}

CallPlaces places_if(bool promised) { return promised ? CallPlaces::promised : CallPlaces::checked; }

/// call(word) with a word of the plan's size.
template <class Call>
void with_word(const CudaNttPlan& plan, const Call& call) {
  plan.spec().word_bits == 64 ? call(std::uint64_t{}) : call(std::uint32_t{});
}

nb::dict to_dict(const CudaDevice& d) {
  nb::dict out;
  out["ordinal"] = d.ordinal;
  out["name"] = d.name;
  out["compute_capability"] = d.compute_capability;
  out["multiprocessors"] = d.multiprocessors;
  out["clock_khz"] = d.clock_khz;
  out["max_threads_per_block"] = d.max_threads_per_block;
  out["max_cluster"] = d.max_cluster;
  out["shared_bytes_per_block"] = d.shared_bytes_per_block;
  out["l2_bytes"] = d.l2_bytes;
  out["total_bytes"] = d.total_bytes;
  out["memory_bytes_per_s"] = d.memory_bytes_per_s;
  out["driver"] = d.driver;
  return out;
}

void bind_devices(nb::module_& m) {
  m.def("in_this_build", &in_this_build);
  m.def("host_in_this_build", &host_in_this_build);
  m.def("architectures", [] { return std::string(architectures_of_build()); });
  m.def("why_unavailable", &why_unavailable, WithoutGil());
  m.def("device_count", &device_count, WithoutGil());
  m.def("parse_device", &parse_device, nb::arg("name"));
  nb::class_<StreamScope>(m, "StreamScope")
      .def(
          "__init__",
          [](StreamScope* self, int device, std::uintptr_t stream) {
            new (self) StreamScope(device, stream_at(stream));
          },
          nb::arg("device"), nb::arg("stream"));
  nb::class_<ApartScope>(m, "ApartScope").def(nb::init<int>(), nb::arg("device"), WithoutGil());
  nb::class_<StreamMark>(m, "StreamMark")
      .def(nb::init<int>(), nb::arg("device"), WithoutGil())
      .def("wait", &StreamMark::wait, WithoutGil());
  m.def("device_name", &device_name, nb::arg("device"));
  m.def(
      "describe_device",
      [](int device) {
        CudaDevice found;
        {
          const nb::gil_scoped_release release;
          found = describe_device(device);
        }
        return to_dict(found);
      },
      nb::arg("device"), nb::sig("def describe_device(device: int) -> dict[str, typing.Any]"));
  m.def(
      "pool_info",
      [](int device) {
        const CudaPoolInfo info = pool_info(device);
        return nb::make_tuple(info.used_bytes, info.held_bytes, info.limit_bytes, info.free_bytes,
                              info.total_bytes);
      },
      nb::arg("device"), nb::sig("def pool_info(device: int) -> tuple[int, int, int, int, int]"));
  m.def("set_pool_limit", &set_pool_limit, nb::arg("device"), nb::arg("bytes"), WithoutGil());
  m.def("trim_pool", &trim_pool, nb::arg("device"), WithoutGil());
  m.def(
      "order",
      [](int device, std::uintptr_t earlier, std::uintptr_t later) {
        runtime_of(device).order(device, stream_at(earlier), stream_at(later));
      },
      nb::arg("device"), nb::arg("earlier"), nb::arg("later"), WithoutGil());
  m.def(
      "synchronize",
      [](int device, std::uintptr_t stream) { runtime_of(device).synchronize(device, stream_at(stream)); },
      nb::arg("device"), nb::arg("stream"), WithoutGil());
  m.def(
      "device_of_pointer",
      [](std::uintptr_t address) -> std::optional<int> {
        const CudaPlace place = machine_runtime().locate(reinterpret_cast<const void*>(address));
        const bool found = place.kind == CudaPlace::Kind::device || place.kind == CudaPlace::Kind::managed;
        return found ? std::optional(place.device) : std::nullopt;
      },
      nb::arg("address"), WithoutGil());
  m.def(
      "is_mapped", [](std::uintptr_t address) { return nttforge::system::is_mapped(address); },
      nb::arg("address"), "Whether there is memory of this process: the driver does not ask.");
  m.def("reset_host", &reset_host, nb::arg("device"), "As somebody's cudaDeviceReset(), for tests.");
  m.def(
      "make_stream",
      [](int device) { return reinterpret_cast<std::uintptr_t>(runtime_of(device).make_stream(device)); },
      nb::arg("device"), "A stream of our own, for tests.");
  m.def(
      "destroy_stream",
      [](int device, std::uintptr_t stream) { runtime_of(device).destroy_stream(device, stream_at(stream)); },
      nb::arg("device"), nb::arg("stream"));
  m.def("releases_in_dead_streams", &host_releases_in_dead_streams,
        "How often memory of the host's devices was released in a stream that was gone, for tests.");
  m.def(
      "copy_to_host",
      [](int device, std::uintptr_t from, nb::ndarray<nb::c_contig, nb::device::cpu> to,
         std::uintptr_t stream) {
        CudaRuntime& runtime = runtime_of(device);
        runtime.copy(device, to.data(), reinterpret_cast<const void*>(from), to.nbytes(), stream_at(stream));
        runtime.synchronize(device, stream_at(stream));
      },
      nb::arg("device"), nb::arg("from_address"), nb::arg("to").noconvert(), nb::arg("stream"), WithoutGil(),
      nb::sig("def copy_to_host(device: int, from_address: int, to: numpy.typing.NDArray[typing.Any], "
              "stream: int) -> None"));
}

/// What an array of another library says about itself by DLPack.
nb::tuple look_at_dlpack(const nb::ndarray<>& x) {
  nb::list shape, strides;
  for (std::size_t i = 0; i < x.ndim(); ++i) {
    shape.append(x.shape(i));
    strides.append(x.stride(i));
  }
  const nb::dlpack::dtype type = x.dtype();
  return nb::make_tuple(reinterpret_cast<std::uintptr_t>(x.data()), nb::tuple(shape), nb::tuple(strides),
                        type.code, static_cast<int>(type.bits) * type.lanes, x.device_type(), x.device_id());
}

/// The buffer's words for others, who keep it alive.
nb::object export_buffer(const CudaBuffer& buffer, const std::vector<std::size_t>& shape,
                         unsigned word_bits) {
  buffer.share();
  auto* const kept = new CudaBuffer(buffer);
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<CudaBuffer*>(p); });
  const nb::dlpack::dtype type{static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt),
                               static_cast<std::uint8_t>(word_bits), 1};
  const bool host = buffer.device() < 0;
  return nb::cast(nb::ndarray<nb::array_api>(buffer.data(), shape.size(), shape.data(), owner, nullptr, type,
                                             host ? nb::device::cpu::value : nb::device::cuda::value,
                                             host ? 0 : buffer.device()));
}

void bind_buffer(nb::module_& m) {
  nb::class_<CudaBuffer>(m, "Buffer")
      .def(
          "__init__",
          [](CudaBuffer* self, int device, std::size_t bytes, std::uintptr_t stream, const nb::object&) {
            const nb::gil_scoped_release release;
            new (self) CudaBuffer(device, bytes, stream_at(stream));
          },
          nb::arg("device"), nb::arg("bytes"), nb::arg("stream"), nb::arg("owner").none(),
          nb::keep_alive<1, 5>(), "The memory is released in the stream before its owner is.")
      .def_prop_ro("address", [](const CudaBuffer& b) { return reinterpret_cast<std::uintptr_t>(b.data()); })
      .def_prop_ro("bytes", &CudaBuffer::bytes)
      .def_prop_ro("device", &CudaBuffer::device)
      .def_prop_ro("context", &CudaBuffer::context_id)
      .def("share", &CudaBuffer::share)
      .def("require_alive", &CudaBuffer::require_alive, WithoutGil())
      .def(
          "from_host",
          [](const CudaBuffer& b, nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu> x,
             std::uintptr_t stream) {
            if (x.nbytes() != b.bytes()) throw SizeError("the array has another size than the buffer");
            b.from_host(x.data(), stream_at(stream));
          },
          nb::arg("x").noconvert(), nb::arg("stream"), WithoutGil(),
          nb::sig("def from_host(self, x: numpy.typing.NDArray[typing.Any], stream: int) -> None"))
      .def("export", &export_buffer, nb::arg("shape"), nb::arg("word_bits"),
           nb::sig("def export(self, shape: collections.abc.Sequence[int], word_bits: int) -> typing.Any"));
  m.def("look_at_dlpack", &look_at_dlpack, nb::arg("x"),
        nb::sig("def look_at_dlpack(x: object) -> "
                "tuple[int, tuple[int, ...], tuple[int, ...], int, int, int, int]"));
}

template <class Method>
auto unary(const Method& method) {
  return [method](const CudaNttPlan& p, std::uintptr_t in, std::uintptr_t out, std::size_t words,
                  std::uintptr_t stream, bool promised) {
    with_word(p, [&](auto word) {
      using Word = decltype(word);
      method(p, words_in<Word>(in, words), words_out<Word>(out, words), stream_at(stream),
             places_if(promised));
    });
  };
}

template <class Method>
auto binary(const Method& method) {
  return [method](const CudaNttPlan& p, std::uintptr_t a, std::uintptr_t b, std::uintptr_t out,
                  std::size_t words, std::uintptr_t stream, bool promised) {
    with_word(p, [&](auto word) {
      using Word = decltype(word);
      method(p, words_in<Word>(a, words), words_in<Word>(b, words), words_out<Word>(out, words),
             stream_at(stream), places_if(promised));
    });
  };
}

void bind_plan(nb::module_& m) {
  nb::class_<CudaNttPlan>(m, "NttPlan")
      .def(
          "__init__",
          [](CudaNttPlan* self, const NttSpec& spec, int device, const std::optional<std::string>& recipe,
             const std::vector<std::uint64_t>& inverse_factors) {
            const CudaPlanOptions options{.inverse_factors = inverse_factors};
            if (recipe) {
              new (self) CudaNttPlan(spec, CudaRecipe::from_json(*recipe), device, options);
            } else {
              new (self) CudaNttPlan(spec, device, options);
            }
          },
          nb::arg("spec"), nb::arg("device"), nb::arg("recipe_json").none(), nb::arg("inverse_factors"),
          WithoutGil())
      .def_prop_ro("spec", &CudaNttPlan::spec)
      .def_prop_ro("recipe_json", [](const CudaNttPlan& p) { return p.recipe().to_json(); })
      .def_prop_ro("device", &CudaNttPlan::device)
      .def_prop_ro("context", &CudaNttPlan::context_id)
      .def_prop_ro("table_bytes", &CudaNttPlan::table_bytes)
      .def("forward", unary([](const auto& p, auto in, auto out, auto stream, auto places) {
             p.forward(in, out, stream, places);
           }),
           nb::arg("x"), nb::arg("out"), nb::arg("words"), nb::arg("stream"), nb::arg("promised"),
           WithoutGil())
      .def("inverse", unary([](const auto& p, auto in, auto out, auto stream, auto places) {
             p.inverse(in, out, stream, places);
           }),
           nb::arg("x"), nb::arg("out"), nb::arg("words"), nb::arg("stream"), nb::arg("promised"),
           WithoutGil())
      .def("multiply", binary([](const auto& p, auto a, auto b, auto out, auto stream, auto places) {
             p.multiply(a, b, out, stream, places);
           }),
           nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("words"), nb::arg("stream"),
           nb::arg("promised"), WithoutGil())
      .def("multiply_accumulate",
           binary([](const auto& p, auto a, auto b, auto out, auto stream, auto places) {
             p.multiply_accumulate(a, b, out, stream, places);
           }),
           nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("words"), nb::arg("stream"),
           nb::arg("promised"), WithoutGil())
      .def(
          "polynomial_product",
          [](const CudaNttPlan& p, std::uintptr_t a, std::uintptr_t b, std::uintptr_t out,
             std::uintptr_t workspace, std::size_t words, std::uintptr_t stream, bool promised) {
            with_word(p, [&](auto word) {
              using Word = decltype(word);
              p.polynomial_product(words_in<Word>(a, words), words_in<Word>(b, words),
                                   words_out<Word>(out, words), words_out<Word>(workspace, words),
                                   stream_at(stream), places_if(promised));
            });
          },
          nb::arg("a"), nb::arg("b"), nb::arg("out"), nb::arg("workspace"), nb::arg("words"),
          nb::arg("stream"), nb::arg("promised"), WithoutGil())
      .def(
          "require_reduced",
          [](const CudaNttPlan& p, std::uintptr_t x, std::size_t words, std::uintptr_t stream) {
            with_word(p, [&](auto word) {
              p.require_reduced(words_in<decltype(word)>(x, words), stream_at(stream));
            });
          },
          nb::arg("x"), nb::arg("words"), nb::arg("stream"), WithoutGil());
}

const char* state_name(CudaExploredRecipe::State state) {
  switch (state) {
    case CudaExploredRecipe::State::measured:
      return "measured";
    case CudaExploredRecipe::State::wrong:
      return "wrong";
    default:
      return "not_tried";
  }
}

nb::tuple run_explore(const NttSpec& spec, int device, std::size_t batch, double budget_s,
                      const nb::object& progress) {
  CudaExploreOptions options{device, batch, budget_s};
  options.progress = [&](std::size_t step, std::size_t steps, const CudaExploredRecipe& at) {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return progress.is_none() || nb::cast<bool>(progress(step, steps, at.recipe.to_json(), at.measured_ns));
  };
  CudaExploration found;
  {
    const nb::gil_scoped_release release;
    found = explore(spec, options);
  }
  nb::list recipes;
  for (const CudaExploredRecipe& r : found.recipes) {
    recipes.append(nb::make_tuple(r.recipe.to_json(), r.predicted_ns, r.measured_ns, r.rounds,
                                  state_name(r.state), r.fused_product_ns, r.composed_product_ns));
  }
  return nb::make_tuple(recipes, found.complete, found.elapsed_s);
}

void bind_explorer_of_cuda(nb::module_& m) {
  m.def(
      "candidate_recipes",
      [](const NttSpec& spec, int device, std::size_t batch) {
        const CudaDevice card = describe_device(device);
        const NttSpec valid = validated(spec);
        std::vector<std::pair<std::string, double>> out;
        for (const CudaRecipe& recipe : candidate_recipes(valid, card, batch)) {
          out.emplace_back(recipe.to_json(), predicted_ns(valid, recipe, card, batch));
        }
        return out;
      },
      nb::arg("spec"), nb::arg("device"), nb::arg("batch"), WithoutGil());
  m.def(
      "paper_recipes",
      [](const NttSpec& spec, int device) {
        std::vector<std::string> out;
        for (const CudaRecipe& recipe : paper_recipes(spec, describe_device(device)))
          out.push_back(recipe.to_json());
        return out;
      },
      nb::arg("spec"), nb::arg("device"), WithoutGil());
  m.def("explore", &run_explore, nb::arg("spec"), nb::arg("device"), nb::arg("batch"), nb::arg("budget_s"),
        nb::arg("progress").none(),
        nb::sig("def explore(spec: nttforge._core.NttSpec, device: int, batch: int, budget_s: float, "
                "progress: object | None) -> "
                "tuple[list[tuple[str, float, float, int, str, float, float]], bool, float]"));
  m.def(
      "find_wisdom",
      [](const Wisdom& wisdom, const NttSpec& spec, int device,
         std::size_t batch) -> std::optional<std::string> {
        const auto recipe = find_in_wisdom(wisdom, spec, describe_device(device), batch);
        if (!recipe) return std::nullopt;
        return recipe->to_json();
      },
      nb::arg("wisdom"), nb::arg("spec"), nb::arg("device"), nb::arg("batch"));
  m.def(
      "remember_wisdom",
      [](Wisdom& wisdom, const NttSpec& spec, int device, std::size_t batch, std::string_view recipe,
         double ns) {
        remember_in_wisdom(wisdom, spec, describe_device(device), batch, CudaRecipe::from_json(recipe), ns);
      },
      nb::arg("wisdom"), nb::arg("spec"), nb::arg("device"), nb::arg("batch"), nb::arg("recipe"),
      nb::arg("ns"));
}

}  // namespace

void bind_cuda(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("cuda", "NVIDIA GPUs.");
  bind_devices(m);
  bind_buffer(m);
  bind_plan(m);
  bind_explorer_of_cuda(m);
}

}  // namespace nttforge::bindings
