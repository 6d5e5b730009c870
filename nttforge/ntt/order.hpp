// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace nttforge {

/// i with its lowest `bits` bits in reverse order; i < 2^bits, bits <= 63.
std::uint64_t bit_reverse(std::uint64_t i, unsigned bits);

/// out[bit_reverse(i)] = in[i] for 2^log_n words; in == out or disjoint. Its own inverse. Allocates nothing.
template <class Word>
void permute_bit_reversed(const Word* in, Word* out, unsigned log_n);

/// Does the part `part` of `parts` of a bit reversal; parts may run at the same time.
template <class Word>
void permute_bit_reversed_part(const Word* in, Word* out, unsigned log_n, std::size_t part,
                               std::size_t parts);

extern template void permute_bit_reversed(const std::uint64_t*, std::uint64_t*, unsigned);
extern template void permute_bit_reversed(const std::uint32_t*, std::uint32_t*, unsigned);
extern template void permute_bit_reversed_part(const std::uint64_t*, std::uint64_t*, unsigned, std::size_t,
                                               std::size_t);
extern template void permute_bit_reversed_part(const std::uint32_t*, std::uint32_t*, unsigned, std::size_t,
                                               std::size_t);

}  // namespace nttforge
