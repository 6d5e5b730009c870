// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>

#include "bindings.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/budget.hpp"
#include "nttforge/integer_encoding/decryptor.hpp"
#include "nttforge/integer_encoding/encryptor.hpp"
#include "nttforge/integer_encoding/serialize.hpp"
#include "nttforge/rlwe/galois.hpp"
#include "nttforge/rlwe/key_generator.hpp"
#include "nttforge/rlwe/parameters.hpp"
#include "object_bytes.hpp"

namespace nttforge::bindings {
namespace {

using namespace integer_encoding;  // NOLINT: this file mirrors that namespace, and rlwe

/// Largest coefficient, size at the roots, power of the secret.
using NoiseNumbers = std::tuple<double, double, double>;
Noise to_noise(const std::optional<NoiseNumbers>& noise) {
  return noise.has_value() ? std::make_from_tuple<Noise>(*noise) : Noise::unknown();
}

nb::dict to_dict(const ObjectSizes& sizes) {
  nb::dict out;
  out["plaintext"] = sizes.plaintext;
  out["ciphertext"] = sizes.ciphertext;
  out["ciphertext_seeded"] = sizes.ciphertext_seeded;
  out["ciphertext_three_parts"] = sizes.ciphertext_three_parts;
  out["secret_key"] = sizes.secret_key;
  out["public_key"] = sizes.public_key;
  out["relinearization_key"] = sizes.relinearization_key;
  out["rotation_key"] = sizes.rotation_key;
  out["rotation_keys_frame"] = sizes.rotation_keys_frame;
  out["evaluation_keys_frame"] = sizes.evaluation_keys_frame;
  return out;
}

void bind_parameters(nb::module_& m) {
  nb::class_<RlweParameters>(m, "Parameters")
      .def_ro("n", &RlweParameters::n)
      .def_ro("q", &RlweParameters::q)
      .def_ro("special_primes", &RlweParameters::special)
      .def_ro("digit_primes", &RlweParameters::digit_primes)
      .def_ro("word_bits", &RlweParameters::word_bits)
      .def_prop_ro("secret", [](const RlweParameters& p) { return std::string(p.secret.facts(p.n).name); })
      .def_prop_ro("secret_weight", [](const RlweParameters& p) { return p.secret.weight; })
      .def_prop_ro("error",
                   [](const RlweParameters& p) { return std::string(error_distribution_name(p.error)); })
      .def_prop_ro("security",
                   [](const RlweParameters& p) { return std::string(security_level_name(p.security)); })
      .def_prop_ro("security_table",
                   [](const RlweParameters& p) { return std::string(security_table_name(p.security_table)); })
      .def_prop_ro(
          "security_table_title",
          [](const RlweParameters& p) { return std::string(security_table_title(p.security_table)); })
      .def_prop_ro("levels",
                   [](const RlweParameters& p) {
                     std::vector<std::pair<std::size_t, std::size_t>> windows;
                     for (const Window& w : p.levels) windows.emplace_back(w.first, w.last);
                     return windows;
                   })
      .def_prop_ro("top_level", &RlweParameters::top_level)
      .def_prop_ro("q_bits", &RlweParameters::q_bits)
      .def_prop_ro("modulus_bits", &RlweParameters::modulus_bits)
      .def_prop_ro("has_evaluation_keys", &RlweParameters::has_evaluation_keys)
      .def("security_verdict",
           [](const RlweParameters& p, std::string_view table) {
             const SecurityVerdict verdict = p.security_verdict(parse_security_table(table));
             return std::pair(verdict.bits, verdict.reason);
           })
      .def(
          "serialized_sizes",
          [](const RlweParameters& p, std::size_t batch, std::size_t level) {
            return to_dict(p.serialized_sizes(batch, level));
          },
          nb::arg("batch"), nb::arg("level"),
          nb::sig("def serialized_sizes(self, batch: int, level: int) -> dict[str, int]"))
      .def(
          "memory_sizes",
          [](const RlweParameters& p, std::size_t batch, std::size_t level) {
            return to_dict(p.memory_sizes(batch, level));
          },
          nb::arg("batch"), nb::arg("level"),
          nb::sig("def memory_sizes(self, batch: int, level: int) -> dict[str, int]"))
      .def("describe", &RlweParameters::describe)
      .def("to_bytes", [](const RlweParameters& p) { return bytes_of(p); });
  nb::class_<IntegerParameters, RlweParameters>(m, "IntegerParameters")
      .def_ro("t", &IntegerParameters::t)
      .def_prop_ro("has_batching", &IntegerParameters::has_batching)
      .def(
          "serialized_sizes",
          [](const IntegerParameters& p, std::size_t batch, std::size_t level) {
            return to_dict(p.serialized_sizes(batch, level));
          },
          nb::arg("batch"), nb::arg("level"),
          nb::sig("def serialized_sizes(self, batch: int, level: int) -> dict[str, int]"));
}

void bind_context(nb::module_& m) {
  nb::class_<Device>(m, "Device", nb::is_weak_referenceable())
      .def_prop_ro("description", &Device::description)
      .def("require_alive", &Device::require_alive)
      .def("require_memory", &Device::require_memory, nb::arg("bytes"), nb::arg("what"), WithoutGil());
  m.def(
      "cpu_device",
      [](unsigned threads, std::string_view target) {
        return target.empty() ? make_cpu_device(threads) : make_cpu_device(threads, parse_target(target));
      },
      nb::arg("threads"), nb::arg("target"), WithoutGil());
  m.def("cuda_device", &make_cuda_device, nb::arg("ordinal"), WithoutGil());
  nb::class_<Graph>(m, "Graph")
      .def(
          "run", [](const Graph& graph, const RlweContext& context) { graph.run(context.queue()); },
          nb::arg("context"), WithoutGil());
  nb::class_<Capture>(m, "Capture")
      .def(
          "finish", [](Capture& capture) { return std::const_pointer_cast<Graph>(capture.finish()); },
          WithoutGil());
  nb::class_<RlweContext>(m, "Context")
      .def(
          "begin_capture", [](const RlweContext& c) { return c.queue().begin_capture(); }, WithoutGil())
      .def_prop_ro("fingerprint", &RlweContext::fingerprint)
      .def_prop_ro("lowest_level", &RlweContext::lowest_level)
      .def("compatible", &RlweContext::compatible, nb::arg("other"))
      .def("require_alive", [](const RlweContext& c) { c.device().require_alive(); })
      .def(
          "require_memory",
          [](const RlweContext& c, std::uint64_t bytes, const std::string& what) {
            c.device().require_memory(bytes, what);
          },
          nb::arg("bytes"), nb::arg("what"), WithoutGil())
      .def("recipe_json", [](const RlweContext& c) { return c.device().recipe_json(c.ring_q()); });
  nb::class_<IntegerContext, RlweContext>(m, "IntegerContext");
}

/// What plaintexts and ciphertexts have as batches.
template <class Text>
void bind_batch(nb::class_<Text>& text) {
  text.def_prop_ro("batch", &Text::batch)
      .def("element", &Text::element, nb::arg("e"), WithoutGil())
      .def("elements", &Text::elements, nb::arg("first"), nb::arg("count"), nb::arg("context"), WithoutGil())
      .def_static(
          "stack", [](const std::vector<const Text*>& terms) { return Text::stack(terms); }, nb::arg("terms"),
          WithoutGil());
}

/// For each of `count` elements the bytes of all texts' elements, each behind its part of `before`: written
/// where they stay, without the GIL, as nobody else has them yet.
nb::list joined_elements(const std::vector<const Ciphertext*>& texts, const std::vector<nb::bytes>& before,
                         std::size_t first, std::size_t count, bool noise) {
  if (texts.size() != before.size()) throw SizeError("before needs as many entries as texts");
  std::size_t size = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == nullptr) throw ContextError("a text is None: need ciphertexts");
    size += before[i].size() + element_bytes(*texts[i], noise);
  }
  nb::list found;
  std::vector<std::vector<std::span<std::uint8_t>>> places(texts.size());
  for (std::size_t e = 0; e < count; ++e) {
    const nb::bytes one = nb::steal<nb::bytes>(PyBytes_FromStringAndSize(nullptr, Py_ssize_t(size)));
    if (!one.is_valid()) throw std::bad_alloc();
    auto* at = reinterpret_cast<std::uint8_t*>(PyBytes_AsString(one.ptr()));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      at = std::copy_n(reinterpret_cast<const std::uint8_t*>(before[i].c_str()), before[i].size(), at);
      places[i].emplace_back(at, element_bytes(*texts[i], noise));
      at += places[i].back().size();
    }
    found.append(one);
  }
  const ReleasedGil released;
  for (std::size_t i = 0; i < texts.size(); ++i) elements_to_bytes(*texts[i], first, noise, places[i]);
  return found;
}

