// SPDX-License-Identifier: Apache-2.0
#include "nttforge/cuda/device/one_piece.hpp"

#include "nttforge/cuda/device/gpu_scope.hpp"

namespace nttforge::cuda {
namespace {

thread_local OnePiece* of_thread = nullptr;

bool is_recorded(int device) {
  const GpuScope* const scope = current_scope(device);
  return scope != nullptr && scope->is_recording();
}

}  // namespace

OnePiece* OnePiece::current() { return of_thread; }

OnePiece::OnePiece(int device)
    : runtime_(runtime_of(device)),
      device_(device),
      collects_(!is_recorded(device) && runtime_.collect_launches()) {
  if (collects_) of_thread = this;
}

OnePiece::~OnePiece() {
  if (!collects_) return;
  of_thread = nullptr;
  runtime_.drop_collected();
}

void OnePiece::start() {
  if (!collects_) return;
  collects_ = false;
  of_thread = nullptr;
  runtime_.start_collected(device_);
}

}  // namespace nttforge::cuda
