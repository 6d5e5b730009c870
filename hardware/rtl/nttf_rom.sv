// SPDX-License-Identifier: Apache-2.0
// Constant words from IMAGE, a file for $readmemh with one word a line. out_data shows the word at
// read_address one cycle later. From BLOCK_DEPTH words on the module asks for block memory.
module nttf_rom #(
  parameter int WIDTH        = 32,
  parameter int DEPTH        = 16,
  localparam int ADDRESS_BITS = (DEPTH > 1) ? $clog2(DEPTH) : 1,
  parameter int BLOCK_DEPTH  = 64,
  parameter     IMAGE        = ""
) (
  input  logic                    clk,
  input  logic                    enable,
  input  logic [ADDRESS_BITS-1:0] read_address,
  output logic [WIDTH-1:0]        out_data
);
  generate
    if (DEPTH >= BLOCK_DEPTH) begin : gen_block
      (* rom_style = "block" *) logic [WIDTH-1:0] words[DEPTH];
      initial $readmemh(IMAGE, words, 0, DEPTH - 1);
      always_ff @(posedge clk) if (enable) out_data <= words[read_address];
    end else begin : gen_logic
      // Each tool reads the name that it knows: Yosys ram_style, Vivado rom_style, Quartus romstyle.
      (* ram_style = "registers", rom_style = "distributed", romstyle = "logic" *)
      logic [WIDTH-1:0] words[DEPTH];
      initial $readmemh(IMAGE, words, 0, DEPTH - 1);
      always_ff @(posedge clk) if (enable) out_data <= words[read_address];
    end
  endgenerate
endmodule
