// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/runtime/staging.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "nttforge/base/memory/secret.hpp"

namespace nttforge::cuda {
namespace {

/// Pieces that are on their way at the same time before one is used again.
constexpr std::size_t kPieces = 4;

/// Small copies are cut too, so that the bus and the host work at the same time.
std::size_t chunk_of(std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{1} << 16;
  const std::size_t part = (bytes / kPieces + kLeast - 1) / kLeast * kLeast;
  return std::clamp(part, kLeast, Staging::kPieceBytes);
}

}  // namespace

/// A piece that is in use here, and back in the pool at the end of the scope.
class Staging::Lease {
 public:
  explicit Lease(Staging& staging) : staging_(&staging), piece_(staging.take()) {}
  Lease(Lease&& other) noexcept : staging_(std::exchange(other.staging_, nullptr)), piece_(other.piece_) {}
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (staging_ != nullptr) staging_->give_back(piece_);
  }
  Piece& operator*() { return piece_; }
  Piece* operator->() { return &piece_; }

 private:
  Staging* staging_;
  Piece piece_;
};

Staging& Staging::of(int device) {
  // Never destroyed: arrays may be released while the process ends.
  static std::mutex* const mutex = new std::mutex;
  static auto* const all = new std::map<int, std::unique_ptr<Staging>>;
  const std::lock_guard lock(*mutex);
  std::unique_ptr<Staging>& staging = (*all)[device];
  if (staging == nullptr) staging.reset(new Staging(device));
  return *staging;
}

Staging::Piece Staging::take() {
  const std::uint64_t context = runtime_.context_id(device_);
  Piece piece;
  {
    const std::lock_guard lock(mutex_);
    while (!pieces_.empty() && pieces_.front().context != context) pieces_.pop_front();  // gone with a reset
    if (pieces_.size() >= kPieces ||
        (!pieces_.empty() && runtime_.has_passed(device_, pieces_.front().mark))) {
      piece = pieces_.front();
      pieces_.pop_front();
    }
  }
  if (piece.memory != nullptr) {
    runtime_.wait_for_mark(device_, piece.mark);
    return piece;
  }
  piece.context = context;
  piece.memory = runtime_.allocate_host(device_, kPieceBytes);
  try {
    piece.mark = runtime_.make_mark(device_);
  } catch (...) {
    runtime_.release_host(device_, piece.memory);
    throw;
  }
  return piece;
}

void Staging::give_back(const Piece& piece) {
  const std::lock_guard lock(mutex_);
  pieces_.push_back(piece);
}

void Staging::wipe_passed(std::uint64_t context) {
  const std::lock_guard lock(mutex_);
  for (Piece& piece : pieces_)
    if (piece.dirty != 0 && piece.context == context && runtime_.has_passed(device_, piece.mark))
      secure_zero(piece.memory, std::exchange(piece.dirty, 0));
}

void Staging::upload(void* to, std::size_t bytes, CudaStream stream, const Write& write) {
  const CudaCall call(runtime_, device_);
  const std::size_t chunk = chunk_of(bytes);
  for (std::size_t first = 0; first < bytes; first += chunk) {
    const std::size_t size = std::min(chunk, bytes - first);
    Lease piece(*this);
    piece->dirty = std::max(piece->dirty, size);
    write(piece->memory, first, size);
    runtime_.copy(device_, static_cast<std::byte*>(to) + first, piece->memory, size, stream);
    runtime_.place_mark(device_, piece->mark, stream);
  }
}

void Staging::download(const void* from, std::size_t bytes, CudaStream stream, const Read& read) {
  const CudaCall call(runtime_, device_);
  const std::size_t chunk = chunk_of(bytes);
  std::deque<Lease> under_way;
  for (std::size_t enqueued = 0, taken = 0; taken < bytes;) {
    while (enqueued < bytes && under_way.size() < kPieces) {
      const std::size_t size = std::min(chunk, bytes - enqueued);
      Lease& piece = under_way.emplace_back(*this);
      runtime_.copy(device_, piece->memory, static_cast<const std::byte*>(from) + enqueued, size, stream);
      runtime_.place_mark(device_, piece->mark, stream);
      enqueued += size;
    }
    const std::size_t size = std::min(chunk, bytes - taken);
    Lease& piece = under_way.front();
    piece->dirty = std::max(piece->dirty, size);
    runtime_.wait_for_mark(device_, piece->mark);
    read(piece->memory, taken, size);
    taken += size;
    secure_zero(piece->memory, std::exchange(piece->dirty, 0));
    under_way.pop_front();
  }
  wipe_passed(call.context_id());
}

void Staging::answer(CudaStream stream, std::span<std::uint64_t> words,
                     const std::function<void(std::uint64_t*)>& enqueue) {
  const CudaCall call(runtime_, device_);
  Lease piece(*this);
  auto* const answers = static_cast<std::uint64_t*>(piece->memory);
  std::fill_n(answers, words.size(), 0);
  enqueue(answers);
  runtime_.place_mark(device_, piece->mark, stream);
  runtime_.wait_for_mark(device_, piece->mark);
  std::copy_n(static_cast<volatile std::uint64_t*>(answers), words.size(), words.data());
}

}  // namespace nttforge::cuda
