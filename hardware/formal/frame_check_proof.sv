// SPDX-License-Identifier: Apache-2.0
// nttf_frame_check under any traffic from reset: error_last tells in the cycle after a word whether an
// in_last so far came with another word than the last of a frame or was missing there, error_range two
// cycles after a word whether any field so far was not below its modulus (0: not checked).
module frame_check_proof #(
  parameter int DATA_BITS = 5,
  parameter int WORDS     = 3,
  localparam int FIELDS   = 3,
  parameter logic [FIELDS*DATA_BITS-1:0] MODULI = {5'd29, 5'd0, 5'd17}
) (
  input logic                        clk,
  input logic                        in_valid,
  input logic                        in_last,
  input logic [FIELDS*DATA_BITS-1:0] in_data
);
  logic       error_last, error_range;
  logic       begins = 1'b1;  // the reset cycle
  logic [7:0] words = '0;
  logic       wrong_last = 1'b0, wrong_range = 1'b0, wrong_range_before = 1'b0, above;
  nttf_frame_check #(
    .DATA_BITS(DATA_BITS), .FIELDS(FIELDS), .WORDS(WORDS), .MODULI(MODULI)
  ) u_check (
    .clk(clk), .reset(begins), .in_valid(in_valid), .in_last(in_last), .in_data(in_data),
    .error_last(error_last), .error_range(error_range));
  always_comb begin
    above = 1'b0;
    for (int f = 0; f < FIELDS; f = f + 1)
      if (MODULI[f*DATA_BITS+:DATA_BITS] != '0
          && in_data[f*DATA_BITS+:DATA_BITS] >= MODULI[f*DATA_BITS+:DATA_BITS])
        above = 1'b1;
  end
  always_ff @(posedge clk) begin
    begins             <= 1'b0;
    wrong_range_before <= wrong_range;
    if (!begins && in_valid) begin
      words <= (words == 8'(WORDS - 1)) ? '0 : words + 1'b1;
      if (in_last != (words == 8'(WORDS - 1))) wrong_last <= 1'b1;
      if (above) wrong_range <= 1'b1;
    end
  end
  always_comb
    if (!begins) begin
      assert (error_last == wrong_last);
      assert (error_range == wrong_range_before);
    end
endmodule
