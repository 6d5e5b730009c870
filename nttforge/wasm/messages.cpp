// SPDX-License-Identifier: Apache-2.0
// Encoding, encryption, decryption and operations on ciphertexts for JavaScript.
#include <complex>
#include <limits>

#include "nttforge/arith/integer_range.hpp"
#include "nttforge/base/memory/stack_wipe.hpp"
#include "nttforge/wasm/handles.hpp"

namespace nttforge::wasm {
namespace {

using integer_encoding::IntegerContext;
using rlwe::Ciphertext;
using rlwe::Encoding;

template <class C>
std::shared_ptr<const C> as(const rlwe::RlweContextPtr& context) {
  return std::dynamic_pointer_cast<const C>(context);
}

const Ciphertext& ciphertext_at(const Handle* handle) { return value_of<Ciphertext>(handle, "ciphertext"); }

IntegerPlaintext encoded(const rlwe::RlweContextPtr& context, std::span<const std::int64_t> values,
                         Encoding encoding) {
  const auto integers = rlwe::context_as<IntegerContext>(context, "context");
  if (encoding == Encoding::slots) return integer_encoding::BatchEncoder(integers).encode(values);
  return integer_encoding::CoefficientEncoder(integers).encode(values);
}

/// By the key, public or secret, with a fresh seed unless one is given.
template <class Encryptor, class Plaintext>
Ciphertext encrypted(const Handle* key, const Plaintext& plaintext, const Seed* seed, std::uint32_t index) {
  const auto* of_public = value_if<rlwe::PublicKey>(key);
  const Encryptor encryptor = of_public != nullptr
                                  ? Encryptor(*of_public)
                                  : Encryptor(value_of<rlwe::SecretKey>(key, "the key to encrypt with"));
  return seed == nullptr ? encryptor.encrypt(plaintext) : encryptor.encrypt(plaintext, *seed, index);
}

template <class T>
Bytes centred(std::span<const std::uint64_t> values, std::uint64_t t) {
  Bytes bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i)
    bytes.as<T>()[i] = static_cast<T>(static_cast<std::int64_t>(centred_integer(values[i], t)));
  return bytes;
}

/// Centred, as int32 where every value modulo t fits one, else as int64.
Bytes decoded(const IntegerPlaintext& plaintext) {
  const StackWipe wipe(StackDepth::shallow);
  SecretVector<std::uint64_t> values(plaintext.words());
  if (plaintext.encoding() == Encoding::slots)
    integer_encoding::BatchEncoder(plaintext.context()).decode(plaintext, values);
  else
    integer_encoding::CoefficientEncoder(plaintext.context()).decode(plaintext, values);
  const std::uint64_t t = plaintext.context()->t();
  return t >> 32 == 0 ? centred<std::int32_t>(values, t) : centred<std::int64_t>(values, t);
}

std::unique_ptr<rlwe::Evaluator> evaluator_of(const rlwe::RlweContextPtr& context) {
  if (const auto bfv = as<bfv::Context>(context)) return std::make_unique<bfv::Evaluator>(bfv);
  if (const auto bgv = as<bgv::Context>(context)) return std::make_unique<bgv::Evaluator>(bgv);
  return std::make_unique<ckks::Evaluator>(rlwe::context_as<ckks::Context>(context, "ciphertext"));
}

// As index.js numbers them.
enum class Operation : int {
  add,
  subtract,
  negate,
  multiply,
  relinearize,
  multiply_relinearize,
  rotate_rows,
  swap_columns,
  inner_sum,
  mod_switch,
  rescale,
  add_plain,
  subtract_plain,
  multiply_plain,
  multiply_constant,
};

template <class Evaluator, class Plaintext>
Ciphertext with_plain(const Evaluator& evaluator, Operation operation, const Ciphertext& a,
                      const Plaintext& b) {
  if (operation == Operation::add_plain) return evaluator.add_plain(a, b);
  if (operation == Operation::subtract_plain) return evaluator.sub_plain(a, b);
  return evaluator.multiply_plain(a, b);
}

Ciphertext computed(Operation operation, const Ciphertext& a, const Handle* b, const Handle* key,
                    double number) {
  const auto evaluator = evaluator_of(a.context());
  const auto rotations = [&]() -> const rlwe::RotationKeys& {
    return value_of<rlwe::RotationKeys>(key, "rotations");
  };
  const auto relinearization = [&]() -> const rlwe::RelinearizationKey& {
    return value_of<rlwe::RelinearizationKey>(key, "relinearization");
  };
  switch (operation) {
    case Operation::add:
      return evaluator->add(a, ciphertext_at(b));
    case Operation::subtract:
      return evaluator->sub(a, ciphertext_at(b));
    case Operation::negate:
      return evaluator->negate(a);
    case Operation::multiply:
      return evaluator->multiply(a, ciphertext_at(b));
    case Operation::relinearize:
      return evaluator->relinearize(a, relinearization());
    case Operation::multiply_relinearize:
      return evaluator->multiply_relinearize(a, ciphertext_at(b), relinearization());
    case Operation::rotate_rows:
      return evaluator->rotate_rows(a, static_cast<std::int64_t>(number), rotations());
    case Operation::swap_columns:
      return evaluator->swap_columns(a, rotations());
    case Operation::inner_sum:
      return evaluator->inner_sum(a, static_cast<std::size_t>(number), rotations());
    case Operation::mod_switch:
      return evaluator->mod_switch(a);
    default:
      break;
  }
  if (auto* real = dynamic_cast<ckks::Evaluator*>(evaluator.get())) {
    if (operation == Operation::rescale) return real->rescale(a);
    if (operation == Operation::multiply_constant) return real->multiply_constant(a, number);
    return with_plain(*real, operation, a, value_of<RealPlaintext>(b, "plaintext"));
  }
  if (operation == Operation::rescale || operation == Operation::multiply_constant)
    throw UnsupportedError("ciphertext is of integers: this operation is for CKKS");
  return with_plain(dynamic_cast<integer_encoding::IntegerEvaluator&>(*evaluator), operation, a,
                    value_of<IntegerPlaintext>(b, "plaintext"));
}

/// What a number of a ciphertext is asked for, as index.js numbers it.
double number_of(const Ciphertext& x, int which) {
  const bool real = x.context()->parameters().approximate();
  switch (which) {
    case 0:
      return static_cast<double>(x.level());
    case 1:
      return static_cast<double>(x.size());
    case 2:
      return static_cast<double>(x.batch());
    case 3:
      return x.encoding() == Encoding::slots ? 1 : 0;
    case 4:
      return real ? (x.meta().numbers.real ? 1 : 0) : 1;
    case 5:
      return real ? static_cast<double>(x.meta().slots) : static_cast<double>(x.context()->n());
    default:
      if (real) return -ckks::error_log2(x);
      return integer_encoding::predicted_noise_budget_bits(x).value_or(
          std::numeric_limits<double>::quiet_NaN());
  }
}

}  // namespace
}  // namespace nttforge::wasm

