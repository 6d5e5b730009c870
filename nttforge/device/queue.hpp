// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nttforge/device/real_numbers.hpp"

namespace nttforge {

/// The operations a scheme is written in, on batches of RNS polynomials shaped [batch][limbs][n], contiguous,
/// in the memory of the queue's device. Places come from allocate(); those of an operation have the words of
/// its ring, 32 or 64 bits. Unless said otherwise `out` may equal an input but not overlap it partly;
/// residues are in [0, q) on entry and exit; every device and every implementation choice gives the same
/// words. Sizes are the caller's promise (the scheme checks its own inputs). Operations that take a Form give
/// the same polynomials in both: in values, words that are forward() of those in coefficients.
///
/// Order: operations of a queue run in the order in which they were given to it; those of two queues in no
/// order but what events say. The host waits in download, in wait() and in Event::wait() only.
/// Lifetimes: arrays, tables and steps may go as soon as the call that names them has returned; what they
/// hold lives until the last operation that uses it, in any queue, has run. Threads: const, and safe to call
/// from several threads at once, in an order that is then unspecified; operations that write what another
/// reads need an order.
///
/// It has five interfaces, each of which stands on the one before: memory.hpp, ring_operations.hpp,
/// key_switching.hpp, fusions.hpp, real_numbers.hpp.
class Queue : public RealNumbers {};

}  // namespace nttforge
