// SPDX-License-Identifier: Apache-2.0
// nttf_burst_writer with any jobs, any sender and any memory. Beats are numbered as they are taken; the
// memory answers a burst when its address and its last beat were taken, in order. Shown in every cycle
// after reset: address and beat stay until they are taken (1), bursts cover the beats of all jobs, in
// order, each once, have 1 ... BURST of them and cross no multiple of BURST beats (2), beats leave in
// order, none lost or doubled, with the last one of a burst marked (3), none before its burst is offered
// (4), jobs retire in order with their mark, a job of beats a cycle after its last answer, one without
// when its own work is done (5), an error is told for each answer with one and no other (6), with `halt`
// no burst is begun and nothing is taken, and after a beat that waited none is written (7), `idle` is true
// exactly when no answer is to come (8), and a burst begins when a beat is there for it, within three
// cycles if nothing else is waited for (9).
module burst_writer_proof #(
  parameter int BEATS       = 3,
  parameter int BURST       = 2,
  parameter int OUTSTANDING = 2
) (
  input logic        clk,
  input logic        halts,
  input logic        job_valid,
  input logic [30:0] job_address,
  input logic        job_none,
  input logic        job_mark,
  input logic        none_done,
  input logic        awready,
  input logic        wready,
  input logic        answers,
  input logic        wrong,
  input logic        exclusive,
  input logic        s_valid
);
  localparam int JOBS = 2, AT_BITS = $clog2(BURST);
  logic        begins = 1'b1;  // the reset cycle
  logic        halt, halt_held = 1'b0, ever = 1'b0;
  logic        idle, job_ready, retires, marked, awvalid, wlast, wvalid, bready, s_ready, error;
  logic [31:0] awaddr;
  logic [7:0]  awlen;
  logic [15:0] wdata, number = '0;
  logic [1:0]  wstrb;
  assign halt = !begins && (halts || halt_held);
  logic bvalid;
  nttf_burst_writer #(
    .DATA_BITS(16), .BEATS(BEATS), .BURST(BURST), .OUTSTANDING(OUTSTANDING), .JOBS(JOBS)
  ) u_writer (
    .clk(clk), .reset(begins), .halt(halt), .idle(idle), .job_valid(job_valid), .job_ready(job_ready),
    .job_address(job_address), .job_none(job_none), .job_mark(job_mark), .none_done(none_done),
    .retires(retires), .marked(marked), .awaddr(awaddr), .awlen(awlen), .awvalid(awvalid),
    .awready(awready), .wdata(wdata), .wstrb(wstrb), .wlast(wlast), .wvalid(wvalid), .wready(wready),
    .bresp({wrong, exclusive}), .bvalid(bvalid), .bready(bready), .s_valid(s_valid),
    .s_ready(s_ready), .s_data(number), .error(error));

  // Jobs that were taken, of which `opened` counts those with beats, all modulo 8.
  logic [30:0] address[4], at;
  logic        none[8], mark[8];
  logic [2:0]  taken = '0, opened = '0, asking = '0, retired = '0, done;  // done: beats asked for
  logic        takes_job, takes_burst, takes_beat;
  logic [7:0]  burst;
  assign takes_job   = !begins && job_valid && job_ready;
  assign takes_burst = !begins && awvalid && awready;
  assign takes_beat  = !begins && wvalid && wready;
  assign burst       = awlen + 1'b1;
  assign at          = address[asking[1:0]] + 31'(done);

  // Bursts: their addresses, their beats, their answers.
  logic [2:0]  asked = '0, written = '0, answered = '0;
  logic [7:0]  lengths[8], beat = '0;
  logic [3:0]  beats_answered = '0, frames = '0;  // frames: complete jobs of beats
  assign bvalid = !begins && answers && answered != asked && answered != written;

  logic [2:0]  nones = '0;  // work that is done without beats, less the jobs that retired for it
  logic [15:0] gone = '0;   // beats that were taken with strobes
  logic        was_aw = 1'b0, was_w = 1'b0, was_job = 1'b0, was_wrong = 1'b0, was_halt = 1'b0, was_last;
  logic        was_none, was_mark;
  logic [1:0]  was_strobes;
  logic [30:0] job_before;
  logic [31:0] aw_before;
  logic [7:0]  len_before;
  logic [15:0] data_before;
  logic [2:0]  waits = '0;
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (begins) done <= '0;
    else begin
      halt_held   <= halt;
      was_halt    <= halt;
      ever        <= ever || halt;
      was_aw      <= awvalid && !awready;
      aw_before   <= awaddr;
      len_before  <= awlen;
      was_w       <= wvalid && !wready;
      data_before <= wdata;
      was_strobes <= wstrb;
      was_last    <= wlast;
      was_job     <= job_valid && !job_ready;
      job_before  <= job_address;
      was_none    <= job_none;
      was_mark    <= job_mark;
      was_wrong   <= bvalid && wrong;
      waits       <= (asking != opened && !awvalid && asked == written && 3'(asked - answered) < 3'(OUTSTANDING)
                      && number != gone && !halt) ? waits + 1'b1 : '0;
      if (s_valid && s_ready) number <= number + 1'b1;
      if (takes_job) begin
        none[taken] <= job_none;
        mark[taken] <= job_mark;
        taken       <= taken + 1'b1;
        if (!job_none) begin
          address[opened[1:0]] <= job_address;
          opened               <= opened + 1'b1;
        end
      end
      if (takes_burst) begin
        lengths[asked] <= burst;
        asked          <= asked + 1'b1;
        done           <= (8'(done) + burst == 8'(BEATS)) ? '0 : done + 3'(burst);
        if (8'(done) + burst == 8'(BEATS)) asking <= asking + 1'b1;
      end
      if (takes_beat) begin
        beat <= wlast ? '0 : beat + 1'b1;
        if (wlast) written <= written + 1'b1;
        if (wstrb != '0) gone <= gone + 1'b1;
      end
      if (bvalid) begin
        answered <= answered + 1'b1;
        if (8'(beats_answered) + lengths[answered] == 8'(BEATS)) begin
          beats_answered <= '0;
          frames         <= frames + 1'b1;
        end else beats_answered <= beats_answered + 4'(lengths[answered]);
      end
      if (retires) retired <= retired + 1'b1;
      nones <= nones + 3'(none_done) - 3'(takes_job && job_none);
    end
  end
  // Jobs with beats that have retired, this cycle's too.
  logic [3:0] frames_retired = '0, frames_now;
  assign frames_now = frames_retired + 4'(retires && !none[retired]);
  always_ff @(posedge clk) if (!begins) frames_retired <= frames_now;
  always_comb begin
    if (was_job) assume (job_valid && job_address == job_before && job_none == was_none && job_mark == was_mark);
    if (none_done) assume (nones < 3'(JOBS));
    if (job_valid) assume (job_address <= ~31'd3 && 3'(taken - retired) < 3'(JOBS));
    if (!begins) begin
      assert (bready);
      if (was_aw) assert (awvalid && awaddr == aw_before && awlen == len_before);                // (1)
      if (was_w) assert (wvalid && wlast == was_last && wstrb == was_strobes);
      if (was_w && was_strobes != '0) assert (wdata == data_before);
      if (awvalid) begin
        assert (asking != opened && awaddr == {at, 1'b0} && 8'(done) + burst <= 8'(BEATS));                 // (2)
        assert (burst <= 8'(BURST) && 8'(awaddr[1+:AT_BITS]) + awlen < 8'(BURST));
      end
      if (wvalid) begin
        assert (wlast == (beat == awlen) && (wstrb == '1 || (ever && wstrb == '0)));               // (3)
        if (wstrb != '0) assert (wdata == gone && gone != number);
        assert (written == (awvalid ? asked : 3'(asked - 1'b1)));                                 // (4)
      end
      if (retires) assert (retired != taken && marked == mark[retired]);                         // (5)
      assert (frames_now == frames);
      assert (nones <= 3'(JOBS));
      assert (error == was_wrong);                                                                // (6)
      if (halt) assert (!s_ready && !job_ready);                                                  // (7)
      if (was_halt && awvalid) assert (was_aw);
      if (was_halt && wvalid && !was_w) assert (wstrb == '0);
      assert (idle == (!awvalid && asked == written && asked == answered));                       // (8)
      if (awvalid && !was_aw) assert (number != gone);                                            // (9)
      assert (waits <= 3'd3);
    end
  end
endmodule
