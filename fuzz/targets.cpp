// SPDX-License-Identifier: Apache-2.0
#include "targets.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "nttforge/base/error.hpp"
#include "nttforge/base/text/json.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "nttforge/bgv/bgv.hpp"
#include "nttforge/ckks/bootstrap/bootstrapper.hpp"
#include "nttforge/device/make_device.hpp"
#include "nttforge/exact_bootstrap/bootstrapper.hpp"
#include "nttforge/ntt/recipe.hpp"
#include "nttforge/ntt/wisdom.hpp"
#include "nttforge/rlwe/bytes/format.hpp"

namespace nttforge::fuzz {
namespace {

namespace fs = std::filesystem;

Bytes read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

/// The golden files of a kind in one folder.
std::vector<Bytes> files(const fs::path& folder, std::string_view prefix) {
  std::vector<Bytes> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(read(entry.path()));
  return found;
}

/// load(bytes) gives what write() makes bytes of again.
template <class Load, class Write>
Loader round_trip(std::string name, std::vector<Bytes> seeds, bool framed, Load load, Write write) {
  return {std::move(name), std::move(seeds), framed, [load, write](std::span<const std::uint8_t> bytes) {
            using Object = decltype(load(bytes));
            std::unique_ptr<Object> object;
            try {
              object = std::make_unique<Object>(load(bytes));
            } catch (const Error&) {
              return false;
            }
            const Bytes again = write(*object);
            if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()))
              throw std::logic_error("accepted bytes are written again as other bytes");
            return true;
          }};
}

/// Reads parts of bytes. Such a reader leaves what follows, which is refused here.
template <class Read>
auto from_stream(std::span<const std::uint8_t> bytes, Read read_keys) {
  std::size_t at = 0;
  auto keys = read_keys([&](std::span<std::uint8_t> part) {
    const std::size_t count = std::min(part.size(), bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count, part.begin());
    at += count;
    return count;
  });
  if (at != bytes.size()) throw FormatError("bytes follow the keys");
  return keys;
}

/// Who bootstraps in tests/golden/write.py.
auto bootstrapper_of(const ckks::ContextPtr& context, std::span<const std::uint8_t>) {
  return std::make_shared<const ckks::Bootstrapper>(
      context,
      ckks::Bootstrap{
          .slots = 2, .to_slots = {1}, .to_coefficients = {1}, .order = ckks::SlotsToCoefficients::first});
}

/// The same of integers. The primes of the chain stand first in the keys.
auto bootstrapper_of(const integer_encoding::IntegerContextPtr& context,
                     std::span<const std::uint8_t> bytes) {
  ByteReader reader(bytes);
  reader.bytes(rlwe::kHeaderBytes, "header");
  exact_bootstrap::Options options;
  options.primes.resize(reader.u8("primes"));
  options.special.resize(reader.u8("special"));
  options.digit_primes = reader.u16("digit primes");
  for (auto* primes : {&options.primes, &options.special})
    for (std::uint64_t& prime : *primes) prime = reader.u64("prime");
  options.to_slots = options.to_coefficients = {3, 3};
  options.passes = 1;
  return std::make_shared<const exact_bootstrap::Bootstrapper>(context, options);
}

/// Keys of a bootstrap, at once and part by part.
template <class ContextPtr>
void add_bootstrap(const fs::path& folder, const ContextPtr& context, std::vector<Loader>& targets) {
  const std::vector<Bytes> seeds = files(folder, "bootstrap");
  if (seeds.empty()) return;
  const auto bootstrapper = bootstrapper_of(context, seeds.front());
  const auto write = [bootstrapper](const auto& keys) { return to_bytes(*bootstrapper, keys); };
  const auto add = [&](const char* name, auto load) {
    targets.push_back(round_trip(
        folder.filename().string() + name, seeds, true,
        [bootstrapper, load](std::span<const std::uint8_t> b) { return load(*bootstrapper, b); }, write));
  };
  using Span = std::span<const std::uint8_t>;
  add(": bootstrap", [](const auto& m, Span b) { return bootstrap_keys_from_bytes(m, b); });
  add(": bootstrap in parts", [](const auto& m, Span b) {
    return from_stream(b, [&](const auto& from) { return read_bootstrap_keys(m, from); });
  });
}

