// SPDX-License-Identifier: Apache-2.0
// Key switching of ciphertexts in values on one GPU, at the size that CKKS bootstraps have: n = 2^16, 47
// primes of 30 bits and 12 special ones, four digits, words of 32 bits; BGV's ciphertexts, keys and linear
// maps. The words of every operation are first compared with the CPU's, then it is timed. With --device
// cuda:host the same runs on the CPU, slowly: try --grid small there.

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gpu_bfv_sets.hpp"
#include "bench/queue_clock.hpp"
#include "nttforge/arith/primes.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/circuits/linear_map.hpp"
#include "nttforge/cuda/device.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace {

using namespace nttforge;
using namespace nttforge::bgv;

constexpr std::size_t kHoisted = 8, kDropped = 2, kGiants = 2, kPeriod = 32;

struct Options : bench::Output {
  unsigned runs = 25, calls = 20, threads = 0;
  std::string device = "cuda", grid = "cells", what = "operations", only;

  void parse(int count, char** arguments) {
    const std::vector<bench::Option> own = {
        bench::text_option("--device", "cuda, cuda:1, cuda:host or cpu", device),
        bench::choice_option("--grid", "small: n = 2^13 and few primes, for tests", grid, {"cells", "small"}),
        bench::choice_option("--what", "operations, or their words alone", what, {"operations", "check"}),
        bench::text_option("--only", "operations whose name has this", only),
        bench::number_option("--runs", "timed runs of each operation", runs, 3u, 10000u),
        bench::number_option("--calls", "calls of a run", calls, 1u, 10000u),
        bench::number_option("--threads", "of the CPU that checks (0: all)", threads, 0u, 1024u)};
    bench::parse_options(count, arguments, own + bench::Output::options());
  }
};

Parameters parameters_of(const Options& options) {
  const bool small = options.grid == "small";
  const std::size_t n = std::size_t{1} << (small ? 13 : 16), limbs = small ? 7 : 47, special = small ? 2 : 12;
  const std::vector<std::uint64_t> primes = ntt_primes(n, 30, limbs + special);
  const auto middle = primes.begin() + static_cast<std::ptrdiff_t>(limbs);
  return Parameters::custom(n, bench::kGpuBfvPlainModulus, {primes.begin(), middle},
                            std::vector<std::uint64_t>{middle, primes.end()},
                            SecurityLevel::insecure_by_request, {}, ErrorDistribution::sigma_3_2,
                            kStrictestTable, 32, special);
}

std::vector<std::int64_t> steps_to(std::int64_t first, std::int64_t last, std::int64_t by = 1) {
  std::vector<std::int64_t> steps;
  for (std::int64_t step = first; step <= last; step += by) steps.push_back(step);
  return steps;
}

/// What is timed, and the words that it computes.
struct Operation {
  std::string name;
  bench::Body run;
  std::function<std::vector<std::uint64_t>()> words;
  std::size_t share = 1;  ///< that one run has
};

/// Everything of one device, made from one seed, so that the words are those of every other device.
class Party {
 public:
  Party(const Parameters& parameters, std::shared_ptr<const Device> device, const Seed& seed)
      : context_(Context::create(parameters, std::move(device))),
        queue_(context_->queue()),
        generator_(context_, seed),
        evaluator_(context_),
        relinearization_(generator_.relinearization_key()),
        rotations_(generator_.rotation_keys(steps_to(1, kHoisted))),
        map_(make_map()),
        x_(encrypted(seed, 1)),
        y_(encrypted(seed, 2)),
        level_(context_->key_switching(context_->limbs())),
        ring_(*level_.ring),
        lower_(context_->ring_q(context_->limbs() - kDropped)),
        key_words_(relinearization_.key().words()),
        key_(relinearization_.key().rows(key_words_, context_->limbs())),
        image_(context_->automorphism(rlwe::rotation_element(context_->n(), 1))),
        division_(division()),
        rescaling_(rescaling()),
        product_(queue_.allocate(ring_, 3)),
        switched_(queue_.allocate(ring_, 2)),
        rescaled_(queue_.allocate(lower_, 2)),
        digits_(queue_.allocate(*level_.key_ring, level_.digits.size())),
        sums_(queue_.allocate(*level_.key_ring, 2)),
        left_(queue_.allocate(*level_.key_ring, 2)),
        images_(queue_.allocate(*level_.key_ring, 2 * kGiants)),
        factors_(map_.factors(context_->limbs(), {0, level_.key_ring->limbs()})),
        periodic_(queue_.allocate(kGiants * kHoisted * level_.key_ring->limbs() * kPeriod, 32)) {
    for (std::size_t row = 0; row < periodic_.size() / kPeriod; ++row)
      queue_.copy(factors_.data() + row * ring_.n(), periodic_.data() + row * kPeriod, kPeriod);
    multiply();
    queue_.decompose(level_, part(2), Form::values, digits_.data(), 1);
    queue_.inner_product(level_, digits_.data(), key_, sums_.data(), 1, false);
    queue_.switch_key(level_, part(2), key_, part(0), 2, Form::values, switched_.data(), 1);
  }
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;

