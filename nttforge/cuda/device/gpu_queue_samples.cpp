// SPDX-License-Identifier: Apache-2.0
// Sampling, encryption and what keys are made of.
#include <algorithm>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/tile/matrix.hpp"
#include "nttforge/random/chacha20.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::size_t kMostScratchBytes = std::size_t{1} << 28;  ///< of a batch that is done at once

StreamKey stream_key(const StreamName& name) {
  const ChaChaInput input = chacha_input(name, 0);
  StreamKey key;
  std::copy(std::begin(input.key), std::end(input.key), key.key);
  key.domain = static_cast<std::uint32_t>(name.domain);
  key.index = name.index;
  return key;
}

SmallSource small_source(const GpuDevice& device, const SmallPolynomial& polynomial) {
  using Kind = SmallPolynomial::Kind;
  SmallSource source;
  source.name = stream_key(polynomial.name);
  if (polynomial.kind == Kind::error) {
    const std::span<const std::uint64_t> table = device.error_table(polynomial.error);
    source.kind = SmallSource::Kind::error;
    source.entries = static_cast<std::uint32_t>(table.size());
    source.table = table.data();
  } else {
    source.kind = polynomial.kind == Kind::binary ? SmallSource::Kind::binary : SmallSource::Kind::ternary;
  }
  return source;
}

template <class Word>
typename SampleKernel<Word>::Args sample_args(const RingTables& ring, std::size_t batch) {
  typename SampleKernel<Word>::Args args;
  args.log_n = log2_of(ring.n());
  args.batch = static_cast<std::uint32_t>(batch);
  args.ring = own<GpuRing>(ring).rows();
  return args;
}

/// How many products of residues a sum takes beside a residue.
std::uint32_t products_beside_residue(const RingTables& ring) {
  if (ring.spec().word_bits == 64) return 15;  // of 62 bits, in 128
  const std::uint64_t largest = *std::max_element(ring.spec().moduli.begin(), ring.spec().moduli.end());
  return largest >> 30 == 0 ? 15 : largest >> 31 == 0 ? 3 : 1;  // in 64
}

/// Into how many groups the last kernel of an encryption cuts limbs: one that leaves zeros, unless so few
/// threads would wait for memory longer than wiping takes.
std::uint32_t finish_groups(std::size_t threads, std::size_t limbs) {
  constexpr std::size_t kEnough = 132 * 512, kInGroup = 4;
  return threads >= kEnough ? 1 : static_cast<std::uint32_t>((limbs + kInGroup - 1) / kInGroup);
}

/// Whether an encryption divides in a launch of its own: by many primes, a product of matrices costs less
/// than what it needs beside it.
bool divides_by_matrix(const GpuStep& division, unsigned word_bits) {
  if (division.steps().size() != 1 || word_bits != 32 || division.n() < kMatrixColumns) return false;
  const GpuStepTables& step = division.steps().front();
  return step.narrow && step.narrow->matrix.groups != 0 && division.chain().front().modulus == 0 &&
         step.narrow->source_count > kMostDivisors / 2;
}

/// The messages from element `first` on.
MessageRows from(const MessageRows& message, const RingTables& ring, std::size_t first) {
  if (message.words == nullptr) return message;
  return {message.words + first * (message.step == nullptr ? ring.words() : ring.n()), message.step};
}

}  // namespace

/// place: for messages whose step has no kernel beside other work.
template <class Word>
AddedMessage<Word> GpuQueue::added_message(const RingTables& ring, const MessageRows& message,
                                           std::size_t batch, DeviceArray& place) const {
  AddedMessage<Word> added;
  if (message.words == nullptr) return added;
  const StepConstants* const step =
      message.step == nullptr ? nullptr : own<GpuStep>(*message.step).constants().embedding();
  if (step != nullptr) {
    added.plain = read(message.words);
    added.step = *step;
  } else {
    added.words = residues_of(ring, message, batch, place).template as<Word>();
  }
  return added;
}

ConstWordPtr GpuQueue::residues_of(const RingTables& ring, const MessageRows& message, std::size_t batch,
                                   DeviceArray& place) const {
  if (message.words == nullptr || message.step == nullptr) return message.words;
  place = allocate_secret(ring, batch);
  apply(*message.step, message.words, nullptr, place.data(), batch);
  return place.data();
}

template <class Word>
void GpuQueue::sample(const typename SampleKernel<Word>::Args& args) const {
  require_not_recording("a sample", "each run would repeat the same randomness");
  run("sampling", SampleCall<Word>{args});
}

