// SPDX-License-Identifier: Apache-2.0
// OpenFHE: its negacyclic transform (scalar) and BFV with every multiplication technique and key switching.
// Its parameters come from a depth; the depth whose log2 Q is nearest the set's from below is taken.

#include <openfhe.h>

#include "bench/bfv_sets.hpp"
#include "bench/peers/peer.hpp"
#include "nttforge/ntt/plan.hpp"

using namespace nttforge;

namespace {

using Context = lbcrypto::CryptoContext<lbcrypto::DCRTPoly>;
using Encrypted = lbcrypto::Ciphertext<lbcrypto::DCRTPoly>;

void transforms(const bench::PeerOptions& options, bench::PeerReport& report) {
  using lbcrypto::NativeInteger;
  using lbcrypto::NativeVector;
  for (const unsigned bits : {50u, 60u, 30u}) {
    for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; ++log_n) {
      const std::size_t n = std::size_t{1} << log_n;
      const std::uint64_t q = ntt_primes(n, bits, 1)[0];
      const NttPlan plan(NttSpec{n, {q}});
      const NativeInteger modulus(q), root(plan.spec().roots[0]);
      const auto input = bench::random_residues(n, q, 1);
      auto ours = input;
      plan.forward(ours, ours);
      NativeVector x(static_cast<std::uint32_t>(n), modulus);
      for (std::uint32_t i = 0; i < n; ++i) x[i] = NativeInteger(input[i]);
      ChineseRemainderTransformFTT<NativeVector> transform;
      const auto order = static_cast<std::uint32_t>(2 * n);
      transform.ForwardTransformToBitReverseInPlace(root, order, &x);
      bool right = true;
      for (std::uint32_t i = 0; i < n; ++i) right = right && x[i].ConvertToInt<std::uint64_t>() == ours[i];
      transform.InverseTransformFromBitReverseInPlace(root, order, &x);
      for (std::uint32_t i = 0; i < n; ++i) right = right && x[i].ConvertToInt<std::uint64_t>() == input[i];
      if (!right) throw Error("OpenFHE and nttforge differ at n = " + std::to_string(n) + ": not timed");
      const auto forward =
          options.repetition.time([&] { transform.ForwardTransformToBitReverseInPlace(root, order, &x); });
      report.transform(bits, q, n, "negacyclic", "scalar", "forward", forward);
      const auto inverse =
          options.repetition.time([&] { transform.InverseTransformFromBitReverseInPlace(root, order, &x); });
      report.transform(bits, q, n, "negacyclic", "scalar", "inverse", inverse);
    }
  }
}

struct Variant {
  const char* name;
  lbcrypto::MultiplicationTechnique multiplication;
  lbcrypto::KeySwitchTechnique switching;
  bool everything;  ///< all operations, or products only
};
const Variant kVariants[] = {
    {"HPS, HYBRID", lbcrypto::HPS, lbcrypto::HYBRID, true},
    {"HPSPOVERQ, HYBRID", lbcrypto::HPSPOVERQ, lbcrypto::HYBRID, false},
    {"HPSPOVERQLEVELED, HYBRID", lbcrypto::HPSPOVERQLEVELED, lbcrypto::HYBRID, false},
    {"BEHZ, HYBRID", lbcrypto::BEHZ, lbcrypto::HYBRID, false},
    {"HPS, BV", lbcrypto::HPS, lbcrypto::BV, true},
};

unsigned log2_q(const Context& context) {
  return static_cast<unsigned>(context->GetElementParams()->GetModulus().GetMSB());
}

/// Bits of each prime: as few primes as 60 bits allow, of equal size. The [Bad18b] sets have SEAL's 60 bits.
unsigned prime_bits(const bench::BfvSet& set) {
  const unsigned primes = (set.log2_q + 59) / 60;
  return set.t == 2 ? 60 : (set.log2_q + primes - 1) / primes;
}

Context make_context(const bench::BfvSet& set, const Variant& variant, std::uint32_t depth) {
  lbcrypto::CCParams<lbcrypto::CryptoContextBFVRNS> parameters;
  parameters.SetPlaintextModulus(set.t);
  parameters.SetMultiplicativeDepth(depth);
  parameters.SetScalingModSize(prime_bits(set));
  parameters.SetRingDim(static_cast<std::uint32_t>(set.n));
  parameters.SetSecurityLevel(lbcrypto::HEStd_NotSet);
  parameters.SetMultiplicationTechnique(variant.multiplication);
  parameters.SetKeySwitchTechnique(variant.switching);
  Context context = GenCryptoContext(parameters);
  for (const auto feature :
       {lbcrypto::PKE, lbcrypto::KEYSWITCH, lbcrypto::LEVELEDSHE, lbcrypto::ADVANCEDSHE}) {
    context->Enable(feature);
  }
  return context;
}

