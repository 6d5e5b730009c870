// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "nttforge/cuda/device.hpp"

namespace nttforge::cuda {

class CudaRuntime;

/// A graph of recorded launches, made ready to run; a cudaGraphExec_t.
using CudaGraph = void*;

/// What CudaRuntime::enter() found and leave() needs; part of a CudaCall.
struct CudaEntry {
  int device = 0;
  std::uint64_t context = 0;
  int before = -1;  ///< the device to make current again; -1: the right one was current
  const CudaEntry* outer = nullptr;
};

struct CudaMemory {
  std::size_t free_bytes = 0;  ///< on the card, for any process
  std::size_t total_bytes = 0;
  std::size_t pooled_bytes = 0;  ///< held by the library's pool, in use or not
};

/// Where a pointer points to.
struct CudaPlace {
  enum class Kind { unknown, host, device, managed } kind = Kind::unknown;
  int device = 0;  ///< of device and managed memory
};

/// The device that a stream belongs to, and whether the stream is being captured into a graph.
struct CudaStreamFacts {
  int device = 0;
  bool capturing = false;
};

/// A cudaEvent_t.
using CudaMark = void*;

/// What the library asks of CUDA, without its types. Three implementations: the real one, the host
/// (runtime_host.cpp), and one that refuses everything in builds without either. Every call may be made from
/// any thread, leaves the current device of the thread as it was and throws what throw_failure() throws.
class CudaRuntime {
 public:
  virtual ~CudaRuntime() = default;

  virtual int device_count() = 0;
  virtual CudaDevice describe(int device) = 0;
  /// The two ends of a CudaCall.
  virtual void enter(int device, CudaEntry& entry) = 0;
  virtual void leave(const CudaEntry& entry) noexcept = 0;
  /// Makes the device usable; the number changes when it is reset, and with it everything on it is gone.
  virtual std::uint64_t context_id(int device) = 0;
  virtual CudaMemory memory(int device) = 0;
  /// What the library's pool holds, in use or not, which costs less to ask than memory().
  virtual std::size_t pooled_bytes(int device) = 0;

  /// From a pool that grows and keeps up to `keep_bytes`; ready for use in `stream`, which lives as long as
  /// the memory. bytes > 0.
  virtual void* allocate(int device, std::size_t bytes, CudaStream stream, std::size_t keep_bytes) = 0;
  /// Once what is in `stream` is done; everywhere: once everything on the device is, and the stream is not
  /// looked at. Does not throw: there is nobody to tell.
  virtual void release(int device, void* memory, CudaStream stream, bool everywhere) noexcept = 0;
  /// Gives back what the pool holds beyond `keep_bytes` and is not in use.
  virtual void trim(int device, std::size_t keep_bytes) = 0;

  virtual CudaPlace locate(const void* pointer) = 0;
  /// Whether all of an array can be used on the device, with one question; false: ask locate() what is wrong.
  virtual bool is_on(int device, const void* first, std::size_t bytes) = 0;
  /// Facts about a stream that is alive; the default stream is every device's. If the stream is captured, the
  /// device is not known and taken to be `device`.
  virtual CudaStreamFacts look_at(int device, CudaStream stream) = 0;
  /// The device of look_at() alone, which is known without a question where there is only one.
  virtual int device_of(CudaStream stream, int device) = 0;

