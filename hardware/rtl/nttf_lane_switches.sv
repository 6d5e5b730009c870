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
  // A net for each lane and layer as in nttf_benes.
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
    for (genvar e = 0; e <= EXCHANGES; e = e + 1) begin : gen_layer
      for (genvar l = 0; l < LANES; l = l + 1) begin : gen_lane
        logic [DATA_BITS-1:0] word;
        if (e == 0) begin : gen_first
          assign word = in_data[l*DATA_BITS+:DATA_BITS];
        end else begin : gen_switch
          assign word = swap[e-1] ? gen_layer[e-1].gen_lane[l^(LANES>>e)].word
                                  : gen_layer[e-1].gen_lane[l].word;
        end
        if (e == EXCHANGES) begin : gen_last
          assign last[l] = word;
        end
      end
    end
  endgenerate
endmodule
