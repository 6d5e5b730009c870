// SPDX-License-Identifier: Apache-2.0
// Words of 32 bits: every operation gives the words that it gives in 64 bits, on every device.

#include <algorithm>
#include <array>

#include "nttforge/base/error.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/rns/mod_down.hpp"

namespace nttforge {
namespace {

using testing::check_same;
using testing::OnDevice;
using testing::RingCase;
using testing::Rng;
using testing::Words;

constexpr std::size_t kBatch = 2;

std::vector<std::shared_ptr<const Queue>> queues_and_reference() {
  std::vector<std::shared_ptr<const Queue>> queues = testing::all_queues();
  queues.push_back(testing::make_reference_device()->make_queue());
  return queues;
}

/// Primes of 30 bits and of 32, which have other kernels; one row and many words.
std::vector<RingCase> short_rings() {
  const unsigned mixed[] = {30, 32, 29, 20};
  return {{1, ntt_primes(1, 30, 2)},
          {64, testing::mixed_primes(64, mixed)},
          {1024, ntt_primes(1024, 30, 4)},
          {4096, ntt_primes(4096, 30, 3)}};
}

/// One queue's rings of one word size, and what the tests compute with them.
struct Side {
  Side(const Queue& q, const RingCase& ring_case, unsigned bits) : queue(q), word_bits(bits) {
    NttSpec spec = testing::spec_of(ring_case);
    spec.word_bits = bits;
    ring = q.device().make_ring(spec);
    spec.moduli.pop_back();
    if (!spec.moduli.empty()) lower = q.device().make_ring(spec);
    const RnsStep down = ring_case.moduli.size() < 2 ? RnsStep{} : mod_down(RnsBase(ring_case.moduli));
    if (lower != nullptr) level = q.device().make_switch(lower, ring, 1, &down);
  }
  OnDevice array(const Words& words) const { return {queue, words, word_bits}; }
  OnDevice zeros(std::size_t words) const { return {queue, Words(words), word_bits}; }