void GpuQueue::sample_uniform(const RingTables& ring, const StreamName& name, WordPtr out) const {
  sample_uniforms(ring, name, out, ring.words(), 1);
}

void GpuQueue::sample_uniforms(const RingTables& ring, const StreamName& name, WordPtr out,
                               std::size_t stride, std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    auto args = sample_args<Word>(ring, batch);
    args.uniform = true;
    args.uniform_name = stream_key(name);
    args.uniform_words = out.as<Word>();
    args.uniform_stride = stride;
    args.packed = are_packed<Pack<Word>>(ring.n(), {args.uniform_words, args.uniform_words + stride});
    sample<Word>(args);
  });
}

void GpuQueue::sample_small(const RingTables& ring, const SmallPolynomial& polynomial, WordPtr out) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    auto args = sample_args<Word>(ring, 1);
    args.small = 1;
    args.jobs[0].source = small_source(*device_, polynomial);
    args.jobs[0].factor = polynomial.factor;
    args.jobs[0].words = out.as<Word>();
    args.packed = are_packed<Pack<Word>>(ring.n(), {args.jobs[0].words});
    sample<Word>(args);
  });
}

void GpuQueue::sample_ternary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  sample_small(ring, {SmallPolynomial::Kind::ternary, name, {}}, out);
}

void GpuQueue::sample_binary(const RingTables& ring, const StreamName& name, WordPtr out) const {
  sample_small(ring, {SmallPolynomial::Kind::binary, name, {}}, out);
}

void GpuQueue::sample_error(const RingTables& ring, const StreamName& name, ErrorDistribution distribution,
                            WordPtr out) const {
  sample_small(ring, {SmallPolynomial::Kind::error, name, distribution}, out);
}

void GpuQueue::encrypt(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                       ConstWordPtr key, const SmallPolynomial& u, std::span<const SmallPolynomial, 2> errors,
                       ConstWordPtr message, Form form, WordPtr out) const {
  encrypt_batch(ring_key, ring_q, division, key, u, errors, message, form, out, 1);
}

void GpuQueue::encrypt_batch(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                             ConstWordPtr key, const SmallPolynomial& u,
                             std::span<const SmallPolynomial, 2> errors, const MessageRows& message,
                             Form form, WordPtr out, std::size_t batch) const {
  const std::size_t bytes = 3 * ring_key.words() * (out.word_bits() / 8) + 2 * ring_key.n();
  const std::size_t most = std::clamp<std::size_t>(kMostScratchBytes / bytes, 1, batch);
  SmallPolynomial now_u = u, now_errors[] = {errors[0], errors[1]};
  for (std::size_t done = 0; done < batch; done += most) {
    if (done != 0) poll_interrupt();
    const std::size_t count = std::min(most, batch - done);
    with_word(out.word_bits(), [&]<class Word>(Word) {
      encrypt_some<Word>(ring_key, ring_q, division, key, now_u, now_errors, from(message, ring_q, done),
                         out + done * 2 * ring_q.words(), count);
    });
    for (SmallPolynomial* polynomial : {&now_u, &now_errors[0], &now_errors[1]})
      polynomial->name.index += static_cast<std::uint32_t>(count);
  }
  if (form == Form::values) forward(ring_q, out, 2 * batch);
}

