// SPDX-License-Identifier: Apache-2.0
#include "nttforge/random/samplers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/testing.hpp"
#include "nttforge/base/testing_vectors.hpp"
#include "nttforge/random/chacha20.hpp"
#include "nttforge/random/gaussian_tables.hpp"
#include "nttforge/random/kernels.hpp"
#include "nttforge/random/secret_distribution.hpp"

using namespace nttforge;

namespace {

StreamName name_of(const Json& data) {
  StreamName name;
  const std::string& seed = data.at("seed").as_string();
  for (std::size_t i = 0; i < name.seed.bytes.size(); ++i)
    name.seed.bytes[i] = static_cast<std::uint8_t>(std::stoul(seed.substr(2 * i, 2), nullptr, 16));
  name.domain = static_cast<Domain>(data.at("domain").as_u64());
  name.index = static_cast<std::uint32_t>(data.at("index").as_u64());
  return name;
}

StreamName random_name(testing::Rng& rng) {
  StreamName name;
  for (auto& byte : name.seed.bytes) byte = static_cast<std::uint8_t>(rng.next());
  name.index = static_cast<std::uint32_t>(rng.next());
  return name;
}

/// A fixed stream, so that the statistical tests give the same verdict on every run.
StreamName fixed_name() {
  StreamName name;
  for (std::size_t i = 0; i < name.seed.bytes.size(); ++i)
    name.seed.bytes[i] = static_cast<std::uint8_t>(7 * i + 1);
  return name;
}

std::uint64_t word_at(const StreamName& name, std::uint32_t lane, std::uint64_t i) {
  std::uint64_t word = 0;
  stream_words(name, lane, i, {&word, 1});
  return word;
}

ErrorDistribution distribution_of(const std::string& name) {
  return name == "sigma_8_bound_48" ? ErrorDistribution::sigma_8_bound_48 : ErrorDistribution::sigma_3_2;
}

constexpr ErrorDistribution kDistributions[] = {ErrorDistribution::sigma_3_2,
                                                ErrorDistribution::sigma_8_bound_48};

void note_skipped_targets() {
  for (const Target target : kAllTargets) {
    if (!target_available(target))
      std::printf("  skipped: target %s cannot run here\n", std::string(target_name(target)).c_str());
  }
}

}  // namespace

NTTF_TEST("samplers: vectors of the oracle on every target") {
  note_skipped_targets();
  const Json data = testing::load_vectors("sampling.json");
  const StreamName name = name_of(data);
  for (const Target target : available_targets()) {
    for (const Json& uniform : data.at("uniform").elements()) {
      const auto expected = uniform.at("samples").as_u64_vector();
      std::vector<std::uint64_t> out(expected.size());
      sample_uniform(name, static_cast<std::uint32_t>(uniform.at("limb").as_u64()), uniform.at("q").as_u64(),
                     out, target);
      NTTF_CHECK(out == expected);
    }
    const auto ternary = data.at("ternary").as_i64_vector();
    std::vector<std::int64_t> out(ternary.size());
    sample_ternary(name, out, target);
    NTTF_CHECK(out == ternary);
    const auto binary = data.at("binary").as_i64_vector();
    out.resize(binary.size());
    sample_binary(name, out, target);
    NTTF_CHECK(out == binary);
    for (const Json& sparse : data.at("sparse").elements()) {
      const auto expected = sparse.at("samples").as_i64_vector();
      out.resize(expected.size());
      sample_sparse(name, sparse.at("weight").as_u64(), out, target);
      NTTF_CHECK(out == expected);
    }
    for (const Json& error : data.at("error").elements()) {
      const ErrorDistribution distribution = distribution_of(error.at("distribution").as_string());
      NTTF_CHECK_EQ(std::string(error_distribution_name(distribution)), error.at("distribution").as_string());
      NTTF_CHECK_EQ(error_bound(distribution), error.at("bound").as_i64());
      NTTF_CHECK_EQ(error_sigma(distribution), std::stod(error.at("sigma").as_string()));
      const auto expected = error.at("samples").as_i64_vector();
      out.resize(expected.size());
      sample_error(name, distribution, out, target);
      NTTF_CHECK(out == expected);
      const auto table = error.at("table").as_u64_vector();
      const auto words = error.at("words").as_u64_vector();
      out.resize(words.size());
      random_kernels(target).error(words.data(), table.data(), table.size(), out.data(), out.size());
      NTTF_CHECK(out == error.at("samples_of_words").as_i64_vector());
    }
  }
}

