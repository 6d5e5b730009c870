// a + b mod q for a, b in [0, q); combinational.
module nttf_modular_add #(
  parameter int DATA_BITS = 30
) (
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] sum
);
  logic [DATA_BITS:0]   lazy;  // [0, 2q)
  logic [DATA_BITS+1:0] less;
  assign lazy = {1'b0, a} + {1'b0, b};
  assign less = {1'b0, lazy} - {2'b00, q};
  assign sum  = less[DATA_BITS+1] ? lazy[DATA_BITS-1:0] : less[DATA_BITS-1:0];
endmodule
