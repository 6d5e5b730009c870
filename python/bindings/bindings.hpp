// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cuda/stream_scope.hpp"
#include "nttforge/device/array.hpp"

namespace nttforge::bindings {

namespace nb = nanobind;

/// Contiguous arrays in host memory, taken and given without a copy.
template <class T>
using In = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> view(const In<T>& array) {
  return {array.data(), array.size()};
}
template <class T>
std::span<T> view(const Out<T>& array) {
  return {array.data(), array.size()};
}

/// Where [batch][...] words of a device are, and the stream in which their owner works.
struct DeviceWordsAt {
  std::uintptr_t address = 0;
  unsigned word_bits = 64;
  std::size_t batch = 1;
  int device = 0;
  std::uintptr_t stream = 0;

  WordPtr place() const { return WordPtr::at(reinterpret_cast<void*>(address), word_bits); }
  /// Operations run in that stream while it lives; the default stream needs none.
  std::unique_ptr<cuda::StreamScope> scope() const {
    if (stream <= 1) return nullptr;
    return std::make_unique<cuda::StreamScope>(device, reinterpret_cast<cuda::CudaStream>(stream));
  }
};

/// poll_interrupt()'s hook: raises what Python's signal handlers raise, KeyboardInterrupt after Ctrl-C. It
/// looks twenty times a second at most, since other threads may hold the GIL.
void check_signals(void*);

/// Releases the GIL; Ctrl-C ends long operations all the same.
class ReleasedGil {
 public:
  ReleasedGil() : scope_(&check_signals) {}

 private:
  nb::gil_scoped_release release_;
  InterruptScope scope_;
};
using WithoutGil = nb::call_guard<ReleasedGil>;

void bind_base(nb::module_& m);
void bind_memory(nb::module_& m);
void bind_arith(nb::module_& m);
void bind_ntt(nb::module_& m);
void bind_explorer(nb::module_& m);
void bind_rlwe(nb::module_& m);
void bind_keys(nb::module_& m);             ///< of the submodule rlwe
void bind_encoders(nb::module_& m);         ///< of the submodule rlwe
void bind_keys_from_words(nb::module_& m);  ///< the same
void bind_evaluator(nb::module_& m);        ///< of the submodule rlwe
void bind_bfv(nb::module_& m);
void bind_bgv(nb::module_& m);
void bind_ckks(nb::module_& m);
void bind_exact_bootstrap(nb::module_& m);
void bind_cuda(nb::module_& m);

}  // namespace nttforge::bindings
