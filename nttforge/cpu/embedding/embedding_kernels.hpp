// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "nttforge/base/macros.hpp"
#include "nttforge/cpu/lanes/lanes_real.hpp"
#include "nttforge/embedding/kernels.hpp"

// Transforms of messages, written once over vectors of kWidth doubles of the compiler's. Each number goes
// through the operations that Embedding has for one, in their order; files are compiled without contraction.

namespace nttforge::cpu {
namespace {

// A page loads every byte: what many places share is a function there.
#if defined(__wasm__)
#define NTTF_SHARED __attribute__((noinline))
#else
#define NTTF_SHARED NTTF_INLINE
#endif

// Numbers of both kinds, as in arith/double_double.hpp.

template <class L>
struct Doubles {
  using Vec = typename L::Vec;
  struct Number {
    Vec hi;
  };
  static constexpr std::size_t kParts = 1;
  static NTTF_INLINE Number add(const Number& a, const Number& b) { return {a.hi + b.hi}; }
  static NTTF_INLINE Number sub(const Number& a, const Number& b) { return {a.hi - b.hi}; }
  static NTTF_INLINE Number multiply(const Number& a, const Number& b) { return {a.hi * b.hi}; }
  /// x at the place, `apart` doubles before its lower part.
  static NTTF_INLINE Number load(const double* at, std::size_t) { return {L::load(at)}; }
  static NTTF_INLINE void store(double* at, std::size_t, const Number& x) { L::store(at, x.hi); }
  static NTTF_INLINE Number all(const DoubleDouble& x) { return {L::all(x.hi)}; }
  static NTTF_INLINE Number sum_of(Vec hi, Vec lo) { return {hi + lo}; }
};

template <class L>
struct DoubleDoubles {
  using Vec = typename L::Vec;
  struct Number {
    Vec hi, lo;
  };
  static constexpr std::size_t kParts = 2;
  static NTTF_INLINE Number fast_two_sum(Vec a, Vec b) {
    const Vec total = a + b;
    return {total, b - (total - a)};
  }
  static NTTF_INLINE Number sum_of(Vec a, Vec b) {
    const Vec total = a + b, part = total - a;
    return {total, (a - (total - part)) + (b - part)};
  }
  static NTTF_INLINE Number add(const Number& a, const Number& b) {
    const Number sum = sum_of(a.hi, b.hi);
    return fast_two_sum(sum.hi, sum.lo + (a.lo + b.lo));
  }
  static NTTF_INLINE Number sub(const Number& a, const Number& b) { return add(a, {-b.hi, -b.lo}); }
  static NTTF_SHARED Number multiply(const Number& a, const Number& b) {
    const Vec product = a.hi * b.hi, error = L::rest(a.hi, b.hi, product);
    const Vec cross = a.hi * b.lo + a.lo * b.hi;
    return fast_two_sum(product, error + cross);
  }
  static NTTF_INLINE Number load(const double* at, std::size_t apart) {
    return {L::load(at), L::load(at + apart)};
  }
  static NTTF_INLINE void store(double* at, std::size_t apart, const Number& x) {
    L::store(at, x.hi);
    L::store(at + apart, x.lo);
  }
  static NTTF_INLINE Number all(const DoubleDouble& x) { return {L::all(x.hi), L::all(x.lo)}; }
};

template <std::size_t kWidth, template <class> class Arithmetic>
struct Embedded {
  using L = RealLanes<kWidth>;
  using A = Arithmetic<L>;
  using Vec = typename L::Vec;
  using Bits = typename L::Bits;
  using Number = typename A::Number;
  static constexpr std::size_t kLanes = kEmbeddingLanes, kChunks = kLanes / kWidth;
  static constexpr double kWhole = 0x1p52, kFew = 0x1.8p52;
  /// Layers of a pass: their numbers stay in registers.
  static constexpr unsigned kLayers = kWidth == 8 && A::kParts == 1 ? 3 : 2;
  /// Rows whose first passes follow each other.
  static constexpr std::size_t kBlock = std::size_t{1} << (2 * kLayers);

  struct Complex {
    Number re, im;
  };

