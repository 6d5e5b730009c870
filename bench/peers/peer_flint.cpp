// SPDX-License-Identifier: Apache-2.0
// FLINT's fft_small: cyclic transforms of doubles, in its own order and range, the inverse without 1/n. The
// prime is the first one FLINT itself takes for its 50-bit transforms.

#include "bench/peers/flint_shim.h"
#include "bench/peers/peer.hpp"
#include "nttforge/base/memory/aligned_buffer.hpp"

using namespace nttforge;

namespace {

constexpr std::uint64_t kPrime = 0x0003f00000000001;

void verify(FlintTransform* transform, std::size_t n, double* x, double* y) {
  const auto a = bench::random_residues(n, kPrime, 1), b = bench::random_residues(n, kPrime, 2);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = static_cast<double>(a[i]);
    y[i] = static_cast<double>(b[i]);
  }
  flint_transform_forward(transform, x);
  flint_transform_forward(transform, y);
  flint_transform_multiply(transform, x, y);
  flint_transform_inverse(transform, x);
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n - 1}) {
    if (flint_transform_reduce(transform, x[k]) != bench::product_coefficient(a, b, k, kPrime, false)) {
      throw Error("wrong product at n = " + std::to_string(n) + ": not timed");
    }
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(a[i]);
}

void run(const bench::PeerOptions& options) {
  bench::PeerReport report("flint", flint_library_version());
  for (unsigned log_n = options.min_log_n; log_n <= options.max_log_n; ++log_n) {
    const std::size_t n = std::size_t{1} << log_n;
    FlintTransform* transform = flint_transform_create(kPrime, log_n);
    AlignedBuffer<double> x(n), y(n);
    verify(transform, n, x.data(), y.data());
    const auto forward = options.repetition.time([&] { flint_transform_forward(transform, x.data()); });
    report.transform(50, kPrime, n, "cyclic", "avx2", "forward", forward);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i);
    const auto inverse = options.repetition.time([&] { flint_transform_inverse(transform, x.data()); });
    report.transform(50, kPrime, n, "cyclic", "avx2", "inverse unscaled", inverse);
    flint_transform_destroy(transform);
  }
  report.write(options.json);
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_flint", [&] {
    bench::PeerOptions options;
    options.parse(count, arguments);
    run(options);
  });
}
