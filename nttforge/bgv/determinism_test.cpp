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

NTTF_TEST("BGV: frozen bytes, which every later release must write and read") {
  // checksum64 of every object of the transcript. A change here is a change of the format or of the streams.
  constexpr std::uint64_t kFrozen[] = {
      0xadad59ca396109b0u, 0x950a731fd7abd80eu, 0x7b7a242ecfa289fau, 0x8c23f9cb3dba13f3u, 0xd432a4dec821f825u,
      0xb8c159279c56edfdu, 0x542edc551b3803aeu, 0xd8ca5463f9a99aacu, 0xb1e3874376700115u, 0x0951a4254116855cu,
      0x2f44b8fc2ec3ffb3u, 0x73e0372583c53677u, 0x0c31b219f4fc1cd8u, 0x0ed1911c7fc497beu, 0xb0d5213683486455u,
      0xe59f4a54d3df0089u, 0x3b400dc8b903669eu, 0x60dae7efc8ac0462u, 0x615676bad4e33b3fu, 0xf71edfc37732b4b9u,
      0x4c4e6411b34387b5u, 0x652eaf02cf279278u, 0x26a540ccfd251e97u, 0xe74de8d8c016a148u, 0x26fb52d7cf118f26u,
      0x566c7093ce20799au, 0xad3152ace37f42fdu, 0x3660bfdcfd85db41u, 0xf4c667fc0d95be7eu};
  std::vector<std::uint64_t> checksums;
  std::string text;
  for (const Bytes& bytes : transcript<Bgv>(small_parameters(32, 65537, 3, 45), make_cpu_device(1))) {
    checksums.push_back(checksum64(bytes));
    text += std::to_string(checksums.back()) + "u, ";
  }
  if (!std::equal(checksums.begin(), checksums.end(), std::begin(kFrozen), std::end(kFrozen)))
    nttforge::testing::fail(__FILE__, __LINE__, "found " + text);
}

NTTF_TEST("BGV: frozen bytes of a set with several special primes") {
  std::vector<std::uint8_t> checksums;
  for (const Bytes& bytes : transcript<Bgv>(hybrid_parameters(32, 257, 5, 30, 2), make_cpu_device(1)))
    for (std::uint64_t x = checksum64(bytes), i = 0; i < 8; ++i)
      checksums.push_back(static_cast<std::uint8_t>(x >> (8 * i)));
  NTTF_CHECK_EQ(checksum64(checksums), std::uint64_t{0x53c389ca34fd53a7});
}

}  // namespace
}  // namespace nttforge::bgv::testing