// Secrets of all kinds are in one place: u [batch][limbs][n], sums [batch][2][limbs][n], and errors
// [batch][2][n], a byte each.
template <class Word>
void GpuQueue::encrypt_some(const RingTables& ring_key, const RingTables& ring_q, const StepTables* division,
                            ConstWordPtr key, const SmallPolynomial& u,
                            std::span<const SmallPolynomial, 2> errors, const MessageRows& message,
                            WordPtr out, std::size_t batch) const {
  const std::size_t n = ring_key.n(), words = ring_key.words();
  Scratch scratch(*this, 3 * batch * words + (2 * batch * n + sizeof(Word) - 1) / sizeof(Word),
                  out.word_bits());
  Word* const masks = scratch.data().template as<Word>();
  Word* const sums = masks + batch * words;
  auto* const bytes = reinterpret_cast<std::int8_t*>(sums + 2 * batch * words);

  auto args = sample_args<Word>(ring_key, batch);
  args.small = 3;
  args.jobs[0].source = small_source(*device_, u);
  args.jobs[0].factor = u.factor;
  args.jobs[0].words = masks;
  args.jobs[0].words_stride = words;
  for (std::size_t part = 0; part < 2; ++part) {
    args.jobs[1 + part].source = small_source(*device_, errors[part]);
    args.jobs[1 + part].bytes = bytes + part * n;
    args.jobs[1 + part].bytes_stride = 2 * n;
  }
  args.packed = are_packed<Pack<Word>>(n, {masks});
  sample<Word>(args);
  forward(ring_key, masks, batch);
  if (!inverse_of_products(ring_key, masks, 1, key.as<Word>(), 2, 0, sums, batch)) {
    const RowGrid<Word> grid(batch * ring_key.limbs(), n, {masks, sums, key.address()});
    run("multiplying by a public key",
        MultiplyByKey<Word>{grid.shape, grid.log_n, grid.step, args.ring, key.as<Word>(), masks, sums});
    inverse(ring_key, sums, 2 * batch);
  }

  DeviceArray place;
  const StepConstants* fused = nullptr;
  if (division != nullptr) {
    const GpuStep& step = own<GpuStep>(*division);
    if (!divides_by_matrix(step, out.word_bits())) fused = step.constants().division(out.word_bits());
    if (fused == nullptr) {
      const RowGrid<Word> grid(2 * batch * ring_key.limbs(), n, {sums, bytes});
      run("adding errors", AddErrors<Word>{grid.shape,
                                           grid.log_n,
                                           grid.step,
                                           args.ring,
                                           sums,
                                           bytes,
                                           {errors[0].factor, errors[1].factor}});
      const AddedMessage<Word> added = added_message<Word>(ring_q, message, batch, place);
      const WordPtr all = scratch.data() + batch * words;
      convert(*division,
              {.sources = {all + ring_q.words(), words},
               .own = {all, words},
               .out = {out, ring_q.words()},
               .addend = {ConstWordPtr(added.words), ring_q.words()},
               .addend_parts = added.words == nullptr ? std::size_t{0} : 1,
               .parts = 2},
              2 * batch);
      if (added.is_plain()) {
        const std::size_t groups =
            (ring_q.limbs() + AddPlaintexts<Word>::kLimbs - 1) / AddPlaintexts<Word>::kLimbs;
        const RowGrid<Word> rows(batch * groups, n, {out.address()});
        run("adding plaintexts",
            AddPlaintexts<Word>{rows.shape, rows.log_n, rows.step, static_cast<std::uint32_t>(groups),
                                own<GpuRing>(ring_q).rows(), added, out.as<Word>()});
      }
      return;  // secrets are wiped
    }
  }
  const AddedMessage<Word> added = added_message<Word>(ring_q, message, batch, place);
  const std::uint32_t groups = finish_groups(2 * batch * n / (8 / sizeof(Word)), ring_q.limbs());
  const RowGrid<Word, Few<8 / sizeof(Word), Word>> grid(2 * batch * groups, n,
                                                        {masks, sums, out.address(), added.words});
  const auto finish = [&]<std::uint32_t kMost>(std::integral_constant<std::uint32_t, kMost>) {
    run("finishing an encryption", FinishEncryption<Word, kMost>{grid.shape,
                                                                 grid.log_n,
                                                                 grid.step,
                                                                 args.ring,
                                                                 static_cast<std::uint32_t>(ring_q.limbs()),
                                                                 products_beside_residue(ring_key),
                                                                 sums,
                                                                 masks,
                                                                 bytes,
                                                                 {errors[0].factor, errors[1].factor},
                                                                 added,
                                                                 out.as<Word>(),
                                                                 fused == nullptr ? StepConstants{} : *fused,
                                                                 groups});
  };
  if (fused == nullptr || fused->sources == 1)
    finish(std::integral_constant<std::uint32_t, 1>());
  else
    finish(std::integral_constant<std::uint32_t, kMostDivisors>());
  if (groups == 1) scratch.is_clean();
}

void GpuQueue::masked_pair(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                           const SmallPolynomial& error, const LimbRows& message, WordPtr out) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    PairMessages<Word> rows;
    rows.words = message.words.as<Word>();
    rows.first_row = static_cast<std::uint32_t>(message.first);
    for (std::size_t j = 0; j < ring.limbs(); ++j)
      rows.pair_of[j] = j - message.first < message.count ? 0 : kNoPair;
    mask_pairs(ring, secret.as<Word>(), uniform, error, rows, out.as<Word>(), 1);
  });
}

