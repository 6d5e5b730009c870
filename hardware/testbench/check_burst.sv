// SPDX-License-Identifier: Apache-2.0
// Checks engines behind AXI4 (NAME_burst) with a memory that answers LATENCY cycles after it is asked.
//
// Wrong descriptors and registers, errors that the memory answers, a wrong residue, a full queue and flushes
// in the middle of bursts must be told of and must leave nothing behind. Then every frame of frames.hex goes
// through with one interrupt at the end, and its result in memory is compared with output.hex.
// All the time the rules of AXI4 are checked: offers stay, no burst crosses 4 KiB, WLAST is the last.
// stall = 0: the memory moves a beat a cycle each way, and all frames may take at most 1.15 times what the
// engines take or, for short frames and bursts, the memory's latency or the writes of descriptors (SPAN).
// stall = 1: every channel pauses at pseudo-random times (seed, not 0).
// memory.hex is the memory: tables, a wrong frame, the frames, room for results, TABLES_AT ... RESULTS_AT.
// A run begins with `restart` for one cycle. `latency_*` is that of one frame, from the write of its
// descriptor to its interrupt.
module ntt_burst_check #(
  parameter int WORD_BITS   = 1,
  parameter int WORDS       = 1,
  parameter int TRANSFORMS  = 1,
  parameter int TABLES      = 1,
  parameter int BITS        = 1,    // of a residue
  parameter int BEAT_BITS   = 64,
  parameter int BURST       = 16,
  parameter int ENGINES     = 1,
  parameter int SETS        = 1,
  parameter int TABLE_BEATS = 1,
  parameter int WRONG_AT    = 0,    // in beats
  parameter int FRAMES_AT   = 0,
  parameter int RESULTS_AT  = 0,
  parameter int QUEUE       = 16,
  parameter int LATENCY     = 40,
  parameter int SPAN        = 0,    // from the first frame's last word to the last one's
  parameter int BURST_LIMIT = 1000
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
  localparam int BYTES  = BEAT_BITS / 8;
  localparam int LANES  = WORD_BITS / BITS;
  localparam int WIDTH  = BEAT_BITS / LANES;
  localparam int BEATS  = RESULTS_AT + TRANSFORMS * WORDS;
  localparam int TOTAL  = TRANSFORMS * WORDS;
  localparam int RING   = 64;
  localparam logic [31:0] BASE = 32'h20000000, NOWHERE = 32'h70000000;  // NOWHERE answers errors
  localparam logic [31:0] TABLE = 32'h20000000, AFTER = 32'h40000000, MARK = 32'h80000000;

  logic [BEAT_BITS-1:0] memory[BEATS];
  logic [95:0]          frames[TRANSFORMS];
  logic [WORD_BITS-1:0] expected[TOTAL];
  initial $readmemh("testbench/memory.hex", memory, 0, RESULTS_AT - 1);
  initial $readmemh("testbench/frames.hex", frames, 0, TRANSFORMS - 1);
  initial $readmemh("testbench/output.hex", expected, 0, TOTAL - 1);

  logic                 aresetn, irq, awvalid, awready, wvalid, wready, bvalid, arvalid, arready, rvalid;
  logic [6:0]           address;
  logic [31:0]          data, rdata;
  logic [3:0]           strobes;
  logic [1:0]           bresp, rresp;
  logic [31:0]          m_araddr, m_awaddr;
  logic [7:0]           m_arlen, m_awlen;
  logic [2:0]           m_arsize, m_awsize, m_arprot, m_awprot;
  logic [1:0]           m_arburst, m_awburst, m_rresp, m_bresp;
  logic [3:0]           m_arcache, m_awcache;
  logic                 m_arvalid, m_arready, m_rvalid, m_rready, m_rlast, m_awvalid, m_awready;
  logic                 m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic [BEAT_BITS-1:0] m_rdata, m_wdata;
  logic [BYTES-1:0]     m_wstrb;
  ntt_burst u_burst (
    .aclk(clk), .aresetn(aresetn), .irq(irq), .s_axi_awaddr(address), .s_axi_awprot(3'd0),
    .s_axi_awvalid(awvalid), .s_axi_awready(awready), .s_axi_wdata(data), .s_axi_wstrb(strobes),
    .s_axi_wvalid(wvalid), .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(bvalid),
    .s_axi_bready(1'b1), .s_axi_araddr(address), .s_axi_arprot(3'd0), .s_axi_arvalid(arvalid),
    .s_axi_arready(arready), .s_axi_rdata(rdata), .s_axi_rresp(rresp), .s_axi_rvalid(rvalid),
    .s_axi_rready(1'b1), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_arsize(m_arsize),
    .m_axi_arburst(m_arburst), .m_axi_arcache(m_arcache), .m_axi_arprot(m_arprot),
    .m_axi_arvalid(m_arvalid), .m_axi_arready(m_arready), .m_axi_rdata(m_rdata), .m_axi_rresp(m_rresp),
    .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready), .m_axi_awaddr(m_awaddr),
    .m_axi_awlen(m_awlen), .m_axi_awsize(m_awsize), .m_axi_awburst(m_awburst), .m_axi_awcache(m_awcache),
    .m_axi_awprot(m_awprot), .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready), .m_axi_wdata(m_wdata),
    .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid), .m_axi_wready(m_wready),
    .m_axi_bresp(m_bresp), .m_axi_bvalid(m_bvalid), .m_axi_bready(m_bready));

  // What goes wrong is counted by the memory and by the steps, each for itself.
  int          cycle, memory_errors, step_errors;
  logic [31:0] noise;
  assign errors = memory_errors + step_errors;

  // The memory. It has a ring of what was asked for on each side; `blocked` takes no address.
  logic        blocked, flushing, counting;
  logic [31:0] ar_at[RING], aw_at[RING];
  logic [31:0] ar_beats[RING], ar_time[RING], aw_beats[RING], b_time[RING];
  logic        b_wrong[RING];
  int          ar_in, ar_out, r_beat, aw_in, aw_out, w_beat, b_in, b_out, wiped, written, first_written, last_written;
  logic        r_open, w_open;
  assign m_arready = !blocked && ar_in - ar_out < RING && (!stall || noise[1]);
  assign m_awready = !blocked && aw_in - aw_out < RING && (!stall || (noise[3] && m_wvalid));
  assign m_wready  = aw_in != aw_out && (!stall || noise[6:5] != 0);
  assign r_open    = ar_in != ar_out && cycle >= ar_time[ar_out%RING] + LATENCY && (!stall || noise[9:8] != 0);
  assign w_open    = b_in != b_out && cycle >= b_time[b_out%RING] + LATENCY && (!stall || noise[12]);

  function automatic int beat_of(logic [31:0] at, int beat);
    beat_of = int'((at - BASE) / BYTES) + beat;
  endfunction
  function automatic logic wrong_burst(logic [31:0] at, logic [7:0] len, logic [2:0] size, logic [1:0] burst);
    wrong_burst = 32'(at % 4096) + (32'(len) + 1) * BYTES > 4096 || at % BYTES != 0 || 32'(len) >= BURST
               || (32'd1 << size) != BYTES || burst != 2'b01;
  endfunction
  logic                           was_ar, was_aw, was_w;
  logic [39:0]                    ar_held, aw_held;
  logic [BEAT_BITS + BYTES:0]     w_held;
  always @(posedge clk) begin
    cycle <= cycle + 1;
    noise <= restart ? seed : {noise[30:0], noise[31] ^ noise[21] ^ noise[1] ^ noise[0]};
    was_ar  <= m_arvalid && !m_arready && aresetn;
    was_aw  <= m_awvalid && !m_awready && aresetn;
    was_w   <= m_wvalid && !m_wready && aresetn;
    ar_held <= {m_araddr, m_arlen};
    aw_held <= {m_awaddr, m_awlen};
    w_held  <= {m_wdata, m_wstrb, m_wlast};
    if ((was_ar && (!m_arvalid || ar_held != {m_araddr, m_arlen}))
        || (was_aw && (!m_awvalid || aw_held != {m_awaddr, m_awlen}))
        || (was_w && (!m_wvalid || w_held != {m_wdata, m_wstrb, m_wlast}))) begin
      $display("cycle %0d: an offer did not stay", cycle);
      memory_errors <= memory_errors + 1;
    end
    if ((m_arvalid && wrong_burst(m_araddr, m_arlen, m_arsize, m_arburst))
        || (m_awvalid && wrong_burst(m_awaddr, m_awlen, m_awsize, m_awburst))) begin
      $display("cycle %0d: a burst at %h of %0d beats or at %h of %0d", cycle, m_araddr, m_arlen + 1, m_awaddr,
               m_awlen + 1);
      memory_errors <= memory_errors + 1;
    end
    if (m_arvalid && m_arready) begin
      ar_at[ar_in%RING]    <= m_araddr;
      ar_beats[ar_in%RING] <= int'(m_arlen) + 1;
      ar_time[ar_in%RING]  <= cycle;
      ar_in <= ar_in + 1;
    end
    if (!m_rvalid || m_rready) begin
      m_rvalid <= r_open;
      if (r_open) begin
        m_rlast <= r_beat + 1 == ar_beats[ar_out%RING];
        m_rresp <= (ar_at[ar_out%RING] >= NOWHERE) ? 2'b11 : 2'b00;
        m_rdata <= (ar_at[ar_out%RING] >= NOWHERE) ? '0 : memory[beat_of(ar_at[ar_out%RING], r_beat)];
        r_beat  <= r_beat + 1;
        if (r_beat + 1 == ar_beats[ar_out%RING]) begin
          r_beat <= 0;
          ar_out <= ar_out + 1;
        end
      end
    end
    if (m_awvalid && m_awready) begin
      aw_at[aw_in%RING]    <= m_awaddr;
      aw_beats[aw_in%RING] <= int'(m_awlen) + 1;
      aw_in <= aw_in + 1;
    end
    if (m_wvalid && m_wready) begin
      if (m_wstrb != '1 && !(flushing && m_wstrb == '0)) begin
        $display("cycle %0d: strobes %h", cycle, m_wstrb);
        memory_errors <= memory_errors + 1;
      end
      if (m_wstrb != '0 && aw_at[aw_out%RING] < NOWHERE) begin
        if (beat_of(aw_at[aw_out%RING], w_beat) < RESULTS_AT || beat_of(aw_at[aw_out%RING], w_beat) >= BEATS) begin
          $display("cycle %0d: a beat for %h", cycle, aw_at[aw_out%RING]);
          memory_errors <= memory_errors + 1;
        end else memory[beat_of(aw_at[aw_out%RING], w_beat)] <= m_wdata;
      end
      if (m_wlast != (w_beat + 1 == aw_beats[aw_out%RING])) begin
        $display("cycle %0d: WLAST is %b", cycle, m_wlast);
        memory_errors <= memory_errors + 1;
      end
      w_beat <= w_beat + 1;
      if (w_beat + 1 == aw_beats[aw_out%RING]) begin
        w_beat <= 0;
        aw_out <= aw_out + 1;
        b_time[b_in%RING]  <= cycle;
        b_wrong[b_in%RING] <= aw_at[aw_out%RING] >= NOWHERE;
        b_in <= b_in + 1;
      end
      if (counting) begin
        written <= written + 1;
        if (written == WORDS - 1) first_written <= cycle;
        last_written <= cycle;
      end
    end
    if (!m_bvalid || m_bready) begin
      m_bvalid <= w_open;
      m_bresp  <= b_wrong[b_out%RING] ? 2'b10 : 2'b00;
      if (w_open) b_out <= b_out + 1;
    end
    if (restart) begin
      cycle <= 0; memory_errors <= 0; ar_in <= 0; ar_out <= 0; r_beat <= 0; aw_in <= 0; aw_out <= 0; w_beat <= 0;
      b_in <= 0; b_out <= 0; m_rvalid <= 0; m_bvalid <= 0; was_ar <= 0; was_aw <= 0; was_w <= 0;
    end
    if (restart || !counting) written <= 0;
    // Results of the run before go.
    if (restart) wiped <= 0;
    else if (wiped != TOTAL) begin
      wiped <= wiped + 1;
      memory[RESULTS_AT+wiped] <= '0;
    end
  end

  // The steps, one after the other, between the clock's edges: no simulator sees a race.
  logic [31:0] got;
  logic [1:0]  answer;
  int          number, begun;
  task automatic wrong;
    $display("cycle %0d: descriptor %0d; register %h is %h, answer %0d", cycle, number, address, got, answer);
    step_errors = step_errors + 1;
  endtask
  task automatic pause;
    while (stall && noise[16:15] != 0) @(negedge clk);
  endtask
  task automatic send(logic [6:0] to, logic [31:0] value);
    logic aw_taken, w_taken, w_waits;
    pause;
    address = to;
    data    = value;
    awvalid = 1;
    wvalid  = !stall || noise[20];
    w_waits = !wvalid;
    while (awvalid || wvalid || w_waits) begin
      aw_taken = awvalid && awready;
      w_taken  = wvalid && wready;
      @(negedge clk);
      if (aw_taken) awvalid = 0;
      if (w_taken) wvalid = 0;
      if (w_waits && noise[21]) begin
        wvalid  = 1;
        w_waits = 0;
      end
    end
    while (!bvalid) @(negedge clk);
    answer = bresp;
    @(negedge clk);
  endtask
  task automatic write(logic [6:0] to, logic [31:0] value, logic [1:0] wanted);
    send(to, value);
    if (answer != wanted) wrong;
  endtask
  task automatic read(logic [6:0] from);
    pause;
    address = from;
    arvalid = 1;
    while (!arready) @(negedge clk);
    @(negedge clk);
    arvalid = 0;
    while (!rvalid) @(negedge clk);
    got    = rdata;
    answer = rresp;
    @(negedge clk);
  endtask
  task automatic check(logic [6:0] from, logic [31:0] wanted);
    read(from);
    if (got != wanted || answer != 0) wrong;
  endtask
  task automatic until_clear(logic [6:0] from, logic [31:0] mask);
    read(from);
    while ((got & mask) != 0) read(from);
  endtask
  // A descriptor, when there is a place for it.
  task automatic push(logic [31:0] from, logic [31:0] to, logic [31:0] word);
    write(7'h24, from, 0);
    write(7'h28, to, 0);
    send(7'h2c, word);
    while (answer != 0) send(7'h2c, word);
    number = number + 1;
  endtask
  task automatic wait_interrupt;
    while (!irq) @(negedge clk);
  endtask
  task automatic refuse(logic [31:0] from, logic [31:0] to, logic [31:0] word);
    push(from, to, word);
    wait_interrupt;
    until_clear(7'h08, 32'h4);
    check(7'h08, 32'h08);
    check(7'h30, number);
    check(7'h40, number - 1);
    check(7'h38, {30'd0, 1'b1, word[31]});
    write(7'h08, 32'h38, 0);
    write(7'h38, 32'h3, 0);
    @(negedge clk);
    @(negedge clk);
    if (irq) wrong;
  endtask
  task automatic flush;
    flushing = 1;
    write(7'h04, 1, 0);
    blocked = 0;
    until_clear(7'h04, 1);
    flushing = 0;
    write(7'h08, 32'h3b, 0);
    write(7'h38, 3, 0);
    check(7'h08, 0);
    check(7'h30, 0);
    check(7'h34, QUEUE);
    number = 0;
  endtask
  function automatic logic [31:0] at_beat(int beat);
    at_beat = BASE + beat * BYTES;
  endfunction
  function automatic logic [31:0] user(int frame);  // engine, set, direction
    user = {8'd0, frames[frame][7:0], frames[frame][15:8], 7'd0, frames[frame][16]};
  endfunction
  function automatic logic [31:0] source_of(int frame);
    source_of = at_beat(FRAMES_AT + frame * WORDS);
  endfunction
  function automatic logic [31:0] result_of(int frame);
    result_of = at_beat(RESULTS_AT + frame * WORDS);
  endfunction
  function automatic logic [BEAT_BITS-1:0] spread(logic [WORD_BITS-1:0] word);
    spread = '0;
    for (int l = 0; l < LANES; l = l + 1) spread[l*WIDTH+:BITS] = word[l*BITS+:BITS];
  endfunction

  task automatic load;
    for (int t = 0; t < TABLES; t = t + 1)
      push(at_beat(t * TABLE_BEATS), 32'd1, TABLE | ((t == TABLES - 1) ? MARK : 0));
    wait_interrupt;
    check(7'h38, 1);
    check(7'h30, number);
    write(7'h38, 1, 0);
  endtask

  task automatic steps;
    check(7'h00, 32'h4e545446);
    read(7'h44);
    if (answer != 2) wrong;
    write(7'h0c, 1, 2);
    write(7'h3c, 3, 0);
    strobes = 4'h7;
    write(7'h24, 32'h5, 2);
    strobes = 4'hf;
    check(7'h24, 0);
    // Descriptors that are refused: addresses, ends of memory, engine, set, bits.
    refuse(source_of(0) + 4, result_of(0), user(0));
    refuse(source_of(0), result_of(0) + BYTES / 2, user(0) | MARK);
    refuse(-BYTES, result_of(0), user(0));
    refuse(source_of(0), -(WORDS - 1) * BYTES, user(0));
    if (ENGINES < 256) refuse(source_of(0), result_of(0), user(0) & 32'hff00ffff | ENGINES << 16);
    if (SETS < 256) refuse(source_of(0), result_of(0), user(0) & 32'hffff00ff | SETS << 8);
    refuse(source_of(0), result_of(0), user(0) | 32'h01000000);
    refuse(source_of(0), result_of(0), user(0) | 32'h80 | AFTER);
    refuse(-(TABLE_BEATS - 1) * BYTES, 0, TABLE);
    load;
    // Errors that the memory answers: the frame goes through, whatever its words are.
    push(NOWHERE, result_of(0), user(0) | MARK);
    wait_interrupt;
    until_clear(7'h08, 4);
    read(7'h08);
    if (got[5:3] != 3'b010) wrong;
    check(7'h40, number - 1);
    flush;
    push(source_of(0), NOWHERE, user(0) | MARK);
    wait_interrupt;
    until_clear(7'h08, 4);
    check(7'h08, 32'h20);
    flush;
    // A residue that is its modulus.
    push(at_beat(WRONG_AT), result_of(0), user(0) | MARK);
    wait_interrupt;
    until_clear(7'h08, 4);
    check(7'h08, 2);
    flush;
    // A queue that is full while the memory takes no address, flushed with a burst that is asked for.
    blocked = 1;
    begun = 0;
    write(7'h24, source_of(0), 0);
    write(7'h28, result_of(0), 0);
    send(7'h2c, user(0));
    while (answer == 0) begin
      begun = begun + 1;
      send(7'h2c, user(0));
    end
    if (begun != QUEUE + 2) wrong;
    check(7'h34, 0);
    flush;
    // Flushes in the middle of bursts, later each time.
    for (int k = 0; k < 4; k = k + 1) begin
      push(source_of(0), result_of(0), user(0));
      push(at_beat(0), 0, TABLE | AFTER);
      push(source_of(0), result_of(0), user(0));
      begun = b_in;
      for (int i = 0; i < 7 + 23 * k && b_in == begun; i = i + 1) @(negedge clk);
      while (k == 2 && w_beat != WORDS / 2 % BURST && b_in == begun) @(negedge clk);
      flush;
    end
    load;
    // One frame alone, which waits until nothing else is inside, and all of them.
    begun = cycle;
    push(source_of(0), result_of(1), user(0) | MARK | AFTER);
    wait_interrupt;
    if (user(0) & 1) latency_inverse = cycle - begun;
    else latency_forward = cycle - begun;
    write(7'h38, 3, 0);
    counting = 1;
    for (int f = 0; f < TRANSFORMS; f = f + 1)
      push(source_of(f), result_of(f), user(f) | ((f == TRANSFORMS - 1) ? MARK : 0));
    wait_interrupt;
    counting = 0;
    check(7'h38, 1);
    check(7'h08, 0);
    check(7'h30, TABLES + 1 + TRANSFORMS);
    if (stall) interval = 0;
    else interval = (TRANSFORMS > 1) ? (last_written - first_written) / (TRANSFORMS - 1) : 0;
    if (!stall && (last_written - first_written) * 100 > SPAN * 115) begin
      $display("%0d cycles for all frames, %0d wanted", last_written - first_written, SPAN);
      step_errors = step_errors + 1;
    end
    for (int i = 0; i < TOTAL; i = i + 1)
      if (memory[RESULTS_AT+i] !== spread(expected[i])) begin
        if (step_errors < 10) $display("beat %0d: %h, %h wanted", i, memory[RESULTS_AT+i], spread(expected[i]));
        step_errors = step_errors + 1;
      end
  endtask

  logic begins;
  always @(posedge clk) begins <= restart;
  initial begin
    {awvalid, wvalid, arvalid, aresetn, blocked, flushing, counting, done} = '0;
    strobes = 4'hf;
    forever begin
      @(negedge clk);
      if (begins) begin
        {awvalid, wvalid, arvalid, aresetn, blocked, flushing, counting, done} = '0;
        {latency_forward, latency_inverse, interval, step_errors} = '0;
        strobes = 4'hf;
        number  = 0;
        repeat (TOTAL + 4) @(negedge clk);
        aresetn = 1;
        steps;
        done = 1;
      end
    end
  end
  always @(posedge clk)
    if (cycle > BURST_LIMIT && !done) $fatal(1, "no end after %0d cycles: %0d descriptors pushed", cycle, number);
endmodule
