// SPDX-License-Identifier: Apache-2.0
// nttf_reduce_solinas at full width in two steps. With FOLD = 0: `sum` is the sum of the operands, each
// made of the bits of z that SOURCES names, subtracted where SIGNS says so; registers are taken out first.
// With FOLD = 1 the adder tree is cut out and `sum` is any number in [LOW, HIGH], between which the sums
// of all z lie: the folded value is sum - floor(sum / 2^I) q as integers and lies in (-q, 2q), and the
// result is that value, or it plus or minus q, in [0, q). That the sum is z modulo q is a matter of
// SOURCES, bit by bit: docs/bounds/hardware-proofs.md.
module solinas_steps_proof #(
  parameter int FOLD = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B        = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int OPERANDS = CORE[nttf_core_pkg::OPERANDS+:32],
  localparam int S        = B + $clog2(OPERANDS) + 2,  // bits of a sum, signed
  parameter logic signed [S-1:0] LOW  = '0,
  parameter logic signed [S-1:0] HIGH = '0
) (
  input logic                clk,
  input logic [2*B-1:0]      z,
  input logic signed [S-1:0] sum,  // linked
  input logic signed [S-1:0] lazy  // linked
);
  localparam int I      = CORE[nttf_core_pkg::I+:32];
  localparam int J      = CORE[nttf_core_pkg::J+:32];
  localparam int SIGN_J = CORE[nttf_core_pkg::SIGN_J+:32];
  localparam int SIGN_0 = CORE[nttf_core_pkg::SIGN_0+:32];
  localparam int ZERO   = 127;
  typedef logic signed [2*S-1:0] wide_t;  // nothing wraps

  function automatic wide_t times_q(wide_t v);
    times_q = (v << I) + (SIGN_J > 0 ? (v << J) : -(v << J)) + (SIGN_0 > 0 ? v : -v);
  endfunction
  localparam wide_t Q = times_q(wide_t'(1));

  logic [B-1:0] remainder;
  logic [7:0]   cycle = '0;
  nttf_reduce_solinas #(.CORE(CORE)) u_reduce (
    .clk(clk), .enable(1'b1), .z(z), .remainder(remainder));
  always_ff @(posedge clk) cycle <= cycle + 1'b1;

  generate
    if (FOLD == 0) begin : gen_sum
      logic [(OPERANDS+1)*S-1:0] partial;
      assign partial[S-1:0] = '0;
      for (genvar k = 0; k < OPERANDS; k = k + 1) begin : gen_operand
        logic [B:0] operand;
        for (genvar t = 0; t <= B; t = t + 1) begin : gen_bit
          localparam int FROM = int'(CORE[nttf_core_pkg::SOURCES+(k*(B+1)+t)*7+:7]);
          if (FROM == ZERO) begin : gen_zero
            assign operand[t] = 1'b0;
          end else begin : gen_from
            assign operand[t] = z[FROM];
          end
        end
        assign partial[(k+1)*S+:S] = CORE[nttf_core_pkg::SIGNS+k] ? partial[k*S+:S] - S'(operand)
                                                                  : partial[k*S+:S] + S'(operand);
      end
      always_comb assert (sum == $signed(partial[OPERANDS*S+:S]));
    end else begin : gen_fold
      logic signed [S-1:0] sum_0, lazy_0;
      wide_t               top;
      assign top = wide_t'(sum_0) >>> I;
      always_ff @(posedge clk) begin
        sum_0  <= sum;
        lazy_0 <= lazy;
      end
      always_comb begin
        if (cycle == '0) assume (sum >= LOW && sum <= HIGH);
        if (cycle == 8'd1) begin
          assert (wide_t'(lazy) + times_q(top) == wide_t'(sum_0));
          assert (wide_t'(lazy) > -Q && wide_t'(lazy) < Q + Q);
        end
        if (cycle == 8'd2) begin
          assert (wide_t'({1'b0, remainder}) < Q);
          assert (wide_t'({1'b0, remainder}) == wide_t'(lazy_0)
                  || wide_t'({1'b0, remainder}) == wide_t'(lazy_0) + Q
                  || wide_t'({1'b0, remainder}) == wide_t'(lazy_0) - Q);
        end
      end
    end
  endgenerate
endmodule