  static NTTF_INLINE void inverse_butterfly(Complex& a, Complex& b, const Complex& w) {
    const Number x = A::sub(a.re, b.re), y = A::sub(a.im, b.im);
    a.re = A::add(a.re, b.re);
    a.im = A::add(a.im, b.im);
    b.re = A::add(A::multiply(x, w.re), A::multiply(y, w.im));
    b.im = A::sub(A::multiply(y, w.re), A::multiply(x, w.im));
  }
  static NTTF_INLINE void forward_butterfly(Complex& a, Complex& b, const Complex& w) {
    const Number x = A::sub(A::multiply(b.re, w.re), A::multiply(b.im, w.im));
    const Number y = A::add(A::multiply(b.re, w.im), A::multiply(b.im, w.re));
    b.re = A::sub(a.re, x);
    b.im = A::sub(a.im, y);
    a.re = A::add(a.re, x);
    a.im = A::add(a.im, y);
  }

  /// Butterflies of 2^kLog numbers below node `node` of a heap; root(i) is that of node i.
  template <unsigned kLog, bool kForward, class Root>
  static NTTF_INLINE void butterflies(Complex* x, std::size_t node, const Root& root) {
    constexpr std::size_t kCount = std::size_t{1} << kLog;
#pragma GCC unroll 4
    for (unsigned step = 0; step < kLog; ++step) {
      const unsigned log_half = kForward ? kLog - 1 - step : step;
      const std::size_t half = std::size_t{1} << log_half, nodes = kCount / (2 * half);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < nodes; ++i) {
        const Complex w = root(node * nodes + i);
#pragma GCC unroll 4
        for (std::size_t j = 2 * half * i; j < 2 * half * i + half; ++j) {
          if constexpr (kForward)
            forward_butterfly(x[j], x[j + half], w);
          else
            inverse_butterfly(x[j], x[j + half], w);
        }
      }
    }
  }

  /// The places of a message, and how far apart their lower parts are.
  struct Places {
    double *re, *im;
    std::size_t apart;
    explicit Places(double* scratch, std::size_t slots)
        : re(scratch), im(scratch + slots), apart(2 * slots) {}
    NTTF_INLINE Complex load(std::size_t at) const {
      return {A::load(re + at, apart), A::load(im + at, apart)};
    }
    NTTF_INLINE void store(std::size_t at, const Complex& x) const {
      A::store(re + at, apart, x.re);
      A::store(im + at, apart, x.im);
    }
  };

  static NTTF_INLINE Number root_part(const double* hi, const double* lo, std::size_t at) {
    if constexpr (A::kParts == 1)
      return {L::load(hi + at)};
    else
      return {L::load(hi + at), L::load(lo + at)};
  }

  /// kLog layers of rows begin ... end - 1, h rows apart, h 2^kLog of them by h 2^kLog; total: rows of all.
  template <unsigned kLog, bool kForward>
  static NTTF_SHARED void pass(const EmbeddingRows& rows, const Places& places, std::size_t begin,
                               std::size_t end, std::size_t h, std::size_t total) {
    constexpr std::size_t kCount = std::size_t{1} << kLog;
    for (std::size_t base = begin; base < end; base += h * kCount) {
      const std::size_t node = (total + base) / (h * kCount);
      for (std::size_t row = base; row < base + h; ++row)
        for (std::size_t lane = 0; lane < kLanes; lane += kWidth) {
          Complex x[kCount];
#pragma GCC unroll 8
          for (std::size_t i = 0; i < kCount; ++i) x[i] = places.load((row + i * h) * kLanes + lane);
          butterflies<kLog, kForward>(x, node, [&](std::size_t i) NTTF_LAMBDA_INLINE {
            const std::size_t at = i * kLanes + lane;
            return Complex{root_part(rows.roots[0], rows.roots[2], at),
                           root_part(rows.roots[1], rows.roots[3], at)};
          });
#pragma GCC unroll 8
          for (std::size_t i = 0; i < kCount; ++i) places.store((row + i * h) * kLanes + lane, x[i]);
        }
    }
  }

