// SPDX-License-Identifier: Apache-2.0
${description}
module ${name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic flush,      // drops all words inside; the next ones are firsts
  input  logic s_valid,    // stays, as s_data does, until the word is taken: with s_ready
  output logic s_ready,
  input  logic s_last,     // with a polynomial's last word
  input  logic [${word_msb}:0] s_data,
  input  logic k_valid,    // likewise for words of keys
  output logic k_ready,
  input  logic k_last,     // with a key's last word
  input  logic [${key_msb}:0] k_data,
  output logic m_valid,
  input  logic m_ready,    // the word is given: with m_valid
  output logic m_last,     // with a result's last word
  output logic [${word_msb}:0] m_data,
  output logic error_last,  // s_last or k_last came too early or not in time; until reset or flush
  output logic error_range  // a residue was not below its prime; likewise
);
${constants}
  logic clear, enable, enable_next, error_last_s, error_last_k, error_range_s, error_range_k;
  assign clear       = reset || flush;
  assign error_last  = error_last_s || error_last_k;
  assign error_range = error_range_s || error_range_k;
  nttf_frame_check #(
    .DATA_BITS(${bits}), .FIELDS(${s_residues}), .WORDS(${words}),
    .MODULI(${s_moduli})
  ) u_check_s (
    .clk(clk), .reset(clear), .in_valid(s_valid && s_ready), .in_last(s_last), .in_data(s_data),
    .error_last(error_last_s), .error_range(error_range_s));
  nttf_frame_check #(
    .DATA_BITS(${bits}), .FIELDS(${k_residues}), .WORDS(${k_words}),
    .MODULI(${k_moduli})
  ) u_check_k (
    .clk(clk), .reset(clear), .in_valid(k_valid && k_ready), .in_last(k_last), .in_data(k_data),
    .error_last(error_last_k), .error_range(error_range_k));

  // Buffers at the ports: a polynomial, words of keys, a part of a result.
  logic polynomial_valid, polynomial_ready, key_valid, key_ready;
  logic done_valid, done_ready, done_last;
  logic [${word_msb}:0] polynomial, leaving, done;
  logic [${key_msb}:0] key, held_word;
  nttf_frame_buffer #(
    .WIDTH(${word_bits}), .WORDS(${words}), .DEPTH(${words}), .BEGIN(${words})
  ) u_in (
    .clk(clk), .reset(clear), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
    .m_valid(polynomial_valid), .m_ready(polynomial_ready), .m_data(polynomial));
  nttf_frame_buffer #(
    .WIDTH(${key_bits}), .WORDS(${words}), .DEPTH(${key_buffer}), .BEGIN(1)
  ) u_keys (
    .clk(clk), .reset(clear), .s_valid(k_valid), .s_ready(k_ready), .s_data(k_data),
    .m_valid(key_valid), .m_ready(key_ready), .m_data(key));
  nttf_frame_buffer #(
    .WIDTH(${out_bits}), .WORDS(${words}), .DEPTH(${words}), .BEGIN(1)
  ) u_out (
    .clk(clk), .reset(clear), .s_valid(done_valid), .s_ready(done_ready),
    .s_data({done_last, done}), .m_valid(m_valid), .m_ready(m_ready),
    .m_data({m_last, m_data}));

  logic launch_input, launch_digit, launch_sum, exit_valid_0, exit_input;
  logic held_key, held_first, held_sum, leaves;
${launch_which}  logic [${slot_msb}:0] launch_slot, exit_slot, held_slot;
  nttf_control_keyswitch #(
    .WORDS(${words}), .DIGITS(${digits}), .INTERVAL(${interval}),
    .LAUNCH(${launch}),
    .KEY_BITS(${key_bits}), .OUT_BITS(${word_bits})
  ) u_control (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next),
    .s_valid(polynomial_valid), .s_ready(polynomial_ready), .k_valid(key_valid),
    .k_ready(key_ready), .k_data(key),
    .launch_input(launch_input), .launch_digit(launch_digit), .launch_sum(launch_sum),
    .launch_which(launch_which), .launch_slot(launch_slot), .exit_valid(exit_valid_0),
    .exit_input(exit_input), .exit_slot(exit_slot), .held_key(held_key), .held_first(held_first),
    .held_sum(held_sum), .held_slot(held_slot), .held_word(held_word), .leaves(leaves),
    .leaving(leaving), .m_valid(done_valid), .m_ready(done_ready), .m_last(done_last),
    .m_data(done));

  // A copy of the enable for each part around the engines.
  logic moves_digits, moves_entry, moves_sums, moves_down;
  nttf_enable u_moves_digits (.clk(clk), .enable_next(enable_next), .enable(moves_digits));
  nttf_enable u_moves_entry (.clk(clk), .enable_next(enable_next), .enable(moves_entry));
  nttf_enable u_moves_sums (.clk(clk), .enable_next(enable_next), .enable(moves_sums));
  nttf_enable u_moves_down (.clk(clk), .enable_next(enable_next), .enable(moves_down));

  // Frames into the engines: the polynomial, digits, sums.
  logic digit_valid, digit_first, sum_valid, sum_first, entry_valid, entry_first, inverse;
  logic [${whole_msb}:0] converted, sums, entry_word, entry_data, exit_data, exit_word, held;
  logic [${word_msb}:0] terms, stored;
  logic terms_valid;
  logic [${slot_msb}:0] terms_slot;
