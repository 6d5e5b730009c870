// SPDX-License-Identifier: Apache-2.0
// Barrett reduction for any modulus of exactly DATA_BITS bits: z in [0, q^2) -> z mod q.
//
// [Yan22] section 5.2.1: two further products. Deviation: two guard bits below the quotient digit
// and mu = floor(2^(2 DATA_BITS + 3) / q), so that the quotient is at most one too small:
//   quotient = ((z >> (DATA_BITS - 2)) * mu) >> (DATA_BITS + 5),  0 <= z - quotient q < 2 q
// REDUCTION_REGS > 0: a register in front of each product.
// Bounds: docs/bounds/hardware-cores.md.
// Latency: 2 (1 + PRODUCT_REGS + SUM_REGS + (REDUCTION_REGS > 0)) + 2 cycles.
module nttf_reduce_barrett #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [DATA_BITS-1:0]   q,   // static while words are in flight; MOVING = 1: with z
  input  logic [DATA_BITS+3:0]   mu,  // likewise
  input  logic [2*DATA_BITS-1:0] z,
  output logic [DATA_BITS-1:0]   remainder
);
  localparam int SUM_REGS       = CORE[nttf_core_pkg::SUM_REGS+:32];
  localparam int REDUCTION_REGS = CORE[nttf_core_pkg::REDUCTION_REGS+:32];
  localparam int PRODUCT_REGS   = CORE[nttf_core_pkg::PRODUCT_REGS+:32];
  localparam int MOVING         = CORE[nttf_core_pkg::MOVING+:32];

  localparam int LOW_BITS = DATA_BITS + 1;  // z - quotient q < 2 q < 2^LOW_BITS
  localparam int FRONT    = (REDUCTION_REGS > 0) ? 1 : 0;
  localparam int APART    = (REDUCTION_REGS > 1) ? 1 : 0;
  localparam int PRODUCT  = 1 + PRODUCT_REGS + SUM_REGS + FRONT;  // its latency
  localparam int BESIDE   = (MOVING != 0) ? PRODUCT : 0;          // of q beside it

  logic [DATA_BITS-1:0] q_quotient, q_lazy;  // with `quotient`, with `lazy`
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(BESIDE)) u_q_quotient (
    .clk(clk), .enable(enable), .in_data(q), .out_data(q_quotient));
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH((MOVING != 0) ? BESIDE + 1 : 0), .APART(APART)) u_q_lazy (
    .clk(clk), .enable(enable), .in_data(q_quotient), .out_data(q_lazy));

  // verilator lint_off UNUSEDSIGNAL
  logic [2*DATA_BITS+5:0] scaled;  // only the quotient is read
  // verilator lint_on UNUSEDSIGNAL
  nttf_multiplier #(
    .A_BITS(DATA_BITS + 2), .B_BITS(DATA_BITS + 4), .OUT_BITS(2 * DATA_BITS + 6), .SUM_REGS(SUM_REGS),
    .INPUT_REGS(FRONT), .CORE(CORE)
  ) u_scaled (.clk(clk), .enable(enable), .a(z[2*DATA_BITS-1:DATA_BITS-2]), .b(mu), .product(scaled));

  logic [DATA_BITS:0] quotient;
  assign quotient = scaled[2*DATA_BITS+5:DATA_BITS+5];

  logic [LOW_BITS-1:0] multiple;
  nttf_multiplier #(
    .A_BITS(DATA_BITS + 1), .B_BITS(DATA_BITS), .OUT_BITS(LOW_BITS), .SUM_REGS(SUM_REGS),
    .INPUT_REGS(FRONT), .CORE(CORE)
  ) u_multiple (.clk(clk), .enable(enable), .a(quotient), .b(q_quotient), .product(multiple));

  logic [LOW_BITS-1:0] z_low;
  nttf_delay #(
    .WIDTH(LOW_BITS), .DEPTH(2 * PRODUCT), .APART(APART)
  ) u_z_low (
    .clk(clk), .enable(enable), .in_data(z[LOW_BITS-1:0]), .out_data(z_low));

  logic [LOW_BITS-1:0] lazy;  // [0, 2q)
  nttf_delay #(.WIDTH(LOW_BITS), .DEPTH(1)) u_lazy (
    .clk(clk), .enable(enable), .in_data(z_low - multiple), .out_data(lazy));

  logic [LOW_BITS:0]    difference;
  logic [DATA_BITS-1:0] reduced;
  assign difference = {1'b0, lazy} - {2'b00, q_lazy};
  assign reduced    = difference[LOW_BITS] ? lazy[DATA_BITS-1:0] : difference[DATA_BITS-1:0];
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_remainder (
    .clk(clk), .enable(enable), .in_data(reduced), .out_data(remainder));
endmodule
