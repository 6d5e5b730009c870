// SPDX-License-Identifier: Apache-2.0
#pragma once

// A device that computes nothing and counts what it is given: how much work a circuit is, by the definitions
// of the operations (fusions.cpp, key_switching.cpp), whatever a device does to fuse them. Arrays have no
// memory behind them. Polynomials live in values, as on a CPU: rows that are known there are not transformed.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "nttforge/device/implement.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::bench {

/// Kernels of transforms are chosen by the size of a prime.
inline constexpr std::array kPrimeClasses = {"up to 32 bits", "33 to 50 bits", "51 to 62 bits"};
inline std::size_t class_of(std::uint64_t q) { return q < (1ull << 32) ? 0 : q < (1ull << 50) ? 1 : 2; }

struct Work {
  std::array<double, kPrimeClasses.size()> forward{}, inverse{};  ///< transforms of one limb
  double conversion_products = 0;                ///< of a residue by a constant, for other primes
  double key_products = 0, key_bytes = 0;        ///< of words with words of keys
  double factor_products = 0, factor_bytes = 0;  ///< of words with words of a map's factors
  double pointwise = 0;                          ///< other words computed
  double moved = 0;                              ///< words permuted or copied
};

class CountingDevice : public Device, public std::enable_shared_from_this<CountingDevice> {
 public:
  mutable Work work;  ///< since it was last set to {}

  std::string name() const override { return "counting"; }
  std::string description() const override { return "counts operations and computes nothing"; }
  std::string memory_space() const override { return "nowhere"; }
  void require_memory(std::uint64_t, const std::string&) const override {}
  std::shared_ptr<const Queue> make_queue() const override;
  std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const override {
    struct Ring : RingTables {
      explicit Ring(NttSpec of) : RingTables(std::move(of)) {}
    };
    return std::make_shared<Ring>(checked_ring_spec(spec));
  }
  std::shared_ptr<const StepTables> make_step(std::span<const RnsStep> chain, std::size_t n) const override {
    struct Step : StepTables {
      Step(std::span<const RnsStep> of, std::size_t count) : StepTables(of, count) {}
    };
    return std::make_shared<Step>(chain, n);
  }
  using Device::make_step;
  std::shared_ptr<const PermutationTables> make_permutation(
      std::span<const std::uint32_t> index) const override {
    struct Permutation : PermutationTables {
      explicit Permutation(std::size_t n) : PermutationTables(n) {}
    };
    return std::make_shared<Permutation>(index.size());
  }
  std::string recipe_json(const RingTables&) const override { return "{}"; }
};

class CountingQueue : public Queue {
 public:
  explicit CountingQueue(std::shared_ptr<const CountingDevice> device)
      : device_(std::move(device)), work_(device_->work) {}
  const Device& device() const override { return *device_; }

  // Places that nobody follows.
  DeviceArray allocate(std::size_t words, unsigned word_bits) const override {
    return {std::shared_ptr<void>(std::shared_ptr<void>(), const_cast<CountingQueue*>(this)), words,
            word_bits, device_->memory_space()};
  }
  DeviceArray allocate_secret(std::size_t words, unsigned word_bits) const override {
    return allocate(words, word_bits);
  }
  using Queue::allocate;
  using Queue::allocate_secret;
  void upload(std::span<const std::uint64_t>, WordPtr) const override {}
  void upload_written(std::size_t, WordPtr, const WriteWords&) const override {}
  void download(ConstWordPtr, std::span<std::uint64_t> host) const override {
    std::fill(host.begin(), host.end(), 0);
  }
  void copy(ConstWordPtr, WordPtr, std::size_t words) const override { work_.moved += double(words); }
  void fill_zero(WordPtr, std::size_t) const override {}
  void wait() const override {}
  std::shared_ptr<const Event> record() const override {
    struct Done : Event {
      void wait() const override {}
    };
    return std::make_shared<Done>();
  }
  void wait(const Event&) const override {}

  void forward(const RingTables& ring, WordPtr, std::size_t batch) const override {
    for (const std::uint64_t q : ring.spec().moduli) work_.forward[class_of(q)] += double(batch);
  }
  void inverse(const RingTables& ring, WordPtr, std::size_t batch) const override {
    for (const std::uint64_t q : ring.spec().moduli) work_.inverse[class_of(q)] += double(batch);
  }
  void forward_into(const RingTables& ring, ConstWordPtr, WordPtr out, std::size_t batch) const override {
    forward(ring, out, batch);
  }

