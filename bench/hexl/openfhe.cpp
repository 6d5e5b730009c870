// SPDX-License-Identifier: Apache-2.0
// BFV (HPS, leveled) and CKKS of OpenFHE on one thread: the least time of each operation in this run, in
// microseconds.
//   openfhe LOG_N SECONDS

#include "openfhe.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace lbcrypto;
using Clock = std::chrono::steady_clock;

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

template <class Parameters>
CryptoContext<DCRTPoly> context_of(Parameters& parameters, std::uint32_t n) {
  parameters.SetSecurityLevel(HEStd_NotSet);
  parameters.SetRingDim(n);
  auto context = GenCryptoContext(parameters);
  for (const auto feature : {PKE, KEYSWITCH, LEVELEDSHE}) context->Enable(feature);
  return context;
}

/// Times with keys of the context; a and b are encryptions of plaintexts, check(decrypted product, rotated)
/// verifies.
template <class Check>
bool measure(const char* scheme, const CryptoContext<DCRTPoly>& context, const Plaintext& p,
             const Plaintext& q, double seconds, const Check& check) {
  const auto keys = context->KeyGen();
  context->EvalMultKeyGen(keys.secretKey);
  context->EvalRotateKeyGen(keys.secretKey, {1});
  const auto a = context->Encrypt(keys.publicKey, p), b = context->Encrypt(keys.publicKey, q);
  const auto rotated = context->EvalRotate(context->EvalMult(a, b), 1);
  Plaintext result;
  context->Decrypt(keys.secretKey, rotated, &result);
  if (!check(result)) {
    std::fprintf(stderr, "%s: the product is wrong\n", scheme);
    return false;
  }
  const auto row = [&](const char* name, const auto& body) {
    std::printf(", \"%s_%s\": %.2f", scheme, name, least_us(seconds, body));
    std::fflush(stdout);
  };
  row("encrypt", [&] { context->Encrypt(keys.publicKey, p); });
  row("decrypt", [&] { context->Decrypt(keys.secretKey, a, &result); });
  row("multiply_relinearize", [&] { context->EvalMult(a, b); });
  row("rotate", [&] { context->EvalRotate(a, 1); });
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int log_n = std::atoi(argv[1]);
  const double seconds = std::atof(argv[2]);
  const auto n = static_cast<std::uint32_t>(1) << log_n;
  std::printf("{\"n\": %u", n);

  CCParams<CryptoContextBFVRNS> bfv;
  bfv.SetPlaintextModulus(786433);
  bfv.SetMultiplicativeDepth(static_cast<std::uint32_t>(1) << (log_n - 12));
  const auto exact = context_of(bfv, n);
  const std::vector<std::int64_t> x{1, 2, 3, 4}, y{5, 6, 7, 8};
  const bool bfv_right = measure("bfv", exact, exact->MakePackedPlaintext(x), exact->MakePackedPlaintext(y),
                                 seconds, [](const Plaintext& result) {
                                   const auto& z = result->GetPackedValue();
                                   return z[0] == 12 && z[1] == 21 && z[2] == 32;
                                 });

  CCParams<CryptoContextCKKSRNS> ckks;
  ckks.SetScalingModSize(48);
  ckks.SetFirstModSize(60);
  ckks.SetMultiplicativeDepth(static_cast<std::uint32_t>(1) << (log_n - 12));
  const auto approximate = context_of(ckks, n);
  const std::vector<double> u{1, 2, 3, 4}, v{5, 6, 7, 8};
  const bool ckks_right =
      measure("ckks", approximate, approximate->MakeCKKSPackedPlaintext(u),
              approximate->MakeCKKSPackedPlaintext(v), seconds, [](const Plaintext& result) {
                result->SetLength(4);
                const auto& z = result->GetRealPackedValue();
                return std::abs(z[0] - 12) < 1e-3 && std::abs(z[1] - 21) < 1e-3 && std::abs(z[2] - 32) < 1e-3;
              });
  std::printf("}\n");
  std::fflush(stdout);
  std::_Exit(bfv_right && ckks_right
                 ? 0
                 : 1);  // with HEXL, OpenFHE's static tables are destroyed after what frees them
}
