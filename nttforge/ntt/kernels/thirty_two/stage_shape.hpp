// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nttforge {

/// Sizes of the loops for thirty-two registers (stage_loops.hpp).
struct StageShape {
  unsigned radix_log;           ///< stages per pass (1 to 3)
  int columns;                  ///< vectors of each row in flight in a pass
  int codelets;                 ///< codelets in flight
  int batch;                    ///< butterflies handed to Butterfly at once; bounded by the registers
  unsigned log_block;           ///< log2 of the points worked on to the end at once
  bool long_passes = false;     ///< three stages per pass over groups larger than a block (pass_steps.hpp)
  unsigned quotients_from = 0;  ///< log2 of the n from which tables hold only quotients for lanes; 0: never

  constexpr unsigned long_above() const { return long_passes ? log_block : 0; }
};

}  // namespace nttforge
