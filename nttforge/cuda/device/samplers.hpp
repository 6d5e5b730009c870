// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of ChaCha20 streams with the words of random/samplers.hpp. A block of threads takes 64 neighbouring
// blocks of a key stream, which are 512 samples: first one thread computes each of them, once for all limbs,
// and what it drew again where words were rejected; then every thread turns four words into samples. A
// rejection depends on words that are independent of the one accepted.

#include <cstdint>

#include "nttforge/cuda/block/host.hpp"
#include "nttforge/cuda/device/operations.hpp"
#include "nttforge/random/gaussian_tables.hpp"
#include "nttforge/random/stream.hpp"

namespace nttforge::cuda {

/// A stream's name as kernels take it.
struct StreamKey {
  std::uint32_t key[8];
  std::uint32_t domain, index;
};

NTTF_HD std::uint32_t rotated(std::uint32_t x, unsigned bits) { return x << bits | x >> (32 - bits); }

NTTF_HD void quarter_round(std::uint32_t* x, unsigned a, unsigned b, unsigned c, unsigned d) {
  x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 16);
  x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 12);
  x[a] += x[b], x[d] = rotated(x[d] ^ x[a], 8);
  x[c] += x[d], x[b] = rotated(x[b] ^ x[c], 7);
}

inline constexpr unsigned kStreamWords = 8;  ///< 64-bit words of a ChaCha20 block

/// Words kStreamWords `block` ... of a lane [RFC 8439, section 2.3]; index: that of the stream's name.
NTTF_HD void stream_block(const StreamKey& name, std::uint32_t index, std::uint32_t lane, std::uint32_t block,
                          std::uint64_t* words) {
  std::uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < 8; ++k) state[4 + k] = name.key[k];
  state[12] = block, state[13] = name.domain, state[14] = index, state[15] = lane;
  std::uint32_t x[16];
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < 16; ++k) x[k] = state[k];
  for (unsigned round = 0; round < 10; ++round) {
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 4; ++k) quarter_round(x, k, 4 + k, 8 + k, 12 + k);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < 4; ++k) quarter_round(x, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
  }
  NTTF_GPU_UNROLL
  for (unsigned k = 0; k < kStreamWords; ++k) {
    const std::uint32_t low = x[2 * k] + state[2 * k], high = x[2 * k + 1] + state[2 * k + 1];
    words[k] = std::uint64_t{high} << 32 | low;
  }
}

/// The first word of each sample of a block that is at most `last`, round after round.
NTTF_HD void accepted_block(const StreamKey& name, std::uint32_t index, std::uint32_t limb,
                            std::uint64_t last, std::uint32_t block, std::uint64_t* words) {
  stream_block(name, index, limb << 8, block, words);
  for (std::uint32_t round = 1;; ++round) {
    bool rejected = false;
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kStreamWords; ++k) rejected |= words[k] > last;
    if (!rejected) return;
    std::uint64_t fresh[kStreamWords];
    stream_block(name, index, limb << 8 | round, block, fresh);
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kStreamWords; ++k) words[k] = words[k] > last ? fresh[k] : words[k];
  }
}

/// What small samples are made of.
struct SmallSource {
  enum class Kind : std::uint8_t { ternary, binary, error };
  StreamKey name{};
  Kind kind = Kind::ternary;
  std::uint32_t entries = 0;             ///< of the table
  const std::uint64_t* table = nullptr;  ///< kind error: in the device's memory

  NTTF_HD std::uint64_t last() const { return ~std::uint64_t{0} - (kind == Kind::ternary ? 1 : 0); }
  /// Samples of kCount accepted words. The table is read in full.
  template <unsigned kCount>
  NTTF_HD void samples(const std::uint64_t* words, std::int32_t* out) const {
    if (kind == Kind::error) {
      std::int32_t size[kCount] = {};
      for (std::uint32_t k = 0; k < entries; ++k) {
        const std::uint64_t entry = load_constant(table + k);
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < kCount; ++i) size[i] += entry <= words[i] >> 1 ? 1 : 0;
      }
      NTTF_GPU_UNROLL
      for (unsigned i = 0; i < kCount; ++i) out[i] = (words[i] & 1) != 0 ? -size[i] : size[i];
      return;
    }
    NTTF_GPU_UNROLL
    for (unsigned i = 0; i < kCount; ++i)
      out[i] = kind == Kind::binary ? static_cast<std::int32_t>(words[i] & 1)
                                    : static_cast<std::int32_t>(words[i] % 3) - 1;
  }
};

