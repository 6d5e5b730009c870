// SPDX-License-Identifier: Apache-2.0
#pragma once

// A second device for the tests, written for clarity: one coefficient at a
// time, after the definitions (rns/ single-coefficient steps, transform through a plain recursive DFT,
// ChaCha20 from RFC 8439). It shares no code with cpu/, so byte-identical ciphertexts on both say that both
// are right. Not installed.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/arith/roots.hpp"
#include "nttforge/device/queue.hpp"
#include "nttforge/random/gaussian_tables.hpp"

namespace nttforge::testing {

/// Word `i` of a lane of a ChaCha20 stream (RFC 8439, section 2.3).
inline std::uint64_t chacha_word(const StreamName& name, std::uint32_t lane, std::uint64_t i) {
  std::array<std::uint32_t, 16> state{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (std::size_t w = 0; w < 8; ++w) std::memcpy(&state[4 + w], name.seed.bytes.data() + 4 * w, 4);
  state[12] = static_cast<std::uint32_t>(i / 8);
  state[13] = static_cast<std::uint32_t>(name.domain);
  state[14] = name.index;
  state[15] = lane;
  auto x = state;
  const auto quarter = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (int round = 0; round < 10; ++round) {
    for (std::size_t k = 0; k < 4; ++k) quarter(k, 4 + k, 8 + k, 12 + k);
    for (std::size_t k = 0; k < 4; ++k) quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
  }
  const std::size_t w = 2 * (i % 8);
  return static_cast<std::uint64_t>(x[w] + state[w]) | static_cast<std::uint64_t>(x[w + 1] + state[w + 1])
                                                           << 32;
}

/// Sample i uniform in [0, q): first accepted word i over the rejection rounds.
inline std::uint64_t chacha_uniform(const StreamName& name, std::uint32_t limb, std::uint64_t q,
                                    std::uint64_t i) {
  const std::uint64_t bound = q * static_cast<std::uint64_t>((static_cast<u128>(1) << 64) / q);
  for (std::uint32_t round = 0;; ++round)
    if (const std::uint64_t w = chacha_word(name, limb << 8 | round, i); w < bound || bound == 0)
      return w % q;
}

class ReferenceRing : public RingTables {
 public:
  explicit ReferenceRing(NttSpec spec) : RingTables(std::move(spec)) {
    for (std::uint64_t q : this->spec().moduli) {
      moduli.emplace_back(q);
      const std::vector<std::uint64_t>& given = this->spec().roots;
      psi.push_back(!given.empty() ? given[psi.size()] : n() == 1 ? 1 : smallest_root_of_unity(2 * n(), q));
    }
  }
  std::vector<Modulus> moduli;
  std::vector<std::uint64_t> psi;
};

/// The steps of a chain one after the other, as they are given.
struct ReferenceStep : StepTables {
  ReferenceStep(std::span<const RnsStep> chain, std::size_t dimension)
      : StepTables(chain, dimension), values(chain.begin(), chain.end()) {}
  std::vector<StepValue> values;
};

struct ReferencePermutation : PermutationTables {
  explicit ReferencePermutation(std::span<const std::uint32_t> places)
      : PermutationTables(places.size()), index(places.begin(), places.end()) {}
  std::vector<std::uint32_t> index;
};

/// a[k] = sum_j a[j] omega^(jk), natural order both, by halves.
inline void dft(const Modulus& m, std::vector<std::uint64_t>& a, std::uint64_t omega) {
  const std::size_t half = a.size() / 2;
  if (half == 0) return;
  std::vector<std::uint64_t> even(half), odd(half);
  for (std::size_t i = 0; i < half; ++i) even[i] = a[2 * i], odd[i] = a[2 * i + 1];
  const std::uint64_t square = m.mul(omega, omega);
  dft(m, even, square);
  dft(m, odd, square);
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < half; ++i) {
    const std::uint64_t term = m.mul(power, odd[i]);
    a[i] = m.add(even[i], term);
    a[i + half] = m.sub(even[i], term);
    power = m.mul(power, omega);
  }
}

inline std::size_t bit_reversed(std::size_t k, std::size_t n) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < n; bit *= 2, k /= 2) result = 2 * result + k % 2;
  return result;
}

class ReferenceQueue : public Queue {
 public:
  explicit ReferenceQueue(std::shared_ptr<const Device> device) : device_(std::move(device)) {}
  const Device& device() const override { return *device_; }

