// SPDX-License-Identifier: Apache-2.0
// A reduction alone: for every z <= (q - 1)^2 the lazy value lies in its interval and the remainder is
// the one of its definition, p in [0, q) with p FACTOR = z (mod q); FACTOR is 2^(STEPS DIGIT_BITS) for
// the Montgomery core and 1 for the others. `lazy` is linked to the module's own wire.
module reduction_proof #(
  parameter int Q           = 193,
  parameter int CONSTANT    = 65,
  parameter int LATENCY     = 4,   // of the reduction
  parameter int LAZY_CYCLE  = 3,   // when `lazy` belongs to z
  parameter int LAZY_BITS   = 9,
  parameter int LAZY_SIGNED = 0,
  parameter int LAZY_LOW    = 0,   // LAZY_LOW <= lazy < LAZY_HIGH
  parameter int LAZY_HIGH   = 386,
  parameter int FACTOR      = 1,
  parameter int REMAINDER   = 1,   // 0: the interval only, for wide moduli
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input logic                        clk,
  input logic [2*DATA_BITS-1:0]      z,
  input logic [DATA_BITS-1:0]        p,      // the specified remainder: any p with the property below
  input logic [2*DATA_BITS:0]        times,  // and how often q goes into the rest
  input logic [LAZY_BITS-1:0]        lazy
);
  localparam int KIND       = CORE[nttf_core_pkg::KIND+:32];
  localparam int DIGIT_BITS = CORE[nttf_core_pkg::DIGIT_BITS+:32];

  localparam int WIDE = 3 * DATA_BITS + 4;  // nothing wraps
  logic [DATA_BITS-1:0] remainder, wanted;
  logic [7:0]           cycle = '0;
  logic signed [LAZY_BITS:0] extended;
  assign extended = {LAZY_SIGNED != 0 && lazy[LAZY_BITS-1], lazy};
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) wanted <= p;
  end

  generate
    if (KIND == 0) begin : gen_montgomery
      nttf_reduce_montgomery #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(1'b1), .q(DATA_BITS'(Q)), .q_inverse(DIGIT_BITS'(CONSTANT)),
        .z(z), .remainder(remainder));
    end else if (KIND == 1) begin : gen_barrett
      nttf_reduce_barrett #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(1'b1), .q(DATA_BITS'(Q)), .mu((DATA_BITS+4)'(CONSTANT)), .z(z),
        .remainder(remainder));
    end else begin : gen_solinas
      nttf_reduce_solinas #(.CORE(CORE)) u_reduce (
        .clk(clk), .enable(1'b1), .z(z), .remainder(remainder));
    end
  endgenerate

  always_comb begin
    if (cycle == '0) begin
      assume (z <= (2*DATA_BITS)'((Q - 1) * (Q - 1)));
      // p FACTOR - z is a multiple of q; q^2 keeps both sides positive.
      if (REMAINDER != 0) begin
        assume (p < DATA_BITS'(Q));
        assume (WIDE'(p) * WIDE'(FACTOR) + WIDE'(Q * Q) == WIDE'(z) + WIDE'(times) * WIDE'(Q));
      end
    end
    if (cycle == 8'(LAZY_CYCLE)) begin
      assert (extended >= (LAZY_BITS+1)'(LAZY_LOW));
      assert (extended < (LAZY_BITS+1)'(LAZY_HIGH));
    end
    if (REMAINDER != 0 && cycle == 8'(LATENCY)) assert (remainder == wanted);
  end
endmodule
