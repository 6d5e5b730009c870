// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of seeded vectors share: words and digests of tests/vectors/*_seeded.json, and the keys of a
// case. Not installed.

#include <cstdint>
#include <string>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/integer_encoding/context.hpp"
#include "nttforge/rlwe/key_generator.hpp"

namespace nttforge::integer_encoding::testing {

using Words = std::vector<std::uint64_t>;

/// All numbers of nested arrays, in order.
inline void append_words(const Json& value, Words& out) {
  if (value.kind() == Json::Kind::array) {
    for (const Json& element : value.elements()) append_words(element, out);
  } else {
    out.push_back(value.as_u64());
  }
}

inline Words words_of(const Json& value) {
  Words out;
  append_words(value, out);
  return out;
}

inline Words download(const RlweContext& context, ConstWordPtr data, std::size_t count) {
  Words out(count);
  context.queue().download(data, out);
  return out;
}

inline std::uint64_t fnv1a(const Words& words) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const std::uint64_t w : words) h = (h ^ w) * 0x100000001b3u;
  return h;
}

/// The words stand in `object` under `name`, or for large n their digest.
inline bool same_words(const Words& words, const Json& object, const std::string& name) {
  if (const Json* expected = object.find(name)) return words == words_of(*expected);
  return fnv1a(words) == object.at(name + "_fnv1a").as_u64();
}

inline Seed seed_of(const Json& hex) {
  Seed seed;
  for (std::size_t i = 0; i < seed.bytes.size(); ++i)
    seed.bytes[i] = static_cast<std::uint8_t>(std::stoul(hex.as_string().substr(2 * i, 2), nullptr, 16));
  return seed;
}

inline const Json& named(const Json& list, const std::string& name) {
  for (const Json& entry : list.elements())
    if (entry.at("name").as_string() == name) return entry;
  throw Error("no ciphertext called " + name);
}

/// The parameters of a case, below any security level.
template <class Parameters>
Parameters parameters_of(const Json& c) {
  Parameters parameters;
  parameters.n = c.at("n").as_u64();
  parameters.t = c.at("t").as_u64();
  parameters.q = c.at("q").as_u64_vector();
  if (const Json* p = c.find("p")) parameters.special = SpecialPrimes(p->as_u64()).primes;
  if (const Json* special = c.find("special_primes")) parameters.special = special->as_u64_vector();
  if (const Json* digit = c.find("digit_primes")) parameters.digit_primes = digit->as_u64();
  parameters.security = SecurityLevel::insecure_by_request;
  if (const Json* secret = c.find("secret_distribution"))
    parameters.secret = parse_secret_distribution(secret->as_string(),
                                                  static_cast<std::uint32_t>(c.at("secret_weight").as_u64()));
  if (const Json* error = c.find("error"))
    for (const auto d : {ErrorDistribution::sigma_3_2, ErrorDistribution::sigma_8_bound_48})
      if (error->as_string() == error_distribution_name(d)) parameters.error = d;
  return parameters;
}

inline void check_key(const KeySwitchKey& key, std::uint64_t digest) {
  const RlweContext& context = *key.context();
  const std::size_t words = 2 * context.parameters().digits() * context.key_limbs() * context.n();
  NTTF_CHECK_EQ(fnv1a(download(context, key.words().data(), words)), digest);
}

/// Secret, public and relinearization key of a case.
inline void check_keys(const Json& c, const KeyGenerator& generator) {
  const RlweContextPtr context = generator.context();
  const std::size_t words = context->key_limbs() * context->n();
  NTTF_CHECK(same_words(download(*context, generator.public_key().data(), 2 * words), c, "public_key"));
  const SecretKey secret(context, c.at("secret").as_i64_vector());
  NTTF_CHECK(download(*context, generator.secret_key().data(), words) ==
             download(*context, secret.data(), words));
  check_key(generator.relinearization_key().key(), c.at("relinearization_key_fnv1a").as_u64());
}

}  // namespace nttforge::integer_encoding::testing
