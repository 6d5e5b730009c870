// SPDX-License-Identifier: Apache-2.0
// nttf_burst_reader with any jobs, any memory and any receiver. The memory answers bursts in their order,
// each beat with its own number, when it likes. Shown in every cycle after reset: an address stays until it
// is taken (1), a burst has 1 ... BURST beats and crosses no multiple of BURST beats (2), bursts ask for
// the beats of all jobs, in order, each once, and OUTSTANDING at most are open (3), what is offered stays
// until it is taken or a halt (4), beats leave in order, none lost or doubled, with their job's tag and
// the mark of its last beat (5), an error is told for each beat with one, a cycle later, and for no other
// (6), with `halt` no burst is begun and nothing is given (7), `idle` is true exactly when no burst is open
// (8), and a job whose bus and receiver wait for nothing asks within three cycles (9).
module burst_reader_proof #(
  parameter int BURST       = 2,
  parameter int OUTSTANDING = 2,
  parameter int BEAT_BITS   = 2
) (
  input logic                 clk,
  input logic                 halts,
  input logic                 job_valid,
  input logic [30:0]          job_address,
  input logic [BEAT_BITS-1:0] job_beats,
  input logic                 job_tag,
  input logic                 arready,
  input logic                 answers,
  input logic                 wrong,
  input logic                 exclusive,
  input logic                 m_ready
);
  localparam int DATA_BITS = 16, JOBS = 2, AT_BITS = $clog2(BURST);
  logic        begins = 1'b1;  // the reset cycle
  logic        idle, job_ready, arvalid, rready, rvalid, rlast, m_valid, m_last, m_tag, error;
  logic        halt, halt_held = 1'b0;
  logic [31:0] araddr;
  logic [7:0]  arlen;
  logic [15:0] rdata, m_data;
  assign halt = !begins && (halts || halt_held);
  nttf_burst_reader #(
    .DATA_BITS(DATA_BITS), .TAG_BITS(1), .BURST(BURST), .BEAT_BITS(BEAT_BITS),
    .OUTSTANDING(OUTSTANDING), .JOBS(JOBS)
  ) u_reader (
    .clk(clk), .reset(begins), .halt(halt), .idle(idle), .job_valid(job_valid), .job_ready(job_ready),
    .job_address(job_address), .job_beats(job_beats), .job_tag(job_tag), .araddr(araddr),
    .arlen(arlen), .arvalid(arvalid), .arready(arready), .rdata(rdata), .rresp({wrong, exclusive}),
    .rlast(rlast), .rvalid(rvalid), .rready(rready), .m_valid(m_valid), .m_ready(m_ready),
    .m_last(m_last), .m_tag(m_tag), .m_data(m_data), .error(error));

  // The jobs that are inside, oldest first: asked for up to `asked`, given up to `given`. A third one may
  // come as the first one leaves.
  logic [30:0]          address[4], asked_at;
  logic [BEAT_BITS-1:0] beats[4], asked_left, given;
  logic                 tag[4];
  logic [2:0]           taken = '0, asking = '0, giving = '0;  // jobs, counted modulo 8
  logic                 takes_job, takes_burst, ends_job;
  logic [AT_BITS+1:0]   burst;
  assign takes_job   = !begins && job_valid && job_ready;
  assign takes_burst = !begins && arvalid && arready;
  assign ends_job    = !begins && m_valid && m_ready && m_last;
  assign burst       = (AT_BITS+2)'(arlen) + 1'b1;
  assign asked_at    = address[asking[1:0]] + 31'(asked_left);  // asked_left: beats that were asked for

  // The memory: bursts that were taken and not yet answered.
  logic [30:0]        open_at[4];
  logic [AT_BITS+1:0] open_beats[4], answered = '0;
  logic [2:0]         opened = '0, closed = '0;
  assign rvalid = !begins && opened != closed && answers;
  assign rdata  = 16'(open_at[closed[1:0]] + 31'(answered));
  assign rlast  = answered + 1'b1 == open_beats[closed[1:0]];

  logic        was_ar = 1'b0, was_m = 1'b0, was_wrong = 1'b0, was_halt = 1'b0, was_r = 1'b0, r_wrong;
  logic        was_m_last, was_m_tag;
  logic [31:0] ar_before;
  logic [7:0]  len_before;
  logic [15:0] data_before;
  logic [2:0]  waits = '0;  // cycles in which a burst could have been begun
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (begins) begin
      asked_left <= '0;
      given      <= '0;
    end else begin
      halt_held   <= halt;
      was_halt    <= halt;
      was_ar      <= arvalid && !arready;
      ar_before   <= araddr;
      len_before  <= arlen;
      was_m       <= m_valid && !m_ready;
      was_m_last  <= m_last;
      was_m_tag   <= m_tag;
      data_before <= m_data;
      was_wrong   <= rvalid && rready && wrong && !halt;
      was_r       <= rvalid && !rready;
      r_wrong     <= wrong;
      waits       <= (asking != taken && !arvalid && 3'(opened - closed) < 3'(OUTSTANDING) && !halt)
                   ? waits + 1'b1 : '0;
      if (takes_job) begin
        address[taken[1:0]] <= job_address;
        beats[taken[1:0]]   <= job_beats;
        tag[taken[1:0]]     <= job_tag;
        taken               <= taken + 1'b1;
      end
      if (takes_burst) begin
        open_at[opened[1:0]]    <= araddr[31:1];
        open_beats[opened[1:0]] <= burst;
        opened                  <= opened + 1'b1;
        if (8'(asked_left) + 8'(burst) >= 8'(beats[asking[1:0]])) begin
          asking     <= asking + 1'b1;
          asked_left <= '0;
        end else asked_left <= asked_left + BEAT_BITS'(burst);
      end
      if (rvalid && rready) begin
        answered <= rlast ? '0 : answered + 1'b1;
        if (rlast) closed <= closed + 1'b1;
      end
      if (m_valid && m_ready) given <= m_last ? '0 : given + 1'b1;
      if (ends_job) giving <= giving + 1'b1;
    end
  end
  always_comb begin
    if (job_valid) assume (job_beats != '0 && 3'(taken - giving) < 3'(JOBS));
    if (job_valid) assume (job_address <= ~31'(2**BEAT_BITS));
    if (was_r) assume (rvalid && wrong == r_wrong);
    if (!begins) begin
      if (was_ar) assert (arvalid && araddr == ar_before && arlen == len_before);                 // (1)
      if (arvalid) begin
        assert (arlen < 8'(BURST) && !araddr[0]);                                                 // (2)
        assert (8'(araddr[1+:AT_BITS]) + arlen < 8'(BURST));
        assert (asking != taken && araddr[31:1] == asked_at);                                     // (3)
        assert (8'(asked_left) + 8'(burst) <= 8'(beats[asking[1:0]]));
        assert (3'(opened - closed) < 3'(OUTSTANDING));
      end
      if (was_m && !halt)
        assert (m_valid && m_data == data_before && m_last == was_m_last && m_tag == was_m_tag);  // (4)
      if (m_valid) begin
        assert (giving != taken && m_data == 16'(address[giving[1:0]] + 31'(given)));             // (5)
        assert (m_tag == tag[giving[1:0]]);
        assert (m_last == (given + 1'b1 == beats[giving[1:0]]));
      end
      assert (error == was_wrong);                                                                // (6)
      if (halt) assert (!m_valid && !job_ready);                                                  // (7)
      if (was_halt && arvalid) assert (was_ar);
      assert (idle == (!arvalid && opened == closed));                                            // (8)
      assert (waits <= 3'd3);                                                                     // (9)
    end
  end
endmodule
