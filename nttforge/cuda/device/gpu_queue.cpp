// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/gpu_queue.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "nttforge/base/error.hpp"
#include "nttforge/cuda/device/gpu_launch.hpp"
#include "nttforge/cuda/device/gpu_sums.hpp"
#include "nttforge/cuda/device/one_piece.hpp"
#include "nttforge/cuda/runtime/staging.hpp"

namespace nttforge::cuda {
namespace {

constexpr std::uint32_t kFillLog = 10;
constexpr const char* kWaits = "the host would wait for what has not run";

Grid grid_of_words(std::size_t words) {
  const std::size_t row = std::size_t{1} << kFillLog;
  return grid_of((words + row - 1) / row, row);
}

FillZero zeros(WordPtr out, std::size_t words) {
  const std::size_t inside = reinterpret_cast<std::uintptr_t>(out.address()) % 16;
  const std::size_t begin = inside / 4, end = begin + words * (out.word_bits() / 32);
  auto* const base = reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(out.address()) - inside);
  return {grid_of_words((end + 3) / 4), base, begin, end};
}

std::size_t bytes_of(std::size_t words, unsigned word_bits) { return words * (word_bits / 8); }

/// What was in a stream at some time, or in what is recorded.
class StreamEvent final : public Event {
 public:
  StreamEvent(CudaRuntime& runtime, int device, CudaStream stream, GpuScope* scope)
      : runtime_(runtime), device_(device), mark_(runtime.make_mark(device)) {
    if (scope != nullptr && scope->is_recording()) recording_ = scope->shared_from_this();
    try {
      runtime_.place_mark(device_, mark_, stream);
    } catch (...) {
      runtime_.destroy_mark(device_, mark_);
      throw;
    }
  }
  ~StreamEvent() override { runtime_.destroy_mark(device_, mark_); }
  StreamEvent(const StreamEvent&) = delete;
  StreamEvent& operator=(const StreamEvent&) = delete;
  void wait() const override { runtime_.wait_for_mark(device_, mark_); }
  const CudaRuntime& runtime() const { return runtime_; }
  CudaMark mark() const { return mark_; }
  const std::shared_ptr<GpuScope>& recording() const { return recording_; }  ///< null: of none

 private:
  CudaRuntime& runtime_;
  int device_;
  CudaMark mark_;
  std::shared_ptr<GpuScope> recording_;
};

/// The stream of a device, and its memory, in another device's recording: that scope keeps both as long as
/// its graph.
class JoinedStream {
 public:
  JoinedStream(CudaRuntime& runtime, int device)
      : runtime_(runtime), device_(device), stream_(runtime.make_stream(device)) {}
  ~JoinedStream() { runtime_.destroy_stream(device_, stream_); }
  JoinedStream(const JoinedStream&) = delete;
  JoinedStream& operator=(const JoinedStream&) = delete;

  std::shared_ptr<GpuScope> begin(CudaMark mark) {
    scope_ = std::make_shared<GpuScope>(device_, stream_, GpuScope::Kind::recording);
    scope_->begin();
    try {
      runtime_.wait_in_stream(device_, mark, stream_);
    } catch (...) {
      scope_->end();
      throw;
    }
    return scope_;
  }

 private:
  CudaRuntime& runtime_;
  int device_;
  CudaStream stream_;
  std::shared_ptr<GpuScope> scope_;
};

/// A graph and the memory of what was allocated while it was recorded.
class RecordedGraph final : public Graph {
 public:
  RecordedGraph(CudaRuntime& runtime, int device, CudaGraph graph, std::shared_ptr<GpuScope> memory)
      : runtime_(runtime), device_(device), graph_(graph), memory_(std::move(memory)) {}
  ~RecordedGraph() override { runtime_.destroy_graph(device_, graph_); }
  RecordedGraph(const RecordedGraph&) = delete;
  RecordedGraph& operator=(const RecordedGraph&) = delete;

