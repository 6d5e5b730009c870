// SPDX-License-Identifier: Apache-2.0
// Bootstraps of Cheddar by one of its own files of parameters (`parameters/bootparam_*.json`, a library of
// words of 32 bits). Real numbers take as long as complex ones: its variant for them only drops the imaginary
// part of the result. All work is in the default stream: a graph can only be recorded if the library and this
// file were compiled with one default stream a thread, and if the library's vectors live there too.

#include <UserInterface.h>
#include <extension/BootContext.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "bench/peers/gpu_bootstrap_peer.hpp"

using namespace nttforge;

namespace {

using Word = std::uint32_t;

Json parameters_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw ParameterError("--parameters = '" + path + "' cannot be read: name a file of Cheddar's");
  std::ostringstream text;
  text << file.rdbuf();
  return Json::parse(text.str());
}

std::vector<Word> words(const Json* values) {
  std::vector<Word> made;
  if (values == nullptr) return made;
  for (const std::uint64_t value : values->as_u64_vector()) made.push_back(static_cast<Word>(value));
  return made;
}

std::pair<int, int> pair_of(const Json& value) {
  return {static_cast<int>(value[0].as_i64()), static_cast<int>(value[1].as_i64())};
}

int number(const Json& set, const char* name) { return static_cast<int>(set.at(name).as_i64()); }

std::uint64_t bytes_of(const cheddar::EvkMap<Word>& keys) {
  std::uint64_t bytes = 0;
  for (const auto& [index, key] : keys) {
    for (const auto* half : {&key.ax_, &key.bx_})
      for (const auto& digit : *half) bytes += digit.size() * sizeof(Word);
  }
  return bytes;
}

void measure(const bench::GpuBootstrapOptions& options, const std::string& path, bench::Report& report) {
  const Json file = parameters_of(path);
  std::vector<std::pair<int, int>> levels;
  for (const Json& level : file.at("level_config").elements()) levels.push_back(pair_of(level));
  const std::vector<Word> main = words(file.find("main_primes")),
                          special = words(file.find("auxiliary_primes")),
                          terminal = words(file.find("terminal_primes"));
  const int top = number(file, "default_encryption_level");
  cheddar::Parameter<Word> parameter(number(file, "log_degree"), std::exp2(number(file, "log_default_scale")),
                                     top, levels, main, special, terminal,
                                     pair_of(file.at("additional_base")));
  parameter.SetDenseHammingWeight(number(file, "dense_hamming_weight"));
  parameter.SetSparseHammingWeight(number(file, "sparse_hamming_weight"));
  const auto context = cheddar::BootContext<Word>::Create(
      parameter, cheddar::BootParameter(parameter.max_level_, number(file, "num_cts_levels"),
                                        number(file, "num_stc_levels")));
  cheddar::UserInterface<Word> user(context);
  const int slots = static_cast<int>(bench::kBootstrapN / 2);
  context->PrepareEvalMod();
  context->PrepareEvalSpecialFFT(slots);
  cheddar::EvkRequest request;
  context->AddRequiredRotations(request, slots);
  user.PrepareRotationKey(request);

  bench::GpuBootstrapSet set;
  set.name = path.substr(path.find_last_of('/') + 1);
  set.log2_qp =
      bench::log2_of_product(main) + bench::log2_of_product(terminal) + bench::log2_of_product(special);
  set.security = set.log2_qp < 1747 ? "128 bits by the 2024 guidelines, ephemeral weight 32"
                                    : "log2 QP above the 1747 bits of the 2024 guidelines for 128 bits";
  set.secret_weight = static_cast<std::size_t>(parameter.GetDenseHammingWeight());
  set.ephemeral_weight = static_cast<std::size_t>(parameter.GetSparseHammingWeight());
  set.levels_between = static_cast<std::size_t>(top);
  set.modulus_bits_between = bench::log2_of_product(parameter.GetPrimeVector(parameter.LevelToNP(top))) -
                             bench::log2_of_product(parameter.GetPrimeVector(parameter.LevelToNP(0)));
  for (const auto& [step, level] : request) set.rotation_keys += step != 0;
  set.key_bytes = bytes_of(user.GetEvkMap());

  const bench::Numbers numbers = bench::uniform_numbers(static_cast<std::size_t>(slots));
  cheddar::Plaintext<Word> plain, found;
  context->encoder_.Encode(plain, 0, parameter.GetScale(0), numbers);
  cheddar::Ciphertext<Word> x, fresh;
  user.Encrypt(x, plain);
  bench::measure_gpu_bootstrap(
      options, report, "cheddar", set, numbers, nullptr, [&] { context->Boot(fresh, x, user.GetEvkMap()); },
      [&] {
        user.Decrypt(found, fresh);
        bench::Numbers values;
        context->encoder_.Decode(values, found);
        bench::require(cudaDeviceSynchronize(), "a bootstrap");
        return values;
      });
}

}  // namespace

int main(int count, char** arguments) {
  return bench::guarded_main("peer_cheddar_bootstrap", [&] {
    bench::GpuBootstrapOptions options;
    std::string parameters;
    bench::parse_options(count, arguments,
                         options.options() + std::vector{bench::text_option(
                                                 "--parameters", "one of Cheddar's files", parameters)});
    bench::Report report("cheddar", NTTF_PEER_VERSION, NTTF_PEER_BUILD);
    bench::describe_gpu(report);
    measure(options, parameters, report);
    report.write(options.json);
  });
}
