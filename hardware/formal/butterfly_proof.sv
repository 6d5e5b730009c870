// SPDX-License-Identifier: Apache-2.0
// The butterfly at full width around its product, which is cut out, for every odd q: the product is given
// the right factors, and whatever residues it gives (product, linked), x and y are the sum, difference or
// half of the butterfly, below q. With PARTS = 2 this holds for each part of a word.
module butterfly_proof #(
  parameter int FORWARD     = 1,
  parameter int INVERSE     = 0,
  parameter int RUN_INVERSE = 0,
  parameter int HALVE       = 1,
  parameter int PARTS       = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int B    = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int WORD = PARTS * B
) (
  input logic            clk,
  input logic [B-1:0]    q,
  input logic [WORD-1:0] a,
  input logic [WORD-1:0] b,
  input logic [WORD-1:0] w,
  input logic            later_inverse,  // where `inverse` is not static
  input logic [WORD-1:0] factor_a,  // linked, as the two below
  input logic [WORD-1:0] factor_b,
  input logic [WORD-1:0] product
);
  localparam int MOVING   = CORE[nttf_core_pkg::MOVING+:32];
  localparam int ADD_REGS = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int BEFORE   = (INVERSE != 0) ? 1 + ADD_REGS : 0;
  localparam int PRODUCT  = BEFORE + CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];
  localparam int LATENCY  = PRODUCT + ((FORWARD != 0) ? 1 + ADD_REGS : 0);
  typedef logic [B+1:0] wide_t;  // nothing wraps

  logic [WORD-1:0] x, y, a_0, b_0, w_0, p_0;
  logic [B-1:0]    q_0, q_now;
  logic [7:0]      cycle = '0;
  nttf_butterfly #(
    .FORWARD(FORWARD), .INVERSE(INVERSE), .HALVE(HALVE), .PARTS(PARTS), .CORE(CORE)
  ) u_core (
    .clk(clk), .enable(1'b1), .enable_beside(1'b1), .inverse((cycle == '0 || MOVING == 0) ? RUN_INVERSE != 0 : later_inverse), .q(q),
    .constant('0), .a(a), .b(b), .w(w), .x(x), .y(y));

  // c = d (mod q) for c below 2q and d below 2q, one of them below q.
  function automatic logic same(wide_t c, wide_t d, logic [B-1:0] modulus);
    same = c == d || c == d + wide_t'(modulus) || c + wide_t'(modulus) == d;
  endfunction
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      q_0 <= q;
      a_0 <= a;
      b_0 <= b;
      w_0 <= w;
    end
    if (cycle == 8'(PRODUCT)) p_0 <= product;
  end
  assign q_now = (cycle == '0) ? q : q_0;  // what came with a, b and w
  always_comb begin
    if (cycle == '0) assume (q[0]);
    if (MOVING == 0) assume (q == q_now);
    if (cycle == 8'(BEFORE)) assert (factor_b == ((cycle == '0) ? w : w_0));
  end
  for (genvar p = 0; p < PARTS; p = p + 1) begin : gen_part
    logic [B-1:0] a_now, b_now, p_now, x_part, y_part, factor;
    assign a_now  = (cycle == '0) ? a[p*B+:B] : a_0[p*B+:B];
    assign b_now  = (cycle == '0) ? b[p*B+:B] : b_0[p*B+:B];
    assign p_now  = (LATENCY == PRODUCT) ? product[p*B+:B] : p_0[p*B+:B];
    assign x_part = x[p*B+:B];
    assign y_part = y[p*B+:B];
    assign factor = factor_a[p*B+:B];
    always_comb begin
      if (cycle == '0) assume (a[p*B+:B] < q && b[p*B+:B] < q);
      if (cycle == 8'(PRODUCT)) assume (product[p*B+:B] < q_now);
      if (cycle == 8'(BEFORE)) begin
        if (RUN_INVERSE == 0) assert (factor == b_now);
        else assert (factor < q_now && same(wide_t'(factor) + wide_t'(b_now), wide_t'(a_now), q_now));
      end
      if (cycle == 8'(LATENCY)) begin
        assert (x_part < q_now && y_part < q_now);
        if (RUN_INVERSE == 0) begin
          assert (same(wide_t'(x_part), wide_t'(a_now) + wide_t'(p_now), q_now));
          assert (same(wide_t'(y_part) + wide_t'(p_now), wide_t'(a_now), q_now));
        end else begin
          assert (same((HALVE != 0) ? wide_t'(x_part) << 1 : wide_t'(x_part),
                       wide_t'(a_now) + wide_t'(b_now), q_now));
          assert (y_part == p_now);
        end
      end
    end
  end
endmodule