  void add(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr, std::size_t batch) const override {
    each(ring, batch);
  }
  void sub(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr, std::size_t batch) const override {
    each(ring, batch);
  }
  void negate(const RingTables& ring, ConstWordPtr, WordPtr, std::size_t batch) const override {
    each(ring, batch);
  }
  void multiply(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr,
                std::size_t batch) const override {
    each(ring, batch);
  }
  void multiply_accumulate(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr,
                           std::size_t batch) const override {
    each(ring, batch);
  }
  void multiply_scalar(const RingTables& ring, ConstWordPtr, std::span<const std::uint64_t>, WordPtr,
                       std::size_t batch) const override {
    each(ring, batch);
  }
  void linear_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                          std::span<const std::uint64_t>, std::span<const std::uint64_t>, std::size_t,
                          WordPtr, std::size_t elements) const override {
    for (const CombinedRows& term : terms) each(ring, term.parts * elements);
  }
  void multiply_broadcast(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr,
                          std::size_t batch) const override {
    each(ring, batch);
  }
  void tensor(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr, bool,
              std::size_t batch) const override {
    each(ring, 4 * batch);
  }
  void sums_of_products(const RingTables& ring, ConstWordPtr, ConstWordPtr, WordPtr, std::size_t groups,
                        std::size_t terms, std::size_t parts) const override {
    work_.factor_products += double(groups * terms * parts * ring.words());
  }
  void automorphism(const RingTables& ring, ConstWordPtr, std::uint64_t, WordPtr,
                    std::size_t batch) const override {
    work_.moved += double(batch * ring.words());
  }
  void automorphism_transformed(const RingTables& ring, ConstWordPtr, std::uint64_t, WordPtr,
                                std::size_t batch) const override {
    work_.moved += double(batch * ring.words());
  }
  void gather(const PermutationTables& permutation, ConstWordPtr, WordPtr, std::size_t rows) const override {
    work_.moved += double(rows * permutation.n());
  }
  void repeat(ConstWordPtr, std::size_t, WordPtr, std::size_t, std::size_t) const override {}
  void sample_uniform(const RingTables&, const StreamName&, WordPtr) const override {}
  void sample_ternary(const RingTables&, const StreamName&, WordPtr) const override {}
  void sample_binary(const RingTables&, const StreamName&, WordPtr) const override {}
  void sample_error(const RingTables&, const StreamName&, ErrorDistribution, WordPtr) const override {}

  void apply(const StepTables& step, BatchRows, BatchRows, WordPtr, std::size_t batch,
             WordPtr) const override {
    convert(step, step.targets(), batch);
  }
  using Queue::apply;
  void lift_plain(const RingTables& ring, std::uint64_t, ConstWordPtr, WordPtr,
                  std::size_t batch) const override {
    each(ring, batch);
  }
  void sum_centred(std::uint64_t, ConstWordPtr, std::size_t, WordPtr, std::size_t) const override {}
  /// Rows that are dropped are transformed back, quotients forward.
  void rescale(const StepTables& division, const RingTables& from, const RingTables& to, ConstWordPtr in,
               Form form, WordPtr out, std::size_t batch) const override {
    if (form == Form::coefficients) return Queue::rescale(division, from, to, in, form, out, batch);
    for (const std::uint64_t q : division.chain().front().sources)
      work_.inverse[class_of(q)] += double(batch);
    convert(division, division.targets(), batch);
    forward(to, out, batch);
    each(to, batch);
  }
  /// The rows of a digit's own primes are those of the polynomial.
  void decompose(const SwitchTables& level, BatchRows, Form form, WordPtr out,
                 std::size_t batch) const override {
    if (form == Form::values) inverse(*level.ring, out, batch);
    const std::vector<std::uint64_t>& primes = level.key_ring->spec().moduli;
    std::size_t first = 0;
    for (const auto& digit : level.digits) {
      const std::size_t end = first + digit->sources();
      convert(*digit, primes.size() - digit->sources(), batch);
      for (std::size_t j = 0; j < primes.size(); ++j)
        if (form == Form::coefficients || j < first || j >= end)
          work_.forward[class_of(primes[j])] += double(batch);
      first = end;
    }
  }
  void inner_product(const SwitchTables& level, ConstWordPtr, const KeyRows&, WordPtr out, std::size_t batch,
                     bool) const override {
    const double products = 2.0 * double(level.digits.size() * level.key_ring->words());
    work_.key_products += double(batch) * products;
    work_.key_bytes += products * out.word_bits() / 8;
  }
  void sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                      const MapFactors& factors, const std::function<SwitchedImage(std::size_t)>& image,
                      WordPtr out, std::size_t batch) const override {
    Queue::sums_of_images(level, digits, parts, factors, image, out, batch);
    work_.factor_bytes += double(factors.groups * factors.terms * level.key_ring->words() / factors.repeat) *
                          factors.words.word_bits() / 8;
  }
  EncodedRange encode(const EmbeddingTables&, const RingTables&, const NumberRows&, const DoubleDouble&,
                      double, Form, WordPtr, std::size_t) const override {
    return {};
  }

 private:
  void each(const RingTables& ring, std::size_t batch) const {
    work_.pointwise += double(batch * ring.words());
  }
  void convert(const StepTables& step, std::size_t targets, std::size_t batch) const {
    work_.conversion_products += double(step.sources() * targets * step.n() * batch);
  }

  std::shared_ptr<const CountingDevice> device_;
  Work& work_;
};

inline std::shared_ptr<const Queue> CountingDevice::make_queue() const {
  return std::make_shared<CountingQueue>(shared_from_this());
}

}  // namespace nttforge::bench
