// SPDX-License-Identifier: Apache-2.0
// The sum of TERMS numbers modulo 2^BITS, number 0 in the lowest bits.
// Latency: REGS cycles. The registers are spread over the levels of the tree; the last one stands behind
// its root. CARRY_BITS: nttf_sum, for levels between registers.
module nttf_adder_tree #(
  parameter int BITS  = 32,
  parameter int TERMS = 3,
  parameter int REGS  = 1,
  parameter int CARRY_BITS = 0
) (
  input  logic                  clk,
  input  logic                  enable,
  input  logic [TERMS*BITS-1:0] terms,
  output logic [BITS-1:0]       sum
);
  localparam int LEVELS = $clog2(TERMS);
  localparam int SLOTS  = 1 << LEVELS;  // leaves of a complete tree; those without a term are zero

  // Node k of a level has the children 2k and 2k + 1 of the level before; level 0 has the leaves. Nets as in
  // nttf_benes.
  generate
    for (genvar level = 0; level <= LEVELS; level = level + 1) begin : gen_level
      localparam int WIDTH = SLOTS >> level;
      for (genvar k = 0; k < WIDTH; k = k + 1) begin : gen_node
        logic [BITS-1:0] value;
        if (level > 0) begin : gen_sum
          localparam int DEPTH = (level * REGS) / LEVELS - ((level - 1) * REGS) / LEVELS;
          // Synthesis makes one sum of levels without a register between them, if they are whole.
          localparam int ALONE = DEPTH > 0 && (level == 1 || REGS >= LEVELS
                               || ((level - 1) * REGS) / LEVELS > ((level - 2) * REGS) / LEVELS) ? 1 : 0;
          localparam int APART = (CARRY_BITS > 0 && (level == 2 || level == LEVELS)) ? 1 : 0;
          logic [BITS-1:0] both;
          nttf_sum #(.BITS(BITS), .CARRY_BITS(ALONE != 0 ? CARRY_BITS : 0)) u_both (
            .a(gen_level[level-1].gen_node[2*k].value), .b(gen_level[level-1].gen_node[2*k+1].value),
            .carry(1'b0), .sum(both));
          nttf_delay #(.WIDTH(BITS), .DEPTH(DEPTH), .APART(APART)) u_sum (
            .clk(clk), .enable(enable), .in_data(both), .out_data(value));
        end else if (k < TERMS) begin : gen_term
          assign value = terms[k*BITS+:BITS];
        end else begin : gen_zero
          assign value = '0;
        end
      end
    end
    if (LEVELS == 0) begin : gen_single
      nttf_delay #(.WIDTH(BITS), .DEPTH(REGS)) u_sum (
        .clk(clk), .enable(enable), .in_data(gen_level[0].gen_node[0].value), .out_data(sum));
    end else begin : gen_root
      assign sum = gen_level[LEVELS].gen_node[0].value;
    end
  endgenerate
endmodule
