// SPDX-License-Identifier: Apache-2.0
// A Benes network [Ben64] brings LANES words into any order by 2 log2(LANES) - 1 layers of 2 x 2
// switches. It is combinational.
//
// Layer j joins lanes that differ in bit log2(LANES) - 1 - j in the first half, and back up to the
// highest bit in the second: the two halves of the lanes are the two inner networks. settings[j][i] says
// that switch i of layer j crosses; i is the number of the switch's lower lane without that bit.
module nttf_benes #(
  parameter int DATA_BITS = 30,
  parameter int LANES     = 4,
  localparam int LAYERS   = 2 * $clog2(LANES) - 1,
  localparam int SWITCHES = LANES / 2
) (
  input  logic [LAYERS*SWITCHES-1:0] settings,
  input  logic [LANES*DATA_BITS-1:0] in_data,
  output logic [LANES*DATA_BITS-1:0] out_data
);
  localparam int TOP = (LAYERS - 1) / 2;  // the highest lane bit
  logic [(LAYERS+1)*LANES*DATA_BITS-1:0] layer;
  assign layer[LANES*DATA_BITS-1:0] = in_data;
  assign out_data = layer[LAYERS*LANES*DATA_BITS+:LANES*DATA_BITS];
  generate
    for (genvar j = 0; j < LAYERS; j = j + 1) begin : gen_layer
      localparam int BIT = (j <= TOP) ? TOP - j : j - TOP;
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        localparam int SWITCH = ((l >> (BIT + 1)) << BIT) + (l % (1 << BIT));
        localparam int OWN    = j * LANES + l;
        localparam int OTHER  = j * LANES + (l ^ (1 << BIT));
        assign layer[(OWN+LANES)*DATA_BITS+:DATA_BITS] = settings[j*SWITCHES+SWITCH]
            ? layer[OTHER*DATA_BITS+:DATA_BITS] : layer[OWN*DATA_BITS+:DATA_BITS];
      end
    end
  endgenerate
endmodule
