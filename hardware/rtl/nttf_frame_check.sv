// SPDX-License-Identifier: Apache-2.0
// Watches the words that come in. error_last is set by an in_last that comes with another word than the
// last of a frame, or is missing there; error_range by a residue that is not below its modulus (field i
// of MODULI; 0 is not checked). Both stay set until reset. The design goes on after an error, but what it
// gives then is not defined.
module nttf_frame_check #(
  parameter int DATA_BITS = 30,
  parameter int FIELDS    = 4,
  parameter int WORDS     = 4,
  localparam int SLOT_BITS = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter logic [FIELDS*DATA_BITS-1:0] MODULI = '0
) (
  input  logic                        clk,
  input  logic                        reset,
  input  logic                        in_valid,
  input  logic                        in_last,
  input  logic [FIELDS*DATA_BITS-1:0] in_data,
  output logic                        error_last,
  output logic                        error_range
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);
  logic [SLOT_BITS-1:0] slot;
  logic [FIELDS-1:0]    above, above_held;
  logic                 checked;
  generate
    for (genvar f = 0; f < FIELDS; f = f + 1) begin : gen_field
      localparam logic [DATA_BITS-1:0] MODULUS = MODULI[f*DATA_BITS+:DATA_BITS];
      assign above[f] = MODULUS != '0 && in_data[f*DATA_BITS+:DATA_BITS] >= MODULUS;
    end
  endgenerate
  always_ff @(posedge clk) begin
    if (reset) begin
      slot        <= '0;
      checked     <= 1'b0;
      error_last  <= 1'b0;
      error_range <= 1'b0;
    end else begin
      checked <= in_valid;
      if (checked && above_held != '0) error_range <= 1'b1;
      if (in_valid) begin
        slot <= (slot == LAST) ? '0 : slot + 1'b1;
        if (in_last != (slot == LAST)) error_last <= 1'b1;
      end
    end
    above_held <= above;
  end
endmodule
