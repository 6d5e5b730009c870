// SPDX-License-Identifier: Apache-2.0
// Encoders, of arrays on the host and of those in a device's memory, whose addresses are Python integers.
#include <nanobind/stl/shared_ptr.h>

#include "bindings.hpp"
#include "nttforge/integer_encoding/batch_encoder.hpp"
#include "nttforge/integer_encoding/coefficient_encoder.hpp"

namespace nttforge::bindings {
namespace {

using namespace integer_encoding;  // NOLINT: this file mirrors that namespace

/// Polynomials that an array of values [m] or [batch][m] is for.
template <class T>
std::size_t batch_of(const In<T>& values) {
  return values.ndim() == 2 ? values.shape(0) : 1;
}

template <class Encoder, class Class>
void bind_encoder(Class& encoder) {
  encoder.def(nb::init<IntegerContextPtr>(), nb::arg("context"), WithoutGil())
      .def(
          "encode",
          [](const Encoder& e, In<std::uint64_t> values) { return e.encode(view(values), batch_of(values)); },
          nb::arg("values").noconvert(), WithoutGil())
      .def(
          "encode",
          [](const Encoder& e, In<std::int64_t> values) { return e.encode(view(values), batch_of(values)); },
          nb::arg("values").noconvert(), WithoutGil())
      .def(
          "decode",
          [](const Encoder& e, const Plaintext& plaintext, Out<std::uint64_t> out) {
            e.decode(plaintext, view(out));
          },
          nb::arg("plaintext"), nb::arg("out").noconvert(), WithoutGil())
      .def(
          "decode",
          [](const Encoder& e, const Plaintext& plaintext, Out<std::int64_t> out) {
            e.decode_signed(plaintext, view(out));
          },
          nb::arg("plaintext"), nb::arg("out").noconvert(), WithoutGil())
      .def(
          "encode_on_device",
          [](const Encoder& e, const DeviceWordsAt& at, std::size_t width, bool is_signed, bool centred,
             bool checked) {
            const IntegerRows rows{at.place(), is_signed, width};
            const auto scope = at.scope();
            return e.encode(DeviceIntegers{rows, at.batch, centred, checked});
          },
          nb::arg("at"), nb::arg("width"), nb::arg("is_signed"), nb::arg("centred"), nb::arg("checked"),
          WithoutGil())
      .def(
          "decode_on_device",
          [](const Encoder& e, const Plaintext& plaintext, const DeviceWordsAt& at, bool centred) {
            const auto scope = at.scope();
            e.decode(plaintext, at.place(), centred);
          },
          nb::arg("plaintext"), nb::arg("at"), nb::arg("centred"), WithoutGil());
}

}  // namespace

void bind_encoders(nb::module_& m) {
  nb::class_<DeviceWordsAt>(m, "DeviceWordsAt")
      .def(
          "__init__",
          [](DeviceWordsAt* self, std::uintptr_t address, unsigned word_bits, std::size_t batch, int device,
             std::uintptr_t stream) { new (self) DeviceWordsAt{address, word_bits, batch, device, stream}; },
          nb::arg("address"), nb::arg("word_bits"), nb::arg("batch"), nb::arg("device"), nb::arg("stream"));
  nb::class_<BatchEncoder> batch(m, "BatchEncoder");
  bind_encoder<BatchEncoder>(batch);
  nb::class_<CoefficientEncoder> coefficient(m, "CoefficientEncoder");
  bind_encoder<CoefficientEncoder>(coefficient);
}

}  // namespace nttforge::bindings
