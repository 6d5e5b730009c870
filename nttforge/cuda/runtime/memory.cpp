// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "nttforge/base/error.hpp"
#include "nttforge/base/memory/out_of_memory.hpp"

namespace nttforge::cuda {

/// Accounts of one device. The blocks themselves are the runtime's.
class CudaPool {
 public:
  explicit CudaPool(int device)
      : device_(device), runtime_(runtime_of(device)), total_(runtime_.memory(device).total_bytes) {
    limit_ = total_ / 10 * 9;
  }

  std::size_t keep_bytes() const { return std::min(limit_, total_ / 8); }

  /// Memory that waits for the default stream's next array of that size, without asking the driver; null if
  /// there is none.
  void* take_waiting(std::size_t bytes, std::uint64_t& context) {
    const CudaCall call(runtime_, device_);
    const std::lock_guard lock(mutex_);
    context = notice_reset(call.context_id());
    const auto list = waiting_.find(bytes);
    if (list == waiting_.end() || list->second.empty() || bytes > limit_ || used_ > limit_ - bytes)
      return nullptr;
    void* const data = list->second.back();
    list->second.pop_back();
    waiting_bytes_ -= bytes;
    used_ += bytes;
    return data;
  }

  void* take(std::size_t bytes, CudaStream stream, std::uint64_t& context) {
    const CudaCall call(runtime_, device_);
    const std::lock_guard lock(mutex_);
    context = notice_reset(call.context_id());
    if (waiting_bytes_ != 0 && waiting_bytes_ + used_ + bytes > limit_) release_waiting();
    try {
      require_room(bytes);
    } catch (const UnsupportedError&) {
      if (waiting_bytes_ == 0) throw;
      release_waiting();
      require_room(bytes);
    }
    void* const data = runtime_.allocate(device_, bytes, stream, keep_bytes());
    used_ += bytes;
    return data;
  }

  void give_back(void* data, std::size_t bytes, CudaStream stream, bool everywhere, bool to_driver,
                 std::uint64_t context) noexcept {
    try {
      const CudaCall call(runtime_, device_);
      const std::lock_guard lock(mutex_);
      if (context != context_ || context != call.context_id()) return;  // gone with a reset
      used_ -= bytes;
      if (stream == nullptr && !everywhere && !to_driver && bytes <= kMostWaiting &&
          waiting_bytes_ + bytes <= std::min(keep_bytes(), total_ / kWaitingShare)) {
        waiting_[bytes].push_back(data);
        waiting_bytes_ += bytes;
        return;
      }
      runtime_.release(device_, data, stream, everywhere);
    } catch (...) {  // the process is ending, or the device is broken: nothing is left to be given back
    }
  }

  CudaPoolInfo info() {
    const CudaCall call(runtime_, device_);
    const std::lock_guard lock(mutex_);
    notice_reset(call.context_id());
    const CudaMemory memory = runtime_.memory(device_);
    return {used_, std::max(memory.pooled_bytes, used_), limit_, memory.free_bytes, memory.total_bytes};
  }

  void set_limit(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    limit_ = bytes;
    release_waiting();
    runtime_.trim(device_, keep_bytes());
  }

  void trim() {
    const std::lock_guard lock(mutex_);
    release_waiting();
    runtime_.trim(device_, 0);
  }

 private:
  /// Forgets the memory from before a reset, which is gone.
  std::uint64_t notice_reset(std::uint64_t context) {
    if (context != context_) {
      used_ = waiting_bytes_ = 0;
      waiting_.clear();
    }
    return context_ = context;
  }

  /// Arrays of small and middle size that follow one another in the default stream pass their memory on here,
  /// so that an operation's temporaries cost no call of the driver. Sizes match exactly.
  void release_waiting() {
    for (auto& [bytes, blocks] : waiting_)
      for (void* const data : blocks) runtime_.release(device_, data, nullptr, false);
    waiting_.clear();
    waiting_bytes_ = 0;
  }

