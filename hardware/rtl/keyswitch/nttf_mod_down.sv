// SPDX-License-Identifier: Apache-2.0
// Divides by the product P of SPECIAL primes: a word has LIMBS limbs x_j modulo primes q_j and then SPECIAL
// limbs modulo the special primes p_i, each in LANES lanes; out are LIMBS limbs,
//   one special prime:  (x_j - r) / P, r the residue modulo P between -P/2 and P/2: x / P rounded, exactly
//   several:            (x_j - r) / P + OFFSET, r = sum over i of ((x_i scale_i) mod p_i) P / p_i
// modulo q_j. nttf_base_conversion makes r, with FACTORS; SCALES, FACTORS and INVERSES (1 / P modulo q_j)
// carry the factor of Montgomery cores. All primes have exactly DATA_BITS bits.
// Latency: that of nttf_base_conversion + 1 + ADD_REGS + PRODUCT_LATENCY, and for several special primes
// PRODUCT_LATENCY + 1 + ADD_REGS more.
module nttf_mod_down #(
  parameter int LIMBS       = 2,
  parameter int SPECIAL     = 1,
  parameter int LANES       = 2,
  parameter int ENABLE_REGS = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int ALL        = LIMBS + SPECIAL,
  parameter logic [ALL*DATA_BITS-1:0]           MODULI    = '0,
  parameter logic [ALL*(DATA_BITS+4)-1:0]       CONSTANTS = '0,
  parameter logic [SPECIAL*DATA_BITS-1:0]       SCALES    = '0,
  parameter logic [LIMBS*SPECIAL*DATA_BITS-1:0] FACTORS   = '0,
  parameter logic [LIMBS*DATA_BITS-1:0]         INVERSES  = '0,
  parameter int OFFSET      = 0
) (
  input  logic                             clk,
  input  logic                             enable,
  input  logic                             enable_next,  // of products, with ENABLE_REGS = 1
  input  logic [ALL*LANES*DATA_BITS-1:0]   x,
  output logic [LIMBS*LANES*DATA_BITS-1:0] divided
);
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int ADD    = 1 + ADD_REGS;
  localparam int OWN    = LIMBS * LANES * DATA_BITS;
  localparam int OTHERS = SPECIAL * LANES * DATA_BITS;
  localparam int SCALED = (SPECIAL > 1) ? PRODUCT_LATENCY : 0;
  localparam int CONVERTED = (SPECIAL > 1) ? 1 + PRODUCT_LATENCY + (SPECIAL - 1) * ADD : 1 + ADD;

  logic [OTHERS-1:0] y;
  logic [OWN-1:0]    own, rest, difference, product;
  nttf_delay #(.WIDTH(OWN), .DEPTH(SCALED + CONVERTED)) u_own (
    .clk(clk), .enable(enable), .in_data(x[OWN-1:0]), .out_data(own));
  generate
    if (SPECIAL > 1) begin : gen_scale
      logic [OTHERS-1:0] scales;
      for (genvar i = 0; i < SPECIAL; i = i + 1) begin : gen_limb
        assign scales[i*LANES*DATA_BITS+:LANES*DATA_BITS] = {LANES{SCALES[i*DATA_BITS+:DATA_BITS]}};
      end
      nttf_products #(
        .LIMBS(SPECIAL), .LANES(LANES), .ENABLE_REGS(ENABLE_REGS), .CORE(CORE),
        .MODULI(MODULI[LIMBS*DATA_BITS+:SPECIAL*DATA_BITS]),
        .CONSTANTS(CONSTANTS[LIMBS*(DATA_BITS+4)+:SPECIAL*(DATA_BITS+4)])
      ) u_scale (
        .clk(clk), .enable(enable), .enable_next(enable_next), .a(x[OWN+:OTHERS]), .b(scales),
        .products(y));
    end else begin : gen_same
      assign y = x[OWN+:OTHERS];
    end
  endgenerate

  nttf_base_conversion #(
    .SOURCES(SPECIAL), .TARGETS(LIMBS), .LANES(LANES), .CENTRED((SPECIAL == 1) ? 1 : 0),
    .ENABLE_REGS(ENABLE_REGS), .CORE(CORE), .SOURCE(MODULI[LIMBS*DATA_BITS+:DATA_BITS]),
    .MODULI(MODULI[LIMBS*DATA_BITS-1:0]), .CONSTANTS(CONSTANTS[LIMBS*(DATA_BITS+4)-1:0]),
    .FACTORS(FACTORS)
  ) u_rest (
    .clk(clk), .enable(enable), .enable_next(enable_next), .which(1'b0), .y(y), .converted(rest));

  logic [OWN-1:0]       inverses;
  logic [DATA_BITS-1:0] less_held[LIMBS*LANES], result[LIMBS*LANES];
  generate
    for (genvar k = 0; k < LIMBS * LANES; k = k + 1) begin : gen_join
      logic [(k+1)*DATA_BITS-1:0] words;
      if (k == 0) begin : gen_one
        assign words = less_held[k];
      end else begin : gen_more
        assign words = {less_held[k], gen_join[k-1].words};
      end
    end
    assign difference = gen_join[LIMBS * LANES-1].words;
  endgenerate
  generate
    for (genvar k = 0; k < LIMBS * LANES; k = k + 1) begin : gen_divided
      logic [(k+1)*DATA_BITS-1:0] words;
      if (k == 0) begin : gen_one
        assign words = result[k];
      end else begin : gen_more
        assign words = {result[k], gen_divided[k-1].words};
      end
    end
    assign divided = gen_divided[LIMBS * LANES-1].words;
  endgenerate
  generate
    for (genvar f = 0; f < LIMBS * LANES; f = f + 1) begin : gen_field
      localparam int J = f / LANES;
      logic [DATA_BITS-1:0] less;
      assign inverses[f*DATA_BITS+:DATA_BITS] = INVERSES[J*DATA_BITS+:DATA_BITS];
      nttf_modular_subtract #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_less (
        .clk(clk), .enable(enable), .q(MODULI[J*DATA_BITS+:DATA_BITS]),
        .a(own[f*DATA_BITS+:DATA_BITS]), .b(rest[f*DATA_BITS+:DATA_BITS]), .difference(less));
      nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_difference (
        .clk(clk), .enable(enable), .in_data(less), .out_data(less_held[f]));
      if (SPECIAL > 1) begin : gen_offset
        logic [DATA_BITS-1:0] sum;
        nttf_modular_add #(.DATA_BITS(DATA_BITS), .REGS(ADD_REGS)) u_sum (
          .clk(clk), .enable(enable), .q(MODULI[J*DATA_BITS+:DATA_BITS]),
          .a(product[f*DATA_BITS+:DATA_BITS]), .b(DATA_BITS'(OFFSET)), .sum(sum));
        nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_divided (
          .clk(clk), .enable(enable), .in_data(sum), .out_data(result[f]));
      end else begin : gen_done
        assign result[f] = product[f*DATA_BITS+:DATA_BITS];
      end
    end
  endgenerate
  nttf_products #(
    .LIMBS(LIMBS), .LANES(LANES), .ENABLE_REGS(ENABLE_REGS), .CORE(CORE),
    .MODULI(MODULI[LIMBS*DATA_BITS-1:0]), .CONSTANTS(CONSTANTS[LIMBS*(DATA_BITS+4)-1:0])
  ) u_inverse (
    .clk(clk), .enable(enable), .enable_next(enable_next), .a(difference), .b(inverses),
    .products(product));
endmodule