  /// Any direction; host memory may be reused on return if it was read, and after synchronize() if it was
  /// written.
  virtual void copy(int device, void* to, const void* from, std::size_t bytes, CudaStream stream) = 0;
  /// Memory of device `owner` -> memory of `device`, in a stream of that: directly where the cards can reach
  /// each other, else as the driver passes it on.
  virtual void copy_between(int device, void* to, int owner, const void* from, std::size_t bytes,
                            CudaStream stream) = 0;
  virtual void synchronize(int device, CudaStream stream) = 0;
  /// Page-locked memory of the host, which the device reads and writes at the same address. It belongs to the
  /// device's context: a reset takes it.
  virtual void* allocate_host(int device, std::size_t bytes) = 0;
  virtual void release_host(int device, void* memory) noexcept = 0;
  /// Marks of what is in a stream at the time that they are placed; one that was never placed has passed.
  virtual CudaMark make_mark(int device) = 0;
  virtual void place_mark(int device, CudaMark mark, CudaStream stream) = 0;
  virtual void wait_for_mark(int device, CudaMark mark) = 0;
  virtual bool has_passed(int device, CudaMark mark) = 0;
  virtual void destroy_mark(int device, CudaMark mark) noexcept = 0;
  /// What is enqueued in a stream of `device` from now on waits for a mark, which may be another device's.
  virtual void wait_in_stream(int device, CudaMark mark, CudaStream stream) = 0;
  /// `later` waits for what is in `earlier` now; nothing happens if `later` is being captured and `earlier`
  /// is not.
  virtual void order(int device, CudaStream earlier, CudaStream later) = 0;
  /// A new stream of the device, which does not wait for the default stream.
  virtual CudaStream make_stream(int device) = 0;
  virtual void destroy_stream(int device, CudaStream stream) noexcept = 0;

  /// From here to end_capture() what is enqueued in the stream, which is not the default one, is recorded and
  /// not run.
  virtual void begin_capture(int device, CudaStream stream) = 0;
  /// The graph of what was recorded; `keep` false: null, and nothing is kept, whatever went wrong.
  virtual CudaGraph end_capture(int device, CudaStream stream, bool keep) = 0;
  virtual void run_graph(int device, CudaGraph graph, CudaStream stream) = 0;
  virtual void destroy_graph(int device, CudaGraph graph) noexcept = 0;

  /// Runs `launch`, which enqueues kernels of the device and returns a CUDA error code, with that device
  /// current.
  virtual void launch(int device, const char* what, const std::function<int()>& launch) = 0;
  /// Where it is set, called after each launch by the thread that launched: benchmarks wait there, and see
  /// what takes how long. Set while nothing is launched.
  std::function<void(const char* what)> after_launch;
  /// What this thread launches from here on is collected, until it is started in one go or dropped; what else
  /// it gives to a stream starts it before. False, with nothing done: launches of this thread are collected
  /// already, or this runtime starts them one by one.
  virtual bool collect_launches() { return false; }
  virtual void start_collected(int /*device*/) {}
  virtual void drop_collected() noexcept {}
  /// Least time of `rounds` runs of a graph of `calls` calls of `body`, divided by `calls`, in nanoseconds;
  /// after what is in the default stream.
  virtual double time_ns(int device, unsigned calls, unsigned rounds,
                         const std::function<void(CudaStream)>& body) = 0;
};

/// A call of the library on one device: the device is current in this thread from here to the end of the
/// scope, and what the call asks of its runtime meanwhile needs not choose it again. Nothing of the caller's
/// runs inside. throws as CudaRuntime does.
class CudaCall {
 public:
  CudaCall(CudaRuntime& runtime, int device) : runtime_(runtime) { runtime.enter(device, entry_); }
  ~CudaCall() { runtime_.leave(entry_); }
  CudaCall(const CudaCall&) = delete;
  CudaCall& operator=(const CudaCall&) = delete;
  std::uint64_t context_id() const { return entry_.context; }

 private:
  CudaRuntime& runtime_;
  CudaEntry entry_;
};
/// throws ParameterError if a stream found to be `owner`'s is given to a plan or memory (`what`) of `device`.
void require_stream_of(int owner, const char* what, int device);

/// The one that owns `device`: the machine's for 0 and above, else the host. Lives as long as the process.
CudaRuntime& runtime_of(int device);
/// The machine's and the host's. In a build without them every call throws UnsupportedError.
CudaRuntime& machine_runtime();
CudaRuntime& host_runtime();

}  // namespace nttforge::cuda
