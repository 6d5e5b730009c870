// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nttforge {

/// Loops for thirty-two registers (stage_loops.hpp).
/// radix_log    stages per pass (1 to 3)
/// columns      vectors of each row in flight in a pass
/// codelets     codelets in flight
/// batch        butterflies handed to Butterfly at once; bounded by the registers
/// log_block    log2 of the points worked on to the end at once
/// long_passes  three stages per pass over groups larger than a block (pass_steps.hpp)
/// quotients    log2 of the n from which tables hold only quotients for lanes; 0: never
template <unsigned radix_log, int columns, int codelets, int batch, unsigned log_block,
          bool long_passes = false, unsigned quotients = 0>
struct Shape {
  static constexpr unsigned kRadixLog = radix_log;
  static constexpr int kColumns = columns;
  static constexpr int kCodelets = codelets;
  static constexpr int kBatch = batch;
  static constexpr unsigned kLogBlock = log_block;
  static constexpr unsigned kLongAbove = long_passes ? log_block : 0;
  static constexpr unsigned kQuotientsFrom = quotients;
};

}  // namespace nttforge
