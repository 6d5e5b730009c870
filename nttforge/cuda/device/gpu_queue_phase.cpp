// SPDX-License-Identifier: Apache-2.0
// Products with transformed polynomials that stay, decryption, and polynomials from bytes.
#include <algorithm>
#include <cstring>

#include "nttforge/base/interrupt.hpp"
#include "nttforge/base/text/bits.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"
#include "nttforge/cuda/device/one_piece.hpp"
#include "nttforge/cuda/runtime/staging.hpp"

namespace nttforge::cuda {

template <class Word>
void GpuQueue::forward_to(const RingTables& ring, const Word* in, Word* out, std::size_t batch) const {
  const std::size_t words = batch * ring.words();
  own<GpuRing>(ring).plan().forward(std::span(in, words), std::span(out, words), stream(),
                                    CallPlaces::promised);
}

void GpuQueue::forward_into(const RingTables& ring, ConstWordPtr in, WordPtr out, std::size_t batch) const {
  with_word(out.word_bits(),
            [&]<class Word>(Word) { forward_to(ring, in.as<Word>(), out.as<Word>(), batch); });
}

void GpuQueue::multiply_transformed(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                    ConstWordPtr addend, WordPtr out, std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    forward_to(ring, a.as<Word>(), out.as<Word>(), batch);
    multiply_broadcast(ring, out, b, out, batch);
    inverse(ring, out, batch);
    if (addend != nullptr) add(ring, out, addend, out, batch);
  });
}

template <class Word>
bool GpuQueue::inverse_of_products(const RingTables& ring, const Word* x, std::size_t terms, const Word* y,
                                   std::size_t parts, std::ptrdiff_t term_step, Word* out,
                                   std::size_t batch) const {
  if (!sums_pay(ring, kKeyMostN) || !are_packed<Pack<Word>>(ring.n(), {x, y, y + term_step, out}))
    return false;
  const GpuRing& tables = own<GpuRing>(ring);
  ProductSums<Word> sums = sums_of(tables, x, y);
  sums.kind = ProductSums<Word>::Kind::key;
  sums.terms = static_cast<std::uint32_t>(terms);
  sums.key_limbs = static_cast<std::uint32_t>(ring.limbs());
  sums.key_parts = static_cast<std::uint32_t>(parts);
  sums.term_step = term_step;
  return tables.plan().inverse_of_sums(sums, std::span(out, batch * parts * ring.words()), stream());
}

template bool GpuQueue::inverse_of_products(const RingTables&, const std::uint64_t*, std::size_t,
                                            const std::uint64_t*, std::size_t, std::ptrdiff_t, std::uint64_t*,
                                            std::size_t) const;
template bool GpuQueue::inverse_of_products(const RingTables&, const std::uint32_t*, std::size_t,
                                            const std::uint32_t*, std::size_t, std::ptrdiff_t, std::uint32_t*,
                                            std::size_t) const;

template <class Word>
void GpuQueue::multiply_parts(const RingTables& ring, const Word* ciphertexts, std::size_t parts,
                              const Word* secret, const Word* square, Word* products,
                              std::size_t batch) const {
  const std::size_t terms = parts - 1, polynomials = terms * batch;
  DeviceArray transforms = allocate(ring, polynomials);  // of public polynomials
  Word* const x = transforms.data().template as<Word>();
  if (batch == 1) {
    forward_to(ring, ciphertexts + ring.words(), x, polynomials);
  } else {
    const RowGrid<Word> grid(polynomials * ring.limbs(), ring.n(), {ciphertexts, x});
    run("collecting parts",
        CollectParts<Word>{grid.shape, grid.log_n, grid.step, static_cast<std::uint32_t>(ring.limbs()),
                           static_cast<std::uint32_t>(parts), ciphertexts, x});
    forward(ring, x, polynomials);
  }
  const std::ptrdiff_t step = parts == 3 ? square - secret : 0;
  if (inverse_of_products(ring, x, terms, secret, 1, step, products, batch)) return;
  const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {x, secret, square, products});
  run("multiplying by a secret key",
      MultiplyBySecret<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(), secret,
                             parts == 3 ? square : nullptr, x, products});
  inverse(ring, products, batch);
}

template void GpuQueue::multiply_parts(const RingTables&, const std::uint64_t*, std::size_t,
                                       const std::uint64_t*, const std::uint64_t*, std::uint64_t*,
                                       std::size_t) const;
template void GpuQueue::multiply_parts(const RingTables&, const std::uint32_t*, std::size_t,
                                       const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                                       std::size_t) const;

void GpuQueue::phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, Form form,
                     ConstWordPtr secret, ConstWordPtr square, WordPtr out, std::size_t batch) const {
  if (form == Form::values) return Queue::phase(ring, ciphertexts, parts, form, secret, square, out, batch);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    multiply_parts<Word>(ring, ciphertexts.as<Word>(), parts, secret.as<Word>(), square.as<Word>(),
                         out.as<Word>(), batch);
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {ciphertexts.address(), out.address()});
    run("adding first parts",
        AddFirstParts<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(),
                            static_cast<std::uint32_t>(parts), ciphertexts.as<Word>(), out.as<Word>()});
  });
}

