// SPDX-License-Identifier: Apache-2.0
// BFV of HEonGPU with one special prime and with several. Everything runs in one stream that is given to it.

#include <heongpu/host/bfv/context.cuh>
#include <heongpu/host/bfv/decryptor.cuh>
#include <heongpu/host/bfv/encoder.cuh>
#include <heongpu/host/bfv/encryptor.cuh>
#include <heongpu/host/bfv/keygenerator.cuh>
#include <heongpu/host/bfv/operator.cuh>

#include "bench/peers/gpu_bfv_peer.hpp"

using namespace nttforge;

namespace {

constexpr auto kBfv = heongpu::Scheme::BFV;

void measure(const bench::GpuBfvOptions& options, bench::Report& report, cudaStream_t stream,
             const bench::GpuBfvCell& cell, const bench::GpuBfvPrimes& primes) {
  const std::size_t n = cell.n();
  bench::GpuBfvMeasurement measurement("heongpu", options, report, stream, cell, primes, "BEHZ");
  const auto context = heongpu::GenHEContext<kBfv>();
  context->set_poly_modulus_degree(n);
  context->set_coeff_modulus_bit_sizes(primes.q, primes.special);
  context->set_plain_modulus(static_cast<int>(bench::kGpuBfvPlainModulus));
  context->generate();
  const heongpu::ExecutionOptions in_stream = heongpu::ExecutionOptions().set_stream(stream);
  heongpu::HEKeyGenerator<kBfv> generator(context);
  heongpu::Secretkey<kBfv> secret(context);
  generator.generate_secret_key(secret, in_stream);
  heongpu::Publickey<kBfv> key(context);
  generator.generate_public_key(key, secret, in_stream);
  heongpu::Relinkey<kBfv> relinearization(context);
  generator.generate_relin_key(relinearization, secret, in_stream);
  std::vector<int> steps = {1};
  heongpu::Galoiskey<kBfv> rotations(context, steps);
  generator.generate_galois_key(rotations, secret, in_stream);
  bench::require(cudaDeviceSynchronize(), "making keys");
  heongpu::HEEncoder<kBfv> encoder(context);
  heongpu::HEEncryptor<kBfv> encryptor(context, key);
  heongpu::HEDecryptor<kBfv> decryptor(context, secret);
  heongpu::HEArithmeticOperator<kBfv> evaluator(context, encoder);

  const bench::GpuBfvSlots slots(n);
  heongpu::Plaintext<kBfv> a(context), b(context), plain(context);
  heongpu::Ciphertext<kBfv> x(context), y(context), product(context), rotated(context);
  encoder.encode(a, slots.a, in_stream);
  encoder.encode(b, slots.b, in_stream);
  encryptor.encrypt(x, a, in_stream);
  encryptor.encrypt(y, b, in_stream);
  evaluator.multiply(x, y, product, in_stream);
  evaluator.relinearize_inplace(product, relinearization, in_stream);
  evaluator.rotate_rows(product, rotated, rotations, 1, in_stream);
  decryptor.decrypt(plain, rotated, in_stream);
  std::vector<std::uint64_t> out;
  encoder.decode(out, plain, in_stream);
  bench::require(cudaDeviceSynchronize(), "a rotated product");
  measurement.check(out, slots.rotated_product, "a rotated product");

  measurement.time("multiply + relinearize", [&] {
    evaluator.multiply(x, y, product, in_stream);
    evaluator.relinearize_inplace(product, relinearization, in_stream);
  });
  measurement.time("multiply", [&] { evaluator.multiply(x, y, product, in_stream); });
  measurement.time("rotate", [&] { evaluator.rotate_rows(x, rotated, rotations, 1, in_stream); });
  measurement.time("encrypt", [&] { encryptor.encrypt(product, a, in_stream); });
  measurement.time("decrypt", [&] { decryptor.decrypt(plain, x, in_stream); });
  measurement.time("encode from host memory", [&] { encoder.encode(plain, slots.a, in_stream); });
  measurement.time("decode to host memory", [&] { encoder.decode(out, a, in_stream); });
  measurement.time_slow(
      "make a relinearization key",
      [&] {
        heongpu::Relinkey<kBfv> made(context);
        generator.generate_relin_key(made, secret, in_stream);
      },
      measurement.key_bytes(measurement.full_digits()));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::gpu_bfv_peer_main(
      "peer_heongpu_bfv", "heongpu", NTTF_PEER_VERSION, count, arguments,
      [](const bench::GpuBfvOptions& options, bench::Report& report, const bench::GpuBfvCell& cell) {
        cudaStream_t stream = nullptr;  // one that waits for the default stream, where it does its set-up
        bench::require(cudaStreamCreate(&stream), "cudaStreamCreate");
        for (const bench::GpuBfvPrimes& primes : bench::gpu_bfv_choices(cell, false))
          bench::attempt([&] { measure(options, report, stream, cell, primes); });
        bench::require(cudaStreamDestroy(stream), "cudaStreamDestroy");
      });
}
