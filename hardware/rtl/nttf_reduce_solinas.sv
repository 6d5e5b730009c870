// SPDX-License-Identifier: Apache-2.0
// Reduction modulo q = 2^I + SIGN_J 2^J + SIGN_0 without a multiplier: z in [0, q^2) -> z mod q.
//
// [Yan22] section 5.2.2 after [Sol99]: z = sum of OPERANDS numbers (mod q), each made of bits of z.
// SOURCES, the weight matrix, says for bit t of operand k which bit of z it is (ZERO: none); operand k
// is subtracted where SIGNS[k]. Deviation: the operands are added as integers, not modulo q, and the
// sum is reduced once: its part above 2^I is folded by q = 2^I + SIGN_J 2^J + SIGN_0, which leaves
// (-q, 2q), then one conditional addition or subtraction. Weights and bounds are computed when a
// design is made: docs/bounds/hardware-cores.md. Latency: TREE_REGS + 2 cycles.
module nttf_reduce_solinas #(
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [2*DATA_BITS-1:0] z,
  output logic [DATA_BITS-1:0]   remainder
);
  localparam int I         = CORE[nttf_core_pkg::I+:32];
  localparam int J         = CORE[nttf_core_pkg::J+:32];
  localparam int SIGN_J    = CORE[nttf_core_pkg::SIGN_J+:32];
  localparam int SIGN_0    = CORE[nttf_core_pkg::SIGN_0+:32];
  localparam int CARRY_BITS = CORE[nttf_core_pkg::CARRY_BITS+:32];
  localparam int TREE_REGS = CORE[nttf_core_pkg::TREE_REGS+:32];
  localparam int OPERANDS  = CORE[nttf_core_pkg::OPERANDS+:32];
  localparam logic [31:0] SIGNS = CORE[nttf_core_pkg::SIGNS+:32];

  localparam int WIDTH_IN = DATA_BITS + 1;  // bits of an operand
  localparam int ZERO = 127;
  localparam int LEVELS   = $clog2(OPERANDS);
  localparam int SUM_BITS = DATA_BITS + LEVELS + 2;  // signed
  localparam int TOP_BITS = SUM_BITS - I;

  logic [SUM_BITS-1:0]          term[OPERANDS];
  logic [OPERANDS*SUM_BITS-1:0] operands;
  generate
    for (genvar k = 0; k < OPERANDS; k = k + 1) begin : gen_join
      logic [(k+1)*SUM_BITS-1:0] words;
      if (k == 0) begin : gen_one
        assign words = term[k];
      end else begin : gen_more
        assign words = {term[k], gen_join[k-1].words};
      end
    end
    assign operands = gen_join[OPERANDS-1].words;
  endgenerate
  genvar k, t;
  generate
    for (k = 0; k < OPERANDS; k = k + 1) begin : gen_operand
      logic [WIDTH_IN-1:0] operand;
      for (t = 0; t < WIDTH_IN; t = t + 1) begin : gen_bit
        localparam int FROM = int'(CORE[nttf_core_pkg::SOURCES+(k*WIDTH_IN+t)*7+:7]);
        if (FROM == ZERO) begin : gen_zero
          assign operand[t] = 1'b0;
        end else begin : gen_from
          assign operand[t] = z[FROM];
        end
      end
      assign term[k] = SIGNS[k] ? -SUM_BITS'(operand) : SUM_BITS'(operand);
    end
  endgenerate

  localparam logic [SUM_BITS-1:0] Q = (SUM_BITS'(1) << I)
      + (SIGN_J > 0 ? (SUM_BITS'(1) << J) : -(SUM_BITS'(1) << J))
      + (SIGN_0 > 0 ? SUM_BITS'(1) : -SUM_BITS'(1));

  logic [SUM_BITS-1:0] sum;
  nttf_adder_tree #(.BITS(SUM_BITS), .TERMS(OPERANDS), .REGS(TREE_REGS)) u_sum (
    .clk(clk), .enable(enable), .terms(operands), .sum(sum));

  logic [SUM_BITS-1:0] top;  // signed floor(sum / 2^I)
  logic [SUM_BITS-1:0] folded;
  logic [SUM_BITS-1:0] lazy;  // signed, (-q, 2q)
  assign top    = {{I{sum[SUM_BITS-1]}}, sum[SUM_BITS-1-:TOP_BITS]};
  assign folded = SUM_BITS'(sum[I-1:0]) - (SIGN_J > 0 ? top << J : -(top << J))
                  - (SIGN_0 > 0 ? top : -top);
  nttf_delay #(.WIDTH(SUM_BITS), .DEPTH(1)) u_lazy (
    .clk(clk), .enable(enable), .in_data(folded), .out_data(lazy));

  logic [SUM_BITS-1:0]  less;
  // verilator lint_off UNUSEDSIGNAL
  logic [SUM_BITS-1:0]  more;  // below q where it is read
  // verilator lint_on UNUSEDSIGNAL
  logic [DATA_BITS-1:0] reduced;
  nttf_sum #(.BITS(SUM_BITS), .CARRY_BITS(CARRY_BITS)) u_less (.a(lazy), .b(~Q), .carry(1'b1), .sum(less));
  nttf_sum #(.BITS(SUM_BITS), .CARRY_BITS(CARRY_BITS)) u_more (.a(lazy), .b(Q), .carry(1'b0), .sum(more));
  assign reduced = lazy[SUM_BITS-1] ? more[DATA_BITS-1:0]
                 : less[SUM_BITS-1] ? lazy[DATA_BITS-1:0] : less[DATA_BITS-1:0];
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_remainder (
    .clk(clk), .enable(enable), .in_data(reduced), .out_data(remainder));
endmodule
