// SPDX-License-Identifier: Apache-2.0
// CKKS and BGV of Microsoft SEAL, alone or with HEXL inside. CKKS: first its words, with one special prime
// and digits of one prime, against ours from its own keys and ciphertexts; then its times, by turns with
// ours. BGV: a product with relinearization by its own set for 128 bits and by ours.

#include <seal/seal.h>

#include "bench/peers/ckks_peer.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/rlwe/bytes/keys_from_words.hpp"

using namespace nttforge;

namespace {

#ifdef SEAL_USE_INTEL_HEXL
constexpr const char* kName = "seal+hexl";
#else
constexpr const char* kName = "seal";
#endif

using Words = std::vector<std::uint64_t>;

std::vector<int> bits_of(const bench::CkksSet& set) {
  std::vector<int> bits(set.depth + 2, static_cast<int>(set.scale_bits));
  bits.front() = static_cast<int>(set.lowest_bits);
  bits.back() = static_cast<int>(set.special_bits);
  return bits;
}

Words words_of(const seal::Ciphertext& x) {
  return {x.data(), x.data() + x.size() * x.coeff_modulus_size() * x.poly_modulus_degree()};
}

Words words_of(const std::vector<seal::PublicKey>& digits) {
  Words result;
  for (const seal::PublicKey& digit : digits) {
    const Words words = words_of(digit.data());
    result.insert(result.end(), words.begin(), words.end());
  }
  return result;
}

class Peer {
 public:
  explicit Peer(const bench::CkksSet& set)
      : set_(set),
        context_(parameters(set), true, seal::sec_level_type::tc128),
        generator_(checked(context_)),
        encoder_(context_),
        evaluator_(context_),
        decryptor_(context_, generator_.secret_key()) {
    generator_.create_public_key(public_key_);
    generator_.create_relin_keys(relinearization_);
    generator_.create_galois_keys(std::vector<int>{1}, rotations_);
    encoder_.encode(bench::message(set.n / 2), scale(), plain_);
    seal::Encryptor(context_, public_key_).encrypt(plain_, x_);
    evaluator_.multiply(x_, x_, three_);
    evaluator_.relinearize(three_, relinearization_, two_);
    evaluator_.rescale_to_next(two_, low_);
    seal::Ciphertext turned;
    evaluator_.rotate_vector(low_, 1, rotations_, turned);
    seal::Plaintext plain;
    decryptor_.decrypt(turned, plain);
    bench::Numbers found;
    encoder_.decode(plain, found);
    bench::require_turned_square(found, set.n / 2, kName);
  }

  /// Ours gives the same words of a product, its relinearization, their rescalings and a rotation.
  void require_words() const {
    Words primes;
    for (const seal::Modulus& q : context_.key_context_data()->parms().coeff_modulus())
      primes.push_back(q.value());
    const std::uint64_t special = primes.back();
    primes.pop_back();
    const auto context =
        ckks::Context::create(ckks::Parameters::custom(set_.n, scale(), primes, special), make_cpu_device(1));
    const std::uint32_t element = context_.key_context_data()->galois_tool()->get_elt_from_step(1);
    const rlwe::RelinearizationKey relinearization(
        rlwe::key_switch_key_from_words(context, words_of(relinearization_.data()[0]), 0));
    rlwe::RotationKeys rotations(context);
    rotations.insert(rlwe::key_switch_key_from_words(context, words_of(rotations_.key(element)), element));
    // What a ciphertext of the highest level says, with the words of theirs.
    const rlwe::KeyGenerator generator(context);
    rlwe::Ciphertext x = ckks::Encryptor(generator.public_key())
                             .encrypt(ckks::Plaintext(context, bench::message(context->slots()), {}));
    context->queue().upload(words_of(x_), x.data());
    const ckks::Evaluator evaluator(context);
    const auto require_same = [&](const rlwe::Ciphertext& ours, const seal::Ciphertext& theirs,
                                  const char* what) {
      Words words(ours.words());
      context->queue().download(ours.data(), words);
      if (words != words_of(theirs)) throw Error(std::string("SEAL and nttforge differ in ") + what);
    };
    seal::Ciphertext y;
    const rlwe::Ciphertext three = evaluator.multiply(x, x),
                           two = evaluator.relinearize(three, relinearization);
    require_same(three, three_, "a product");
    require_same(two, two_, "a relinearized product");
    require_same(evaluator.rescale(two), low_, "a rescaled product");
    evaluator_.rescale_to_next(three_, y);
    require_same(evaluator.rescale(three), y, "a rescaled product of three parts");
    evaluator_.rotate_vector(x_, 1, rotations_, y);
    require_same(evaluator.apply_galois(x, element, rotations), y, "a rotation");
    std::printf("%-10s n = %-6zu product, relinearization, rescaling, rotation: word for word ours\n", kName,
                set_.n);
  }