using namespace nttforge;
using namespace nttforge::wasm;

/// Integers of `width` bytes, 4 or 8, as int32 or int64.
NTTF_EXPORT(encode_integers)
Handle* nttforge_encode_integers(const Handle* context, const void* values, std::size_t count,
                                 std::size_t width, int slots) {
  return guarded([&] {
    const Encoding encoding = slots != 0 ? Encoding::slots : Encoding::coefficients;
    if (width == 8)
      return encoded(context_at(context), {static_cast<const std::int64_t*>(values), count}, encoding);
    const auto* narrow = static_cast<const std::int32_t*>(values);
    const SecretVector<std::int64_t> wide(narrow, narrow + count);
    return encoded(context_at(context), wide, encoding);
  });
}

/// Real numbers, or complex ones as pairs; slots 0: n/2. level 0, scale 0: the highest, and its own.
NTTF_EXPORT(encode_numbers)
Handle* nttforge_encode_numbers(const Handle* context, const double* values, std::size_t count, int complex,
                                double bound, std::size_t slots, std::size_t level, double scale,
                                int in_slots) {
  return guarded([&] {
    auto of = rlwe::context_as<ckks::Context>(context_at(context), "context");
    ckks::Encode options;
    options.slots = slots;
    options.level = level;
    options.bound = bound;
    options.real = complex == 0;
    if (scale != 0) options.scale = DoubleDouble{scale, 0};
    if (in_slots == 0) {
      options.encoding = Encoding::coefficients;
      return RealPlaintext(std::move(of), std::span(values, count), options);
    }
    SecretVector<std::complex<double>> numbers(count);
    for (std::size_t i = 0; i < count; ++i)
      numbers[i] = complex != 0 ? std::complex(values[2 * i], values[2 * i + 1]) : std::complex(values[i]);
    return RealPlaintext(std::move(of), numbers, options);
  });
}

