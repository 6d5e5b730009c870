// SPDX-License-Identifier: Apache-2.0
#pragma once

// Published limits on log2 of the whole modulus (Q times the special prime) for uniform ternary secrets and
// errors of deviation 3.19 or more, against classical attacks. 0: the table has no entry.
//
// [Bos24] J.-P. Bossuat et al. Security Guidelines for Implementing Homomorphic Encryption. IACR
// Communications
//   in Cryptology 1(4), 2024; ePrint 2024/463. Table 5.2, columns "classical", "ternary". Read in the
//   authors' own machine-readable copy of that table: github.com/gong-cr/FHE-Security-Guidelines at a43a593,
//   tables.py
//   ("Table 5.2 - 128-bit security, ternary secret", and 192, 256) and
//   RNS-CKKS-examples/lattigo/parameters/tables.go ("TableClassicalTernary: Table 5.2"), which agree in every
//   entry. n = 1024 has no entry above 128 bits. The published pages themselves were not at hand, so no page
//   number is given. Limits against quantum attacks are left out: public copies of them differ by up to a
//   quarter with the cost model.
// [HES18] M. Albrecht et al. Homomorphic Encryption Standard. 2018; ePrint 2019/939. Table 1, uniform ternary
//   secret, classical. It ends at n = 2^15; entries for larger n in other libraries are no part of it.

#include <array>
#include <cstddef>

namespace nttforge::rlwe {

struct SecurityTableRow {
  std::size_t n;
  std::array<unsigned, 3> bits;  ///< for 128, 192 and 256 bits of security
};

inline constexpr std::array<SecurityTableRow, 8> kGuidelines2024{{{1024, {26, 0, 0}},
                                                                  {2048, {53, 36, 27}},
                                                                  {4096, {106, 73, 56}},
                                                                  {8192, {214, 147, 114}},
                                                                  {16384, {430, 297, 230}},
                                                                  {32768, {868, 597, 462}},
                                                                  {65536, {1747, 1199, 929}},
                                                                  {131072, {3523, 2411, 1866}}}};

inline constexpr std::array<SecurityTableRow, 6> kHes2018{{{1024, {27, 19, 14}},
                                                           {2048, {54, 37, 29}},
                                                           {4096, {109, 75, 58}},
                                                           {8192, {218, 152, 118}},
                                                           {16384, {438, 305, 237}},
                                                           {32768, {881, 611, 476}}}};

}  // namespace nttforge::rlwe