template <class Parameters, class Context, class LoadParameters>
void add_scheme(const fs::path& folder, LoadParameters load_parameters, std::vector<Loader>& targets) {
  const std::string name = folder.parent_path().filename().string() + "/" + folder.filename().string() + ": ";
  const auto to = [](const auto& object) { return to_bytes(object); };
  const std::vector<Bytes> sets = files(folder, "parameters");
  targets.push_back(round_trip(
      name + "parameters", sets, true,
      [load_parameters](std::span<const std::uint8_t> b) {
        return load_parameters(b, true, rlwe::kStrictestTable);
      },
      to));
  const auto context =
      Context::create(load_parameters(sets.front(), true, rlwe::kStrictestTable), make_cpu_device(1));
  const auto add = [&](const char* kind, auto load) {
    std::vector<Bytes> seeds = files(folder, kind);
    if (seeds.empty()) return;
    targets.push_back(round_trip(
        name + kind, std::move(seeds), true,
        [context, load](std::span<const std::uint8_t> b) { return load(context, b); }, to));
  };
  using Span = std::span<const std::uint8_t>;
  add("secret", [](const auto& c, Span b) { return rlwe::secret_key_from_bytes(c, b); });
  add("public", [](const auto& c, Span b) { return rlwe::public_key_from_bytes(c, b); });
  add("relinearization", [](const auto& c, Span b) { return rlwe::relinearization_key_from_bytes(c, b); });
  add("rotations", [](const auto& c, Span b) { return rlwe::rotation_keys_from_bytes(c, b); });
  add("switching", [](const auto& c, Span b) { return rlwe::key_switch_key_from_bytes(c, b); });
  add("evaluation", [](const auto& c, Span b) { return rlwe::evaluation_keys_from_bytes(c, b); });
  // The same part by part.
  add("evaluation", [](const auto& c, Span b) {
    return from_stream(b, [&](const auto& from) { return rlwe::read_evaluation_keys(c, from); });
  });
  if constexpr (!std::is_same_v<Context, ckks::Context>)
    add("plaintext", [](const auto& c, Span b) { return integer_encoding::plaintext_from_bytes(c, b); });
  add_bootstrap<std::conditional_t<std::is_same_v<Context, ckks::Context>, ckks::ContextPtr,
                                   integer_encoding::IntegerContextPtr>>(folder, context, targets);
  add("ciphertext", [](const auto& c, Span b) { return rlwe::ciphertext_from_bytes(c, b); });
}

/// Texts need not be written again as they were, but what is written must be read as the same.
template <class Read, class Write>
Loader text_target(std::string name, std::vector<Bytes> seeds, Read read_text, Write write) {
  return {std::move(name), std::move(seeds), false, [read_text, write](std::span<const std::uint8_t> bytes) {
            const std::string text(bytes.begin(), bytes.end());
            std::string once;
            try {
              once = write(read_text(text));
            } catch (const Error&) {
              return false;
            }
            if (write(read_text(once)) != once)
              throw std::logic_error("an accepted text is written otherwise when it is read again");
            return true;
          }};
}

std::vector<Bytes> wisdom_seeds() {
  Wisdom wisdom;
  const NttSpec spec{64, {257}};
  wisdom.remember(spec, {}, NttRecipe{Target::scalar, {Arithmetic::shoup64}, 4, 1}, 120.5);
  return {bytes_of(wisdom.to_json()), bytes_of(R"({"format":"nttforge-wisdom","version":1,"entries":[]})")};
}

}  // namespace

std::vector<Loader> all_targets(const std::string& golden) {
  std::vector<Loader> targets;
  for (const auto& version : fs::directory_iterator(golden)) {
    if (!version.is_directory() || !version.path().filename().string().starts_with("v")) continue;
    for (const auto& set : fs::directory_iterator(version)) {
      if (!set.is_directory()) continue;
      if (set.path().filename().string().starts_with("ckks"))
        add_scheme<ckks::Parameters, ckks::Context>(set.path(), ckks::parameters_from_bytes, targets);
      else if (set.path().filename().string().starts_with("bgv"))
        add_scheme<bgv::Parameters, bgv::Context>(set.path(), bgv::parameters_from_bytes, targets);
      else
        add_scheme<bfv::Parameters, bfv::Context>(set.path(), bfv::parameters_from_bytes, targets);
    }
  }
  std::sort(targets.begin(), targets.end(), [](const Loader& a, const Loader& b) { return a.name < b.name; });
  targets.push_back(text_target(
      "json", {bytes_of(R"({"a": [1, -2, 3.5e-7, true, null, "\u00e9\n\ud83d\ude00"], "b": {"": []}})")},
      [](const std::string& text) { return Json::parse(text); },
      [](const Json& value) { return value.dump(); }));
  const NttRecipe recipe{Target::scalar, {Arithmetic::shoup64, Arithmetic::shoup64}, 16, 2};
  targets.push_back(text_target(
      "recipe", {bytes_of(recipe.to_json())},
      [](const std::string& text) { return NttRecipe::from_json(text); },
      [](const NttRecipe& value) { return value.to_json(); }));
  targets.push_back(text_target(
      "wisdom", wisdom_seeds(), [](const std::string& text) { return Wisdom::from_json(text); },
      [](const Wisdom& value) { return value.to_json(); }));
  return targets;
}

}  // namespace nttforge::fuzz
