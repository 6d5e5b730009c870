// SPDX-License-Identifier: Apache-2.0
// A streaming matrix: every word of residues modulo SOURCES primes becomes one modulo TARGETS primes q_j,
//   out_j = sum over i of factor_ji y_i  (mod q_j),
// in each of LANES lanes. Words are limb by limb; all primes have exactly DATA_BITS bits, so that one
// subtraction takes y_i, below any of them, below q_j. factor_ji is that of the set `which`, FACTORS being
// set by set, target by target, source by source (for Montgomery cores with their factor).
//
//   y_i -> minus q_j once -> register -> times factor_ji -> added to the sources before -> register -> out_j
//
// One source has factor 1 and no multiplier. CENTRED = 1, for one source: y above SOURCE / 2 stands for
// y - SOURCE, SOURCE being its odd prime.
// Latency: 1, and SOURCES > 1: PRODUCT_LATENCY + (SOURCES - 1) (1 + ADD_REGS) more; CENTRED: 1 + ADD_REGS.
module nttf_base_conversion #(
  parameter int SOURCES     = 1,
  parameter int TARGETS     = 2,
  parameter int LANES       = 2,
  parameter int SETS        = 1,
  localparam int SET_BITS   = (SETS > 1) ? $clog2(SETS) : 1,
  parameter int CENTRED     = 0,
  parameter int ENABLE_REGS = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  parameter logic [DATA_BITS-1:0]                      SOURCE    = '0,
  parameter logic [TARGETS*DATA_BITS-1:0]              MODULI    = '0,
  parameter logic [TARGETS*(DATA_BITS+4)-1:0]          CONSTANTS = '0,
  parameter logic [SETS*TARGETS*SOURCES*DATA_BITS-1:0] FACTORS   = '0
) (
  input  logic                               clk,
  input  logic                               enable,
  // verilator lint_off UNUSEDSIGNAL
  input  logic                               enable_next,  // of products, with ENABLE_REGS = 1
  input  logic [SET_BITS-1:0]                which,        // with y; SOURCES > 1
  // verilator lint_on UNUSEDSIGNAL
  input  logic [SOURCES*LANES*DATA_BITS-1:0] y,
  output logic [TARGETS*LANES*DATA_BITS-1:0] converted
);
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int ADD      = 1 + ADD_REGS;  // cycles of a sum with its register
  localparam int WORD     = LANES * DATA_BITS;
  localparam int ROW      = TARGETS * WORD;

  // Below the target's prime: source by source, each for all targets.
  localparam int FIELDS = TARGETS * LANES;
  logic [DATA_BITS-1:0]   below[SOURCES*FIELDS];
  logic [SOURCES*ROW-1:0] once;
  generate
    for (genvar k = 0; k < SOURCES * FIELDS; k = k + 1) begin : gen_join
      logic [(k+1)*DATA_BITS-1:0] words;
      if (k == 0) begin : gen_one
        assign words = below[k];
      end else begin : gen_more
        assign words = {below[k], gen_join[k-1].words};
      end
    end
    assign once = gen_join[SOURCES * FIELDS-1].words;
  endgenerate
  generate
    for (genvar i = 0; i < SOURCES; i = i + 1) begin : gen_source
      for (genvar j = 0; j < TARGETS; j = j + 1) begin : gen_target
        localparam logic [DATA_BITS-1:0] Q = MODULI[j*DATA_BITS+:DATA_BITS];
        for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
          logic [DATA_BITS:0]   less;
          logic [DATA_BITS-1:0] source;
          assign source = y[i*WORD+l*DATA_BITS+:DATA_BITS];
          assign less   = {1'b0, source} - {1'b0, Q};
          nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_once (
            .clk(clk), .enable(enable), .in_data(less[DATA_BITS] ? source : less[DATA_BITS-1:0]),
            .out_data(below[i*FIELDS+j*LANES+l]));
        end
      end
    end

    if (SOURCES == 1 && CENTRED == 0) begin : gen_plain
      assign converted = once;
    end else if (SOURCES == 1) begin : gen_centred
      logic [DATA_BITS-1:0] field[FIELDS];
      for (genvar k = 0; k < FIELDS; k = k + 1) begin : gen_join
        logic [(k+1)*DATA_BITS-1:0] words;
        if (k == 0) begin : gen_one
          assign words = field[k];
        end else begin : gen_more
          assign words = {field[k], gen_join[k-1].words};
        end
      end
      assign converted = gen_join[FIELDS-1].words;
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        logic above;
        nttf_delay #(.WIDTH(1), .DEPTH(1)) u_above (
          .clk(clk), .enable(enable), .in_data(y[l*DATA_BITS+:DATA_BITS] > (SOURCE >> 1)),
          .out_data(above));
        for (genvar j = 0; j < TARGETS; j = j + 1) begin : gen_target
          localparam logic [DATA_BITS-1:0] Q    = MODULI[j*DATA_BITS+:DATA_BITS];
          localparam logic [DATA_BITS-1:0] PAST = (SOURCE >= Q) ? SOURCE - Q : SOURCE;  // SOURCE mod q_j
          logic [DATA_BITS-1:0] centred;
          nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_centred (
            .clk(clk), .enable(enable), .q(Q), .a(once[j*WORD+l*DATA_BITS+:DATA_BITS]),
            .b(above ? PAST : '0), .difference(centred));
          nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_out (
            .clk(clk), .enable(enable), .in_data(centred),
            .out_data(field[j*LANES+l]));
        end
      end
    end else begin : gen_sum
      // verilator lint_off UNUSEDSIGNAL
      logic [SET_BITS-1:0]    set;   // read where there are several sets
      // verilator lint_on UNUSEDSIGNAL
      logic [SOURCES*ROW-1:0] sums;  // of the sources up to each
      nttf_delay #(.WIDTH(SET_BITS), .DEPTH(1)) u_set (
        .clk(clk), .enable(enable), .in_data(which), .out_data(set));
      for (genvar i = 0; i < SOURCES; i = i + 1) begin : gen_source
        logic [ROW-1:0] factors, terms, term;
        for (genvar j = 0; j < TARGETS; j = j + 1) begin : gen_factor
          // Set by set: an index that is a product would take multiplier blocks.
          logic [SETS*DATA_BITS-1:0] chosen;
          assign chosen[DATA_BITS-1:0] = FACTORS[(j*SOURCES+i)*DATA_BITS+:DATA_BITS];
          for (genvar s = 1; s < SETS; s = s + 1) begin : gen_set
            assign chosen[s*DATA_BITS+:DATA_BITS] = (32'(set) == s)
              ? FACTORS[((s*TARGETS+j)*SOURCES+i)*DATA_BITS+:DATA_BITS] : chosen[(s-1)*DATA_BITS+:DATA_BITS];
          end
          assign factors[j*WORD+:WORD] = {LANES{chosen[(SETS-1)*DATA_BITS+:DATA_BITS]}};
        end
        nttf_products #(
          .LIMBS(TARGETS), .LANES(LANES), .ENABLE_REGS(ENABLE_REGS), .CORE(CORE), .MODULI(MODULI),
          .CONSTANTS(CONSTANTS)
        ) u_terms (
          .clk(clk), .enable(enable), .enable_next(enable_next), .a(once[i*ROW+:ROW]), .b(factors),
          .products(terms));
        nttf_delay #(.WIDTH(ROW), .DEPTH((i > 1) ? (i - 1) * ADD : 0)) u_term (
          .clk(clk), .enable(enable), .in_data(terms), .out_data(term));
        if (i == 0) begin : gen_first
          assign sums[ROW-1:0] = term;
        end else begin : gen_add
          logic [DATA_BITS-1:0] field[FIELDS];
          for (genvar k = 0; k < FIELDS; k = k + 1) begin : gen_join
            logic [(k+1)*DATA_BITS-1:0] words;
            if (k == 0) begin : gen_one
              assign words = field[k];
            end else begin : gen_more
              assign words = {field[k], gen_join[k-1].words};
            end
          end
          assign sums[i*ROW+:ROW] = gen_join[FIELDS-1].words;
          for (genvar f = 0; f < FIELDS; f = f + 1) begin : gen_field
            logic [DATA_BITS-1:0] both;
            nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_add (
              .clk(clk), .enable(enable), .q(MODULI[(f/LANES)*DATA_BITS+:DATA_BITS]),
              .a(sums[(i-1)*ROW+f*DATA_BITS+:DATA_BITS]), .b(term[f*DATA_BITS+:DATA_BITS]), .sum(both));
            nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_both (
              .clk(clk), .enable(enable), .in_data(both),
              .out_data(field[f]));
          end
        end
      end
      assign converted = sums[(SOURCES-1)*ROW+:ROW];
    end
  endgenerate
endmodule