/// A small sample times a factor in [0, q), modulo q.
template <class Word>
NTTF_HD Word lifted(std::int32_t sample, Word factor, const WideModulus<Word>& m) {
  const auto size = static_cast<Word>(sample < 0 ? -sample : sample);
  const Word value = factor == 1 ? size : product_of(size, factor, m);
  return sample < 0 ? opposite_mod(value, static_cast<Word>(m.q)) : value;
}

/// A polynomial of small samples and where it goes: into every limb, times the factor, or, if there are
/// bytes, to these as it is. Both are of the first polynomial of a batch.
template <class Word>
struct SmallJob {
  SmallSource source{};
  std::uint64_t factor = 1;
  Word* words = nullptr;  ///< [limbs][n]
  std::size_t words_stride = 0;
  std::int8_t* bytes = nullptr;  ///< [n], or null; it begins at a multiple of 4 bytes
  std::size_t bytes_stride = 0;
};

/// Samples some small polynomials and some uniform ones for each of a batch, whose names have the indices
/// that follow those of the first.
template <class W>
struct SampleKernel {
  using Word = W;
  using Value = std::uint64_t;
  static constexpr unsigned kThreads = 128, kLogCluster = 0, kPhases = 2, kMinBlocks = 8;
  static constexpr unsigned kBlocks = 64, kOfThread = 4, kTile = kBlocks * kStreamWords;
  static constexpr unsigned kSharedWords = kTile, kMostJobs = 3;
  static constexpr bool kWaitsForCluster = false;
  static_assert(kTile == kThreads * kOfThread);

  struct Args {
    std::uint32_t log_n = 0, batch = 1, small = 0;
    RingRows ring;
    bool uniform = false, packed = false;  ///< packed: rows may be written 16 bytes at a time
    SmallJob<Word> jobs[kMostJobs];
    StreamKey uniform_name{};
    Word* uniform_words = nullptr;
    std::size_t uniform_stride = 0;

    NTTF_HD std::uint32_t items() const { return small + (uniform ? ring.limbs : 0); }
    NTTF_HD std::uint32_t tiles() const {
      const std::uint32_t n = std::uint32_t{1} << log_n;
      return n <= kTile ? 1 : n / kTile;
    }
    std::uint32_t clusters() const { return batch * items() * tiles(); }
  };
  struct State {};
  static constexpr Barrier barrier_after(unsigned phase) {
    return phase == 0 ? Barrier::block : Barrier::none;
  }

  /// What a block of threads samples: a small polynomial, or one limb of a uniform one.
  struct Task {
    std::uint32_t member, item, first;  ///< first: of the samples
    NTTF_HD Task(const Place& at, const Args& args) {
      const std::uint32_t tiles = args.tiles(), row = at.cluster / tiles;
      member = row / args.items();
      item = row - member * args.items();
      first = (at.cluster - row * tiles) * kTile;
    }
  };

  /// Streams depend on nothing that is written on the device.
  template <class Shared>
  static NTTF_HD void prologue(const Place& at, const Args& args, State&, Shared& shared) {
    const Task task(at, args);
    const std::uint32_t block = task.first / kStreamWords + at.thread;
    if (at.thread >= kBlocks || block * kStreamWords >= std::uint32_t{1} << args.log_n) return;
    std::uint64_t words[kStreamWords];
    if (task.item < args.small) {
      const SmallSource& source = args.jobs[task.item].source;
      accepted_block(source.name, source.name.index + task.member, 0, source.last(), block, words);
    } else {
      const std::uint32_t limb = task.item - args.small;
      const Wide& m = args.ring.moduli[limb];
      const std::uint64_t last = m.q * static_cast<std::uint64_t>(m.ratio >> 64) - 1;
      accepted_block(args.uniform_name, args.uniform_name.index + task.member, limb, last, block, words);
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kStreamWords; ++k) shared.store(k * kBlocks + at.thread, words[k]);
  }

