// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nttforge {

/// How much of the stack an operation uses at most, and so how much is overwritten after it: a thread that
/// calls one must have as much. bfv/stack_wipe_test.cpp measures how deep the operations go. Shallow:
/// transforms, reading and writing. Deep: sampling and conversions between bases.
enum class StackDepth : std::size_t { shallow = std::size_t{8} << 10, deep = std::size_t{32} << 10 };

/// Overwrites what the calls below left on the stack and in vector registers. Construct it first in an
/// operation that touches messages or keys, so that it is destroyed last, also where an error is thrown:
/// compilers keep words of a row on the stack when registers run out, and the dynamic linker saves all
/// registers there. Loops over words must be in functions that the operation calls, not inlined, since its
/// own frame stays. Inside another StackWipe of the thread it does nothing. Threads of a pool that work for
/// the operation wipe their own stacks.
class StackWipe {
 public:
  explicit StackWipe(StackDepth depth);
  ~StackWipe();
  StackWipe(const StackWipe&) = delete;
  StackWipe& operator=(const StackWipe&) = delete;

  /// Bytes that the outermost one of this thread will overwrite; 0 if there is none.
  static std::size_t active();

 private:
  const std::size_t before_;
};

/// Overwrites this many bytes below the caller's frame (rounded up to a StackDepth), and the vector
/// registers.
void wipe_stack(std::size_t bytes);

}  // namespace nttforge
