// SPDX-License-Identifier: Apache-2.0
// Words with one write and one read port. out_data shows the word at read_address one cycle later, as it
// was before a write of the same cycle. From BLOCK_DEPTH words on the module asks for block memory, with
// ULTRA = 1 for UltraRAM.
module nttf_memory #(
  parameter int WIDTH        = 32,
  parameter int DEPTH        = 16,
  localparam int ADDRESS_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1,
  parameter int BLOCK_DEPTH  = 64,
  parameter int ULTRA        = 0
) (
  input  logic                    clk,
  input  logic                    enable,
  input  logic                    write,
  input  logic [ADDRESS_BITS-1:0] write_address,
  input  logic [WIDTH-1:0]        in_data,
  input  logic [ADDRESS_BITS-1:0] read_address,
  output logic [WIDTH-1:0]        out_data
);
  generate
    if (ULTRA != 0) begin : gen_ultra
      (* ram_style = "ultra" *) logic [WIDTH-1:0] words[DEPTH];
      always_ff @(posedge clk) begin
        if (enable) begin
          if (write) words[write_address] <= in_data;
          out_data <= words[read_address];
        end
      end
    end else if (DEPTH >= BLOCK_DEPTH) begin : gen_block
      (* ram_style = "block" *) logic [WIDTH-1:0] words[DEPTH];
      always_ff @(posedge clk) begin
        if (enable) begin
          if (write) words[write_address] <= in_data;
          out_data <= words[read_address];
        end
      end
    end else begin : gen_distributed
      (* ram_style = "distributed" *) logic [WIDTH-1:0] words[DEPTH];
      always_ff @(posedge clk) begin
        if (enable) begin
          if (write) words[write_address] <= in_data;
          out_data <= words[read_address];
        end
      end
    end
  endgenerate
endmodule
