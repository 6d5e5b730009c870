// SPDX-License-Identifier: Apache-2.0
// The bounds of docs/bounds/fp64.md, "Sparse centring", followed through the kernels themselves: lanes whose
// doubles are worst cases run the passes, tails and products of the AVX2 kernels for every n, so that each
// decision to centre or not is tested where random values come nowhere near the end of an interval.

#define NTTF_SMALL_KERNELS

#include <bit>
#include <cmath>
#include <vector>

#include "nttforge/cpu/transform/testing_bounds.hpp"
#include "nttforge/cpu/transform/transform_kernels.hpp"
#include "nttforge/ntt/kernels/sixteen/tail_passes.hpp"
#include "nttforge/ntt/twiddles/twiddles.hpp"

using namespace nttforge;
using namespace nttforge::testing;

namespace {

using Kernels = cpu::KernelsOf256<BoundLanes, Emulated32<8>>;
using Plain = Kernels::Fp64;
using Added = Kernels::Fp64Added;

/// The tables of a kernel with what its words stand for: twiddles are at least one, quotients below one half.
class BoundTables {
 public:
  template <class Loops>
  static BoundTables of(unsigned log_n) {
    return BoundTables(log_n, cpu::loops_layout<Loops>());
  }
  const KernelTables<std::uint64_t>& view() const { return view_; }

 private:
  BoundTables(unsigned log_n, const TwiddleLayout& layout) {
    const std::size_t n = std::size_t{1} << log_n;
    const bool values_alone = layout.lanes == LaneTwiddles::vectors_of_values;
    const std::size_t words = 2 * (n - 1) - (values_alone ? n - (n >> layout.log_lanes) : 0);
    const TransformTables<std::uint64_t> tables(Ring::negacyclic, log_n, kPrime,
                                                validated({n, {kPrime}, Ring::negacyclic}).roots[0], layout);
    view_ = tables.view();
    words_.resize(2 * words);
    for (std::size_t i = 0; i < words; ++i) {
      words_[i] = meaning(view_.forward[i]);
      words_[words + i] = meaning(view_.inverse[i]);
    }
    view_.forward = words_.data();
    view_.inverse = words_.data() + words;
    for (std::uint64_t* word : {&view_.scale, &view_.scale_quotient, &view_.product_first[0],
                                &view_.product_first[1], &view_.product_scale[0], &view_.product_scale[1]}) {
      *word = meaning(*word);
    }
  }
  static std::uint64_t meaning(std::uint64_t word) {
    const double size = std::abs(std::bit_cast<double>(word));
    return encode({size >= 1 ? Kind::twiddle : Kind::quotient, 0});
  }

  KernelTables<std::uint64_t> view_;
  std::vector<std::uint64_t> words_;
};

enum class Run { forward, inverse, product, square };

/// What transforms of every n up to 2^largest meet.
template <class Loops, Run run>
Met meet(unsigned largest) {
  met = {};
  const std::uint64_t word = encode({Kind::word, 0});
  for (unsigned log_n = Loops::Passes::kMinLogN; log_n <= largest; ++log_n) {
    const BoundTables tables = BoundTables::of<Loops>(log_n);
    std::vector<std::uint64_t> a(std::size_t{1} << log_n, word), b = a, out(a.size()), work(a.size());
    if constexpr (run == Run::forward) {
      Loops::forward(tables.view(), a.data(), out.data());
    } else if constexpr (run == Run::inverse) {
      Loops::inverse(tables.view(), a.data(), out.data());
    } else {
      static_assert(Loops::Passes::kHasProduct);
      const ValueProduct<std::uint64_t> values{};  // not called: there is a product of blocks
      Loops::product(tables.view(), values, a.data(), run == Run::square ? a.data() : b.data(), out.data(),
                     work.data());
    }
    for (const std::uint64_t v : out) met.strange |= v != word;
  }
  return met;
}

constexpr unsigned kLarge = 16;
constexpr unsigned kSmall = 13;  ///< every number of stages modulo eight, blocks and beyond

/// A product with other constants, which must break a bound.
template <class Base, unsigned stages, unsigned growth>
struct Changed : Base {
  static constexpr unsigned kForwardStages = stages;
  static constexpr unsigned kTailGrowth = growth;
};
/// A product that leaves out the centring of one row in passes of `log` stages.
template <class Base, unsigned log, unsigned stage, int row>
struct Uncentred : Base {
  static_assert(Base::inverse_reduces(log, stage, row));
  static constexpr bool inverse_reduces(unsigned l, unsigned s, int r) {
    return Base::inverse_reduces(l, s, r) && !(l == log && s == stage && r == row);
  }
};

template <Run run, class Butterfly, unsigned radix_log = 2>
bool within() {
  constexpr TailShape kShape{
      .radix_log = radix_log, .columns = 1, .together = 2, .batch = 1, .log_block = 12};
  return meet<TailLoops<Butterfly, kShape>, run>(kSmall).within();
}

template <Run run>
void check_kernels() {
  const Met plain = meet<TailLoops<Plain, Kernels::kFp64Shape>, run>(kLarge);
  const Met added = meet<TailLoops<Added, Kernels::kFp64AddedShape>, run>(kLarge);
  NTTF_CHECK(plain.within() && added.within());
  NTTF_CHECK(plain.value > 7.7 && added.added > 3.8);  // as docs/bounds/fp64.md has it
}

}  // namespace

NTTF_TEST("bounds: 50-bit transforms and products in doubles stay within theirs for every n") {
  check_kernels<Run::forward>();
  check_kernels<Run::product>();
  check_kernels<Run::square>();
  const Met plain = meet<TailLoops<Plain, Kernels::kFp64InverseShape>, Run::inverse>(kLarge);
  const Met added = meet<TailLoops<Added, Kernels::kFp64AddedShape>, Run::inverse>(kLarge);
  NTTF_CHECK(plain.within() && added.within());
  NTTF_CHECK(plain.value < 6.001 && added.value < 4.58);
}

NTTF_TEST("bounds: 50-bit transforms in doubles leave theirs where anything is centred once less") {
  NTTF_CHECK((within<Run::forward, Changed<Plain, 8, 4>>() && within<Run::forward, Changed<Added, 5, 1>>()));
  NTTF_CHECK(!(within<Run::forward, Changed<Plain, 9, 4>, 1>()));
  NTTF_CHECK(!(within<Run::forward, Changed<Plain, 9, 4>>()));
  NTTF_CHECK(!(within<Run::forward, Changed<Plain, 8, 3>>()));
  NTTF_CHECK(!(within<Run::forward, Changed<Plain, 8, 0>>()));
  NTTF_CHECK(!(within<Run::forward, Changed<Added, 6, 1>>()));
  NTTF_CHECK(!(within<Run::inverse, Uncentred<Plain, 1, 0, 0>, 1>()));
  NTTF_CHECK(!(within<Run::inverse, Uncentred<Plain, 2, 0, 0>>()));
  NTTF_CHECK(!(within<Run::inverse, Uncentred<Added, 2, 0, 0>>()));
}
