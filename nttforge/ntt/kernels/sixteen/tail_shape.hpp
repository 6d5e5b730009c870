// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nttforge {

/// Sizes of the loops for sixteen registers and for scalar code (tail_passes.hpp).
struct TailShape {
  unsigned radix_log;     ///< stages per pass (1 to 4)
  int columns;            ///< vectors of each row in flight in a pass
  int together;           ///< groups in flight where rows are single vectors, and squares in the tail
  int batch;              ///< butterflies handed to Butterfly at once
  unsigned log_block;     ///< log2 of the points worked on to the end at once
  unsigned last_log = 2;  ///< stages of the tail if a vector is one word
  bool stagewise =
      false;  ///< first forward pass, last inverse one and tail stage by stage (strip_passes.hpp)
};

}  // namespace nttforge
