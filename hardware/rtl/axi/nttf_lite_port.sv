// SPDX-License-Identifier: Apache-2.0
// The handshakes of AXI4-Lite, 32 bits, between a bus and the registers behind it.
//
// Address and data of a write are taken each by itself, in any order, and the write is done when both are
// there and the answer before it was taken: awready and wready come from registers. In that cycle `writes`
// is high, and the user says by `writable` whether the answer is OKAY or SLVERR. A read's `value` and
// `known` are those of the cycle in which its address is taken.
module nttf_lite_port #(
  parameter int ADDRESS_BITS = 6,
  localparam int AT_BITS     = ADDRESS_BITS - 2
) (
  input  logic                    clk,
  input  logic                    reset,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [ADDRESS_BITS-1:0] awaddr,   // registers are whole words
  // verilator lint_on UNUSEDSIGNAL
  input  logic                    awvalid,
  output logic                    awready,
  input  logic [31:0]             wdata,
  input  logic [3:0]              wstrb,
  input  logic                    wvalid,
  output logic                    wready,
  output logic [1:0]              bresp,
  output logic                    bvalid,
  input  logic                    bready,
  // verilator lint_off UNUSEDSIGNAL
  input  logic [ADDRESS_BITS-1:0] araddr,
  // verilator lint_on UNUSEDSIGNAL
  input  logic                    arvalid,
  output logic                    arready,
  output logic [31:0]             rdata,
  output logic [1:0]              rresp,
  output logic                    rvalid,
  input  logic                    rready,
  output logic                    writes,
  output logic [AT_BITS-1:0]      write_at,
  output logic [31:0]             written,
  output logic [3:0]              strobes,
  input  logic                    writable,
  output logic [AT_BITS-1:0]      read_at,
  input  logic [31:0]             value,
  input  logic                    known
);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  logic aw_held, w_held, reads;
  assign awready = !aw_held;
  assign wready  = !w_held;
  assign writes  = aw_held && w_held && !bvalid;
  assign arready = !rvalid;
  assign reads   = arvalid && arready;
  assign read_at = araddr[ADDRESS_BITS-1:2];
  always_ff @(posedge clk) begin
    if (reset) begin
      aw_held <= 1'b0;
      w_held  <= 1'b0;
      bvalid  <= 1'b0;
      rvalid  <= 1'b0;
    end else begin
      if (writes) aw_held <= 1'b0;
      else if (awvalid) aw_held <= 1'b1;
      if (writes) w_held <= 1'b0;
      else if (wvalid) w_held <= 1'b1;
      if (writes) bvalid <= 1'b1;
      else if (bready) bvalid <= 1'b0;
      if (reads) rvalid <= 1'b1;
      else if (rready) rvalid <= 1'b0;
    end
    if (!aw_held) write_at <= awaddr[ADDRESS_BITS-1:2];
    if (!w_held) {strobes, written} <= {wstrb, wdata};
    if (writes) bresp <= writable ? OKAY : SLVERR;
    if (reads) begin
      rdata <= value;
      rresp <= known ? OKAY : SLVERR;
    end
  end
endmodule
