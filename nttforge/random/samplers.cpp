// SPDX-License-Identifier: Apache-2.0
#include "nttforge/random/samplers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string>

#include "nttforge/arith/modulus.hpp"
#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/secret.hpp"
#include "nttforge/random/gaussian_tables.hpp"
#include "nttforge/random/kernels.hpp"

namespace nttforge {
namespace {

constexpr std::size_t kChunkBlocks = 96;  // a multiple of what every target computes side by side
constexpr std::size_t kChunkWords = kChunkBlocks * kChaChaWordsPerBlock;
constexpr std::uint64_t kMaxLaneWords = std::uint64_t{kChaChaWordsPerBlock}
                                        << 32;  // the block counter has 32 bits
constexpr std::uint32_t kMaxRounds = 256;
constexpr std::uint32_t kMaxLimb = 1u << 24;

/// Words of one lane, wiped when done.
struct Chunk {
  alignas(64) std::array<std::uint64_t, kChunkWords> words;
  Chunk() = default;
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;
  ~Chunk() { secure_zero(words.data(), sizeof(words)); }
};

void check_range(std::uint64_t first, std::uint64_t count) {
  if (first > kMaxLaneWords || count > kMaxLaneWords - first) {
    throw ParameterError("words " + std::to_string(first) + " ... " + std::to_string(first) + " + " +
                         std::to_string(count) +
                         " exceed one lane of a stream: 2^35 words; use another index or lane");
  }
}

/// A word w is accepted if w <= last.
class Rejection {
 public:
  Rejection(const StreamName& name, std::uint32_t limb, std::uint64_t last, const RandomKernels& kernels)
      : name_(name), limb_(limb), last_(last), kernels_(kernels) {}

  /// Replaces the rejected ones of words [first, first + count) of round 0, first a multiple of the words per
  /// block.
  void repair(std::uint64_t first, std::uint64_t* words, std::size_t count) const {
    for (std::uint32_t round = 1; kernels_.any_above(words, last_, count); ++round) {
      if (round == kMaxRounds) throw Error("256 rejections in a row: the stream is not random");
      const ChaChaInput input = chacha_input(name_, limb_ << 8 | round);
      const auto first_block = static_cast<std::uint32_t>(first / kChaChaWordsPerBlock);
      Chunk fresh;
      // Rare: one block for each rejected word. Frequent: the whole chunk at once is cheaper.
      constexpr std::size_t kFrequent = kChunkBlocks / 16;
      const bool whole = rejected_blocks(words, count) > kFrequent;
      if (whole)
        kernels_.key_stream(input, first_block, fresh.words.data(),
                            (count + kChaChaWordsPerBlock - 1) / kChaChaWordsPerBlock);
      for (std::size_t block = 0; block * kChaChaWordsPerBlock < count; ++block) {
        const std::size_t begin = block * kChaChaWordsPerBlock;
        const std::size_t size = std::min(kChaChaWordsPerBlock, count - begin);
        if (!kernels_.any_above(words + begin, last_, size)) continue;
        if (!whole)
          kernels_.key_stream(input, first_block + static_cast<std::uint32_t>(block),
                              fresh.words.data() + begin, 1);
        for (std::size_t i = begin; i < begin + size; ++i)
          words[i] = words[i] > last_ ? fresh.words[i] : words[i];
      }
    }
  }

 private:
  std::size_t rejected_blocks(const std::uint64_t* words, std::size_t count) const {
    std::size_t rejected = 0;
    for (std::size_t begin = 0; begin < count; begin += kChaChaWordsPerBlock)
      rejected +=
          kernels_.any_above(words + begin, last_, std::min(kChaChaWordsPerBlock, count - begin)) ? 1u : 0u;
    return rejected;
  }

