// SPDX-License-Identifier: Apache-2.0
// One tile of a product in a multiplier block of ECP5, MULT18X18D, with its input and its output
// registers: synthesis never moves registers into the block. Factors of one bit stay in LUTs.
// Latency: INPUT_REGS + 1 + PRODUCT_REGS cycles, INPUT_REGS >= 1.
module nttf_tile_ecp5 #(
  parameter int A_BITS     = 18,
  parameter int B_BITS     = 18,
  parameter int INPUT_REGS = 1,
  parameter int PRODUCT_REGS = 0
) (
  input  logic                     clk,
  input  logic                     enable,
  input  logic [A_BITS-1:0]        a,
  input  logic [B_BITS-1:0]        b,
  output logic [A_BITS+B_BITS-1:0] product
);
  localparam int BLOCK = (A_BITS > 1 && B_BITS > 1) ? 1 : 0;
  logic [A_BITS-1:0] a_in;
  logic [B_BITS-1:0] b_in;
  nttf_delay #(.WIDTH(A_BITS), .DEPTH(INPUT_REGS - BLOCK)) u_a_in (
    .clk(clk), .enable(enable), .in_data(a), .out_data(a_in));
  nttf_delay #(.WIDTH(B_BITS), .DEPTH(INPUT_REGS - BLOCK)) u_b_in (
    .clk(clk), .enable(enable), .in_data(b), .out_data(b_in));
  logic [A_BITS+B_BITS-1:0] first;
  nttf_delay #(.WIDTH(A_BITS + B_BITS), .DEPTH(PRODUCT_REGS)) u_product (
    .clk(clk), .enable(enable), .in_data(first), .out_data(product));
  generate
    if (BLOCK != 0) begin : gen_block
      logic [17:0] x, y;
      // verilator lint_off UNUSEDSIGNAL
      logic [35:0] p;  // bits above a small product's
      // verilator lint_on UNUSEDSIGNAL
      assign x       = 18'(a_in);
      assign y       = 18'(b_in);
      assign first   = p[A_BITS+B_BITS-1:0];
      MULT18X18D #(
        .REG_INPUTA_CLK("CLK0"), .REG_INPUTB_CLK("CLK0"), .REG_OUTPUT_CLK("CLK0")
      ) u_block (
        .CLK0(clk), .CE0(enable), .RST0(1'b0), .SIGNEDA(1'b0), .SIGNEDB(1'b0), .SOURCEA(1'b0),
        .SOURCEB(1'b0),
        .A0(x[0]), .A1(x[1]), .A2(x[2]), .A3(x[3]), .A4(x[4]), .A5(x[5]), .A6(x[6]), .A7(x[7]),
        .A8(x[8]), .A9(x[9]), .A10(x[10]), .A11(x[11]), .A12(x[12]), .A13(x[13]), .A14(x[14]),
        .A15(x[15]), .A16(x[16]), .A17(x[17]),
        .B0(y[0]), .B1(y[1]), .B2(y[2]), .B3(y[3]), .B4(y[4]), .B5(y[5]), .B6(y[6]), .B7(y[7]),
        .B8(y[8]), .B9(y[9]), .B10(y[10]), .B11(y[11]), .B12(y[12]), .B13(y[13]), .B14(y[14]),
        .B15(y[15]), .B16(y[16]), .B17(y[17]),
        .C0(1'b0), .C1(1'b0), .C2(1'b0), .C3(1'b0), .C4(1'b0), .C5(1'b0), .C6(1'b0), .C7(1'b0),
        .C8(1'b0), .C9(1'b0), .C10(1'b0), .C11(1'b0), .C12(1'b0), .C13(1'b0), .C14(1'b0),
        .C15(1'b0), .C16(1'b0), .C17(1'b0),
        .P0(p[0]), .P1(p[1]), .P2(p[2]), .P3(p[3]), .P4(p[4]), .P5(p[5]), .P6(p[6]), .P7(p[7]),
        .P8(p[8]), .P9(p[9]), .P10(p[10]), .P11(p[11]), .P12(p[12]), .P13(p[13]), .P14(p[14]),
        .P15(p[15]), .P16(p[16]), .P17(p[17]), .P18(p[18]), .P19(p[19]), .P20(p[20]), .P21(p[21]),
        .P22(p[22]), .P23(p[23]), .P24(p[24]), .P25(p[25]), .P26(p[26]), .P27(p[27]), .P28(p[28]),
        .P29(p[29]), .P30(p[30]), .P31(p[31]), .P32(p[32]), .P33(p[33]), .P34(p[34]), .P35(p[35]));
    end else begin : gen_logic
      always_ff @(posedge clk)
        if (enable) first <= (A_BITS+B_BITS)'(a_in) * (A_BITS+B_BITS)'(b_in);
    end
  endgenerate
endmodule