  void run(const Queue& queue) const override {
    const auto* const own_queue = dynamic_cast<const GpuQueue*>(&queue);
    if (own_queue == nullptr || own_queue->ordinal() != device_)
      throw ContextError("the graph was recorded on " + device_name(device_) +
                         ": give it a queue of that device");
    runtime_.run_graph(device_, graph_, own_queue->stream());
  }

 private:
  CudaRuntime& runtime_;
  int device_;
  CudaGraph graph_;
  std::shared_ptr<GpuScope> memory_;
};

class StreamCapture final : public Capture {
 public:
  explicit StreamCapture(CudaRuntime& runtime, int device)
      : runtime_(runtime),
        device_(device),
        stream_(runtime.make_stream(device)),
        scope_(std::make_shared<GpuScope>(device, stream_, GpuScope::Kind::recording)) {
    try {
      runtime_.begin_capture(device_, stream_);
    } catch (...) {
      runtime_.destroy_stream(device_, stream_);
      throw;
    }
    scope_->begin();
  }
  ~StreamCapture() override {
    try {
      (void)end(false);
    } catch (...) {  // there is no graph to be had, which is what was asked for
    }
    runtime_.destroy_stream(device_, stream_);
  }
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;

  std::shared_ptr<const Graph> finish() override {
    if (scope_ == nullptr) throw ParameterError("the capture was finished before: begin another one");
    const std::shared_ptr<GpuScope> memory = scope_;
    return std::make_shared<const RecordedGraph>(runtime_, device_, end(true), memory);
  }

 private:
  CudaGraph end(bool keep) {
    if (scope_ == nullptr) return nullptr;
    std::exchange(scope_, nullptr)->end();
    return runtime_.end_capture(device_, stream_, keep);
  }

  CudaRuntime& runtime_;
  int device_;
  CudaStream stream_;
  std::shared_ptr<GpuScope> scope_;
};

}  // namespace

GpuQueue::GpuQueue(std::shared_ptr<const GpuDevice> device)
    : device_(std::move(device)), ordinal_(device_->ordinal()), runtime_(runtime_of(ordinal_)) {}

void GpuQueue::require_not_recording(const char* what, const char* why) const {
  const GpuScope* const scope = current_scope(ordinal_);
  if (scope != nullptr && scope->is_recording())
    throw ParameterError(std::string(what) + " cannot be part of a graph: " + why);
}

DeviceArray GpuQueue::allocate(std::size_t words, unsigned word_bits) const {
  if (words == 0) return {};
  return {take_memory(ordinal_, bytes_of(words, word_bits)), words, word_bits, device_->memory_space()};
}

DeviceArray GpuQueue::allocate_secret(std::size_t words, unsigned word_bits) const {
  if (words == 0) return {};
  const std::shared_ptr<void> memory = take_memory(ordinal_, bytes_of(words, word_bits));
  const auto wipe = [memory, words, word_bits, runtime = &runtime_, device = ordinal_,
                     owner = device_](void* secret) noexcept {
    const GpuScope* const scope = current_scope(device);
    try {
      owner->require_alive();  // after a reset others may have that memory
      launch(*runtime, device, scope == nullptr ? nullptr : scope->stream(), "wiping",
             zeros(WordPtr::at(secret, word_bits), words));
    } catch (...) {  // the device is broken or was reset, and with it its memory is gone
    }
  };
  return {std::shared_ptr<void>(memory.get(), wipe), words, word_bits, device_->memory_space()};
}

