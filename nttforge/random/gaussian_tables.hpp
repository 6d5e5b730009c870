// SPDX-License-Identifier: Apache-2.0
// Written by `PYTHONPATH=python:packages/oracle python -m nttforge_oracle gaussian-tables`. Do not edit.
#pragma once

#include <array>
#include <cstdint>

namespace nttforge {

// Entry k is floor(2^63 P(|e| <= k)), e discrete Gaussian on |e| <= size.
// Distance to the ideal: docs/bounds/gaussian.md.
// A 63-bit word u gives the magnitude #{k : entry k <= u}. Every entry is below 2^63.

// sigma = 3.2, |e| <= 41
inline constexpr std::array<std::uint64_t, 41> kGaussianSigma32 = {
    0x0ff52b4064a1f258U, 0x2e5a25d4026fff6dU, 0x489ae2682e3db9bbU, 0x5d2bc20de6f95105U, 0x6bc8694a862fcdceU,
    0x7532d898e9d195d9U, 0x7ab396c980f5facbU, 0x7d9e4e8f6717ea70U, 0x7f054956150a592bU, 0x7fa1ce99f8dbf691U,
    0x7fdfb3f00a8f3398U, 0x7ff5e6f7c97d68d8U, 0x7ffd1f95b372bd35U, 0x7fff40f7f7aedc63U, 0x7fffd2e62d057ef0U,
    0x7ffff6503aaa2874U, 0x7ffffe1bab99a743U, 0x7fffffaa0140ce52U, 0x7ffffff21f8a3a77U, 0x7ffffffdf72301f4U,
    0x7fffffffba9fd472U, 0x7ffffffff79b78ceU, 0x7fffffffff13f6f9U, 0x7fffffffffe87489U, 0x7ffffffffffdde23U,
    0x7fffffffffffd31fU, 0x7ffffffffffffca6U, 0x7fffffffffffffc5U, 0x7ffffffffffffffcU, 0x7fffffffffffffffU,
    0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU,
    0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU, 0x7fffffffffffffffU,
    0x7fffffffffffffffU};

// sigma = 8, |e| <= 48
inline constexpr std::array<std::uint64_t, 48> kGaussianSigma8 = {
    0x0662114d18e8327fU, 0x130cc5195e853d70U, 0x1f6c5aea2665156bU, 0x2b529791c9ed692cU, 0x3696b6131978f3b9U,
    0x41170181cc611835U, 0x4ab9ec79d91be781U, 0x536e992921fbb6a9U, 0x5b2cd28cda3fbeaeU, 0x61f484150ce71088U,
    0x67ccc6fa3a37d0aeU, 0x6cc2a342a9fe0e88U, 0x70e7a55875cd688fU, 0x74506849b589ffcaU, 0x771330f09ceecd30U,
    0x7946b0374c275809U, 0x7b00fb7ac45f6713U, 0x7c56c2ba3352e028U, 0x7d5ac59a0ce37869U, 0x7e1d82e42543d492U,
    0x7ead1a66d464f6ceU, 0x7f1556f1d1233fffU, 0x7f5fd5870452b7bcU, 0x7f943f5bb52abc9cU, 0x7fb88d9e35a597e2U,
    0x7fd14fc0a3ab8ea1U, 0x7fe1eef98593147fU, 0x7feceb813c450831U, 0x7ff411a730bf29bcU, 0x7ff8a6170f63a747U,
    0x7ffb89896d0935b9U, 0x7ffd54ab74406954U, 0x7ffe6d5502729d1dU, 0x7fff163cd56c8050U, 0x7fff7a4f94e655a0U,
    0x7fffb4aedd70ab53U, 0x7fffd6341217e1b4U, 0x7fffe92771ca1ff6U, 0x7ffff3b3a40238bcU, 0x7ffff97b39e027f5U,
    0x7ffffc99670cd298U, 0x7ffffe414f9473a5U, 0x7fffff1ef4da69b5U, 0x7fffff910cc1edb9U, 0x7fffffcade9a6148U,
    0x7fffffe7b7848d2cU, 0x7ffffff5e2ddb3a5U, 0x7ffffffcbcefe073U};

}  // namespace nttforge
