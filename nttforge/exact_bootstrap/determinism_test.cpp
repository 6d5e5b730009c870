// SPDX-License-Identifier: Apache-2.0
// One seed, one answer: the bytes of a bootstrap on every device.

#include <string_view>

#include "nttforge/base/text/bytes.hpp"
#include "nttforge/device/testing.hpp"
#include "nttforge/device/testing_reference.hpp"
#include "nttforge/exact_bootstrap/testing.hpp"
#include "nttforge/integer_encoding/serialize.hpp"
#include "nttforge/rlwe/serialize.hpp"

namespace nttforge::exact_bootstrap::testing {
namespace {

template <class Scheme>
std::uint64_t checksum_of_bootstrap(const BootstrapSet& set, std::shared_ptr<const Device> device) {
  const PartyOf<Scheme> party(parameters_of<Scheme>(set), std::move(device));
  const Bootstrapper bootstrapper(party.context, set.options);
  const BootstrapKeys keys = bootstrapper.make_keys(party.generator.secret_key(), test_seed(2));
  Values values(2 * set.n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i * i % set.t;
  const CoefficientEncoder encoder(party.context);
  const Ciphertext x = party.encryptor.encrypt(encoder.encode(values, 2), test_seed(3), 0);
  const Ciphertext y = bootstrapper.bootstrap(x, keys);
  // Bytes of keys are the same everywhere, also of keys that are in host memory.
  const std::vector<std::uint8_t> bytes = to_bytes(bootstrapper, keys);
  NTTF_CHECK_EQ(bytes.size(), serialized_size(bootstrapper));
  NTTF_CHECK(to_bytes(bootstrapper, bootstrap_keys_from_bytes(bootstrapper, bytes, 1)) == bytes);
  NTTF_CHECK(encoder.decode(party.decryptor.decrypt(y)) == values);
  std::vector<std::uint8_t> all = to_bytes(y);
  all.insert(all.end(), bytes.begin(), bytes.end());
  return checksum64(all);
}

NTTF_TEST(
    "exact bootstrap: the same bytes on the reference device, every target and thread count, and GPUs") {
  std::vector<std::shared_ptr<const Device>> devices = nttforge::testing::gpu_devices();
  devices.push_back(nttforge::testing::make_reference_device());
  for (const Target target : kAllTargets)
    if (target_available(target))
      for (const unsigned threads : {1u, 2u}) devices.push_back(make_cpu_device(threads, target));
  for (const char* name : {"exact16", "exact16w", "exact15"}) {
    if (name == std::string_view("exact15") && !nttforge::testing::full_tests()) continue;
    const BootstrapSet set = bootstrap_preset(name, 65537, 2, 7),
                       fine = bootstrap_preset(name, 65537, 2, 7, Scheme::bgv);
    const std::uint64_t bfv = checksum_of_bootstrap<Bfv>(set, make_cpu_device(1));
    const std::uint64_t bgv = checksum_of_bootstrap<Bgv>(fine, make_cpu_device(1));
    for (const auto& device : devices) {
      NTTF_CHECK_EQ(checksum_of_bootstrap<Bfv>(set, device), bfv);
      NTTF_CHECK_EQ(checksum_of_bootstrap<Bgv>(fine, device), bgv);
    }
  }
}

}  // namespace
}  // namespace nttforge::exact_bootstrap::testing
