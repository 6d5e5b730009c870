// SPDX-License-Identifier: Apache-2.0
// nttf_reduce_montgomery at full width, step by step, for every q = q_high 2^W + 1 of DATA_BITS bits or
// less. The multiplier of each step is cut out: product_i is any number that has what
// q_high m_i has (proofs of the multiplier, docs/bounds/hardware-proofs.md): it is at most
// q_high (2^DIGIT_BITS - 1), and product_i 2^W + m_i = m_i q has the low digit of v_i.
// Say v_0 = z < q 2^(STEPS DIGIT_BITS) and v_(i+1) = next_i. Proved with AT = i, if -q < v_i and
// v_i < q 2^((STEPS - i) DIGIT_BITS):
//   the multiplier of step i is given q_high and m_i, and m_i is made from the low digit of v_i;
//   v_(i+1) 2^DIGIT_BITS + product_i 2^W + m_i = v_i, as integers;
//   -q < v_(i+1) < q 2^((STEPS - i - 1) DIGIT_BITS), which is what the next step asks for.
// With AT = STEPS: the result is v_STEPS, or v_STEPS + q if that is negative, and below q.
// With AT = STEPS + 1: m_i = digit_i q_inverse mod 2^DIGIT_BITS in every step.
// MOVING = 1 in CORE: q and q_inverse are those that came with z, whatever comes later.
// next_i, product_i, m_i, digit_i, factor_a_i, factor_b_i are linked where there is a step i.
module montgomery_steps_proof #(
  parameter int AT = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B     = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int D     = CORE[nttf_core_pkg::DIGIT_BITS+:32],
  localparam int STEPS = CORE[nttf_core_pkg::STEPS+:32],
  localparam int TWO   = CORE[nttf_core_pkg::TWO_ADICITY+:32],
  localparam int W     = (TWO < D) ? TWO : D,
  localparam int P     = B - W + D,  // bits of a product
  localparam int N_0   = (2 * B - 1 * D > B) ? 2 * B - 1 * D : B,
  localparam int N_1   = (2 * B - 2 * D > B) ? 2 * B - 2 * D : B,
  localparam int N_2   = (2 * B - 3 * D > B) ? 2 * B - 3 * D : B,
  localparam int N_3   = (2 * B - 4 * D > B) ? 2 * B - 4 * D : B
) (
  input logic           clk,
  input logic [B-1:0]   q,
  input logic [D-1:0]   q_inverse,
  input logic [2*B-1:0] z,
  input logic [N_0:0]   next_0,
  input logic [N_1:0]   next_1,
  input logic [N_2:0]   next_2,
  input logic [N_3:0]   next_3,
  input logic [P-1:0]   product_0, product_1, product_2, product_3,
  input logic [D-1:0]   digit_0, digit_1, digit_2, digit_3,
  input logic [D-1:0]   factor_b_0, factor_b_1, factor_b_2, factor_b_3,
  input logic [B-W-1:0] factor_a_0, factor_a_1, factor_a_2, factor_a_3
);
  localparam int MOVING = CORE[nttf_core_pkg::MOVING+:32];
  localparam int REGS  = CORE[nttf_core_pkg::REDUCTION_REGS+:32];
  localparam int FRONT = (D > W || REGS > 0) ? 1 : 0;
  localparam int SUM   = (REGS > 1) ? 1 : 0;
  localparam int STEP  = 2 + CORE[nttf_core_pkg::PRODUCT_REGS+:32] + FRONT + SUM;  // cycles
  localparam int WIDE  = STEPS * D + B + 4;  // signed, nothing wraps
  typedef logic signed [WIDE-1:0] wide_t;

  logic [B-1:0] remainder, q_0, q_now;
  logic [D-1:0] q_inverse_0, q_inverse_now;
  logic [7:0]   cycle = '0;
  nttf_reduce_montgomery #(.CORE(CORE)) u_reduce (
    .clk(clk), .enable(1'b1), .q(q), .q_inverse(q_inverse), .z(z), .remainder(remainder));

  logic [4*WIDE-1:0]    nexts;
  logic [4*P-1:0]       products;
  logic [4*D-1:0]       digits, factors_b;
  logic [4*(B-W)-1:0]   factors_a;
  assign nexts     = {wide_t'(signed'(next_3)), wide_t'(signed'(next_2)), wide_t'(signed'(next_1)),
                      wide_t'(signed'(next_0))};
  assign products  = {product_3, product_2, product_1, product_0};
  assign digits    = {digit_3, digit_2, digit_1, digit_0};
  assign factors_a = {factor_a_3, factor_a_2, factor_a_1, factor_a_0};
  assign factors_b = {factor_b_3, factor_b_2, factor_b_1, factor_b_0};

  wide_t q_wide, q_high;
  assign q_now         = (cycle == '0) ? q : q_0;  // what came with z
  assign q_inverse_now = (cycle == '0) ? q_inverse : q_inverse_0;
  assign q_wide        = wide_t'({1'b0, q_now});
  assign q_high        = wide_t'({1'b0, q_now[B-1:W]});
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      q_0         <= q;
      q_inverse_0 <= q_inverse;
    end
  end
  always_comb begin
    assume (q_now[W-1:0] == W'(1) && q_now[B-1:W] != '0);
    if (MOVING == 0) assume (q == q_now && q_inverse == q_inverse_now);
  end

  generate
    for (genvar i = 0; i <= STEPS; i = i + 1) begin : gen_step
      wide_t v;
      if (i == 0) begin : gen_first
        assign v = wide_t'({1'b0, z});
      end else begin : gen_next
        assign v = nexts[(i-1)*WIDE+:WIDE];
      end
      if (i < STEPS && AT == STEPS + 1) begin : gen_digit
        logic [D-1:0] wanted;
        assign wanted = digits[i*D+:D] * q_inverse_now;
        always_comb begin
          assume (q_inverse_now[W-1:0] == W'(1));
          if (cycle == 8'(i * STEP)) assert (factors_b[i*D+:D] == wanted);
        end
      end else if (i == AT) begin : gen_range
        always_comb
          if (cycle == 8'(i * STEP)) assume (v > -q_wide && v < q_wide << ((STEPS - i) * D));
      end
      if (i < STEPS && i == AT) begin : gen_exact
        wide_t        v_0, v_next, multiple, multiple_0;  // m q
        logic [D-1:0] m_0;
        logic [P-1:0] product, product_0;
        assign v_next     = nexts[i*WIDE+:WIDE];
        assign product    = products[i*P+:P];
        assign multiple   = (wide_t'({1'b0, product}) << W) + wide_t'({1'b0, m_0});
        assign multiple_0 = (wide_t'({1'b0, product_0}) << W) + wide_t'({1'b0, m_0});
        always_ff @(posedge clk) begin
          product_0 <= product;
          if (cycle == 8'(i * STEP)) begin
            v_0 <= v;
            m_0 <= factors_b[i*D+:D];
          end
        end
        always_comb begin
          if (cycle == 8'(i * STEP)) begin
            assert (factors_a[i*(B-W)+:B-W] == q_now[B-1:W]);
            assert (digits[i*D+:D] == v[D-1:0]);
          end
          if (cycle == 8'(i * STEP + STEP - 1)) begin
            assume (wide_t'({1'b0, product}) <= (q_high << D) - q_high);
            assume (multiple[D-1:0] == v_0[D-1:0]);
          end
          if (cycle == 8'(i * STEP + STEP)) begin
            assert ((v_next << D) + multiple_0 == v_0);
            assert (v_next > -q_wide);
            assert (v_next < q_wide << ((STEPS - i - 1) * D));
          end
        end
      end else if (i == STEPS && i == AT) begin : gen_result
        wide_t v_0;
        always_ff @(posedge clk) v_0 <= v;
        always_comb begin
          if (cycle == 8'(STEPS * STEP + 1)) begin
            assert (remainder < q_now);
            assert (wide_t'({1'b0, remainder}) == (v_0 < 0 ? v_0 + q_wide : v_0));
          end
        end
      end
    end
  endgenerate
endmodule