void GpuQueue::key_switch_pairs(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                const SmallPolynomial& error, ConstWordPtr from,
                                std::span<const std::uint64_t> scalars, std::span<const std::size_t> ends,
                                WordPtr out) const {
  require_scalars(ring, scalars);
  const std::size_t bytes = ring.words() * (out.word_bits() / 8), digits = ends.size();
  const std::size_t most = std::clamp<std::size_t>(kMostScratchBytes / bytes, 1, digits);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    PairMessages<Word> rows;
    rows.words = from.as<Word>();
    std::fill(std::begin(rows.pair_of), std::end(rows.pair_of), kNoPair);
    for (std::size_t i = 0, j = 0; i < digits; ++i)
      for (; j < ends[i]; ++j) rows.pair_of[j] = static_cast<std::uint8_t>(i);
    rows.scaled = true;
    std::copy(scalars.begin(), scalars.end(), rows.scalars);
    StreamName name = uniform;
    SmallPolynomial noise = error;
    for (std::size_t done = 0; done < digits; done += most) {
      if (done != 0) poll_interrupt();
      const std::size_t count = std::min(most, digits - done);
      mask_pairs(ring, secret.as<Word>(), name, noise, rows, out.as<Word>() + done * 2 * ring.words(), count);
      name.index += static_cast<std::uint32_t>(count);
      noise.name.index += static_cast<std::uint32_t>(count);
      rows.first_pair += static_cast<std::uint32_t>(count);
    }
  });
}

template <class Word>
void GpuQueue::mask_pairs(const RingTables& ring, const Word* secret, const StreamName& uniform,
                          const SmallPolynomial& error, const PairMessages<Word>& message, Word* out,
                          std::size_t pairs) const {
  const std::size_t n = ring.n(), words = ring.words();
  Scratch scratch(*this, pairs * words, 8 * sizeof(Word));
  Word* const errors = scratch.data().template as<Word>();
  auto args = sample_args<Word>(ring, pairs);
  args.small = 1;
  args.jobs[0].source = small_source(*device_, error);
  args.jobs[0].factor = error.factor;
  args.jobs[0].words = errors;
  args.jobs[0].words_stride = words;
  args.uniform = true;
  args.uniform_name = stream_key(uniform);
  args.uniform_words = out + words;
  args.uniform_stride = 2 * words;
  args.packed = are_packed<Pack<Word>>(n, {errors, args.uniform_words});
  sample<Word>(args);
  forward(ring, errors, pairs);
  const RowGrid<Word> grid(pairs * ring.limbs(), n, {errors, out, out + words, secret, message.words});
  run("masking",
      FinishMaskedPairs<Word>{grid.shape, grid.log_n, grid.step, args.ring, secret, errors, out, message});
  scratch.is_clean();
}

void GpuQueue::encrypt_by_secret(const RingTables& ring, ConstWordPtr secret, const StreamName& uniform,
                                 const SmallPolynomial& error, const MessageRows& message, Form form,
                                 WordPtr out, std::size_t batch) const {
  const std::size_t n = ring.n(), words = ring.words();
  const std::size_t bytes = words * (out.word_bits() / 8) + n;
  const std::size_t most = std::clamp<std::size_t>(kMostScratchBytes / bytes, 1, batch);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    for (std::size_t done = 0; done < batch; done += most) {
      if (done != 0) poll_interrupt();
      const std::size_t count = std::min(most, batch - done);
      Word* const to = out.as<Word>() + done * 2 * words;
      Scratch scratch(*this, count * words + (count * n + sizeof(Word) - 1) / sizeof(Word), out.word_bits());
      Word* const products = scratch.data().template as<Word>();
      auto* const samples = reinterpret_cast<std::int8_t*>(products + count * words);

      auto args = sample_args<Word>(ring, count);
      args.small = 1;
      args.jobs[0].source = small_source(*device_, error);
      args.jobs[0].source.name.index += static_cast<std::uint32_t>(done);
      args.jobs[0].bytes = samples;
      args.jobs[0].bytes_stride = n;
      args.uniform = true;
      args.uniform_name = stream_key(uniform);
      args.uniform_name.index += static_cast<std::uint32_t>(done);
      args.uniform_words = to + words;
      args.uniform_stride = 2 * words;
      args.packed = are_packed<Pack<Word>>(n, {args.uniform_words});
      sample<Word>(args);
      multiply_parts<Word>(ring, to, 2, secret.as<Word>(), nullptr, products, count);
      DeviceArray place;
      const AddedMessage<Word> added = added_message<Word>(ring, from(message, ring, done), count, place);
      run("finishing an encryption", FinishSecretEncryption<Word>{grid_of(count, n), args.ring, products,
                                                                  samples, error.factor, added, to});
      scratch.is_clean();
    }
    if (form == Form::values) forward(ring, out, 2 * batch);
  });
}

}  // namespace nttforge::cuda
