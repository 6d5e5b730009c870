// SPDX-License-Identifier: Apache-2.0
// One seed, one answer, and frozen bytes.

#include <algorithm>
#include <string>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/bgv/testing.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/integer_encoding/testing_transcript.hpp"

namespace nttforge::bgv::testing {
namespace {

NTTF_TEST("BGV: the same bytes on the reference device, every target and thread count, and GPUs") {
  const Parameters sets[] = {small_parameters(32, 65537, 3, 45),
                             small_parameters(64, 2, 1, 61),
                             small_parameters(256, 12289, 4, 31),
                             small_parameters(16, 1000, 4, 55),
                             hybrid_parameters(32, 257, 5, 45, 2),
                             hybrid_parameters(16, 2, 7, 30, 3),
                             hybrid_parameters(16, 1000, 5, 61, 4, 3),
                             hybrid_parameters(16, 97, 3, 40, 2, 1),
                             narrow_preset(4096)};
  check_same_bytes<Bgv>(sets);
}

NTTF_TEST("BGV: words of 32 bits change no result") {
  check_narrow_words<Bgv>(small_parameters(64, 257, 4, 31));
  check_narrow_words<Bgv>(small_parameters(16, 1000, 4, 32));
  check_narrow_words<Bgv>(hybrid_parameters(64, 257, 7, 30, 3));
  check_narrow_words<Bgv>(hybrid_parameters(32, 97, 5, 28, 2));
}

NTTF_TEST("BGV: frozen bytes, in values and in coefficients, which every later release must write and read") {
  // checksum64 of every object of the transcript. A change here is a change of the format or of the streams.
  constexpr std::uint64_t kFrozen[] = {
      0x9a8fb45b9133b525u, 0xdfa0e7aeb6b76f94u, 0x3e0900eb3fa99203u, 0xa657e5fe1a4a3691u, 0x1e302b0990edd253u,
      0xf063ba6cda190195u, 0xecd7f03ce230e0fau, 0x8a8442fc81dd45b4u, 0x02528437534d9589u, 0x72fc4196b8c1e37bu,
      0x099d2f24f8e580bau, 0x7f07dea0febb68c0u, 0x91067765c0b44150u, 0x5b4ebe3fe0cfa11fu, 0xd5bc32fca898767au,
      0xc8004630f336591au, 0x5f8f0457eb8af0cfu, 0xfe91207f3b9632bau, 0x0d55b74d49179231u, 0x4f2a8b09f773db1cu,
      0x562af2804d011e4au, 0xac3e2c4a959e88bfu, 0x990b35ac670fac83u, 0x0ae062cbb53a76deu, 0x61d5119a8b2aab3fu,
      0x147aa724a073c5b2u, 0x2bebfdb124bcb1a1u, 0x4b389e0e511cdecdu, 0xe2de80a97d01d268u};
  const auto found = [](std::optional<Form> form) {
    return transcript<Bgv>(small_parameters(32, 65537, 3, 45), make_cpu_device(1), form);
  };
  check_frozen(found(Form::coefficients), kFrozen);
  NTTF_CHECK_EQ(checksum_of_all(found({})), std::uint64_t{0x9c95bd5aaf322086});
}

NTTF_TEST("BGV: frozen bytes of a set with several special primes") {
  NTTF_CHECK_EQ(checksum_of_all(transcript<Bgv>(hybrid_parameters(32, 257, 5, 30, 2), make_cpu_device(1),
                                                Form::coefficients)),
                std::uint64_t{0xfa722fd732f4fd4a});
}

}  // namespace
}  // namespace nttforge::bgv::testing
