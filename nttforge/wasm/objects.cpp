// SPDX-License-Identifier: Apache-2.0
// Memory, errors, parameters, contexts, keys and bytes for JavaScript.
#include <cstring>
#include <new>

#include "nttforge/device/make_device.hpp"
#include "nttforge/wasm/handles.hpp"

namespace nttforge::wasm {
namespace {

// As index.js numbers them.
enum class ErrorKind : int {
  none,
  parameter,
  size,
  unsupported,
  context,
  missing_key,
  format,
  noise,
  precision,
  memory,
  other
};
ErrorKind error_kind = ErrorKind::none;
std::string error_text;

template <class T>
bool told(ErrorKind kind) {
  try {
    throw;
  } catch (const T& error) {
    error_kind = kind;
    error_text = error.what();
    return true;
  } catch (...) {
    return false;
  }
}

std::vector<std::uint64_t> words_at(const std::uint64_t* words, std::size_t count) {
  return std::vector<std::uint64_t>(words, words + count);
}

std::string list_of(std::span<const std::uint64_t> words) {
  std::string text;
  for (const std::uint64_t word : words) text += (text.empty() ? "\"" : ",\"") + std::to_string(word) + "\"";
  return "[" + text + "]";
}

/// For JSON.parse; numbers that a double may not hold are texts.
std::string json_of(const rlwe::RlweParameters& p) {
  const auto number = [](const char* name, std::uint64_t value) {
    return std::string("\"") + name + "\":" + std::to_string(value) + ",";
  };
  return "{" + number("scheme", static_cast<std::uint64_t>(p.scheme)) + number("n", p.n) +
         number("wordBits", p.word_bits) + number("levels", p.top_level()) + number("qBits", p.q_bits()) +
         number("modulusBits", p.modulus_bits()) + number("securityBits", p.security_verdict().bits) +
         "\"t\":\"" + std::to_string(p.approximate() ? 0 : p.plain_number()) + "\",\"q\":" + list_of(p.q) +
         ",\"special\":" + list_of(p.special) + ",\"description\":\"" + p.describe() + "\"}";
}

const rlwe::RlweParameters& base_of(const Parameters& parameters) {
  return std::visit([](const auto& p) -> const rlwe::RlweParameters& { return p; }, parameters);
}

/// Sizes of objects are words of 32 bits here: throws UnsupportedError for parameters whose keys pass them.
void require_addressable_keys(const rlwe::RlweParameters& p) {
  const double bytes = 16.0 * static_cast<double>(p.n) * static_cast<double>(p.digits() * p.key_limbs());
  if (bytes >= 0x1p30)
    throw UnsupportedError(
        "these parameters have keys of " + std::to_string(static_cast<std::uint64_t>(bytes)) +
        " bytes, and a module of WebAssembly takes 2^30: use a smaller n, or fewer primes");
}

}  // namespace

void keep_error() noexcept {
  error_kind = ErrorKind::other;
  error_text = "an error of no known kind";
  static_cast<void>(told<NoiseError>(ErrorKind::noise) || told<PrecisionError>(ErrorKind::precision) ||
                    told<ParameterError>(ErrorKind::parameter) || told<SizeError>(ErrorKind::size) ||
                    told<UnsupportedError>(ErrorKind::unsupported) ||
                    told<ContextError>(ErrorKind::context) || told<MissingKeyError>(ErrorKind::missing_key) ||
                    told<FormatError>(ErrorKind::format) || told<std::bad_alloc>(ErrorKind::memory) ||
                    told<std::exception>(ErrorKind::other));
}

}  // namespace nttforge::wasm

using namespace nttforge;
using namespace nttforge::wasm;

NTTF_EXPORT(error_kind) int nttforge_error_kind() { return static_cast<int>(error_kind); }
NTTF_EXPORT(error_text) const char* nttforge_error_text() { return error_text.c_str(); }

