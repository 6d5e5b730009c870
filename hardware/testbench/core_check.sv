// SPDX-License-Identifier: Apache-2.0
// Feeds one core with VECTORS cases, one a cycle, compares its words and its latency, and prints how many
// errors there were.
// A line of IMAGE: a, b, w, x, y, inverse from the highest bits down; DATA_BITS each, inverse one bit.
module core_check #(
  parameter int VECTORS = 1,
  parameter     IMAGE   = "",
  parameter int LATENCY = 1,
  parameter int FORWARD = 1,
  parameter int INVERSE = 0,
  parameter logic [nttf_core_pkg::BITS-1:0] CORE = nttf_core_pkg::DEFAULT,
  localparam int DATA_BITS = CORE[nttf_core_pkg::DATA_BITS+:32]
) (
  input  logic                 clk,
  input  logic [DATA_BITS-1:0] q,
  input  logic [DATA_BITS+3:0] constant,
  output logic                 done
);
  localparam int LINE = 5 * DATA_BITS + 1;
  logic [LINE-1:0]      vectors[VECTORS];
  logic [LINE-1:0]      given, wanted;
  logic [DATA_BITS-1:0] x, y;
  int                   cycle, errors;
  initial $readmemh(IMAGE, vectors);
  initial begin
    cycle = 0; errors = 0; done = 0;
  end

  // Every third cycle stands still: a core that ignores `enable` fails.
  int   beat;
  logic enable;
  initial beat = 0;
  assign enable = beat != 2;
  assign given  = vectors[cycle < VECTORS ? cycle : 0];
  assign wanted = vectors[cycle >= LATENCY && cycle - LATENCY < VECTORS ? cycle - LATENCY : 0];

  nttf_butterfly #(.FORWARD(FORWARD), .INVERSE(INVERSE), .CORE(CORE)) u_core (
    .clk(clk), .enable(enable), .enable_beside(enable), .inverse(given[0]), .q(q),
    .constant(constant),
    .a(given[1+4*DATA_BITS+:DATA_BITS]), .b(given[1+3*DATA_BITS+:DATA_BITS]),
    .w(given[1+2*DATA_BITS+:DATA_BITS]), .x(x), .y(y));

  always_ff @(posedge clk) begin
    beat <= (beat == 2) ? 0 : beat + 1;
    if (enable && !done) begin
      cycle <= cycle + 1;
      if (cycle >= LATENCY && cycle < LATENCY + VECTORS && (x !== wanted[1+DATA_BITS+:DATA_BITS] || y !== wanted[1+:DATA_BITS])) begin
        if (errors < 5) $display("%s case %0d: %h %h, expected %h %h", IMAGE, cycle - LATENCY, x, y,
                                 wanted[1+DATA_BITS+:DATA_BITS], wanted[1+:DATA_BITS]);
        errors <= errors + 1;
      end
      if (cycle == LATENCY + VECTORS) begin
        $display("%m: %0d errors", errors);
        done <= 1;
      end
    end
  end
endmodule
