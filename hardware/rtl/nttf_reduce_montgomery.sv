// SPDX-License-Identifier: Apache-2.0
// Word-level Montgomery reduction: z in [0, q^2) -> z * 2^(-STEPS*DIGIT_BITS) mod q, in [0, q).
//
// q = q_high * 2^W + 1 with W = min(TWO_ADICITY, DIGIT_BITS). One step, v signed:
//   m  = v * q^-1 mod 2^DIGIT_BITS      (equals the low digit of v in its W lowest bits)
//   v' = (v - m q) / 2^DIGIT_BITS = (((v - m) >> W) - m q_high) >> (DIGIT_BITS - W)
// so a step costs one DIGIT_BITS x (DATA_BITS - W) product. Invariant after i steps:
//   -q < v <= (q - 1)^2 / 2^(i DIGIT_BITS); needs STEPS * DIGIT_BITS >= DATA_BITS, then -q < v < q.
// REDUCTION_REGS: 1, a register in front of each product even where m needs none; 2, also one in its
// sum of tiles. Bounds: docs/bounds/hardware-cores.md.
// Latency: STEPS * (2 + PRODUCT_REGS + (DIGIT_BITS > W or REDUCTION_REGS > 0) + (REDUCTION_REGS > 1)) + 1
// cycles.
module nttf_reduce_montgomery #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int DIGIT_BITS = CORE[nttf_core_pkg::DIGIT_BITS+:32]
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [DATA_BITS-1:0]   q,          // static while words are in flight; MOVING = 1: with z
  input  logic [DIGIT_BITS-1:0]  q_inverse,  // q^-1 mod 2^DIGIT_BITS, likewise
  input  logic [2*DATA_BITS-1:0] z,
  output logic [DATA_BITS-1:0]   remainder
);
  localparam int STEPS          = CORE[nttf_core_pkg::STEPS+:32];
  localparam int TWO_ADICITY    = CORE[nttf_core_pkg::TWO_ADICITY+:32];
  localparam int REDUCTION_REGS = CORE[nttf_core_pkg::REDUCTION_REGS+:32];
  localparam int MOVING         = CORE[nttf_core_pkg::MOVING+:32];
  localparam int CARRY_BITS     = CORE[nttf_core_pkg::CARRY_BITS+:32];
  localparam int PRODUCT_REGS   = CORE[nttf_core_pkg::PRODUCT_REGS+:32];

  localparam int W         = (TWO_ADICITY < DIGIT_BITS) ? TWO_ADICITY : DIGIT_BITS;
  localparam int HIGH_BITS = DATA_BITS - W;
  localparam int CORRECT   = (DIGIT_BITS > W) ? 1 : 0;
  localparam int FULL_BITS = 2 * DATA_BITS + 1;  // signed
  localparam int FRONT     = (CORRECT == 1 || REDUCTION_REGS > 0) ? 1 : 0;
  localparam int SUM       = (REDUCTION_REGS > 1) ? 1 : 0;

  // verilator lint_off UNUSEDSIGNAL
  logic [DATA_BITS-1:0]  q_at[STEPS+1];  // with value[i]; its low W bits are those of 1
  logic [DIGIT_BITS-1:0] q_inverse_at[STEPS+1];
  // verilator lint_on UNUSEDSIGNAL
  assign q_at[0]         = q;
  assign q_inverse_at[0] = q_inverse;

  // Every value keeps the full signed width; synthesis drops the copies of the sign.
  logic signed [FULL_BITS-1:0] value[STEPS+1];
  assign value[0] = {1'b0, z};

  genvar i;
  generate
    for (i = 0; i < STEPS; i = i + 1) begin : gen_step
      if (MOVING != 0) begin : gen_moving
        nttf_delay #(.WIDTH(DATA_BITS + DIGIT_BITS), .DEPTH(2 + PRODUCT_REGS + FRONT + SUM), .APART(SUM)) u_q (
          .clk(clk), .enable(enable), .in_data({q_at[i], q_inverse_at[i]}),
          .out_data({q_at[i+1], q_inverse_at[i+1]}));
      end else begin : gen_static
        assign q_at[i+1]         = q;
        assign q_inverse_at[i+1] = q_inverse;
      end
      localparam int RANGE_BITS = (2 * DATA_BITS - (i + 1) * DIGIT_BITS > DATA_BITS)
                                ? 2 * DATA_BITS - (i + 1) * DIGIT_BITS : DATA_BITS;
      logic [DIGIT_BITS-1:0] digit;
      logic [DIGIT_BITS-1:0] corrected;
      assign digit = value[i][DIGIT_BITS-1:0];
      if (CORRECT == 1) begin : gen_correct
        // q^-1 = 1 (mod 2^W): DIGIT_BITS - W rows of a truncated product, too small for a multiplier.
        always_comb begin
          corrected = digit;
          for (int row = W; row < DIGIT_BITS; row = row + 1)
            corrected = corrected + (q_inverse_at[i][row] ? DIGIT_BITS'(digit << row) : '0);
        end
      end else begin : gen_exact
        assign corrected = digit;
      end
      logic [DIGIT_BITS-1:0]       m;
      logic signed [FULL_BITS-1:0] carried;
      nttf_delay #(.WIDTH(DIGIT_BITS), .DEPTH(FRONT)) u_m (
        .clk(clk), .enable(enable), .in_data(corrected), .out_data(m));
      nttf_delay #(.WIDTH(FULL_BITS), .DEPTH(FRONT), .APART(SUM)) u_carried (
        .clk(clk), .enable(enable), .in_data(value[i]), .out_data(carried));

      logic [HIGH_BITS+DIGIT_BITS-1:0] product;
      nttf_multiplier #(
        .A_BITS(HIGH_BITS), .B_BITS(DIGIT_BITS), .OUT_BITS(HIGH_BITS + DIGIT_BITS),
        .INPUT_REGS(FRONT), .SUM_REGS(SUM), .CORE(CORE)
      ) u_product (.clk(clk), .enable(enable), .a(q_at[i][DATA_BITS-1:W]), .b(corrected), .product(product));

      // v - m, without its W zero bits, beside the product.
      logic signed [FULL_BITS-1:0] shifted;
      logic signed [FULL_BITS-1:0] rest;
      logic signed [FULL_BITS-1:0] remaining;
      nttf_sum #(.BITS(FULL_BITS), .CARRY_BITS(CARRY_BITS)) u_remaining (
        .a(carried), .b(~{{(FULL_BITS-DIGIT_BITS){1'b0}}, m}), .carry(1'b1), .sum(remaining));
      assign shifted = remaining >>> W;
      nttf_delay #(.WIDTH(FULL_BITS), .DEPTH(1 + PRODUCT_REGS + SUM), .APART(SUM)) u_rest (
        .clk(clk), .enable(enable), .in_data(shifted), .out_data(rest));

      // verilator lint_off UNUSEDSIGNAL
      logic signed [FULL_BITS-1:0] whole, difference;  // above its sign, copies of it
      // verilator lint_on UNUSEDSIGNAL
      logic [RANGE_BITS:0]         next;
      nttf_sum #(.BITS(FULL_BITS), .CARRY_BITS(CARRY_BITS)) u_whole (
        .a(rest), .b(~{{(FULL_BITS-HIGH_BITS-DIGIT_BITS){1'b0}}, product}), .carry(1'b1), .sum(whole));
      assign difference = whole >>> (DIGIT_BITS - W);
      nttf_delay #(.WIDTH(RANGE_BITS + 1), .DEPTH(1)) u_next (
        .clk(clk), .enable(enable), .in_data(difference[RANGE_BITS:0]), .out_data(next));
      assign value[i+1] = {{(FULL_BITS-RANGE_BITS-1){next[RANGE_BITS]}}, next};
    end
  endgenerate

  logic [DATA_BITS-1:0] positive;
  assign positive = value[STEPS][DATA_BITS-1:0] + (value[STEPS][DATA_BITS] ? q_at[STEPS] : '0);
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_remainder (
    .clk(clk), .enable(enable), .in_data(positive), .out_data(remainder));
endmodule
