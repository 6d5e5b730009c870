// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ckks/ckks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bootstrap_keys.hpp"
#include "nttforge/ckks/bootstrap/presets.hpp"
#include "nttforge/ckks/scale.hpp"

namespace nttforge::bindings {
namespace {

using namespace ckks;  // NOLINT: this file mirrors that namespace

using Pair = std::pair<double, double>;  // of a double-double
using Complex = std::complex<double>;

DoubleDouble to_scale(const Pair& pair) { return {pair.first, pair.second}; }
Pair to_pair(const DoubleDouble& scale) { return {scale.hi, scale.lo}; }

/// security_bits, whether the proved bound is believed, an error that is known.
using Shared = std::tuple<unsigned, bool, std::optional<double>>;
std::optional<Sharing> to_sharing(const std::optional<Shared>& shared) {
  if (!shared.has_value()) return std::nullopt;
  const auto& [bits, proved, error] = *shared;
  return Sharing{bits, proved ? NoiseBound::proved : NoiseBound::heuristic, error};
}

Encode options_of(std::size_t batch, std::size_t slots, std::size_t level, const std::optional<Pair>& scale,
                  double bound, bool real) {
  Encode options;
  options.slots = slots;
  options.level = level;
  if (scale.has_value()) options.scale = to_scale(*scale);
  options.bound = bound;
  options.real = real;
  options.batch = batch;
  return options;
}
/// [m] or [batch][m].
template <class T>
std::size_t batch_of(const In<T>& values) {
  return values.ndim() == 2 ? values.shape(0) : 1;
}

NumberRows rows_at(const DeviceWordsAt& at, std::size_t length, bool real) {
  return {at.place(), length, real ? 1u : 2u};
}

void bind_parameters(nb::module_& m) {
  nb::class_<Parameters, rlwe::RlweParameters>(m, "Parameters")
      .def_static(
          "preset",
          [](std::size_t n, unsigned scale_bits, std::string_view security, std::string_view table,
             unsigned word_bits, std::size_t levels) {
            return Parameters::preset(n, scale_bits, parse_security_level(security),
                                      parse_security_table(table), word_bits, levels);
          },
          nb::arg("n"), nb::arg("scale_bits"), nb::arg("security"), nb::arg("table"), nb::arg("word_bits"),
          nb::arg("levels"), WithoutGil())
      .def_static(
          "custom",
          [](std::size_t n, double scale, std::vector<std::uint64_t> q, std::vector<std::uint64_t> special,
             std::string_view security, std::string_view secret, std::uint32_t weight, bool sigma_8,
             std::string_view table, unsigned word_bits, std::size_t digit_primes,
             const std::vector<std::pair<std::size_t, std::size_t>>& levels, std::vector<double> scales) {
            std::vector<Window> windows;
            for (const auto& [first, last] : levels) windows.push_back({first, last});
            return Parameters::custom(
                n, scale, std::move(q), std::move(special), parse_security_level(security),
                parse_secret_distribution(secret, weight),
                sigma_8 ? ErrorDistribution::sigma_8_bound_48 : ErrorDistribution::sigma_3_2,
                parse_security_table(table), word_bits, digit_primes, std::move(windows), std::move(scales));
          },
          nb::arg("n"), nb::arg("scale"), nb::arg("q"), nb::arg("special"), nb::arg("security"),
          nb::arg("secret"), nb::arg("secret_weight"), nb::arg("sigma_8"), nb::arg("table"),
          nb::arg("word_bits"), nb::arg("digit_primes"), nb::arg("levels"), nb::arg("scales"), WithoutGil())
      .def_ro("scales", &Parameters::scales)
      .def_ro("scale", &Parameters::scale)
      .def("predicted_errors", [](const Parameters& p) { return predicted_errors(p); })
      .def("equals", [](const Parameters& a, const Parameters& b) { return a == b; })
      .def_static(
          "from_bytes",
          [](In<std::uint8_t> data, bool allow_insecure, std::string_view table) {
            return parameters_from_bytes(view(data), allow_insecure, parse_security_table(table));
          },
          nb::arg("data"), nb::arg("allow_insecure"), nb::arg("table"), WithoutGil());
}

void bind_plaintexts(nb::module_& m) {
  const auto slots = nb::arg("slots"), level = nb::arg("level"), bound = nb::arg("bound"),
             real = nb::arg("real");
  nb::class_<Plaintext>(m, "Plaintext")
      .def(
          "__init__",
          [](Plaintext* self, ContextPtr context, In<Complex> values, std::size_t n, std::size_t l,
             const std::optional<Pair>& scale, double b, bool r) {
            new (self)
                Plaintext(std::move(context), view(values), options_of(batch_of(values), n, l, scale, b, r));
          },
          nb::arg("context"), nb::arg("values").noconvert(), slots, level, nb::arg("scale").none(), bound,
          real, WithoutGil())
      .def(
          "__init__",
          [](Plaintext* self, ContextPtr context, In<double> values, std::size_t l,
             const std::optional<Pair>& scale, double b) {
            new (self) Plaintext(std::move(context), view(values),
                                 options_of(batch_of(values), 0, l, scale, b, true));
          },
          nb::arg("context"), nb::arg("coefficients").noconvert(), level, nb::arg("scale").none(), bound,
          WithoutGil())
      .def(
          "__init__",
          [](Plaintext* self, ContextPtr context, const DeviceWordsAt& at, std::size_t length, std::size_t n,
             std::size_t l, const std::optional<Pair>& scale, double b, bool r) {
            const auto scope = at.scope();
            new (self) Plaintext(std::move(context), rows_at(at, length, r),
                                 options_of(at.batch, n, l, scale, b, r));
          },
          nb::arg("context"), nb::arg("at"), nb::arg("length"), slots, level, nb::arg("scale").none(), bound,
          real, WithoutGil())
      .def(
          "to_values", [](Plaintext& p) -> Plaintext& { return p = std::move(p).in(Form::values); },
          nb::rv_policy::none, WithoutGil());
  nb::class_<LinearTransform>(m, "LinearTransform")
      .def(
          "__init__",
          [](LinearTransform* self, const ContextPtr& context, const std::vector<std::size_t>& steps,
             const In<Complex>& diagonals, std::size_t l, std::vector<std::int64_t> babies,
             std::vector<std::int64_t> giants, const Pair& scale) {
            Diagonals matrix{diagonals.shape(1), {}};
            for (std::size_t i = 0; i < steps.size(); ++i) {
              const Complex* row = diagonals.data() + i * matrix.slots;
              matrix.of_step[steps[i]] = {row, row + matrix.slots};
            }
            new (self)
                LinearTransform(context, matrix, l, {std::move(babies), std::move(giants)}, to_scale(scale));
          },
          nb::arg("context"), nb::arg("steps"), nb::arg("diagonals").noconvert(), level,
          nb::arg("baby_steps"), nb::arg("giant_steps"), nb::arg("scale"), WithoutGil());
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
          nb::arg("plaintext"), nb::arg("seed"), nb::arg("index"), WithoutGil());
  nb::class_<Decryptor>(m, "Decryptor")
      .def(nb::init<SecretKey>(), nb::arg("key"), WithoutGil())
      .def(
          "decrypt",
          [](const Decryptor& d, const Ciphertext& ciphertext, Out<Complex> out,
             const std::optional<Shared>& shared) {
            std::vector<Complex> values = d.decrypt(ciphertext, to_sharing(shared));
            const WipeAtExit wipe(values);
            std::copy(values.begin(), values.end(), out.data());
          },
          nb::arg("ciphertext"), nb::arg("out").noconvert(), nb::arg("shared") = nb::none(), WithoutGil())
      .def(
          "decrypt",
          [](const Decryptor& d, const Ciphertext& ciphertext, Out<double> out,
             const std::optional<Shared>& shared) {
            std::vector<double> values = d.decrypt_coefficients(ciphertext, to_sharing(shared));
            const WipeAtExit wipe(values);
            std::copy(values.begin(), values.end(), out.data());
          },
          nb::arg("ciphertext"), nb::arg("out").noconvert(), nb::arg("shared") = nb::none(), WithoutGil())
      .def(
          "decrypt_on_device",
          [](const Decryptor& d, const Ciphertext& ciphertext, const DeviceWordsAt& at) {
            const auto scope = at.scope();
            d.decrypt(ciphertext, at.place());
          },
          nb::arg("ciphertext"), nb::arg("at"), WithoutGil());
}

void bind_bootstrap(nb::module_& m) {
  nb::class_<BootstrapKeys>(m, "BootstrapKeys")
      .def(
          "to",
          [](const BootstrapKeys& keys, const Bootstrapper& bootstrapper) {
            return keys.to(bootstrapper.context());
          },
          nb::arg("bootstrapper"), WithoutGil())
      .def("offload", &BootstrapKeys::offload, nb::arg("cached"), WithoutGil())
      .def("load", &BootstrapKeys::load, WithoutGil())
      .def_prop_ro("offloaded", &BootstrapKeys::offloaded);
  nb::class_<Bootstrapper> machine(m, "Bootstrapper");
  machine
      .def(
          "__init__",
          [](Bootstrapper* self, ContextPtr context, std::size_t slots, std::vector<std::size_t> to_slots,
             std::vector<std::size_t> to_coefficients, std::size_t degree, unsigned double_angles,
             unsigned ratio_bits, double bound, bool coefficients_first, bool small_keys) {
            Bootstrap options;
            options.slots = slots;
            options.to_slots = std::move(to_slots);
            options.to_coefficients = std::move(to_coefficients);
            options.degree = degree;
            options.double_angles = double_angles;
            options.ratio_bits = ratio_bits;
            options.bound = bound;
            if (coefficients_first) options.order = SlotsToCoefficients::first;
            options.small_keys = small_keys;
            new (self) Bootstrapper(std::move(context), std::move(options));
          },
          nb::arg("context"), nb::arg("slots"), nb::arg("to_slots"), nb::arg("to_coefficients"),
          nb::arg("degree"), nb::arg("double_angles"), nb::arg("ratio_bits"), nb::arg("bound"),
          nb::arg("coefficients_first"), nb::arg("small_keys"), WithoutGil())
      .def_prop_ro("level", &Bootstrapper::level)
      .def_prop_ro("input_level", &Bootstrapper::input_level)
      .def_prop_ro("slots", [](const Bootstrapper& b) { return b.options().slots; })
      .def_prop_ro("ratio_log2", &Bootstrapper::ratio_log2)
      .def_prop_ro("failure_log2", &Bootstrapper::failure_log2)
      .def_prop_ro("keys_bytes", &Bootstrapper::keys_bytes)
      .def_prop_ro("rotations", &Bootstrapper::rotations)
      .def(
          "make_keys",
          [](const Bootstrapper& b, const KeyGenerator& generator, const std::optional<Bytes>& seed,
             std::optional<std::size_t> offload) {
            const Seed ephemeral = seed.has_value() ? to_seed(*seed) : os_seed();
            const ReleasedGil released;
            return b.make_keys(generator, ephemeral, offload);
          },
          nb::arg("generator"), nb::arg("seed").none(), nb::arg("offload").none())
      .def(
          "keys_of_partner",
          [](const Bootstrapper& b, const BootstrapKeys& keys, const Bootstrapper& other) {
            return b.keys_of_partner(keys, other.context());
          },
          nb::arg("keys"), nb::arg("other"), WithoutGil())
      .def(
          "bootstrap",
          [](const Bootstrapper& b, const ckks::Evaluator& evaluator, const Ciphertext& a,
             const BootstrapKeys& keys, std::size_t level, std::size_t iterations, const Bootstrapper* other,
             const ckks::Evaluator* other_evaluator, const BootstrapKeys* other_keys) {
            if (other == nullptr) return b.bootstrap(evaluator, a, keys, level, iterations);
            const Partner partner{*other, *other_evaluator, *other_keys};
            return b.bootstrap(evaluator, a, keys, level, iterations, &partner);
          },
          nb::arg("evaluator"), nb::arg("a"), nb::arg("keys"), nb::arg("level"), nb::arg("iterations"),
          nb::arg("other") = nb::none(), nb::arg("other_evaluator") = nb::none(),
          nb::arg("other_keys") = nb::none(), WithoutGil());
  bind_bootstrap_keys<BootstrapKeys>(machine);
  m.def(
      "bootstrap_preset",
      [](std::string_view name, unsigned log_n) {
        BootstrapSet set = bootstrap_preset(name, log_n);
        nb::dict options;
        options["to_slots"] = set.options.to_slots;
        options["to_coefficients"] = set.options.to_coefficients;
        options["degree"] = set.options.degree;
        options["double_angles"] = set.options.double_angles;
        options["coefficients_first"] = set.options.order == SlotsToCoefficients::first;
        return nb::make_tuple(std::move(set.parameters), options);
      },
      nb::arg("name"), nb::arg("log_n"),
      nb::sig("def bootstrap_preset(name: str, log_n: int) -> tuple[Parameters, dict[str, typing.Any]]"));
}

}  // namespace