  template <unsigned kPhase, class Shared>
  static NTTF_HD void phase(const Place& at, const Args& args, State&, Shared& shared) {
    if constexpr (kPhase == 1) {
      const Task task(at, args);
      const std::uint32_t inside = at.thread * kOfThread, column = task.first + inside;
      const std::uint32_t n = std::uint32_t{1} << args.log_n;
      if (column >= n) return;
      const std::uint32_t count = n < kOfThread ? n : kOfThread;
      std::uint64_t words[kOfThread] = {};
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kOfThread; ++k)
        if (k < count)
          words[k] = shared.load((inside + k) % kStreamWords * kBlocks + (inside + k) / kStreamWords);
      if (task.item < args.small)
        write_small(args, args.jobs[task.item], task.member, column, count, words);
      else
        write_uniform(args, task.member, task.item - args.small, column, count, words);
    }
  }

 private:
  struct alignas(kOfThread) SmallBytes {
    std::int8_t values[kOfThread];
  };

  static NTTF_HD void write(Word* at, const Word* values, std::uint32_t count, bool packed) {
    if (packed && count == kOfThread) {
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kOfThread; k += Pack<Word>::kWords) {
        Pack<Word> pack;
        NTTF_GPU_UNROLL
        for (unsigned i = 0; i < Pack<Word>::kWords; ++i) pack.words[i] = values[k + i];
        *reinterpret_cast<Pack<Word>*>(at + k) = pack;
      }
      return;
    }
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kOfThread; ++k)
      if (k < count) at[k] = values[k];
  }

  static NTTF_HD void write_small(const Args& args, const SmallJob<Word>& job, std::uint32_t member,
                                  std::uint32_t column, std::uint32_t count, const std::uint64_t* words) {
    std::int32_t samples[kOfThread];
    job.source.template samples<kOfThread>(words, samples);
    if (job.bytes != nullptr) {
      SmallBytes bytes;
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kOfThread; ++k) bytes.values[k] = static_cast<std::int8_t>(samples[k]);
      std::int8_t* const at = job.bytes + member * job.bytes_stride + column;
      if (count == kOfThread) {
        *reinterpret_cast<SmallBytes*>(at) = bytes;
        return;
      }
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kOfThread; ++k)
        if (k < count) at[k] = bytes.values[k];
      return;
    }
    Word* at = job.words + member * job.words_stride + column;
    for (std::uint32_t j = 0; j < args.ring.limbs; ++j, at += std::size_t{1} << args.log_n) {
      const WideModulus<Word> m = args.ring.template limb<Word>(j);
      const Word factor = job.factor == 1 ? Word{1} : reduced_word(job.factor, m);
      Word values[kOfThread];
      NTTF_GPU_UNROLL
      for (unsigned k = 0; k < kOfThread; ++k) values[k] = lifted(samples[k], factor, m);
      write(at, values, count, args.packed);
    }
  }

  static NTTF_HD void write_uniform(const Args& args, std::uint32_t member, std::uint32_t limb,
                                    std::uint32_t column, std::uint32_t count, const std::uint64_t* words) {
    const WideModulus<Word> m = args.ring.template limb<Word>(limb);
    Word values[kOfThread];
    NTTF_GPU_UNROLL
    for (unsigned k = 0; k < kOfThread; ++k) values[k] = reduced_word(words[k], m);
    write(args.uniform_words + member * args.uniform_stride + (std::size_t{limb} << args.log_n) + column,
          values, count, args.packed);
  }
};

/// A launch of SampleKernel, for GpuQueue's run().
template <class Word>
struct SampleCall {
  typename SampleKernel<Word>::Args args;
};
/// Enqueues; returns a CUDA error code.
template <class Word>
int enqueue(const SampleCall<Word>& call, void* stream);
template <class Word>
int each_on_host(const SampleCall<Word>& call) {
  run_on_host<SampleKernel<Word>>(call.args, call.args.clusters());
  return 0;
}

}  // namespace nttforge::cuda