/// Memory for arguments; null if there is none. What is given back is wiped.
NTTF_EXPORT(allocate) void* nttforge_allocate(std::size_t bytes) {
  return ::operator new(bytes, std::nothrow);
}
NTTF_EXPORT(release) void nttforge_release(void* memory, std::size_t bytes) {
  secure_zero(memory, bytes);
  ::operator delete(memory);
}
NTTF_EXPORT(drop) void nttforge_drop(Handle* handle) { delete handle; }
NTTF_EXPORT(bytes_data) const std::uint8_t* nttforge_bytes_data(const Handle* bytes) {
  return value_of<Bytes>(bytes, "bytes").data();
}
NTTF_EXPORT(bytes_size) std::size_t nttforge_bytes_size(const Handle* bytes) {
  return value_of<Bytes>(bytes, "bytes").size();
}

/// plain: t of BFV and BGV, scale_bits of CKKS; more: digit_primes of BFV and BGV, levels of CKKS.
NTTF_EXPORT(parameters_preset)
Handle* nttforge_parameters_preset(int scheme, std::size_t n, std::uint64_t plain, int security, int table,
                                   unsigned word_bits, std::size_t more) {
  return guarded([&]() -> Parameters {
    const auto level = static_cast<rlwe::SecurityLevel>(security);
    const auto by = static_cast<rlwe::SecurityTable>(table);
    switch (static_cast<rlwe::Scheme>(scheme)) {
      case rlwe::Scheme::bfv:
        return bfv::Parameters::preset(n, plain, level, by, word_bits, more);
      case rlwe::Scheme::bgv:
        return bgv::Parameters::preset(n, plain, level, by, word_bits, more);
      default:
        return ckks::Parameters::preset(n, static_cast<unsigned>(plain), level, by, word_bits, more);
    }
  });
}

NTTF_EXPORT(parameters_custom)
Handle* nttforge_parameters_custom(int scheme, std::size_t n, std::uint64_t t, double scale,
                                   const std::uint64_t* q, std::size_t primes, const std::uint64_t* special,
                                   std::size_t special_primes, int security, int secret, std::uint32_t weight,
                                   int error, unsigned word_bits, std::size_t digit_primes) {
  return guarded([&]() -> Parameters {
    const auto make = [&](auto* type, auto plain) {
      return std::remove_pointer_t<decltype(type)>::custom(
          n, plain, words_at(q, primes), words_at(special, special_primes),
          static_cast<rlwe::SecurityLevel>(security),
          SecretDistribution{static_cast<SecretDistribution::Kind>(secret), weight},
          static_cast<ErrorDistribution>(error), rlwe::kStrictestTable, word_bits, digit_primes);
    };
    switch (static_cast<rlwe::Scheme>(scheme)) {
      case rlwe::Scheme::bfv:
        return make(static_cast<bfv::Parameters*>(nullptr), t);
      case rlwe::Scheme::bgv:
        return make(static_cast<bgv::Parameters*>(nullptr), t);
      default:
        return make(static_cast<ckks::Parameters*>(nullptr), scale);
    }
  });
}

NTTF_EXPORT(parameters_from_bytes)
Handle* nttforge_parameters_from_bytes(const std::uint8_t* data, std::size_t size, int allow_insecure) {
  return guarded([&]() -> Parameters {
    const std::span bytes(data, size);
    switch (rlwe::read_header(bytes).scheme) {
      case rlwe::Scheme::bfv:
        return bfv::parameters_from_bytes(bytes, allow_insecure != 0);
      case rlwe::Scheme::bgv:
        return bgv::parameters_from_bytes(bytes, allow_insecure != 0);
      default:
        return ckks::parameters_from_bytes(bytes, allow_insecure != 0);
    }
  });
}

NTTF_EXPORT(parameters_json) Handle* nttforge_parameters_json(const Handle* parameters) {
  return guarded([&] {
    const std::string text = json_of(base_of(value_of<Parameters>(parameters, "parameters")));
    return bytes_of(std::span<const char>(text));
  });
}

NTTF_EXPORT(context_create) Handle* nttforge_context_create(const Handle* parameters) {
  return guarded([&]() -> rlwe::RlweContextPtr {
    const Parameters& given = value_of<Parameters>(parameters, "parameters");
    require_addressable_keys(base_of(given));
    const std::shared_ptr<const Device> device = make_cpu_device(1);
    if (const auto* p = std::get_if<bfv::Parameters>(&given)) return bfv::Context::create(*p, device);
    if (const auto* p = std::get_if<bgv::Parameters>(&given)) return bgv::Context::create(*p, device);
    return ckks::Context::create(std::get<ckks::Parameters>(given), device);
  });
}

