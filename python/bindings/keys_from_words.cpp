// SPDX-License-Identifier: Apache-2.0
// Keys from the words of another library: [K][n], [2][K][n] and [digits][2][K][n], transformed.
#include "nttforge/rlwe/bytes/keys_from_words.hpp"

#include <nanobind/stl/shared_ptr.h>

#include "bindings.hpp"

namespace nttforge::bindings {

using namespace rlwe;  // NOLINT: this file mirrors that namespace

void bind_keys_from_words(nb::module_& m) {
  m.def(
      "secret_key_from_words",
      [](RlweContextPtr c, In<std::uint64_t> words) {
        return secret_key_from_words(std::move(c), view(words));
      },
      nb::arg("context"), nb::arg("words").noconvert(), WithoutGil());
  m.def(
      "public_key_from_words",
      [](RlweContextPtr c, In<std::uint64_t> words) {
        return public_key_from_words(std::move(c), view(words));
      },
      nb::arg("context"), nb::arg("words").noconvert(), WithoutGil());
  m.def(
      "relinearization_key_from_words",
      [](RlweContextPtr c, In<std::uint64_t> words) {
        return RelinearizationKey(key_switch_key_from_words(std::move(c), view(words), 0));
      },
      nb::arg("context"), nb::arg("words").noconvert(), WithoutGil());
  m.def("no_rotation_keys", [](RlweContextPtr c) { return RotationKeys(std::move(c)); }, nb::arg("context"));
  m.def(
      "insert_rotation_key",
      [](RotationKeys& keys, RlweContextPtr c, In<std::uint64_t> words, std::uint32_t element) {
        keys.insert(key_switch_key_from_words(std::move(c), view(words), element));
      },
      nb::arg("keys"), nb::arg("context"), nb::arg("words").noconvert(), nb::arg("element"), WithoutGil());
}

}  // namespace nttforge::bindings
