// SPDX-License-Identifier: Apache-2.0
// A sum in parts is a + b + carry modulo 2^BITS.
module sum_proof #(
  parameter int BITS  = 32,
  parameter int LIMIT = 9  // CARRY_BITS
) (
  input logic            clk,
  input logic [BITS-1:0] a,
  input logic [BITS-1:0] b,
  input logic            carry
);
  logic [BITS-1:0] sum;
  nttf_sum #(.BITS(BITS), .CARRY_BITS(LIMIT)) u_sum (.a(a), .b(b), .carry(carry), .sum(sum));
  logic ran = 1'b0;
  always_ff @(posedge clk) ran <= 1'b1;
  always_comb if (!ran) assert (sum == a + b + BITS'(carry));
endmodule
