// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/plan/plan_arrays.hpp"

#include <string>

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/plan/plan_arrays.hpp"

namespace nttforge::cuda {
namespace {

bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return a_bytes != 0 && b_bytes != 0 && x < y + b_bytes && y < x + a_bytes;
}
bool overlap(const void* a, const void* b, std::size_t bytes) { return overlap(a, bytes, b, bytes); }

}  // namespace

void PlanArrays::check_call(const CudaBuffer& tables, CudaStream stream, CallPlaces places) const {
  tables.require_alive();
  if (places == CallPlaces::checked)
    require_stream_of(runtime_.device_of(stream, device_), "the plan", device_);
}

void PlanArrays::check_words(const void* x, std::size_t words, std::size_t word_bytes, const char* name,
                             CallPlaces places) const {
  require_blocks(spec_, 8 * word_bytes, words, name);
  if (words / spec_.n > 0x7FFFFFFFu) {
    throw SizeError(std::string(name) + " has " + std::to_string(words / spec_.n) +
                    " polynomials: at most 2^31 - 1 go into one call");
  }
  if (words != 0) check_place(x, words * word_bytes, word_bytes, name, places);
}

void PlanArrays::check_place(const void* first, std::size_t bytes, std::size_t word_bytes, const char* name,
                             CallPlaces places) const {
  if (places == CallPlaces::checked && !runtime_.is_on(device_, first, bytes)) {
    // Managed memory, or a mapping of several parts, can be used too; else this says what is wrong.
    const auto* last = static_cast<const std::byte*>(first) + bytes - 1;
    for (const void* end : {first, static_cast<const void*>(last)}) {
      const CudaPlace place = runtime_.locate(end);
      const bool here = place.kind == CudaPlace::Kind::device && place.device == device_;
      if (place.kind != CudaPlace::Kind::managed && !here) refuse_place(place, end == first, name);
    }
  }
  if (reinterpret_cast<std::uintptr_t>(first) % word_bytes != 0) {
    throw ParameterError(std::string(name) + " is not aligned to its words of " + std::to_string(word_bytes) +
                         " bytes: GPUs cannot load such words; pass a copy");
  }
}

void PlanArrays::refuse_place(const CudaPlace& place, bool at_begin, const char* name) const {
  if (place.kind == CudaPlace::Kind::device) {
    throw ParameterError(std::string(name) + " is on " + device_name(place.device) + " and the plan on " +
                         device_name(device_) + ": copy the array there, or make a plan on its device");
  }
  throw ParameterError(std::string(name) + (at_begin ? " is in" : " extends into") +
                       " host memory and the plan runs on " + device_name(device_) +
                       ": copy the array to the device first (nttforge.cuda.to_device)");
}

void PlanArrays::require_size(std::size_t words, const char* name, std::size_t size) {
  if (words == size) return;
  throw SizeError(std::string(name) + " has " + std::to_string(words) + " words and out has " +
                  std::to_string(size) + ": all arrays of a call need the same shape");
}

void PlanArrays::require_disjoint(const char* name, const void* in, const void* out, std::size_t bytes) {
  if (overlap(in, out, bytes))
    throw SizeError(std::string(name) + " and out overlap partly: pass the same array or disjoint ones");
}

void PlanArrays::throw_size(std::size_t words, std::size_t size) {
  throw SizeError("sources has " + std::to_string(words) + " words: need " + std::to_string(size) +
                  ", the step's sources times out's batch times n");
}

void PlanArrays::require_sources_apart(const void* x, std::size_t x_bytes, const void* out,
                                       std::size_t bytes) {
  if (overlap(x, x_bytes, out, bytes))
    throw SizeError("sources and out overlap: every limb reads all sources; pass disjoint arrays");
}

void PlanArrays::require_apart(const void* x, const void* work, std::size_t bytes) {
  if (overlap(x, work, bytes)) throw SizeError("workspace overlaps an argument: pass an array of its own");
}

}  // namespace nttforge::cuda
