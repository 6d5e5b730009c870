// SPDX-License-Identifier: Apache-2.0
#pragma once

// What JavaScript holds of this module: pointers to handles, each with one value. A function returns a
// handle, or null after an error, of which error_kind() and error_text() then tell. Pages are one thread.

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/ckks/ckks.hpp"

#define NTTF_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace nttforge::wasm {

using Parameters = std::variant<bfv::Parameters, bgv::Parameters, ckks::Parameters>;
using IntegerPlaintext = integer_encoding::Plaintext;
using RealPlaintext = ckks::Plaintext;
/// What JavaScript copies out: bytes, or numbers in the words of its typed arrays. Wiped at the end.
class Bytes {
 public:
  explicit Bytes(std::size_t size) : words_((size + 7) / 8), size_(size) {}
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(words_.data());
  }
  const std::uint8_t* data() const { return reinterpret_cast<const std::uint8_t*>(words_.data()); }
  std::size_t size() const { return size_; }

 private:
  SecretVector<std::uint64_t> words_;
  std::size_t size_;
};
using Generator = std::unique_ptr<rlwe::KeyGenerator>;

struct Handle {
  virtual ~Handle() = default;
  virtual std::vector<std::uint8_t> to_bytes() const = 0;
};

template <class T>
struct Held final : Handle {
  explicit Held(T held) : value(std::move(held)) {}
  std::vector<std::uint8_t> to_bytes() const override {
    using integer_encoding::to_bytes;
    using rlwe::to_bytes;
    if constexpr (requires { to_bytes(value); }) return to_bytes(value);
    if constexpr (std::is_same_v<T, Parameters>)
      return std::visit([](const auto& parameters) { return to_bytes(parameters); }, value);
    throw ParameterError("this object has no bytes: see docs/format.md for those that have");
  }
  T value;
};

/// throws ParameterError unless the handle holds a T, which `what` names.
template <class T>
const T& value_of(const Handle* handle, const char* what) {
  const auto* held = dynamic_cast<const Held<T>*>(handle);
  if (held == nullptr) throw ParameterError(std::string(what) + " is of another kind, or missing");
  return held->value;
}

/// The value if the handle holds a T, else null.
template <class T>
const T* value_if(const Handle* handle) {
  const auto* held = dynamic_cast<const Held<T>*>(handle);
  return held == nullptr ? nullptr : &held->value;
}

/// A handle of what `make` returns; null, and the error kept, if it throws.
void keep_error() noexcept;
template <class Make>
Handle* guarded(const Make& make) {
  try {
    auto made = make();
    return new Held<decltype(made)>(std::move(made));
  } catch (...) {
    keep_error();
    return nullptr;
  }
}

/// 32 bytes of JavaScript; null: none.
inline const Seed* seed_at(const std::uint8_t* bytes, Seed& seed) {
  if (bytes == nullptr) return nullptr;
  std::copy_n(bytes, seed.bytes.size(), seed.bytes.begin());
  return &seed;
}

inline const rlwe::RlweContextPtr& context_at(const Handle* handle) {
  return value_of<rlwe::RlweContextPtr>(handle, "context");
}

template <class T>
Bytes bytes_of(std::span<const T> words) {
  Bytes bytes(words.size_bytes());
  std::memcpy(bytes.as<std::uint8_t>(), words.data(), bytes.size());
  return bytes;
}

}  // namespace nttforge::wasm
