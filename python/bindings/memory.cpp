// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>

#include "bindings.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/cpu/device/memory_pool.hpp"

namespace nttforge::bindings {
namespace {

using Words = std::shared_ptr<std::uint64_t>;

/// For arrays: a result as large as one that was dropped gets its memory, pages and cache lines.
cpu::MemoryPool& pool() {
  constexpr std::size_t kMaxIdleBytes = std::size_t{64} << 20;
  static const std::shared_ptr<cpu::MemoryPool> shared = cpu::MemoryPool::create(kMaxIdleBytes);
  return *shared;
}

/// What is called of NumPy's C API: its table of pointers has the same order in all versions from 1.7 on
/// (numpy/__multiarray_api.h). Its headers are not needed, and numpy.ndarray(...) takes as long as a small
/// transform.
struct NumpyApi {
  PyTypeObject* array_type;
  PyObject* (*new_from_descr)(PyTypeObject*, PyObject* dtype, int axes, const Py_ssize_t* shape,
                              const Py_ssize_t* strides, void* data, int flags, PyObject*);
  int (*set_base)(PyObject* array, PyObject* base);

  static constexpr int kContiguous = 0x1, kAligned = 0x100, kWriteable = 0x400;

  static NumpyApi load() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    // NumPy 1.26 has a _core too, once somebody imports it, with nothing in it.
    const bool renamed = nb::hasattr(numpy, "_core") && nb::hasattr(numpy.attr("_core"), "multiarray");
    const nb::object core = numpy.attr(renamed ? "_core" : "core");
    const nb::object capsule = core.attr("multiarray").attr("_ARRAY_API");
    void** table = static_cast<void**>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (table == nullptr) nb::raise_python_error();
    NumpyApi api{};
    api.array_type = static_cast<PyTypeObject*>(table[2]);
    api.new_from_descr = reinterpret_cast<decltype(api.new_from_descr)>(table[94]);
    api.set_base = reinterpret_cast<decltype(api.set_base)>(table[282]);
    return api;
  }
};

/// Memory of at least that many bytes in a capsule, which owns it.
nb::capsule allocate(std::size_t bytes) {
  const std::size_t words = bytes / sizeof(std::uint64_t) + (bytes % sizeof(std::uint64_t) != 0);
  auto memory = std::make_unique<Words>(pool().allocate(std::max<std::size_t>(words, 1), false));
  nb::capsule owner(memory.get(), [](void* p) noexcept { delete static_cast<Words*>(p); });
  static_cast<void>(memory.release());
  return owner;
}

/// An array with unspecified contents on memory of the pool; its `base` is the capsule. Errors say `what` it
/// is.
nb::object new_array(const nb::tuple& shape, nb::handle dtype, const char* what) {
  static NumpyApi api{};  // loaded for the first array, under the GIL as all of this
  if (api.array_type == nullptr) api = NumpyApi::load();
  const MemoryPurpose purpose(what);
  constexpr std::size_t kMaxAxes = 32;  // NumPy 1's
  if (shape.size() > kMaxAxes) throw nb::value_error("an array has at most 32 axes");
  std::array<Py_ssize_t, kMaxAxes> lengths{};
  std::size_t bytes = nb::cast<std::size_t>(dtype.attr("itemsize"));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    lengths[i] = nb::cast<Py_ssize_t>(shape[i]);
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(lengths[i]), &bytes))
      throw OutOfMemory(std::numeric_limits<std::uint64_t>::max());
  }
  nb::capsule owner = allocate(bytes);
  void* data = static_cast<Words*>(owner.data())->get();
  const nb::object array = nb::steal(api.new_from_descr(
      api.array_type, nb::borrow(dtype).release().ptr(), static_cast<int>(shape.size()), lengths.data(),
      nullptr, data, NumpyApi::kContiguous | NumpyApi::kAligned | NumpyApi::kWriteable, nullptr));
  if (!array.is_valid() || api.set_base(array.ptr(), owner.release().ptr()) != 0) nb::raise_python_error();
  return array;
}

}  // namespace

void bind_memory(nb::module_& m) {
  m.def("new_array", &new_array, nb::arg("shape"), nb::arg("dtype"), nb::arg("what") = "an array of results",
        nb::sig(
            "def new_array(shape: tuple[int, ...], dtype: numpy.dtype[typing.Any], what: str = 'an array of "
            "results') -> numpy.typing.NDArray[typing.Any]"));
}

}  // namespace nttforge::bindings
