// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/arith/roots.hpp"

namespace nttforge::bindings {

void bind_arith(nb::module_& m) {
  m.attr("MAX_MODULUS_BITS") = kMaxModulusBits;
  m.def("is_prime", &is_prime, nb::arg("value"), WithoutGil());
  m.def("prime_factors", &prime_factors, nb::arg("value"), WithoutGil());
  m.def(
      "ntt_primes",
      [](std::size_t n, unsigned bits, std::size_t count, const std::vector<std::uint64_t>& exclude) {
        return ntt_primes(n, bits, count, exclude);
      },
      nb::arg("n"), nb::arg("bits"), nb::arg("count"), nb::arg("exclude"), WithoutGil());

  nb::class_<GeneralisedMersennePrime>(m, "GeneralisedMersennePrime")
      .def_ro("value", &GeneralisedMersennePrime::value)
      .def_ro("i", &GeneralisedMersennePrime::i)
      .def_ro("j", &GeneralisedMersennePrime::j)
      .def_ro("sign_j", &GeneralisedMersennePrime::sign_j)
      .def_ro("sign_0", &GeneralisedMersennePrime::sign_0)
      .def("text", &GeneralisedMersennePrime::text);
  m.def("generalised_mersenne_primes", &generalised_mersenne_primes, nb::arg("bits"), WithoutGil());

  m.def("smallest_primitive_root", &smallest_primitive_root, nb::arg("q"), WithoutGil());
  m.def("smallest_root_of_unity", &smallest_root_of_unity, nb::arg("order"), nb::arg("q"), WithoutGil());
  nb::class_<TransformSupport>(m, "TransformSupport")
      .def_ro("q", &TransformSupport::q)
      .def_ro("prime", &TransformSupport::prime)
      .def_ro("max_n_negacyclic", &TransformSupport::max_n_negacyclic)
      .def_ro("max_n_cyclic", &TransformSupport::max_n_cyclic)
      .def_ro("max_n_dgt", &TransformSupport::max_n_dgt)
      .def("explain", &TransformSupport::explain);
  m.def("transform_support", &transform_support, nb::arg("q"), WithoutGil());
}

}  // namespace nttforge::bindings
