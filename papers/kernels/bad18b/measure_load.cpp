// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdlib>
#include <thread>

#include "nttforge/base/error.hpp"
#include "nttforge/bfv/bfv.hpp"
#include "papers/kernels/bad18b/fv.hpp"
#include "papers/kernels/bad18b/measure.hpp"

// What the driver tells of the card: NVIDIA's management library comes with the driver, also where the
// program nvidia-smi is missing. It is opened when it is asked for; nothing is linked.

namespace nttforge::bench {
namespace {

namespace paper = cuda::bad18b;

class Nvml {
 public:
  /// throws UnsupportedError, saying what is missing.
  explicit Nvml(int device) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (library_ == nullptr) throw UnsupportedError("the driver's libnvidia-ml.so.1 is not here");
    require(find<int (*)()>("nvmlInit_v2")(), "nvmlInit");
    require(handle_of(device), "the card's handle");
    power_ = find<int (*)(void*, unsigned*)>("nvmlDeviceGetPowerUsage");
    utilization_ = find<int (*)(void*, Utilization*)>("nvmlDeviceGetUtilizationRates");
    sample();  // throws where the card does not tell
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() { dlclose(library_); }

  struct Sample {
    double watts, gpu_percent, memory_percent;
  };
  Sample sample() const {
    unsigned milliwatts = 0;
    Utilization busy{};
    require(power_(card_, &milliwatts), "power");
    require(utilization_(card_, &busy), "utilisation");
    return {milliwatts / 1e3, double(busy.gpu), double(busy.memory)};
  }

 private:
  struct Utilization {
    unsigned gpu, memory;
  };

  static void require(int code, const char* what) {
    if (code != 0)
      throw UnsupportedError(std::string("the driver does not tell ") + what + " (NVML error " +
                             std::to_string(code) + ")");
  }
  template <class Function>
  Function find(const char* name) const {
    void* const symbol = dlsym(library_, name);
    if (symbol == nullptr) throw UnsupportedError(std::string("libnvidia-ml.so.1 has no ") + name);
    return reinterpret_cast<Function>(symbol);
  }
  /// CUDA numbers the cards that CUDA_VISIBLE_DEVICES names, the driver all of them.
  int handle_of(int device) {
    const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
    std::string name = visible == nullptr || *visible == 0 ? std::to_string(device) : visible;
    for (int i = 0; visible != nullptr && i < device && name.find(',') != std::string::npos; ++i)
      name = name.substr(name.find(',') + 1);
    name = name.substr(0, name.find(','));
    if (name.starts_with("GPU-") || name.starts_with("MIG-"))
      return find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByUUID")(name.c_str(), &card_);
    return find<int (*)(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2")(
        static_cast<unsigned>(std::strtoul(name.c_str(), nullptr, 10)), &card_);
  }

  void* library_;
  void* card_ = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  int (*utilization_)(void*, Utilization*) = nullptr;
};

/// Runs `step` again and again; means of what the driver says in the second half of the time, when its own
/// averages are of this work alone.
Json watched(const Nvml& nvml, double seconds, const std::function<void()>& step) {
  std::vector<Nvml::Sample> samples;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::jthread watcher([&](const std::stop_token& over) {
    while (!over.stop_requested()) {
      try {
        if (elapsed() > seconds / 2) samples.push_back(nvml.sample());
      } catch (const UnsupportedError&) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  do {
    step();
  } while (elapsed() < seconds);
  watcher.request_stop();
  watcher.join();
  const auto mean = [&](double Nvml::Sample::* field) {
    double sum = 0;
    for (const auto& sample : samples) sum += sample.*field;
    return samples.empty() ? 0 : sum / static_cast<double>(samples.size());
  };
  Json row = Json::object();
  row.set("watts", mean(&Nvml::Sample::watts));
  row.set("gpu_percent", mean(&Nvml::Sample::gpu_percent));
  row.set("memory_percent", mean(&Nvml::Sample::memory_percent));
  row.set("samples", samples.size());
  return row;
}

}  // namespace

Json measure_bad18b_load(Bad18bPlace& place, const std::vector<paper::FvBase>& sets, double seconds) {
  Json load = Json::object();
  if (!place.machine.is_card()) {
    load.set("why", "there is no card to watch: this is " + place.device->description());
    return load;
  }
  try {
    const Nvml nvml(place.machine.device());
    Json rows = Json::array();
    const auto keep = [&](std::size_t n, unsigned log2_q, const char* variant, Json row) {
      row.set("n", n);
      row.set("log2_q", log2_q);
      row.set("variant", variant);
      rows.push_back(std::move(row));
    };
    keep(0, 0, "idle",
         watched(nvml, seconds, [] { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }));
    for (const paper::FvBase& base : sets) {
      const unsigned log2_q = base.q.product().bits();
      {
        paper::Fv fv(base, place.machine, Transform::dgt, paper::Rounding::residues);
        fv.verify();
        const paper::Array x = fv.machine().allocate(fv.ciphertext_words());
        fv.encrypt(fv.machine().uploaded(std::vector<paper::Word>(base.n, 1)).get(), 1, x.get());
        keep(base.n, log2_q, "paper", watched(nvml, seconds, [&] {
               for (int i = 0; i < 20; ++i) fv.multiply(x.get(), x.get(), x.get());
               fv.machine().wait();
             }));
      }
      const auto context = bfv::Context::create(bfv::Parameters::badawi2018(base.n), place.device);
      const bfv::KeyGenerator generator(context);
      const auto key = generator.relinearization_key();
      const bfv::Evaluator evaluator(context);
      const auto x = bfv::Encryptor(generator.public_key())
                         .encrypt(bfv::Plaintext(context, std::vector<std::uint64_t>(base.n, 1)));
      keep(base.n, log2_q, "ours", watched(nvml, seconds, [&] {
             for (int i = 0; i < 20; ++i) evaluator.multiply_relinearize(x, x, key);
             context->queue().wait();
           }));
    }
    load.set("rows", rows);
  } catch (const UnsupportedError& error) {
    load.set("why", error.what());
  }
  return load;
}

}  // namespace nttforge::bench