void bind_texts(nb::module_& m) {
  nb::class_<Plaintext> plaintext(m, "Plaintext");
  plaintext.def("to", &Plaintext::to, nb::arg("context"), WithoutGil());
  bind_batch(plaintext);
  plaintext
      .def(
          "coefficients", [](const Plaintext& p, Out<std::uint64_t> out) { p.coefficients(view(out)); },
          nb::arg("out").noconvert(), WithoutGil())
      .def_static(
          "constant",
          [](IntegerContextPtr c, std::int64_t value, std::string_view encoding) {
            return Plaintext::constant(std::move(c), value, parse_encoding(encoding));
          },
          nb::arg("context"), nb::arg("value"), nb::arg("encoding"), WithoutGil())
      .def_prop_ro("encoding", [](const Plaintext& p) { return std::string(encoding_name(p.encoding())); })
      .def("equals", [](const Plaintext& a, const Plaintext& b) { return a == b; })
      .def("to_bytes", &bytes_of<Plaintext>)
      .def_static(
          "from_bytes",
          [](IntegerContextPtr c, Bytes data) { return plaintext_from_bytes(std::move(c), view(data)); },
          nb::arg("context"), nb::arg("data"), WithoutGil());
  nb::class_<PreparedPlaintext>(m, "PreparedPlaintext")
      .def(nb::init<const Plaintext&>(), nb::arg("plaintext"), WithoutGil());
  nb::class_<Ciphertext> ciphertext(m, "Ciphertext");
  ciphertext.def("to", &Ciphertext::to, nb::arg("context"), WithoutGil())
      .def("overwrite", &Ciphertext::overwrite, nb::arg("other"), WithoutGil())
      .def("room", &Ciphertext::room, nb::arg("batch"), nb::arg("context"), WithoutGil())
      .def("put", &Ciphertext::put, nb::arg("first"), nb::arg("part"), WithoutGil())
      .def("include", &Ciphertext::include, nb::arg("part"));
  bind_batch(ciphertext);
  ciphertext
      .def(
          "__init__",
          [](Ciphertext* self, RlweContextPtr c, std::size_t size, std::size_t level,
             In<std::uint64_t> residues, std::string_view encoding, std::optional<NoiseNumbers> noise,
             std::uint64_t factor, std::size_t batch) {
            const Meta kind{{level, c->form(), parse_encoding(encoding), factor}};
            c->require_message(kind);
            new (self) Ciphertext(std::move(c), size, view(residues), kind.computed(to_noise(noise)), batch);
          },
          nb::arg("context"), nb::arg("size"), nb::arg("level"), nb::arg("residues").noconvert(),
          nb::arg("encoding"), nb::arg("noise").none(), nb::arg("factor"), nb::arg("batch"), WithoutGil())
      .def_prop_ro("level", &Ciphertext::level)
      .def_prop_ro("factor", &Ciphertext::factor)
      .def_prop_ro("slots", [](const Ciphertext& c) { return c.meta().slots; })
      .def_prop_ro("scale",
                   [](const Ciphertext& c) { return std::pair(c.meta().scale.hi, c.meta().scale.lo); })
      .def_prop_ro("bound_log2", [](const Ciphertext& c) { return c.meta().numbers.bound; })
      // For what was just made and is known to be smaller than follows from its operations.
      .def(
          "set_bound_log2",
          [](Ciphertext& c, double bound) {
            Meta meta = c.meta();
            meta.numbers.bound = bound;
            c.context()->require_message(meta);
            c.set_meta(meta);
          },
          nb::arg("bound"))
      .def("views", &Ciphertext::views)
      .def_prop_ro("real", [](const Ciphertext& c) { return c.meta().numbers.real; })
      .def_prop_ro("form",
                   [](const Ciphertext& c) { return c.form() == Form::values ? "values" : "coefficients"; })
      .def_prop_ro("size", &Ciphertext::size)
      .def_prop_ro("stored_bits",
                   [](const Ciphertext& c) {
                     const StoredBits& bits = c.meta().stored_bits;
                     return std::vector<unsigned>(bits.begin(),
                                                  bits.begin() + (c.meta().rounded() ? c.size() : 0));
                   })
      .def_prop_ro("encoding", [](const Ciphertext& c) { return std::string(encoding_name(c.encoding())); })
      .def_prop_ro("noise",
                   [](const Ciphertext& c) -> std::optional<NoiseNumbers> {
                     const Noise& noise = c.noise();
                     if (!noise.known()) return std::nullopt;
                     return NoiseNumbers(noise.coefficient, noise.canonical, noise.degree);
                   })
      .def_prop_ro("proved_noise",
                   [](const Ciphertext& c) -> std::optional<std::pair<double, double>> {
                     const ProvedNoise& noise = c.noise().proved;
                     if (!noise.known()) return std::nullopt;
                     return std::pair(noise.coefficient, noise.canonical);
                   })
      // For pickles: a new object's exact bounds in place of what its bytes tell.
      .def("restore_noise",
           [](Ciphertext& c, const NoiseNumbers& numbers,
              const std::optional<std::pair<double, double>>& proved) {
             Meta meta = c.meta();
             meta.noise = to_noise(numbers);
             if (proved.has_value()) meta.noise.proved = {proved->first, proved->second};
             c.set_meta(meta);
           })
      .def_prop_ro("predicted_noise_budget_bits", &predicted_noise_budget_bits)
      .def_prop_ro("proved_noise_budget_bits", &proved_noise_budget_bits)
      .def_prop_ro("seeded", [](const Ciphertext& c) { return c.meta().seed.has_value(); })
      .def(
          "residues", [](const Ciphertext& c, Out<std::uint64_t> out) { c.residues(view(out)); },
          nb::arg("out").noconvert(), WithoutGil())
      .def("equals", [](const Ciphertext& a, const Ciphertext& b) { return a == b; })
      .def(
          "to_bytes",
          [](const Ciphertext& c, bool noise) {
            std::vector<std::uint8_t> data;
            {
              nb::gil_scoped_release release;
              data = to_bytes(c, noise);
            }
            return nb::bytes(data.data(), data.size());
          },
          nb::arg("noise"))
      .def(
          "element_bytes", [](const Ciphertext& c, bool noise) { return element_bytes(c, noise); },
          nb::arg("noise"))
      .def_static("elements_to_bytes", &joined_elements, nb::arg("texts"), nb::arg("before"),
                  nb::arg("first"), nb::arg("count"), nb::arg("noise"),
                  nb::sig("def elements_to_bytes(texts: list[Ciphertext], before: list[bytes], first: int, "
                          "count: int, noise: bool) -> list[bytes]"))
      .def_static(
          "stack_from_bytes",
          [](const RlweContextPtr& c, const std::vector<Bytes>& all) {
            std::vector<std::span<const std::uint8_t>> objects;
            for (const Bytes& data : all) objects.push_back(view(data));
            return stack_from_bytes(c, objects);
          },
          nb::arg("context"), nb::arg("objects"), WithoutGil())
      .def_static(
          "from_bytes",
          [](RlweContextPtr c, Bytes data, std::optional<std::uint64_t> most_bytes) {
            return ciphertext_from_bytes(std::move(c), view(data), most_bytes);
          },
          nb::arg("context"), nb::arg("data"), nb::arg("most_bytes").none(), WithoutGil());
}

