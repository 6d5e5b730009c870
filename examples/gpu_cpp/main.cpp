// SPDX-License-Identifier: Apache-2.0
// A GPU from plain C++: no CUDA headers, no CUDA compiler. Multiplies polynomials modulo X^n + 1 and each of
// four primes on the first card, and compares with the CPU engine. Without a GPU it says why, and runs the
// same kernels on the host if the library has been built with -DNTTFORGE_CUDA_HOST=ON.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "nttforge/arith/primes.hpp"
#include "nttforge/cuda/memory.hpp"
#include "nttforge/cuda/plan.hpp"
#include "nttforge/ntt/plan.hpp"

namespace {

std::span<std::uint64_t> words(const nttforge::cuda::CudaBuffer& buffer) {
  return {static_cast<std::uint64_t*>(buffer.data()), buffer.bytes() / 8};
}

int run() {
  using namespace nttforge;
  const bool gpu = cuda::device_count() > 0;
  if (!gpu) std::printf("no GPU here: %s\n", cuda::why_unavailable().c_str());
  if (!gpu && !cuda::host_in_this_build()) return 0;
  const int device = gpu ? 0 : cuda::kHost;
  const std::size_t n = 4096, batch = 2;
  const cuda::CudaNttPlan plan({.n = n, .moduli = ntt_primes(n, 60, 4)}, device);
  std::printf("%s: %s\n", cuda::describe_device(device).name.c_str(), plan.recipe().to_json().c_str());

  const std::size_t count = batch * plan.limbs() * n;
  std::vector<std::uint64_t> a(count), b(count), got(count), want(count), work(count);
  for (std::size_t i = 0; i < count; ++i) a[i] = i * i, b[i] = 7 * i + 1;
  const cuda::CudaBuffer x(device, 8 * count), y(device, 8 * count), workspace(device, 8 * count);
  x.from_host(a.data());
  y.from_host(b.data());
  plan.polynomial_product(words(x), words(y), words(x), words(workspace));  // enqueued in the default stream
  x.to_host(got.data());                                                    // waits for it

  NttPlan(plan.spec()).polynomial_product(a, b, want, work);
  std::printf("product[5] = %llu, %s\n", static_cast<unsigned long long>(got[5]),
              got == want ? "as on the CPU" : "NOT as on the CPU");
  return got == want ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
}
