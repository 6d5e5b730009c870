// SPDX-License-Identifier: Apache-2.0
// One super pipeline: permutation, LANES / 2 cores with their twiddles, and the turn of the lanes.
//
//   in -> nttf_stage_spn -> cores on lanes (2c, 2c + 1) -> lane bits rotated right by one -> out
//
// It serves one stage per pass; table row (pass, or PASSES + pass for an inverse transform when both
// directions are built) says how.
// Twiddles: position = slot * BANKS >> INDEX_BIT holds the address in its high bits. Bank bits come from
// the lane where FROM_LANE says so, else from the low bits of position, which a forward transform reads
// backwards; they are 1 where FIXED says so (stages that share a row).
// Twiddles on the fly, FINE_BITS > 0: the low FINE_BITS of the address choose a factor from a second,
// narrow memory, the same for all cores, and every twiddle is the product of both.
// MEMORY_REGS: 1 puts a register behind the memories, 2 also one in front of them, 3 also one at the
// inputs, 4 also one before the addresses are computed.
// ENABLE_REGS = 1: `enable` is not used. Every core has two registers of its own that take `enable_next`,
// and four other parts have one each.
// A frame's tag says in its lowest bit which direction is its own, where both are built, so that frames of
// both may be inside.
// SETS > 0: moduli and twiddles are loaded, SETS of them, and MOVING = 1 in CORE. The rest of the tag says
// which set. load_write writes a row of twiddles; those of a
// set follow those of the set before. load_constant writes the modulus and the constant of load_set.
// The first word goes out DELAY + 2 + MEMORY_REGS + CORE_LATENCY cycles (+ PRODUCT_LATENCY on the fly)
// after the first word came in, without DELAY for a word that enters here.
module nttf_super_pipeline #(
  parameter int PARTS          = 1,
  parameter int LANES          = 4,
  parameter int WORDS          = 4,
  localparam int SLOT_BITS     = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int PASSES         = 1,
  localparam int PASS_BITS     = (PASSES > 1) ? $clog2(PASSES) : 1,
  parameter int SETS           = 0,
  localparam int SET_BITS      = (SETS > 1) ? $clog2(SETS) : 1,
  localparam int TABLES        = (SETS > 1) ? SETS : 1,
  localparam int TAG_BITS      = 1 + SET_BITS,
  parameter int FORWARD        = 1,
  parameter int INVERSE        = 0,
  parameter int ROWS           = 1,
  localparam int ROW_BITS      = (ROWS > 1) ? $clog2(ROWS) : 1,
  parameter int DELAY_BITS     = 3,
  parameter int EXCHANGES      = 1,
  parameter int MEMORY         = 1,
  localparam int BANK_BITS     = (LANES > 2) ? $clog2(LANES / 2) : 1,
  parameter int INDEX_BITS     = 4,
  parameter int TWIDDLE_ROWS   = 4,
  localparam int ADDRESS_BITS  = (TABLES * TWIDDLE_ROWS > 1) ? $clog2(TABLES * TWIDDLE_ROWS) : 1,
  parameter     TWIDDLE_IMAGE  = "",
  parameter logic [ROWS*EXCHANGES*SLOT_BITS-1:0] EXCHANGE = '0,
  parameter logic [ROWS*DELAY_BITS-1:0]   DELAY        = '0,
  parameter logic [ROWS*ADDRESS_BITS-1:0] TWIDDLE_BASE = '0,
  parameter logic [ROWS*INDEX_BITS-1:0]   INDEX_BIT    = '0,
  parameter logic [ROWS*BANK_BITS-1:0]    FROM_LANE    = '0,
  parameter logic [ROWS*BANK_BITS-1:0]    FIXED        = '0,
  parameter int FINE_BITS       = 0,
  parameter int FINE_ROWS       = 1,
  localparam int FINE_ADDRESS_BITS = (FINE_ROWS > 1) ? $clog2(FINE_ROWS) : 1,
  parameter     FINE_IMAGE      = "",
  parameter logic [ROWS*FINE_ADDRESS_BITS-1:0] FINE_BASE = '0,
  parameter int MEMORY_REGS     = 0,
  parameter int ENABLE_REGS     = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int BANKS         = LANES / 2,
  localparam int RESIDUE_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int DATA_BITS     = PARTS * RESIDUE_BITS  // of a lane's word
) (
  input  logic                       clk,
  input  logic                       reset,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                       enable,  // ENABLE_REGS chooses which of the two is read
  input  logic                       enable_next,
  input  logic [RESIDUE_BITS-1:0]    q,         // SETS = 0, as the constant
  input  logic [RESIDUE_BITS+3:0]    constant,
  input  logic                       load_write,  // SETS > 0, as all of load
  input  logic [ADDRESS_BITS-1:0]    load_row,
  input  logic [BANKS*DATA_BITS-1:0] load_word,
  input  logic                       load_constant,
  input  logic [SET_BITS-1:0]        load_set,
  input  logic [2*RESIDUE_BITS+3:0]  load_value,  // {constant, q}
  input  logic [TAG_BITS-1:0]        in_tag,     // with in_first
  input  logic [TAG_BITS-1:0]        entry_tag,  // with entry_first
  // verilator lint_on UNUSEDSIGNAL
  input  logic                       in_valid,
  input  logic                       in_first,
  input  logic [PASS_BITS-1:0]       in_pass,  // with in_first
  input  logic [LANES*DATA_BITS-1:0] in_data,
  input  logic                       entry_valid,  // a transform's first stage: pass 0
  input  logic                       entry_first,
  input  logic [LANES*DATA_BITS-1:0] entry_data,
  output logic                       out_valid,
  output logic                       out_first,
  output logic [PASS_BITS-1:0]       out_pass,
  output logic [TAG_BITS-1:0]        out_tag,  // with every word
  output logic [LANES*DATA_BITS-1:0] out_data
);
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int CORE_LATENCY    = PRODUCT_LATENCY + (FORWARD + INVERSE) * (1 + ADD_REGS);

  localparam int BEHIND = (MEMORY_REGS >= 1) ? 1 : 0;
  localparam int FRONT  = ((MEMORY_REGS >= 2) ? 1 : 0) + ((MEMORY_REGS >= 4) ? 1 : 0);
  localparam int INPUT  = (MEMORY_REGS >= 3) ? 1 : 0;

  // The enable of the inputs, of the permutation, of the twiddles and of the flags.
  localparam int PARTS_MOVED = 4;
  logic moves_in, moves_spn, moves_twiddles, moves_flags;
  generate
    if (ENABLE_REGS != 0) begin : gen_enable
      logic [PARTS_MOVED-1:0] copies;
      for (genvar part = 0; part < PARTS_MOVED; part = part + 1) begin : gen_copy
        nttf_enable u_copy (.clk(clk), .enable_next(enable_next), .enable(copies[part]));
      end
      assign {moves_in, moves_spn, moves_twiddles, moves_flags} = copies;
    end else begin : gen_direct
      assign {moves_in, moves_spn, moves_twiddles, moves_flags} = {PARTS_MOVED{enable}};
    end
  endgenerate

  logic                       came_valid, came_first, enter_valid, enter_first;
  logic [PASS_BITS-1:0]       came_pass;
  logic [TAG_BITS-1:0]        came_tag, enter_tag;
  logic [LANES*DATA_BITS-1:0] came, enter;
  nttf_valid_line #(.DEPTH(INPUT)) u_came_valid (
    .clk(clk), .reset(reset), .enable(moves_in), .in_valid(in_valid), .out_valid(came_valid));
  nttf_valid_line #(.DEPTH(INPUT)) u_enter_valid (
    .clk(clk), .reset(reset), .enable(moves_in), .in_valid(entry_valid), .out_valid(enter_valid));
  nttf_delay #(.WIDTH(2 + PASS_BITS + 2 * LANES * DATA_BITS), .DEPTH(INPUT)) u_came (
    .clk(clk), .enable(moves_in), .in_data({in_first, entry_first, in_pass, in_data, entry_data}),
    .out_data({came_first, enter_first, came_pass, came, enter}));
  nttf_delay #(.WIDTH(2 * TAG_BITS), .DEPTH(INPUT)) u_tags (
    .clk(clk), .enable(moves_in),
    .in_data({in_tag, entry_tag}), .out_data({came_tag, enter_tag}));

  logic                       read_valid, read_first;
  logic [TAG_BITS-1:0]        read_tag;
  logic [ROW_BITS-1:0]        in_row, entry_row, read_row;
  logic [SLOT_BITS-1:0]       read_slot;
  logic [LANES*DATA_BITS-1:0] permuted;
  generate
    if (FORWARD != 0 && INVERSE != 0) begin : gen_row_both
      assign entry_row = enter_tag[0] ? ROW_BITS'(PASSES) : '0;
      assign in_row    = ROW_BITS'(came_pass) + (came_tag[0] ? ROW_BITS'(PASSES) : '0);
    end else begin : gen_row_one
      assign entry_row = '0;
      assign in_row    = ROW_BITS'(came_pass);
    end
  endgenerate

  nttf_stage_spn #(
    .DATA_BITS(DATA_BITS), .LANES(LANES), .WORDS(WORDS), .ROWS(ROWS), .DELAY_BITS(DELAY_BITS),
    .TAG_BITS(TAG_BITS), .EXCHANGES(EXCHANGES), .MEMORY(MEMORY), .FRONT(FRONT), .BEHIND(BEHIND),
    .EXCHANGE(EXCHANGE), .DELAY(DELAY)
  ) u_spn (
    .clk(clk), .reset(reset), .enable(moves_spn), .in_valid(came_valid), .in_first(came_first),
    .in_row({came_tag, in_row}), .in_data(came), .entry_valid(enter_valid), .entry_first(enter_first),
    .entry_row({enter_tag, entry_row}), .entry_data(enter), .read_valid(read_valid), .read_first(read_first),
    .read_row({read_tag, read_row}), .read_slot(read_slot), .out_data(permuted));

  // Twiddles of the slot that is being read; they arrive with its word.
  logic [ROW_BITS-1:0]            row;
  // verilator lint_off UNUSEDSIGNAL
  logic [TAG_BITS-1:0]            tag;  // its set only where moduli are loaded
  // verilator lint_on UNUSEDSIGNAL
  logic [SLOT_BITS-1:0]           slot;
  logic [ADDRESS_BITS-1:0]        address, address_held, set_base;
  logic [BANK_BITS-1:0]           choice_held, from_lane_held;
  nttf_delay #(.WIDTH(TAG_BITS + ROW_BITS + SLOT_BITS), .DEPTH(FRONT / 2)) u_row (
    .clk(clk), .enable(moves_twiddles), .in_data({read_tag, read_row, read_slot}),
    .out_data({tag, row, slot}));
  logic [INDEX_BITS-1:0]          index_bit;
  logic [SLOT_BITS+BANK_BITS-1:0] position;
  logic [BANK_BITS-1:0]           choice;
  logic [BANKS*DATA_BITS-1:0]     twiddles;
  logic                           backwards;
  assign backwards = (INVERSE == 0) ? 1'b1 : (FORWARD == 0) ? 1'b0 : !tag[0];
  assign index_bit = INDEX_BIT[row*INDEX_BITS+:INDEX_BITS];
  assign position  = {slot, {BANK_BITS{1'b0}}} >> index_bit;
  // The rows of the sets before, bit by bit: a product would take a multiplier block.
  always_comb begin
    set_base = '0;
    for (int j = 0; j < SET_BITS; j = j + 1)
      if (TABLES > 1 && tag[1+j]) set_base = set_base + ADDRESS_BITS'(TWIDDLE_ROWS << j);
  end
  assign address   = TWIDDLE_BASE[row*ADDRESS_BITS+:ADDRESS_BITS] + set_base
                     + ADDRESS_BITS'(position >> (BANK_BITS + FINE_BITS));
  generate
    for (genvar j = 0; j < BANK_BITS; j = j + 1) begin : gen_choice
      assign choice[j] = FIXED[row*BANK_BITS+j]
                       || (backwards ? position[BANK_BITS-1-j] : position[j]);
    end
  endgenerate
  nttf_delay #(.WIDTH(ADDRESS_BITS + 2 * BANK_BITS), .DEPTH(FRONT - FRONT / 2)) u_address (
    .clk(clk), .enable(moves_twiddles),
    .in_data({address, choice, FROM_LANE[row*BANK_BITS+:BANK_BITS]}),
    .out_data({address_held, choice_held, from_lane_held}));
  nttf_twiddle_memory #(
    .DATA_BITS(DATA_BITS), .BANKS(BANKS), .DEPTH(TABLES * TWIDDLE_ROWS), .BEHIND(BEHIND),
    .LOADED((SETS != 0) ? 1 : 0), .IMAGE(TWIDDLE_IMAGE)
  ) u_twiddles (
    .clk(clk), .enable(moves_twiddles), .row(address_held), .from_lane(from_lane_held),
    .choice(choice_held), .write(load_write), .write_row(load_row), .write_word(load_word),
    .twiddles(twiddles));

  localparam int WAIT = (FINE_BITS != 0) ? PRODUCT_LATENCY : 0;  // of the words for their twiddles
  // verilator lint_off UNUSEDSIGNAL
  logic [DATA_BITS-1:0]       fine;  // not read where FINE_BITS = 0
  // verilator lint_on UNUSEDSIGNAL
  logic [LANES*DATA_BITS-1:0] operands;
  nttf_delay #(.WIDTH(LANES * DATA_BITS), .DEPTH(WAIT)) u_operands (
    .clk(clk), .enable(moves_spn), .in_data(permuted), .out_data(operands));
  generate
    if (FINE_BITS != 0) begin : gen_fine
      logic [FINE_ADDRESS_BITS-1:0] fine_address, fine_held;
      logic [DATA_BITS-1:0]         fetched;
      assign fine_address = FINE_BASE[row*FINE_ADDRESS_BITS+:FINE_ADDRESS_BITS]
          + FINE_ADDRESS_BITS'((position >> BANK_BITS) & (SLOT_BITS+BANK_BITS)'((1 << FINE_BITS) - 1));
      nttf_delay #(.WIDTH(FINE_ADDRESS_BITS), .DEPTH(FRONT - FRONT / 2)) u_address (
        .clk(clk), .enable(moves_twiddles), .in_data(fine_address), .out_data(fine_held));
      nttf_rom #(
        .WIDTH(DATA_BITS), .DEPTH(FINE_ROWS), .IMAGE(FINE_IMAGE)
      ) u_fine (.clk(clk), .enable(moves_twiddles), .read_address(fine_held), .out_data(fetched));
      nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1 + BEHIND)) u_held (
        .clk(clk), .enable(moves_twiddles), .in_data(fetched), .out_data(fine));
    end else begin : gen_table
      assign fine = '0;
    end
  endgenerate

  // What is constant for a word: loaded, and fetched beside its twiddles, or fixed.
  logic [RESIDUE_BITS-1:0] q_core;
  logic [RESIDUE_BITS+3:0] constant_core;
  logic                    inverse_core;
  generate
    if (SETS != 0) begin : gen_loaded
      logic [2*RESIDUE_BITS+3:0] value;
      nttf_table_memory #(.WIDTH(2 * RESIDUE_BITS + 4), .DEPTH(TABLES)) u_values (
        .clk(clk), .write(load_constant), .write_address(load_set), .in_data(load_value),
        .enable(moves_twiddles), .read_address(tag[TAG_BITS-1:1]), .out_data(value));
      nttf_delay #(
        .WIDTH(2 * RESIDUE_BITS + 4), .DEPTH(1 + FRONT - FRONT / 2 + BEHIND), .APART(ADD_REGS)
      ) u_value (
        .clk(clk), .enable(moves_twiddles), .in_data(value), .out_data({constant_core, q_core}));
    end else begin : gen_fixed
      assign q_core        = q;
      assign constant_core = constant;
    end
  endgenerate
  nttf_delay #(.WIDTH(1), .DEPTH(2 + FRONT + BEHIND + WAIT)) u_inverse (
    .clk(clk), .enable(moves_twiddles), .in_data(read_tag[0]), .out_data(inverse_core));

  // What the cores give; their first outputs become the lower half of the lanes.
  logic [DATA_BITS-1:0] computed[LANES];
  generate
    for (genvar j = 0; (1 << j) <= LANES; j = j + 1) begin : gen_join
      for (genvar k = 0; k < (LANES >> j); k = k + 1) begin : gen_node
        logic [(DATA_BITS << j)-1:0] words;
        if (j == 0) begin : gen_one
          assign words = computed[k];
        end else begin : gen_both
          assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
        end
      end
    end
    assign out_data = gen_join[$clog2(LANES)].gen_node[0].words;
  endgenerate
  generate
    for (genvar c = 0; c < BANKS; c = c + 1) begin : gen_core
      logic moves, moves_beside;
      if (ENABLE_REGS != 0) begin : gen_enable
        nttf_enable u_moves (.clk(clk), .enable_next(enable_next), .enable(moves));
        nttf_enable u_beside (.clk(clk), .enable_next(enable_next), .enable(moves_beside));
      end else begin : gen_direct
        assign moves        = enable;
        assign moves_beside = enable;
      end
      logic [DATA_BITS-1:0] twiddle;
      if (FINE_BITS != 0) begin : gen_twiddle
        nttf_product #(.PARTS(PARTS), .CORE(CORE)) u_twiddle (
          .clk(clk), .enable(moves), .q(q), .constant(constant),
          .a(twiddles[c*DATA_BITS+:DATA_BITS]), .b(fine), .product(twiddle));
      end else begin : gen_stored
        assign twiddle = twiddles[c*DATA_BITS+:DATA_BITS];
      end
      nttf_butterfly #(
        .FORWARD(FORWARD), .INVERSE(INVERSE), .PARTS(PARTS), .CORE(CORE)
      ) u_core (
        .clk(clk), .enable(moves), .enable_beside(moves_beside), .inverse(inverse_core),
        .q(q_core), .constant(constant_core), .a(operands[2*c*DATA_BITS+:DATA_BITS]),
        .b(operands[(2*c+1)*DATA_BITS+:DATA_BITS]),
        .w(twiddle),
        .x(computed[c]), .y(computed[BANKS+c]));
    end
  endgenerate

  // Flags beside the data; `valid` alone needs a reset.
  logic [PASS_BITS-1:0] read_pass;
  generate
    if (FORWARD != 0 && INVERSE != 0) begin : gen_pass_both
      assign read_pass = PASS_BITS'(read_row - (read_tag[0] ? ROW_BITS'(PASSES) : '0));
    end else begin : gen_pass_one
      assign read_pass = PASS_BITS'(read_row);
    end
  endgenerate
  localparam int FLAGS = 2 + FRONT + BEHIND + WAIT + CORE_LATENCY;
  nttf_delay #(.WIDTH(TAG_BITS + PASS_BITS + 1), .DEPTH(FLAGS), .APART(ADD_REGS)) u_flags (
    .clk(clk), .enable(moves_flags), .in_data({read_tag, read_first, read_pass}),
    .out_data({out_tag, out_first, out_pass}));
  nttf_valid_line #(.DEPTH(FLAGS)) u_valid (
    .clk(clk), .reset(reset), .enable(moves_flags), .in_valid(read_valid), .out_valid(out_valid));
endmodule
