// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/gpu_scope.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device/one_piece.hpp"
#include "nttforge/cuda/stream_scope.hpp"

namespace nttforge::cuda {
namespace {

thread_local std::shared_ptr<GpuScope> innermost;

/// Streams that were made before: to make one and destroy it takes longer than a small copy.
class IdleStreams {
 public:
  CudaStream take(int device, std::uint64_t context) {
    {
      const std::lock_guard lock(mutex_);
      std::vector<CudaStream>& idle = idle_[{device, context}];
      if (!idle.empty()) {
        const CudaStream stream = idle.back();
        idle.pop_back();
        return stream;
      }
    }
    return runtime_of(device).make_stream(device);
  }

  void give_back(int device, std::uint64_t context, CudaStream stream) {
    const std::lock_guard lock(mutex_);
    idle_[{device, context}].push_back(stream);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, std::uint64_t>, std::vector<CudaStream>> idle_;  ///< those of a reset are gone
};

IdleStreams& idle_streams() {
  static auto* const streams =
      new IdleStreams;  // never destroyed: threads may end after the program's objects
  return *streams;
}

/// Sizes are rounded up by at most an eighth, so that memory fits more often.
std::size_t rounded(std::size_t bytes) {
  const std::size_t step = std::max<std::size_t>(std::bit_floor(bytes) / 8, 256);
  return (bytes + step - 1) / step * step;
}

}  // namespace

GpuScope* current_scope(int device) {
  GpuScope* scope = innermost.get();
  while (scope != nullptr && scope->device() != device) scope = scope->outer();
  return scope;
}

void GpuScope::begin() {
  if (kind_ != Kind::apart) runtime_.order(device_, nullptr, stream_);
  active_ = true;
  outer_ = std::move(innermost);
  innermost = shared_from_this();
}

void GpuScope::end() noexcept {
  innermost = std::move(outer_);
  std::vector<CudaBuffer> released, made;
  std::map<std::size_t, std::vector<CudaBuffer>> free;
  {
    const std::lock_guard lock(mutex_);
    active_ = false;
    if (kind_ != Kind::recording) released.swap(kept_);
    if (kind_ == Kind::apart) made.swap(made_);
    free.swap(free_);
  }
  for (CudaBuffer& buffer : made) buffer.hand_over();
  if (kind_ != Kind::stream) return;
  try {
    runtime_.order(device_, stream_, nullptr);
  } catch (...) {  // the device is broken or was reset, and with it its memory is gone
  }
}

std::shared_ptr<void> GpuScope::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  CudaBuffer buffer;
  {
    const std::lock_guard lock(mutex_);
    if (std::vector<CudaBuffer>& list = free_[size]; !list.empty()) {
      buffer = std::move(list.back());
      list.pop_back();
    }
  }
  if (buffer.data() == nullptr) {
    buffer = CudaBuffer(device_, size, kind_ == Kind::apart ? stream_ : nullptr);
    if (kind_ == Kind::stream)
      runtime_.order(device_, nullptr, stream_);
    else
      made_.push_back(buffer);
  }
  return {buffer.data(), [self = shared_from_this(), buffer, size](void*) { self->take_back(buffer, size); }};
}

void GpuScope::take_back(const CudaBuffer& buffer, std::size_t size) {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  if (current_scope(device_) == this)
    free_[size].push_back(buffer);
  else
    kept_.push_back(buffer);
}

void GpuScope::keep(const CudaBuffer& buffer) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(buffer);
}

void GpuScope::keep(std::shared_ptr<void> part) {
  const std::lock_guard lock(mutex_);
  parts_.push_back(std::move(part));
}

std::shared_ptr<void> take_memory(int device, std::size_t bytes) {
  if (GpuScope* const scope = current_scope(device)) return scope->take(bytes);
  const CudaBuffer buffer(device, bytes);
  return {buffer.data(), [buffer](void*) {
            if (GpuScope* const scope = current_scope(buffer.device()))
              scope->keep(buffer);
            else if (OnePiece* const piece = OnePiece::current())
              piece->keep(buffer);
          }};
}

StreamScope::StreamScope(int device, CudaStream stream) {
  CudaRuntime& runtime = runtime_of(device);
  const CudaStreamFacts facts = runtime.look_at(device, stream);
  require_stream_of(facts.device, "the scope", device);
  if (facts.capturing)
    throw ParameterError(
        "the stream is being captured into a graph: record operations with Queue::begin_capture");
  if (const GpuScope* const around = current_scope(device); around != nullptr && around->is_recording())
    throw ParameterError(
        "operations are being recorded, and what is given to another stream meanwhile would not be: enter "
        "the "
        "stream, or make plaintexts of its arrays, before the graph is recorded");
  scope_ = std::make_shared<GpuScope>(device, stream, GpuScope::Kind::stream);
  scope_->begin();
}

StreamScope::~StreamScope() { scope_->end(); }

ApartScope::ApartScope(int device) : device_(device), context_(runtime_of(device).context_id(device)) {
  stream_ = idle_streams().take(device, context_);
  scope_ = std::make_shared<GpuScope>(device, stream_, GpuScope::Kind::apart);
  scope_->begin();
}

ApartScope::~ApartScope() {
  CudaRuntime& runtime = runtime_of(device_);
  try {
    runtime.synchronize(device_, stream_);
  } catch (...) {  // the device is broken or was reset, which the next call says
  }
  scope_->end();
  idle_streams().give_back(device_, context_, stream_);
}

StreamMark::StreamMark(int device) : device_(device), mark_(runtime_of(device).make_mark(device)) {
  const GpuScope* const scope = current_scope(device);
  try {
    runtime_of(device).place_mark(device, mark_, scope == nullptr ? nullptr : scope->stream());
  } catch (...) {
    runtime_of(device).destroy_mark(device, mark_);
    throw;
  }
}

StreamMark::~StreamMark() { runtime_of(device_).destroy_mark(device_, mark_); }

void StreamMark::wait() const { runtime_of(device_).wait_for_mark(device_, mark_); }

}  // namespace nttforge::cuda
