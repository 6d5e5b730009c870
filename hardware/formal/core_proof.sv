// SPDX-License-Identifier: Apache-2.0
// A whole NTT core around its multiplier, which is cut out: its output, linked to z, is any product of
// two residues. Proved: the multiplier is given the right operands, and with z their product the
// outputs are those of the butterfly, for every a, b, w and every residue p that z reduces to.
module core_proof #(
  parameter int FORWARD     = 1,
  parameter int INVERSE     = 0,
  parameter int RUN_INVERSE = 0,
  parameter int Q           = 193,
  parameter int CONSTANT    = 65,
  parameter int FACTOR      = 256,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS  = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input logic                   clk,
  input logic [DATA_BITS-1:0]   a,
  input logic [DATA_BITS-1:0]   b,
  input logic [DATA_BITS-1:0]   w,
  input logic [DATA_BITS-1:0]   factor_a,  // linked: what the multiplier is given
  input logic [DATA_BITS-1:0]   factor_b,
  input logic [2*DATA_BITS-1:0] z,         // linked: what it gives
  input logic [DATA_BITS-1:0]   p,
  input logic [DATA_BITS+2:0]   times
);
  localparam int INPUT_REGS      = CORE[nttf_core_pkg::INPUT_REGS+:32];
  localparam int PRODUCT_REGS    = CORE[nttf_core_pkg::PRODUCT_REGS+:32];
  localparam int SUM_REGS        = CORE[nttf_core_pkg::SUM_REGS+:32];
  localparam int ADD_REGS        = CORE[nttf_core_pkg::ADD_REGS+:32];
  localparam int PRODUCT_LATENCY = CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];

  localparam int WIDE    = 3 * DATA_BITS + 4;  // nothing wraps
  localparam int BEFORE  = (INVERSE != 0) ? 1 + ADD_REGS : 0;
  localparam int PRODUCT = BEFORE + INPUT_REGS + 1 + PRODUCT_REGS + SUM_REGS;
  localparam int LATENCY = PRODUCT_LATENCY + (FORWARD + INVERSE) * (1 + ADD_REGS);
  localparam logic [DATA_BITS:0] MODULUS = (DATA_BITS+1)'(Q);

  logic [DATA_BITS-1:0] x, y, a_0, b_0, w_0, p_0;
  logic [7:0]           cycle = '0;
  nttf_butterfly #(.FORWARD(FORWARD), .INVERSE(INVERSE), .CORE(CORE)) u_core (
    .clk(clk), .enable(1'b1), .enable_beside(1'b1), .inverse(RUN_INVERSE != 0), .q(DATA_BITS'(Q)),
    .constant((DATA_BITS+4)'(CONSTANT)), .a(a), .b(b), .w(w), .x(x), .y(y));

  function automatic logic [DATA_BITS-1:0] modulo(logic [DATA_BITS:0] lazy);  // of [0, 2q)
    modulo = DATA_BITS'(lazy >= MODULUS ? lazy - MODULUS : lazy);
  endfunction
  logic [DATA_BITS-1:0] now_a, now_b, sum, difference;
  assign now_a      = (cycle == '0) ? a : a_0;  // the case whose way is followed
  assign now_b      = (cycle == '0) ? b : b_0;
  assign sum        = modulo({1'b0, now_a} + {1'b0, now_b});
  assign difference = modulo({1'b0, now_a} + MODULUS - {1'b0, now_b});
  logic [DATA_BITS-1:0] wanted_x, wanted_y;
  // Half of the sum in the field: x + x = sum.
  assign wanted_x = (RUN_INVERSE != 0) ? x : modulo({1'b0, a_0} + {1'b0, p_0});
  assign wanted_y = (RUN_INVERSE != 0) ? p_0 : modulo({1'b0, a_0} + MODULUS - {1'b0, p_0});

  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      a_0 <= a;
      b_0 <= b;
      w_0 <= w;
    end
    if (cycle == 8'(PRODUCT)) p_0 <= p;
  end
  always_comb begin
    if (cycle == '0) assume ({1'b0, a} < MODULUS && {1'b0, b} < MODULUS && {1'b0, w} < MODULUS);
    if (cycle == 8'(BEFORE)) begin
      assert (factor_a == ((RUN_INVERSE != 0) ? difference : now_b));
      assert (factor_b == ((cycle == '0) ? w : w_0));
    end
    if (cycle == 8'(PRODUCT)) begin
      assume (z <= (2*DATA_BITS)'((Q - 1) * (Q - 1)) && {1'b0, p} < MODULUS);
      assume (WIDE'(p) * WIDE'(FACTOR) + WIDE'(Q * Q) == WIDE'(z) + WIDE'(times) * WIDE'(Q));
    end
    if (cycle == 8'(LATENCY)) begin
      assert (x == wanted_x && y == wanted_y);
      assert ({1'b0, x} < MODULUS);
      if (RUN_INVERSE != 0) assert (modulo({1'b0, x} + {1'b0, x}) == sum);
    end
  end
endmodule
