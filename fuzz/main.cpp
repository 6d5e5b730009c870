// SPDX-License-Identifier: Apache-2.0
// Mutations of right inputs for every loader, built with sanitizers by `make fuzz`. A finding is a
// sanitizer's report, an exception that is no error of the library, accepted bytes that are written
// otherwise, or an input that takes more than ten seconds. The input is left in a file, which is an argument
// to try it again.

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "mutate.hpp"
#include "targets.hpp"

namespace nttforge::fuzz {
namespace {

struct Options {
  std::string golden = "tests/golden", out = "out/fuzz", target, replay;
  double seconds = 600;
  std::uint64_t seed = 1;
  bool keep = false;
};

Options parsed(int count, char** values) {
  Options options;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = values[i], value = values[i + 1];
    if (name == "--golden") options.golden = value;
    if (name == "--out") options.out = value;
    if (name == "--target") options.target = value;
    if (name == "--replay") options.replay = value;
    if (name == "--keep") options.keep = value == "yes";
    if (name == "--seconds") options.seconds = std::stod(value);
    if (name == "--seed") options.seed = std::stoull(value);
  }
  return options;
}

void save(const std::string& path, const Bytes& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

/// Nothing, or what is wrong.
std::string tried(const Loader& target, const Bytes& bytes, bool& accepted) {
  const std::clock_t begun = std::clock();
  try {
    accepted = target.load(bytes);
  } catch (const std::exception& error) {
    return error.what();
  }
  const double seconds = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  return seconds > 10 ? "it took " + std::to_string(seconds) + " s" : "";
}

int run(const Options& options) {
  auto targets = all_targets(options.golden);
  std::erase_if(targets, [&](const Loader& t) { return t.name.find(options.target) == std::string::npos; });
  if (targets.empty()) throw std::runtime_error("no target is called " + options.target);
  bool accepted = false;
  if (!options.replay.empty()) {
    std::ifstream file(options.replay, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    for (const Loader& target : targets) {
      const std::string wrong = tried(target, bytes, accepted);
      std::printf("%s: %s\n", target.name.c_str(),
                  !wrong.empty() ? wrong.c_str()
                  : accepted     ? "read"
                                 : "refused");
    }
    return 0;
  }
  for (const Loader& target : targets)
    for (const Bytes& seed : target.seeds)
      if (const std::string wrong = tried(target, seed, accepted); !wrong.empty() || !accepted)
        throw std::runtime_error(target.name + ": a golden file is not read: " + wrong);
  Mutator mutator(options.seed);
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  std::uint64_t tries = 0, read = 0, findings = 0;
  const std::string current = options.out + "/current.bin";
  while (seconds() < options.seconds) {
    Loader& target = targets[mutator.below(targets.size())];
    for (int i = 0; i < 32; ++i, ++tries) {
      const Bytes bytes = mutator.mutated(target.seeds, target.framed);
      if (options.keep) save(current, bytes);
      const std::string wrong = tried(target, bytes, accepted);
      if (!wrong.empty()) {
        const std::string path = options.out + "/finding-" + std::to_string(++findings) + ".bin";
        save(path, bytes);
        std::printf("finding: %s: %s, input %s\n", target.name.c_str(), wrong.c_str(), path.c_str());
      } else if (accepted) {
        ++read;
        if (target.seeds.size() < 200) target.seeds.push_back(bytes);
      }
    }
  }
  std::printf("%zu loaders, %llu inputs in %.0f s, %llu of them read, %llu findings (--seed %llu)\n",
              targets.size(), static_cast<unsigned long long>(tries), seconds(),
              static_cast<unsigned long long>(read), static_cast<unsigned long long>(findings),
              static_cast<unsigned long long>(options.seed));
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nttforge::fuzz

int main(int count, char** values) {
  try {
    return nttforge::fuzz::run(nttforge::fuzz::parsed(count, values));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
