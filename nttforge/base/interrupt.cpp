// SPDX-License-Identifier: Apache-2.0
#include "nttforge/base/interrupt.hpp"

#include <utility>

namespace nttforge {
namespace {

thread_local InterruptHook installed_hook = nullptr;
thread_local void* installed_context = nullptr;

}  // namespace

InterruptScope::InterruptScope(InterruptHook hook, void* context) noexcept
    : hook_(std::exchange(installed_hook, hook)), context_(std::exchange(installed_context, context)) {}

InterruptScope::~InterruptScope() {
  installed_hook = hook_;
  installed_context = context_;
}

void poll_interrupt() {
  if (installed_hook != nullptr) installed_hook(installed_context);
}

}  // namespace nttforge
