// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the bindings of both kinds of bootstrappers do with keys.

#include <cstdint>
#include <optional>
#include <vector>

#include "object_bytes.hpp"

namespace nttforge::bindings {

template <class Keys, class Bootstrapper>
void bind_bootstrap_keys(nb::class_<Bootstrapper>& machine) {
  machine.def_prop_ro("serialized_bytes", [](const Bootstrapper& b) { return serialized_size(b); })
      .def(
          "keys_to_bytes",
          [](const Bootstrapper& b, const Keys& keys) {
            std::vector<std::uint8_t> data;
            {
              const ReleasedGil released;
              data = to_bytes(b, keys);
            }
            return nb::bytes(data.data(), data.size());
          },
          nb::arg("keys"))
      .def(
          "keys_from_bytes",
          [](const Bootstrapper& b, Bytes data, std::optional<std::size_t> offload) {
            return bootstrap_keys_from_bytes(b, view(data), offload);
          },
          nb::arg("data"), nb::arg("offload").none(), WithoutGil())
      .def(
          "write_keys",
          [](const Bootstrapper& b, const Keys& keys, const nb::callable& to, const nb::object& progress) {
            const rlwe::ByteProgress report = progress_of(progress);
            const ReleasedGil released;
            write(b, keys, sent_to(to), report);
          },
          nb::arg("keys"), nb::arg("to"), nb::arg("progress").none(),
          nb::sig("def write_keys(self, keys: BootstrapKeys, to: collections.abc.Callable[[bytes], object], "
                  "progress: collections.abc.Callable[[int, int], object] | None) -> None"))
      .def(
          "read_keys",
          [](const Bootstrapper& b, const nb::callable& from, const nb::object& progress,
             std::optional<std::size_t> offload) {
            const rlwe::ByteProgress report = progress_of(progress);
            const ReleasedGil released;
            return read_bootstrap_keys(b, fetched_from(from), report, offload);
          },
          nb::arg("from_"), nb::arg("progress").none(), nb::arg("offload").none(),
          nb::sig("def read_keys(self, from_: collections.abc.Callable[[int], bytes], "
                  "progress: collections.abc.Callable[[int, int], object] | None, "
                  "offload: int | None) -> BootstrapKeys"));
}

}  // namespace nttforge::bindings
