// SPDX-License-Identifier: Apache-2.0
// a + b + carry modulo 2^BITS, without a register. Where CARRY_BITS > 0 and BITS is more, the sum is cut into
// equal parts of at most two thirds of CARRY_BITS. Each part but the lowest is added twice, without and with a
// carry, and the carry from the part below chooses: so no carry runs through more than CARRY_BITS bits.
module nttf_sum #(
  parameter int BITS       = 32,
  parameter int CARRY_BITS = 0
) (
  input  logic [BITS-1:0] a,
  input  logic [BITS-1:0] b,
  input  logic            carry,
  output logic [BITS-1:0] sum
);
  localparam int MOST  = (CARRY_BITS > 0 && BITS > CARRY_BITS) ? (2 * CARRY_BITS + 2) / 3 : BITS;
  localparam int PARTS = (BITS + MOST - 1) / MOST;
  localparam int PART  = (BITS + PARTS - 1) / PARTS;

  generate
    if (PARTS == 1) begin : gen_whole
      assign sum = a + b + BITS'(carry);
    end else begin : gen_parts
      // verilator lint_off UNUSEDSIGNAL
      logic [PARTS:0] carries;  // the lowest part reads `carry`, and nothing reads the last one
      // verilator lint_on UNUSEDSIGNAL
      assign carries[0] = carry;
      for (genvar k = 0; k < PARTS; k = k + 1) begin : gen_part
        localparam int LOW  = k * PART;
        localparam int SIZE = (BITS - LOW < PART) ? BITS - LOW : PART;
        logic [SIZE:0] chosen;
        if (k == 0) begin : gen_lowest
          assign chosen = {1'b0, a[LOW+:SIZE]} + {1'b0, b[LOW+:SIZE]} + (SIZE + 1)'(carry);
        end else begin : gen_chosen
          logic [SIZE:0]   without;
          // verilator lint_off UNUSEDSIGNAL
          logic [SIZE+1:0] with_one;  // a bit more at the low end, which carries
          // verilator lint_on UNUSEDSIGNAL
          assign without  = {1'b0, a[LOW+:SIZE]} + {1'b0, b[LOW+:SIZE]};
          assign with_one = {1'b0, a[LOW+:SIZE], 1'b1} + {1'b0, b[LOW+:SIZE], 1'b1};
          assign chosen = carries[k] ? with_one[SIZE+1:1] : without;
        end
        assign sum[LOW+:SIZE] = chosen[SIZE-1:0];
        assign carries[k+1]   = chosen[SIZE];
      end
    end
  endgenerate
endmodule