  using Queue::allocate;
  using Queue::allocate_secret;
  DeviceArray allocate(std::size_t words, unsigned word_bits) const override {
    std::shared_ptr<std::uint64_t> memory(new std::uint64_t[words], std::default_delete<std::uint64_t[]>());
    return {std::move(memory), words, word_bits, device_->memory_space()};
  }
  DeviceArray allocate_secret(std::size_t words, unsigned word_bits) const override {
    return allocate(words, word_bits);
  }
  void upload(std::span<const std::uint64_t> host, WordPtr device) const override {
    copy(host.data(), device, host.size());
  }
  void download(ConstWordPtr device, std::span<std::uint64_t> host) const override {
    copy(device, host.data(), host.size());
  }
  void copy(ConstWordPtr in, WordPtr out, std::size_t words) const override {
    if (in == out) return;
    for (std::size_t i = 0; i < words; ++i) set(out, i, at(in, i));
  }
  void fill_zero(WordPtr out, std::size_t words) const override {
    for (std::size_t i = 0; i < words; ++i) set(out, i, 0);
  }
  void wait() const override {}
  std::shared_ptr<const Event> record() const override { return std::make_shared<const PastEvent>(); }
  void wait(const Event& event) const override { event.wait(); }

  void forward(const RingTables& ring, WordPtr x, std::size_t batch) const override {
    each_row(ring, batch, [&](const Modulus& m, std::uint64_t psi, std::size_t row) {
      const std::size_t n = ring.n();
      std::vector<std::uint64_t> a(n);
      for (std::size_t i = 0; i < n; ++i) a[i] = at(x, row * n + i);
      std::uint64_t power = 1;
      for (std::uint64_t& value : a) value = m.mul(value, power), power = m.mul(power, psi);
      dft(m, a, m.mul(psi, psi));
      for (std::size_t k = 0; k < n; ++k) set(x, row * n + bit_reversed(k, n), a[k]);
    });
  }
  void inverse(const RingTables& ring, WordPtr x, std::size_t batch) const override {
    each_row(ring, batch, [&](const Modulus& m, std::uint64_t psi, std::size_t row) {
      const std::size_t n = ring.n();
      std::vector<std::uint64_t> a(n);
      for (std::size_t k = 0; k < n; ++k) a[k] = at(x, row * n + bit_reversed(k, n));
      const std::uint64_t back = m.inverse(psi);
      dft(m, a, m.mul(back, back));
      std::uint64_t power = m.inverse(n % m.value());
      for (std::size_t j = 0; j < n; ++j) set(x, row * n + j, m.mul(a[j], power)), power = m.mul(power, back);
    });
  }

