// SPDX-License-Identifier: Apache-2.0
// Products with transformed polynomials that stay, and decryption.
#include "nttforge/cuda/device/gpu_launch.hpp"

namespace nttforge::cuda {

template <class Word>
void GpuQueue::forward_to(const RingTables& ring, const Word* in, Word* out, std::size_t batch) const {
  const std::size_t words = batch * ring.words();
  own<GpuRing>(ring).plan().forward(std::span(in, words), std::span(out, words), stream(),
                                    CallPlaces::promised);
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
void GpuQueue::multiply_parts(const RingTables& ring, const Word* ciphertexts, std::size_t parts,
                              const Word* secret, const Word* square, Word* x, std::size_t batch,
                              WordPtr exceeded) const {
  const std::size_t words = ring.words(), polynomials = (parts - 1) * batch;
  if (batch == 1) {
    forward_to(ring, ciphertexts + words, x, polynomials);
  } else {
    const RowGrid<Word> grid(polynomials * ring.limbs(), ring.n(), {ciphertexts, x});
    run("collecting parts",
        CollectParts<Word>{grid.shape, grid.log_n, grid.step, static_cast<std::uint32_t>(ring.limbs()),
                           static_cast<std::uint32_t>(parts), ciphertexts, x});
    forward(ring, x, polynomials);
  }
  const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {x, secret, square});
  run("multiplying by a secret key",
      MultiplyBySecret<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(), secret,
                             parts == 3 ? square : nullptr, x, write(exceeded)});
  inverse(ring, x, batch);
}

template void GpuQueue::multiply_parts(const RingTables&, const std::uint64_t*, std::size_t,
                                       const std::uint64_t*, const std::uint64_t*, std::uint64_t*,
                                       std::size_t, WordPtr) const;
template void GpuQueue::multiply_parts(const RingTables&, const std::uint32_t*, std::size_t,
                                       const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                                       std::size_t, WordPtr) const;

void GpuQueue::phase(const RingTables& ring, ConstWordPtr ciphertexts, std::size_t parts, ConstWordPtr secret,
                     ConstWordPtr square, WordPtr out, std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const auto add_to = [&](const Word* products) {
      const RowGrid<Word> grid(batch * ring.limbs(), ring.n(),
                               {products, ciphertexts.address(), out.address()});
      run("adding first parts",
          AddFirstParts<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(),
                              static_cast<std::uint32_t>(parts), ciphertexts.as<Word>(), products,
                              out.as<Word>()});
    };
    if (parts == 2) {
      multiply_parts<Word>(ring, ciphertexts.as<Word>(), parts, secret.as<Word>(), nullptr, out.as<Word>(),
                           batch, nullptr);
      return add_to(out.as<Word>());
    }
    Scratch scratch(*this, (parts - 1) * batch * ring.words(), out.word_bits());
    Word* const x = scratch.data().template as<Word>();
    multiply_parts<Word>(ring, ciphertexts.as<Word>(), parts, secret.as<Word>(), square.as<Word>(), x, batch,
                         nullptr);
    add_to(x);  // the products are wiped
  });
}

void GpuQueue::decrypt(const RingTables& ring, const StepTables& recover, ConstWordPtr ciphertexts,
                       std::size_t parts, ConstWordPtr secret, ConstWordPtr square, WordPtr out,
                       std::size_t batch, WordPtr exceeded) const {
  const StepConstants* const step = own<GpuStep>(recover).constants().recovery();
  if (step == nullptr || step->sources != ring.limbs())
    return Queue::decrypt(ring, recover, ciphertexts, parts, secret, square, out, batch, exceeded);
  with_word(ciphertexts.word_bits(), [&]<class Word>(Word) {
    Scratch scratch(*this, (parts - 1) * batch * ring.words(), ciphertexts.word_bits());
    Word* const x = scratch.data().template as<Word>();
    multiply_parts<Word>(ring, ciphertexts.as<Word>(), parts, secret.as<Word>(), square.as<Word>(), x, batch,
                         exceeded);
    run("recovering plaintexts", RecoverPlain<Word>{grid_of(batch, ring.n()), own<GpuRing>(ring).rows(),
                                                    static_cast<std::uint32_t>(parts), ciphertexts.as<Word>(),
                                                    x, *step, write(out), write(exceeded)});
    scratch.is_clean();  // but for transforms of the ciphertext's own parts
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

}  // namespace nttforge::cuda
