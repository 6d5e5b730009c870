// a - b mod q for a, b in [0, q); combinational.
module nttf_modular_subtract #(
  parameter int DATA_BITS = 30
) (
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS-1:0] a,
  input  logic [DATA_BITS-1:0] b,
  output logic [DATA_BITS-1:0] difference
);
  logic [DATA_BITS:0] lazy;  // (-q, q)
  assign lazy       = {1'b0, a} - {1'b0, b};
  assign difference = lazy[DATA_BITS-1:0] + (lazy[DATA_BITS] ? q : '0);
endmodule
