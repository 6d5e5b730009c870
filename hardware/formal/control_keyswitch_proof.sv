// SPDX-License-Identifier: Apache-2.0
// nttf_control_keyswitch between free ports and free engines: any exit_valid, any leaves. Words of keys and
// results are numbered. Shown in every cycle after reset: a word that needs a key finds one (1), keys are
// used in order (2), results leave in order, with m_last at the end of each, and an offer stays (3), no word
// is pushed into a full buffer (4), operations begin at least INTERVAL enabled cycles apart (5), and the
// frames of one are launched whole, at their cycles (6).
module control_keyswitch_proof #(
  parameter int WORDS    = 2,
  parameter int INTERVAL = 9
) (
  input logic       clk,
  input logic       s_valid,
  input logic       k_valid,
  input logic       exit_valid,
  input logic       leaves,
  input logic       m_ready,
  input logic [2:0] key_count,  // linked, as the one below
  input logic [2:0] out_count
);
  localparam int BITS = 5;
  localparam logic [127:0] LAUNCH = {32'd6, 32'd4, 32'd2, 32'd0};  // input, one digit, both sums
  logic enable, enable_next, s_ready, k_ready, launch_input, launch_digit, launch_sum, exit_input;
  logic held_key, held_first, held_sum, m_valid, m_last;
  logic [1:0]      launch_which;
  logic            launch_slot, exit_slot, held_slot;
  logic [BITS-1:0] held_word, m_data;
  logic [BITS-1:0] keys_in = '0, keys_used = '0, results_in = '0, results_out = '0;
  logic            begins = 1'b1, offered = 1'b0, midway = 1'b0;
  logic [7:0]      since = 8'd255;  // enabled cycles since an operation began
  nttf_control_keyswitch #(
    .WORDS(WORDS), .DIGITS(1), .INTERVAL(INTERVAL), .LAUNCH(LAUNCH), .KEY_BITS(BITS), .OUT_BITS(BITS)
  ) u_control (
    .clk(clk), .reset(begins), .enable(enable), .enable_next(enable_next), .s_valid(s_valid),
    .s_ready(s_ready), .k_valid(k_valid), .k_ready(k_ready), .k_data(keys_in),
    .launch_input(launch_input), .launch_digit(launch_digit), .launch_sum(launch_sum),
    .launch_which(launch_which), .launch_slot(launch_slot), .exit_valid(exit_valid),
    .exit_input(exit_input), .exit_slot(exit_slot), .held_key(held_key), .held_first(held_first),
    .held_sum(held_sum), .held_slot(held_slot), .held_word(held_word), .leaves(leaves),
    .leaving(results_in), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last), .m_data(m_data));

  logic first_word;
  assign first_word = enable && launch_input && launch_slot == '0;
  always_ff @(posedge clk) begin
    begins <= 1'b0;
    if (!begins) begin
      if (k_valid && k_ready) keys_in <= keys_in + 1'b1;
      if (enable && held_key) keys_used <= keys_used + 1'b1;
      if (enable && leaves) results_in <= results_in + 1'b1;
      if (m_valid && m_ready) results_out <= results_out + 1'b1;
      offered <= m_valid && !m_ready;
      if (enable) begin
        midway <= launch_input && launch_slot == '0;
        since  <= first_word ? 8'd1 : (since == '1) ? since : since + 1'b1;
      end
    end
  end
  always_comb begin
    if (!begins) begin
      if (midway) assume (s_valid);  // the buffer has the whole polynomial
      if (enable && held_key) begin
        assert (key_count != '0);                                                           // (1)
        assert (held_word == keys_used && keys_used != keys_in);                            // (2)
      end
      if (m_valid) begin
        assert (m_data == results_out && results_out != results_in);                        // (3)
        assert (m_last == (results_out % BITS'(2 * WORDS) == BITS'(2 * WORDS - 1)));
      end
      if (offered) assert (m_valid);
      if (enable && leaves) assert (out_count != 3'd4);                                     // (4)
      if (k_valid && k_ready) assert (key_count != 3'd4);
      if (first_word) assert (since >= 8'(INTERVAL));                                       // (5)
      if (enable && since < 8'(INTERVAL)) begin                                             // (6)
        assert (launch_input == (since == 8'd1));
        assert (launch_digit == (since == 8'd2 || since == 8'd3));
        assert (launch_sum == (since >= 8'd4 && since <= 8'd7));
        if (launch_sum) assert (launch_which == ((since >= 8'd6) ? 2'd1 : 2'd0));
        if (launch_input || launch_digit || launch_sum) assert (launch_slot == since[0]);
      end
    end
  end
endmodule
