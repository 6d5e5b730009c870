// SPDX-License-Identifier: Apache-2.0
// Takes the tables of one modulus from a stream and writes them into an engine, a word a cycle.
// A word holds BANKS residues. A table is, word by word:
//   the engine's number; the number of the set; q; the constant of the reduction, its low BITS bits, then
//   the others; the rows of twiddles of each super pipeline in turn (ROWS, 32 bits for each of them)
// All outputs come one cycle after their word. error_table is set by a t_last that comes with another
// word than the last one, or is missing there, and by a number that is too high; it stays until reset.
module nttf_table_loader #(
  parameter int BITS           = 30,
  parameter int BANKS          = 2,
  parameter int ENGINES        = 1,
  parameter int SETS           = 1,
  localparam int SET_BITS      = (SETS > 1) ? $clog2(SETS) : 1,
  parameter int PIPELINES      = 1,
  localparam int PLACE_BITS    = (PIPELINES > 1) ? $clog2(PIPELINES) : 1,
  parameter int ADDRESS_BITS   = 4,
  parameter logic [PIPELINES*32-1:0] ROWS = '0
) (
  input  logic                    clk,
  input  logic                    reset,
  input  logic                    t_valid,
  input  logic                    t_last,
  input  logic [BANKS*BITS-1:0]   t_data,
  output logic [ENGINES-1:0]      engine,     // which one all that follows is for, one bit each
  output logic [PIPELINES-1:0]    write,      // into which super pipeline a row goes
  output logic [ADDRESS_BITS-1:0] row,
  output logic [BANKS*BITS-1:0]   word,
  output logic                    constants,  // value is complete
  output logic [SET_BITS-1:0]     set,
  output logic [2*BITS+3:0]       value,      // {constant, q}
  output logic                    error_table
);
  localparam int HEADER = 5;
  logic [2:0]              header;  // words of it that came
  logic [PLACE_BITS-1:0]   place;
  logic [31:0]             rows, number;
  logic [ADDRESS_BITS-1:0] base;
  logic                    last, wrong;
  assign rows = ROWS[place*32+:32];
  // The rows of the sets before, bit by bit: a product would take a multiplier block.
  always_comb begin
    base = '0;
    for (int j = 0; j < SET_BITS; j = j + 1)
      if (SETS > 1 && set[j]) base = base + ADDRESS_BITS'(rows << j);
  end
  assign last = header == 3'(HEADER) && number == rows - 1 && place == PLACE_BITS'(PIPELINES - 1);
  assign wrong = (t_last != last) || (header == 3'd0 && t_data >= (BANKS*BITS)'(ENGINES))
              || (header == 3'd1 && t_data >= (BANKS*BITS)'(SETS));
  always_ff @(posedge clk) begin
    if (reset) begin
      header      <= '0;
      place       <= '0;
      number      <= '0;
      write       <= '0;
      constants   <= 1'b0;
      error_table <= 1'b0;
    end else begin
      write     <= '0;
      constants <= t_valid && header == 3'd4;
      if (t_valid) begin
        if (wrong) error_table <= 1'b1;
        if (header != 3'(HEADER)) begin
          header <= header + 1'b1;
        end else begin
          write[place] <= 1'b1;
          number       <= (number == rows - 1) ? '0 : number + 1'b1;
          if (number == rows - 1) place <= last ? '0 : place + 1'b1;
          if (last) header <= '0;
        end
      end
    end
    if (t_valid) begin
      case (header)
        3'd0: for (int e = 0; e < ENGINES; e = e + 1) engine[e] <= t_data == (BANKS*BITS)'(e);
        3'd1: set <= SET_BITS'(t_data);
        3'd2: value[BITS-1:0] <= t_data[BITS-1:0];
        3'd3: value[2*BITS-1:BITS] <= t_data[BITS-1:0];
        3'd4: value[2*BITS+3:2*BITS] <= t_data[3:0];
        default: begin
          row  <= base + ADDRESS_BITS'(number);
          word <= t_data;
        end
      endcase
    end
  end
endmodule
