// SPDX-License-Identifier: Apache-2.0
// Division by special primes of one limb: for all residues below their primes the result is below q, and
// times P plus the rest that was taken off it is x modulo q:
//   one special prime p:   rest = x_p, or x_p - p above p / 2
//   two, p_0 and p_1:      rest = (x_0 SCALE_0 mod p_0) p_1 + (x_1 SCALE_1 mod p_1) p_0 - P
// SCALE_i is 1 / (P / p_i) modulo p_i, and OFFSET = 1 for two: the division adds it, and P times it is P.
module mod_down_proof #(
  parameter int SPECIAL = 1,
  parameter int LATENCY = 1,
  parameter int Q       = 193,
  parameter int P_0     = 241,
  parameter int P_1     = 1,
  parameter int SCALE_0 = 1,
  parameter int SCALE_1 = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int ALL       = 1 + SPECIAL,
  parameter logic [ALL*DATA_BITS-1:0]       MODULI    = '0,
  parameter logic [ALL*(DATA_BITS+4)-1:0]   CONSTANTS = '0,
  parameter logic [SPECIAL*DATA_BITS-1:0]   SCALES    = '0,
  parameter logic [SPECIAL*DATA_BITS-1:0]   FACTORS   = '0,
  parameter logic [DATA_BITS-1:0]           INVERSES  = '0
) (
  input logic                     clk,
  input logic [ALL*DATA_BITS-1:0] x
);
  localparam int WIDE = 4 * DATA_BITS;  // nothing wraps
  typedef logic [WIDE-1:0] wide_t;
  localparam wide_t MODULUS = wide_t'(Q), FIRST = wide_t'(P_0), SECOND = wide_t'(P_1);
  localparam wide_t MANY = wide_t'(Q) * wide_t'(P_0) * wide_t'(P_1);  // a multiple of q, above any rest

  logic [DATA_BITS-1:0]     divided;
  logic [ALL*DATA_BITS-1:0] x_0;
  logic [7:0]               cycle = '0;
  nttf_mod_down #(
    .LIMBS(1), .SPECIAL(SPECIAL), .LANES(1), .CORE(CORE), .MODULI(MODULI), .CONSTANTS(CONSTANTS),
    .SCALES(SCALES), .FACTORS(FACTORS), .INVERSES(INVERSES), .OFFSET(SPECIAL / 2)
  ) u_down (.clk(clk), .enable(1'b1), .enable_next(1'b0), .x(x), .divided(divided));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) x_0 <= x;
  end

  wide_t own, special, rest;  // rest: more by MANY
  assign own     = wide_t'(x_0[DATA_BITS-1:0]);
  assign special = wide_t'(x_0[DATA_BITS+:DATA_BITS]);
  generate
    if (SPECIAL == 1) begin : gen_one
      assign rest = MANY + special - ((special > FIRST / 2) ? FIRST : '0);
    end else begin : gen_two
      wide_t other;
      assign other = wide_t'(x_0[2*DATA_BITS+:DATA_BITS]);
      assign rest  = MANY - FIRST * SECOND + (special * wide_t'(SCALE_0) % FIRST) * SECOND
                     + (other * wide_t'(SCALE_1) % SECOND) * FIRST;
    end
  endgenerate
  always_comb begin
    if (cycle == '0)
      for (int i = 0; i < ALL; i = i + 1)
        assume (x[i*DATA_BITS+:DATA_BITS] < MODULI[i*DATA_BITS+:DATA_BITS]);
    if (cycle == 8'(LATENCY)) begin
      assert (wide_t'(divided) < MODULUS);
      assert ((wide_t'(divided) * FIRST * SECOND + rest) % MODULUS == own);
    end
  end
endmodule
