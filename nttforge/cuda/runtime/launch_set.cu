// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "nttforge/cuda/runtime/launch_set.cuh"

namespace nttforge::cuda {
namespace {

thread_local LaunchSet own_set;
thread_local bool collects = false;

constexpr std::size_t kMostLaunches = 64;  // of a set: a program pays for few and small kernels
constexpr std::size_t kAlignment = 16;     // of arguments, as kernels' parameters have at most

class Hash {
 public:
  void add(std::uint64_t value) { value_ = (value_ ^ value) * 0x100000001b3u + (value_ >> 29); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

bool equal(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// The node that a captured stream's next one will wait for; null if there is not exactly one.
cudaError_t last_node(cudaStream_t stream, cudaGraphNode_t& node) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* nodes = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  std::size_t count = 0;
#if CUDART_VERSION >= 13000
  const cudaError_t error =
      cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
#else
  const cudaError_t error =
      cudaStreamGetCaptureInfo_v3(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
#endif
  if (error != cudaSuccess) return error;
  if (status != cudaStreamCaptureStatusActive || count != 1) return cudaErrorStreamCaptureInvalidated;
  node = nodes[0];
  return cudaSuccess;
}

}  // namespace

LaunchSet* LaunchSet::current() { return collects ? &own_set : nullptr; }

bool LaunchSet::collect() {
  if (collects) return false;
  own_set.clear();
  return collects = true;
}

LaunchSet& LaunchSet::collected() {
  collects = false;
  return own_set;
}

void LaunchSet::clear() {
  launches_.clear();
  arguments_.clear();
  bytes_.clear();
}

cudaError_t LaunchSet::begin(const cudaLaunchConfig_t& config, const void* function) {
  if (launches_.size() == kMostLaunches || (!launches_.empty() && config.stream != stream_))
    if (const cudaError_t error = start_one_by_one(); error != cudaSuccess) return error;
  stream_ = config.stream;
  Launch launch{function, config.gridDim, config.blockDim,  config.dynamicSmemBytes,
                0,        false,          arguments_.size()};
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
      launch.overlaps = attribute.val.programmaticStreamSerializationAllowed != 0;
    else if (attribute.id == cudaLaunchAttributeClusterDimension)
      launch.cluster = attribute.val.clusterDim.x;
    else
      return cudaErrorNotSupported;
  }
  launches_.push_back(launch);
  return cudaSuccess;
}

void LaunchSet::add_argument(const void* value, std::size_t size) {
  const std::size_t at = (bytes_.size() + kAlignment - 1) / kAlignment * kAlignment;
  bytes_.resize(at + size);
  std::memcpy(bytes_.data() + at, value, size);
  arguments_.push_back({at, size});
}

std::vector<void*> LaunchSet::arguments_of(std::size_t i) {
  const std::size_t end = i + 1 < launches_.size() ? launches_[i + 1].first_argument : arguments_.size();
  std::vector<void*> result;
  for (std::size_t a = launches_[i].first_argument; a < end; ++a)
    result.push_back(bytes_.data() + arguments_[a].at);
  return result;
}

cudaError_t LaunchSet::start(std::size_t i, cudaStream_t stream) {
  const Launch& launch = launches_[i];
  cudaLaunchAttribute attributes[2];
  cudaLaunchConfig_t config = {};
  config.gridDim = launch.grid;
  config.blockDim = launch.block;
  config.dynamicSmemBytes = launch.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  if (launch.overlaps) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (launch.cluster != 0) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = launch.cluster;
    attributes[config.numAttrs].val.clusterDim.y = 1;
    attributes[config.numAttrs++].val.clusterDim.z = 1;
  }
  return cudaLaunchKernelExC(&config, launch.function, arguments_of(i).data());
}

cudaError_t LaunchSet::start_one_by_one() {
  cudaError_t error = cudaSuccess;
  for (std::size_t i = 0; i < launches_.size() && error == cudaSuccess; ++i) error = start(i, stream_);
  clear();
  return error;
}

std::uint64_t LaunchSet::shape_hash() const {
  Hash hash;
  for (const Launch& launch : launches_) {
    hash.add(reinterpret_cast<std::uintptr_t>(launch.function));
    for (const dim3& size : {launch.grid, launch.block})
      hash.add(size.x ^ (std::uint64_t{size.y} << 20) ^ (std::uint64_t{size.z} << 40));
    hash.add(launch.shared_bytes);
    hash.add(launch.cluster);
  }
  return hash.value();
}

bool LaunchSet::has_shape_of(const LaunchSet& other) const {
  const auto same = [](const Launch& a, const Launch& b) {
    return a.function == b.function && equal(a.grid, b.grid) && equal(a.block, b.block) &&
           a.shared_bytes == b.shared_bytes && a.cluster == b.cluster && a.overlaps == b.overlaps &&
           a.first_argument == b.first_argument;
  };
  return bytes_.size() == other.bytes_.size() && arguments_.size() == other.arguments_.size() &&
         std::equal(launches_.begin(), launches_.end(), other.launches_.begin(), other.launches_.end(), same);
}

/// The bytes between arguments are zero in both.
bool LaunchSet::has_arguments_of(const LaunchSet& other, std::size_t i) const {
  const auto begin_of = [this](std::size_t launch) {
    return launch < launches_.size() ? arguments_[launches_[launch].first_argument].at : bytes_.size();
  };
  const std::size_t begin = begin_of(i), end = begin_of(i + 1);
  return std::memcmp(bytes_.data() + begin, other.bytes_.data() + begin, end - begin) == 0;
}

LaunchPrograms::Program::~Program() {
  if (program_ != nullptr) (void)cudaGraphExecDestroy(program_);
  if (graph_ != nullptr) (void)cudaGraphDestroy(graph_);
  (void)cudaGetLastError();  // they may have gone with a reset
}

cudaError_t LaunchPrograms::Program::make() {
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error != cudaSuccess) return error;
  error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  if (error == cudaSuccess) {
    for (std::size_t i = 0; i < set_.size() && error == cudaSuccess; ++i) {
      error = set_.start(i, stream);
      if (error == cudaSuccess) error = last_node(stream, nodes_.emplace_back());
    }
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph_);
    if (error == cudaSuccess) error = ended;
  }
  if (error == cudaSuccess) error = cudaGraphInstantiate(&program_, graph_, 0);
  (void)cudaStreamDestroy(stream);
  return error;
}