  /// Layers whose numbers are h ... end_h / 2 rows apart, in passes. Forward they begin with the last.
  template <bool kForward>
  static NTTF_INLINE void passes(const EmbeddingRows& rows, const Places& places, std::size_t begin,
                                 std::size_t end, std::size_t h, std::size_t end_h, std::size_t total) {
    if constexpr (kForward) {
      while (end_h >> kLayers >= h) {
        end_h >>= kLayers;
        pass<kLayers, true>(rows, places, begin, end, end_h, total);
      }
      if (kLayers == 3 && end_h / 4 >= h) {
        end_h /= 4;
        pass<2, true>(rows, places, begin, end, end_h, total);
      }
      if (end_h / 2 >= h) pass<1, true>(rows, places, begin, end, h, total);
    } else {
      for (; h << kLayers <= end_h; h <<= kLayers) pass<kLayers, false>(rows, places, begin, end, h, total);
      if (kLayers == 3 && 4 * h <= end_h) {
        pass<2, false>(rows, places, begin, end, h, total);
        h *= 4;
      }
      if (2 * h <= end_h) pass<1, false>(rows, places, begin, end, h, total);
    }
  }

  static NTTF_INLINE Complex joining_root(const EmbeddingRows& rows, std::size_t i) {
    return {A::all({rows.roots[0][i], A::kParts == 1 ? 0 : rows.roots[2][i]}),
            A::all({rows.roots[1][i], A::kParts == 1 ? 0 : rows.roots[3][i]})};
  }