  void time(const bench::PeerOptions& options, bench::PeerReport& report) {
    const bench::OurCkks ours(set_);
    std::printf("nttforge: %s\n", ours.describe().c_str());
    const auto compare = [&](const char* operation, const std::function<void()>& theirs) {
      bench::compare_ckks(report, kName, set_, ours, operation, theirs, options.seconds);
    };
    const seal::Encryptor encryptor(context_, public_key_);
    const bench::Numbers values = bench::message(set_.n / 2);
    seal::Plaintext plain;
    seal::Ciphertext y, lowest;
    evaluator_.mod_switch_to(x_, context_.last_parms_id(), lowest);
    bench::Numbers found;
    compare("encode", [&] { encoder_.encode(values, scale(), plain); });
    compare("encrypt (public key)", [&] { encryptor.encrypt(plain_, y); });
    compare("decrypt and decode, lowest level", [&] {
      decryptor_.decrypt(lowest, plain);
      encoder_.decode(plain, found);
    });
    compare("multiply, relinearize, rescale", [&] {
      evaluator_.multiply(x_, x_, y);
      evaluator_.relinearize_inplace(y, relinearization_);
      evaluator_.rescale_to_next_inplace(y);
    });
    compare("rotate", [&] { evaluator_.rotate_vector(x_, 1, rotations_, y); });
  }

 private:
  static seal::EncryptionParameters parameters(const bench::CkksSet& set) {
    seal::EncryptionParameters result(seal::scheme_type::ckks);
    result.set_poly_modulus_degree(set.n);
    result.set_coeff_modulus(seal::CoeffModulus::Create(set.n, bits_of(set)));
    return result;
  }
  static const seal::SEALContext& checked(const seal::SEALContext& context) {
    if (!context.parameters_set()) throw Error(std::string("SEAL: ") + context.parameter_error_message());
    return context;
  }
  double scale() const { return std::exp2(set_.scale_bits); }

  const bench::CkksSet& set_;
  seal::SEALContext context_;
  seal::KeyGenerator generator_;
  seal::CKKSEncoder encoder_;
  seal::Evaluator evaluator_;
  seal::Decryptor decryptor_;
  seal::PublicKey public_key_;
  seal::RelinKeys relinearization_;
  seal::GaloisKeys rotations_;
  seal::Plaintext plain_;
  seal::Ciphertext x_, three_, two_, low_;
};

void compare_bgv(std::size_t n, const bench::PeerOptions& options, bench::PeerReport& report) {
  constexpr std::uint64_t t = 65537;
  std::vector<std::uint64_t> values(n), squares(n), found;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = (i * i + 1) % t;
    squares[i] = values[i] * values[i] % t;
  }
  seal::EncryptionParameters parameters(seal::scheme_type::bgv);
  parameters.set_poly_modulus_degree(n);
  parameters.set_coeff_modulus(seal::CoeffModulus::BFVDefault(n));
  parameters.set_plain_modulus(t);
  const seal::SEALContext context(parameters, true, seal::sec_level_type::tc128);
  seal::KeyGenerator generator(context);
  seal::PublicKey public_key;
  generator.create_public_key(public_key);
  seal::RelinKeys relinearization;
  generator.create_relin_keys(relinearization);
  const seal::BatchEncoder encoder(context);
  const seal::Evaluator evaluator(context);
  seal::Plaintext plain;
  seal::Ciphertext x, y;
  encoder.encode(values, plain);
  seal::Encryptor(context, public_key).encrypt(plain, x);
  const auto theirs = [&] {
    evaluator.multiply(x, x, y);
    evaluator.relinearize_inplace(y, relinearization);
  };
  theirs();
  seal::Decryptor(context, generator.secret_key()).decrypt(y, plain);
  encoder.decode(plain, found);
  if (found != squares) throw Error("SEAL: wrong result");

  const auto own = bgv::Context::create(bgv::Parameters::preset(n, t), make_cpu_device(1));
  const rlwe::KeyGenerator own_generator(own);
  const auto own_key = own_generator.relinearization_key();
  const bgv::Evaluator own_evaluator(own);
  const integer_encoding::BatchEncoder own_encoder(own);
  const auto own_x =
      integer_encoding::Encryptor(own_generator.public_key()).encrypt(own_encoder.encode(values));
  const auto ours = [&] { return own_evaluator.multiply_relinearize(own_x, own_x, own_key); };
  if (own_encoder.decode(integer_encoding::Decryptor(own_generator.secret_key()).decrypt(ours())) != squares)
    throw Error("nttforge: wrong result");
  const auto runs = static_cast<std::size_t>(std::max(3.0, options.seconds * 100));
  const bench::ByTurns turns = bench::measure_by_turns(theirs, ours, runs, 1000);
  std::printf("%-10s n = %-6zu BGV multiply, relinearize %10.1f us, nttforge %10.1f us: %.2f x\n", kName, n,
              turns.first.min_ns / 1e3, turns.second.min_ns / 1e3, turns.ratio);
  for (const bool is_own : {false, true}) {
    Json row = Json::object();
    row.set("kind", "bgv");
    row.set("library", std::string(is_own ? "nttforge" : kName));
    row.set("beside", std::string(is_own ? kName : "nttforge"));
    row.set("n", n);
    row.set("primes", is_own ? own->parameters().q.size() + own->parameters().special.size()
                             : parameters.coeff_modulus().size());
    row.set("operation", "multiply, relinearize");
    row.set("threads", 1);
    if (!is_own) row.set("ratio", turns.ratio);
    report.add(std::move(row), is_own ? turns.second : turns.first);
  }
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_seal_ckks", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    bench::PeerReport report(kName, SEAL_VERSION);
    for (const bench::CkksSet& set : bench::kCkksSets) {
      if (set.n > 32768 || (options.only != 0 && options.only != set.n)) continue;  // SEAL's largest
      Peer peer(set);
      peer.require_words();
      peer.time(options, report);
      compare_bgv(set.n, options, report);
    }
    report.write(options.json);
  });
}
