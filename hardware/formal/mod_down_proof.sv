// SPDX-License-Identifier: Apache-2.0
// Division by one or two special primes of one limb, around its multipliers, which are cut out, at any
// width. Shown for all residues: what is multiplied by 1 / P is x less the rest, modulo q and below it (1);
// with one special prime p that rest is x_p, or x_p - p above p / 2; with two it is what the conversion of
// the same word gives (rest, linked), and OFFSET is added to the product modulo q (2).
module mod_down_proof #(
  parameter int SPECIAL = 1,
  parameter int OFFSET  = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int ALL       = 1 + SPECIAL,
  parameter logic [ALL*DATA_BITS-1:0] MODULI = '0
) (
  input logic                     clk,
  input logic [ALL*DATA_BITS-1:0] x,
  input logic [DATA_BITS-1:0]     rest,        // linked, as the two below
  input logic [DATA_BITS-1:0]     difference,
  input logic [DATA_BITS-1:0]     product
);
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int ADD  = 1 + CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int REST = (SPECIAL == 1) ? 1 + ADD : 2 * PRODUCT_LATENCY + 1 + ADD;  // when `rest` is x's
  localparam int GIVES = REST + ADD + PRODUCT_LATENCY;                             // and `product`
  localparam int LATENCY = GIVES + ((SPECIAL == 1) ? 0 : ADD);
  typedef logic [DATA_BITS+1:0] wide_t;  // nothing wraps
  localparam logic [DATA_BITS-1:0] Q = MODULI[DATA_BITS-1:0], P = MODULI[DATA_BITS+:DATA_BITS];

  logic [DATA_BITS-1:0]     divided, rest_0, product_0, product_now;
  logic [ALL*DATA_BITS-1:0] x_0;
  logic [7:0]               cycle = '0;
  nttf_mod_down #(
    .LIMBS(1), .SPECIAL(SPECIAL), .LANES(1), .CORE(CORE), .MODULI(MODULI), .OFFSET(OFFSET)
  ) u_down (.clk(clk), .enable(1'b1), .enable_next(1'b0), .x(x), .divided(divided));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) x_0 <= x;
    if (cycle == 8'(REST)) rest_0 <= rest;
    if (cycle == 8'(GIVES)) product_0 <= product;
  end
  assign product_now = (SPECIAL == 1) ? product : product_0;

  wide_t own, special, wanted, less, sum;  // wanted: the rest, in [0, q)
  assign own     = wide_t'(x_0[DATA_BITS-1:0]);
  assign special = wide_t'(x_0[DATA_BITS+:DATA_BITS]);
  assign wanted  = (SPECIAL != 1) ? wide_t'(rest_0)
                   : (special > wide_t'(P >> 1)) ? special + wide_t'(Q) - wide_t'(P) : special;
  assign less    = wide_t'(difference) + wanted;
  assign sum     = wide_t'(product_now) + wide_t'(OFFSET);
  always_comb begin
    if (cycle == '0)
      for (int i = 0; i < ALL; i = i + 1)
        assume (x[i*DATA_BITS+:DATA_BITS] < MODULI[i*DATA_BITS+:DATA_BITS]);
    if (SPECIAL != 1 && cycle == 8'(REST)) assume (rest < Q);
    if (cycle == 8'(GIVES)) assume (product < Q);
    if (cycle == 8'(REST + ADD)) begin                                            // (1)
      assert (difference < Q);
      assert (less == own || less == own + wide_t'(Q));
    end
    if (cycle == 8'(LATENCY)) begin                                               // (2)
      assert (divided < Q);
      assert (wide_t'(divided) == sum || wide_t'(divided) + wide_t'(Q) == sum);
    end
  end
endmodule
