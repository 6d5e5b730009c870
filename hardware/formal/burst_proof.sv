// SPDX-License-Identifier: Apache-2.0
// nttf_burst with any descriptors, any memory and any engine that gives a word for each word. Shown in
// every cycle after reset, without a halt: descriptors are done in order, each with its mark (1), refused
// where an address is no multiple of a beat, does not leave room below 2^32, names an engine or a set that
// is not there or sets another bit, and in no other case (2), memory is read at the sources of those that
// are not refused, in order, in whole (3), one that waits is not begun before all before it are done (4),
// words of tables and frames arrive in order, marked at their end, a frame's with its descriptor's bits
// (5), memory is written at the destinations of frames, in order (6), a frame is done after its last
// answer, a table after its last word (7), and `empty` is true exactly when no descriptor is inside (8).
module burst_proof #(
  parameter int FRAME_BEATS = 2,
  parameter int TABLE_WORDS = 3
) (
  input logic        clk,
  input logic        d_valid,
  input logic [31:0] d_source,
  input logic [31:0] d_destination,
  input logic [31:0] d_word,
  input logic        arready,
  input logic        r_answers,
  input logic        awready,
  input logic        wready,
  input logic        b_answers,
  input logic        s_ready,
  input logic        m_offers,
  input logic [15:0] m_data
);
  localparam int BURST = 2, JOBS = 2, ENGINES = 2, SETS = 2, TABLE_BEATS = (TABLE_WORDS + 1) / 2;
  logic        begins = 1'b1;  // the reset cycle
  logic        idle, empty, d_ready, done, marked, refused, error_read, error_write;
  logic        arvalid, rlast, rvalid, rready, awvalid, wlast, wvalid, bvalid, bready;
  logic        t_valid, t_last, s_valid, s_last, m_valid, m_ready;
  logic [31:0] araddr, awaddr;
  logic [7:0]  arlen, awlen, t_data;
  logic [15:0] rdata, wdata, s_data;
  logic [1:0]  wstrb;
  logic [23:0] s_user;
  nttf_burst #(
    .DATA_BITS(16), .FRAME_BEATS(FRAME_BEATS), .TABLE_WORDS(TABLE_WORDS), .ENGINES(ENGINES),
    .SETS(SETS), .BURST(BURST), .OUTSTANDING(2), .JOBS(JOBS)
  ) u_burst (
    .clk(clk), .reset(begins), .halt(1'b0), .idle(idle), .empty(empty), .d_valid(d_valid),
    .d_ready(d_ready), .d_source(d_source), .d_destination(d_destination), .d_word(d_word),
    .done(done), .marked(marked), .refused(refused), .error_read(error_read),
    .error_write(error_write), .araddr(araddr), .arlen(arlen), .arvalid(arvalid), .arready(arready),
    .rdata(rdata), .rresp(2'b00), .rlast(rlast), .rvalid(rvalid), .rready(rready), .awaddr(awaddr),
    .awlen(awlen), .awvalid(awvalid), .awready(awready), .wdata(wdata), .wstrb(wstrb),
    .wlast(wlast), .wvalid(wvalid), .wready(wready), .bresp(2'b00), .bvalid(bvalid), .bready(bready),
    .t_valid(t_valid), .t_last(t_last), .t_data(t_data), .s_valid(s_valid), .s_ready(s_ready),
    .s_last(s_last), .s_user(s_user), .s_data(s_data), .m_valid(m_valid), .m_ready(m_ready),
    .m_data(m_data));

  // Descriptors, oldest first: all, and those that move something, with the number of each among all.
  logic [31:0] word[8], source[8], destination[8];
  logic        wrong[8];
  logic [2:0]  number[8], taken = '0, finished = '0, moved = '0, reading = '0, arriving = '0, writing = '0;
  logic        takes, table_d, wrong_d;
  logic [31:0] beats_d;
  assign takes   = !begins && d_valid && d_ready;
  assign table_d = d_word[29];
  assign beats_d = table_d ? 32'(TABLE_BEATS) : 32'(FRAME_BEATS);
  // A frame ends below 2^32, and so does a table.
  assign wrong_d = d_source[0] || 33'(d_source) + 33'(2 * beats_d) > 33'h100000000
      || (!table_d && (d_destination[0] || 33'(d_destination) + 33'(2 * beats_d) > 33'h100000000))
      || d_word[28:24] != '0
      || (!table_d && (d_word[7:1] != '0 || d_word[23:16] >= 8'(ENGINES) || d_word[15:8] >= 8'(SETS)));

  function automatic logic is_table(input logic [2:0] k);
    return word[number[k]][29];
  endfunction
  function automatic logic [2:0] beats_of(input logic [2:0] k);
    return is_table(k) ? 3'(TABLE_BEATS) : 3'(FRAME_BEATS);
  endfunction

  // Memory: bursts that were asked for and not yet answered.
  logic [30:0] open_at[4];
  logic [7:0]  open_length[4], r_beat = '0;
  logic [2:0]  opened = '0, closed = '0, read_beats = '0, arrived = '0, written_beats = '0;
  logic [2:0]  asked = '0, written = '0, answered = '0;
  assign rvalid = !begins && opened != closed && r_answers;
  assign rdata  = 16'(open_at[closed[1:0]] + 31'(r_beat));
  assign rlast  = r_beat == open_length[closed[1:0]];
  assign bvalid = !begins && b_answers && answered != asked && answered != written;

  // The engine: a word for each word.
  logic [7:0] words = '0, results = '0;
  assign m_valid = !begins && m_offers && words != results;

  logic        upper = 1'b0, was_d = 1'b0, was_r = 1'b0, was_m = 1'b0, was_b = 1'b0;
  logic [31:0] was_source, was_destination, was_word;
  logic [15:0] was_m_data;
  logic [2:0]  tables_in = '0, frames_answered = '0, tables_done = '0, frames_done = '0;
  logic [7:0]  lengths[8];
  logic [2:0]  beats_answered = '0;
  logic [30:0] in_at;
  assign in_at = source[number[arriving]][31:1] + 31'(arrived);
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (!begins) begin
      was_d           <= d_valid && !d_ready;
      was_source      <= d_source;
      was_destination <= d_destination;
      was_word        <= d_word;
      was_r           <= rvalid && !rready;
      was_b           <= bvalid && !bready;
      was_m           <= m_valid && !m_ready;
      was_m_data      <= m_data;
      if (takes) begin
        word[taken]        <= d_word;
        source[taken]      <= d_source;
        destination[taken] <= d_destination;
        wrong[taken]       <= wrong_d;
        taken              <= taken + 1'b1;
        if (!wrong_d) begin
          number[moved] <= taken;
          moved         <= moved + 1'b1;
        end
      end
      if (done) begin
        finished <= finished + 1'b1;
        if (!refused && word[finished][29]) tables_done <= tables_done + 1'b1;
        if (!refused && !word[finished][29]) frames_done <= frames_done + 1'b1;
      end
      if (arvalid && arready) begin
        open_at[opened[1:0]]     <= araddr[31:1];
        open_length[opened[1:0]] <= arlen;
        opened                   <= opened + 1'b1;
        read_beats <= (read_beats + 3'(arlen) + 1'b1 == beats_of(reading)) ? '0 : read_beats + 3'(arlen) + 1'b1;
        if (read_beats + 3'(arlen) + 1'b1 == beats_of(reading)) reading <= reading + 1'b1;
      end
      if (rvalid && rready) begin
        r_beat <= rlast ? '0 : r_beat + 1'b1;
        if (rlast) closed <= closed + 1'b1;
      end
      if (s_valid && s_ready) begin
        words   <= words + 1'b1;
        arrived <= s_last ? '0 : arrived + 1'b1;
        if (s_last) arriving <= arriving + 1'b1;
      end
      if (t_valid) begin
        upper <= !upper && !t_last;
        if (upper || t_last) arrived <= t_last ? '0 : arrived + 1'b1;
        if (t_last) begin
          arriving  <= arriving + 1'b1;
          tables_in <= tables_in + 1'b1;
        end
      end
      if (m_valid && m_ready) results <= results + 1'b1;
      if (awvalid && awready) begin
        lengths[asked] <= awlen + 1'b1;
        asked          <= asked + 1'b1;
      end
      if (wvalid && wready && wlast) written <= written + 1'b1;
      if (bvalid && bready) begin
        answered       <= answered + 1'b1;
        beats_answered <= (8'(beats_answered) + lengths[answered] == 8'(FRAME_BEATS)) ? '0
                                                             : beats_answered + 3'(lengths[answered]);
        if (8'(beats_answered) + lengths[answered] == 8'(FRAME_BEATS)) frames_answered <= frames_answered + 1'b1;
      end
      // The next frame's destination: tables are passed over.
      if (awvalid && awready) begin
        written_beats <= (written_beats + 3'(awlen) + 1'b1 == 3'(FRAME_BEATS)) ? '0
                                                                : written_beats + 3'(awlen) + 1'b1;
        if (written_beats + 3'(awlen) + 1'b1 == 3'(FRAME_BEATS)) writing <= writing + 1'b1;
      end else if (writing != moved && is_table(writing) && written_beats == '0) writing <= writing + 1'b1;
    end
  end
  always_comb begin
    if (was_d) assume (d_valid && d_source == was_source && d_destination == was_destination && d_word == was_word);
    if (was_r) assume (r_answers);
    if (was_m) assume (m_offers && m_data == was_m_data);
    assume (3'(taken - finished) < 3'd6);
    if (!begins) begin
      if (done) assert (finished != taken && marked == word[finished][31]);                       // (1)
      if (done) assert (refused == wrong[finished]);                                              // (2)
      if (!done) assert (!refused);
      if (arvalid) begin
        assert (reading != moved && araddr[31:1] == source[number[reading]][31:1] + 31'(read_beats));  // (3)
        assert (read_beats + 3'(arlen) + 1'b1 <= beats_of(reading) && !araddr[0]);
        if (word[number[reading]][30] && read_beats == '0) assert (finished == number[reading]);  // (4)
      end
      if (s_valid || t_valid) begin
        assert (arriving != moved && s_valid != t_valid && t_valid == is_table(arriving));        // (5)
      end
      if (s_valid) begin
        assert (s_data == 16'(in_at) && s_user == word[number[arriving]][23:0]);
        assert (s_last == (arrived == 3'(FRAME_BEATS - 1)));
      end
      if (t_valid) begin
        assert (t_data == (upper ? 8'(in_at >> 8) : 8'(in_at)));
        assert (t_last == (2 * arrived + 3'(upper) == 3'(TABLE_WORDS - 1)));
      end
      if (awvalid)                                                                                // (6)
        assert (writing != moved && !is_table(writing)
                && awaddr[31:1] == destination[number[writing]][31:1] + 31'(written_beats));
      if (done && !refused)                                                                       // (7)
        assert (word[finished][29] ? tables_in != tables_done : frames_answered != frames_done);
      assert (empty == (taken == 3'(finished + 3'(done))));                                       // (8)
    end
  end
endmodule