  const Context& context() const { return *context_; }

  std::vector<Operation> operations() {
    const auto of_queue = [this](std::string name, const bench::Body& run, const DeviceArray& result) {
      return Operation{std::move(name), run, [this, run, &result] {
                         run();
                         return downloaded(result);
                       }};
    };
    const auto rotated = [this] { return evaluator_.rotate_rows(x_, 1, rotations_); };
    const auto hoisted = [this] { return evaluator_.rotate_many(x_, steps_to(1, kHoisted), rotations_); };
    const auto mapped = [this] { return circuits::apply(evaluator_, map_, x_, rotations_); };
    return {
        of_queue(
            "multiply + relinearize", [this] { multiply(), relinearize(); }, switched_),
        of_queue(
            "multiply + relinearize, two primes dropped at once",
            [this] {
              multiply();
              queue_.switch_key_rescaled(level_, rescaling_, part(2), key_, part(0), 2, Form::values,
                                         rescaled_.data(), 1);
            },
            rescaled_),
        of_queue(
            "multiply + relinearize, two primes dropped", [this] { multiply(), relinearize(), rescale(); },
            rescaled_),
        {"rotate", [rotated] { rotated(); }, [rotated] { return rotated().residues(); }},
        {"eight hoisted rotations, each", [hoisted] { hoisted(); },
         [hoisted] {
           std::vector<std::uint64_t> all;
           for (const Ciphertext& x : hoisted()) {
             const auto words = x.residues();
             all.insert(all.end(), words.begin(), words.end());
           }
           return all;
         },
         kHoisted},
        {"linear map, 8 baby and 2 giant steps", [mapped] { mapped(); },
         [mapped] { return mapped().residues(); }},
        of_queue(
            "part: tensor", [this] { multiply(); }, product_),
        of_queue(
            "part: decompose", [this] { queue_.decompose(level_, part(2), Form::values, digits_.data(), 1); },
            digits_),
        of_queue(
            "part: inner product",
            [this] { queue_.inner_product(level_, digits_.data(), key_, sums_.data(), 1, false); }, sums_),
        of_queue(
            "part: key switch",
            [this] { queue_.key_switch(level_, part(2), Form::values, key_, left_.data(), 1); }, left_),
        of_queue(
            "part: divide",
            [this] {
              queue_.copy(sums_.data(), left_.data(), sums_.size());
              queue_.mod_down(level_, left_.data(), part(0), 2, Form::values, switched_.data(), 1);
            },
            switched_),
        of_queue(
            "part: switch digits",
            [this] {
              queue_.switch_digits(level_, digits_.data(),
                                   {.image = image_,
                                    .key = key_,
                                    .addend = part(0),
                                    .addend_parts = 1,
                                    .moves_addend = true,
                                    .out = switched_.data()},
                                   Form::values, 1);
            },
            switched_),
        of_queue(
            "part: sums of images, 8 baby and 2 giant steps", [this] { sum_images(factors_, 1); }, images_),
        of_queue(
            "part: the same, factors of 32 words", [this] { sum_images(periodic_, ring_.n() / kPeriod); },
            images_),
        of_queue(
            "part: drop two primes", [this] { rescale(); }, rescaled_),
        of_queue(
            "part: forward", [this] { queue_.forward_into(ring_, x_.data(), switched_.data(), 1); },
            switched_),
    };
  }

 private:
  BatchRows part(std::size_t i) const { return {product_.data() + i * ring_.words(), 3 * ring_.words()}; }
  void multiply() { queue_.tensor(ring_, x_.data(), y_.data(), product_.data(), false, 1); }
  void relinearize() {
    queue_.switch_key(level_, part(2), key_, part(0), 2, Form::values, switched_.data(), 1);
  }
  void rescale() {
    queue_.rescale(*division_, ring_, lower_, switched_.data(), Form::values, rescaled_.data(), 2);
  }
  void sum_images(const DeviceArray& factors, std::size_t repeat) {
    const auto image = [this](std::size_t j) {
      if (j == 0) return SwitchedImage{};
      const std::uint64_t element = rlwe::rotation_element(context_->n(), static_cast<std::int64_t>(j));
      SwitchedImage result{.image = context_->automorphism(element),
                           .key_words = rotations_.key(element).words()};
      result.key = rotations_.key(element).rows(result.key_words, context_->limbs());
      return result;
    };
    queue_.sums_of_images(level_, digits_.data(), {x_.data(), 2 * level_.ring->words()},
                          {factors.data(), kGiants, kHoisted, repeat}, image, images_.data(), 1);
  }
  std::vector<std::uint64_t> downloaded(const DeviceArray& array) const {
    std::vector<std::uint64_t> words(array.size());
    queue_.download(array.data(), words);
    return words;
  }
  Plaintext slots(std::uint64_t state, std::size_t batch) const {
    return BatchEncoder(context_).encode(
        std::span<const std::uint64_t>(bench::slot_values(batch * context_->n(), context_->t(), state)),
        batch);
  }
  Ciphertext encrypted(const Seed& seed, std::uint32_t index) const {
    return Encryptor(generator_.public_key()).encrypt(slots(index, 1), seed, index);
  }
  circuits::LinearMap make_map() const {
    const std::vector<std::int64_t> babies = steps_to(0, kHoisted - 1), giants = {0, kHoisted};
    return {babies, giants, prepare_factors(slots(3, babies.size() * giants.size()))};
  }
  std::shared_ptr<const StepTables> division() const {
    const std::vector<std::uint64_t>& q = ring_.spec().moduli;
    const RnsBase leave(std::vector<std::uint64_t>(q.end() - kDropped, q.end()));
    return context_->device().make_step(
        switch_modulus_fast(RnsBase(lower_.spec().moduli), leave, context_->t()), context_->n());
  }

