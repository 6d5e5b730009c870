// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>

#include "nttforge/cpu/device/cpu_device.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge::cpu {

/// A queue of this machine's cores. Operations are complete when they return. Work is cut into rows (a limb
/// of a polynomial) or blocks of coefficients and spread over the threads; no result depends on the cut.
class CpuQueue final : public Queue {
 public:
  explicit CpuQueue(std::shared_ptr<const CpuDevice> device)
      : device_(std::move(device)),
        target_(device_->target()),
        pool_(device_->pool()),
        memory_(device_->memory()) {}

  const Device& device() const override { return *device_; }

  using Queue::allocate;
  using Queue::allocate_secret;
  DeviceArray allocate(std::size_t words, unsigned word_bits) const override {
    return array(words, word_bits, false);
  }
  DeviceArray allocate_secret(std::size_t words, unsigned word_bits) const override {
    return array(words, word_bits, true);
  }
  void upload(std::span<const std::uint64_t> host, WordPtr device) const override;
  void upload_written(std::size_t words, WordPtr device, const WriteWords& write) const override;
  void download(ConstWordPtr device, std::span<std::uint64_t> host) const override;
  void copy(ConstWordPtr in, WordPtr out, std::size_t words) const override;
  void fill_zero(WordPtr out, std::size_t words) const override;
  bool unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out, std::size_t stride,
              std::size_t batch) const override;
  void wait() const override {}
  std::shared_ptr<const Event> record() const override;
  void wait(const Event& event) const override { event.wait(); }

  void forward(const RingTables& ring, WordPtr x, std::size_t batch) const override;
  void inverse(const RingTables& ring, WordPtr x, std::size_t batch) const override;

  void add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
           std::size_t batch) const override;
  void sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
           std::size_t batch) const override;
  void negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const override;
  void multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                std::size_t batch) const override;
  void multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr accumulator,
                           std::size_t batch) const override;
  void linear_combination(const RingTables& ring, std::span<const CombinedRows> terms,
                          std::span<const std::uint64_t> scalars, std::span<const std::uint64_t> constants,
                          std::size_t parts, WordPtr out, std::size_t elements) const override;
  void multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                       WordPtr out, std::size_t batch) const override;
  void multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                          std::size_t batch) const override;
  void tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
              std::size_t batch) const override;
  void automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                    std::size_t batch) const override;
  void repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n,
              std::size_t rows) const override;
  void gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
              std::size_t rows) const override;

  using Queue::apply;
  void apply(const StepTables& step, BatchRows sources, BatchRows own, WordPtr out, std::size_t batch,
             WordPtr exceeded) const override;
  void lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                  std::size_t batch) const override;
  void sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                   std::size_t batch) const override;

  void add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image, BatchRows addend,
                 WordPtr out, std::size_t batch) const override;
  void sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                      const MapFactors& factors, const std::function<SwitchedImage(std::size_t)>& image,
                      WordPtr out, std::size_t batch) const override;
  void sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                        std::size_t groups, std::size_t terms, std::size_t parts) const override;
  void sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms, std::size_t parts, WordPtr out,
                    std::size_t elements, bool accumulate) const override;
  void rescale(const StepTables& division, const RingTables& from, const RingTables& to, ConstWordPtr in,
               Form form, WordPtr out, std::size_t batch) const override;
  void switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                           const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                           WordPtr out, std::size_t batch) const override;
  void decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                 std::size_t batch) const override;
  void inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                     std::size_t batch, bool accumulate) const override;
  void mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts, Form form,
                WordPtr out, std::size_t batch) const override;
  void key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                  std::size_t batch) const override;
  void switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                  std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const override;

  void switch_images(const SwitchTables& level, BatchRows c, Form form, std::size_t count,
                     const std::function<SwitchedImage(std::size_t)>& image,
                     std::size_t batch) const override;

  void multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, ConstWordPtr addend,
                            WordPtr out, std::size_t batch) const override;
  void tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      bool finish, std::size_t batch) const override;
  void encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
               ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
               ConstWordPtr message, Form form, WordPtr out) const override;
  void encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                     ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                     const MessageRows& message, Form form, WordPtr out, std::size_t batch) const override;
  void encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                         const SmallPolynomial& error, const MessageRows& message, Form form, WordPtr out,
                         std::size_t batch) const override;
  void key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                        const SmallPolynomial& error, ConstWordPtr from,
                        std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                        WordPtr out) const override;
  void phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
             ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const override;
  void sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out, std::size_t stride,
                       std::size_t batch) const override;
  void masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                   const SmallPolynomial& error, const LimbRows& message, WordPtr out) const override;

  EncodedRange encode(const EmbeddingTables& embedding, const RingTables& ring, const NumberRows& numbers,
                      const DoubleDouble& scale, double bits, Form form, WordPtr out,
                      std::size_t batch) const override;
  void decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
              const DoubleDouble& scale, double bits, bool real, WordPtr out,
              std::size_t batch) const override;

  void sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                    WordPtr out) const override;

 private:
  /// An array of words of 64 bits that stands for an operand of an operation that has kernels for these only:
  /// the operand itself, or its words widened.
  class Input;
  /// Words of 64 bits that stand for such an operation's result, which returns to its place when this goes.
  class Output;
  struct InputRows;

  DeviceArray array(std::size_t words, unsigned word_bits, bool secret) const {
    return {memory_.allocate(word_bits == 32 ? (words + 1) / 2 : words, secret), words, word_bits, "host"};
  }

  /// body(i) for i in [0, count); `words` is the size of the whole work, small work stays on this thread.
  template <class Body>
  void parallel(std::size_t count, std::size_t words, const Body& body) const {
    if (count <= 1 || pool_.threads() == 1 || words < kSerialWords) {
      for (std::size_t i = 0; i < count; ++i) body(i);
    } else {
      pool_.parallel_for(count, body, words);
    }
  }

  /// body(limb, offset of the row) for every row of [batch][limbs][n].
  template <class Body>
  void for_rows(const CpuRing& ring, std::size_t batch, const Body& body) const {
    parallel(batch * ring.limbs(), batch * ring.words(),
             [&](std::size_t row) { body(ring.limb[row % ring.limbs()], row * ring.n()); });
  }

  /// body(polynomial, first coefficient, count, scratch) over blocks of coefficients of `batch` polynomials
  /// of `rows` rows; scratch holds `scratch_rows` rows of kBlock words and is wiped afterwards.
  template <class Body>
  void for_blocks(std::size_t batch, std::size_t n, std::size_t rows, std::size_t scratch_rows,
                  const Body& body) const {
    constexpr std::size_t kTask = kBlock * kTaskBlocks;
    const std::size_t tasks = (n + kTask - 1) / kTask;
    parallel(batch * tasks, batch * rows * n, [&](std::size_t index) {
      const std::shared_ptr<std::uint64_t> scratch = memory_.allocate(scratch_rows * kBlock, true);
      const std::size_t first = index % tasks * kTask;
      const std::size_t last = std::min(n, first + kTask);
      for (std::size_t c = first; c < last; c += kBlock)
        body(index / tasks, c, std::min(kBlock, last - c), scratch.get());
    });
  }

  /// A row of lift_plain, of 64-bit words.
  void lift_row(const CpuLimb& limb, std::uint64_t t, const std::uint64_t* values, std::uint64_t* row,
                std::size_t n) const;
  void sample_signed(const SmallPolynomial& polynomial, std::span<std::int64_t> out) const;
  void sample_lifted(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const;
  static void lift_row(const CpuRing& ring, std::size_t j, const std::int64_t* samples, std::uint64_t factor,
                       std::uint64_t* out);
  class SmallRows;
  /// The opposite of a secret, in memory that is wiped: what masked_pair_short multiplies by.
  DeviceArray opposite_of(const RingTables& ring, ConstWordPtr secret) const;
  void masked_pair_short(const RingTables& ring, ConstWordPtr opposite, const StreamName& uniform,
                         const SmallPolynomial& error, const LimbRows& message, WordPtr out) const;
  void encrypt_short(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                     ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                     ConstWordPtr message, Form form, WordPtr out) const;
  void tensor_product_short(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                            bool accumulate, bool finish, std::size_t batch) const;
  class Digits;
  void inverse_row(const CpuLimb& limb, ConstWordPtr x, std::uint64_t* out, std::size_t n) const;
  /// out [2][n], out_part words apart: limb j of the sum of digits times key, of `digits` of them; row(i, to)
  /// writes the row of digit i.
  template <class Row>
  void key_switch_limb(const CpuRing& ring, std::size_t digits, std::size_t j, const KeyRows& key,
                       std::uint64_t* out, std::size_t out_part, const Row& row) const;
  void switch_image_limb(const CpuRing& ring, std::size_t digits, std::size_t j, const SwitchedImage& image,
                         const std::uint64_t* rows, std::uint64_t* out, std::size_t out_part) const;
  template <class Body>
  void for_polynomials(std::size_t batch, const Body& body) const;
  /// A polynomial that is divided: the rows that are dropped, its own words and the result.
  struct DividedRows {
    std::uint64_t* sources;
    const std::uint64_t* own_words;
    std::uint64_t* out;
  };
  template <class Before, class After>
  void divide_rows(const StepTables& division, const CpuRing& ring_q,
                   std::span<const DividedRows> polynomials, const Before& before, const After& after) const;
  void rescale_rows(const StepTables& division, const CpuRing& from, const RingTables& to, ConstWordPtr x,
                    std::uint64_t* rests, std::uint64_t* out, std::size_t batch) const;
  /// A result [2][k][n] of a division, and the first `parts` of two polynomials that are added to it.
  struct Divided {
    const std::uint64_t* addend;
    std::size_t parts;
    std::uint64_t* out;
  };
  template <class Limb>
  void divide(const StepTables* division, const CpuRing& ring_q, std::span<const Divided> results, Form form,
              bool serial, const Limb& limb) const;
  void encrypt_one(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                   ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                   ConstWordPtr message, Form form, WordPtr out, bool serial) const;
  template <class Rows>
  void divide_one(const StepTables* division, const CpuRing& ring_q, const Divided& result, Form form,
                  bool serial, const Rows& rows) const;

  static constexpr std::size_t kSerialWords = 8192;  ///< below this a wake-up costs more than it brings
  static constexpr std::size_t kBlock = 256;         ///< coefficients whose rows of scratch stay in L1 and L2
  static constexpr std::size_t kTaskBlocks = 8;      ///< blocks a thread takes at a time

  std::shared_ptr<const CpuDevice> device_;
  Target target_;
  const ThreadPool& pool_;
  MemoryPool& memory_;
};

}  // namespace nttforge::cpu
