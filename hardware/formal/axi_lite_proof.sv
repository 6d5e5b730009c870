// SPDX-License-Identifier: Apache-2.0
// nttf_axi_lite under any master that keeps its requests until they are taken. Shown in every cycle
// after reset: a response stays as it is until it is taken (1), there is one for each request and none
// without, a cycle after address and data are both there and the answer before was taken, and what a
// master offers moves neither awready nor wready (2), a flush is one cycle and comes only from a write
// that asks for it (3), the choice is the one last written (4), an error bit, once set, is cleared only
// by a write of 1 (5), what is read of status is true (6).
module axi_lite_proof (
  input logic        clk,
  input logic [5:0]  awaddr, araddr,
  input logic        awvalid, wvalid, bready, arvalid, rready,
  input logic [31:0] wdata,
  input logic [3:0]  wstrb,
  input logic        takes, gives, error_last, error_range,
  input logic [1:0]  errors,  // linked
  input logic        busy
);
  logic        awready, wready, bvalid, arready, rvalid, flush;
  logic [1:0]  choice, chosen, was_choice;
  logic [1:0]  bresp, rresp;
  logic [31:0] rdata;
  logic        begins = 1'b1;
  nttf_axi_lite #(.WORDS(2), .CHOICE_BITS(2)) u_axi (
    .clk(clk), .reset(begins), .awaddr(awaddr), .awvalid(awvalid), .awready(awready), .wdata(wdata),
    .wstrb(wstrb), .wvalid(wvalid), .wready(wready), .bresp(bresp), .bvalid(bvalid),
    .bready(bready), .araddr(araddr), .arvalid(arvalid), .arready(arready), .rdata(rdata),
    .rresp(rresp), .rvalid(rvalid), .rready(rready), .takes(takes), .gives(gives),
    .error_last(error_last), .error_range(error_range), .flush(flush), .choice(choice));

  logic        was_b = 1'b0, was_r = 1'b0, was_aw = 1'b0, was_w = 1'b0, was_ar = 1'b0, wrote = 1'b0;
  logic        read_status = 1'b0, asked, was_busy, started = 1'b0;
  logic [1:0]  b_before, r_before, was_errors, wrote_ones;
  logic [31:0] data_before, w_before;
  logic [5:0]  aw_before, ar_before;
  logic [3:0]  strb_before;
  logic        have_aw = 1'b0, have_w = 1'b0, done;  // accepted, and not yet done
  logic [5:0]  aw;
  logic [31:0] w;
  logic [3:0]  strb;
  logic [2:0]  open_writes = '0, open_reads = '0;
  assign done = have_aw && have_w && open_writes == '0;
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    started <= !begins;
    if (!begins) begin
      was_b       <= bvalid && !bready;
      was_r       <= rvalid && !rready;
      b_before    <= bresp;
      r_before    <= rresp;
      data_before <= rdata;
      was_aw      <= awvalid && !awready;
      was_w       <= wvalid && !wready;
      was_ar      <= arvalid && !arready;
      aw_before   <= awaddr;
      ar_before   <= araddr;
      w_before    <= wdata;
      strb_before <= wstrb;
      if (awvalid && awready) aw <= awaddr;
      if (wvalid && wready) {strb, w} <= {wstrb, wdata};
      have_aw     <= (have_aw && !done) || (awvalid && awready);
      have_w      <= (have_w && !done) || (wvalid && wready);
      open_writes <= open_writes + 3'(done) - 3'(bvalid && bready);
      open_reads  <= open_reads + 3'(arvalid && arready) - 3'(rvalid && rready);
      wrote       <= done && aw[5:2] == 4'd1 && strb[0];
      asked       <= w[0];
      chosen      <= w[2:1];
      was_choice  <= choice;
      was_errors  <= errors;
      wrote_ones  <= (done && aw[5:2] == 4'd2 && strb[0]) ? w[1:0] : 2'b00;
      read_status <= arvalid && arready && araddr[5:2] == 4'd2;
      was_busy    <= busy;
    end
  end
  always_comb begin
    if (was_aw) assume (awvalid && awaddr == aw_before);
    if (was_w) assume (wvalid && wdata == w_before && wstrb == strb_before);
    if (was_ar) assume (arvalid && araddr == ar_before);
    if (!begins) begin
      if (was_b) assert (bvalid && bresp == b_before);                                       // (1)
      if (was_r) assert (rvalid && rresp == r_before && rdata == data_before);
      assert (awready == !have_aw && wready == !have_w);
      assert (bvalid == (open_writes == 3'd1) && open_writes <= 3'd1);                       // (2)
      assert (rvalid == (open_reads == 3'd1) && open_reads <= 3'd1);
      if (started) begin
        assert (flush == (wrote && asked));                                                  // (3)
        assert (choice == (wrote ? chosen : was_choice));                                    // (4)
        assert ((was_errors & ~wrote_ones & ~errors) == '0);                                 // (5)
        if (read_status) assert (rdata == {29'd0, was_busy, was_errors} && rresp == '0);     // (6)
      end
    end
  end
endmodule
