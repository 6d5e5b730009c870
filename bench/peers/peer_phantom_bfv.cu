// SPDX-License-Identifier: Apache-2.0
// BFV of Phantom: every way it multiplies, with the numbers of special primes that its hybrid key switching
// takes. It works in the calling thread's default stream.

#include <phantom.h>

#include "bench/peers/gpu_bfv_peer.hpp"

using namespace nttforge;

namespace {

struct Technique {
  phantom::mul_tech_type type;
  const char* name;
};

void measure(const bench::GpuBfvOptions& options, bench::Report& report, const bench::GpuBfvCell& cell,
             const bench::GpuBfvPrimes& primes, const Technique& technique) {
  const std::size_t n = cell.n();
  bench::GpuBfvMeasurement measurement("phantom", options, report, cudaStreamPerThread, cell, primes,
                                       technique.name);
  phantom::EncryptionParameters parameters(phantom::scheme_type::bfv);
  parameters.set_mul_tech(technique.type);
  parameters.set_poly_modulus_degree(n);
  parameters.set_special_modulus_size(primes.special.size());
  parameters.set_coeff_modulus(phantom::arith::CoeffModulus::Create(n, primes.all<int>()));
  parameters.set_plain_modulus(phantom::arith::Modulus(bench::kGpuBfvPlainModulus));
  parameters.set_galois_elts({phantom::util::get_elt_from_step(1, n)});
  const PhantomContext context(parameters);
  PhantomSecretKey secret(context);
  PhantomPublicKey key = secret.gen_publickey(context);
  const PhantomRelinKey relinearization = secret.gen_relinkey(context);
  const PhantomGaloisKey rotations = secret.create_galois_keys(context);
  const PhantomBatchEncoder encoder(context);

  const bench::GpuBfvSlots slots(n);
  const PhantomPlaintext a = encoder.encode(context, slots.a), b = encoder.encode(context, slots.b);
  const PhantomCiphertext x = key.encrypt_asymmetric(context, a), y = key.encrypt_asymmetric(context, b);
  const PhantomCiphertext product = phantom::multiply_and_relin(context, x, y, relinearization);
  const PhantomCiphertext rotated = phantom::rotate(context, product, 1, rotations);
  measurement.check(encoder.decode(context, secret.decrypt(context, rotated)), slots.rotated_product,
                    "a rotated product");

  PhantomPlaintext plain;
  PhantomCiphertext cipher;
  std::vector<std::uint64_t> out;
  // Its operations are in place: a copy of the operand is part of a product as of ours.
  measurement.time("multiply + relinearize",
                   [&] { phantom::multiply_and_relin(context, x, y, relinearization); });
  measurement.time("multiply", [&] { phantom::multiply(context, x, y); });
  measurement.time("rotate", [&] { phantom::rotate(context, x, 1, rotations); });
  measurement.time("encrypt", [&] { key.encrypt_asymmetric(context, a, cipher); });
  measurement.time("decrypt", [&] { secret.decrypt(context, x, plain); });
  measurement.time("encode from host memory", [&] { encoder.encode(context, slots.a, plain); });
  measurement.time("decode to host memory", [&] { encoder.decode(context, a, out); });
  measurement.time_slow(
      "make a relinearization key", [&] { (void)secret.gen_relinkey(context); },
      measurement.key_bytes(measurement.full_digits()));
}

}  // namespace

int main(int count, char** arguments) {
  using phantom::mul_tech_type;
  const Technique techniques[] = {{mul_tech_type::behz, "BEHZ"},
                                  {mul_tech_type::hps, "HPS"},
                                  {mul_tech_type::hps_overq, "HPS over Q"},
                                  {mul_tech_type::hps_overq_leveled, "HPS over Q, leveled"}};
  return bench::gpu_bfv_peer_main(
      "peer_phantom_bfv", "phantom", NTTF_PEER_VERSION, count, arguments,
      [&](const bench::GpuBfvOptions& options, bench::Report& report, const bench::GpuBfvCell& cell) {
        for (const bench::GpuBfvPrimes& primes : bench::gpu_bfv_choices(cell, true))
          for (const Technique& technique : techniques)
            bench::attempt([&] { measure(options, report, cell, primes, technique); });
      });
}