  void add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
           std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) { set(out, i, m.add(at(a, i), at(b, i))); });
  }
  void sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
           std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) { set(out, i, m.sub(at(a, i), at(b, i))); });
  }
  void negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) { set(out, i, m.negate(at(a, i))); });
  }
  void multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) { set(out, i, m.mul(at(a, i), at(b, i))); });
  }
  void multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                           std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) {
      set(out, i, m.add(at(out, i), m.mul(at(a, i), at(b, i))));
    });
  }
  void multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                       WordPtr out, std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) {
      set(out, i, m.mul(at(a, i), scalars[i / ring.n() % ring.limbs()]));
    });
  }
  void linear_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                          std::span<const std::uint64_t> scalars, std::span<const std::uint64_t> constants,
                          std::size_t parts, WordPtr out, std::size_t elements) const override {
    each_word(ring, elements * parts, [&](const Modulus& m, std::size_t i) {
      const std::size_t e = i / ring.words() / parts, part = i / ring.words() % parts,
                        limb = i / ring.n() % ring.limbs();
      std::uint64_t sum = constants.empty() || part != 0 ? 0 : constants[limb];
      for (std::size_t k = 0; k < terms.size(); ++k) {
        if (part >= terms[k].parts) continue;
        const std::size_t from = (e * terms[k].parts + part) * terms[k].stride + i % ring.words();
        sum = m.add(sum, m.mul(at(terms[k].words, from), scalars[k * ring.limbs() + limb]));
      }
      set(out, i, sum);
    });
  }
  void multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                          std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) {
      set(out, i, m.mul(at(a, i), at(b, i % ring.words())));
    });
  }
  void tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
              std::size_t batch) const override {
    const std::size_t w = ring.words();
    if (!accumulate) fill_zero(out, batch * 3 * w);
    for (; batch != 0; --batch, a += 2 * w, b += 2 * w, out += 3 * w)
      each_word(ring, 1, [&](const Modulus& m, std::size_t i) {
        set(out, i, m.add(at(out, i), m.mul(at(a, i), at(b, i))));
        const std::uint64_t cross = m.add(m.mul(at(a, i), at(b, w + i)), m.mul(at(a, w + i), at(b, i)));
        set(out, w + i, m.add(at(out, w + i), cross));
        set(out, 2 * w + i, m.add(at(out, 2 * w + i), m.mul(at(a, w + i), at(b, w + i))));
      });
  }

  using Queue::apply;
  void apply(const StepTables& tables, BatchRows sources, BatchRows own, WordPtr out, std::size_t batch,
             WordPtr exceeded) const override {
    const auto& step = static_cast<const ReferenceStep&>(tables);
    bool any = false;
    const std::size_t n = step.n();
    for (std::size_t c = 0; c < batch * n; ++c) {
      const std::size_t b = c / n, i = c % n;
      std::vector<std::uint64_t> x(step.sources()), y(step.own_words());
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = at(sources.words, b * sources.stride + j * n + i);
      for (std::size_t j = 0; j < y.size(); ++j) y[j] = at(own.words, b * own.stride + j * n + i);
      for (const StepValue& value : step.values) {
        std::vector<std::uint64_t> z(value.step().targets.size());
        any = value.apply(x, y, z) || any;
        x = std::move(z);
        y.clear();
      }
      for (std::size_t j = 0; j < x.size(); ++j) set(out, (b * step.targets() + j) * n + i, x[j]);
    }
    if (exceeded != nullptr) set(exceeded, 0, any ? 1 : 0);
  }

  void key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                  std::size_t batch) const override {
    if (form == Form::values) return Queue::key_switch(level, c, form, key, out, batch);
    const RingTables& ring = *level.key_ring;
    const std::size_t w = ring.words(), n = ring.n();
    fill_zero(out, batch * 2 * w);
    std::vector<std::uint64_t> digit(w);
    for (std::size_t b = 0; b < batch; ++b, out += 2 * w) {
      std::size_t first = 0;
      for (std::size_t i = 0; i < level.digits.size(); ++i) {
        apply(*level.digits[i], c.words + b * c.stride + first * n, nullptr, digit.data(), 1);
        first += level.digits[i]->sources();
        forward(ring, digit.data(), 1);
        for (std::size_t part = 0; part < 2; ++part)
          each_word(ring, 1, [&](const Modulus& m, std::size_t x) {
            const std::size_t row = (2 * i + part) * key.limbs + key.row(x / n, ring.limbs());
            const std::uint64_t product = m.mul(digit[x], at(key.words, row * n + x % n));
            set(out, part * w + x, m.add(at(out, part * w + x), product));
          });
      }
    }
  }
  void automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                    std::size_t batch) const override {
    const std::size_t n = ring.n();
    each_row(ring, batch, [&](const Modulus& m, std::uint64_t, std::size_t row) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t exponent = i * element % (2 * n);
        const std::uint64_t value = at(in, row * n + i);
        set(out, row * n + exponent % n, exponent < n ? value : m.negate(value));
      }
    });
  }

  void lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                  std::size_t batch) const override {
    each_word(ring, batch, [&](const Modulus& m, std::size_t i) {
      const std::uint64_t value = at(plain, i / ring.words() * ring.n() + i % ring.n());
      set(out, i, value < t - value ? m.reduce(value) : m.negate(m.reduce(t - value)));
    });
  }
  void sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                   std::size_t batch) const override {
    for (std::size_t b = 0; b < batch; ++b) {
      u128 sum = 0;
      for (std::size_t i = b * n; i < (b + 1) * n; ++i) sum += std::min(at(plain, i), t - at(plain, i));
      set(out, 2 * b, static_cast<std::uint64_t>(sum));
      set(out, 2 * b + 1, static_cast<std::uint64_t>(sum >> out.word_bits()));
    }
  }
  void gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
              std::size_t rows) const override {
    const auto& index = static_cast<const ReferencePermutation&>(permutation).index;
    const std::size_t n = index.size();
    for (std::size_t i = 0; i < rows * n; ++i) set(out, i, at(in, i - i % n + index[i % n]));
  }

  void sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const override {
    each_word(ring, 1, [&](const Modulus& m, std::size_t i) {
      set(out, i, chacha_uniform(name, static_cast<std::uint32_t>(i / ring.n()), m.value(), i % ring.n()));
    });
  }
  void sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const override {
    small(ring, out, [&](std::size_t i) { return static_cast<int>(chacha_uniform(name, 0, 3, i)) - 1; });
  }
  void sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const override {
    small(ring, out, [&](std::size_t i) { return static_cast<int>(chacha_word(name, 0, i) & 1u); });
  }
  void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                    WordPtr out) const override {
    const auto table = distribution == ErrorDistribution::sigma_3_2
                           ? std::span<const std::uint64_t>(kGaussianSigma32)
                           : std::span<const std::uint64_t>(kGaussianSigma8);
    small(ring, out, [&](std::size_t i) {
      const std::uint64_t word = chacha_word(name, 0, i);
      int magnitude = 0;
      for (std::uint64_t entry : table) magnitude += entry <= word >> 1;
      return word % 2 == 1 ? -magnitude : magnitude;
    });
  }

 private:
  template <class Body>
  static void each_row(const RingTables& ring, std::size_t batch, Body body) {
    const auto& tables = static_cast<const ReferenceRing&>(ring);
    for (std::size_t row = 0; row < batch * ring.limbs(); ++row)
      body(tables.moduli[row % ring.limbs()], tables.psi[row % ring.limbs()], row);
  }
  template <class Body>
  static void each_word(const RingTables& ring, std::size_t batch, Body body) {
    each_row(ring, batch, [&](const Modulus& m, std::uint64_t, std::size_t row) {
      for (std::size_t i = row * ring.n(); i < (row + 1) * ring.n(); ++i) body(m, i);
    });
  }
  template <class Sample>
  static void small(const RingTables& ring, WordPtr out, Sample sample) {
    each_word(ring, 1, [&](const Modulus& m, std::size_t i) {
      const int value = sample(i % ring.n());
      const auto magnitude = static_cast<std::uint64_t>(value < 0 ? -value : value);
      set(out, i, value < 0 ? m.negate(magnitude) : magnitude);
    });
  }

  static std::uint64_t at(ConstWordPtr words, std::size_t i) {
    return words.word_bits() == 32 ? words.as<std::uint32_t>()[i] : words.as<std::uint64_t>()[i];
  }
  static void set(WordPtr words, std::size_t i, std::uint64_t value) {
    if (words.word_bits() == 32)
      words.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(value);
    else
      words.as<std::uint64_t>()[i] = value;
  }

  /// Every operation has run when its call returns.
  struct PastEvent : Event {
    void wait() const override {}
  };

  std::shared_ptr<const Device> device_;
};

