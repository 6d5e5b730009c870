// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "bindings.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/memory.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bfv/noise_model.hpp"
#include "nttforge/ckks/noise_model.hpp"

namespace nttforge::bindings {
namespace {

// The Python classes live in nttforge/errors.py; the module that throws keeps them alive for as long as the
// process runs.
struct ErrorClasses {
  PyObject *root, *parameter, *size, *unsupported, *context, *missing_key, *format, *noise, *precision;
};

/// What messages of the library call a thing, and what Python does.
constexpr std::pair<std::string_view, std::string_view> kPythonNames[] = {
    {"KeyGenerator::inner_sum_keys(", "generate_keys(inner_sum="},
    {"KeyGenerator::rotation_keys", "generate_keys(rotations=[...], swap_columns=...)"},
    {"min_budget = ", "min_budget_bits = "},
    {"KeyGenerator::relinearization_key", "generate_keys(relinearization=True)"},
    {"choose_recipe()", "nttforge.candidate_recipes(spec)"},
    {"Queue::begin_capture", "Context.graph"},
    {"(int64_t, in Python signed=True)", "(signed=True)"},
    {"(uint64_t, in Python signed=False)", "(signed=False)"},
    {"Parameters::custom", "Parameters.custom"},
    {".size()", ".size"},
    {".level()", ".level"},
};

/// Messages name functions as C++ does; here they are Python's.
std::string in_python(std::string message) {
  for (const auto& [name, here] : kPythonNames)
    for (std::size_t at = 0; (at = message.find(name, at)) != std::string::npos; at += here.size())
      message.replace(at, name.size(), here);
  return message;
}

void translate(const std::exception_ptr& thrown, void* payload) {
  const auto& classes = *static_cast<const ErrorClasses*>(payload);
  const auto raise = [](PyObject* type, const std::exception& e) {
    const std::string message = in_python(e.what());
    // Names of files may be any bytes.
    const nb::object text = nb::steal(
        PyUnicode_DecodeUTF8(message.data(), static_cast<Py_ssize_t>(message.size()), "backslashreplace"));
    if (text.is_valid()) PyErr_SetObject(type, text.ptr());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const ParameterError& e) {
    raise(classes.parameter, e);
  } catch (const SizeError& e) {
    raise(classes.size, e);
  } catch (const UnsupportedError& e) {
    raise(classes.unsupported, e);
  } catch (const ContextError& e) {
    raise(classes.context, e);
  } catch (const MissingKeyError& e) {
    raise(classes.missing_key, e);
  } catch (const FormatError& e) {
    raise(classes.format, e);
  } catch (const NoiseError& e) {
    raise(classes.noise, e);
  } catch (const PrecisionError& e) {
    raise(classes.precision, e);
  } catch (const Error& e) {
    raise(classes.root, e);
  } catch (const OutOfMemory& e) {
    raise(PyExc_MemoryError, e);
  } catch (const std::bad_alloc&) {  // of the standard library, which does not say how much it asked for
    raise(PyExc_MemoryError, OutOfMemory(0, "a small temporary of the library"));
  }
}

}  // namespace

void check_signals(void*) {
  using Clock = std::chrono::steady_clock;
  static thread_local Clock::time_point last{};
  const Clock::time_point now = Clock::now();
  if (now - last < std::chrono::milliseconds(50)) return;
  last = now;
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void bind_base(nb::module_& m) {
  nb::module_ errors = nb::module_::import_("nttforge.errors");
  const auto get = [&](const char* name) { return nb::object(errors.attr(name)).release().ptr(); };
  static ErrorClasses classes;
  classes = {get("NttforgeError"),    get("ParameterError"), get("SizeError"),
             get("UnsupportedError"), get("ContextError"),   get("MissingKeyError"),
             get("FormatError"),      get("NoiseError"),     get("PrecisionError")};
  nb::register_exception_translator(translate, &classes);

  m.def(
      "checksum64",
      [](const nb::bytes& data) {
        return checksum64({reinterpret_cast<const std::uint8_t*>(data.c_str()), data.size()});
      },
      nb::arg("data"));
  m.def("available_memory_bytes", &available_memory_bytes);
  m.def("require_memory", &require_memory, nb::arg("bytes"), nb::arg("what"));
  m.def("available_targets", [] {
    std::vector<std::string> names;
    for (const Target target : available_targets()) names.emplace_back(target_name(target));
    return names;
  });
  m.def("all_targets", [] {
    std::vector<std::string> names;
    for (const Target target : kAllTargets) names.emplace_back(target_name(target));
    return names;
  });
  m.def("active_target", [] { return std::string(target_name(active_target())); });
  m.def("require_target", [](std::string_view name) { require_target(parse_target(name)); }, nb::arg("name"));
  m.def(
      "describe_cpu",
      [] {
        const CpuDescription cpu = describe_cpu();
        return nb::make_tuple(cpu.brand, cpu.features, cpu.hardware_threads);
      },
      nb::sig("def describe_cpu() -> tuple[str, list[str], int]"));
}

}  // namespace nttforge::bindings
