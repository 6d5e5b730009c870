// SPDX-License-Identifier: Apache-2.0
// Whether enough enabled cycles have passed since the transform before began: CYCLES, or CYCLES_INVERSE
// if that one was an inverse. `near` comes two cycles earlier. After reset both are set.
module nttf_distance #(
  parameter int CYCLES         = 4,
  parameter int CYCLES_INVERSE = 4,
  localparam int BITS = $clog2(((CYCLES > CYCLES_INVERSE) ? CYCLES : CYCLES_INVERSE) + 1)
) (
  input  logic clk,
  input  logic reset,
  input  logic enable,
  input  logic begins,   // in an enabled cycle
  input  logic inverse,  // of the transform that begins
  output logic passed,
  output logic near
);
  logic [BITS-1:0] left;
  always_ff @(posedge clk) begin
    if (reset) begin
      left   <= '0;
      passed <= 1'b1;
      near   <= 1'b1;
    end else if (begins) begin
      left   <= inverse ? BITS'(CYCLES_INVERSE - 1) : BITS'(CYCLES - 1);
      passed <= inverse ? CYCLES_INVERSE == 1 : CYCLES == 1;
      near   <= inverse ? CYCLES_INVERSE <= 3 : CYCLES <= 3;
    end else if (enable && !passed) begin
      left   <= left - 1'b1;
      passed <= left == BITS'(1);
      near   <= 32'(left) <= 32'd3;
    end
  end
endmodule
