// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "nttforge/cuda/device/conversion.hpp"
#include "nttforge/cuda/device/gpu_device.hpp"
#include "nttforge/cuda/device/gpu_scope.hpp"
#include "nttforge/cuda/device/residues.hpp"
#include "nttforge/cuda/tile/shapes.hpp"
#include "nttforge/device/implement.hpp"
#include "nttforge/device/queue.hpp"

namespace nttforge {
class SmallIntegers;
}

namespace nttforge::cuda {

/// A queue of a card, in its default stream or where the thread's scope says (gpu_scope.hpp). Operations
/// enqueue and return; download and wait wait. Larger operations are the compositions of queue.hpp.
class GpuQueue final : public Queue {
 public:
  explicit GpuQueue(std::shared_ptr<const GpuDevice> device);
  const Device& device() const override { return *device_; }
  int ordinal() const { return ordinal_; }
  /// Where operations of this thread are enqueued.
  CudaStream stream() const {
    const GpuScope* const scope = current_scope(ordinal_);
    return scope == nullptr ? nullptr : scope->stream();
  }

  using Queue::allocate;
  using Queue::allocate_secret;
  DeviceArray allocate(std::size_t words, unsigned word_bits) const override;
  DeviceArray allocate_secret(std::size_t words, unsigned word_bits) const override;
  void upload(std::span<const std::uint64_t> host, WordPtr device) const override;
  void upload_written(std::size_t words, WordPtr device, const WriteWords& write) const override;
  void download(ConstWordPtr device, std::span<std::uint64_t> host) const override;
  void copy(ConstWordPtr in, WordPtr out, std::size_t words) const override;
  void fill_zero(WordPtr out, std::size_t words) const override;
  bool copy_from(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const override;
  bool fetch(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const override;
  bool unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out, std::size_t stride,
              std::size_t batch) const override;
  void wait() const override;
  std::shared_ptr<const Event> record() const override;
  std::shared_ptr<void> record_with(const Event& event) const override;
  /// An event of another device makes the host wait.
  void wait(const Event& event) const override;
  std::unique_ptr<Capture> begin_capture() const override;
  void in_one_piece(const std::function<void()>& give) const override;

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
  void tensor_combination(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, std::uint64_t times,
                          std::span<const CombinedRows> terms, std::span<const std::uint64_t> scalars,
                          std::span<const std::uint64_t> constants, WordPtr out,
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

  using Queue::apply;
  void apply(const StepTables& step, BatchRows sources, BatchRows own, WordPtr out, std::size_t batch,
             WordPtr exceeded) const override;
  /// The step with all that apply() has, and rows that are written where the caller wants them, copies of the
  /// sources and an addend in the same launch. out may be the own words of a single step, row by row; else
  /// what is written overlaps nothing.
  void convert(const StepTables& step, const Conversion& rows, std::size_t batch) const;
  void decompose(const SwitchTables& level, BatchRows c, Form form, WordPtr out,
                 std::size_t batch) const override;
  /// One launch of tiles of a shape.
  template <class Call>
  void run_tiles(const Call& call, TileShape shape, Correction correction) const;
  /// One launch of products of matrices, targets in `parts` parts.
  template <class Call>
  void run_matrix(const Call& call, std::uint32_t parts, Correction correction) const;
  /// decompose() before its transform, in one launch for up to kTileSteps digits. Without own rows, those of
  /// a digit's own primes may be left as they are.
  void convert_digits(const SwitchTables& level, BatchRows c, WordPtr out, std::size_t batch,
                      bool with_own = true) const;
  void inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key, WordPtr out,
                     std::size_t batch, bool accumulate) const override;
  void sums_of_products(const RingTables& ring, ConstWordPtr factors, ConstWordPtr x, WordPtr out,
                        std::size_t groups, std::size_t terms, std::size_t parts) const override;
  void sum_of_terms(const RingTables& ring, std::span<const FactorTerm> terms, std::size_t parts, WordPtr out,
                    std::size_t elements, bool accumulate) const override;
  void rescale(const StepTables& division, const RingTables& from, const RingTables& to, ConstWordPtr in,
               Form form, WordPtr out, std::size_t batch) const override;
  void mod_down(const SwitchTables& level, WordPtr x, BatchRows addend, std::size_t addend_parts, Form form,
                WordPtr out, std::size_t batch) const override;
  void key_switch(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key, WordPtr out,
                  std::size_t batch) const override;
  void switch_digits(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image, Form form,
                     std::size_t batch) const override;
  void switch_image(const SwitchTables& level, BatchRows c, const SwitchedImage& image,
                    std::size_t batch) const override;
  void switch_key_rescaled(const SwitchTables& level, const RescaleTables& to, BatchRows c,
                           const KeyRows& key, BatchRows addend, std::size_t addend_parts, Form form,
                           WordPtr out, std::size_t batch) const override;
  void add_image(const SwitchTables& level, ConstWordPtr digits, const SwitchedImage& image, BatchRows addend,
                 WordPtr out, std::size_t batch) const override;
  void sums_of_images(const SwitchTables& level, ConstWordPtr digits, BatchRows parts,
                      const MapFactors& factors, const std::function<SwitchedImage(std::size_t)>& image,
                      WordPtr out, std::size_t batch) const override;
  std::size_t images_together() const override;
  void tensor_product(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, bool accumulate,
                      bool finish, std::size_t batch) const override;
  void sum_of_products(const ProductTables& tables, std::span<const BatchRows> a,
                       std::span<const BatchRows> b, WordPtr out, std::size_t batch) const override;
  /// sum_of_products of several terms, each of one element, which lie one after the other.
  void sum_of_rows(const ProductTables& tables, ConstWordPtr a, ConstWordPtr b, std::size_t terms,
                   WordPtr out) const;
  void switch_key(const SwitchTables& level, BatchRows c, const KeyRows& key, BatchRows addend,
                  std::size_t addend_parts, Form form, WordPtr out, std::size_t batch) const override;
  void automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                    std::size_t batch) const override;
  void lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                  std::size_t batch) const override;
  void reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out, std::size_t n,
                       std::size_t rows, WordPtr outside) const override;
  void centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const override;
  void sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                   std::size_t batch) const override;
  void repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n,
              std::size_t rows) const override;
  void gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
              std::size_t rows) const override;

  void sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out, std::size_t stride,
                       std::size_t batch) const override;
  void sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const override;
  void sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                    WordPtr out) const override;
  void sample_small(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const override;

  void encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
               ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
               ConstWordPtr message, Form form, WordPtr out) const override;
  void encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                     ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                     const MessageRows& message, Form form, WordPtr out, std::size_t batch) const override;
  void masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                   const SmallPolynomial& error, const LimbRows& message, WordPtr out) const override;
  void key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                        const SmallPolynomial& error, ConstWordPtr from,
                        std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                        WordPtr out) const override;
  void encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                         const SmallPolynomial& error, const MessageRows& message, Form form, WordPtr out,
                         std::size_t batch) const override;
  void forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out, std::size_t batch) const override;
  void multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, ConstWordPtr addend,
                            WordPtr out, std::size_t batch) const override;
  void phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
             ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const override;
  void decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts, std::size_t parts,
               Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch,
               WordPtr exceeded) const override;
  bool decrypt_checked(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                       std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                       std::size_t batch) const override;
  void automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                                std::size_t batch) const override;

  EncodedRange encode(const EmbeddingTables& embedding, const RingTables& ring, const NumberRows& numbers,
                      const DoubleDouble& scale, double bits, Form form, WordPtr out,
                      std::size_t batch) const override;
  void decode(const EmbeddingTables& embedding, const RingTables& ring, ConstWordPtr phase,
              const DoubleDouble& scale, double bits, bool real, WordPtr out,
              std::size_t batch) const override;

 private:
  /// `seen` as EncodePass has it.
  template <class Real>
  void encode_in(const GpuEmbedding& embedding, const RingTables& ring, const NumberRows& numbers,
                 const DoubleDouble& factor, std::uint64_t* seen, WordPtr out, std::size_t batch) const;
  /// encode() without its wait: `seen` is in memory of the host that kernels write.
  void encode_seen(const EmbeddingTables& embedding, const RingTables& ring, const NumberRows& numbers,
                   const DoubleDouble& scale, std::uint64_t* seen, WordPtr out, std::size_t batch) const;
  template <class Real>
  void decode_in(const GpuEmbedding& embedding, const RingTables& ring, const SmallIntegers& integers,
                 ConstWordPtr phase, const DoubleDouble& factor, bool real, double* out,
                 std::size_t batch) const;
  // What encryption and decryption consist of: gpu_queue_samples.cpp, gpu_queue_phase.cpp.
  /// throws ParameterError while operations are recorded.
  template <class Word>
  void sample(const typename SampleKernel<Word>::Args& args) const;
  template <class Word>
  void mask_pairs(const RingTables& ring, const Word* secret, const StreamName& uniform,
                  const SmallPolynomial& error, const PairMessages<Word>& message, Word* out,
                  std::size_t pairs) const;
  /// out [batch][limbs][n] = forward(in); out may be `in`.
  template <class Word>
  void forward_to(const RingTables& ring, const Word* in, Word* out, std::size_t batch) const;
  /// out [batch][parts][limbs][n] = inverse(sum_i x_i y_i), x [batch][terms][limbs][n], y
  /// [parts][limbs][n] for the first term and term_step words on for the next. False if the ring has no
  /// kernel for that: nothing was done.
  template <class Word>
  bool inverse_of_products(const RingTables& ring, const Word* x, std::size_t terms, const Word* y,
                           std::size_t parts, std::ptrdiff_t term_step, Word* out, std::size_t batch) const;
  /// products [batch][limbs][n] = c1 s, or c1 s + c2 s^2, of ciphertexts in coefficient form.
  template <class Word>
  void multiply_parts(const RingTables& ring, const Word* ciphertexts, std::size_t parts, const Word* secret,
                      const Word* square, Word* products, std::size_t batch) const;
  /// decrypt, where *exceeded is zero before.
  void decrypt_into(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                    std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                    std::size_t batch, WordPtr exceeded) const;
  template <class Word>
  void encrypt_some(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                    ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                    const MessageRows& message, WordPtr out, std::size_t batch) const;
  template <class Word>
  AddedMessage<Word> added_message(const RingTables& ring, const MessageRows& message, std::size_t batch,
                                   DeviceArray& place) const;
  /// Messages as residues; those of a step are computed in `place`.
  ConstWordPtr residues_of(const RingTables& ring, const MessageRows& message, std::size_t batch,
                           DeviceArray& place) const;
  template <Combination kWhat>
  void combine(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, std::size_t batch,
               std::size_t period) const;
  template <class Operation>
  void run(const char* what, const Operation& operation) const;
  /// throws ParameterError while operations are recorded.
  void require_not_recording(const char* what, const char* why) const;
  /// [batch][2][k][n] modulo Q -> [batch][2][k + l][n] modulo both bases; those of `other` (may be null)
  /// follow.
  void join(const ProductTables& tables, const BatchRows& x, const BatchRows* other, WordPtr out,
            std::size_t batch) const;
  /// inverse(tensor(a, b)), and inverse(inner_product(...)), in one go. false, with nothing done: there are
  /// no kernels for it.
  bool inverse_of_tensor(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                         std::size_t batch) const;
  bool inverse_of_inner_product(const SwitchTables& level, ConstWordPtr digits, const KeyRows& key,
                                WordPtr out, std::size_t batch) const;
  /// Polynomials that a division adds, those of the first `parts` of every `of_parts` that it makes, or their
  /// images.
  struct Addend {
    BatchRows rows{};
    std::size_t parts = 0, of_parts = 1;
    const GpuPermutation* image = nullptr;
  };
  /// A division of values. rest: memory as that of `in`, or that itself, where the rows of primes that are
  /// dropped go. False, with nothing done, if these rows are not neighbours.
  bool divide_values(const StepTables& division, const RingTables& from, const RingTables& to,
                     ConstWordPtr in, WordPtr rest, const Addend& addend, WordPtr out,
                     std::size_t batch) const;
  /// key_switch(c, key) and an addend times `factors`, one for each limb of the level's ring. False, with
  /// nothing done, where there are no kernels for it.
  bool key_product(const SwitchTables& level, BatchRows c, Form form, const KeyRows& key,
                   const Addend& addend, std::span<const std::uint64_t> factors, WordPtr out,
                   std::size_t batch) const;
  /// What sums_of_images reads of so many elements.
  struct MapRows {
    const SwitchTables* level;
    ConstWordPtr digits;
    BatchRows parts;
    std::size_t elements;
  };
  template <unsigned kGroups, bool kRepeats, bool kShares>
  void map_images(const MapRows& rows, const MapFactors& factors, std::span<const SwitchedImage> images,
                  WordPtr out, std::size_t batch) const;
  template <bool kRepeats>
  void map_groups(const MapRows& rows, const MapFactors& factors, std::span<const SwitchedImage> images,
                  WordPtr out, std::size_t batch, std::size_t shared) const;
  template <bool kRepeats>
  void map_elements(MapRows rows, const MapFactors& factors, std::span<const SwitchedImage> images,
                    WordPtr out, std::size_t batch) const;
  /// mod_down of values and the image's addend.
  void divide_image(const SwitchTables& level, WordPtr sum, const SwitchedImage& image,
                    std::size_t batch) const;
  /// c in coefficients, in `place` if it is not.
  BatchRows coefficients_of(const SwitchTables& level, BatchRows c, Form form, DeviceArray& place,
                            std::size_t batch) const;
  /// mod_down of what is in coefficient form already.
  void divide(const SwitchTables& level, ConstWordPtr x, BatchRows addend, std::size_t addend_parts,
              WordPtr out, std::size_t batch) const;
  /// inner_product of `count` digits modulo `ring`, of their image if kImage. addend: null, or polynomials
  /// [batch][K][n] whose images are added to part 0.
  template <bool kImage>
  void inner_product_of_image(const RingTables& ring, std::size_t count, ConstWordPtr digits,
                              const KeyRows& key, const GpuPermutation* image, WordPtr out, std::size_t batch,
                              bool accumulate, BatchRows addend = {}) const;
  template <class Word, unsigned kWords, bool kImage>
  void inner_product_of(const RingTables& ring, std::size_t count, ConstWordPtr digits, const KeyRows& key,
                        const GpuPermutation* image, WordPtr out, std::size_t batch, bool accumulate,
                        BatchRows addend) const;
  /// convert_digits() by one arithmetic; false if the words or a digit are not for it.
  template <class Arith>
  bool convert_digits_by(std::optional<TileStep<Arith>> GpuStepTables::* tables, const SwitchTables& level,
                         BatchRows c, WordPtr out, std::size_t batch, bool with_own) const;
  /// A chain of two steps in one launch; false if it is not one for that.
  template <class Arith>
  bool convert_twice_by(const std::optional<TileStep<Arith>>& first,
                        const std::optional<TileStep<Arith>>& second, const Conversion& rows, std::size_t n,
                        std::size_t batch) const;
  /// One step of a chain.
  void convert_once(const GpuStepTables& step, const Conversion& rows, std::size_t n,
                    std::size_t batch) const;

  std::shared_ptr<const GpuDevice> device_;
  int ordinal_;
  CudaRuntime& runtime_;
};

}  // namespace nttforge::cuda