void bind_ckks(nb::module_& m) {
  nb::module_ scheme = m.def_submodule("ckks", "RNS-CKKS.");
  bind_parameters(scheme);
  nb::class_<Context, rlwe::RlweContext>(scheme, "Context")
      .def_static(
          "create",
          [](const Parameters& parameters, std::shared_ptr<const Device> device) {
            return Context::create(parameters, std::move(device));
          },
          nb::arg("parameters"), nb::arg("device"), WithoutGil())
      .def(
          "scale", [](const Context& c, std::size_t level) { return to_pair(c.scale(level)); },
          nb::arg("level"))
      .def(
          "factor_scale",
          [](const Context& c, std::size_t level, const Pair& of_ciphertext) {
            return to_pair(c.factor_scale(level, to_scale(of_ciphertext)));
          },
          nb::arg("level"), nb::arg("of_ciphertext"));
  bind_plaintexts(scheme);
  bind_encryption(scheme);
  const auto a = nb::arg("a"), b = nb::arg("b"), re = nb::arg("re"), im = nb::arg("im");
  using E = ckks::Evaluator;
  using C = Ciphertext;
  nb::class_<E, rlwe::Evaluator>(scheme, "Evaluator")
      .def(nb::init<ContextPtr>(), nb::arg("context"))
      .def("settled", &E::settled, a, WithoutGil())
      .def("is_product", &E::is_product, a)
      .def("add_plain", &E::add_plain, a, b, WithoutGil())
      .def("sub_plain", &E::sub_plain, a, b, WithoutGil())
      .def("multiply_plain", &E::multiply_plain, a, b, WithoutGil())
      .def(
          "add_constant",
          [](const E& e, const C& x, double u, double v) { return e.add_constant(x, {u, v}); }, a, re, im,
          WithoutGil())
      .def("multiply_integer", &E::multiply_integer, a, nb::arg("factor"), WithoutGil())
      .def(
          "multiply_constant",
          [](const E& e, const C& x, double u, double v) { return e.multiply_constant(x, {u, v}); }, a, re,
          im, WithoutGil())
      .def(
          "weighted_sum",
          [](const E& e, const std::vector<const C*>& terms, const std::vector<double>& factors) {
            return e.weighted_sum(terms, factors);
          },
          a, nb::arg("c"), WithoutGil())
      .def("multiply_by_i", &E::multiply_by_i, a, WithoutGil())
      .def("twice_real", &E::twice_real, a, nb::arg("keys"), WithoutGil())
      .def(
          "apply_map",
          [](const E& e, const LinearTransform& map, const C& x, const RotationKeys& keys) {
            return map.apply(e, x, keys);
          },
          nb::arg("map"), a, nb::arg("keys"), WithoutGil());
  bind_bootstrap(scheme);
  // The largest real or imaginary part, in absolute value; none where one is not finite.
  scheme.def(
      "largest_on_device",
      [](const ContextPtr& context, const DeviceWordsAt& at, std::size_t length,
         bool real) -> std::optional<double> {
        const auto scope = at.scope();
        const EmbeddedRange range = range_of(*context, rows_at(at, length, real), at.batch);
        if (!range.finite) return std::nullopt;
        return std::max(range.real, range.imaginary);
      },
      nb::arg("context"), nb::arg("at"), nb::arg("length"), nb::arg("real"), WithoutGil());
  // In place, of what was just made: its numbers may be off by so much more, heuristically and proved.
  scheme.def(
      "allow_error",
      [](C& ciphertext, double error, double proved) {
        const NoiseModel& model = context_as<Context>(ciphertext.context(), "ciphertext")->noise_model();
        Meta meta = ciphertext.meta();
        Noise more = model.offset(error + log2_of_scale(meta.scale));
        more.proved = model.offset(proved + log2_of_scale(meta.scale)).proved;
        meta.noise = rlwe::rounded(model.sum(meta.noise, more));
        ciphertext.set_meta(meta);
      },
      nb::arg("ciphertext"), nb::arg("error"), nb::arg("proved"));
  // In place: what is encrypted, errors included, is from now on what is meant.
  scheme.def(
      "forget_error",
      [](C& ciphertext) {
        constexpr double kNone = -1000;
        Meta meta = ciphertext.meta();
        meta.noise = context_as<Context>(ciphertext.context(), "ciphertext")->noise_model().offset(kNone);
        ciphertext.set_meta(meta);
      },
      nb::arg("ciphertext"));
  scheme.def(
      "shared_error_log2",
      [](const C& ciphertext, const Shared& shared) { return error_log2(ciphertext, *to_sharing(shared)); },
      nb::arg("ciphertext"), nb::arg("shared"));
  scheme.def(
      "error_log2",
      [](const C& ciphertext, bool proved) {
        return error_log2(ciphertext, proved ? NoiseBound::proved : NoiseBound::heuristic);
      },
      nb::arg("ciphertext"), nb::arg("proved"));
}

}  // namespace nttforge::bindings
