// SPDX-License-Identifier: Apache-2.0
// BFV of troy-nova: BEHZ and one special prime, the only way it has. To be compiled with its own stream
// setting: one default stream a thread.

#include <troy/troy.h>

#include "bench/peers/gpu_bfv_peer.hpp"

using namespace nttforge;

namespace {

void measure(const bench::GpuBfvOptions& options, bench::Report& report, const bench::GpuBfvCell& cell) {
  const std::size_t n = cell.n();
  const bench::GpuBfvPrimes primes = bench::gpu_bfv_primes(cell, 1, false);
  bench::GpuBfvMeasurement measurement("troy-nova", options, report, cudaStreamPerThread, cell, primes,
                                       "BEHZ");
  troy::EncryptionParameters parameters(troy::SchemeType::BFV);
  parameters.set_poly_modulus_degree(n);
  parameters.set_coeff_modulus(troy::CoeffModulus::create(n, primes.all<std::size_t>()));
  parameters.set_plain_modulus(troy::Modulus(bench::kGpuBfvPlainModulus));
  const auto context = troy::HeContext::create(parameters, true, troy::SecurityLevel::Classical128);
  troy::BatchEncoder encoder(context);
  context->to_device_inplace();
  encoder.to_device_inplace();
  const troy::KeyGenerator generator(context);
  troy::Encryptor encryptor(context);
  encryptor.set_public_key(generator.create_public_key(false));
  const troy::Decryptor decryptor(context, generator.secret_key());
  const troy::Evaluator evaluator(context);
  const troy::RelinKeys relinearization = generator.create_relin_keys(false);
  const troy::GaloisKeys rotations = generator.create_galois_keys_from_steps({1}, false);

  const bench::GpuBfvSlots slots(n);
  const troy::Plaintext a = encoder.encode_new(slots.a), b = encoder.encode_new(slots.b);
  const troy::Ciphertext x = encryptor.encrypt_asymmetric_new(a), y = encryptor.encrypt_asymmetric_new(b);
  const troy::Ciphertext product = evaluator.multiply_new(x, y);
  const troy::Ciphertext rotated =
      evaluator.rotate_rows_new(evaluator.relinearize_new(product, relinearization), 1, rotations);
  measurement.check(encoder.decode_new(decryptor.decrypt_new(rotated)), slots.rotated_product,
                    "a rotated product");

  std::vector<std::uint64_t> out;
  measurement.time("multiply + relinearize",
                   [&] { evaluator.relinearize_new(evaluator.multiply_new(x, y), relinearization); });
  measurement.time("multiply", [&] { evaluator.multiply_new(x, y); });
  measurement.time("relinearize", [&] { evaluator.relinearize_new(product, relinearization); });
  measurement.time("rotate", [&] { evaluator.rotate_rows_new(x, 1, rotations); });
  measurement.time("encrypt", [&] { encryptor.encrypt_asymmetric_new(a); });
  measurement.time("decrypt", [&] { decryptor.decrypt_new(x); });
  measurement.time("encode from host memory", [&] { encoder.encode_new(slots.a); });
  measurement.time("decode to host memory", [&] { encoder.decode(a, out); });
  measurement.time_slow(
      "make a relinearization key", [&] { generator.create_relin_keys(false); },
      measurement.key_bytes(primes.q.size()));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_bfv_peer_main(
      "peer_troy_bfv", "troy-nova", NTTF_PEER_VERSION, count, arguments,
      [](const bench::GpuBfvOptions& options, bench::Report& report, const bench::GpuBfvCell& cell) {
        bench::attempt([&] { measure(options, report, cell); });
      });
}