void GpuQueue::upload(std::span<const std::uint64_t> host, WordPtr device) const {
  if (host.empty()) return;
  require_not_recording("an upload", "it reads the host's words when it is called; make arrays before");
  const bool narrow = device.word_bits() == 32;
  Staging::of(ordinal_).upload(device.address(), bytes_of(host.size(), device.word_bits()), stream(),
                               [&](void* piece, std::size_t first, std::size_t bytes) {
                                 if (narrow)
                                   std::transform(
                                       host.begin() + first / 4, host.begin() + (first + bytes) / 4,
                                       static_cast<std::uint32_t*>(piece),
                                       [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
                                 else
                                   std::memcpy(piece, host.data() + first / 8, bytes);
                               });
}

void GpuQueue::upload_written(std::size_t words, WordPtr device, const WriteWords& write) const {
  if (device.word_bits() == 32) return Queue::upload_written(words, device, write);
  require_not_recording("an upload", "it reads the host's words when it is called; make arrays before");
  Staging::of(ordinal_).upload(device.address(), bytes_of(words, 64), stream(),
                               [&](void* piece, std::size_t first, std::size_t bytes) {
                                 write(first / 8, {static_cast<std::uint64_t*>(piece), bytes / 8});
                               });
}

void GpuQueue::download(ConstWordPtr device, std::span<std::uint64_t> host) const {
  require_not_recording("a download", kWaits);
  if (host.empty()) return wait();
  const bool narrow = device.word_bits() == 32;
  Staging::of(ordinal_).download(device.address(), bytes_of(host.size(), device.word_bits()), stream(),
                                 [&](const void* piece, std::size_t first, std::size_t bytes) {
                                   if (narrow)
                                     std::copy_n(static_cast<const std::uint32_t*>(piece), bytes / 4,
                                                 host.begin() + first / 4);
                                   else
                                     std::memcpy(host.data() + first / 8, piece, bytes);
                                 });
}

void GpuQueue::copy(ConstWordPtr in, WordPtr out, std::size_t words) const {
  if (words == 0 || in == out) return;
  if (in.word_bits() == out.word_bits())
    runtime_.copy(ordinal_, out.address(), in.address(), bytes_of(words, in.word_bits()), stream());
  else
    run("copying words", CopyWords{grid_of_words(words), read(in), write(out), words});
}

bool GpuQueue::copy_from(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const {
  const auto* const other = dynamic_cast<const GpuQueue*>(&from);
  if (other == nullptr || &other->runtime_ != &runtime_ || in.word_bits() != out.word_bits()) return false;
  require_not_recording("a copy from another device", kWaits);
  // The words may be released in the order of either queue once this returns.
  other->wait();
  fetch(from, in, out, words);
  wait();
  return true;
}

bool GpuQueue::fetch(const Queue& from, ConstWordPtr in, WordPtr out, std::size_t words) const {
  const auto* const other = dynamic_cast<const GpuQueue*>(&from);
  if (other == nullptr || &other->runtime_ != &runtime_ || in.word_bits() != out.word_bits()) return false;
  if (other->ordinal_ == ordinal_)
    copy(in, out, words);
  else
    runtime_.copy_between(ordinal_, out.address(), other->ordinal_, in.address(),
                          bytes_of(words, in.word_bits()), stream());
  return true;
}

void GpuQueue::fill_zero(WordPtr out, std::size_t words) const {
  if (words != 0) run("filling with zeros", zeros(out, words));
}

void GpuQueue::wait() const {
  require_not_recording("a wait", kWaits);
  runtime_.synchronize(ordinal_, stream());
}

void GpuQueue::wait(const Event& event) const {
  const auto* const own_event = dynamic_cast<const StreamEvent*>(&event);
  if (own_event == nullptr || own_event->recording() == nullptr)
    require_not_recording("waiting for an event", "it is over when the graph runs");
  if (own_event == nullptr || &own_event->runtime() != &runtime_) return event.wait();
  runtime_.wait_in_stream(ordinal_, own_event->mark(), stream());
}

std::shared_ptr<const Event> GpuQueue::record() const {
  return std::make_shared<const StreamEvent>(runtime_, ordinal_, stream(), current_scope(ordinal_));
}

std::shared_ptr<void> GpuQueue::record_with(const Event& event) const {
  const auto* const other = dynamic_cast<const StreamEvent*>(&event);
  if (other == nullptr || other->recording() == nullptr || &other->runtime() != &runtime_) return nullptr;
  require_not_recording("another device's recording", "this device has one of its own");
  const auto joined = std::make_shared<JoinedStream>(runtime_, ordinal_);
  other->recording()->keep(joined);
  const std::shared_ptr<GpuScope> scope = joined->begin(other->mark());
  return {scope.get(), [scope](void*) { scope->end(); }};
}

std::unique_ptr<Capture> GpuQueue::begin_capture() const {
  require_not_recording("a capture", "finish the one that is in progress");
  return std::make_unique<StreamCapture>(runtime_, ordinal_);
}

void GpuQueue::in_one_piece(const std::function<void()>& give) const {
  OnePiece piece(ordinal_);
  give();
  piece.start();
}

template <class Word>
std::span<Word> words_of(const RingTables& ring, WordPtr x, std::size_t batch) {
  return {x.as<Word>(), batch * ring.words()};
}

void GpuQueue::forward(const RingTables& ring, WordPtr x, std::size_t batch) const {
  const CudaNttPlan& plan = own<GpuRing>(ring).plan();
  if (x.word_bits() == 32) {
    const auto words = words_of<std::uint32_t>(ring, x, batch);
    return plan.forward(words, words, stream(), CallPlaces::promised);
  }
  const auto words = words_of<std::uint64_t>(ring, x, batch);
  plan.forward(words, words, stream(), CallPlaces::promised);
}

void GpuQueue::inverse(const RingTables& ring, WordPtr x, std::size_t batch) const {
  const CudaNttPlan& plan = own<GpuRing>(ring).plan();
  if (x.word_bits() == 32) {
    const auto words = words_of<std::uint32_t>(ring, x, batch);
    return plan.inverse(words, words, stream(), CallPlaces::promised);
  }
  const auto words = words_of<std::uint64_t>(ring, x, batch);
  plan.inverse(words, words, stream(), CallPlaces::promised);
}

template <Combination kWhat>
void GpuQueue::combine(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out, std::size_t batch,
                       std::size_t period) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {a.address(), b.address(), out.address()});
    run("arithmetic on residues",
        Combine<kWhat, Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(), a.as<Word>(),
                             b.as<Word>(), out.as<Word>(),
                             static_cast<std::uint32_t>(std::max<std::size_t>(period, 1))});
  });
}

