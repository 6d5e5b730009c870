// SPDX-License-Identifier: Apache-2.0
// An NTT engine around banked memories, which does UNITS butterflies every cycle, whatever the dataflow.
//
//   in ----------------------------+
//   banks -> Benes network -> UNITS cores -> Benes network -> banks
//              |                               2 UNITS memories, one read and one write port each
//              +-> out
//
// Which elements meet in which cycle is in two images. They are computed, and proved free of conflicts,
// when the design is made ([Din24] dataflows). Cycle 0 is that of a transform's first word:
//   write image: row t (t < WORDS) places word t; then one row for each compute row
//   read image:  COMPUTE_ROWS rows, then WORDS rows that give the result; the first at READ_START
// A row of the read image has, from bit 0, bank addresses, settings, bypass (all cores: x = a, y = a w)
// and twiddles; a row of the write image has bank addresses, settings and enables of the banks.
// The first word goes out READ_START + COMPUTE_ROWS + 3 cycles after the first word came in.
module nttf_dataflow #(
  parameter int UNITS          = 2,
  parameter int WORDS          = 4,
  parameter int DEPTH          = 8,
  localparam int ADDRESS_BITS  = (DEPTH > 1) ? $clog2(DEPTH) : 1,
  localparam int LAYERS        = 2 * $clog2(2 * UNITS) - 1,
  parameter int COMPUTE_ROWS   = 12,
  parameter int READ_START     = 6,
  parameter int POSITION_BITS  = 8,
  parameter int GENTLEMAN_SANDE = 0,
  parameter     IMAGE_READ     = "",
  parameter     IMAGE_WRITE    = "",
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS     = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                         clk,
  input  logic                         reset,
  input  logic                         enable,
  input  logic [DATA_BITS-1:0]         q,
  input  logic [DATA_BITS+3:0]         constant,
  input  logic                         in_valid,
  input  logic                         in_first,
  input  logic [2*UNITS*DATA_BITS-1:0] in_data,
  output logic                         out_valid,
  output logic [2*UNITS*DATA_BITS-1:0] out_data
);
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int CORE_LATENCY    = PRODUCT_LATENCY + 1 + ADD_REGS;

  localparam int BANKS      = 2 * UNITS;
  localparam int WORD       = BANKS * DATA_BITS;
  localparam int SETTINGS   = LAYERS * UNITS;
  localparam int READ_BITS  = BANKS * ADDRESS_BITS + SETTINGS + 1 + UNITS * DATA_BITS;
  localparam int WRITE_BITS = BANKS * ADDRESS_BITS + SETTINGS + BANKS;
  localparam int READ_ROWS  = COMPUTE_ROWS + WORDS;
  localparam int WRITE_ROWS = WORDS + COMPUTE_ROWS;
  localparam int READ_ROW_BITS  = $clog2(READ_ROWS);
  localparam int WRITE_ROW_BITS = $clog2(WRITE_ROWS);
  localparam int WRITE_START = READ_START + CORE_LATENCY + 2;  // of the first compute row
  localparam int LAST       = WRITE_START + READ_ROWS;

  // Cycles since the first word.
  logic                     active, running;
  // verilator lint_off UNUSEDSIGNAL
  logic [POSITION_BITS-1:0] position, position_next, read_row, write_row;  // rows are fewer than positions
  // verilator lint_on UNUSEDSIGNAL
  logic                     reads, gives, loads, computes;
  assign position  = (in_valid && in_first) ? '0 : position_next;
  assign running   = (in_valid && in_first) || active;
  assign loads     = running && in_valid;
  assign reads     = running && position >= POSITION_BITS'(READ_START)
                     && position < POSITION_BITS'(READ_START + READ_ROWS);
  assign gives     = reads && position >= POSITION_BITS'(READ_START + COMPUTE_ROWS);
  assign computes  = running && position >= POSITION_BITS'(WRITE_START)
                     && position < POSITION_BITS'(WRITE_START + COMPUTE_ROWS);
  assign read_row  = position - POSITION_BITS'(READ_START);
  assign write_row = loads ? position
                           : position - POSITION_BITS'(WRITE_START) + POSITION_BITS'(WORDS);
  always_ff @(posedge clk) begin
    if (reset) active <= 1'b0;
    else if (enable && running) active <= position != POSITION_BITS'(LAST);
    if (enable) position_next <= position + 1'b1;
  end

  logic [READ_BITS-1:0]  read_fields;
  logic [WRITE_BITS-1:0] write_fields;
  nttf_rom #(
    .WIDTH(READ_BITS), .DEPTH(READ_ROWS), .IMAGE(IMAGE_READ)
  ) u_read (.clk(clk), .enable(enable), .read_address(reads ? READ_ROW_BITS'(read_row) : '0),
            .out_data(read_fields));
  nttf_rom #(
    .WIDTH(WRITE_BITS), .DEPTH(WRITE_ROWS), .IMAGE(IMAGE_WRITE)
  ) u_write (.clk(clk), .enable(enable),
             .read_address((loads || computes) ? WRITE_ROW_BITS'(write_row) : '0),
             .out_data(write_fields));

  // Banks, with the write side registered once behind the second network.
  logic [WORD-1:0]               remembered, routed, fetched, results, chosen, placed, stored;
  logic [BANKS*ADDRESS_BITS-1:0] write_addresses;
  logic [BANKS-1:0]              write_enables, write_wanted;
  logic                          loads_held, writes_held;
  logic [DATA_BITS-1:0] word[BANKS], result[BANKS];
  generate
    for (genvar j = 0; (1 << j) <= BANKS; j = j + 1) begin : gen_join
      for (genvar k = 0; k < (BANKS >> j); k = k + 1) begin : gen_node
        logic [(DATA_BITS << j)-1:0] words;
        if (j == 0) begin : gen_one
          assign words = word[k];
        end else begin : gen_both
          assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
        end
      end
    end
    assign remembered = gen_join[$clog2(BANKS)].gen_node[0].words;
  endgenerate
  generate
    for (genvar j = 0; (1 << j) <= BANKS; j = j + 1) begin : gen_results
      for (genvar k = 0; k < (BANKS >> j); k = k + 1) begin : gen_node
        logic [(DATA_BITS << j)-1:0] words;
        if (j == 0) begin : gen_one
          assign words = result[k];
        end else begin : gen_both
          assign words = {gen_results[j-1].gen_node[2*k+1].words, gen_results[j-1].gen_node[2*k].words};
        end
      end
    end
    assign results = gen_results[$clog2(BANKS)].gen_node[0].words;
  endgenerate
  generate
    for (genvar b = 0; b < BANKS; b = b + 1) begin : gen_bank
      nttf_memory #(.WIDTH(DATA_BITS), .DEPTH(DEPTH)) u_memory (
        .clk(clk), .enable(enable), .write(write_enables[b]),
        .write_address(write_addresses[b*ADDRESS_BITS+:ADDRESS_BITS]),
        .in_data(stored[b*DATA_BITS+:DATA_BITS]),
        .read_address(read_fields[b*ADDRESS_BITS+:ADDRESS_BITS]),
        .out_data(word[b]));
    end
  endgenerate

  // Read side: settings follow the addresses by one cycle, twiddles by two.
  logic [SETTINGS-1:0]        read_settings;
  logic [UNITS*DATA_BITS-1:0] twiddles;
  logic                       bypass;
  nttf_delay #(.WIDTH(SETTINGS), .DEPTH(1)) u_read_settings (
    .clk(clk), .enable(enable), .in_data(read_fields[BANKS*ADDRESS_BITS+:SETTINGS]),
    .out_data(read_settings));
  nttf_delay #(.WIDTH(UNITS * DATA_BITS + 1), .DEPTH(2)) u_twiddles (
    .clk(clk), .enable(enable), .in_data(read_fields[READ_BITS-1-:UNITS*DATA_BITS+1]),
    .out_data({twiddles, bypass}));
  nttf_benes #(.DATA_BITS(DATA_BITS), .LANES(BANKS)) u_fetch (
    .settings(read_settings), .in_data(remembered), .out_data(routed));
  nttf_delay #(.WIDTH(WORD), .DEPTH(1)) u_fetched (
    .clk(clk), .enable(enable), .in_data(routed), .out_data(fetched));
  assign out_data = fetched;
  nttf_valid_line #(.DEPTH(3)) u_valid (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(gives), .out_valid(out_valid));

  generate
    for (genvar u = 0; u < UNITS; u = u + 1) begin : gen_unit
      nttf_butterfly #(
        .FORWARD(1 - GENTLEMAN_SANDE), .INVERSE(GENTLEMAN_SANDE), .HALVE(0), .CORE(CORE)
      ) u_core (
        .clk(clk), .enable(enable), .enable_beside(enable), .inverse(1'b1), .q(q),
        .constant(constant),
        .a(fetched[2*u*DATA_BITS+:DATA_BITS]),
        .b(bypass ? '0 : fetched[(2*u+1)*DATA_BITS+:DATA_BITS]),
        .w(twiddles[u*DATA_BITS+:DATA_BITS]),
        .x(result[2*u]), .y(result[2*u+1]));
    end
  endgenerate

  // Write side.
  logic [WORD-1:0] arrived;
  nttf_delay #(.WIDTH(WORD), .DEPTH(1)) u_arrived (
    .clk(clk), .enable(enable), .in_data(in_data), .out_data(arrived));
  assign chosen       = loads_held ? arrived : results;
  assign write_wanted = writes_held ? write_fields[WRITE_BITS-1-:BANKS] : '0;
  nttf_benes #(.DATA_BITS(DATA_BITS), .LANES(BANKS)) u_place (
    .settings(write_fields[BANKS*ADDRESS_BITS+:SETTINGS]), .in_data(chosen), .out_data(placed));
  always_ff @(posedge clk) begin
    if (reset) begin
      loads_held    <= 1'b0;
      writes_held   <= 1'b0;
      write_enables <= '0;
    end else if (enable) begin
      loads_held    <= loads;
      writes_held   <= loads || computes;
      write_enables <= write_wanted;
    end
    if (enable) begin
      stored          <= placed;
      write_addresses <= write_fields[BANKS*ADDRESS_BITS-1:0];
    end
  end
endmodule
