// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "nttforge/circuits/expansion.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/key_generator.hpp"
#include "nttforge/rlwe/serialize.hpp"
#include "object_bytes.hpp"

namespace nttforge::bindings {
namespace {

using namespace rlwe;  // NOLINT: this file mirrors that namespace

/// The distribution of a name, or none: that of the parameters.
std::optional<SecretDistribution> distribution_of(const std::optional<std::string>& name,
                                                  std::uint32_t weight) {
  return name.has_value() ? std::optional(parse_secret_distribution(*name, weight)) : std::nullopt;
}

void write_keys(const EvaluationKeys& keys, const nb::callable& to, const nb::object& progress) {
  const ByteProgress report = progress_of(progress);
  const ReleasedGil released;
  write(keys, sent_to(to), report);
}

EvaluationKeys read_keys(const RlweContextPtr& context, const nb::callable& from, const nb::object& progress,
                         std::optional<std::size_t> offload) {
  const ByteProgress report = progress_of(progress);
  const ReleasedGil released;
  return read_evaluation_keys(context, fetched_from(from), report, offload);
}

}  // namespace

void bind_keys(nb::module_& m) {
  nb::class_<SecretKey>(m, "SecretKey")
      .def("to", &SecretKey::to, nb::arg("context"), WithoutGil())
      .def("to_bytes", &bytes_of<SecretKey>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data) { return secret_key_from_bytes(std::move(c), view(data)); },
          nb::arg("context"), nb::arg("data"), WithoutGil());
  nb::class_<PublicKey>(m, "PublicKey")
      .def("to", &PublicKey::to, nb::arg("context"), WithoutGil())
      .def("to_bytes", &bytes_of<PublicKey>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data) { return public_key_from_bytes(std::move(c), view(data)); },
          nb::arg("context"), nb::arg("data"), WithoutGil());
  nb::class_<KeySwitchKey>(m, "KeySwitchKey")
      .def("at_level", &KeySwitchKey::at_level, nb::arg("level"), WithoutGil())
      .def_prop_ro("level", &KeySwitchKey::level)
      .def("to", &KeySwitchKey::to, nb::arg("context"), WithoutGil())
      .def("to_bytes", &bytes_of<KeySwitchKey>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data) { return key_switch_key_from_bytes(std::move(c), view(data)); },
          nb::arg("context"), nb::arg("data"), WithoutGil());
  nb::class_<RelinearizationKey>(m, "RelinearizationKey")
      .def("offload", &RelinearizationKey::offload, nb::arg("cached"), WithoutGil())
      .def("load", &RelinearizationKey::load, WithoutGil())
      .def_prop_ro("offloaded", &RelinearizationKey::offloaded)
      .def("at_level", &RelinearizationKey::at_level, nb::arg("level"), WithoutGil())
      .def_prop_ro("level", &RelinearizationKey::level)
      .def("to", &RelinearizationKey::to, nb::arg("context"), WithoutGil())
      .def("to_bytes", &bytes_of<RelinearizationKey>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data) {
            return relinearization_key_from_bytes(std::move(c), view(data));
          },
          nb::arg("context"), nb::arg("data"), WithoutGil());
  nb::class_<RotationKeys>(m, "RotationKeys")
      .def("offload", &RotationKeys::offload, nb::arg("cached"), WithoutGil())
      .def("load", &RotationKeys::load, WithoutGil())
      .def_prop_ro("offloaded", &RotationKeys::offloaded)
      .def("at_level", &RotationKeys::at_level, nb::arg("level"), WithoutGil())
      .def_prop_ro("level", &RotationKeys::level)
      .def("to", &RotationKeys::to, nb::arg("context"), WithoutGil())
      .def(
          "joined",
          [](const RotationKeys& keys, const RotationKeys& more) {
            RotationKeys all = keys;
            for (const std::uint64_t element : more.elements())
              if (!all.has_element(element)) all.insert(more.key(element));
            return all;
          },
          nb::arg("other"), WithoutGil())
      .def("has_step", &RotationKeys::has_step, nb::arg("step"))
      .def("composed", &RotationKeys::composed, nb::arg("step"), nb::arg("level"))
      .def_prop_ro("has_column_swap", &RotationKeys::has_column_swap)
      .def_prop_ro("steps", &RotationKeys::steps)
      .def_prop_ro("elements", &RotationKeys::elements)
      .def("to_bytes", &bytes_of<RotationKeys>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data, std::optional<std::size_t> offload) {
            return rotation_keys_from_bytes(std::move(c), view(data), offload);
          },
          nb::arg("context"), nb::arg("data"), nb::arg("offload") = nb::none(), WithoutGil());

  nb::class_<EvaluationKeys>(m, "EvaluationKeys")
      .def(
          "__init__",
          [](EvaluationKeys* self, const RelinearizationKey* relinearization, const RotationKeys* rotations) {
            new (self) EvaluationKeys();
            if (relinearization != nullptr) self->relinearization = *relinearization;
            if (rotations != nullptr) self->rotations = *rotations;
          },
          nb::arg("relinearization").none(), nb::arg("rotations").none())
      .def_prop_ro("relinearization",
                   [](const EvaluationKeys& keys) -> std::optional<RelinearizationKey> {
                     if (keys.relinearization.empty()) return std::nullopt;
                     return keys.relinearization;
                   })
      .def_prop_ro("rotations",
                   [](const EvaluationKeys& keys) -> std::optional<RotationKeys> {
                     if (keys.rotations.context() == nullptr) return std::nullopt;
                     return keys.rotations;
                   })
      .def("at_level", &EvaluationKeys::at_level, nb::arg("level"), WithoutGil())
      .def_prop_ro("serialized_size", [](const EvaluationKeys& keys) { return serialized_size(keys); })
      .def("write", &write_keys, nb::arg("to"), nb::arg("progress").none(),
           nb::sig("def write(self, to: collections.abc.Callable[[bytes], object], "
                   "progress: collections.abc.Callable[[int, int], object] | None) -> None"))
      .def_static("read", &read_keys, nb::arg("context"), nb::arg("from_"), nb::arg("progress").none(),
                  nb::arg("offload").none(),
                  nb::sig("def read(context: Context, from_: collections.abc.Callable[[int], bytes], "
                          "progress: collections.abc.Callable[[int, int], object] | None, "
                          "offload: int | None) -> EvaluationKeys"))
      .def("to_bytes", &bytes_of<EvaluationKeys>)
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data, std::optional<std::size_t> offload) {
            return evaluation_keys_from_bytes(std::move(c), view(data), offload);
          },
          nb::arg("context"), nb::arg("data"), nb::arg("offload") = nb::none(), WithoutGil());

  nb::class_<KeyGenerator>(m, "KeyGenerator")
      .def(
          "__init__",
          [](KeyGenerator* self, RlweContextPtr c, const std::optional<std::string>& secret,
             std::uint32_t weight) {
            new (self) KeyGenerator(std::move(c), os_seed(), distribution_of(secret, weight));
          },
          nb::arg("context"), nb::arg("secret").none(), nb::arg("secret_weight"), WithoutGil())
      .def(
          "__init__",
          [](KeyGenerator* self, RlweContextPtr c, const std::optional<std::string>& secret,
             std::uint32_t weight, Bytes seed) {
            new (self) KeyGenerator(std::move(c), to_seed(seed), distribution_of(secret, weight));
          },
          nb::arg("context"), nb::arg("secret").none(), nb::arg("secret_weight"), nb::arg("seed"),
          WithoutGil())
      .def(nb::init<SecretKey>(), nb::arg("secret"), WithoutGil())
      .def("secret_key", [](const KeyGenerator& g) { return g.secret_key(); })
      .def("public_key", &KeyGenerator::public_key, WithoutGil())
      .def(
          "relinearization_key", [](const KeyGenerator& g) { return g.relinearization_key(); }, WithoutGil())
      .def("key_switch_key", &KeyGenerator::key_switch_key, nb::arg("source"), nb::arg("target"),
           nb::arg("index"), nb::arg("level"), nb::arg("special"), WithoutGil())
      .def(
          "rotation_keys",
          [](const KeyGenerator& g, const std::vector<std::int64_t>& steps, bool column_swap,
             std::optional<std::size_t> offload) { return g.rotation_keys(steps, column_swap, offload); },
          nb::arg("steps"), nb::arg("column_swap"), nb::arg("offload").none(), WithoutGil())
      .def(
          "galois_keys",
          [](const KeyGenerator& g, const std::vector<std::uint64_t>& elements,
             std::optional<std::size_t> offload) { return g.galois_keys(elements, offload); },
          nb::arg("elements"), nb::arg("offload").none(), WithoutGil());
  m.def("expansion_elements", &circuits::expansion_elements, nb::arg("n"), nb::arg("count"));
  m.def("inner_sum_steps", &inner_sum_steps, nb::arg("n"), nb::arg("span"));
}

}  // namespace nttforge::bindings
