// SPDX-License-Identifier: Apache-2.0
// A streaming matrix of one source and two targets, at any width: for every y below SOURCE, out_j is below
// q_j, and y or y - q_j; with CENTRED = 1 a y above SOURCE / 2 gives y + q_j - SOURCE.
module base_conversion_proof #(
  parameter int CENTRED = 0,
  parameter int LATENCY = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32],
  parameter logic [DATA_BITS-1:0]   SOURCE = '0,
  parameter logic [2*DATA_BITS-1:0] MODULI = '0
) (
  input logic                 clk,
  input logic [DATA_BITS-1:0] y
);
  typedef logic [DATA_BITS+1:0] wide_t;  // nothing wraps

  logic [2*DATA_BITS-1:0] out;
  logic [DATA_BITS-1:0]   y_0;
  logic [7:0]             cycle = '0;
  nttf_base_conversion #(
    .SOURCES(1), .TARGETS(2), .LANES(1), .CENTRED(CENTRED), .CORE(CORE), .SOURCE(SOURCE), .MODULI(MODULI)
  ) u_matrix (
    .clk(clk), .enable(1'b1), .enable_next(1'b0), .which(1'b0), .y(y), .converted(out));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) y_0 <= y;
  end
  always_comb if (cycle == '0) assume (y < SOURCE);
  generate
    for (genvar j = 0; j < 2; j = j + 1) begin : gen_target
      localparam logic [DATA_BITS-1:0] Q = MODULI[j*DATA_BITS+:DATA_BITS];
      logic [DATA_BITS-1:0] got;
      wide_t                wanted;  // and a multiple of q_j
      assign got    = out[j*DATA_BITS+:DATA_BITS];
      assign wanted = (CENTRED != 0 && y_0 > (SOURCE >> 1)) ? wide_t'(y_0) + wide_t'(Q) - wide_t'(SOURCE)
                                                             : wide_t'(y_0);
      always_comb if (cycle == 8'(LATENCY)) begin
        assert (got < Q);
        assert (wide_t'(got) == wanted || wide_t'(got) + wide_t'(Q) == wanted);
      end
    end
  endgenerate
endmodule
