// SPDX-License-Identifier: Apache-2.0
// A fat bootstrap of HElib's BGV: all coefficients of a polynomial modulo Phi_m, by digit extraction. Every
// coefficient of random integers is checked before the time of a bootstrap counts. bootstrap_helib --help
// lists the options; exact_bootstrap.py runs this beside the others.

#include <NTL/BasicThreadPool.h>
#include <helib/helib.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "nttforge/base/error.hpp"

namespace {

using namespace nttforge;

/// A ring whose slots HElib can bootstrap: m is the product of `factors`, and slots form a cube by
/// `generators`.
struct Ring {
  const char* name;
  long p;
  std::vector<long> factors, generators, orders;
  long bits;  ///< of the modulus, enough for a bootstrap
};

// Products and generators are those that the library's documentation and tests list for p.
const std::vector<Ring> kRings = {
    {"p17-small", 17, {7, 5, 37}, {556, 1037}, {6, 4}, 600},
    {"p127-small", 127, {11, 175}, {1751, 199}, {10, 6}, 900},
    {"p17", 17, {101, 451}, {19394, 7677}, {100, 10}, 750},
    {"p127", 127, {37, 1387}, {48546, 24976}, {36, -36}, 900},
};

struct Arguments {
  std::string ring = "p127", json;
  long bits = 0, columns = 3, ephemeral = 120, runs = 1;

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::choice_option("--ring", "p, and how large m is", ring,
                             {"p17-small", "p127-small", "p17", "p127"}),
        bench::number_option("--bits", "of the modulus (0: the ring's)", bits, 0l, 4000l),
        bench::number_option("--columns", "of key-switching matrices", columns, 1l, 16l),
        bench::number_option("--weight", "of the secret for bootstraps (0: the library's)", ephemeral, 0l,
                             4096l),
        bench::number_option("--runs", "bootstraps that are timed, each of other integers", runs, 1l, 100l),
        bench::text_option("--json", "file for the results", json)};
    bench::parse_options(count, arguments, own);
  }
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Json run(const Arguments& options, bench::Timing& timing) {
  const Ring& ring =
      *std::find_if(kRings.begin(), kRings.end(), [&](const Ring& r) { return options.ring == r.name; });
  const auto start = std::chrono::steady_clock::now();
  long m = 1;
  for (const long factor : ring.factors) m *= factor;
  const helib::Context context = helib::ContextBuilder<helib::BGV>()
                                     .m(m)
                                     .p(ring.p)
                                     .r(1)
                                     .gens(ring.generators)
                                     .ords(ring.orders)
                                     .bits(options.bits == 0 ? ring.bits : options.bits)
                                     .c(options.columns)
                                     .bootstrappable(true)
                                     .skHwt(options.ephemeral)
                                     .mvec(ring.factors)
                                     .thickboot()
                                     .build();
  helib::SecKey secret(context);
  secret.GenSecKey();
  helib::addSome1DMatrices(secret);
  helib::addFrbMatrices(secret);
  secret.genRecryptData();
  helib::PubKey& key = secret;
  const double setup = seconds_since(start);

  std::vector<double> samples;
  double before = 0, after = 1e9;
  for (long i = 0; i < options.runs; ++i) {
    NTL::ZZX message, found;
    NTL::zz_pPush modulus(ring.p);
    helib::convert(message, helib::balanced_zzX(NTL::random_zz_pX(context.getPhiM())));
    NTL::ZZX expected;
    helib::PolyRed(expected, message, ring.p, true);
    helib::Ctxt text(key);
    secret.Encrypt(text, message, ring.p);
    before = static_cast<double>(text.bitCapacity());
    const auto begin = std::chrono::steady_clock::now();
    key.reCrypt(text);
    samples.push_back(seconds_since(begin) * 1e9);
    after = std::min(after, static_cast<double>(text.bitCapacity()));
    secret.Decrypt(found, text);
    if (found != expected)
      throw Error("a bootstrap changed its integers, with " + std::to_string(text.bitCapacity()) +
                  " bits of capacity: no time counts; take more --bits");
  }
  timing = bench::timing_of(std::move(samples), 1);
  Json row = Json::object();
  row.set("kind", std::string("exact_bootstrap"));
  row.set("scheme", std::string("BGV"));
  row.set("method", std::string("digit extraction, fat"));
  row.set("ring", options.ring);
  row.set("m", static_cast<std::uint64_t>(m));
  row.set("n", static_cast<std::uint64_t>(context.getPhiM()));
  row.set("t", static_cast<std::uint64_t>(ring.p));
  row.set("slots", static_cast<std::uint64_t>(context.getNSlots()));
  row.set("integers", static_cast<std::uint64_t>(context.getPhiM()));
  row.set("log2_q", context.logOfProduct(context.getCtxtPrimes()) / std::log(2.0));
  row.set("log2_qp", context.logOfProduct(context.fullPrimes()) / std::log(2.0));
  row.set("ephemeral_weight", static_cast<std::uint64_t>(context.getRcData().skHwt));
  row.set("security_bits", context.securityLevel());
  row.set("budget_before", before);
  row.set("budget_after", after);
  row.set("setup_seconds", setup);
  return row;
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("bootstrap_helib", [&] {
    Arguments options;
    options.parse(count, arguments);
    NTL::SetNumThreads(1);
    bench::Report report("HElib", helib::version::asString, NTTF_PEER_BUILD);
    bench::Timing timing;
    Json row = run(options, timing);
    report.add(std::move(row), timing);
    std::printf("%s\n", report.document().dump().c_str());
    if (!options.json.empty()) report.write(options.json);
  });
}
