// SPDX-License-Identifier: Apache-2.0
// BFV of Microsoft SEAL with its default moduli: the least time of each operation in this run, in
// microseconds.
//   seal LOG_N SECONDS [unchecked]     unchecked: built with the header that does nothing

#include "seal/seal.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

/// The least time of a call within `seconds`, at least five calls.
template <class Body>
double least_us(double seconds, const Body& body) {
  double least = 1e18;
  const auto begin = Clock::now();
  for (int i = 0; i < 5 || std::chrono::duration<double>(Clock::now() - begin).count() < seconds; ++i) {
    const auto start = Clock::now();
    body();
    least = std::min(least, std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return least;
}

std::uint64_t digest(const seal::Ciphertext& c) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < c.dyn_array().size(); ++i) h = (h ^ c.dyn_array()[i]) * 0x100000001b3u;
  return h;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::size_t n = std::size_t{1} << std::atoi(argv[1]);
  const double seconds = std::atof(argv[2]);
  const bool checked = argc < 4;
  seal::EncryptionParameters parameters(seal::scheme_type::bfv);
  parameters.set_poly_modulus_degree(n);
  parameters.set_coeff_modulus(seal::CoeffModulus::BFVDefault(n));
  parameters.set_plain_modulus(seal::PlainModulus::Batching(n, 20));
  // The same seed in every build: the same words.
  parameters.set_random_generator(std::make_shared<seal::Blake2xbPRNGFactory>(seal::prng_seed_type{1, 2, 3}));
  const seal::SEALContext context(parameters);
  seal::KeyGenerator generator(context);
  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  seal::RelinKeys relinearization;
  generator.create_relin_keys(relinearization);
  seal::GaloisKeys rotations;
  generator.create_galois_keys(std::vector<int>{1}, rotations);
  seal::Encryptor encryptor(context, public_key);
  seal::Evaluator evaluator(context);
  seal::Decryptor decryptor(context, generator.secret_key());
  seal::BatchEncoder encoder(context);

  std::vector<std::uint64_t> x(n), y(n), z(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = i % 1000;
    y[i] = (7 * i + 3) % 1000;
  }
  seal::Plaintext p, q, r;
  encoder.encode(x, p);
  encoder.encode(y, q);
  seal::Ciphertext a, b, product, switched, rotated, scratch;
  encryptor.encrypt(p, a);
  encryptor.encrypt(q, b);
  evaluator.multiply(a, b, product);
  evaluator.relinearize(product, relinearization, switched);
  evaluator.rotate_rows(switched, 1, rotations, rotated);
  const std::uint64_t words = digest(rotated);
  if (checked) {
    const std::uint64_t t = parameters.plain_modulus().value();
    decryptor.decrypt(rotated, r);
    encoder.decode(r, z);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t from = i / (n / 2) * (n / 2) + (i + 1) % (n / 2);
      if (z[i] != x[from] * y[from] % t) {
        std::fprintf(stderr, "slot %zu is wrong\n", i);
        return 1;
      }
    }
  }
  std::printf("{\"digest\": \"%016llx\"", static_cast<unsigned long long>(words));
  const auto row = [&](const char* name, const auto& body) {
    std::printf(", \"%s\": %.2f", name, least_us(seconds, body));
    std::fflush(stdout);
  };
  row("encrypt", [&] { encryptor.encrypt(p, scratch); });
  row("decrypt", [&] { decryptor.decrypt(a, r); });
  row("multiply", [&] { evaluator.multiply(a, b, scratch); });
  row("relinearize", [&] { evaluator.relinearize(product, relinearization, scratch); });
  row("multiply_relinearize", [&] {
    evaluator.multiply(a, b, scratch);
    evaluator.relinearize_inplace(scratch, relinearization);
  });
  row("rotate", [&] { evaluator.rotate_rows(switched, 1, rotations, scratch); });
  const auto& tables = context.key_context_data()->small_ntt_tables()[0];
  std::vector<std::uint64_t> limb(n, 5);
  row("forward", [&] { seal::util::ntt_negacyclic_harvey(seal::util::CoeffIter(limb.data()), tables); });
  row("inverse",
      [&] { seal::util::inverse_ntt_negacyclic_harvey(seal::util::CoeffIter(limb.data()), tables); });
  std::printf("}\n");
}
