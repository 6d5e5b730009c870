// SPDX-License-Identifier: Apache-2.0
// FD1S3BX of ECP5 for simulation of the SoC only: a flip-flop that PD sets at once.
module FD1S3BX (
  input  logic D,
  input  logic CK,
  input  logic PD,
  output logic Q
);
  always_ff @(posedge CK or posedge PD) begin
    if (PD) Q <= 1'b1;
    else Q <= D;
  end
endmodule
