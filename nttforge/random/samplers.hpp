// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "nttforge/base/cxx20.hpp"
#include "nttforge/base/target.hpp"
#include "nttforge/random/stream.hpp"

namespace nttforge {

/// A fresh seed from the operating system.
Seed os_seed();

/// Raw words [first, first + out.size()) of lane `lane` of the stream, on one target (all give the same
/// words).
void stream_words(const StreamName& name, std::uint32_t lane, std::uint64_t first,
                  std::span<std::uint64_t> out, Target target = Target::scalar);

// Every sampler below fills out[i] with sample number i; candidate words for sample i in rejection round r
// are word i of lane (limb << 8 | r). Rejection depends only on public, independent randomness, never on the
// accepted value. The accepted value is computed without branches or memory indices that depend on it.

/// Uniform in [0, q): accept word w if w < q floor(2^64 / q), then w mod q. 2 <= q < 2^62. limb < 2^24.
void sample_uniform(const StreamName& name, std::uint32_t limb, std::uint64_t q, std::span<std::uint64_t> out,
                    Target target = Target::scalar);
/// The same samples as words of 32 bits; q <= 2^32.
void sample_uniform(const StreamName& name, std::uint32_t limb, std::uint64_t q, std::span<std::uint32_t> out,
                    Target target = Target::scalar);

/// Small signed samples. Uniform on {-1, 0, 1} (accept w if w < 3 floor(2^64 / 3), then w mod 3 - 1).
void sample_ternary(const StreamName& name, std::span<std::int64_t> out, Target target = Target::scalar);

/// Uniform on {0, 1} (lowest bit of the word).
void sample_binary(const StreamName& name, std::span<std::int64_t> out, Target target = Target::scalar);

/// Uniform among the vectors of {-1, 0, 1} with `weight` <= out.size() entries that are not 0: the one sample
/// that needs all of its stream's words w_0, w_1, ... at once. Word i becomes the key floor(w_i / 4) with the
/// value 0, or, for i < weight, 1 or -1 as bit 1 of w_i is 0 or 1; out has the values by increasing keys. If
/// two keys are equal, the next round's words are taken. Sampling by sorting, as in NTRU [Che20, 1.10.5],
/// where equal keys are accepted. Constant time for a length: the keys are sorted by a network. At most 2^24
/// entries.
void sample_sparse(const StreamName& name, std::size_t weight, std::span<std::int64_t> out,
                   Target target = Target::scalar);

/// Centred discrete Gaussian by a cumulative table scanned in full for every sample (constant time); one word
/// a sample: bit 0 is the sign, the upper 63 bits are compared with the table.
enum class ErrorDistribution : std::uint8_t {
  sigma_3_2 = 0,        ///< sigma = 3.2, |e| <= 41: Homomorphic Encryption Standard
  sigma_8_bound_48 = 1  ///< sigma = 8, |e| <= 48: [Bad18b] Table 4
};
std::string_view error_distribution_name(ErrorDistribution distribution);  ///< as parameters print it
double error_sigma(ErrorDistribution distribution);                        ///< standard deviation
std::int64_t error_bound(ErrorDistribution distribution);                  ///< largest |e|

/// Errors of one of the two distributions.
void sample_error(const StreamName& name, ErrorDistribution distribution, std::span<std::int64_t> out,
                  Target target = Target::scalar);

}  // namespace nttforge