  /// kWidth rows, lane by lane, or back.
  static NTTF_SHARED void turn(Number* x) {
#pragma GCC unroll 4
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      Vec part[kWidth];
#pragma GCC unroll 2
      for (std::size_t which = 0; which < A::kParts; ++which) {
        const auto of = [&](std::size_t i) NTTF_LAMBDA_INLINE -> Vec& {
          if constexpr (A::kParts == 1)
            return x[chunk * kWidth + i].hi;
          else
            return which == 0 ? x[chunk * kWidth + i].hi : x[chunk * kWidth + i].lo;
        };
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWidth; ++i) part[i] = of(i);
        L::transpose(part);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kWidth; ++i) of(i) = part[i];
      }
    }
  }

  // Rounding to nearest, ties to even.

  /// Behind the point nothing is left of a sum in [2^52, 2^53).
  static NTTF_INLINE Vec whole(Vec x) {
    const Vec offset = L::real_of(L::bits_of(L::all(kWhole)) | (L::bits_of(x) & L::all_bits(INT64_MIN)));
    const Vec rounded = (x + offset) - offset;
    const Bits small = L::magnitude(x) < L::all(kWhole);
    return L::real_of((L::bits_of(rounded) & small) | (L::bits_of(x) & ~small));
  }
  /// Any x below 2^51.
  static NTTF_INLINE Bits few_bits(Vec x) { return L::bits_of(x + L::all(kFew)) - L::bits_of(L::all(kFew)); }
  /// Whole x below 2^63: its parts of 32 bits are exact.
  static NTTF_INLINE Bits whole_bits(Vec x) {
    const Vec upper = (x * L::all(0x1p-32) + L::all(kFew)) - L::all(kFew);
    return (few_bits(upper) << 32) + few_bits(x - upper * L::all(0x1p32));
  }
  template <bool kFewBits>
  static NTTF_INLINE Bits nearest_integer(const Number& x) {
    if constexpr (kFewBits && A::kParts == 1) {
      return few_bits(x.hi);
    } else if constexpr (A::kParts == 1) {
      return whole_bits(whole(x.hi));
    } else {
      const Vec hi = whole(x.hi);
      return whole_bits(hi) + whole_bits(whole((x.hi - hi) + x.lo));
    }
  }

  enum class As { few, words, real };

  /// One part of what the last pass gives.
  template <As kAs>
  static NTTF_SHARED void write(const EncodeTask& task, const Number& factor, std::size_t at, Number x,
                                Bits& inside) {
    x = A::multiply(x, factor);
    inside &= L::magnitude(x.hi) < L::all(0x1p126);
    if constexpr (kAs == As::real) {
      A::store(task.out_real + at, 2 * task.rows.slots, x);
    } else {
      const Bits word = nearest_integer<kAs == As::few>(x);
      L::store_bits(task.out + at, word + (L::all_bits(static_cast<std::int64_t>(task.t)) & (word < Bits{})));
    }
  }

  template <As kAs>
  static NTTF_INLINE bool join(const EncodeTask& task) {
    const std::size_t slots = task.rows.slots, rows = slots / kLanes;
    const Places places(task.scratch, slots);
    const Number factor = A::all(task.factor);
    Bits inside = L::all_bits(-1);
    for (std::size_t row = 0; row < rows; row += kWidth) {
      Number re[kLanes], im[kLanes];
      Complex x[kLanes];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) {
        const std::size_t at = (row + i % kWidth) * kLanes + i / kWidth * kWidth;
        re[i] = A::load(places.re + at, places.apart);
        im[i] = A::load(places.im + at, places.apart);
      }
      turn(re);
      turn(im);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = {re[i], im[i]};
      butterflies<3, false>(x, 1,
                            [&](std::size_t i) NTTF_LAMBDA_INLINE { return joining_root(task.rows, i); });
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) {
        write<kAs>(task, factor, i * rows + row, x[i].re, inside);
        write<kAs>(task, factor, slots + i * rows + row, x[i].im, inside);
      }
    }
    bool all = true;
    for (std::size_t i = 0; i < kWidth; ++i) all &= inside[i] != 0;
    return all;
  }

  static NTTF_INLINE void place(const EncodeTask& task, const Places& places, std::size_t first,
                                std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const std::size_t slot = task.rows.slot[at];
      const bool there = slot < task.length;
      places.re[at] = there ? task.values[task.parts * slot] : 0;
      places.im[at] = there && task.parts == 2 ? task.values[2 * slot + 1] : 0;
      if constexpr (A::kParts == 2) places.re[at + places.apart] = places.im[at + places.apart] = 0;
    }
  }
  static NTTF_INLINE void place_all(const EncodeTask& task, const Places& places, std::size_t first,
                                    std::size_t last) {
    for (std::size_t at = first; at < last; ++at) {
      const std::size_t slot = task.rows.slot[at];
      places.re[at] = task.values[2 * slot];
      places.im[at] = task.values[2 * slot + 1];
      if constexpr (A::kParts == 2) places.re[at + places.apart] = places.im[at + places.apart] = 0;
    }
  }

  static bool encode(const EncodeTask& task) {
    const std::size_t rows = task.rows.slots / kLanes, block = kBlock < rows ? kBlock : rows;
    const Places places(task.scratch, task.rows.slots);
    for (std::size_t first = 0; first < rows; first += block) {
      const std::size_t last = first + block;
      if (task.parts == 2 && task.length == task.rows.slots)
        place_all(task, places, first * kLanes, last * kLanes);
      else
        place(task, places, first * kLanes, last * kLanes);
      passes<false>(task.rows, places, first, last, 1, block, rows);
    }
    passes<false>(task.rows, places, 0, rows, block, rows, rows);
    if (task.t == 0) return join<As::real>(task);
    return task.few ? join<As::few>(task) : join<As::words>(task);
  }

  /// An integer below 2^62, rounded to a number.
  static NTTF_INLINE Number number_of(Bits x, std::int64_t q, std::int64_t half) {
    x -= L::all_bits(q) & (x > L::all_bits(half));
    const Bits upper = (x >> 32) + L::bits_of(L::all(kFew)),
               lower = (x & L::all_bits(0xFFFFFFFF)) | L::bits_of(L::all(kWhole));
    return A::sum_of((L::real_of(upper) - L::all(kFew)) * L::all(0x1p32), L::real_of(lower) - L::all(kWhole));
  }

  template <bool kReal>
  static NTTF_INLINE void part(const DecodeTask& task, const Places& places) {
    const std::size_t slots = task.rows.slots, rows = slots / kLanes;
    const auto q = static_cast<std::int64_t>(task.q), half = q == 0 ? INT64_MAX : (q - 1) / 2;
    const auto read = [&](std::size_t at) NTTF_LAMBDA_INLINE -> Number {
      if constexpr (kReal)
        return A::load(task.real + at, 2 * slots);
      else
        return number_of(L::load_bits(task.integers + at), q, half);
    };
    for (std::size_t row = 0; row < rows; row += kWidth) {
      Complex x[kLanes];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) x[i] = {read(i * rows + row), read(slots + i * rows + row)};
      butterflies<3, true>(x, 1,
                           [&](std::size_t i) NTTF_LAMBDA_INLINE { return joining_root(task.rows, i); });
      Number re[kLanes], im[kLanes];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) re[i] = x[i].re, im[i] = x[i].im;
      turn(re);
      turn(im);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i)
        places.store((row + i % kWidth) * kLanes + i / kWidth * kWidth, {re[i], im[i]});
    }
  }

  static void decode(const DecodeTask& task) {
    const std::size_t rows = task.rows.slots / kLanes, block = kBlock < rows ? kBlock : rows;
    const Places places(task.scratch, task.rows.slots);
    if (task.real != nullptr)
      part<true>(task, places);
    else
      part<false>(task, places);
    passes<true>(task.rows, places, 0, rows, block, rows, rows);
    const Number factor = A::all(task.factor);
    for (std::size_t first = 0; first < rows; first += block) {
      passes<true>(task.rows, places, first, first + block, 1, block, rows);
      for (std::size_t at = first * kLanes; at < (first + block) * kLanes; at += kWidth) {
        const Complex x = places.load(at);
        const Vec re = A::multiply(x.re, factor).hi, im = task.is_real ? Vec{} : A::multiply(x.im, factor).hi;
        for (std::size_t i = 0; i < kWidth; ++i) {
          double* const out = task.out + 2 * std::size_t{task.rows.slot[at + i]};
          out[0] = re[i];
          out[1] = im[i];
        }
      }
    }
  }
};

