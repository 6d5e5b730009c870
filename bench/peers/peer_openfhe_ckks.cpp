// SPDX-License-Identifier: Apache-2.0
// CKKS of OpenFHE on one core (OMP_NUM_THREADS=1), by turns with ours: hybrid key switching with every number
// of digits that its security check admits, the fastest product counts.

#include <openfhe.h>

#include "bench/peers/ckks_peer.hpp"

using namespace nttforge;

namespace {

using Context = lbcrypto::CryptoContext<lbcrypto::DCRTPoly>;

Context make_context(const bench::CkksSet& set, std::uint32_t digits) {
  lbcrypto::CCParams<lbcrypto::CryptoContextCKKSRNS> parameters;
  parameters.SetMultiplicativeDepth(static_cast<std::uint32_t>(set.depth));
  parameters.SetScalingModSize(set.scale_bits);
  parameters.SetFirstModSize(set.lowest_bits);
  parameters.SetScalingTechnique(lbcrypto::FIXEDMANUAL);
  parameters.SetKeySwitchTechnique(lbcrypto::HYBRID);
  parameters.SetNumLargeDigits(digits);
  parameters.SetRingDim(static_cast<std::uint32_t>(set.n));
  parameters.SetBatchSize(static_cast<std::uint32_t>(set.n / 2));
  parameters.SetSecretKeyDist(lbcrypto::UNIFORM_TERNARY);
  parameters.SetSecurityLevel(lbcrypto::HEStd_128_classic);
  parameters.SetCKKSDataType(lbcrypto::COMPLEX);
  Context context = lbcrypto::GenCryptoContext(parameters);
  for (const auto feature : {lbcrypto::PKE, lbcrypto::KEYSWITCH, lbcrypto::LEVELEDSHE})
    context->Enable(feature);
  return context;
}

class Peer {
 public:
  Peer(const bench::CkksSet& set, std::uint32_t digits)
      : context_(make_context(set, digits)), keys_(context_->KeyGen()), message_(bench::message(set.n / 2)) {
    context_->EvalMultKeyGen(keys_.secretKey);
    context_->EvalRotateKeyGen(keys_.secretKey, {1});
    plain_ = encode();
    x_ = context_->Encrypt(keys_.publicKey, plain_);
    low_ = context_->LevelReduce(x_, nullptr, set.depth);
    lbcrypto::Plaintext found;
    context_->Decrypt(keys_.secretKey, context_->EvalRotate(product(), 1), &found);
    bench::require_turned_square(found->GetCKKSPackedValue(), set.n / 2, "OpenFHE");
  }
  ~Peer() {
    context_->ClearEvalMultKeys();
    context_->ClearEvalAutomorphismKeys();
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  lbcrypto::Ciphertext<lbcrypto::DCRTPoly> product() const {
    return context_->Rescale(context_->EvalMult(x_, x_));
  }

  void time(const bench::CkksSet& set, const bench::PeerOptions& options, bench::PeerReport& report) const {
    const bench::OurCkks ours(set);
    const auto compare = [&](const char* operation, const std::function<void()>& theirs) {
      bench::compare_ckks(report, "openfhe", set, ours, operation, theirs, options.seconds);
    };
    lbcrypto::Plaintext found;
    compare("encode", [&] { encode(); });
    compare("encrypt (public key)", [&] { context_->Encrypt(keys_.publicKey, plain_); });
    compare("decrypt and decode, lowest level", [&] { context_->Decrypt(keys_.secretKey, low_, &found); });
    compare("multiply, relinearize, rescale", [&] { product(); });
    compare("rotate", [&] { context_->EvalRotate(x_, 1); });
  }

 private:
  lbcrypto::Plaintext encode() const { return context_->MakeCKKSPackedPlaintext(message_); }

  Context context_;
  lbcrypto::KeyPair<lbcrypto::DCRTPoly> keys_;
  bench::Numbers message_;
  lbcrypto::Plaintext plain_;
  lbcrypto::Ciphertext<lbcrypto::DCRTPoly> x_, low_;
};

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_openfhe_ckks", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    bench::PeerReport report("openfhe", NTTF_OPENFHE_VERSION);
    for (const bench::CkksSet& set : bench::kCkksSets) {
      if (options.only != 0 && options.only != set.n) continue;
      std::uint32_t best = 0;
      double least = 0;
      for (std::uint32_t digits = 2; digits <= 8; ++digits) {
        try {
          const Peer peer(set, digits);
          const double now = bench::measure_for([&] { peer.product(); }, options.seconds).min_ns;
          std::printf("openfhe    n = %-6zu %u digits: product %.1f us\n", set.n, digits, now / 1e3);
          if (best == 0 || now < least) {
            best = digits;
            least = now;
          }
        } catch (const lbcrypto::OpenFHEException& error) {
          std::printf("openfhe    n = %-6zu %u digits: %s\n", set.n, digits, error.what());
        }
      }
      if (best != 0) Peer(set, best).time(set, options, report);
    }
    report.write(options.json);
  });
}
