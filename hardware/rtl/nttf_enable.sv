// SPDX-License-Identifier: Apache-2.0
// A copy of the registered enable for one part of a design, so that no net of it has to reach all
// registers. The hierarchy keeps it apart from the other copies.
(* keep_hierarchy = "yes" *)
module nttf_enable (
  input  logic clk,
  input  logic enable_next,  // of the next cycle
  output logic enable
);
  always_ff @(posedge clk) enable <= enable_next;
endmodule
