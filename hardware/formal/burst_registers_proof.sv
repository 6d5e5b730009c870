// SPDX-License-Identifier: Apache-2.0
// nttf_burst_registers under any master that keeps its requests until they are taken, and any engines.
// Shown in every cycle after reset: a response stays as it is until it is taken (1), there is one for each
// request and none without (2), writes without all four strobes, of other addresses, and of 2c with no
// free place answer SLVERR, all others OKAY (3), a descriptor is offered for each write of 2c that
// answered OKAY, in order, with the addresses written last before it, and stays until it is taken or all
// are dropped (4), a flush begins with a write of 1 to control and ends, once nothing is to come from
// memory, with one cycle of `clear` (5), an error bit is set by its error and cleared only by a write of 1
// (6), an interrupt bit likewise, and `irq` follows enabled ones a cycle later (7), and what is read of
// status, addresses, numbers and interrupts is true (8).
module burst_registers_proof #(
  parameter int DEPTH = 2
) (
  input logic        clk,
  input logic [6:0]  awaddr, araddr,
  input logic        awvalid, wvalid, bready, arvalid, rready,
  input logic [31:0] wdata,
  input logic [3:0]  wstrb,
  input logic        idle, empty, d_ready, done, marked, takes, gives,
  input logic        error_last, error_range, error_refused, error_read, error_write,
  input logic        busy,  // linked
  input logic [5:0]  errors,
  input logic [1:0]  interrupts, enabled
);
  localparam int COUNT_BITS = $clog2(DEPTH) + 1;
  logic        begins = 1'b1, awready, wready, bvalid, arready, rvalid, irq, halt, clear, d_valid;
  logic [1:0]  bresp, rresp;
  logic [31:0] rdata, d_source, d_destination, d_word;
  nttf_burst_registers #(.WORDS(2), .DEPTH(DEPTH)) u_registers (
    .clk(clk), .reset(begins), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
    .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid),
    .bready(bready), .araddr(araddr), .arvalid(arvalid), .arready(arready), .rdata(rdata),
    .rresp(rresp), .rvalid(rvalid), .rready(rready), .irq(irq), .halt(halt), .clear(clear),
    .idle(idle), .empty(empty), .d_valid(d_valid), .d_ready(d_ready), .d_source(d_source),
    .d_destination(d_destination), .d_word(d_word), .done(done), .marked(marked), .takes(takes),
    .gives(gives), .error_last(error_last), .error_range(error_range),
    .error_refused(error_refused), .error_read(error_read), .error_write(error_write));

  logic        have_aw = 1'b0, have_w = 1'b0, open_write = 1'b0, open_read = 1'b0;  // accepted, not answered
  logic [6:0]  aw;
  logic [31:0] w, source = '0, destination = '0, finished = '0;
  logic [3:0]  strobes;
  logic        acts, whole, pushes, started = 1'b0;
  logic [95:0] queued[4];
  logic [1:0]  pushed = '0, popped = '0, count;
  logic [5:0]  found;
  assign count  = pushed - popped;
  assign acts   = have_aw && have_w && !open_write;
  assign whole  = acts && strobes == 4'hf;
  assign pushes = whole && aw[6:2] == 5'd11 && count != 2'(DEPTH) && !halt;
  assign found  = {error_write, error_read, error_refused, 1'b0, error_range, error_last};

  // What was true a cycle ago.
  logic        was_aw = 1'b0, was_w = 1'b0, was_ar = 1'b0, was_b = 1'b0, was_r = 1'b0, was_d = 1'b0;
  logic        was_acts = 1'b0, was_okay, was_flush, was_halt, was_idle, was_clear, was_done, was_busy, reads = 1'b0;
  logic [6:0]  aw_before, ar_before, read_of;
  logic [31:0] w_before, data_before, was_source, was_destination, was_finished;
  logic [3:0]  strb_before;
  logic [1:0]  b_before, r_before, was_interrupts, was_enabled, ones_interrupts, was_count;
  logic [5:0]  was_errors, was_found, ones_errors;
  logic [95:0] d_before;
  always_ff @(posedge clk) begin
    begins  <= 1'b0;
    started <= !begins;
    if (!begins) begin
      was_aw      <= awvalid && !awready;
      was_w       <= wvalid && !wready;
      was_ar      <= arvalid && !arready;
      was_b       <= bvalid && !bready;
      was_r       <= rvalid && !rready;
      was_d       <= d_valid && !d_ready && !clear;
      d_before    <= {d_source, d_destination, d_word};
      aw_before   <= awaddr;
      ar_before   <= araddr;
      w_before    <= wdata;
      strb_before <= wstrb;
      b_before    <= bresp;
      r_before    <= rresp;
      data_before <= rdata;
      if (awvalid && awready) aw <= awaddr;
      if (wvalid && wready) {strobes, w} <= {wstrb, wdata};
      have_aw    <= (have_aw && !acts) || (awvalid && awready);
      have_w     <= (have_w && !acts) || (wvalid && wready);
      open_write <= acts || (open_write && !bready);
      open_read  <= (arvalid && arready) || (open_read && !rready);
      if (whole && aw[6:2] == 5'd9) source <= w;
      if (whole && aw[6:2] == 5'd10) destination <= w;
      if (pushes) queued[pushed] <= {source, destination, w};
      pushed   <= clear ? '0 : pushed + 2'(pushes);
      popped   <= clear ? '0 : popped + 2'(d_valid && d_ready);
      finished <= clear ? '0 : finished + 32'(done);
      was_acts <= acts;
      was_okay <= whole && (aw[6:2] inside {5'd1, 5'd2, 5'd9, 5'd10, 5'd14, 5'd15} || pushes);
      was_flush <= whole && aw[6:2] == 5'd1 && w[0];
      was_halt  <= halt;
      was_idle  <= idle;
      was_clear <= clear;
      was_done  <= done && marked;
      was_busy  <= busy;
      was_count <= count;
      was_errors  <= errors;
      was_found   <= found;
      ones_errors <= (whole && aw[6:2] == 5'd2) ? w[5:0] : '0;
      was_interrupts  <= interrupts;
      was_enabled     <= enabled;
      ones_interrupts <= (whole && aw[6:2] == 5'd14) ? w[1:0] : '0;
      reads           <= arvalid && arready;
      read_of         <= araddr;
      was_source      <= source;
      was_destination <= destination;
      was_finished    <= finished;
    end
  end
  always_comb begin
    if (was_aw) assume (awvalid && awaddr == aw_before);
    if (was_w) assume (wvalid && wdata == w_before && wstrb == strb_before);
    if (was_ar) assume (arvalid && araddr == ar_before);
    if (!begins) begin
      if (was_b) assert (bvalid && bresp == b_before);                                            // (1)
      if (was_r) assert (rvalid && rresp == r_before && rdata == data_before);
      assert (awready == !have_aw && wready == !have_w);                                          // (2)
      assert (bvalid == open_write && rvalid == open_read);
      if (was_acts) assert (bresp == (was_okay ? 2'b00 : 2'b10));                                 // (3)
      if (was_d) assert (d_valid && {d_source, d_destination, d_word} == d_before);               // (4)
      assert (d_valid == (count != '0));
      if (d_valid) assert ({d_source, d_destination, d_word} == queued[popped]);
      if (started) begin
        assert (halt == (was_flush || (was_halt && !was_clear)));                                 // (5)
        assert (clear == (was_halt && was_idle && !was_clear));
        assert (errors == (was_found | (was_errors & ~ones_errors)));                           // (6)
        assert (interrupts[0] == (was_done || (was_interrupts[0] && !ones_interrupts[0])));       // (7)
        assert (interrupts[1]
                == ((was_found & ~was_errors) != '0 || (was_interrupts[1] && !ones_interrupts[1])));
        assert (irq == ((was_interrupts & was_enabled) != '0));
        if (reads) begin                                                                          // (8)
          case (read_of[6:2])
            5'd0: assert (rdata == 32'h4e545446);
            5'd1: assert (rdata == 32'(was_halt));
            5'd2: assert (rdata == {26'd0, was_errors[5:3], was_busy, was_errors[1:0]});
            5'd9: assert (rdata == was_source);
            5'd10: assert (rdata == was_destination);
            5'd12: assert (rdata == was_finished);
            5'd13: assert (rdata == 32'(DEPTH) - 32'(was_count));
            5'd14: assert (rdata == 32'(was_interrupts));
            5'd15: assert (rdata == 32'(was_enabled));
            default: ;
          endcase
          assert (rresp == ((read_of[6:2] <= 5'd16 && read_of[6:2] != 5'd11) ? 2'b00 : 2'b10));
        end
      end
    end
  end
endmodule
