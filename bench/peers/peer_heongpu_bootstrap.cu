// SPDX-License-Identifier: Apache-2.0
// Bootstraps of HEonGPU: `regular_bootstrapping_v2` with the chain of its own example and an ephemeral secret
// of weight 32. The example's main secret has weight 192; here it is dense (--weight), which costs no time
// and has 128 bits by the table. Real numbers take as long as complex ones.

#include <heongpu/host/ckks/context.cuh>
#include <heongpu/host/ckks/decryptor.cuh>
#include <heongpu/host/ckks/encoder.cuh>
#include <heongpu/host/ckks/encryptor.cuh>
#include <heongpu/host/ckks/keygenerator.cuh>
#include <heongpu/host/ckks/operator.cuh>
#include <memory>

#include "bench/peers/gpu_bootstrap_peer.hpp"

using namespace nttforge;

namespace {

constexpr auto kCkks = heongpu::Scheme::CKKS;
constexpr int kEphemeralWeight = 32;
constexpr double kScale = 1099511627776.0;  // 2^40

// The moduli of HEonGPU's example 5_ckks_regular_bootstrapping_v2: the lowest one, nine levels, three of
// slots to coefficients, eight of the sine, four of coefficients to slots; five special ones.
constexpr int kLevels = 9, kSlotsToCoefficients = 3, kSine = 8, kTop = 24;
const std::vector<Data64> kModuli = {
    0x10000000006e0001, 0x10000140001,      0xffffe80001,      0xffffc40001,       0x100003e0001,
    0xffffb20001,       0x10000500001,      0xffff940001,      0xffff8a0001,       0xffff820001,
    0x7fffe60001,       0x7fffe40001,       0x7fffe00001,      0xfffffffff840001,  0x1000000000860001,
    0xfffffffff6a0001,  0x1000000000980001, 0xfffffffff5a0001, 0x1000000000b00001, 0x1000000000ce0001,
    0xfffffffff2a0001,  0x100000000060001,  0xfffffffff00001,  0xffffffffd80001,   0x1000000002a0001};
const std::vector<Data64> kSpecial = {0x1fffffffffe00001, 0x1fffffffffc80001, 0x1fffffffffb40001,
                                      0x1fffffffff500001, 0x1fffffffff420001};

void measure(const bench::GpuBootstrapOptions& options, int weight, bench::Report& report,
             cudaStream_t stream) {
  const auto context = heongpu::GenHEContext<kCkks>(heongpu::sec_level_type::none);
  context->set_poly_modulus_degree(bench::kBootstrapN);
  context->set_coeff_modulus_values(kModuli, kSpecial);
  context->generate();
  const heongpu::ExecutionOptions in_stream = heongpu::ExecutionOptions().set_stream(stream);
  heongpu::HEKeyGenerator<kCkks> generator(context);
  heongpu::Secretkey<kCkks> secret(context, weight), ephemeral(context, kEphemeralWeight);
  generator.generate_secret_key_v2(secret);
  generator.generate_secret_key_v2(ephemeral);
  heongpu::Publickey<kCkks> key(context);
  generator.generate_public_key(key, secret);
  heongpu::Relinkey<kCkks> relinearization(context);
  generator.generate_relin_key(relinearization, secret);
  heongpu::Switchkey<kCkks> to_ephemeral(context), from_ephemeral(context);
  generator.generate_switch_key(to_ephemeral, ephemeral, secret);
  generator.generate_switch_key(from_ephemeral, secret, ephemeral);
  heongpu::HEEncoder<kCkks> encoder(context);
  heongpu::HEEncryptor<kCkks> encryptor(context, key);
  heongpu::HEDecryptor<kCkks> decryptor(context, secret);
  heongpu::HEArithmeticOperator<kCkks> evaluator(context, encoder);
  const heongpu::BootstrappingConfigV2 circuit(
      heongpu::EncodingMatrixConfig(heongpu::LinearTransformType::SLOTS_TO_COEFFS,
                                    kLevels + kSlotsToCoefficients),
      heongpu::EvalModConfig(kLevels + kSlotsToCoefficients + kSine),
      heongpu::EncodingMatrixConfig(heongpu::LinearTransformType::COEFFS_TO_SLOTS, kTop));
  evaluator.generate_bootstrapping_params_v2(kScale, circuit);
  std::vector<int> steps = evaluator.bootstrapping_key_indexs();
  heongpu::Galoiskey<kCkks> rotations(context, steps);
  generator.generate_galois_key(rotations, secret);
  bench::require(cudaDeviceSynchronize(), "making keys");

  const bench::Numbers numbers = bench::uniform_numbers(bench::kBootstrapN / 2);
  std::vector<Complex64> message;
  for (const auto& value : numbers) message.emplace_back(value.real(), value.imag());
  heongpu::Plaintext<kCkks> plain(context), found(context);
  encoder.encode(plain, message, kScale);
  heongpu::Ciphertext<kCkks> x(context), fresh(context);
  encryptor.encrypt(x, plain);
  for (int level = 0; level < kTop; ++level) evaluator.mod_drop_inplace(x);
  bench::require(cudaDeviceSynchronize(), "encryption");

  bench::GpuBootstrapSet set;
  set.name = "regular_bootstrapping_v2, " + std::to_string(kLevels) + " levels";
  set.log2_qp = bench::log2_of_product(kModuli) + bench::log2_of_product(kSpecial);
  set.security = weight < 1024 ? "sparse main secret, which no table covers"
                               : "128 bits by the 2024 guidelines, ephemeral weight 32";
  set.secret_weight = static_cast<std::size_t>(weight);
  set.ephemeral_weight = kEphemeralWeight;
  set.levels_between = kLevels;
  set.modulus_bits_between =
      bench::log2_of_product(std::vector<Data64>(kModuli.begin() + 1, kModuli.begin() + 1 + kLevels));
  set.rotation_keys = steps.size();
  // The conjugation, the relinearization and the ephemeral secret add four keys. A digit has as many primes
  // as there are special ones.
  const std::uint64_t digits = (kModuli.size() + kSpecial.size() - 1) / kSpecial.size();
  set.key_bytes = (steps.size() + 4) * 2 * digits * (kModuli.size() + kSpecial.size()) * bench::kBootstrapN *
                  sizeof(Data64);
  bench::measure_gpu_bootstrap(
      options, report, "heongpu", set, numbers, stream,
      [&] {
        fresh = evaluator.regular_bootstrapping_v2(x, rotations, relinearization, &to_ephemeral,
                                                   &from_ephemeral, in_stream);
      },
      [&] {
        bench::require(cudaDeviceSynchronize(), "a bootstrap");
        decryptor.decrypt(found, fresh);
        std::vector<Complex64> values;
        encoder.decode(values, found);
        bench::Numbers made;
        for (const auto& value : values) made.emplace_back(value.real(), value.imag());
        return made;
      });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_heongpu_bootstrap", [&] {
    bench::GpuBootstrapOptions options;
    int weight = 32768;
    bench::parse_options(count, arguments,
                         options.options() + std::vector{bench::number_option(
                                                 "--weight", "of the main secret", weight, 64, 65536)});
    bench::Report report("heongpu", NTTF_PEER_VERSION, NTTF_PEER_BUILD);
    bench::describe_gpu(report);
    cudaStream_t stream = nullptr;  // one that waits for the default stream, where keys are made
    bench::require(cudaStreamCreate(&stream), "cudaStreamCreate");
    measure(options, weight, report, stream);
    report.write(options.json);
  });
}
