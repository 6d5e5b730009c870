// SPDX-License-Identifier: Apache-2.0
#include "nttforge/ntt/spec.hpp"

#include "nttforge/base/error.hpp"
#include "nttforge/ntt/testing.hpp"

using namespace nttforge;
using namespace nttforge::testing;

NTTF_TEST("validated fills in the smallest primitive roots") {
  const NttSpec negacyclic = validated({8, {17, 97}});
  for (std::size_t limb = 0; limb < 2; ++limb) {
    const Modulus q(negacyclic.moduli[limb]);
    std::uint64_t smallest = 1;
    while (q.pow(smallest, 8) != q.value() - 1) ++smallest;
    NTTF_CHECK_EQ(negacyclic.roots[limb], smallest);
  }
  NTTF_CHECK(validated({8, {17}, Ring::cyclic}).roots[0] == 2);
  NTTF_CHECK(validated({1, {2}, Ring::cyclic}).roots[0] == 1);
  NTTF_CHECK(validated({1, {3}}).roots[0] == 2);
  NTTF_CHECK(validated(negacyclic) == negacyclic);
  NTTF_CHECK_EQ(validated({std::size_t{1} << 24, {kGoldilocks}, Ring::cyclic}).roots.size(), std::size_t{1});
}

NTTF_TEST("what bad specs get") {
  const auto with = [](auto change) {
    NttSpec spec{8, {17, 97}};
    change(spec);
    return spec;
  };
  const auto rejects = [&](auto change, const char* text) {
    NTTF_CHECK_THROWS(validated(with(change)), ParameterError, text);
  };
  rejects([](NttSpec& s) { s.n = 0; },
          "n = 0 is not supported: need a power of two, 1 ... 2^24 on CPUs, 1 ... 2^28 on GPUs");
  rejects([](NttSpec& s) { s.n = 12; }, "n = 12 is not supported");
  rejects([](NttSpec& s) { s.n = std::size_t{1} << 29; }, "n = 536870912 is not supported");
  rejects([](NttSpec& s) { s.moduli.clear(); }, "moduli is empty");
  rejects([](NttSpec& s) { s.word_bits = 16; }, "word_bits = 16 is not supported: allowed are 32 and 64");
  rejects([](NttSpec& s) { s.moduli[1] = 0; }, "moduli[1] = 0 is out of range");
  rejects([](NttSpec& s) { s.moduli[1] = 1; }, "moduli[1] = 1 is out of range");
  rejects([](NttSpec& s) { s.moduli[1] = (std::uint64_t{1} << 62) + 1; },
          "moduli[1] = 4611686018427387905 is out of range");
  rejects([](NttSpec& s) { s.moduli[1] = kGoldilocks - 2; }, "out of range");
  rejects([](NttSpec& s) { s.moduli[1] = 65; }, "moduli[1] = 65 is not prime");
  rejects([](NttSpec& s) { s.n = 64, s.moduli = {97}; },
          "q = 97 (moduli[0]) does not support a negacyclic transform of n = 64: need q = 1 (mod 128), and "
          "97 = 97 (mod 128); with this q use layers = 4, an incomplete transform, or n <= 16; or take a "
          "prime of "
          "ntt_primes(64, bits, count)");
  rejects([](NttSpec& s) { s.n = 64, s.moduli = {97}, s.ring = Ring::cyclic; },
          "cyclic transform of n = 64: need q = 1 (mod 64), and 97 = 33");
  rejects([](NttSpec& s) { s.n = 1, s.moduli = {2}; }, "need q = 1 (mod 2), and 2 = 0 (mod 2)");
  rejects([](NttSpec& s) { s.word_bits = 32, s.moduli[1] = largest_prime(8, 33); },
          "does not fit word_bits = 32");
  rejects([](NttSpec& s) { s.word_bits = 32, s.moduli[1] = kGoldilocks; }, "does not fit word_bits = 32");
  rejects([](NttSpec& s) { s.roots = {3}; }, "roots has 1 entries for 2 moduli");
  rejects([](NttSpec& s) { s.roots = {3, 0}; }, "roots[1] = 0 is not a primitive 16-th root");
  rejects([](NttSpec& s) { s.roots = {3, 1}; }, "roots[1] = 1 is not a primitive");
  rejects([](NttSpec& s) { s.roots = {2, 8}; },
          "roots[0] = 2 is not a primitive 16-th root of unity mod q = 17");
  rejects([](NttSpec& s) { s.roots = {3 + 17, 8}; }, "roots[0] = 20 is not a primitive");
  rejects([](NttSpec& s) { s.ring = static_cast<Ring>(7); }, "ring = 7 is unknown");
  rejects([](NttSpec& s) { s.output_order = static_cast<Order>(9); }, "output_order = 9 is unknown");
  rejects([](NttSpec& s) { s.input_order = static_cast<Order>(9); }, "input_order = 9 is unknown");
}

