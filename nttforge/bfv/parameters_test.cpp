// SPDX-License-Identifier: Apache-2.0
#include "nttforge/bfv/parameters.hpp"

#include <algorithm>
#include <bit>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"

namespace nttforge::bfv::testing {
namespace {

constexpr SecurityLevel kSecure[] = {SecurityLevel::classical128, SecurityLevel::classical192,
                                     SecurityLevel::classical256};
constexpr unsigned kLevelBits[] = {128, 192, 256};

constexpr SecurityTable kTables[] = {SecurityTable::hes2018, SecurityTable::guidelines2024};

NTTF_TEST("security tables: the published limits, each dated, none looser than an older one") {
  const struct {
    std::size_t n;
    unsigned hes2018[3], guidelines2024[3];
  } rows[] = {{512, {0, 0, 0}, {0, 0, 0}},
              {1024, {27, 19, 14}, {26, 0, 0}},
              {2048, {54, 37, 29}, {53, 36, 27}},
              {4096, {109, 75, 58}, {106, 73, 56}},
              {8192, {218, 152, 118}, {214, 147, 114}},
              {16384, {438, 305, 237}, {430, 297, 230}},
              {32768, {881, 611, 476}, {868, 597, 462}},
              {65536, {0, 0, 0}, {1747, 1199, 929}},
              {131072, {0, 0, 0}, {3523, 2411, 1866}}};
  for (const auto& row : rows)
    for (std::size_t level = 0; level < 3; ++level) {
      NTTF_CHECK_EQ(max_modulus_bits(row.n, kSecure[level], SecurityTable::hes2018), row.hes2018[level]);
      NTTF_CHECK_EQ(max_modulus_bits(row.n, kSecure[level], SecurityTable::guidelines2024),
                    row.guidelines2024[level]);
      NTTF_CHECK_EQ(max_modulus_bits(row.n, kSecure[level]), row.guidelines2024[level]);
      if (row.hes2018[level] != 0) NTTF_CHECK(row.guidelines2024[level] < row.hes2018[level]);
    }
  for (SecurityTable table : kTables) {
    NTTF_CHECK(parse_security_table(security_table_name(table)) == table);
    NTTF_CHECK(security_table_title(table).find("20") != std::string_view::npos);
  }
  NTTF_CHECK_THROWS(parse_security_table("hes2030"), ParameterError, "use guidelines2024");
}

NTTF_TEST("presets: within the strictest table, primes below 2^50, depth promised") {
  struct Expected {
    std::size_t n;
    std::uint64_t t;
    unsigned q_bits, depth;
  };
  // 128 bits. Depths follow from docs/bounds/noise.md; circuits_test.cpp runs circuits of that depth.
  const Expected expected[] = {{1024, 12289, 26, 0},  {2048, 65537, 53, 0},    {4096, 65537, 70, 1},
                               {8192, 65537, 171, 4}, {16384, 65537, 382, 11}, {32768, 65537, 819, 23}};
  for (const Expected& e : expected) {
    const Parameters p = Parameters::preset(e.n);
    NTTF_CHECK(p.security_table == SecurityTable::guidelines2024);
    NTTF_CHECK_EQ(p.t, e.t);
    NTTF_CHECK_EQ(p.q_bits(), e.q_bits);
    NTTF_CHECK_EQ(p.modulus_bits(), max_modulus_bits(e.n, SecurityLevel::classical128));
    NTTF_CHECK_EQ(p.promised_depth(), e.depth);
    NTTF_CHECK(p.has_batching());
    NTTF_CHECK_EQ(p.has_evaluation_keys(), e.n >= 4096);
    for (SecurityTable table : kTables) NTTF_CHECK_EQ(p.security_verdict(table).bits, 128u);
    NTTF_CHECK(p.describe().find("128-bit classical security by the 2024 security guidelines") !=
               std::string::npos);
  }
  for (SecurityTable table : kTables)
    for (std::size_t level = 0; level < 3; ++level)
      for (std::size_t n = 1024; n <= 32768; n *= 2) {
        if (max_modulus_bits(n, kSecure[level], table) == 0) {
          NTTF_CHECK_THROWS(Parameters::preset(n, 0, kSecure[level], table), ParameterError,
                            "have no limit for it; use n = 2048");
          continue;
        }
        const Parameters p = Parameters::preset(n, 0, kSecure[level], table);
        NTTF_CHECK(p.security_table == table);
        NTTF_CHECK_EQ(p.modulus_bits(), max_modulus_bits(n, kSecure[level], table));
        NTTF_CHECK(p.security_verdict().bits >= kLevelBits[level]);
        for (std::uint64_t q : p.q)
          NTTF_CHECK(std::bit_width(q) <= 50 || (n == 2048 && std::bit_width(q) <= 54));
        NTTF_CHECK((p.special.empty() ? 0 : std::bit_width(p.special.front())) <= 50);
        NTTF_CHECK(Parameters::preset(n, 2, kSecure[level], table).promised_depth() >= p.promised_depth());
      }
}

NTTF_TEST(
    "presets with words of 32 bits: exactly the table's bits, primes below 2^30, three digits, depths") {
  const struct {
    std::size_t n;
    unsigned q_bits, depth;
    std::size_t limbs, special;
  } expected[] = {{1024, 26, 0, 1, 0},  {2048, 53, 0, 2, 0},    {4096, 79, 1, 3, 1},
                  {8192, 160, 4, 6, 2}, {16384, 322, 9, 12, 4}, {32768, 628, 18, 21, 8}};
  for (const auto& e : expected) {
    const Parameters p = narrow_preset(e.n);
    NTTF_CHECK(p.q_bits() == e.q_bits && p.limbs() == e.limbs && p.special.size() == e.special);
    NTTF_CHECK_EQ(p.promised_depth(), e.depth);
    NTTF_CHECK(e.special == 0 || p.digits() == 3);
    NTTF_CHECK(e.special < 2 || p.describe().find("3 digits of ") != std::string::npos);
  }
  for (SecurityTable table : kTables)
    for (std::size_t level = 0; level < 3; ++level)
      for (std::size_t n = 1024; n <= 32768; n *= 2) {
        const unsigned bits = max_modulus_bits(n, kSecure[level], table);
        if (bits == 0) continue;
        const Parameters wide = Parameters::preset(n, 0, kSecure[level], table);
        const Parameters p = Parameters::preset(n, 0, kSecure[level], table, 32);
        NTTF_CHECK_EQ(p.modulus_bits(), bits);
        NTTF_CHECK(p.word_bits == 32 && p.security_verdict().bits >= kLevelBits[level]);
        for (std::uint64_t q : p.key_moduli()) NTTF_CHECK(q < std::uint64_t{1} << 30);
        NTTF_CHECK(p.digits() <= 4 && p.has_evaluation_keys() == wide.has_evaluation_keys());
        if (!p.has_evaluation_keys()) continue;
        // With one special prime there are at least the bits, and levels, of the set with 64-bit words.
        const Parameters deep = Parameters::preset(n, 0, kSecure[level], table, 32, 1);
        NTTF_CHECK(deep.q_bits() >= wide.q_bits() && deep.promised_depth() >= wide.promised_depth());
        NTTF_CHECK_EQ(deep.modulus_bits(), bits);
      }
}

NTTF_TEST("presets: digits of as many primes as asked for") {
  const auto make = [](std::size_t n, unsigned word_bits, std::size_t digit_primes) {
    return Parameters::preset(n, 0, SecurityLevel::classical128, kStrictestTable, word_bits, digit_primes);
  };
  NTTF_CHECK(make(32768, 64, 1) == Parameters::preset(32768) && make(32768, 32, 8) == make(32768, 32, 0));
  for (unsigned word_bits : {32u, 64u}) {
    unsigned depth = 1000;
    for (std::size_t digit_primes = 1; digit_primes <= 8; ++digit_primes) {
      const Parameters p = make(32768, word_bits, digit_primes);
      NTTF_CHECK(p.digit_primes == digit_primes && p.special.size() == digit_primes);
      NTTF_CHECK_EQ(p.modulus_bits(), 868u);
      NTTF_CHECK(p.promised_depth() <= depth);
      depth = p.promised_depth();
      if (digit_primes > 1)
        NTTF_CHECK(p.memory_sizes().relinearization_key <=
                   make(32768, word_bits, digit_primes - 1).memory_sizes().relinearization_key);
    }
  }
  NTTF_CHECK_THROWS(make(8192, 32, 5), ParameterError, "digit_primes = 5 is out of range [0, 4]");
  NTTF_CHECK_THROWS(make(2048, 32, 1), ParameterError, "n = 2048 has no room for special primes");
  NTTF_CHECK_THROWS(make(2048, 64, 2), ParameterError, "n = 2048 has no room for special primes");
  NTTF_CHECK_THROWS(make(4096, 16, 0), ParameterError, "word_bits = 16 is not allowed: 32 or 64");
  // t may be a prime of that size: it is not one of q then.
  const std::uint64_t t = narrow_preset(8192).q.front();
  const Parameters other = narrow_preset(8192, 0, t);
  NTTF_CHECK(other.t == t && std::find(other.q.begin(), other.q.end(), t) == other.q.end());
}

NTTF_TEST("presets of the 2018 table are over the limits of 2024, and say so by name") {
  const SecurityTable old = SecurityTable::hes2018;
  for (std::size_t n = 1024; n <= 32768; n *= 2) {
    const Parameters p = Parameters::preset(n, 0, SecurityLevel::classical128, old);
    NTTF_CHECK_EQ(p.security_verdict().bits, 128u);
    const SecurityVerdict today = p.security_verdict(kStrictestTable);
    NTTF_CHECK_EQ(today.bits, 0u);
    NTTF_CHECK(today.reason.find("exceeds") != std::string::npos);
    NTTF_CHECK(today.reason.find("2024 security guidelines") != std::string::npos);
    NTTF_CHECK(p.describe().find("by the 2018 Homomorphic Encryption Standard") != std::string::npos);
    NTTF_CHECK_THROWS(Parameters::custom(n, p.t, p.q, p.special), ParameterError, "is not reached");
    const Parameters again =
        Parameters::custom(n, p.t, p.q, p.special, SecurityLevel::classical128, SecretDistribution::ternary,
                           ErrorDistribution::sigma_3_2, old);
    NTTF_CHECK(again == p);
  }
}

NTTF_TEST("the table's limit: at the limit accepted, one bit more refused") {
  for (std::size_t n : {4096u, 8192u}) {
    const unsigned limit = max_modulus_bits(n, SecurityLevel::classical128);  // 106, 214
    const Parameters exact = Parameters::preset(n);
    NTTF_CHECK_EQ(exact.modulus_bits(), limit);
    NTTF_CHECK_EQ(exact.security_verdict().bits, 128u);
    const auto wider = ntt_primes(n, static_cast<unsigned>(std::bit_width(exact.special.front())) + 1, 1);
    NTTF_CHECK_THROWS(Parameters::custom(n, 65537, exact.q, wider[0]), ParameterError, "is not reached");
    const auto insecure = Parameters::custom(n, 65537, exact.q, wider[0], SecurityLevel::insecure_by_request);
    NTTF_CHECK_EQ(insecure.modulus_bits(), limit + 1);
    NTTF_CHECK_EQ(insecure.security_verdict().bits, 0u);
    NTTF_CHECK(insecure.security_verdict().reason.find("exceeds the " + std::to_string(limit)) !=
               std::string::npos);
  }
  // n = 2^17 has no preset (64 primes are too few below 2^50), but a limit: 57 primes of 61 bits make 3477
  // bits.
  NTTF_CHECK_EQ(Parameters::custom(1 << 17, 2, ntt_primes(1 << 17, 61, 57)).security_verdict().bits, 128u);
  NTTF_CHECK_THROWS(Parameters::custom(1 << 17, 2, ntt_primes(1 << 17, 61, 58)), ParameterError,
                    "exceeds the 3523 bits");
}

NTTF_TEST("[Bad18b] Table 4: bits, distributions, promised depths reached") {
  const struct {
    std::size_t n;
    unsigned bits, depth;
  } rows[] = {{2048, 62, 2}, {4096, 186, 5}, {8192, 372, 13}, {16384, 744, 25}};
  for (const auto& row : rows) {
    const Parameters p = Parameters::badawi2018(row.n);
    NTTF_CHECK_EQ(p.t, 2u);
    NTTF_CHECK_EQ(p.q_bits(), row.bits);
    NTTF_CHECK(p.promised_depth() >= row.depth);
    NTTF_CHECK(p.secret == SecretDistribution::binary);
    NTTF_CHECK(p.error == ErrorDistribution::sigma_8_bound_48);
    NTTF_CHECK(p.security == SecurityLevel::insecure_by_request);
    NTTF_CHECK_EQ(p.security_verdict().bits, 0u);
    for (std::uint64_t q : p.q) NTTF_CHECK(q < std::uint64_t{1} << 50);
    NTTF_CHECK_EQ(Parameters::badawi2018(row.n, 65537).t, 65537u);
  }
}

NTTF_TEST("parameters: what bad input gets") {
  const auto q = ntt_primes(4096, 36, 3);
  const auto make = [&](std::size_t n, std::uint64_t t, std::vector<std::uint64_t> moduli,
                        std::uint64_t p = 0) {
    return Parameters::custom(n, t, std::move(moduli), p, SecurityLevel::insecure_by_request);
  };
  NTTF_CHECK_THROWS(make(4095, 2, q), ParameterError, "n = 4095 is not allowed");
  NTTF_CHECK_THROWS(make(0, 2, q), ParameterError, "n = 0 is not allowed");
  NTTF_CHECK_THROWS(make(1, 2, q), ParameterError, "n = 1 is not allowed");
  NTTF_CHECK_THROWS(make(1 << 18, 2, q), ParameterError, "n = 262144 is not allowed");
  NTTF_CHECK_THROWS(make(4096, 2, {}), ParameterError, "q is empty");
  NTTF_CHECK_THROWS(make(4096, 2, std::vector<std::uint64_t>(65, q[0])), ParameterError, "q has 65 primes");
  NTTF_CHECK_THROWS(make(4096, 2, {q[0], q[1], q[0]}), ParameterError, "q[0] and q[2] are both");
  NTTF_CHECK_THROWS(make(4096, 2, {q[0]}, q[0]), ParameterError, "is also q[0]");
  NTTF_CHECK_THROWS(make(4096, 2, {8192 * 3 + 2}), ParameterError, "q[0] = 24578 is composite");
  NTTF_CHECK_THROWS(make(4096, 2, {97}), ParameterError,
                    "q[0] = 97 does not support n = 4096: need q[0] = 1 (mod 8192)");
  NTTF_CHECK_THROWS(make(4096, 2, {1}), ParameterError, "q[0] = 1 is out of range");
  NTTF_CHECK_THROWS(make(4096, 2, {std::uint64_t{1} << 62}), ParameterError, "is out of range");
  NTTF_CHECK_THROWS(make(4096, 2, {q[0]}, 91), ParameterError, "special = 91 is composite");
  NTTF_CHECK_THROWS(make(4096, 0, {q[0]}), ParameterError, "t = 0 is out of range");
  NTTF_CHECK_THROWS(make(4096, 1, {q[0]}), ParameterError, "t = 1 is out of range");
  NTTF_CHECK_THROWS(make(4096, std::uint64_t{1} << 60, q), ParameterError, "is out of range");
  NTTF_CHECK_THROWS(make(4096, q[1], {q[0], q[1]}), ParameterError, "shares the factor");
  NTTF_CHECK_THROWS(make(4096, std::uint64_t{1} << 35, {q[0]}), ParameterError,
                    "is too large for log2 Q = 36");
  NTTF_CHECK_THROWS(Parameters::custom(4096, 2, q, ntt_primes(4096, 50, 1)[0]), ParameterError,
                    "this level allows log2(Q p) <= 106, the set has 158");
  NTTF_CHECK_THROWS(
      Parameters::custom(4096, 2, {q[0]}, 0, SecurityLevel::classical128, SecretDistribution::binary),
      ParameterError, "a binary secret is not covered");
  NTTF_CHECK_THROWS(Parameters::custom(512, 2, {ntt_primes(512, 20, 1)[0]}), ParameterError,
                    "n = 512 is not in the 2024 security guidelines");
  NTTF_CHECK_THROWS(Parameters::preset(3000), ParameterError, "n = 3000 has no preset");
  NTTF_CHECK_THROWS(Parameters::preset(65536), ParameterError, "has no preset");
  NTTF_CHECK_THROWS(Parameters::preset(4096, 0, SecurityLevel::insecure_by_request), ParameterError,
                    "no preset");
  NTTF_CHECK_THROWS(Parameters::badawi2018(32768), ParameterError, "not in [Bad18b] Table 4");
  NTTF_CHECK_THROWS(parse_security_level("high"), ParameterError, "\"high\" is unknown");
  NTTF_CHECK_THROWS(Context::create(Parameters{}, nullptr), ParameterError, "device is null");
  NTTF_CHECK_THROWS(Context::create(Parameters{}, make_cpu_device(1)), ParameterError, "n = 0");
  for (auto level : {SecurityLevel::insecure_by_request, SecurityLevel::classical128,
                     SecurityLevel::classical192, SecurityLevel::classical256})
    NTTF_CHECK(parse_security_level(security_level_name(level)) == level);
}

NTTF_TEST("several special primes: digits, what is refused, what describe() says") {
  const auto q = ntt_primes(64, 30, 9);
  const auto make = [&](std::size_t limbs, SpecialPrimes special, std::size_t digit_primes = 0) {
    return Parameters::custom(64, 257, {q.begin(), q.begin() + static_cast<std::ptrdiff_t>(limbs)},
                              std::move(special), SecurityLevel::insecure_by_request,
                              SecretDistribution::ternary, ErrorDistribution::sigma_3_2, kStrictestTable, 64,
                              digit_primes);
  };
  const Parameters p = make(5, {q[5], q[6]});
  NTTF_CHECK(p.digit_primes == 2 && p.digits() == 3 && p.key_limbs() == 7);
  NTTF_CHECK_EQ(p.modulus_bits(), BigUint::product(std::span(q).first(7)).bits());
  NTTF_CHECK(make(5, {}).digit_primes == 1 && make(5, 0) == make(5, {}) && make(5, q[5]) == make(5, {q[5]}));
  NTTF_CHECK(make(2, {q[5], q[6], q[7]}).digit_primes == 2 && make(5, {q[5], q[6]}, 5).digits() == 1);
  NTTF_CHECK(!(make(5, {q[5], q[6]}, 1) == p) && !(make(5, {q[6], q[5]}) == p));
  NTTF_CHECK(p.describe().find("(2 special primes, 3 digits of 2 primes: 30 bits of Q are spent on keys ") !=
             std::string::npos);
  NTTF_CHECK_THROWS(make(5, {}, 2), ParameterError, "digit_primes = 2: without special primes");
  NTTF_CHECK_THROWS(make(5, q[5], 6), ParameterError, "digit_primes = 6 is out of range [1, 5]");
  NTTF_CHECK_THROWS(make(5, {q[5], q[1]}), ParameterError,
                    "special[1] = " + std::to_string(q[1]) + " is also q[1]");
  NTTF_CHECK_THROWS(make(5, {q[5], q[6], q[5]}), ParameterError, "special[0] and special[2] are both");
  NTTF_CHECK_THROWS(make(5, {q[5], 0}), ParameterError, "special[1] = 0 is out of range");
  NTTF_CHECK_THROWS(make(5, {q[5], 91}), ParameterError, "special[1] = 91 is composite");
  NTTF_CHECK_THROWS(make(5, std::vector<std::uint64_t>(25, q[5])), ParameterError,
                    "special has 25 special primes, at most 24");
}

NTTF_TEST("noise model: levels cost what the formula says, additions little") {
  const NoiseModel model(Parameters::preset(8192));
  const Noise fresh = model.fresh_public();
  NTTF_CHECK(model.fresh_secret().canonical < fresh.canonical);
  NTTF_CHECK_EQ(model.add(fresh, fresh).coefficient, fresh.coefficient + 1);
  NTTF_CHECK(model.add_plain(fresh).coefficient < fresh.coefficient + 0.1);
  NTTF_CHECK_EQ(model.multiply_polynomial(fresh, 1).canonical, fresh.canonical);
  NTTF_CHECK_EQ(model.multiply_polynomial(fresh, 8).canonical, fresh.canonical + 3);
  const double one = model.multiply(fresh, fresh).canonical,
               sixteen = model.multiply(fresh, fresh, 16).canonical;
  NTTF_CHECK(one > fresh.canonical + 17 && sixteen > one + 3.9 && sixteen <= one + 4);
  NTTF_CHECK(model.budget_bits(fresh) < 171 - 17 && model.budget_bits(fresh) > 137);
}

NTTF_TEST("words of 32 bits need primes of at most 32 bits") {
  Parameters parameters = small_parameters(64, 257, 2, 31);
  parameters.word_bits = 32;
  parameters.validate();
  parameters.word_bits = 16;
  NTTF_CHECK_THROWS(parameters.validate(), ParameterError, "word_bits = 16 is not allowed: 32 or 64");
  parameters = small_parameters(64, 257, 2, 33);
  parameters.word_bits = 32;
  NTTF_CHECK_THROWS(parameters.validate(), ParameterError, "has more than 32 bits");
}

}  // namespace
}  // namespace nttforge::bfv::testing