NTTF_TEST("samplers: uniform follows its definition through rejection rounds, on every target") {
  testing::Rng rng;
  // 2^64 mod q is large: up to a fifth of the words are rejected, so several rounds are met. And powers of
  // two: none is.
  const std::uint64_t two61 = std::uint64_t{1} << 61;
  for (const std::uint64_t q :
       {two61 + 1, two61 + 15, two61 - 1, std::uint64_t{3689348814741910325}, 2 * two61 - 57,
        std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{97}, two61, std::uint64_t{1} << 32}) {
    const StreamName name = random_name(rng);
    const std::size_t count = 2500 + rng.below(100);
    const auto limb = static_cast<std::uint32_t>(rng.below(1 << 24));
    const u128 limit = (u128{1} << 64) / q * q;
    std::vector<std::uint64_t> expected(count);
    unsigned deepest = 0;
    for (std::size_t i = 0; i < count; ++i) {
      unsigned round = 0;
      std::uint64_t word = word_at(name, limb << 8, i);
      while (word >= limit) word = word_at(name, limb << 8 | ++round, i);
      deepest = std::max(deepest, round);
      expected[i] = word % q;
    }
    if (q == two61 + 1) NTTF_CHECK(deepest >= 2);
    for (const Target target : available_targets()) {
      std::vector<std::uint64_t> out(count);
      sample_uniform(name, limb, q, out, target);
      NTTF_CHECK(out == expected);
    }
  }
}

NTTF_TEST("samplers: random access equals sequential access, every target equals scalar") {
  testing::Rng rng;
  const StreamName name = random_name(rng);
  std::vector<std::uint64_t> all(5000);
  stream_words(name, 9, 0, all);
  for (const Target target : available_targets()) {
    for (int round = 0; round < 200; ++round) {
      const std::size_t first = rng.below(all.size());
      const std::size_t count =
          rng.below(std::min<std::size_t>(all.size() - first, round < 100 ? 40 : 3000) + 1);
      std::vector<std::uint64_t> part(count + 1, 0xABAB);
      stream_words(name, 9, first, {part.data(), count}, target);
      NTTF_CHECK(std::equal(part.begin(), part.end() - 1, all.begin() + static_cast<std::ptrdiff_t>(first)));
      NTTF_CHECK_EQ(part[count], 0xABABu);
    }
    // Near the end of the block counter.
    const std::uint64_t end = std::uint64_t{1} << 35;
    std::vector<std::uint64_t> here(300), scalar(300);
    stream_words(name, 9, end - 300, here, target);
    stream_words(name, 9, end - 300, scalar);
    NTTF_CHECK(here == scalar);
  }
}

NTTF_TEST("samplers: a prefix is the same whatever the length asked for") {
  testing::Rng rng;
  const StreamName name = random_name(rng);
  const std::uint64_t q = (std::uint64_t{1} << 61) + 1;
  std::vector<std::uint64_t> all(2100);
  std::vector<std::int64_t> error(2100);
  sample_uniform(name, 3, q, all);
  sample_error(name, ErrorDistribution::sigma_3_2, error);
  for (const Target target : available_targets()) {
    for (const std::size_t count : {0, 1, 7, 8, 9, 63, 64, 65, 127, 129, 1023, 1024, 1025, 2049}) {
      std::vector<std::uint64_t> out(count);
      sample_uniform(name, 3, q, out, target);
      NTTF_CHECK(std::equal(out.begin(), out.end(), all.begin()));
      std::vector<std::int64_t> small(count);
      sample_error(name, ErrorDistribution::sigma_3_2, small, target);
      NTTF_CHECK(std::equal(small.begin(), small.end(), error.begin()));
    }
  }
}