${scaling}  logic [${word_msb}:0] fetched;
  nttf_memory #(.WIDTH(${word_bits}), .DEPTH(${words})) u_digits (
    .clk(clk), .enable(moves_digits), .write(terms_valid), .write_address(terms_slot),
    .in_data(terms), .read_address(launch_slot), .out_data(fetched));
  nttf_delay #(.WIDTH(${word_bits}), .DEPTH(${behind})) u_stored (
    .clk(clk), .enable(moves_digits), .in_data(fetched), .out_data(stored));
  logic [${set_msb}:0] which;
  logic [${digit_msb}:0] digit;
  nttf_delay #(.WIDTH(${set_bits}), .DEPTH(${memory})) u_which (
    .clk(clk), .enable(moves_digits), .in_data(launch_which[${set_msb}:0]), .out_data(which));
  logic [${padded_msb}:0] candidates;
  assign candidates = ${padded_bits}'(stored);
${choice}  nttf_base_conversion #(
    .SOURCES(${digit_primes}), .TARGETS(${total}), .LANES(${lanes}), .SETS(${digits}),
    .ENABLE_REGS(${enable_regs}), .CORE(CORE), .MODULI(MODULI), .CONSTANTS(CONSTANTS)${factors}
  ) u_convert (
    .clk(clk), .enable(moves_digits), .enable_next(enable_next), .which(which), .y(digit), .converted(converted));
  nttf_valid_line #(.DEPTH(${digit_latency})) u_digit_valid (
    .clk(clk), .reset(clear), .enable(moves_entry), .in_valid(launch_digit),
    .out_valid(digit_valid));
  nttf_delay #(.WIDTH(1), .DEPTH(${digit_latency})) u_digit_first (
    .clk(clk), .enable(moves_entry), .in_data(launch_slot == '0), .out_data(digit_first));
  nttf_valid_line #(.DEPTH(${memory})) u_sum_valid (
    .clk(clk), .reset(clear), .enable(moves_entry), .in_valid(launch_sum), .out_valid(sum_valid));
  nttf_delay #(.WIDTH(1), .DEPTH(${memory})) u_sum_first (
    .clk(clk), .enable(moves_entry), .in_data(launch_slot == '0), .out_data(sum_first));
  nttf_valid_line #(.DEPTH(1)) u_entry_valid (
    .clk(clk), .reset(clear), .enable(moves_entry),
    .in_valid(launch_input || digit_valid || sum_valid), .out_valid(entry_valid));
  nttf_delay #(.WIDTH(${entry_bits}), .DEPTH(1)) u_entry (
    .clk(clk), .enable(moves_entry),
    .in_data({digit_valid ? digit_first : sum_valid ? sum_first : launch_slot == '0, !digit_valid,
              digit_valid ? converted : sum_valid ? sums : ${whole_bits}'(polynomial)}),
    .out_data({entry_first, inverse, entry_word}));
${engines}
  // Frames out of the engines: values times keys, and sums divided.
  nttf_delay #(.WIDTH(${whole_bits}), .DEPTH(1)) u_held (
    .clk(clk), .enable(moves_sums), .in_data(exit_word), .out_data(held));
  nttf_key_sums #(
    .LIMBS(${total}), .LANES(${lanes}), .WORDS(${words}), .BEHIND(${behind}), .ENABLE_REGS(${enable_regs}),
    .CORE(CORE), .MODULI(MODULI), .CONSTANTS(CONSTANTS)
  ) u_key_sums (
    .clk(clk), .reset(clear), .enable(moves_sums), .enable_next(enable_next), .in_valid(held_key),
    .in_first(held_first), .in_slot(held_slot), .values(held), .key(held_word), .read(launch_sum),
    .read_part(launch_which[0]), .read_slot(launch_slot), .sums(sums));
  nttf_mod_down #(
    .LIMBS(${limbs}), .SPECIAL(${special}), .LANES(${lanes}), .ENABLE_REGS(${enable_regs}), .CORE(CORE),
    .MODULI(MODULI), .CONSTANTS(CONSTANTS),${special_tables} .INVERSES(INVERSES)
  ) u_mod_down (
    .clk(clk), .enable(moves_down), .enable_next(enable_next), .x(held), .divided(leaving));
  nttf_valid_line #(.DEPTH(${down_latency})) u_leaves (
    .clk(clk), .reset(clear), .enable(moves_down), .in_valid(held_sum), .out_valid(leaves));
endmodule