void bind_encryption(nb::module_& m) {
  nb::class_<Encryptor>(m, "Encryptor")
      .def(nb::init<PublicKey>(), nb::arg("key"), WithoutGil())
      .def(nb::init<SecretKey>(), nb::arg("key"), WithoutGil())
      .def("encrypt", nb::overload_cast<const Plaintext&>(&Encryptor::encrypt, nb::const_),
           nb::arg("plaintext"), WithoutGil())
      .def(
          "encrypt",
          [](const Encryptor& e, const Plaintext& plaintext, Bytes seed, std::uint32_t index) {
            return e.encrypt(plaintext, to_seed(seed), index);
          },
          nb::arg("plaintext"), nb::arg("seed"), nb::arg("index"), WithoutGil())
      .def(
          "encrypt_zero",
          [](const Encryptor& e, std::string_view encoding, std::size_t batch) {
            return e.encrypt_zero(parse_encoding(encoding), batch);
          },
          nb::arg("encoding"), nb::arg("batch"), WithoutGil());
  nb::class_<Decryptor>(m, "Decryptor")
      .def(nb::init<SecretKey>(), nb::arg("key"), WithoutGil())
      .def("decrypt", &Decryptor::decrypt, nb::arg("ciphertext"), WithoutGil())
      .def(
          "decrypt_shared",
          [](const Decryptor& d, const Ciphertext& c, unsigned security_bits, bool proved,
             std::optional<double> stated) {
            return d.decrypt_shared(c, security_bits, proved ? NoiseBound::proved : NoiseBound::heuristic,
                                    stated);
          },
          nb::arg("ciphertext"), nb::arg("security_bits"), nb::arg("proved"), nb::arg("stated").none(),
          WithoutGil())
      .def("decrypt_unchecked", &Decryptor::decrypt_unchecked, nb::arg("ciphertext"), WithoutGil())
      .def("noise_budget_bits", &Decryptor::noise_budget_bits, nb::arg("ciphertext"), WithoutGil());
}

}  // namespace

void bind_rlwe(nb::module_& m) {
  nb::module_ layer = m.def_submodule("rlwe", "What encryption schemes share.");
  bind_parameters(layer);
  bind_context(layer);
  bind_keys(layer);
  bind_keys_from_words(layer);
  bind_texts(layer);
  bind_encoders(layer);
  bind_encryption(layer);
  bind_evaluator(layer);
}

}  // namespace nttforge::bindings