void GpuQueue::decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                       std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                       std::size_t batch, WordPtr exceeded) const {
  OnePiece piece(ordinal_);
  if (exceeded != nullptr) fill_zero(exceeded, 1);
  decrypt_into(ring, recover, ciphertexts, parts, form, secret, square, out, batch, exceeded);
  piece.start();
}

bool GpuQueue::decrypt_checked(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                               std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square,
                               WordPtr out, std::size_t batch) const {
  require_not_recording("a checked decryption", "the host would wait for what has not run");
  return Staging::of(ordinal_).answer(stream(), [&](std::uint64_t* word) {
    OnePiece piece(ordinal_);
    decrypt_into(ring, recover, ciphertexts, parts, form, secret, square, out, batch, word);
    piece.start();
  }) != 0;
}

void GpuQueue::decrypt_into(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                            std::size_t parts, Form form, ConstWordPtr secret, ConstWordPtr square,
                            WordPtr out, std::size_t batch, WordPtr exceeded) const {
  const StepConstants* const step = own<GpuStep>(recover).constants().recovery();
  if (form == Form::values || step == nullptr || step->sources != ring.limbs())
    return Queue::decrypt(ring, recover, ciphertexts, parts, form, secret, square, out, batch, exceeded);
  with_word(ciphertexts.word_bits(), [&]<class Word>(Word) {
    Scratch scratch(*this, batch * ring.words(), ciphertexts.word_bits());
    Word* const products = scratch.data().template as<Word>();
    multiply_parts<Word>(ring, ciphertexts.as<Word>(), parts, secret.as<Word>(), square.as<Word>(), products,
                         batch);
    const auto recover_by = [&]<bool kShort>(std::bool_constant<kShort>) {
      run("recovering plaintexts",
          RecoverPlain<Word, kShort>{grid_of(batch, ring.n()), own<GpuRing>(ring).rows(),
                                     static_cast<std::uint32_t>(parts), ciphertexts.as<Word>(), products,
                                     *step, write(out), write(exceeded)});
    };
    constexpr bool kMayBeShort = sizeof(Word) == 4;
    if (kMayBeShort && step->is_short)
      recover_by(std::bool_constant<kMayBeShort>());
    else
      recover_by(std::false_type());
    scratch.is_clean();
  });
}

void GpuQueue::automorphism_transformed(const RingTables& ring, ConstWordPtr in, std::uint64_t element,
                                        WordPtr out, std::size_t batch) const {
  inverse_element(ring.n(), element);  // throws unless there is one
  with_word(out.word_bits(), [&]<class Word>(Word) {
    run("automorphism",
        MapTransformed<Word>{grid_of(batch * ring.limbs(), ring.n()), in.as<Word>(), out.as<Word>(), element,
                             ring.spec().output_order == Order::bit_reversed});
  });
}

bool GpuQueue::unpack(const RingTables& ring, std::span<const std::uint8_t> packed, WordPtr out,
                      std::size_t stride, std::size_t batch) const {
  require_not_recording("loading", "it reads the host's bytes when it is called; make arrays before");
  constexpr std::size_t kMostBytes = std::size_t{1} << 26;  // on the card at once, beside the result
  std::size_t begins[kMostLimbs + 1] = {};
  for (std::size_t j = 0; j < ring.limbs(); ++j)
    begins[j + 1] = begins[j] + packed_bytes(ring.n(), ring.spec().moduli[j]);
  const std::size_t bytes = begins[ring.limbs()];
  const std::size_t group = std::clamp<std::size_t>(kMostBytes / bytes, 1, batch);
  Staging& staging = Staging::of(ordinal_);
  for (std::size_t first = 0; first < batch; first += group) {
    poll_interrupt();
    const std::size_t count = std::min(group, batch - first), size = count * bytes;
    DeviceArray place = allocate((size + 7) / 8, 64);
    const auto write_part = [&](void* piece, std::size_t at, std::size_t part) {
      const std::size_t there = std::min(part, size - at);
      std::memcpy(piece, packed.data() + first * bytes + at, there);
      std::memset(static_cast<std::uint8_t*>(piece) + there, 0, part - there);
    };
    staging.upload(place.data().address(), 8 * place.size(), stream(), write_part);
    const std::uint64_t wrong = staging.answer(stream(), [&](std::uint64_t* word) {
      with_word(out.word_bits(), [&]<class Word>(Word) {
        UnpackRows<Word> rows{grid_of(count * ring.limbs(), ring.n()),
                              own<GpuRing>(ring).rows(),
                              place.data().as<std::uint64_t>(),
                              bytes,
                              out.as<Word>() + first * stride,
                              stride,
                              word,
                              {}};
        std::copy(std::begin(begins), std::end(begins), rows.row_bytes);
        run("unpacking", rows);
      });
    });
    if (wrong != 0) return false;
  }
  return true;
}

}  // namespace nttforge::cuda
