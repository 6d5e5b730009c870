// SPDX-License-Identifier: Apache-2.0
// Microsoft SEAL, alone or with HEXL inside: its transform (alone only; with HEXL inside it is HEXL's) and
// BFV. BEHZ, one special prime; the [Bad18b] sets use 60-bit primes, the last one special.

#include <seal/seal.h>
#include <seal/util/ntt.h>

#include <cmath>
#include <functional>
#include <optional>

#include "bench/bfv_matrix.hpp"
#include "bench/bfv_sets.hpp"
#include "bench/peers/peer.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

#ifdef SEAL_USE_INTEL_HEXL
constexpr const char* kName = "seal+hexl";
constexpr bool kAlone = false;
#else
constexpr const char* kName = "seal";
constexpr bool kAlone = true;
#endif

void transforms(const bench::PeerOptions& options, bench::PeerReport& report) {
  for (const unsigned bits : {50u, 60u, 30u}) {
    for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; ++log_n) {
      const std::size_t n = std::size_t{1} << log_n;
      const std::uint64_t q = ntt_primes(n, bits, 1)[0];
      const seal::util::NTTTables tables(static_cast<int>(log_n), seal::Modulus(q));
      const auto input = bench::random_residues(n, q, 1);
      auto x = input, ours = input;
      const NttPlan plan(NttSpec{n, {q}});
      plan.forward(ours, ours);
      seal::util::ntt_negacyclic_harvey(seal::util::CoeffIter(x.data()), tables);
      const bool right = x == ours;
      seal::util::inverse_ntt_negacyclic_harvey(seal::util::CoeffIter(x.data()), tables);
      if (!right || x != input) throw Error("SEAL and nttforge differ at n = " + std::to_string(n));
      const auto forward = options.repetition.time(
          [&] { seal::util::ntt_negacyclic_harvey(seal::util::CoeffIter(x.data()), tables); });
      report.transform(bits, q, n, "negacyclic", "scalar", "forward", forward);
      const auto inverse = options.repetition.time(
          [&] { seal::util::inverse_ntt_negacyclic_harvey(seal::util::CoeffIter(x.data()), tables); });
      report.transform(bits, q, n, "negacyclic", "scalar", "inverse", inverse);
    }
  }
}

std::vector<seal::Modulus> moduli(const bench::BfvSet& set) {
  if (set.t == 2) return seal::CoeffModulus::Create(set.n, std::vector<int>(set.log2_q / 60 + 1, 60));
  // SEAL gets as many primes as its own set for this n has (standard of 2018), with our number of bits.
  const std::size_t count = seal::CoeffModulus::BFVDefault(set.n).size();
  std::vector<int> bits(count, static_cast<int>(set.log2_qp / count));
  for (std::size_t i = 0; i < set.log2_qp % count; ++i) ++bits[count - 1 - i];
  return seal::CoeffModulus::Create(set.n, bits);
}

/// Rotations of one ciphertext, which SEAL has no joint form of, and a matrix with a vector by baby and giant
/// steps, its factors transformed beforehand.
void linear(const seal::SEALContext& context, seal::KeyGenerator& generator,
            const std::function<void(const char*, const std::function<void()>&)>& time) {
  const seal::BatchEncoder encoder(context);
  const seal::Evaluator evaluator(context);
  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  seal::Encryptor encryptor(context, public_key);
  seal::Decryptor decryptor(context, generator.secret_key());
  const std::size_t n = encoder.slot_count();
  std::vector<std::uint64_t> values(n), decoded;
  for (std::size_t i = 0; i < n; ++i) values[i] = bench::vector_entry(i);
  seal::Plaintext plain;
  encoder.encode(values, plain);
  seal::Ciphertext x, y;
  encryptor.encrypt(plain, x);
  std::vector<int> steps;
  for (int i = 1; i <= bench::kRotations; ++i) steps.push_back(i);
  {
    seal::GaloisKeys keys;
    generator.create_galois_keys(steps, keys);
    time("8 rotations", [&] {
      for (const int step : steps) evaluator.rotate_rows(x, step, keys, y);
    });
    decryptor.decrypt(y, plain);
    encoder.decode(plain, decoded);
    for (std::size_t i = 0; i < n; ++i)
      if (decoded[i] != bench::vector_entry(i + bench::kRotations)) throw Error("SEAL: wrong rotation");
  }
  if (!bench::has_matrix(n)) return;
  steps.clear();
  for (std::size_t j = 1; j < bench::kBabySteps; ++j) steps.push_back(static_cast<int>(j));
  for (std::size_t g = bench::kBabySteps; g < bench::kMatrixSize; g += bench::kBabySteps)
    steps.push_back(static_cast<int>(g));
  seal::GaloisKeys keys;
  generator.create_galois_keys(steps, keys);
  std::vector<seal::Plaintext> factors(bench::kMatrixSize);
  for (std::size_t d = 0; d < factors.size(); ++d) {
    encoder.encode(bench::matrix_factor(d, n), factors[d]);
    evaluator.transform_to_ntt_inplace(factors[d], context.first_parms_id());
  }
  const auto product = [&] {
    std::vector<seal::Ciphertext> babies(bench::kBabySteps, x);
    for (std::size_t j = 0; j < babies.size(); ++j) {
      if (j > 0) evaluator.rotate_rows_inplace(babies[j], static_cast<int>(j), keys);
      evaluator.transform_to_ntt_inplace(babies[j]);
    }
    for (std::size_t g = 0; g < factors.size(); g += babies.size()) {
      seal::Ciphertext sum, term;
      evaluator.multiply_plain(babies[0], factors[g], sum);
      for (std::size_t j = 1; j < babies.size(); ++j) {
        evaluator.multiply_plain(babies[j], factors[g + j], term);
        evaluator.add_inplace(sum, term);
      }
      evaluator.transform_from_ntt_inplace(sum);
      if (g > 0) evaluator.rotate_rows_inplace(sum, static_cast<int>(g), keys);
      if (g == 0) {
        y = sum;
      } else {
        evaluator.add_inplace(y, sum);
      }
    }
  };
  product();
  decryptor.decrypt(y, plain);
  encoder.decode(plain, decoded);
  if (decryptor.invariant_noise_budget(y) <= 0) return;
  if (decoded != bench::matrix_product(n, context.first_context_data()->parms().plain_modulus().value()))
    throw Error("SEAL: wrong product with a matrix");
  time("matrix 1024 x 1024", product);
}