/// The reference device; Q: its queues, ReferenceQueue or one that differs where a test wants it to.
template <class Q = ReferenceQueue>
class ReferenceDevice : public Device, public std::enable_shared_from_this<ReferenceDevice<Q>> {
 public:
  explicit ReferenceDevice(std::string memory_space = "host") : memory_space_(std::move(memory_space)) {}
  std::string name() const override { return "reference"; }
  std::string description() const override { return "reference (tests)"; }
  std::string memory_space() const override { return memory_space_; }
  std::shared_ptr<const Queue> make_queue() const override {
    return std::make_shared<const Q>(this->shared_from_this());
  }
  std::shared_ptr<const RingTables> make_ring(const NttSpec& spec) const override {
    return std::make_shared<ReferenceRing>(spec);
  }
  using Device::make_step;
  std::shared_ptr<const StepTables> make_step(std::span<const RnsStep> chain, std::size_t n) const override {
    return std::make_shared<ReferenceStep>(chain, n);
  }
  std::shared_ptr<const PermutationTables> make_permutation(
      std::span<const std::uint32_t> index) const override {
    return std::make_shared<ReferencePermutation>(index);
  }
  std::string recipe_json(const RingTables&) const override { return "{}"; }

 private:
  std::string memory_space_;
};

inline std::shared_ptr<const Device> make_reference_device(std::string memory_space = "host") {
  return std::make_shared<const ReferenceDevice<>>(std::move(memory_space));
}

}  // namespace nttforge::testing