NTTF_TEST("names and their inverses") {
  for (const Ring ring : {Ring::negacyclic, Ring::cyclic}) NTTF_CHECK(parse_ring(ring_name(ring)) == ring);
  for (const Order order : {Order::natural, Order::bit_reversed})
    NTTF_CHECK(parse_order(order_name(order)) == order);
  NTTF_CHECK_THROWS(parse_ring("anticyclic"), ParameterError, "known: negacyclic, cyclic");
  NTTF_CHECK_THROWS(parse_order("reversed"), ParameterError, "known: natural, bit_reversed");
}

NTTF_TEST("a DGT spec: roots as pairs, and any becomes dgt only where an NTT is missing") {
  constexpr std::uint64_t kMersenne31 = (std::uint64_t{1} << 31) - 1, kYan = 1073741311;
  NttSpec spec{64, {kMersenne31, 257}};
  spec.transform = Transform::any;
  NTTF_CHECK(resolved_transform(spec) == Transform::dgt);
  const NttSpec valid = validated(spec);
  NTTF_CHECK(valid.transform == Transform::dgt);
  NTTF_CHECK_EQ(valid.roots.size(), std::size_t{4});
  NTTF_CHECK(validated(valid) == valid);
  spec.moduli = {257, 7681};
  NTTF_CHECK(validated(spec).transform == Transform::ntt);
  spec.moduli = {kMersenne31};
  spec.n = 1;
  NTTF_CHECK(validated(spec).transform == Transform::ntt);

  const auto rejects = [](NttSpec bad, const char* text) {
    NTTF_CHECK_THROWS(validated(bad), ParameterError, text);
  };
  NttSpec dgt{512, {kYan}};
  rejects(dgt,
          "use transform = dgt, which multiplies modulo X^n + 1 up to n = 512, or n <= 1 (transform = dgt");
  dgt.n = 1024;
  rejects(dgt,
          "with this q use n <= 1 (transform = dgt: n <= 512); or take a prime of ntt_primes(1024, bits");
  for (const Transform transform : {Transform::dgt, Transform::any}) {
    dgt.transform = transform;
    rejects(
        dgt,
        "has neither an NTT nor a DGT of n = 1024: a DGT, which q = 3 (mod 4) may have, would need q = -1 "
        "(mod 1024), and 1073741311 = 511 (mod 1024); with this q use n <= 512; or take");
  }
  dgt.transform = Transform::dgt;
  dgt.moduli = {12289};
  dgt.n = 4096;
  rejects(dgt, "both need q = 1 (mod 8192), and 12289 = 4097 (mod 8192); with this q use layers = 11 and");
  dgt.moduli = {kYan};
  dgt.n = 1;
  rejects(dgt, "n = 1 has no DGT: need n >= 2");
  dgt.n = 8;
  dgt.ring = Ring::cyclic;
  rejects(dgt, "ring = cyclic has no DGT");
  dgt.ring = Ring::negacyclic;
  dgt.roots = {5};
  rejects(dgt, "roots has 1 entries for 1 moduli: give one root per modulus (a DGT's as its real");
  dgt.roots = {0, 1};
  rejects(dgt, "root 0 = 0 + 1 i is not a DGT root mod q = 1073741311");
  dgt.transform = Transform::any;
  dgt.roots = {5};
  rejects(dgt, "roots belong to one transform");
  dgt.roots = {};
  dgt.n = std::size_t{1} << 63;  // 2n = 0
  NTTF_CHECK_THROWS(resolved_transform(dgt), ParameterError, "n = 9223372036854775808 is not supported");
}

NTTF_TEST("transform names round-trip; unknown ones list the known") {
  for (const Transform transform : {Transform::ntt, Transform::dgt, Transform::any})
    NTTF_CHECK(parse_transform(transform_name(transform)) == transform);
  NTTF_CHECK_THROWS(parse_transform("fft"), ParameterError,
                    "transform = \"fft\" is unknown; known: ntt, dgt, any");
}
