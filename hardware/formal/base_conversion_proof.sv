// SPDX-License-Identifier: Apache-2.0
// A streaming matrix of two targets: for all sources below their primes,
//   one source, plain:    out_j is y or y - q_j, and below q_j
//   one source, centred:  out_j is y, y - q_j, and above SOURCE / 2: y + q_j - SOURCE; below q_j
//   two sources:          out_j is the remainder of weight_0j y_0 + weight_1j y_1 by q_j
// WEIGHTS are the factors without that of Montgomery cores, for two sets of them, and set `which` is used.
module base_conversion_proof #(
  parameter int SOURCES = 1,
  parameter int CENTRED = 0,
  parameter int LATENCY = 1,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32],
  parameter logic [SOURCES*DATA_BITS-1:0]     PRIMES    = '0,  // of the sources
  parameter logic [2*DATA_BITS-1:0]           MODULI    = '0,
  parameter logic [2*(DATA_BITS+4)-1:0]       CONSTANTS = '0,
  parameter logic [4*SOURCES*DATA_BITS-1:0]   FACTORS   = '0,
  parameter logic [4*SOURCES*DATA_BITS-1:0]   WEIGHTS   = '0
) (
  input logic                         clk,
  input logic                         which,
  input logic [SOURCES*DATA_BITS-1:0] y
);
  localparam int WIDE = 2 * DATA_BITS + 2;  // nothing wraps
  localparam logic [DATA_BITS-1:0] SOURCE = PRIMES[DATA_BITS-1:0];

  logic [2*DATA_BITS-1:0]       out;
  logic [SOURCES*DATA_BITS-1:0] y_0;
  logic                         which_0;
  logic [7:0]                   cycle = '0;
  nttf_base_conversion #(
    .SOURCES(SOURCES), .TARGETS(2), .LANES(1), .SETS(2), .CENTRED(CENTRED), .CORE(CORE),
    .SOURCE(SOURCE), .MODULI(MODULI), .CONSTANTS(CONSTANTS), .FACTORS(FACTORS)
  ) u_matrix (
    .clk(clk), .enable(1'b1), .enable_next(1'b0), .which(which), .y(y), .converted(out));
  always_ff @(posedge clk) begin
    cycle <= cycle + 1'b1;
    if (cycle == '0) begin
      y_0     <= y;
      which_0 <= which;
    end
  end
  always_comb begin
    if (cycle == '0)
      for (int i = 0; i < SOURCES; i = i + 1)
        assume (y[i*DATA_BITS+:DATA_BITS] < PRIMES[i*DATA_BITS+:DATA_BITS]);
  end
  generate
    for (genvar j = 0; j < 2; j = j + 1) begin : gen_target
      localparam logic [DATA_BITS-1:0] Q = MODULI[j*DATA_BITS+:DATA_BITS];
      logic [DATA_BITS-1:0] got;
      assign got = out[j*DATA_BITS+:DATA_BITS];
      always_comb begin
        if (cycle == 8'(LATENCY)) assert (got < Q);
      end
      if (SOURCES == 1) begin : gen_one
        logic [WIDE-1:0] wanted;  // and a multiple of q_j
        assign wanted = (CENTRED != 0 && y_0 > (SOURCE >> 1)) ? WIDE'(y_0) + WIDE'(Q) - WIDE'(SOURCE)
                                                               : WIDE'(y_0);
        always_comb begin
          if (cycle == 8'(LATENCY)) assert (WIDE'(got) == wanted || WIDE'(got) + WIDE'(Q) == wanted);
        end
      end else begin : gen_two
        logic [WIDE-1:0] sum;
        assign sum =
            WIDE'(WEIGHTS[((32'(which_0)*2+j)*2)*DATA_BITS+:DATA_BITS]) * WIDE'(y_0[DATA_BITS-1:0])
            + WIDE'(WEIGHTS[((32'(which_0)*2+j)*2+1)*DATA_BITS+:DATA_BITS])
              * WIDE'(y_0[DATA_BITS+:DATA_BITS]);
        always_comb begin
          if (cycle == 8'(LATENCY)) assert (WIDE'(got) == sum % WIDE'(Q));
        end
      end
    end
  endgenerate
endmodule
