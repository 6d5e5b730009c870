// SPDX-License-Identifier: Apache-2.0
// Checks a design behind AXI4-Lite and AXI4-Stream: identity and sizes, answers to bad addresses, both
// error bits and flushes in the middle of a transform. Then it sends every transform of input.hex and
// compares with output.hex; with CHOICES > 1 frame i is given with choice i % CHOICES. Choices come from the
// register first; where there are any, all frames go through once more with choices in TUSER, directions
// mixed. Ports and parameters are those of ntt_check.
module ntt_axi_check #(
  parameter int WORD_BITS       = 1,
  parameter int IN_BITS         = WORD_BITS,
  parameter int WORDS           = 1,
  parameter int TRANSFORMS      = 1,
  parameter int INVERSE_FROM    = 1,
  parameter int LATENCY_FORWARD = 0,
  parameter int LATENCY_INVERSE = 0,
  parameter int INTERVAL        = 0,
  parameter int RANGE_CHECKED   = 1,
  parameter logic [IN_BITS-1:0] WRONG = '1,
  parameter int TO_INVERSE      = 0,
  parameter int TO_FORWARD      = 0,
  parameter int CHOICES         = 1,
  // verilator lint_off UNUSEDPARAM
  parameter int BUFFERED        = 0,  // no cycles are compared here
  // verilator lint_on UNUSEDPARAM
  parameter int FIELD_BITS      = 1,  // of a residue
  parameter int LANE_BITS       = 1,  // from one to the next in TDATA
  parameter int S_BITS          = 8,  // of TDATA
  parameter int M_BITS          = 8
) (
  input  logic        clk,
  input  logic        restart,
  input  logic        stall,
  input  logic [31:0] seed,
  output logic        done,
  output logic [31:0] errors,
  output logic [31:0] latency_forward,
  output logic [31:0] latency_inverse,
  output logic [31:0] interval
);
  localparam int STORED = TRANSFORMS * WORDS;
  localparam int FRAMES = (TO_INVERSE > 0 || CHOICES > 1) ? 2 * TRANSFORMS : TRANSFORMS;
  localparam int TOTAL  = FRAMES * WORDS;
  localparam int HALF  = WORDS / 2;
  localparam int LIMIT = 2000 + 8 * (FRAMES + 3) * (LATENCY_FORWARD + LATENCY_INVERSE + INTERVAL + WORDS);

  logic [IN_BITS-1:0]   given[STORED];
  logic [WORD_BITS-1:0] expected[STORED];
  initial $readmemh("testbench/input.hex", given, 0, STORED - 1);
  initial $readmemh("testbench/output.hex", expected, 0, STORED - 1);

  // What happens, step by step. WRITE and READ: address, data or what must be read, response.
  localparam logic [2:0] WRITE = 0, READ = 1, SEND = 2, STREAM = 3, END = 4;
  typedef logic [42:0] step_t;  // kind, address, data, response
  localparam int FRAMEWISE = (CHOICES > 1) ? 2 * TRANSFORMS - 3 : 0;  // more steps than without
  function automatic step_t script(int number);
    if (CHOICES > 1 && number >= 17 && number < 20 + FRAMEWISE)
      script = ((number - 17) % 2 == 0) ? {WRITE, 6'h04, 32'((number - 17) / 2 % CHOICES * 2), 2'd0}
                                        : {STREAM, 6'd0, 32'((number - 17) / 2 + 1), 2'd0};
    else case ((number < 17) ? number : number - FRAMEWISE)
      0: script = {READ, 6'h00, 32'h4e545446, 2'd0};
      1: script = {READ, 6'h24, 32'd0, 2'd2};
      2: script = {WRITE, 6'h0c, 32'd1, 2'd2};
      3: script = {SEND, 6'd0, 32'd0, 2'd0};  // a wrong tlast
      4: script = {READ, 6'h08, 32'b101, 2'd0};
      5: script = {WRITE, 6'h04, 32'd1, 2'd0};
      6: script = {READ, 6'h08, 32'b001, 2'd0};
      7: script = {WRITE, 6'h08, 32'd1, 2'd0};
      8: script = {READ, 6'h08, 32'b000, 2'd0};
      9: script = {SEND, 6'd1, 32'd0, 2'd0};  // the word WRONG
      10: script = {READ, 6'h08, (RANGE_CHECKED != 0) ? 32'b110 : 32'b100, 2'd0};
      11: script = {WRITE, 6'h08, 32'd2, 2'd0};  // before the flush it comes back
      12: script = {READ, 6'h08, (RANGE_CHECKED != 0) ? 32'b110 : 32'b100, 2'd0};
      13: script = {WRITE, 6'h04, (INVERSE_FROM == 0) ? 32'd3 : 32'd1, 2'd0};
      14: script = {WRITE, 6'h08, 32'd2, 2'd0};
      15: script = {READ, 6'h08, 32'b000, 2'd0};
      16: script = {READ, 6'h04, (INVERSE_FROM == 0) ? 32'd2 : 32'd0, 2'd0};
      17: script = {STREAM, 6'd0, (INVERSE_FROM == 0) ? TRANSFORMS : INVERSE_FROM, 2'd0};
      18: script = {WRITE, 6'h04, 32'd2, 2'd0};
      19: script = {STREAM, 6'd0, TRANSFORMS, 2'd0};
      20: script = {WRITE, 6'h04, 32'd0, 2'd0};
      21: script = {STREAM, 6'd0, FRAMES, 2'd0};
      22: script = {READ, 6'h1c, FRAMES, 2'd0};
      23: script = {READ, 6'h20, FRAMES, 2'd0};
      24: script = {READ, 6'h08, 32'b000, 2'd0};
      default: script = {END, 40'd0};
    endcase
  endfunction

  // The transform in the files that frame number `frame` is: as in ntt_check, or once more in order.
  function automatic int source(int frame);
    int pair;
    pair = (frame - TRANSFORMS) / 2;
    if (frame < TRANSFORMS) source = frame;
    else if (CHOICES > 1) source = frame - TRANSFORMS;
    else if ((((frame - TRANSFORMS) ^ (pair / 2)) & 1) == 0) source = pair % INVERSE_FROM;
    else source = INVERSE_FROM + pair % (TRANSFORMS - INVERSE_FROM);
  endfunction
  function automatic logic [S_BITS-1:0] spread_in(logic [IN_BITS-1:0] word);
    spread_in = '0;
    for (int f = 0; f < IN_BITS / FIELD_BITS; f = f + 1)
      spread_in[f*LANE_BITS+:FIELD_BITS] = word[f*FIELD_BITS+:FIELD_BITS];
  endfunction
  function automatic logic [M_BITS-1:0] spread_out(logic [WORD_BITS-1:0] word);
    spread_out = '0;
    for (int f = 0; f < WORD_BITS / FIELD_BITS; f = f + 1)
      spread_out[f*LANE_BITS+:FIELD_BITS] = word[f*FIELD_BITS+:FIELD_BITS];
  endfunction

  int          cycle, number, sent, received, sent_at, received_at;
  localparam int CHOICE_BITS = (CHOICES > 1) ? $clog2(CHOICES) : 1;
  logic [CHOICE_BITS-1:0] user;
  assign sent_at     = source(sent < TOTAL ? sent / WORDS : 0) * WORDS + sent % WORDS;
  assign received_at = source(received < TOTAL ? received / WORDS : 0) * WORDS + received % WORDS;
  assign user        = (sent < STORED) ? '0
                       : (CHOICES > 1) ? CHOICE_BITS'(sent_at / WORDS % CHOICES)
                                       : CHOICE_BITS'(sent_at / WORDS >= INVERSE_FROM);
  logic        waiting;  // a request is out, the response is not here
  logic [31:0] noise, data;
  logic [2:0]  kind;
  logic [5:0]  address;
  logic [1:0]  response;
  assign {kind, address, data, response} = script(number);

  logic              aresetn, awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready;
  logic              rvalid, rready, s_tvalid, s_tready, s_tlast, m_tvalid, m_tready, m_tlast;
  logic [1:0]        bresp, rresp;
  logic [31:0]       rdata;
  logic [S_BITS-1:0] s_tdata;
  logic [M_BITS-1:0] m_tdata;
  ntt_axi u_axi (
    .aclk(clk), .aresetn(aresetn), .s_axi_awaddr(address), .s_axi_awprot(3'd0),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_wdata(data), .s_axi_wstrb(4'hf),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid),
    .s_axi_bready(bready), .s_axi_araddr(address), .s_axi_arprot(3'd0), .s_axi_arvalid(arvalid),
    .s_axi_arready(arready), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid),
    .s_axi_rready(rready), .s_axis_tdata(s_tdata), .s_axis_tuser(user), .s_axis_tvalid(s_tvalid),
    .s_axis_tready(s_tready), .s_axis_tlast(s_tlast), .m_axis_tdata(m_tdata),
    .m_axis_tvalid(m_tvalid), .m_axis_tready(m_tready), .m_axis_tlast(m_tlast));

  logic pause, offer;
  logic [1:0] settled;
  logic aw_offer, w_offer, aw_taken, w_taken, aw_there, w_there;  // address and data of a write
  int   until_word;
  assign pause      = stall && noise[3:2] == 0;
  assign aresetn    = !restart && cycle >= 4;
  assign awvalid    = aresetn && kind == WRITE && !waiting && !aw_taken && (!stall || aw_offer);
  assign wvalid     = aresetn && kind == WRITE && !waiting && !w_taken && (!stall || w_offer);
  assign aw_there   = aw_taken || (awvalid && awready);
  assign w_there    = w_taken || (wvalid && wready);
  assign arvalid    = aresetn && kind == READ && !waiting;
  assign bready     = !pause;
  assign rready     = !pause;
  assign until_word = (kind == SEND) ? HALF : (kind == STREAM) ? int'(data) * WORDS : 0;
  assign s_tvalid   = aresetn && sent < until_word && (!stall || offer);
  assign s_tlast    = (kind == SEND && address == 6'd0) || sent % WORDS == WORDS - 1;
  assign s_tdata    = spread_in((kind == SEND && address == 6'd1) ? WRONG : given[sent_at]);
  assign m_tready   = !stall || noise[7:5] != 0;
  assign {latency_forward, latency_inverse, interval} = '0;

  logic wrong;
  assign wrong = (bvalid && bready && kind == WRITE && bresp != response)
              || (rvalid && rready && (rresp != response || (response == 0 && rdata != data)));
  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise <= (cycle < 4) ? seed : {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    if (!offer || (s_tvalid && s_tready)) offer <= noise[3:1] != 0;
    aw_offer <= !aw_there && (aw_offer || noise[12]);
    w_offer  <= !w_there && (w_offer || noise[14]);
    aw_taken <= aw_there && !w_there;
    w_taken  <= w_there && !aw_there;
    if (aw_there && w_there || arvalid && arready) waiting <= 1;
    if (waiting && (bvalid && bready || rvalid && rready)) begin
      waiting <= 0;
      number  <= number + 1;
      if (kind == WRITE && address == 6'h04 && data[0]) sent <= 0;
    end
    if (wrong) begin
      $display("step %0d: %h, response %0d", number, rdata, kind == READ ? rresp : bresp);
      errors <= errors + 1;
    end
    if (s_tvalid && s_tready) sent <= sent + 1;
    // An error bit follows its word by two cycles.
    settled <= (kind == SEND && sent == HALF) ? settled + 1'b1 : 2'd0;
    if (settled == 2'd3) begin
      settled <= 2'd0;
      number  <= number + 1;
    end
    if (m_tvalid && m_tready && aresetn) begin
      if (m_tdata !== spread_out(expected[received_at]) || m_tlast != (received % WORDS == WORDS - 1)) begin
        if (errors < 10) $display("word %0d: %h, last %b", received, m_tdata, m_tlast);
        errors <= errors + 1;
      end
      received <= received + 1;
    end
    if (kind == STREAM && received == until_word) number <= number + 1;
    if (kind == END) done <= 1;
    if (cycle > LIMIT && !done) begin
      $display("no end after %0d cycles: step %0d, %0d words sent, %0d received", cycle, number, sent,
               received);
      errors <= errors + 1;
      done   <= 1;
    end
    if (restart) begin
      cycle <= 0; number <= 0; sent <= 0; received <= 0; waiting <= 0; noise <= 0; offer <= 0;
      aw_offer <= 0; w_offer <= 0; aw_taken <= 0; w_taken <= 0; errors <= 0; done <= 0;
      settled <= 0;
    end
  end
endmodule