template <std::size_t kWidth>
EmbeddedRange embedded_range(const double* values, std::size_t count, unsigned parts) {
  using L = RealLanes<kWidth>;
  using Vec = typename L::Vec;
  Vec largest[2] = {}, nothing[2] = {};
  const std::size_t numbers = count * parts;
  std::size_t i = 0;
  for (; i + 2 * kWidth <= numbers; i += 2 * kWidth)
    for (std::size_t k = 0; k < 2; ++k) {
      const Vec x = L::load(values + i + k * kWidth), size = L::magnitude(x);
      largest[k] = size > largest[k] ? size : largest[k];
      nothing[k] += x * L::all(0);
    }
  double sizes[2] = {}, sum = 0;
  const auto take = [&](std::size_t at, double size) NTTF_LAMBDA_INLINE {
    double& most = sizes[parts == 2 ? at % 2 : 0];
    most = size > most ? size : most;
  };
  for (std::size_t lane = 0; lane < kWidth; ++lane)
    for (std::size_t k = 0; k < 2; ++k) {
      take(lane, largest[k][lane]);
      sum += nothing[k][lane];
    }
  for (; i < numbers; ++i) {
    take(i, __builtin_fabs(values[i]));
    sum += values[i] * 0;
  }
  return {sizes[0], sizes[1], sum == 0};
}

template <std::size_t kWidth>
void lift_integers(const std::uint64_t* values, std::uint64_t last, std::uint64_t offset, std::uint64_t* out,
                   std::size_t count) {
  using L = RealLanes<kWidth>;
  using Bits = typename L::Bits;
  const Bits limit = L::all_bits(static_cast<std::int64_t>(last)),
             more = L::all_bits(static_cast<std::int64_t>(offset));
  std::size_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const Bits x = L::load_bits(values + i);
    L::store_bits(out + i, x + (more & (x > limit)));
  }
  for (; i < count; ++i) out[i] = values[i] + (offset & (std::uint64_t{0} - ((last - values[i]) >> 63)));
}

template <std::size_t kWidth>
struct EmbeddingKernelsOf {
  using Real = Embedded<kWidth, Doubles>;
  using Wide = Embedded<kWidth, DoubleDoubles>;
  static constexpr EmbeddingKernels table() {
    return {&embedded_range<kWidth>,
            {&Real::encode, &Wide::encode},
            {&Real::decode, &Wide::decode},
            &lift_integers<kWidth>};
  }
};

}  // namespace
}  // namespace nttforge::cpu