cudaError_t LaunchPrograms::Program::set_arguments(LaunchSet& set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.has_arguments_of(set_, i)) continue;
    const LaunchSet::Launch& launch = set.launches_[i];
    std::vector<void*> arguments = set.arguments_of(i);
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(launch.function);
    node.gridDim = launch.grid;
    node.blockDim = launch.block;
    node.sharedMemBytes = static_cast<unsigned>(launch.shared_bytes);
    node.kernelParams = arguments.data();
    const cudaError_t error = cudaGraphExecKernelNodeSetParams(program_, nodes_[i], &node);
    if (error != cudaSuccess) return error;
  }
  set_.bytes_ = set.bytes_;
  return cudaSuccess;
}

cudaError_t LaunchPrograms::Program::start(LaunchSet& set) {
  cudaError_t error = program_ == nullptr ? make() : cudaSuccess;
  if (error == cudaSuccess) error = set_arguments(set);
  if (error == cudaSuccess) error = cudaGraphLaunch(program_, set.stream_);
  return error;
}

cudaError_t LaunchPrograms::start(LaunchSet& set, std::uint64_t context) {
  if (set.size() < 2) return set.start_one_by_one();
  Hash hash;
  hash.add(context);
  hash.add(set.shape_hash());
  const std::lock_guard lock(mutex_);
  if (programs_.size() >= kMost && !programs_.contains(hash.value())) programs_.clear();
  const auto [found, is_new] = programs_.try_emplace(hash.value(), set);
  if (!is_new && found->second.fits(set)) {
    if (found->second.start(set) == cudaSuccess) {
      set.clear();
      return cudaSuccess;
    }
    (void)cudaGetLastError();  // what cannot be a program is started as it came
    programs_.erase(found);
  }
  return set.start_one_by_one();
}

}  // namespace nttforge::cuda