  const Queue& queue;
  unsigned word_bits;
  std::shared_ptr<const RingTables> ring, lower;
  SwitchTables level;
};

using Operation = Words (*)(const Side&, const Words& a, const Words& b);

struct Named {
  const char* name;
  Operation run;
};

StreamName stream(std::uint32_t index) { return {{{3, 1, 4}}, Domain::user, index}; }

// Operands are [4][limbs][n]; results what stands in `out` afterwards.
constexpr Named kOperations[] = {
    {"forward",
     [](const Side& s, const Words& a, const Words&) {
       OnDevice x = s.array(a);
       s.queue.forward(*s.ring, x.data(), 4);
       return x.host();
     }},
    {"inverse",
     [](const Side& s, const Words& a, const Words&) {
       OnDevice x = s.array(a);
       s.queue.inverse(*s.ring, x.data(), 4);
       return x.host();
     }},
    {"add, sub, negate, multiply, multiply_accumulate",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(a.size());
       s.queue.add(*s.ring, x.data(), y.data(), z.data(), 4);
       s.queue.multiply_accumulate(*s.ring, x.data(), y.data(), z.data(), 4);
       s.queue.sub(*s.ring, z.data(), y.data(), x.data(), 4);
       s.queue.negate(*s.ring, x.data(), x.data(), 3);
       s.queue.multiply(*s.ring, x.data(), z.data(), x.data(), 4);
       return x.host();
     }},
    {"multiply_scalar, multiply_broadcast",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(a.size());
       Words scalars;
       for (const std::uint64_t q : s.ring->spec().moduli) scalars.push_back(q - 2);
       s.queue.multiply_scalar(*s.ring, x.data(), scalars, x.data(), 4);
       s.queue.multiply_broadcast(*s.ring, x.data(), y.data() + s.ring->words(), z.data(), 4);
       return z.host();
     }},
    {"tensor, accumulated",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(6 * s.ring->words());
       s.queue.tensor(*s.ring, x.data(), y.data(), z.data(), false, 2);
       s.queue.tensor(*s.ring, y.data(), y.data(), z.data(), true, 2);
       return z.host();
     }},
    {"tensor_combination",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(6 * s.ring->words());
       Words scalars;
       for (const std::uint64_t q : s.ring->spec().moduli) scalars.push_back(q - 2);
       const CombinedRows term{y.data(), s.ring->words(), 2};
       s.queue.tensor_combination(*s.ring, x.data(), y.data(), 3, {&term, 1}, scalars, scalars, z.data(), 2);
       return z.host();
     }},
    {"tensor_product",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(6 * s.ring->words());
       s.queue.tensor_product(*s.ring, x.data(), y.data(), z.data(), false, true, 2);
       return z.host();
     }},
    {"multiply_transformed",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(a.size());
       s.queue.multiply_transformed(*s.ring, x.data(), y.data(), y.data(), z.data(), 4);
       return z.host();
     }},
    {"automorphism, gather, copy, fill_zero",
     [](const Side& s, const Words& a, const Words&) {
       OnDevice x = s.array(a), y = s.zeros(a.size());
       const std::uint64_t element = 3 % (2 * s.ring->n());
       s.queue.automorphism(*s.ring, x.data(), element, y.data(), 4);
       const auto permutation = s.queue.device().make_permutation(automorphism_index(s.ring->n(), element));
       s.queue.gather(*permutation, y.data(), x.data(), 3 * s.ring->limbs());
       s.queue.copy(y.data(), x.data() + s.ring->words(), s.ring->words());
       s.queue.fill_zero(x.data() + s.ring->words() + 1, 1);
       return x.host();
     }},
    {"lift_plain, sum_centred",
     [](const Side& s, const Words& a, const Words&) {
       const std::uint64_t t = s.ring->spec().moduli.front();
       Words plain(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(s.ring->n()));
       OnDevice x = s.array(plain), y = s.zeros(s.ring->words()), sum = s.zeros(2);
       s.queue.lift_plain(*s.ring, t, x.data(), y.data(), 1);
       s.queue.sum_centred(t, x.data(), s.ring->n(), sum.data(), 1);
       Words result = y.host();
       const Words words = sum.host();
       result.push_back(words[0] + (s.word_bits == 32 ? words[1] << 32 : 0));
       return result;
     }},
    {"samples",
     [](const Side& s, const Words&, const Words&) {
       Words result;
       for (std::uint32_t kind = 0; kind < 4; ++kind) {
         OnDevice x = s.zeros(s.ring->words());
         if (kind == 3)
           s.queue.sample_uniform(*s.ring, stream(9), x.data());
         else
           s.queue.sample_small(*s.ring,
                                {static_cast<SmallPolynomial::Kind>(kind), stream(kind),
                                 ErrorDistribution::sigma_3_2, kind == 2 ? std::uint64_t{65537} : 1},
                                x.data());
         const Words words = x.host();
         result.insert(result.end(), words.begin(), words.end());
       }
       return result;
     }},
    {"masked_pair",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(2 * s.ring->words());
       const SmallPolynomial error{SmallPolynomial::Kind::error, stream(1), ErrorDistribution::sigma_3_2,
                                   257};
       s.queue.masked_pair(*s.ring, x.data(), stream(2), error, {y.data(), 0, 1}, z.data());
       return z.host();
     }},
    {"key_switch_pairs",
     [](const Side& s, const Words& a, const Words& b) {
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(2 * s.ring->limbs() * s.ring->words());
       std::vector<std::size_t> ends;
       std::vector<std::uint64_t> scalars;
       for (std::size_t j = 0; j < s.ring->limbs(); ++j) {
         ends.push_back(j + 1);
         scalars.push_back(s.ring->spec().moduli[j] - 2);
       }
       s.queue.key_switch_pairs(*s.ring, x.data(), stream(7),
                                {SmallPolynomial::Kind::error, stream(8), ErrorDistribution::sigma_3_2, 257},
                                y.data(), scalars, ends, z.data());
       return z.host();
     }},
    {"words that are written on their way up",
     [](const Side& s, const Words& a, const Words&) {
       OnDevice x = s.zeros(a.size());
       std::size_t next = 0;
       s.queue.upload_written(a.size(), x.data(), [&](std::size_t first, std::span<std::uint64_t> to) {
         NTTF_CHECK_EQ(first, next);
         std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(first), to.size(), to.begin());
         next += to.size();
       });
       return x.host();
     }},
    {"encrypt",
     [](const Side& s, const Words& a, const Words& b) {
       if (s.lower == nullptr) return Words();
       OnDevice x = s.array(a), y = s.array(b), z = s.zeros(2 * s.lower->words());
       using Kind = SmallPolynomial::Kind;
       const std::array<SmallPolynomial, 2> errors{SmallPolynomial{Kind::error, stream(4), {}, 3},
                                                   SmallPolynomial{Kind::error, stream(5), {}}};
       s.queue.encrypt(*s.ring, *s.lower, s.level.division.get(), x.data(), {Kind::ternary, stream(6), {}},
                       errors, y.data(), Form::coefficients, z.data());
       return z.host();
     }},
    {"switch_key and its three operations",
     [](const Side& s, const Words& a, const Words& b) {
       if (s.lower == nullptr) return Words();
       const std::size_t words = s.ring->words(), digits = s.level.digits.size();
       Words key;
       for (std::size_t i = 0; i < digits; ++i)
         key.insert(key.end(), b.begin(), b.begin() + std::ptrdiff_t(2 * words));
       OnDevice x = s.array(a), keys = s.array(key), d = s.zeros(kBatch * digits * words),
                sums = s.zeros(kBatch * 2 * words), z = s.zeros(kBatch * 2 * s.lower->words()),
                whole = s.zeros(kBatch * 2 * s.lower->words());
       const BatchRows rows{x.data(), words};
       const KeyRows key_rows{keys.data(), s.ring->limbs(), 1};
       Words result;
       for (const Form form : {Form::coefficients, Form::values}) {
         s.queue.decompose(s.level, rows, form, d.data(), kBatch);
         s.queue.inner_product(s.level, d.data(), key_rows, sums.data(), kBatch, false);
         s.queue.mod_down(s.level, sums.data(), rows, 1, form, z.data(), kBatch);
         s.queue.switch_key(s.level, rows, key_rows, rows, 1, form, whole.data(), kBatch);
         const Words words_of_form = z.host();
         if (words_of_form != whole.host())
           testing::fail(__FILE__, __LINE__, "switch_key is not its operations");
         result.insert(result.end(), words_of_form.begin(), words_of_form.end());
       }
       return result;
     }},
};

