// Reduction modulo q = 2^I + SIGN_J 2^J + SIGN_0 without a multiplier: z in [0, q^2) -> z mod q.
//
// [Yan22] section 5.2.2 after [Sol99]. With h_0 = z >> I and h_(r+1) = h_r >> (I - J):
//   z = (z mod 2^I) + sum_r (-SIGN_J)^r (-SIGN_0 h_r - SIGN_J ((h_r mod 2^(I-J)) << J))  (mod q)
// Deviation: the operands are added as integers, not modulo q, and the sum is reduced once: its part
// t above 2^I is folded in the same way, which leaves (-q, 2q), then one conditional addition or
// subtraction. Bounds, checked when a design is made: docs/bounds/hardware-cores.md.
// Latency: TREE_REGS + 2 cycles.
module nttf_reduce_solinas #(
  parameter int I         = 30,
  parameter int J         = 18,
  parameter int SIGN_J    = -1,
  parameter int SIGN_0    = 1,
  parameter int DATA_BITS = 30,
  parameter int TREE_REGS = 2
) (
  input  logic                   clk,
  input  logic                   enable,
  input  logic [2*DATA_BITS-1:0] z,
  output logic [DATA_BITS-1:0]   remainder
);
  localparam int FOLDS    = (2 * DATA_BITS - I + I - J - 1) / (I - J);  // h_r = 0 from here on
  localparam int TERMS    = 2 * FOLDS + 1;
  localparam int LEVELS   = $clog2(TERMS);
  localparam int SLOTS    = 1 << LEVELS;
  localparam int SUM_BITS = DATA_BITS + LEVELS + 2;  // signed
  localparam int TOP_BITS = SUM_BITS - I;

  // Node k of the tree has the children 2k and 2k + 1; the leaves are nodes SLOTS ... 2 SLOTS - 1.
  logic [2*SLOTS*SUM_BITS-1:0] node;
  assign node[SUM_BITS-1:0] = '0;
  assign node[SLOTS*SUM_BITS+:SUM_BITS] = SUM_BITS'(z[I-1:0]);

  genvar r, k, level;
  generate
    for (r = 0; r < FOLDS; r = r + 1) begin : gen_fold
      localparam int SHIFT    = I + r * (I - J);
      localparam int FOLD_SIGN = (SIGN_J < 0 || r % 2 == 0) ? 1 : -1;  // (-SIGN_J)^r
      logic [SUM_BITS-1:0] h;
      logic [SUM_BITS-1:0] low;
      assign h   = SUM_BITS'(z >> SHIFT);
      assign low = SUM_BITS'(h[I-J-1:0]) << J;
      assign node[(SLOTS+1+2*r)*SUM_BITS+:SUM_BITS] = (FOLD_SIGN * SIGN_0 > 0) ? -h : h;
      assign node[(SLOTS+2+2*r)*SUM_BITS+:SUM_BITS] = (FOLD_SIGN * SIGN_J > 0) ? -low : low;
    end
    for (k = TERMS; k < SLOTS; k = k + 1) begin : gen_empty
      assign node[(SLOTS+k)*SUM_BITS+:SUM_BITS] = '0;
    end
    for (level = 1; level <= LEVELS; level = level + 1) begin : gen_level
      localparam int WIDTH = SLOTS >> level;
      localparam int REGS  = (level * TREE_REGS) / LEVELS - ((level - 1) * TREE_REGS) / LEVELS;
      for (k = WIDTH; k < 2 * WIDTH; k = k + 1) begin : gen_sum
        logic [SUM_BITS-1:0] sum;
        assign sum = node[2*k*SUM_BITS+:SUM_BITS] + node[(2*k+1)*SUM_BITS+:SUM_BITS];
        nttf_delay #(.WIDTH(SUM_BITS), .DEPTH(REGS)) u_sum (
          .clk(clk), .enable(enable), .in_data(sum), .out_data(node[k*SUM_BITS+:SUM_BITS]));
      end
    end
  endgenerate

  localparam logic [SUM_BITS-1:0] Q = (SUM_BITS'(1) << I)
      + (SIGN_J > 0 ? (SUM_BITS'(1) << J) : -(SUM_BITS'(1) << J))
      + (SIGN_0 > 0 ? SUM_BITS'(1) : -SUM_BITS'(1));

  logic [SUM_BITS-1:0] sum;
  logic [SUM_BITS-1:0] top;  // signed floor(sum / 2^I)
  logic [SUM_BITS-1:0] folded;
  logic [SUM_BITS-1:0] lazy;  // signed, (-q, 2q)
  assign sum    = node[SUM_BITS+:SUM_BITS];
  assign top    = {{I{sum[SUM_BITS-1]}}, sum[SUM_BITS-1-:TOP_BITS]};
  assign folded = SUM_BITS'(sum[I-1:0]) - (SIGN_J > 0 ? top << J : -(top << J))
                  - (SIGN_0 > 0 ? top : -top);
  nttf_delay #(.WIDTH(SUM_BITS), .DEPTH(1)) u_lazy (
    .clk(clk), .enable(enable), .in_data(folded), .out_data(lazy));

  logic [SUM_BITS-1:0]  less;
  logic [SUM_BITS-1:0]  more;
  logic [DATA_BITS-1:0] reduced;
  assign less    = lazy - Q;
  assign more    = lazy + Q;
  assign reduced = lazy[SUM_BITS-1] ? more[DATA_BITS-1:0]
                 : less[SUM_BITS-1] ? lazy[DATA_BITS-1:0] : less[DATA_BITS-1:0];
  nttf_delay #(.WIDTH(DATA_BITS), .DEPTH(1)) u_remainder (
    .clk(clk), .enable(enable), .in_data(reduced), .out_data(remainder));
endmodule