NTTF_EXPORT(generator_create)
Handle* nttforge_generator_create(const Handle* context, const std::uint8_t* seed_bytes) {
  return guarded([&] {
    Seed place;
    const Seed* seed = seed_at(seed_bytes, place);
    return seed == nullptr ? std::make_unique<rlwe::KeyGenerator>(context_at(context))
                           : std::make_unique<rlwe::KeyGenerator>(context_at(context), *seed);
  });
}
NTTF_EXPORT(generator_of_secret) Handle* nttforge_generator_of_secret(const Handle* secret) {
  return guarded(
      [&] { return std::make_unique<rlwe::KeyGenerator>(value_of<rlwe::SecretKey>(secret, "secret")); });
}
NTTF_EXPORT(secret_key) Handle* nttforge_secret_key(const Handle* generator) {
  return guarded([&] { return value_of<Generator>(generator, "generator")->secret_key(); });
}
NTTF_EXPORT(public_key) Handle* nttforge_public_key(const Handle* generator) {
  return guarded([&] { return value_of<Generator>(generator, "generator")->public_key(); });
}
NTTF_EXPORT(relinearization_key)
Handle* nttforge_relinearization_key(const Handle* generator, std::size_t level) {
  return guarded([&] { return value_of<Generator>(generator, "generator")->relinearization_key(level); });
}
NTTF_EXPORT(rotation_keys)
Handle* nttforge_rotation_keys(const Handle* generator, const std::int64_t* steps, std::size_t count,
                               int column_swap, std::size_t level) {
  return guarded([&] {
    return value_of<Generator>(generator, "generator")
        ->rotation_keys(std::span(steps, count), column_swap != 0, std::nullopt, level);
  });
}
/// Either may be null, not both.
NTTF_EXPORT(evaluation_keys)
Handle* nttforge_evaluation_keys(const Handle* relinearization, const Handle* rotations) {
  return guarded([&] {
    rlwe::EvaluationKeys keys;
    if (const auto* key = value_if<rlwe::RelinearizationKey>(relinearization)) keys.relinearization = *key;
    if (const auto* some = value_if<rlwe::RotationKeys>(rotations)) keys.rotations = *some;
    return keys;
  });
}
NTTF_EXPORT(evaluation_part) Handle* nttforge_evaluation_part(const Handle* keys, int rotations) {
  const auto* all = value_if<rlwe::EvaluationKeys>(keys);
  if (all == nullptr || (rotations != 0 ? all->rotations.empty() : all->relinearization.empty()))
    return nullptr;
  if (rotations != 0) return guarded([&] { return all->rotations; });
  return guarded([&] { return all->relinearization; });
}

NTTF_EXPORT(to_bytes) Handle* nttforge_to_bytes(const Handle* object) {
  return guarded([&] {
    std::vector<std::uint8_t> bytes = object->to_bytes();
    const WipeAtExit wipe(bytes);
    return bytes_of(std::span<const std::uint8_t>(bytes));
  });
}

NTTF_EXPORT(from_bytes)
Handle* nttforge_from_bytes(const Handle* context, int kind, const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  const auto read = [&](auto load) { return guarded([&] { return load(context_at(context), bytes); }); };
  using rlwe::ObjectKind;
  switch (static_cast<ObjectKind>(kind)) {
    case ObjectKind::secret_key:
      return read(rlwe::secret_key_from_bytes);
    case ObjectKind::public_key:
      return read(rlwe::public_key_from_bytes);
    case ObjectKind::relinearization_key:
      return read(rlwe::relinearization_key_from_bytes);
    case ObjectKind::rotation_keys:
      return read([](const auto& of, auto from) { return rlwe::rotation_keys_from_bytes(of, from); });
    case ObjectKind::evaluation_keys:
      return read([](const auto& of, auto from) { return rlwe::evaluation_keys_from_bytes(of, from); });
    case ObjectKind::plaintext:
      return read([](const auto& of, auto from) {
        return integer_encoding::plaintext_from_bytes(
            rlwe::context_as<integer_encoding::IntegerContext>(of, "context"), from);
      });
    default:
      return read([](const auto& of, auto from) { return rlwe::ciphertext_from_bytes(of, from); });
  }
}
