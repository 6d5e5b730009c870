// SPDX-License-Identifier: Apache-2.0
// Registers and the queue of descriptors of engines behind AXI4, 32 bits each, by byte address:
//   00 identity "NTTF"   04 control   08 status   0c size n   10 lanes   14 limbs   18 bits of a residue
//   1c frames taken   20 results given   24 source   28 destination   2c push   30 descriptors done
//   34 free places of the queue   38 interrupts   3c interrupts enabled   40 the first that went wrong
// A descriptor is an address of a frame or table (24), one for a frame's result (28), and a word (2c, as
// nttf_burst has it), whose write puts all three into the queue of DEPTH. Both addresses stay.
// control: writing 1 to bit 0 flushes: begun bursts end, what they bring is dropped, the queue is emptied,
// and 30 restarts at 0. Until then the bit reads 1, and no descriptor is taken.
// status: bit 0 a frame's or table's end was wrong, bit 1 a residue was not below its modulus, bit 2
// something is inside, bit 3 a descriptor was refused, bits 4 and 5 the memory answered an error to a read
// or a write. All but bit 2 outlast a flush; writing a 1 to them after it clears them. 40 has what 30 was
// when the first of bits 3 to 5 was set.
// interrupts: bit 0 a marked descriptor is done, bit 1 one of bits 0, 1, 3 to 5 of the status was set.
// Writing a 1 clears them. `irq` is high while an enabled one (3c) is set.
// A write of 2c with no free place, one of another address that cannot be written, and all other
// addresses answer SLVERR and do nothing. Words are written whole: without all four strobes a write answers
// SLVERR too.
module nttf_burst_registers #(
  parameter int WORDS       = 4,   // of a frame
  parameter int SIZE        = 16,
  parameter int LANES       = 4,
  parameter int LIMBS       = 1,
  parameter int BITS        = 30,
  parameter int DEPTH       = 16,  // a power of two
  localparam int SLOT_BITS  = (WORDS > 1) ? $clog2(WORDS) : 1
) (
  input  logic        clk,
  input  logic        reset,
  input  logic [6:0]  awaddr,
  input  logic        awvalid,
  output logic        awready,
  input  logic [31:0] wdata,
  input  logic [3:0]  wstrb,
  input  logic        wvalid,
  output logic        wready,
  output logic [1:0]  bresp,
  output logic        bvalid,
  input  logic        bready,
  input  logic [6:0]  araddr,
  input  logic        arvalid,
  output logic        arready,
  output logic [31:0] rdata,
  output logic [1:0]  rresp,
  output logic        rvalid,
  input  logic        rready,
  output logic        irq,
  output logic        halt,         // no burst is begun any more
  output logic        clear,        // then, when idle: everything is dropped
  input  logic        idle,
  input  logic        empty,
  output logic        d_valid,
  input  logic        d_ready,
  output logic [31:0] d_source,
  output logic [31:0] d_destination,
  output logic [31:0] d_word,
  input  logic        done,
  input  logic        marked,
  input  logic        takes,        // a word of a frame is taken, of a result given, in this cycle
  input  logic        gives,
  input  logic        error_last,
  input  logic        error_range,
  input  logic        error_refused,
  input  logic        error_read,
  input  logic        error_write
);
  localparam logic [SLOT_BITS-1:0] LAST = SLOT_BITS'(WORDS - 1);
  localparam int COUNT_BITS = $clog2(DEPTH) + 1;

  logic                  writes, whole, writable, known, busy, pushes, full;
  logic [31:0]           value, status, taken, given, written, source, destination, finished, failed;
  logic [SLOT_BITS-1:0]  taken_slot, given_slot;
  logic [4:0]            write_at, read_at;
  logic [3:0]            strobes;
  logic [5:0]            errors, cleared, found;
  logic [1:0]            interrupts, enabled;
  logic                  takes_held, gives_held;  // a cycle later: both come from afar
  logic [COUNT_BITS-1:0] count;
  nttf_lite_port #(.ADDRESS_BITS(7)) u_port (
    .clk(clk), .reset(reset), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
    .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid),
    .bready(bready), .araddr(araddr), .arvalid(arvalid), .arready(arready), .rdata(rdata),
    .rresp(rresp), .rvalid(rvalid), .rready(rready), .writes(writes), .write_at(write_at),
    .written(written), .strobes(strobes), .writable(writable), .read_at(read_at), .value(value),
    .known(known));
  assign whole   = writes && strobes == 4'hf;
  assign found   = {error_write, error_read, error_refused, 1'b0, error_range, error_last};
  assign cleared = (whole && write_at == 5'd2) ? written[5:0] : '0;
  assign full    = count == COUNT_BITS'(DEPTH) || halt;
  assign pushes  = whole && write_at == 5'd11 && !full;
  assign d_valid = count != '0;
  assign status  = {26'd0, errors[5:3], busy, errors[1:0]};

  nttf_fifo #(.WIDTH(96), .DEPTH(DEPTH)) u_queue (
    .clk(clk), .reset(reset || clear), .push(pushes), .in_data({source, destination, written}),
    .pop(d_valid && d_ready), .out_data({d_source, d_destination, d_word}), .count(count));

  always_comb begin
    known = 1'b1;
    case (read_at)
      5'd0: value = 32'h4e545446;
      5'd1: value = 32'(halt);
      5'd2: value = status;
      5'd3: value = 32'(SIZE);
      5'd4: value = 32'(LANES);
      5'd5: value = 32'(LIMBS);
      5'd6: value = 32'(BITS);
      5'd7: value = taken;
      5'd8: value = given;
      5'd9: value = source;
      5'd10: value = destination;
      5'd12: value = finished;
      5'd13: value = 32'(COUNT_BITS'(DEPTH) - count);
      5'd14: value = 32'(interrupts);
      5'd15: value = 32'(enabled);
      5'd16: value = failed;
      default: begin
        value = 32'd0;
        known = 1'b0;
      end
    endcase
  end

  always_comb begin
    case (write_at)
      5'd1, 5'd2, 5'd9, 5'd10, 5'd14, 5'd15: writable = strobes == 4'hf;
      5'd11: writable = strobes == 4'hf && !full;
      default: writable = 1'b0;
    endcase
  end

  always_ff @(posedge clk) begin
    if (reset) begin
      halt        <= 1'b0;
      clear       <= 1'b0;
      busy        <= 1'b0;
      errors      <= '0;
      interrupts  <= '0;
      enabled     <= '0;
      irq         <= 1'b0;
      source      <= '0;
      destination <= '0;
      finished    <= '0;
      failed      <= '0;
      taken       <= '0;
      given       <= '0;
      taken_slot  <= '0;
      given_slot  <= '0;
    end else begin
      if (whole) begin
        case (write_at)
          5'd9: source <= written;
          5'd10: destination <= written;
          5'd15: enabled <= written[1:0];
          default: ;
        endcase
      end
      if (whole && write_at == 5'd1 && written[0]) halt <= 1'b1;
      else if (clear) halt <= 1'b0;
      clear <= halt && idle && !clear;
      busy  <= count != '0 || !empty || halt;
      errors     <= (errors & ~cleared) | found;
      if (found[5:3] != '0 && (errors[5:3] & ~cleared[5:3]) == '0) failed <= finished;
      interrupts[0] <= (done && marked) || (interrupts[0]
                    && !(whole && write_at == 5'd14 && written[0]));
      interrupts[1] <= (found & ~errors) != '0 || (interrupts[1]
                    && !(whole && write_at == 5'd14 && written[1]));
      irq <= (interrupts & enabled) != '0;
      finished  <= clear ? '0 : finished + 32'(done);
      if (clear) begin
        taken      <= given;
        taken_slot <= '0;
        given_slot <= '0;
      end else begin
        if (takes_held) taken_slot <= (taken_slot == LAST) ? '0 : taken_slot + 1'b1;
        if (takes_held && taken_slot == LAST) taken <= taken + 1'b1;
        if (gives_held) given_slot <= (given_slot == LAST) ? '0 : given_slot + 1'b1;
        if (gives_held && given_slot == LAST) given <= given + 1'b1;
      end
    end
    takes_held <= takes && !reset && !clear;
    gives_held <= gives && !reset && !clear;
  end
endmodule