void GpuQueue::add(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const {
  combine<Combination::add>(ring, a, b, out, batch, batch * ring.limbs());
}
void GpuQueue::sub(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                   std::size_t batch) const {
  combine<Combination::sub>(ring, a, b, out, batch, batch * ring.limbs());
}
void GpuQueue::negate(const RingTables& ring, ConstWordPtr a, WordPtr out, std::size_t batch) const {
  combine<Combination::negate>(ring, a, a, out, batch, batch * ring.limbs());
}
void GpuQueue::multiply(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                        std::size_t batch) const {
  combine<Combination::multiply>(ring, a, b, out, batch, batch * ring.limbs());
}
void GpuQueue::multiply_accumulate(const RingTables& ring, ConstWordPtr a, ConstWordPtr b,
                                   WordPtr accumulator, std::size_t batch) const {
  combine<Combination::multiply_accumulate>(ring, a, b, accumulator, batch, batch * ring.limbs());
}
void GpuQueue::multiply_broadcast(const RingTables& ring, ConstWordPtr a, ConstWordPtr b, WordPtr out,
                                  std::size_t batch) const {
  combine<Combination::multiply>(ring, a, b, out, batch, ring.limbs());
}

void GpuQueue::multiply_scalar(const RingTables& ring, ConstWordPtr a, std::span<const std::uint64_t> scalars,
                               WordPtr out, std::size_t batch) const {
  require_scalars(ring, scalars);
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {a.address(), out.address()});
    ScaleLimbs<Word> operation{grid.shape,   grid.log_n,     grid.step, own<GpuRing>(ring).rows(),
                               a.as<Word>(), out.as<Word>(), {}};
    std::copy(scalars.begin(), scalars.end(), operation.scalars);
    run("scaling", operation);
  });
}

