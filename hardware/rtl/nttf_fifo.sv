// SPDX-License-Identifier: Apache-2.0
// Holds four words between a handshake and a design that moves when this was decided a cycle before.
// out_data is the oldest word while count > 0; the user never pushes a fifth word or pops without one.
module nttf_fifo #(
  parameter int WIDTH = 32
) (
  input  logic             clk,
  input  logic             reset,
  input  logic             push,
  input  logic [WIDTH-1:0] in_data,
  input  logic             pop,
  output logic [WIDTH-1:0] out_data,
  output logic [2:0]       count
);
  (* ram_style = "distributed" *) logic [WIDTH-1:0] words[4];
  logic [1:0] write_at, read_at;
  assign out_data = words[read_at];
  always_ff @(posedge clk) begin
    if (reset) begin
      write_at <= '0;
      read_at  <= '0;
      count    <= '0;
    end else begin
      if (push) write_at <= write_at + 1'b1;
      if (pop) read_at <= read_at + 1'b1;
      count <= count + 3'(push) - 3'(pop);
    end
    if (push) words[write_at] <= in_data;
  end
endmodule
