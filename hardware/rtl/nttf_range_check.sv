// SPDX-License-Identifier: Apache-2.0
// Watches the words that enter an engine with loaded moduli: error_range is set by a residue that is not
// below the modulus of its frame's set, and stays until reset. load_constant writes q of load_set.
module nttf_range_check #(
  parameter int BITS      = 30,
  parameter int LANES     = 4,
  parameter int SETS      = 1,
  localparam int SET_BITS = (SETS > 1) ? $clog2(SETS) : 1
) (
  input  logic                  clk,
  input  logic                  reset,
  input  logic                  enable,
  input  logic                  load_constant,
  input  logic [SET_BITS-1:0]   load_set,
  input  logic [BITS-1:0]       load_q,
  input  logic                  in_valid,
  input  logic [SET_BITS-1:0]   in_set,
  input  logic [LANES*BITS-1:0] in_data,
  output logic                  error_range
);
  logic [BITS-1:0]       q;
  logic [LANES*BITS-1:0] data;
  logic [LANES-1:0]      above, above_held;
  logic                  valid, checked;
  nttf_table_memory #(.WIDTH(BITS), .DEPTH((SETS > 1) ? SETS : 1)) u_q (
    .clk(clk), .write(load_constant), .write_address(load_set), .in_data(load_q), .enable(enable),
    .read_address(in_set), .out_data(q));
  generate
    for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
      assign above[l] = data[l*BITS+:BITS] >= q;
    end
  endgenerate
  always_ff @(posedge clk) begin
    if (reset) begin
      valid       <= 1'b0;
      checked     <= 1'b0;
      error_range <= 1'b0;
    end else begin
      if (enable) valid <= in_valid;
      checked <= valid && enable;
      if (checked && above_held != '0) error_range <= 1'b1;
    end
    if (enable) data <= in_data;
    above_held <= above;
  end
endmodule