  const StreamName& name_;
  std::uint32_t limb_;
  std::uint64_t last_;
  const RandomKernels& kernels_;
};

/// Calls use(i, words, count) for round 0 of a limb, chunk by chunk.
template <class Use>
void for_each_chunk(const StreamName& name, std::uint32_t limb, std::size_t count,
                    const RandomKernels& kernels, const Use& use) {
  check_range(0, count);
  const ChaChaInput input = chacha_input(name, limb << 8);
  Chunk chunk;
  for (std::size_t i = 0; i < count; i += kChunkWords) {
    const std::size_t size = std::min(kChunkWords, count - i);
    kernels.key_stream(input, static_cast<std::uint32_t>(i / kChaChaWordsPerBlock), chunk.words.data(),
                       (size + kChaChaWordsPerBlock - 1) / kChaChaWordsPerBlock);
    use(i, chunk.words.data(), size);
  }
}

/// out[i] = uniform in [0, q), as unsigned words.
template <class Word>
void uniform_words(const StreamName& name, std::uint32_t limb, std::uint64_t q, Word* out, std::size_t count,
                   const RandomKernels& kernels) {
  const std::uint64_t ratio = Modulus(q).barrett_high();
  const std::uint64_t last = ~std::uint64_t{0} - (std::uint64_t{0} - q) % q;  // q floor(2^64 / q) - 1
  const Rejection rejection(name, limb, last, kernels);
  for_each_chunk(name, limb, count, kernels, [&](std::size_t i, std::uint64_t* words, std::size_t size) {
    rejection.repair(i, words, size);
    if constexpr (sizeof(Word) == 8)
      return kernels.reduce(words, q, ratio, out + i, size);
    else
      kernels.reduce32(words, q, ratio, out + i, size);
  });
}

void require_limb(std::uint32_t limb) {
  if (limb >= kMaxLimb)
    throw ParameterError("limb = " + std::to_string(limb) +
                         " is too large: a lane holds it in 24 bits, 0 ... " + std::to_string(kMaxLimb - 1));
}

/// Sorts without a branch on the words, by Batcher's merge exchange [Knu98, 5.2.2, algorithm M].
void sort_words(std::span<std::uint64_t> words) {
  const std::size_t n = words.size(), top = std::bit_ceil(n) / 2;
  for (std::size_t p = top; p > 0; p /= 2)
    for (std::size_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
      for (std::size_t first = r; first + d < n; first += 2 * p)
        for (std::size_t i = first; i < std::min(first + p, n - d); ++i) {
          const std::uint64_t a = words[i], b = words[i + d];
          const std::uint64_t above = ((~b & a) | ((~b | a) & (b - a))) >> 63;  // whether a > b
          const std::uint64_t swapped = (a ^ b) & (std::uint64_t{0} - above);
          words[i] = a ^ swapped;
          words[i + d] = b ^ swapped;
        }
      if (q == p) break;
    }
}

/// Whether two neighbours have equal keys (all bits but the lowest two). Constant time.
bool has_equal_keys(std::span<const std::uint64_t> words) {
  std::uint64_t equal = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::uint64_t difference = (words[i] ^ words[i - 1]) >> 2;  // below 2^62
    equal |= difference - 1;
  }
  return equal >> 63 != 0;
}

std::span<const std::uint64_t> error_table(ErrorDistribution distribution) {
  switch (distribution) {
    case ErrorDistribution::sigma_3_2:
      return kGaussianSigma32;
    case ErrorDistribution::sigma_8_bound_48:
      return kGaussianSigma8;
  }
  throw ParameterError("error distribution " + std::to_string(static_cast<unsigned>(distribution)) +
                       " is unknown; use sigma_3_2 or sigma_8_bound_48");
}

}  // namespace

Seed os_seed() {
  Seed seed;
  os_random(seed.bytes);
  return seed;
}