void bfv(const bench::BfvSet& set, const bench::PeerOptions& options, bench::PeerReport& report) {
  seal::EncryptionParameters parameters(seal::scheme_type::bfv);
  parameters.set_poly_modulus_degree(set.n);
  parameters.set_coeff_modulus(moduli(set));
  parameters.set_plain_modulus(set.t);
  const seal::SEALContext context(parameters, true, seal::sec_level_type::none);
  if (!context.parameters_set()) throw Error(std::string("SEAL: ") + context.parameter_error_message());
  seal::KeyGenerator generator(context);
  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  seal::RelinKeys relinearization;
  generator.create_relin_keys(relinearization);
  seal::GaloisKeys rotations;
  generator.create_galois_keys(std::vector<std::uint32_t>{3}, rotations);
  seal::Encryptor encryptor(context, public_key);
  seal::Decryptor decryptor(context, generator.secret_key());
  seal::Evaluator evaluator(context);

  // (1 + X)(1 + X^2) under X -> X^3.
  seal::Plaintext a("1x^1 + 1"), b("1x^2 + 1"), plain(set.n), decrypted;
  for (std::size_t i = 0; i < set.n; ++i) plain[i] = (i * i + 1) % set.t;
  seal::Ciphertext x, y, z, product;
  encryptor.encrypt(a, x);
  encryptor.encrypt(b, y);
  evaluator.multiply(x, y, product);
  evaluator.relinearize(product, relinearization, z);
  evaluator.apply_galois_inplace(z, 3, rotations);
  decryptor.decrypt(z, decrypted);
  if (decrypted.to_string() != "1x^9 + 1x^6 + 1x^3 + 1") throw Error("SEAL: wrong result, not timed");
  encryptor.encrypt(plain, x);
  encryptor.encrypt(plain, y);
  evaluator.multiply(x, y, product);

  const auto log2_q = static_cast<unsigned>(context.first_context_data()->total_coeff_modulus_bit_count());
  const auto time = [&](const char* operation, const std::function<void()>& body) {
    bench::add_bfv(report, kName, set, log2_q, "BEHZ", operation, bench::measure_for(body, options.seconds));
  };
  time("secret and public key", [&] {
    seal::KeyGenerator fresh(context);
    seal::PublicKey key;
    fresh.create_public_key(key);
  });
  time("relinearization key", [&] {
    seal::RelinKeys key;
    generator.create_relin_keys(key);
  });
  time("encrypt (public key)", [&] { encryptor.encrypt(plain, z); });
  time("decrypt", [&] { decryptor.decrypt(x, decrypted); });
  time("add", [&] { evaluator.add(x, y, z); });
  time("add in place", [&] { evaluator.add_inplace(z, y); });
  time("multiply", [&] { evaluator.multiply(x, y, z); });
  time("relinearize", [&] { evaluator.relinearize(product, relinearization, z); });
  time("multiply + relinearize", [&] {
    evaluator.multiply(x, y, z);
    evaluator.relinearize_inplace(z, relinearization);
  });
  time("rotate", [&] { evaluator.apply_galois(x, 3, rotations, z); });
  if (context.first_context_data()->qualifiers().using_batching) linear(context, generator, time);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_seal", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    bench::PeerReport report(kName, SEAL_VERSION);
    if (kAlone && options.kind != "bfv") transforms(options, report);
    if (options.kind != "transform") {
      for (const bench::BfvSet& set : bench::bfv_sets()) {
        if (options.only == 0 || options.only == set.n) bfv(set, options, report);
      }
    }
    report.write(options.json);
  });
}