NTTF_EXPORT(decode) Handle* nttforge_decode(const Handle* plaintext) {
  return guarded([&] { return decoded(value_of<IntegerPlaintext>(plaintext, "plaintext")); });
}

NTTF_EXPORT(encrypt)
Handle* nttforge_encrypt(const Handle* key, const Handle* plaintext, const std::uint8_t* seed_bytes,
                         std::uint32_t index) {
  return guarded([&] {
    Seed place;
    const Seed* seed = seed_at(seed_bytes, place);
    if (const auto* integers = value_if<IntegerPlaintext>(plaintext))
      return encrypted<integer_encoding::Encryptor>(key, *integers, seed, index);
    return encrypted<ckks::Encryptor>(key, value_of<RealPlaintext>(plaintext, "plaintext"), seed, index);
  });
}

/// Integers of BFV and BGV as decoded() has them, pairs of doubles of CKKS, doubles of its coefficients.
/// shared_bits: of decrypt_shared; 0: for the owner alone.
NTTF_EXPORT(decrypt)
Handle* nttforge_decrypt(const Handle* key, const Handle* ciphertext, unsigned shared_bits, int heuristic) {
  return guarded([&] {
    const rlwe::SecretKey& secret = value_of<rlwe::SecretKey>(key, "secret");
    const Ciphertext& x = ciphertext_at(ciphertext);
    const rlwe::NoiseBound bound = heuristic != 0 ? rlwe::NoiseBound::heuristic : rlwe::NoiseBound::proved;
    if (!secret.context()->parameters().approximate()) {
      const integer_encoding::Decryptor decryptor(secret);
      return decoded(shared_bits == 0 ? decryptor.decrypt(x)
                                      : decryptor.decrypt_shared(x, shared_bits, bound));
    }
    const ckks::Decryptor decryptor(secret);
    std::optional<ckks::Sharing> sharing;
    if (shared_bits != 0) sharing = {shared_bits, bound, std::nullopt};
    if (x.encoding() == Encoding::coefficients) {
      std::vector<double> values = decryptor.decrypt_coefficients(x, sharing);
      const WipeAtExit wipe(values);
      return bytes_of(std::span<const double>(values));
    }
    std::vector<std::complex<double>> values = decryptor.decrypt(x, sharing);
    const WipeAtExit wipe(values);
    return bytes_of(std::span<const std::complex<double>>(values));
  });
}

NTTF_EXPORT(noise_budget) Handle* nttforge_noise_budget(const Handle* key, const Handle* ciphertext) {
  return guarded([&] {
    const double bits = integer_encoding::Decryptor(value_of<rlwe::SecretKey>(key, "secret"))
                            .noise_budget_bits(ciphertext_at(ciphertext));
    return bytes_of(std::span(&bits, 1));
  });
}

NTTF_EXPORT(compute)
Handle* nttforge_compute(int operation, const Handle* a, const Handle* b, const Handle* key, double number) {
  return guarded(
      [&] { return computed(static_cast<Operation>(operation), ciphertext_at(a), b, key, number); });
}

NTTF_EXPORT(ciphertext_numbers) Handle* nttforge_ciphertext_numbers(const Handle* ciphertext) {
  return guarded([&] {
    double numbers[7];
    for (int i = 0; i < 7; ++i) numbers[i] = number_of(ciphertext_at(ciphertext), i);
    return bytes_of(std::span<const double>(numbers));
  });
}

/// Residues of the coefficients, [batch][parts][level][n].
NTTF_EXPORT(residues) Handle* nttforge_residues(const Handle* ciphertext) {
  return guarded([&] {
    const std::vector<std::uint64_t> words = ciphertext_at(ciphertext).residues();
    return bytes_of(std::span<const std::uint64_t>(words));
  });
}
