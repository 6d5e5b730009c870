// SPDX-License-Identifier: Apache-2.0
// Registers of a design behind AXI4-Lite, 32 bits each, by byte address:
//   00 identity "NTTF"   04 control   08 status   0c size n   10 lanes   14 limbs   18 bits of a residue
//   1c transforms taken  20 transforms given
// control: writing 1 to bit 0 flushes. The bits from 1 on are `choice`: the direction (1 is inverse), or
// which permutation, of the transforms or frames that begin from now on.
// status: bit 0 says that s_axis_tlast came too early or not in time, bit 1 that a residue was not below
// its modulus, bit 2 that words are inside. Bits 0 and 1 outlast a flush. Writing a 1 to them after it
// clears them; before it they come back, because what follows an error is not to be relied on.
// Other addresses, and writes to registers that cannot be written, answer SLVERR and do nothing. Only byte 0
// of a write is used, where its strobe is set.
module nttf_axi_lite #(
  parameter int WORDS     = 4,
  localparam int SLOT_BITS = (WORDS > 1) ? $clog2(WORDS) : 1,
  parameter int SIZE      = 16,
  parameter int LANES     = 4,
  parameter int LIMBS     = 1,
  parameter int BITS      = 30,
  parameter int CHOICE_BITS = 1  // 1 ... 7
) (
  input  logic        clk,
  input  logic        reset,
  input  logic [5:0]  awaddr,
  input  logic        awvalid,
  output logic        awready,
  input  logic [31:0] wdata,
  input  logic [3:0]  wstrb,
  input  logic        wvalid,
  output logic        wready,
  output logic [1:0]  bresp,
  output logic        bvalid,
  input  logic        bready,
  input  logic [5:0]  araddr,
  input  logic        arvalid,
  output logic        arready,
  output logic [31:0] rdata,
  output logic [1:0]  rresp,
  output logic        rvalid,
  input  logic        rready,
  input  logic        takes,        // a word is taken, given, in this cycle
  input  logic        gives,
  input  logic        error_last,
  input  logic        error_range,
  output logic        flush,
  output logic [CHOICE_BITS-1:0] choice
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);

  logic                 writes, writable, known, busy;
  logic [31:0]          value, taken, given;
  logic [SLOT_BITS-1:0] taken_slot, given_slot;
  logic [1:0]           errors, cleared;
  logic [3:0]           write_at, read_at;
  // verilator lint_off UNUSEDSIGNAL
  logic [31:0]          written;  // only byte 0 is used
  logic [3:0]           strobes;
  // verilator lint_on UNUSEDSIGNAL
  nttf_lite_port #(.ADDRESS_BITS(6)) u_port (
    .clk(clk), .reset(reset), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
    .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid),
    .bready(bready), .araddr(araddr), .arvalid(arvalid), .arready(arready), .rdata(rdata),
    .rresp(rresp), .rvalid(rvalid), .rready(rready), .writes(writes), .write_at(write_at),
    .written(written), .strobes(strobes), .writable(writable), .read_at(read_at), .value(value),
    .known(known));
  assign writable = write_at == 4'd1 || write_at == 4'd2;
  assign busy    = taken != given || taken_slot != given_slot;
  assign cleared = (writes && write_at == 4'd2 && strobes[0]) ? written[1:0] : 2'b00;

  always_comb begin
    known = 1'b1;
    case (read_at)
      4'd0: value = 32'h4e545446;
      4'd1: value = 32'({choice, 1'b0});
      4'd2: value = {29'd0, busy, errors};
      4'd3: value = 32'(SIZE);
      4'd4: value = 32'(LANES);
      4'd5: value = 32'(LIMBS);
      4'd6: value = 32'(BITS);
      4'd7: value = taken;
      4'd8: value = given;
      default: begin
        value = 32'd0;
        known = 1'b0;
      end
    endcase
  end

  always_ff @(posedge clk) begin
    if (reset) begin
      flush      <= 1'b0;
      choice     <= '0;
      errors     <= 2'b00;
      taken      <= '0;
      given      <= '0;
      taken_slot <= '0;
      given_slot <= '0;
    end else begin
      flush <= writes && write_at == 4'd1 && strobes[0] && written[0];
      if (writes && write_at == 4'd1 && strobes[0]) choice <= written[CHOICE_BITS:1];
      errors <= (errors & ~cleared) | {error_range, error_last};
      if (flush) begin
        taken      <= given;
        taken_slot <= '0;
        given_slot <= '0;
      end else begin
        if (takes) taken_slot <= (taken_slot == LAST) ? '0 : taken_slot + 1'b1;
        if (takes && taken_slot == LAST) taken <= taken + 1'b1;
        if (gives) given_slot <= (given_slot == LAST) ? '0 : given_slot + 1'b1;
        if (gives && given_slot == LAST) given <= given + 1'b1;
      end
    end
  end
endmodule
