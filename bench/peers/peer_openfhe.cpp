// SPDX-License-Identifier: Apache-2.0
// OpenFHE: its negacyclic transform (scalar) and BFV with every multiplication technique and key switching.
// Its parameters come from a depth; the depth whose log2 Q is nearest the set's from below is taken.

#include <openfhe.h>

#include <functional>

#include "bench/bfv_matrix.hpp"
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

/// The first slots of a row, in [0, t).
std::vector<std::uint64_t> slots(const Context& context, const lbcrypto::PrivateKey<lbcrypto::DCRTPoly>& key,
                                 const Encrypted& c) {
  lbcrypto::Plaintext decrypted;
  context->Decrypt(key, c, &decrypted);
  decrypted->SetLength(context->GetRingDimension() / 2);
  const auto t = static_cast<std::int64_t>(context->GetCryptoParameters()->GetPlaintextModulus());
  std::vector<std::uint64_t> result;
  for (const std::int64_t value : decrypted->GetPackedValue())
    result.push_back(static_cast<std::uint64_t>(value < 0 ? value + t : value));
  return result;
}

/// Rotations of one ciphertext, one by one and by EvalFastRotation, and a matrix with a vector by baby and
/// giant steps, the former by EvalFastRotation.
void linear(const Context& context, const lbcrypto::KeyPair<lbcrypto::DCRTPoly>& keys,
            const std::function<void(const char*, const std::function<void()>&)>& time) {
  const std::size_t n = context->GetRingDimension();
  const auto order = static_cast<std::uint32_t>(2 * n);
  const auto packed = [&](const std::vector<std::uint64_t>& values) {
    return context->MakePackedPlaintext({values.begin(), values.end()});
  };
  std::vector<std::uint64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = bench::vector_entry(i);
  const Encrypted x = context->Encrypt(keys.publicKey, packed(values));
  std::vector<std::int32_t> steps;
  for (std::int32_t i = 1; i <= bench::kRotations; ++i) steps.push_back(i);
  context->EvalRotateKeyGen(keys.secretKey, steps);
  const auto require_rotated = [&](const Encrypted& y) {
    const auto found = slots(context, keys.secretKey, y);
    for (std::size_t i = 0; i < found.size(); ++i)
      if (found[i] != bench::vector_entry(i + bench::kRotations)) throw Error("OpenFHE: wrong rotation");
  };
  Encrypted y;
  time("8 rotations", [&] {
    for (const std::int32_t step : steps) y = context->EvalRotate(x, step);
  });
  require_rotated(y);
  time("8 rotations, hoisted", [&] {
    const auto digits = context->EvalFastRotationPrecompute(x);
    for (const std::int32_t step : steps)
      y = context->EvalFastRotation(x, static_cast<std::uint32_t>(step), order, digits);
  });
  require_rotated(y);
  if (!bench::has_matrix(n)) return;
  steps.clear();
  for (std::size_t j = 1; j < bench::kBabySteps; ++j) steps.push_back(static_cast<std::int32_t>(j));
  for (std::size_t g = bench::kBabySteps; g < bench::kMatrixSize; g += bench::kBabySteps)
    steps.push_back(static_cast<std::int32_t>(g));
  context->EvalRotateKeyGen(keys.secretKey, steps);
  std::vector<lbcrypto::Plaintext> factors;
  for (std::size_t d = 0; d < bench::kMatrixSize; ++d) factors.push_back(packed(bench::matrix_factor(d, n)));
  const auto product = [&] {
    const auto digits = context->EvalFastRotationPrecompute(x);
    std::vector<Encrypted> babies{x};
    for (std::uint32_t j = 1; j < bench::kBabySteps; ++j)
      babies.push_back(context->EvalFastRotation(x, j, order, digits));
    for (std::size_t g = 0; g < factors.size(); g += babies.size()) {
      Encrypted sum = context->EvalMult(babies[0], factors[g]);
      for (std::size_t j = 1; j < babies.size(); ++j)
        context->EvalAddInPlace(sum, context->EvalMult(babies[j], factors[g + j]));
      y = g == 0 ? sum : context->EvalAdd(y, context->EvalRotate(sum, static_cast<std::int32_t>(g)));
    }
  };
  product();
  const auto expected = bench::matrix_product(n, context->GetCryptoParameters()->GetPlaintextModulus());
  const auto found = slots(context, keys.secretKey, y);
  if (!std::equal(found.begin(), found.end(), expected.begin())) {
    std::printf("openfhe    matrix 1024 x 1024: WRONG result, not timed\n");
    return;
  }
  time("matrix 1024 x 1024", product);
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
  const auto time = [&](const char* operation, const std::function<void()>& body) {
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
    if (set.t > 2) linear(context, keys, time);
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
