// SPDX-License-Identifier: Apache-2.0
// EXCHANGES layers of 2 x 2 switches: layer e swaps every lane with the one that differs from it in lane
// bit (log2 LANES - 1 - e) where swap[e]. It is combinational.
module nttf_lane_switches #(
  parameter int DATA_BITS = 30,
  parameter int LANES     = 4,
  parameter int EXCHANGES = 1
) (
  input  logic [EXCHANGES-1:0]       swap,
  input  logic [LANES*DATA_BITS-1:0] in_data,
  output logic [LANES*DATA_BITS-1:0] out_data
);
  logic [(EXCHANGES+1)*LANES*DATA_BITS-1:0] layer;
  assign layer[LANES*DATA_BITS-1:0] = in_data;
  assign out_data = layer[EXCHANGES*LANES*DATA_BITS+:LANES*DATA_BITS];
  generate
    for (genvar e = 0; e < EXCHANGES; e = e + 1) begin : gen_layer
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        localparam int OWN   = e * LANES + l;
        localparam int OTHER = e * LANES + (l ^ (LANES >> (e + 1)));
        assign layer[(OWN+LANES)*DATA_BITS+:DATA_BITS] =
            swap[e] ? layer[OTHER*DATA_BITS+:DATA_BITS] : layer[OWN*DATA_BITS+:DATA_BITS];
      end
    end
  endgenerate
endmodule
