// SPDX-License-Identifier: Apache-2.0
// A word delayed by DEPTH cycles of `enable`; DEPTH = 0 is a wire.
module nttf_delay #(
  parameter int WIDTH = 1,
  parameter int DEPTH = 1
) (
  // verilator lint_off UNUSEDSIGNAL
  input  logic             clk,  // not used where DEPTH = 0
  input  logic             enable,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [WIDTH-1:0] in_data,
  output logic [WIDTH-1:0] out_data
);
  generate
    if (DEPTH == 0) begin : gen_wire
      assign out_data = in_data;
    end else if (DEPTH == 1) begin : gen_register
      logic [WIDTH-1:0] state;
      always_ff @(posedge clk) if (enable) state <= in_data;
      assign out_data = state;
    end else begin : gen_line
      logic [DEPTH*WIDTH-1:0] state;
      always_ff @(posedge clk) if (enable) state <= {state[(DEPTH-1)*WIDTH-1:0], in_data};
      assign out_data = state[DEPTH*WIDTH-1-:WIDTH];
    end
  endgenerate
endmodule