void stream_words(const StreamName& name, std::uint32_t lane, std::uint64_t first,
                  std::span<std::uint64_t> out, Target target) {
  const RandomKernels& kernels = random_kernels(target);
  check_range(first, out.size());
  const ChaChaInput input = chacha_input(name, lane);
  Chunk chunk;
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t word = first + done;
    const std::size_t skip = word % kChaChaWordsPerBlock;
    const std::size_t size = std::min(kChunkWords - skip, out.size() - done);
    kernels.key_stream(input, static_cast<std::uint32_t>(word / kChaChaWordsPerBlock), chunk.words.data(),
                       (skip + size + kChaChaWordsPerBlock - 1) / kChaChaWordsPerBlock);
    std::copy_n(chunk.words.data() + skip, size, out.data() + done);
    done += size;
  }
}

void sample_uniform(const StreamName& name, std::uint32_t limb, std::uint64_t q, std::span<std::uint64_t> out,
                    Target target) {
  require_limb(limb);
  uniform_words(name, limb, q, out.data(), out.size(), random_kernels(target));
}

void sample_uniform(const StreamName& name, std::uint32_t limb, std::uint64_t q, std::span<std::uint32_t> out,
                    Target target) {
  require_limb(limb);
  uniform_words(name, limb, q, out.data(), out.size(), random_kernels(target));
}

void sample_ternary(const StreamName& name, std::span<std::int64_t> out, Target target) {
  // Signed and unsigned words may alias: the residues are written in place and then centred.
  uniform_words(name, 0, 3, reinterpret_cast<std::uint64_t*>(out.data()), out.size(), random_kernels(target));
  for (std::int64_t& sample : out) sample -= 1;
}

void sample_binary(const StreamName& name, std::span<std::int64_t> out, Target target) {
  for_each_chunk(name, 0, out.size(), random_kernels(target),
                 [&](std::size_t i, const std::uint64_t* words, std::size_t size) {
                   for (std::size_t j = 0; j < size; ++j)
                     out[i + j] = static_cast<std::int64_t>(words[j] & 1);
                 });
}

void sample_sparse(const StreamName& name, std::size_t weight, std::span<std::int64_t> out, Target target) {
  constexpr std::size_t kMost = std::size_t{1} << 24;
  const std::size_t n = out.size();
  if (n > kMost || weight > n)
    throw ParameterError("weight = " + std::to_string(weight) + " of " + std::to_string(n) +
                         " entries: at most " + std::to_string(kMost) +
                         " are sampled at once, and the weight is at most their number");
  // Signed and unsigned words may alias: the keys are sorted in place.
  const std::span words(reinterpret_cast<std::uint64_t*>(out.data()), n);
  for (std::uint32_t round = 0; round == 0 || has_equal_keys(words); ++round) {
    if (round == kMaxRounds) throw Error("256 rejections in a row: the stream is not random");
    stream_words(name, round, 0, words, target);
    for (std::size_t i = 0; i < n; ++i) words[i] = i < weight ? words[i] | 1 : words[i] & ~std::uint64_t{3};
    sort_words(words);
  }
  for (std::int64_t& sample : out) sample = (sample & 1) - (sample & 2);
}

std::string_view error_distribution_name(ErrorDistribution distribution) {
  static_cast<void>(error_table(distribution));
  return distribution == ErrorDistribution::sigma_3_2 ? "sigma_3_2" : "sigma_8_bound_48";
}

double error_sigma(ErrorDistribution distribution) {
  static_cast<void>(error_table(distribution));
  return distribution == ErrorDistribution::sigma_3_2 ? 3.2 : 8.0;
}

std::int64_t error_bound(ErrorDistribution distribution) {
  return static_cast<std::int64_t>(error_table(distribution).size());
}

void sample_error(const StreamName& name, ErrorDistribution distribution, std::span<std::int64_t> out,
                  Target target) {
  const RandomKernels& kernels = random_kernels(target);
  const auto table = error_table(distribution);
  for_each_chunk(name, 0, out.size(), kernels,
                 [&](std::size_t i, const std::uint64_t* words, std::size_t size) {
                   kernels.error(words, table.data(), table.size(), out.data() + i, size);
                 });
}

}  // namespace nttforge
