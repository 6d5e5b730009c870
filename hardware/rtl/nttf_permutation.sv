// SPDX-License-Identifier: Apache-2.0
// Any permutation of a frame of WORDS x LANES words in a stream: spatial - temporal - spatial
// ([Yan22] section 5.4, [Che15]). Each frame takes one of PERMUTATIONS, without bubbles between frames.
//
//   in -> Benes network -> LANES memories, two frames each -> Benes network -> out
//
// Row perm * WORDS + slot of three images has the settings of the first network, the read addresses of
// the memories (lane 0 lowest), and the settings of the second network. A frame is read DELAY cycles
// after its first word came, which is when the slowest word of any of the permutations is there.
// The first word goes out DELAY + 2 cycles after the first word came in; then one word goes out a cycle.
module nttf_permutation #(
  parameter int DATA_BITS    = 30,
  parameter int LANES        = 4,
  parameter int WORDS        = 4,
  localparam int SLOT_BITS   = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int PERMUTATIONS = 1,
  localparam int SELECT_BITS = (PERMUTATIONS > 1) ? $clog2(PERMUTATIONS) : 1,
  localparam int LAYERS      = 2 * $clog2(LANES) - 1,
  parameter int DELAY        = 3,
  parameter     IMAGE_IN     = "",
  parameter     IMAGE_READ   = "",
  parameter     IMAGE_OUT    = ""
) (
  input  logic                       clk,
  input  logic                       reset,
  input  logic                       enable,
  input  logic                       in_valid,   // WORDS cycles of `enable` in a row
  input  logic                       in_first,
  input  logic [SELECT_BITS-1:0]     in_select,  // with in_first
  input  logic [LANES*DATA_BITS-1:0] in_data,
  output logic                       out_valid,
  output logic [LANES*DATA_BITS-1:0] out_data
);
  localparam int SETTINGS = LAYERS * LANES / 2;
  localparam int ROWS     = PERMUTATIONS * WORDS;
  localparam int ROW_BITS = (ROWS > 1) ? $clog2(ROWS) : 1;
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  function automatic logic [ROW_BITS-1:0] row_of(logic [SELECT_BITS-1:0] select,
                                                 logic [SLOT_BITS-1:0] slot);
    row_of = ROW_BITS'(select) * ROW_BITS'(WORDS) + ROW_BITS'(slot);
  endfunction

  // Write side: settings come one cycle after the word, the memories take it another one later.
  logic [SLOT_BITS-1:0]       slot, slot_next, write_slot;
  logic [SELECT_BITS-1:0]     select, select_held;
  logic                       half, half_next, write, write_half;
  logic [SETTINGS-1:0]        settings_in;
  logic [LANES*DATA_BITS-1:0] waiting, switched, written;
  assign slot   = in_first ? '0 : slot_next;
  assign select = in_first ? in_select : select_held;
  assign half   = in_first ? !half_next : half_next;
  always_ff @(posedge clk) begin
    if (reset) half_next <= 1'b0;
    else if (enable && in_valid) half_next <= half;
    if (enable && in_valid) begin
      slot_next   <= slot + 1'b1;
      select_held <= select;
    end
  end
  nttf_rom #(.WIDTH(SETTINGS), .DEPTH(ROWS), .IMAGE(IMAGE_IN)) u_in (
    .clk(clk), .enable(enable), .read_address(row_of(select, slot)), .out_data(settings_in));
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(1)) u_waiting (
    .clk(clk), .enable(enable), .in_data(in_data), .out_data(waiting));
  nttf_benes #(.DATA_BITS(DATA_BITS), .LANES(LANES)) u_benes_in (
    .settings(settings_in), .in_data(waiting), .out_data(switched));
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(1)) u_written (
    .clk(clk), .enable(enable), .in_data(switched), .out_data(written));
  nttf_delay #(.WIDTH(SLOT_BITS + 1), .DEPTH(2)) u_write_slot (
    .clk(clk), .enable(enable), .in_data({half, slot}), .out_data({write_half, write_slot}));
  nttf_valid_line #(.DEPTH(2)) u_write (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(in_valid), .out_valid(write));

  // Read side: the same frame DELAY - 1 cycles later, for the image of read addresses takes one.
  logic                   begins, reading, active, read_half, read_half_held;
  logic [SLOT_BITS-1:0]   read_slot, read_slot_next;
  logic [SELECT_BITS-1:0] begin_select, read_select, read_select_held;
  logic                   begin_half;
  nttf_valid_line #(.DEPTH(DELAY - 1)) u_begins (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(in_valid && in_first),
    .out_valid(begins));
  nttf_delay #(.WIDTH(SELECT_BITS + 1), .DEPTH(DELAY - 1)) u_begin_select (
    .clk(clk), .enable(enable), .in_data({half, select}), .out_data({begin_half, begin_select}));
  assign reading     = begins || active;
  assign read_slot   = begins ? '0 : read_slot_next;
  assign read_select = begins ? begin_select : read_select_held;
  assign read_half   = begins ? begin_half : read_half_held;
  always_ff @(posedge clk) begin
    if (reset) active <= 1'b0;
    else if (enable && reading) active <= read_slot != LAST;
    if (enable) begin
      read_slot_next   <= read_slot + 1'b1;
      read_select_held <= read_select;
      read_half_held   <= read_half;
    end
  end

  logic [LANES*SLOT_BITS-1:0] addresses;
  logic                       address_half;
  logic [SETTINGS-1:0]        settings_read, settings_out;
  logic [LANES*DATA_BITS-1:0] remembered, switched_back;
  nttf_rom #(
    .WIDTH(LANES * SLOT_BITS), .DEPTH(ROWS), .IMAGE(IMAGE_READ)
  ) u_read (.clk(clk), .enable(enable), .read_address(row_of(read_select, read_slot)),
            .out_data(addresses));
  nttf_rom #(.WIDTH(SETTINGS), .DEPTH(ROWS), .IMAGE(IMAGE_OUT)) u_out (
    .clk(clk), .enable(enable), .read_address(row_of(read_select, read_slot)),
    .out_data(settings_read));
  nttf_delay #(.WIDTH(1), .DEPTH(1)) u_address_half (
    .clk(clk), .enable(enable), .in_data(read_half), .out_data(address_half));
  nttf_delay #(.WIDTH(SETTINGS), .DEPTH(1)) u_settings_out (
    .clk(clk), .enable(enable), .in_data(settings_read), .out_data(settings_out));
  logic [DATA_BITS-1:0] word[LANES];
  generate
    for (genvar j = 0; (1 << j) <= LANES; j = j + 1) begin : gen_join
      for (genvar k = 0; k < (LANES >> j); k = k + 1) begin : gen_node
        logic [(DATA_BITS << j)-1:0] words;
        if (j == 0) begin : gen_one
          assign words = word[k];
        end else begin : gen_both
          assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
        end
      end
    end
    assign remembered = gen_join[$clog2(LANES)].gen_node[0].words;
  endgenerate
  generate
    for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
      nttf_memory #(
        .WIDTH(DATA_BITS), .DEPTH(2 * WORDS)
      ) u_memory (
        .clk(clk), .enable(enable), .write(write), .write_address({write_half, write_slot}),
        .in_data(written[l*DATA_BITS+:DATA_BITS]),
        .read_address({address_half, addresses[l*SLOT_BITS+:SLOT_BITS]}),
        .out_data(word[l]));
    end
  endgenerate
  nttf_benes #(.DATA_BITS(DATA_BITS), .LANES(LANES)) u_benes_out (
    .settings(settings_out), .in_data(remembered), .out_data(switched_back));
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(1)) u_result (
    .clk(clk), .enable(enable), .in_data(switched_back), .out_data(out_data));
  nttf_valid_line #(.DEPTH(3)) u_valid (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(reading), .out_valid(out_valid));
endmodule
