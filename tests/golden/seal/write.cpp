// SPDX-License-Identifier: Apache-2.0
// Writes the objects of this folder with an installed Microsoft SEAL 4, for the tests of nttforge.seal; or,
// as `write check FOLDER`, has SEAL decrypt what nttforge.seal exported there. Slot i of a holds i^2 + 1, of
// b 3 i + 2, modulo t. The sets are small and secure nothing.
//   find_package(SEAL 4.4), target_link_libraries(... SEAL::seal), then: write FOLDER

#include <seal/seal.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr std::uint64_t kPlain = 12289;
constexpr auto kNone = seal::compr_mode_type::none;
constexpr auto kZlib = seal::compr_mode_type::zlib;

template <class T>
void save(const T& object, const std::filesystem::path& path, seal::compr_mode_type compression) {
  std::ofstream stream(path, std::ios::binary);
  object.save(stream, compression);
}

seal::EncryptionParameters parameters_of(seal::scheme_type scheme) {
  seal::EncryptionParameters parameters(scheme);
  parameters.set_poly_modulus_degree(1024);
  parameters.set_coeff_modulus(seal::CoeffModulus::Create(1024, {36, 36, 37}));
  parameters.set_plain_modulus(kPlain);
  return parameters;
}

std::vector<std::uint64_t> values(bool first) {
  std::vector<std::uint64_t> result(1024);
  for (std::uint64_t i = 0; i < 1024; ++i) result[i] = (first ? i * i + 1 : 3 * i + 2) % kPlain;
  return result;
}

void write(seal::scheme_type scheme, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const auto parameters = parameters_of(scheme);
  const seal::SEALContext context(parameters, true, seal::sec_level_type::none);
  seal::KeyGenerator generator(context);
  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  const seal::BatchEncoder encoder(context);
  seal::Encryptor encryptor(context, public_key, generator.secret_key());
  const seal::Evaluator evaluator(context);
  seal::Plaintext plain_a, plain_b;
  encoder.encode(values(true), plain_a);
  encoder.encode(values(false), plain_b);
  seal::Ciphertext a, product, lower;
  encryptor.encrypt(plain_a, a);
  evaluator.multiply(a, a, product);
  evaluator.mod_switch_to_next(a, lower);
  save(parameters, folder / "parameters.seal", kNone);
  save(generator.secret_key(), folder / "secret.seal", kNone);
  save(public_key, folder / "public.seal", kZlib);
  save(generator.create_relin_keys(), folder / "relinearization.seal", kZlib);  // a seed for each digit
  save(generator.create_galois_keys(std::vector<int>{1, 0}), folder / "rotations.seal", kZlib);
  save(a, folder / "a.seal", kZlib);
  save(encryptor.encrypt_symmetric(plain_b), folder / "b.seal", kNone);  // with a seed
  save(product, folder / "square.seal", kZlib);
  save(lower, folder / "lower.seal", kNone);
}

/// A key in full, without seeds, and a seed of the other generator.
void write_more(const std::filesystem::path& folder) {
  auto parameters = parameters_of(seal::scheme_type::bfv);
  const seal::SEALContext context(parameters, true, seal::sec_level_type::none);
  std::ifstream stream(folder / "secret.seal", std::ios::binary);
  seal::SecretKey secret;
  secret.load(context, stream);
  seal::KeyGenerator generator(context, secret);
  seal::RelinKeys keys;
  generator.create_relin_keys(keys);
  save(keys, folder / "relinearization-full.seal", kZlib);
}

int check(seal::scheme_type scheme, const std::filesystem::path& folder) {
  const seal::SEALContext context(parameters_of(scheme), true, seal::sec_level_type::none);
  const auto load = [&](auto& object, const char* name) {
    std::ifstream stream(folder / name, std::ios::binary);
    object.load(context, stream);
  };
  seal::SecretKey secret;
  load(secret, "secret.seal");
  seal::Ciphertext answer;
  load(answer, "answer.seal");  // (a * b), relinearized and rotated by one, plus a
  seal::Decryptor decryptor(context, secret);
  seal::Plaintext plain;
  decryptor.decrypt(answer, plain);
  std::vector<std::uint64_t> found;
  seal::BatchEncoder(context).decode(plain, found);
  const auto a = values(true), b = values(false);
  int wrong = 0;
  for (std::size_t i = 0; i < 1024; ++i) {
    const std::size_t from = i / 512 * 512 + (i + 1) % 512;
    wrong += found[i] != (a[from] * b[from] + a[i]) % kPlain;
  }
  std::cout << folder.string() << ": " << wrong << " of 1024 slots are wrong, "
            << decryptor.invariant_noise_budget(answer) << " bits of noise budget are left\n";
  return wrong != 0;
}

}  // namespace

int main(int count, char** arguments) {
  const bool checks = count == 3 && std::strcmp(arguments[1], "check") == 0;
  if (!checks && count != 2) {
    std::cerr << "usage: write FOLDER | write check FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder(arguments[count - 1]);
  if (checks)
    return check(seal::scheme_type::bfv, folder / "bfv") | check(seal::scheme_type::bgv, folder / "bgv");
  write(seal::scheme_type::bfv, folder / "bfv");
  write(seal::scheme_type::bgv, folder / "bgv");
  write_more(folder / "bfv");
  return 0;
}