  RescaleTables rescaling() const {
    const std::vector<std::uint64_t>& all = level_.key_ring->spec().moduli;
    const RnsBase leave(std::vector<std::uint64_t>(all.begin() + std::ptrdiff_t(lower_.limbs()), all.end()));
    return context_->device().make_rescale(
        level_, context_->key_switching(context_->limbs() - kDropped).ring,
        switch_modulus_fast(RnsBase(lower_.spec().moduli), leave, context_->t()));
  }

  ContextPtr context_;
  const Queue& queue_;
  KeyGenerator generator_;
  bgv::Evaluator evaluator_;
  RelinearizationKey relinearization_;
  RotationKeys rotations_;
  circuits::LinearMap map_;
  Ciphertext x_, y_;
  const SwitchTables& level_;
  const RingTables &ring_, &lower_;
  DeviceArray key_words_;
  KeyRows key_;
  std::shared_ptr<const PermutationTables> image_;
  std::shared_ptr<const StepTables> division_;
  RescaleTables rescaling_;
  DeviceArray product_, switched_, rescaled_, digits_, sums_, left_, images_, factors_, periodic_;
};

/// The card's number; negative: not a card.
int ordinal_of(const Options& options) {
  return options.device == "cpu" ? -1 : cuda::parse_device(options.device);
}

void run(const Options& options, const std::shared_ptr<const Device>& device, bench::Report& report) {
  const Parameters parameters = parameters_of(options);
  std::printf("%s\n", parameters.describe().c_str());
  Seed seed;
  std::fill(seed.bytes.begin(), seed.bytes.end(), std::uint8_t{17});
  Party party(parameters, device, seed);
  const std::vector<Operation> operations = party.operations();
  {
    Party reference(parameters, make_cpu_device(options.threads), seed);
    const std::vector<Operation> wanted = reference.operations();
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (operations[i].words() != wanted[i].words())
        throw Error(operations[i].name + ": the words are not those of the CPU, so nothing is timed");
    std::printf("all words are those of the CPU\n");
  }
  const bench::QueueClock clock(party.context().queue(), ordinal_of(options), options.runs, options.calls);
  for (const Operation& operation : operations) {
    if (options.what == "check" || operation.name.find(options.only) == std::string::npos) continue;
    const auto add = [&](const char* mode, bench::Timing timing) {
      for (double* ns : {&timing.min_ns, &timing.median_ns, &timing.quartile_ns})
        *ns /= static_cast<double>(operation.share);
      std::printf("%-46s %-8s %10.2f us\n", operation.name.c_str(), mode, timing.median_ns * 1e-3);
      std::fflush(stdout);
      Json row = Json::object();
      row.set("kind", "gpu_bgv");
      row.set("n", parameters.n);
      row.set("limbs", parameters.limbs());
      row.set("special_primes", parameters.special.size());
      row.set("digits", parameters.digits());
      row.set("log2_qp", parameters.modulus_bits());
      row.set("word_bits", parameters.word_bits);
      row.set("operation", operation.name);
      row.set("mode", mode);
      report.add(std::move(row), timing);
    };
    add(bench::kStream, clock.back_to_back(operation.run));
    try {
      add(bench::kGraph, clock.in_a_graph(operation.run));
    } catch (const UnsupportedError& error) {
      std::printf("no graphs: %s\n", error.what());
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("gpu_bgv_bench", [&] {
    Options options;
    options.parse(count, arguments);
    const int ordinal = ordinal_of(options);
    const auto device =
        options.device == "cpu" ? make_cpu_device(options.threads) : make_cuda_device(ordinal);
    bench::Report report = options.report();
    report.note("device", device->description());
    bench::describe_card(ordinal, report);
    run(options, device, report);
    report.write(options.json);
  });
}
