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
  // A net for each lane and layer and words joined in pairs: a simulator then wakes only the readers of what
  // changed, where assignments to parts of a vector wake all of its readers.
  logic [DATA_BITS-1:0] last[LANES];
  generate
    for (genvar j = 0; (1 << j) <= LANES; j = j + 1) begin : gen_join
      for (genvar k = 0; k < (LANES >> j); k = k + 1) begin : gen_node
        logic [(DATA_BITS << j)-1:0] words;
        if (j == 0) begin : gen_one
          assign words = last[k];
        end else begin : gen_both
          assign words = {gen_join[j-1].gen_node[2*k+1].words, gen_join[j-1].gen_node[2*k].words};
        end
      end
    end
    assign out_data = gen_join[$clog2(LANES)].gen_node[0].words;
  endgenerate
  generate
    for (genvar j = 0; j <= LAYERS; j = j + 1) begin : gen_layer
      localparam int BIT = (j <= TOP + 1) ? TOP + 1 - j : j - 1 - TOP;  // of the layer before
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        logic [DATA_BITS-1:0] word;
        if (j == 0) begin : gen_first
          assign word = in_data[l*DATA_BITS+:DATA_BITS];
        end else begin : gen_switch
          localparam int SWITCH = (j - 1) * SWITCHES + ((l >> (BIT + 1)) << BIT) + (l % (1 << BIT));
          assign word = settings[SWITCH] ? gen_layer[j-1].gen_lane[l^(1<<BIT)].word
                                         : gen_layer[j-1].gen_lane[l].word;
        end
        if (j == LAYERS) begin : gen_last
          assign last[l] = word;
        end
      end
    end
  endgenerate
endmodule
