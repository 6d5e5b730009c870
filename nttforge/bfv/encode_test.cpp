// SPDX-License-Identifier: Apache-2.0
#include "nttforge/integer_encoding/encode.hpp"

#include <limits>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/coefficient_encoder.hpp"

namespace nttforge::bfv::testing {
namespace {

NTTF_TEST("encode without branches: what is below t, at every edge of a word") {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  for (std::uint64_t t :
       {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{65537}, (kTop >> 3) - 1, kTop >> 1}) {
    for (std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, t / 2, t - 1, t, t + 1, 2 * t, kTop - 1, kTop, kTop + 1,
          kTop + t - 1, kTop + t, ~std::uint64_t{0} - t, ~std::uint64_t{0}}) {
      const std::vector<std::uint64_t> values{0, value, t - 1};
      std::vector<std::uint64_t> out(3);
      NTTF_CHECK_EQ(copy_below(values, t, out.data()), value < t);
      NTTF_CHECK(out == values);
    }
  }
}

NTTF_TEST("encode without branches: centred values by the definition") {
  Rng rng;
  for (std::uint64_t t : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{65537},
                          (std::uint64_t{1} << 60) - 1}) {
    std::vector<std::uint64_t> values{0, 1, t / 2, (t - 1) / 2, (t - 1) / 2 + (t > 2 ? 1u : 0u), t - 1};
    for (int i = 0; i < 50; ++i) values.push_back(rng.below(t));
    std::vector<std::int64_t> out(values.size());
    centre(values, t, out);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<std::int64_t>(values[i]);
      NTTF_CHECK_EQ(out[i], t > 2 && values[i] > (t - 1) / 2 ? value - static_cast<std::int64_t>(t) : value);
    }
  }
}

NTTF_TEST("encode without branches: signed values at the edges of their range and of a word") {
  for (std::uint64_t t : {std::uint64_t{97}, std::uint64_t{64}, (std::uint64_t{1} << 59) + 21}) {
    const ContextPtr context = Context::create(small_parameters(16, t, 3, 45), make_cpu_device(1));
    const auto low = -static_cast<std::int64_t>(t / 2), high = static_cast<std::int64_t>((t - 1) / 2);
    const auto check = [&](std::int64_t value) {
      const std::vector<std::int64_t> values{high, value, low};
      DeviceArray words = context->queue().allocate(16);
      const auto upload = [&] {
        upload_values(*context, std::span<const std::int64_t>(values), 1, words.data());
      };
      if (value < low || value > high) {
        NTTF_CHECK_THROWS(upload(), ParameterError,
                          "values[1] = " + std::to_string(value) + " is out of range");
        return;
      }
      upload();
      std::vector<std::uint64_t> found(16);
      context->queue().download(words.data(), found);
      for (std::size_t i = 0; i < values.size(); ++i)
        NTTF_CHECK_EQ(found[i], static_cast<std::uint64_t>(values[i]) + (values[i] < 0 ? t : 0));
    };
    for (std::int64_t value :
         {std::numeric_limits<std::int64_t>::min(), low - 1, low, std::int64_t{-1}, std::int64_t{0}, high,
          high + 1, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min() + high,
          std::numeric_limits<std::int64_t>::max() + low})
      check(value);
  }
}

NTTF_TEST("encode: a value that was out of range when it was read, and is not any more, is refused") {
  const ContextPtr context = Context::create(small_parameters(16, 97, 3, 45), make_cpu_device(1));
  DeviceArray words = context->queue().allocate(16);
  // The words are their own destination, as if another thread wrote there: -49 becomes -49 + 97 = 48.
  const std::span<const std::int64_t> values(words.data().as<std::int64_t>(), 16);
  const std::vector<std::uint64_t> wrong(16, static_cast<std::uint64_t>(-49));
  context->queue().upload(wrong, words.data());
  NTTF_CHECK_THROWS(upload_values(*context, values, 1, words.data()), ParameterError,
                    "values changed while they were looked at: wait for whoever writes them");
}

}  // namespace
}  // namespace nttforge::bfv::testing
