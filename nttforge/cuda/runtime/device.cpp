// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device.hpp"

#include <charconv>
#include <exception>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/runtime/runtime.hpp"

namespace nttforge::cuda {
namespace {

/// -1 if it is not a number.
int number_of(std::string_view text) {
  int value = -1;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc{} && read.ptr == end && value >= 0 ? value : -1;
}

bool one_covers(std::string_view architecture, unsigned capability) {
  if (architecture == "native" || architecture.starts_with("all")) return true;  // unknown here
  const std::size_t dash = architecture.find('-');
  std::string_view number = architecture.substr(0, dash);
  const std::string_view kind = dash == std::string_view::npos ? "" : architecture.substr(dash + 1);
  const bool specific = number.ends_with('a') || number.ends_with('f');
  if (specific) number.remove_suffix(1);
  const int parsed = number_of(number);
  if (parsed < 0) return true;  // unknown here
  const auto built = static_cast<unsigned>(parsed);
  if (specific) return built == capability;
  const bool code = kind != "virtual" && built / 10 == capability / 10 && built <= capability;
  const bool ptx = kind != "real" && built <= capability;
  return code || ptx;
}

}  // namespace

std::string why_unavailable() {
  try {
    if (machine_runtime().device_count() > 0) return {};
    return "no NVIDIA GPU is visible";
  } catch (const std::exception& error) {
    return error.what();
  }
}

int device_count() {
  try {
    return machine_runtime().device_count();
  } catch (const std::exception&) {
    return 0;
  }
}

CudaDevice describe_device(int device) { return runtime_of(device).describe(device); }

std::vector<CudaDevice> devices() {
  std::vector<CudaDevice> found;
  const int count = device_count();
  for (int i = 0; i < count; ++i) found.push_back(describe_device(i));
  return found;
}

void require_stream_of(int owner, const char* what, int device) {
  if (owner == device) return;
  throw ParameterError("the stream belongs to " + device_name(owner) + " and " + what + " to " +
                       device_name(device) + ": pass a stream of that device");
}

CudaRuntime& runtime_of(int device) { return device < 0 ? host_runtime() : machine_runtime(); }

int parse_device(std::string_view name) {
  if (name == "cuda") return 0;
  if (name == "cuda:host") return kHost;
  if (name == "cuda:host2") return kHost2;
  if (name.starts_with("cuda:")) {
    const int number = number_of(name.substr(5));
    if (number >= 0) return number;
  }
  throw ParameterError(
      "device = \"" + std::string(name) +
      "\" is unknown: \"cuda\" or \"cuda:0\" is the first GPU, \"cuda:1\" the second, \"cuda:host\" "
      "runs the GPU kernels on the CPU, and \"cpu\" is the CPU engine");
}

std::string device_name(int device) {
  if (device == kHost) return "cuda:host";
  if (device == kHost2) return "cuda:host2";
  return "cuda:" + std::to_string(device);
}

bool architectures_cover(std::string_view architectures, unsigned compute_capability) {
  while (!architectures.empty()) {
    const std::size_t end = architectures.find(';');
    if (one_covers(architectures.substr(0, end), compute_capability)) return true;
    if (end == std::string_view::npos) break;
    architectures.remove_prefix(end + 1);
  }
  return false;
}

void require_architecture(const CudaDevice& card, std::string_view architectures) {
  if (architectures_cover(architectures, card.compute_capability)) return;
  const std::string own = std::to_string(card.compute_capability);
  throw UnsupportedError("this build has GPU kernels for architecture " + std::string(architectures) +
                         ", and " + card.name + " is " + own +
                         ": build nttforge with -DNTTFORGE_CUDA_ARCHITECTURES=" + own);
}

}  // namespace nttforge::cuda
