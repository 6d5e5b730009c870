// SPDX-License-Identifier: Apache-2.0
// A streaming matrix of three sources and two targets around its multipliers, which are cut out, at any
// width. Shown for all words of DATA_BITS bits as sources: the multipliers are given y_i or y_i - q_j,
// below q_j, and the factor of the set that came with y (1); and whatever residues they give (terms, linked),
// out_j is their sum modulo q_j, below it, as many cycles later as LATENCY says (2).
module matrix_proof #(
  parameter int LATENCY = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32],
  localparam int ROW       = 2 * DATA_BITS,
  parameter logic [ROW-1:0]             MODULI  = '0,
  parameter logic [12*DATA_BITS-1:0]    FACTORS = '0   // two sets of two targets of three sources
) (
  input logic                   clk,
  input logic                   which,
  input logic [3*DATA_BITS-1:0] y,
  input logic [3*ROW-1:0]       once,  // linked: what the multipliers are given
  input logic [ROW-1:0]         factors_0,
  input logic [ROW-1:0]         factors_1,
  input logic [ROW-1:0]         factors_2,
  input logic [ROW-1:0]         terms_0,  // linked: what they give
  input logic [ROW-1:0]         terms_1,
  input logic [ROW-1:0]         terms_2
);
  typedef logic [DATA_BITS+2:0] wide_t;  // nothing wraps
  localparam int PRODUCT = 1 + CORE[nttf_core_pkg::PRODUCT_LATENCY+:32];

  logic [ROW-1:0]         out;
  logic [3*DATA_BITS-1:0] y_0;
  logic [3*ROW-1:0]       factors, terms, given;
  logic                   which_0;
  logic [7:0]             cycle = '0;
  nttf_base_conversion #(
    .SOURCES(3), .TARGETS(2), .LANES(1), .SETS(2), .CORE(CORE), .MODULI(MODULI), .FACTORS(FACTORS)
  ) u_matrix (
    .clk(clk), .enable(1'b1), .enable_next(1'b0), .which(which), .y(y), .converted(out));
  assign factors = {factors_2, factors_1, factors_0};
  assign terms   = {terms_2, terms_1, terms_0};
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      y_0     <= y;
      which_0 <= which;
    end
    if (cycle == 8'(PRODUCT)) given <= terms;
  end
  generate
    for (genvar j = 0; j < 2; j = j + 1) begin : gen_target
      localparam logic [DATA_BITS-1:0] Q = MODULI[j*DATA_BITS+:DATA_BITS];
      wide_t sum;
      assign sum = wide_t'(given[j*DATA_BITS+:DATA_BITS]) + wide_t'(given[ROW+j*DATA_BITS+:DATA_BITS])
                   + wide_t'(given[2*ROW+j*DATA_BITS+:DATA_BITS]);
      for (genvar i = 0; i < 3; i = i + 1) begin : gen_source
        logic [DATA_BITS-1:0] source, taken;
        assign source = y_0[i*DATA_BITS+:DATA_BITS];
        assign taken  = once[i*ROW+j*DATA_BITS+:DATA_BITS];
        always_comb begin
          if (cycle == 8'd1) begin                                                           // (1)
            assert (taken < Q && (taken == source || wide_t'(taken) + wide_t'(Q) == wide_t'(source)));
            assert (factors[i*ROW+j*DATA_BITS+:DATA_BITS]
                    == FACTORS[((32'(which_0)*2+j)*3+i)*DATA_BITS+:DATA_BITS]);
          end
          if (cycle == 8'(PRODUCT)) assume (terms[i*ROW+j*DATA_BITS+:DATA_BITS] < Q);
        end
      end
      always_comb if (cycle == 8'(LATENCY)) begin                                            // (2)
        assert (out[j*DATA_BITS+:DATA_BITS] < Q);
        assert (wide_t'(out[j*DATA_BITS+:DATA_BITS]) == sum
                || wide_t'(out[j*DATA_BITS+:DATA_BITS]) + wide_t'(Q) == sum
                || wide_t'(out[j*DATA_BITS+:DATA_BITS]) + wide_t'(Q) * 2 == sum);
      end
    end
  endgenerate
endmodule
