// SPDX-License-Identifier: Apache-2.0
// Holds up to DEPTH words in their order; four are enough between a handshake and a design that moves when
// this was decided a cycle before. out_data is the oldest word while count > 0; the user never pushes when
// count is DEPTH, or pops when it is 0.
module nttf_fifo #(
  parameter int WIDTH       = 32,
  parameter int DEPTH       = 4,  // a power of two, 2 or more
  localparam int PLACE_BITS = $clog2(DEPTH)
) (
  input  logic                clk,
  input  logic                reset,
  input  logic                push,
  input  logic [WIDTH-1:0]    in_data,
  input  logic                pop,
  output logic [WIDTH-1:0]    out_data,
  output logic [PLACE_BITS:0] count
);
  (* ram_style = "distributed" *) logic [WIDTH-1:0] words[DEPTH];
  logic [PLACE_BITS-1:0] write_at, read_at;
  assign out_data = words[read_at];
  always_ff @(posedge clk) begin
    if (reset) begin
      write_at <= '0;
      read_at  <= '0;
      count    <= '0;
    end else begin
      if (push) write_at <= write_at + 1'b1;
      if (pop) read_at <= read_at + 1'b1;
      count <= count + (PLACE_BITS+1)'(push) - (PLACE_BITS+1)'(pop);
    end
    if (push) words[write_at] <= in_data;
  end
endmodule
