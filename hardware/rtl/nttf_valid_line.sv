// SPDX-License-Identifier: Apache-2.0
// A flag delayed by DEPTH cycles of `enable`, cleared by `reset`; DEPTH = 0 is a wire.
module nttf_valid_line #(
  parameter int DEPTH = 2
) (
  // verilator lint_off UNUSEDSIGNAL
  input  logic clk,  // not used where DEPTH = 0
  input  logic reset,
  input  logic enable,
  // verilator lint_on UNUSEDSIGNAL
  input  logic in_valid,
  output logic out_valid
);
  generate
    if (DEPTH == 0) begin : gen_wire
      assign out_valid = in_valid;
    end else begin : gen_line
      // verilator lint_off UNUSEDSIGNAL
      logic [DEPTH:0] line;  // the last bit leaves the line
      // verilator lint_on UNUSEDSIGNAL
      logic [DEPTH-1:0] state;
      assign line = {state, in_valid};
      always_ff @(posedge clk) begin
        if (reset) state <= '0;
        else if (enable) state <= line[DEPTH-1:0];
      end
      assign out_valid = state[DEPTH-1];
    end
  endgenerate
endmodule