  void require_room(std::size_t bytes) {
    const auto need = [&] {
      return std::string(MemoryPurpose::current()) + ": " + std::to_string(bytes) + " bytes";
    };
    if (bytes > limit_ || used_ > limit_ - bytes) {
      throw UnsupportedError(
          need() + " on " + device_name(device_) + " would exceed the memory limit of nttforge: " +
          std::to_string(used_) + " of " + std::to_string(limit_) +
          " bytes are used; let arrays, plans, contexts, keys and ciphertexts go, move keys to "
          "host memory (offload), or raise the limit (nttforge.cuda.set_memory_limit, "
          "set_pool_limit)");
    }
    const std::size_t pooled = runtime_.pooled_bytes(device_), taken = used_ + waiting_bytes_;
    const std::size_t kept = pooled - std::min(pooled, taken);
    if (bytes <= kept) return;  // without the driver's answer about the card, which takes microseconds
    const CudaMemory memory = runtime_.memory(device_);
    if (bytes > memory.free_bytes + kept) {
      throw UnsupportedError(
          need() + " are needed on " + device_name(device_) + ", and " +
          std::to_string(memory.free_bytes + kept) + " of its " + std::to_string(memory.total_bytes) +
          " bytes are free: use a smaller batch, fewer moduli or a smaller n, or end what else uses "
          "the card (nvidia-smi)");
    }
  }

  const int device_;
  CudaRuntime& runtime_;
  const std::size_t total_;
  std::mutex mutex_;
  std::size_t limit_ = 0, used_ = 0;
  std::uint64_t context_ = 0;
  static constexpr std::size_t kMostWaiting = std::size_t{64} << 20, kWaitingShare = 32;
  std::map<std::size_t, std::vector<void*>> waiting_;
  std::size_t waiting_bytes_ = 0;
};

namespace {

/// The reference holds as long as the process.
const std::shared_ptr<CudaPool>& pool_of(int device) {
  // Never destroyed: arrays may be released while the process ends.
  static std::mutex* const mutex = new std::mutex;
  static auto* const pools = new std::map<int, std::shared_ptr<CudaPool>>;
  const std::lock_guard lock(*mutex);
  auto& pool = (*pools)[device];
  if (!pool) pool = std::make_shared<CudaPool>(device);
  return pool;
}

}  // namespace

CudaPoolInfo pool_info(int device) { return pool_of(device)->info(); }

void set_pool_limit(int device, std::size_t bytes) {
  if (bytes == 0) throw ParameterError("the memory limit is 0 bytes: allow at least what a plan needs");
  pool_of(device)->set_limit(bytes);
}

void trim_pool(int device) { pool_of(device)->trim(); }

CudaBuffer::CudaBuffer(int device, std::size_t bytes, CudaStream stream) {
  const std::shared_ptr<CudaPool>& pool = pool_of(device);
  if (stream == nullptr && bytes != 0) {
    auto state = std::make_shared<State>(State{pool, 0, device, bytes, nullptr});
    state->data = pool->take_waiting(bytes, state->context);
    if (state->data != nullptr) {
      state_ = std::move(state);
      return;
    }
  }
  CudaRuntime& runtime = runtime_of(device);
  const CudaCall call(runtime, device);
  const CudaStreamFacts facts = runtime.look_at(device, stream);
  require_stream_of(facts.device, "the memory", device);
  if (facts.capturing) {
    throw ParameterError(
        "memory cannot be allocated in a stream that is being captured into a graph: make arrays before the "
        "capture "
        "begins and pass them as out and workspace");
  }
  auto state = std::make_shared<State>(State{pool, 0, device, bytes, stream});
  if (bytes != 0) state->data = pool->take(bytes, stream, state->context);
  state_ = std::move(state);
}

CudaBuffer::State::~State() {
  if (data != nullptr) pool->give_back(data, bytes, stream, shared, to_driver, context);
}

void CudaBuffer::require_alive() const {
  if (state_ && state_->data != nullptr &&
      runtime_of(state_->device).context_id(state_->device) != state_->context) {
    throw ContextError(device_name(state_->device) +
                       " was reset since this array or plan was made, and its memory is gone: make it anew");
  }
}

void CudaBuffer::from_host(const void* host, CudaStream stream) const {
  require_alive();
  if (bytes() != 0) runtime_of(device()).copy(device(), data(), host, bytes(), stream);
}

void CudaBuffer::to_host(void* host, CudaStream stream) const {
  require_alive();
  if (bytes() == 0) return;
  runtime_of(device()).copy(device(), host, data(), bytes(), stream);
  runtime_of(device()).synchronize(device(), stream);
}

}  // namespace nttforge::cuda