void GpuQueue::automorphism(const RingTables& ring, ConstWordPtr in, std::uint64_t element, WordPtr out,
                            std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    const RowGrid<Word> grid(batch * ring.limbs(), ring.n(), {out.address()});
    run("automorphism",
        MapAutomorphism<Word>{grid.shape, grid.log_n, grid.step, own<GpuRing>(ring).rows(), in.as<Word>(),
                              out.as<Word>(), inverse_element(ring.n(), element)});
  });
}

void GpuQueue::lift_plain(const RingTables& ring, std::uint64_t t, ConstWordPtr plain, WordPtr out,
                          std::size_t batch) const {
  with_word(out.word_bits(), [&]<class Word>(Word) {
    run("lifting a plaintext",
        LiftPlain<Word>{grid_of(batch, ring.n()), own<GpuRing>(ring).rows(), t, read(plain), out.as<Word>()});
  });
}

void GpuQueue::reduce_integers(std::uint64_t t, const IntegerRows& in, std::int64_t low, WordPtr out,
                               std::size_t n, std::size_t rows, WordPtr outside) const {
  if (outside != nullptr) fill_zero(outside, 1);
  run("integers modulo t",
      ReduceIntegers{grid_of(rows, n), IntegerRange(t, in.is_signed, low), read(in.words), in.is_signed,
                     static_cast<std::uint32_t>(in.width), write(out), write(outside)});
}

void GpuQueue::centre(std::uint64_t t, ConstWordPtr in, WordPtr out, std::size_t words) const {
  if (words == 0) return;
  const std::size_t n = std::min<std::size_t>(std::bit_ceil(words), std::size_t{1} << 12);
  run("centred integers", CentreWords{grid_of((words + n - 1) / n, n), t, read(in), write(out), words});
}

void GpuQueue::sum_centred(std::uint64_t t, ConstWordPtr plain, std::size_t n, WordPtr out,
                           std::size_t batch) const {
  const DeviceArray sums = allocate_secret(2 * batch, 64);
  auto* const words = const_cast<std::uint64_t*>(sums.data().as<std::uint64_t>());
  fill_zero(words, 2 * batch);
  run("norm", AddCentred{grid_of(batch, n), t, read(plain), words});
  run("norm", JoinSums{grid_of(batch, 1), words, write(out)});
}

void GpuQueue::repeat(ConstWordPtr in, std::size_t times, WordPtr out, std::size_t n,
                      std::size_t rows) const {
  run("repeated words", RepeatRow{grid_of(rows, n), log2_of(times), read(in), write(out)});
}

void GpuQueue::gather(const PermutationTables& permutation, ConstWordPtr in, WordPtr out,
                      std::size_t rows) const {
  const GpuPermutation& by = own<GpuPermutation>(permutation);
  const bool grouped = with_word(out.word_bits(), [&]<class Word>(Word) {
    constexpr unsigned kWords = Pack<Word>::kWords;
    if (in.word_bits() != out.word_bits() || !by.keeps_groups_of(kWords) ||
        !are_packed<Pack<Word>>(by.n(), {in.address(), out.address()}))
      return false;
    run("permutation",
        GatherGroups<Word>{grid_of(rows, by.n() / kWords), by.index(), in.as<Word>(), out.as<Word>()});
    return true;
  });
  if (grouped) return;
  run("permutation", GatherRow{grid_of(rows, permutation.n()), own<GpuPermutation>(permutation).index(),
                               read(in), write(out)});
}

}  // namespace nttforge::cuda