NTTF_TEST("samplers: error magnitudes change exactly at the table's entries, on every target") {
  for (const ErrorDistribution distribution : kDistributions) {
    const std::uint64_t* table =
        distribution == ErrorDistribution::sigma_3_2 ? kGaussianSigma32.data() : kGaussianSigma8.data();
    const auto size = static_cast<std::size_t>(error_bound(distribution));
    std::vector<std::uint64_t> words = {0, 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
    for (std::size_t k = 0; k < size; ++k) {
      for (const std::uint64_t u : {table[k] - 1, table[k], table[k] + 1}) {
        words.push_back(u << 1);
        words.push_back(u << 1 | 1);
      }
    }
    for (const Target target : available_targets()) {
      std::vector<std::int64_t> out(words.size());
      random_kernels(target).error(words.data(), table, size, out.data(), out.size());
      for (std::size_t i = 0; i < words.size(); ++i) {
        std::int64_t magnitude = 0;
        for (std::size_t k = 0; k < size; ++k) magnitude += table[k] <= words[i] >> 1 ? 1 : 0;
        NTTF_CHECK_EQ(out[i], (words[i] & 1) != 0 ? -magnitude : magnitude);
      }
    }
  }
}

NTTF_TEST("samplers: the distributions fit (chi-square, fixed stream)") {
  constexpr std::size_t count = 200000;
  const auto chi_square = [](const std::map<std::int64_t, double>& probability,
                             const std::vector<std::int64_t>& samples) {
    std::map<std::int64_t, std::size_t> seen;
    for (const std::int64_t s : samples) ++seen[s];
    double sum = 0;
    std::size_t cells = 0;
    for (const auto& [value, p] : probability) {
      const double expected = p * static_cast<double>(count);
      if (expected < 10) continue;
      const double difference = static_cast<double>(seen[value]) - expected;
      sum += difference * difference / expected;
      ++cells;
    }
    return sum / static_cast<double>(cells);  // about 1 with spread sqrt(2 / cells)
  };
  std::vector<std::int64_t> samples(count);
  sample_ternary(fixed_name(), samples);
  NTTF_CHECK(chi_square({{-1, 1.0 / 3}, {0, 1.0 / 3}, {1, 1.0 / 3}}, samples) < 5);
  sample_binary(fixed_name(), samples);
  NTTF_CHECK(chi_square({{0, 0.5}, {1, 0.5}}, samples) < 5);
  for (const ErrorDistribution distribution : kDistributions) {
    const double sigma = error_sigma(distribution);
    const std::int64_t bound = error_bound(distribution);
    std::map<std::int64_t, double> probability;
    double total = 0, square = 0, mean = 0;
    for (std::int64_t x = -bound; x <= bound; ++x)
      total += probability[x] = std::exp(-static_cast<double>(x * x) / (2 * sigma * sigma));
    for (auto& [x, p] : probability) p /= total;
    sample_error(fixed_name(), distribution, samples);
    NTTF_CHECK(chi_square(probability, samples) < 2);
    for (const std::int64_t s : samples) {
      NTTF_CHECK(s >= -bound && s <= bound);
      mean += static_cast<double>(s) / static_cast<double>(count);
      square += static_cast<double>(s * s) / static_cast<double>(count);
    }
    NTTF_CHECK(std::abs(mean) < 5 * sigma / std::sqrt(static_cast<double>(count)));
    NTTF_CHECK(std::abs(std::sqrt(square) / sigma - 1) < 0.01);
  }
  const std::uint64_t q = ntt_primes(1, 61, 1)[0];
  std::vector<std::uint64_t> uniform(count);
  sample_uniform(fixed_name(), 0, q, uniform);
  std::map<std::int64_t, double> flat;
  for (std::size_t i = 0; i < count; ++i)
    samples[i] = static_cast<std::int64_t>(static_cast<u128>(uniform[i]) * 64 / q);
  for (std::int64_t cell = 0; cell < 64; ++cell) flat[cell] = 1.0 / 64;
  NTTF_CHECK(chi_square(flat, samples) < 2);
}

NTTF_TEST("samplers: sparse vectors have their weight at every length and are uniform (chi-square)") {
  testing::Rng rng;
  for (const std::size_t n : {0, 1, 2, 3, 5, 31, 64, 100, 1000, 4096})
    for (const std::size_t weight : {std::size_t{0}, n / 3, n}) {
      std::vector<std::int64_t> samples(n, 7);
      sample_sparse(random_name(rng), weight, samples);
      const auto zeros = static_cast<std::size_t>(std::count(samples.begin(), samples.end(), 0));
      NTTF_CHECK_EQ(n - zeros, weight);
      for (const std::int64_t s : samples) NTTF_CHECK(s >= -1 && s <= 1);
    }
  // Every vector of 4 entries, 2 of them not 0, and every place and sign of a longer one.
  std::map<std::vector<std::int64_t>, double> seen;
  std::vector<double> places(100), signs(2);
  constexpr int kVectors = 4800;
  StreamName name = fixed_name();
  for (int i = 0; i < kVectors; ++i, ++name.index) {
    std::vector<std::int64_t> small(4), large(100);
    sample_sparse(name, 2, small);
    ++seen[small];
    sample_sparse(name, 30, large);
    for (std::size_t j = 0; j < 100; ++j) {
      places[j] += static_cast<double>(large[j] * large[j]);
      signs[large[j] > 0] += static_cast<double>(large[j] * large[j]);
    }
  }
  double sum = 0;
  for (const auto& [vector, count] : seen) sum += (count - 200) * (count - 200) / 200;
  NTTF_CHECK_EQ(seen.size(), 24u);
  NTTF_CHECK(sum / 24 < 3);
  for (const double count : places) NTTF_CHECK(std::abs(count - 0.3 * kVectors) < 200);  // 6 deviations
  NTTF_CHECK(std::abs(signs[0] - signs[1]) < 2300);
}

NTTF_TEST("secret distributions: names, facts, and what is refused") {
  for (const SecretDistribution d :
       {SecretDistribution::ternary, SecretDistribution::binary, SecretDistribution::sparse(9)}) {
    const SecretDistribution::Facts facts = d.facts(64);
    NTTF_CHECK(parse_secret_distribution(facts.name, d.weight) == d);
    std::vector<std::int64_t> samples(64);
    std::int64_t lowest = 0, weight = 0;
    double square = 0, mean = 0;
    StreamName name = fixed_name();
    for (int i = 0; i < 1000; ++i, ++name.index) {
      sample_secret(name, d, samples);
      weight = 0;
      for (const std::int64_t s : samples) {
        lowest = std::min(lowest, s);
        weight += s * s;
        mean += static_cast<double>(s) / 64000;
        square += static_cast<double>(s * s) / 64000;
      }
      if (facts.fixed_weight) NTTF_CHECK_EQ(weight, static_cast<std::int64_t>(d.weight));
    }
    NTTF_CHECK_EQ(lowest, facts.lowest);
    NTTF_CHECK(std::abs(mean - facts.mean) < 0.02);
    NTTF_CHECK(std::abs(square - facts.square) < 0.02);
    NTTF_CHECK(facts.mask == SecretDistribution::Kind::ternary ||
               facts.mask == SecretDistribution::Kind::binary);
  }
  NTTF_CHECK_EQ(SecretDistribution::sparse(192).describe(), "sparse secret of weight 192");
  NTTF_CHECK_THROWS(parse_secret_distribution("dense", 0), ParameterError, "ternary, binary, sparse");
  NTTF_CHECK_THROWS(check_secret_distribution({SecretDistribution::Kind::ternary, 5}, 64), ParameterError,
                    "secret weight = 5");
  NTTF_CHECK_THROWS(check_secret_distribution(SecretDistribution::sparse(0), 64), ParameterError,
                    "out of range [1, n = 64]");
  NTTF_CHECK_THROWS(check_secret_distribution(SecretDistribution::sparse(65), 64), ParameterError,
                    "secret weight = 65");
  NTTF_CHECK_THROWS(check_secret_distribution({static_cast<SecretDistribution::Kind>(3), 0}, 64),
                    ParameterError, "secret distribution 3 is unknown");
  std::vector<std::int64_t> samples(4);
  NTTF_CHECK_THROWS(sample_sparse(fixed_name(), 5, samples), ParameterError, "weight = 5 of 4 entries");
}

NTTF_TEST("samplers: streams of different names differ, equal names agree, system seeds differ") {
  StreamName name = fixed_name();
  const std::uint64_t word = word_at(name, 0, 0);
  NTTF_CHECK_EQ(word_at(fixed_name(), 0, 0), word);
  NTTF_CHECK(word_at(name, 1, 0) != word);
  name.index = 1;
  NTTF_CHECK(word_at(name, 0, 0) != word);
  name = fixed_name();
  name.domain = Domain::secret_key;
  NTTF_CHECK(word_at(name, 0, 0) != word);
  name = fixed_name();
  name.seed.bytes[31] ^= 1;
  NTTF_CHECK(word_at(name, 0, 0) != word);
  NTTF_CHECK(!(os_seed() == os_seed()));
}

/// Copies `value` into memory that is looked at after the copy's scope was left by an error.
template <class T>
bool wiped_after_error(const T& value, std::uint8_t byte) {
  alignas(T) static unsigned char memory[sizeof(T)];
  struct Release {
    void operator()(T* copy) const { std::destroy_at(copy); }
  };
  try {
    const std::unique_ptr<T, Release> copy(new (memory) T(value));
    throw Error("as asked for");
  } catch (const Error&) {
  }
  for (const volatile unsigned char& left : memory)
    if (left == byte) return false;
  return true;
}

NTTF_TEST("seeds, stream names and inputs of ChaCha20 wipe themselves, also where an error is thrown") {
  Seed seed;
  seed.bytes.fill(0xB7);
  NTTF_CHECK(wiped_after_error(seed, 0xB7));
  const StreamName name{seed, Domain::secret_key, 5};
  NTTF_CHECK(wiped_after_error(name, 0xB7));
  NTTF_CHECK(wiped_after_error(chacha_input(name, 0), 0xB7));
}

NTTF_TEST("samplers: bad arguments") {
  std::vector<std::uint64_t> out(2, 5);
  NTTF_CHECK_THROWS(sample_uniform(fixed_name(), 0, 0, out), ParameterError, "q = 0");
  NTTF_CHECK_THROWS(sample_uniform(fixed_name(), 0, 1, out), ParameterError, "q = 1");
  NTTF_CHECK_THROWS(sample_uniform(fixed_name(), 0, std::uint64_t{1} << 62, out), ParameterError,
                    "need 2 <= q < 2^62");
  NTTF_CHECK_THROWS(sample_uniform(fixed_name(), 1u << 24, 97, out), ParameterError,
                    "limb = 16777216 is too large");
  NTTF_CHECK_THROWS(stream_words(fixed_name(), 0, (std::uint64_t{1} << 35) - 1, out), ParameterError,
                    "exceed one lane");
  NTTF_CHECK_THROWS(stream_words(fixed_name(), 0, ~std::uint64_t{0}, out), ParameterError, "exceed one lane");
  std::vector<std::int64_t> small(2);
  NTTF_CHECK_THROWS(sample_error(fixed_name(), static_cast<ErrorDistribution>(9), small), ParameterError,
                    "error distribution 9 is unknown");
  NTTF_CHECK_THROWS(error_sigma(static_cast<ErrorDistribution>(9)), ParameterError, "unknown");
  NTTF_CHECK(out == std::vector<std::uint64_t>({5, 5}));
  for (const Target target : kAllTargets) {
    if (!target_available(target))
      NTTF_CHECK_THROWS(sample_uniform(fixed_name(), 0, 97, out, target), UnsupportedError,
                        "cannot run here");
  }
}
