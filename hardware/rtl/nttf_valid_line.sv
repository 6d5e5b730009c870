// A flag delayed by DEPTH >= 2 cycles of `enable`, cleared by `reset`.
module nttf_valid_line #(
  parameter int DEPTH = 2
) (
  input  logic clk,
  input  logic reset,
  input  logic enable,
  input  logic in_valid,
  output logic out_valid
);
  logic [DEPTH-1:0] state;
  always_ff @(posedge clk) begin
    if (reset) state <= '0;
    else if (enable) state <= {state[DEPTH-2:0], in_valid};
  end
  assign out_valid = state[DEPTH-1];
endmodule
