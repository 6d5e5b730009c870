// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/spec.hpp"

namespace nttforge::cuda {

/// What a plan asks of the arrays and the stream of a call, all before anything is enqueued.
class PlanArrays {
 public:
  PlanArrays(const NttSpec& spec, int device) : spec_(spec), device_(device), runtime_(runtime_of(device)) {}

  /// Comes first, since after a reset addresses mean nothing; in a CudaCall of the device. throws
  /// ContextError, ParameterError.
  void check_call(const CudaBuffer& tables, CudaStream stream, CallPlaces places = CallPlaces::checked) const;

  /// Word size, a whole number of [limbs][n] blocks, device memory, aligned words. In a CudaCall of the
  /// device. throws ParameterError, SizeError.
  template <class Word>
  void check(std::span<const Word> x, const char* name, CallPlaces places = CallPlaces::checked) const {
    check_words(x.data(), x.size(), sizeof(Word), name, places);
  }
  /// Checks an array as above; it must also have as many words as out, which was checked before.
  template <class Word>
  void check_same(std::span<const Word> x, const char* name, std::span<Word> out,
                  CallPlaces places = CallPlaces::checked) const {
    if (x.data() == out.data() && x.size() == out.size()) return;
    check(x, name, places);
    require_size(x.size(), name, out.size());
  }
  /// Two arrays must be equal or disjoint. throws SizeError.
  template <class Word>
  static void check_alias(const char* name, std::span<const Word> in, std::span<Word> out) {
    if (in.data() != out.data()) require_disjoint(name, in.data(), out.data(), out.size_bytes());
  }
  /// Checks the arrays of an operation on two of them; messages name the result out_name.
  template <class Word>
  void check_binary(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                    const char* out_name, CallPlaces places) const {
    check(std::span<const Word>(out), out_name, places);
    check_same(a, "a", out, places);
    check_same(b, "b", out, places);
    check_alias("a", a, out);
    check_alias("b", b, out);
  }
  template <class Word>
  void check_workspace(std::span<const Word> a, std::span<const Word> b, std::span<Word> out,
                       std::span<Word> work, CallPlaces places) const {
    check_same(std::span<const Word>(work), "workspace", out, places);
    for (const Word* other : {a.data(), b.data(), static_cast<const Word*>(out.data())})
      require_apart(other, work.data(), work.size_bytes());
  }
  /// Checks the sources of a step between bases: `size` words, none of which lies in `out`.
  template <class Word>
  void check_sources(std::span<const Word> sources, std::span<Word> out, std::size_t size) const {
    if (sources.size() != size) throw_size(sources.size(), size);
    if (sources.empty()) return;
    check_place(sources.data(), sources.size_bytes(), sizeof(Word), "sources", CallPlaces::checked);
    require_sources_apart(sources.data(), sources.size_bytes(), out.data(), out.size_bytes());
  }

 private:
  void check_words(const void* x, std::size_t words, std::size_t word_bytes, const char* name,
                   CallPlaces places) const;
  void check_place(const void* first, std::size_t bytes, std::size_t word_bytes, const char* name,
                   CallPlaces places) const;
  [[noreturn]] void refuse_place(const CudaPlace& place, bool at_begin, const char* name) const;
  static void require_size(std::size_t words, const char* name, std::size_t size);
  static void require_disjoint(const char* name, const void* in, const void* out, std::size_t bytes);
  static void throw_size(std::size_t words, std::size_t size);
  static void require_sources_apart(const void* x, std::size_t x_bytes, const void* out, std::size_t bytes);
  static void require_apart(const void* x, const void* work, std::size_t bytes);

  const NttSpec& spec_;
  int device_;
  CudaRuntime& runtime_;
};

}  // namespace nttforge::cuda