NTTF_TEST("device: words of 32 bits are those of 64, operation by operation") {
  Rng rng;
  for (const RingCase& ring : short_rings()) {
    const Words a = testing::random_polynomials(rng, ring, 4), b = testing::random_polynomials(rng, ring, 4);
    const auto reference = make_cpu_device(1)->make_queue();
    const Side wide(*reference, ring, 64);
    for (const Named& operation : kOperations) {
      const Words expected = operation.run(wide, a, b);
      for (const auto& queue : queues_and_reference())
        check_same(operation.run(Side(*queue, ring, 32), a, b), expected, *queue, ring, operation.name);
    }
  }
}

NTTF_TEST("device: steps read and write words of both sizes, also mixed") {
  Rng rng;
  const RingCase ring{64, ntt_primes(64, 30, 3)};
  const RnsStep down = mod_down(RnsBase(ring.moduli));
  const std::size_t n = ring.n;
  const Words a = testing::random_polynomials(rng, ring, kBatch);
  for (const auto& queue : queues_and_reference()) {
    const auto step = queue->device().make_step(down, n);
    OnDevice in(*queue, a), out(*queue, kBatch * 2 * n);
    queue->apply_joined(*step, in.data(), out.data(), kBatch);
    const Words expected = out.host();
    for (const unsigned in_bits : {32u, 64u})
      for (const unsigned out_bits : {32u, 64u}) {
        OnDevice x(*queue, a, in_bits), y(*queue, kBatch * 2 * n, out_bits);
        queue->apply_joined(*step, x.data(), y.data(), kBatch);
        check_same(y.host(), expected, *queue, ring, "apply");
        queue->copy(x.data(), y.data(), n);
        Words copied = y.host();
        copied.resize(n);
        check_same(copied, {a.begin(), a.begin() + std::ptrdiff_t(n)}, *queue, ring, "copy");
      }
  }
}

NTTF_TEST("device: arrays and places know their words; events have passed") {
  const auto queue = make_cpu_device(1)->make_queue();
  const auto ring = queue->device().make_ring({.n = 16, .moduli = ntt_primes(16, 30, 2), .word_bits = 32});
  DeviceArray shorts = queue->allocate(*ring, 3), longs = queue->allocate(7);
  NTTF_CHECK(shorts.word_bits() == 32 && shorts.size() == 96 && shorts.memory_space() == "host");
  NTTF_CHECK(longs.word_bits() == 64 && longs.size() == 7);
  const auto bytes = [](ConstWordPtr a, ConstWordPtr b) {
    return static_cast<const std::byte*>(b.address()) - static_cast<const std::byte*>(a.address());
  };
  NTTF_CHECK_EQ(bytes(shorts.data(), shorts.data() + 5), std::ptrdiff_t{20});
  NTTF_CHECK_EQ(bytes(longs.data(), longs.data() + 5), std::ptrdiff_t{40});
  NTTF_CHECK(longs.data() == std::as_const(longs).data() && !(longs.data() == longs.data() + 1));
  NTTF_CHECK(WordPtr() == nullptr && ConstWordPtr() == nullptr && !(longs.data() == nullptr));
  NTTF_CHECK(DeviceArray().data() == nullptr);
  const auto other = queue->device().make_queue();
  const auto event = queue->record();
  other->wait(*event);
  event->wait();
  NTTF_CHECK_THROWS(queue->device().make_ring({.n = 16, .moduli = ntt_primes(16, 40, 1), .word_bits = 32}),
                    ParameterError, "word_bits = 32");
}

}  // namespace
}  // namespace nttforge