/// The largest parameters whose log2 Q is at most the set's (primes of equal size may exceed it by a few
/// bits); if none is, the smallest of all. `depth` is where the search begins, and where it ended.
Context nearest_context(const bench::BfvSet& set, const Variant& variant, std::uint32_t& depth) {
  const auto fits = [&](const Context& context) { return log2_q(context) <= set.log2_q + 8; };
  Context best = make_context(set, variant, depth);
  while (!fits(best) && depth > 0) best = make_context(set, variant, --depth);
  for (;;) {
    Context next = make_context(set, variant, depth + 1);
    if (!fits(next)) return best;
    best = next;
    ++depth;
  }
}

lbcrypto::Plaintext polynomial(const Context& context, const std::vector<std::int64_t>& coefficients) {
  return context->MakeCoefPackedPlaintext(coefficients);
}

/// (1 + X)(1 + X^2) under X -> X^3.
bool right(const Context& context, const lbcrypto::KeyPair<lbcrypto::DCRTPoly>& keys,
           const std::map<std::uint32_t, lbcrypto::EvalKey<lbcrypto::DCRTPoly>>& rotations) {
  const auto x = context->Encrypt(keys.publicKey, polynomial(context, {1, 1}));
  const auto y = context->Encrypt(keys.publicKey, polynomial(context, {1, 0, 1}));
  const auto z = context->EvalAutomorphism(context->EvalMult(x, y), 3, rotations);
  lbcrypto::Plaintext decrypted;
  context->Decrypt(keys.secretKey, z, &decrypted);
  const auto& values = decrypted->GetCoefPackedValue();
  const auto t = static_cast<std::int64_t>(context->GetCryptoParameters()->GetPlaintextModulus());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool one = i % 3 == 0 && i <= 9;
    if ((values[i] - (one ? 1 : 0)) % t != 0) return false;
  }
  return true;
}

void bfv(const bench::BfvSet& set, const Variant& variant, std::uint32_t& depth,
         const bench::PeerOptions& options, bench::PeerReport& report) {
  const Context context = nearest_context(set, variant, depth);
  const auto keys = context->KeyGen();
  context->EvalMultKeyGen(keys.secretKey);
  const auto rotations = context->EvalAutomorphismKeyGen(keys.secretKey, {3});
  if (!right(context, keys, *rotations)) {
    std::printf("openfhe    %-14s %-26s WRONG result, not timed (log2 Q = %u)\n", set.name, variant.name,
                log2_q(context));
    return;
  }
  std::vector<std::int64_t> values(set.n);
  for (std::size_t i = 0; i < set.n; ++i) values[i] = static_cast<std::int64_t>((i * i + 1) % set.t);
  if (set.t > 2) {  // its coefficients lie in (-t/2, t/2]
    for (auto& v : values)
      v = v > static_cast<std::int64_t>(set.t / 2) ? v - static_cast<std::int64_t>(set.t) : v;
  }
  const auto plain = polynomial(context, values);
  Encrypted x = context->Encrypt(keys.publicKey, plain), y = context->Encrypt(keys.publicKey, plain);
  const Encrypted product = context->EvalMultNoRelin(x, y);
  Encrypted sum = x->Clone();
  lbcrypto::Plaintext decrypted;
  const auto time = [&](const char* operation, const auto& body) {
    bench::add_bfv(report, "openfhe", set, log2_q(context), variant.name, operation,
                   bench::measure_for(body, options.seconds));
  };
  if (variant.everything) {
    time("secret and public key", [&] { context->KeyGen(); });
    time("relinearization key", [&] { context->GetScheme()->EvalMultKeyGen(keys.secretKey); });
    time("encrypt (public key)", [&] { context->Encrypt(keys.publicKey, plain); });
    time("decrypt", [&] { context->Decrypt(keys.secretKey, x, &decrypted); });
    time("add", [&] { context->EvalAdd(x, y); });
    time("add in place", [&] { context->EvalAddInPlace(sum, y); });
    time("relinearize", [&] { context->Relinearize(product); });
    time("rotate", [&] { context->EvalAutomorphism(x, 3, *rotations); });
  }
  time("multiply", [&] { context->EvalMultNoRelin(x, y); });
  time("multiply + relinearize", [&] { context->EvalMult(x, y); });
  context->ClearEvalMultKeys();
  context->ClearEvalAutomorphismKeys();
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_openfhe", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    bench::PeerReport report("openfhe", NTTF_OPENFHE_VERSION);
    if (options.kind != "bfv") transforms(options, report);
    if (options.kind != "transform") {
      for (const bench::BfvSet& set : bench::bfv_sets()) {
        std::uint32_t depth = 0;
        for (const Variant& variant : kVariants) {
          if (options.only == 0 || options.only == set.n) bfv(set, variant, depth, options, report);
        }
      }
    }
    report.write(options.json);
  });
}
