// SPDX-License-Identifier: Apache-2.0
// A word delayed by DEPTH cycles of `enable`; DEPTH = 0 is a wire. APART = 1 keeps the last register out of
// the shift register that synthesis makes of a long delay: a flip-flop gives its word a nanosecond sooner.
module nttf_delay #(
  parameter int WIDTH = 1,
  parameter int DEPTH = 1,
  parameter int APART = 0
) (
  // verilator lint_off UNUSEDSIGNAL
  input  logic             clk,  // not used where DEPTH = 0
  input  logic             enable,
  // verilator lint_on UNUSEDSIGNAL
  input  logic [WIDTH-1:0] in_data,
  output logic [WIDTH-1:0] out_data
);
  localparam int FRONT = (APART != 0 && DEPTH > 0) ? DEPTH - 1 : DEPTH;

  logic [WIDTH-1:0] front;
  generate
    if (FRONT == 0) begin : gen_wire
      assign front = in_data;
    end else if (FRONT == 1) begin : gen_register
      logic [WIDTH-1:0] state;
      always_ff @(posedge clk) if (enable) state <= in_data;
      assign front = state;
    end else begin : gen_line
      logic [FRONT*WIDTH-1:0] state;
      always_ff @(posedge clk) if (enable) state <= {state[(FRONT-1)*WIDTH-1:0], in_data};
      assign front = state[FRONT*WIDTH-1-:WIDTH];
    end
    if (FRONT == DEPTH) begin : gen_out
      assign out_data = front;
    end else begin : gen_apart
      // Each tool reads its own: a wire's attribute, or the register's.
      (* shreg_extract = "no" *) logic [WIDTH-1:0] last;
      (* keep *) always_ff @(posedge clk) if (enable) last <= front;
      assign out_data = last;
    end
  endgenerate
endmodule
