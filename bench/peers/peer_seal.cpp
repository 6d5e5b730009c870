// SPDX-License-Identifier: Apache-2.0
// Microsoft SEAL, alone or with HEXL inside: its transform (alone only; with HEXL inside it is HEXL's) and
// BFV. BEHZ, one special prime; the [Bad18b] sets use 60-bit primes, the last one special.

#include <seal/seal.h>
#include <seal/util/ntt.h>

#include <cmath>
#include <optional>

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
  const auto time = [&](const char* operation, const auto& body) {
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
