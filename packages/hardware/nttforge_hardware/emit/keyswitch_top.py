# SPDX-License-Identifier: Apache-2.0
"""The top level of a key-switching pipeline: buffers, control, engines and what joins them."""

from __future__ import annotations

from collections.abc import Sequence

from ..plan.keyswitch import PARTS, KeySwitchDesign
from ..plan.keyswitch_timing import operation_times
from .core_parameter import core_declaration
from .stream_top import unread
from .top import ntt_values, port_wires
from .verilog import packed, width_of


def _description(design: KeySwitchDesign) -> str:
    p = design.parameters
    several = "prime" if len(p.special) == 1 else "primes"
    factor = (
        f"times 2^{design.cores[0].steps * design.cores[0].digit_bits}, modulo its prime"
        if design.cores[0].kind == "montgomery"
        else "as it is"
    )
    rounding = (
        "x / P rounded, halves upwards"
        if len(p.special) == 1
        else f"x / P within {(len(p.special) + 1) / 2:g}, by fast base conversion"
    )
    values = ntt_values(p.n, "negacyclic", p.everything).replace("\n", "\n// ")
    size = f"{p.limbs} primes, {len(p.special)} special {several}, {p.digits} digits"
    latency = operation_times(design, 1)[0].latency
    return f"""// Key switching modulo {size}.
//
// Port s takes a polynomial, {p.words} words of values.
// Port k takes its key, {p.digits * p.words} words: for each digit {p.words} words of values, each
// with part 0 and then part 1.
// Port m gives part 0 and then part 1 of the result, {p.words} words of coefficients each: the sum
// over the digits of digit times key, divided by the product P of the special primes:
// {rounding}.
// Primes of Q: {", ".join(map(str, p.moduli))}.
// Special: {", ".join(map(str, p.special))}.
//
// A word holds limb by limb and lane by lane {p.bits} bits, lane 0 of limb 0 lowest; words of keys
// have all primes, the special ones last, and a residue of a key is stored {factor}.
// Coefficients: lane l of word t is number l * {p.words} + t.
// Values: lane l of word t is at position t * {p.dp} + l of the bit-reversed order.
// {values}
// First word in to last word out, if no key is waited for: {latency} cycles.
// An operation begins every {design.interval_cycles} cycles."""


def _constants(design: KeySwitchDesign) -> str:
    p, bits, cores = design.parameters, design.parameters.bits, design.cores
    total, special = len(p.everything), len(p.special)

    def table(name: str, values: Sequence[int], width: int = bits) -> str:
        return (
            f"  localparam logic [{len(values) * width - 1}:0] {name} = {packed(values, width)};\n"
        )

    text = table("MODULI", p.everything)
    text += table("CONSTANTS", [core.constant for core in cores], bits + 4)
    found = design.constants
    if p.digit_primes > 1:
        text += table("SCALES", found.scales)
        by_digit = zip(*found.factors, strict=True)
        text += table("FACTORS", [factor for row in by_digit for factor in row])
    if special > 1:
        text += table("SPECIAL_SCALES", found.special_scales)
        text += table("SPECIAL_FACTORS", found.special_factors)
    text += table("INVERSES", found.inverses)
    assert len(cores) == total
    return text + "\n" + core_declaration(cores[0])


def keyswitch_top(design: KeySwitchDesign, name: str) -> str:
    p, shape, schedule = design.parameters, design.engines.parameters, design.schedule
    bits, words, total, limbs = p.bits, p.words, len(p.everything), p.limbs
    limb_word, word, whole = p.dp * bits, design.word_bits, total * p.dp * bits
    frame_bits, slot_bits = width_of(p.digits + 3), width_of(words)
    special, primes, set_bits = len(p.special), p.digit_primes, width_of(p.digits)
    conversion, memory = design.conversion_latency(primes, False), design.memory_latency
    source, padded = primes * limb_word, p.digits * primes * limb_word
    enable = "    .clk(clk), .enable(moves_digits), .enable_next(enable_next),"
    regs = p.pipeline.enable_regs
    exits = "".join(unread(f"  logic exit_valid_{j}, exit_inverse_{j};\n") for j in range(1, total))
    text = f"""{_description(design)}
module {name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic flush,      // drops all words inside; the next ones are firsts
  input  logic s_valid,    // stays, as s_data does, until the word is taken: with s_ready
  output logic s_ready,
  input  logic s_last,     // with a polynomial's last word
  input  logic [{word - 1}:0] s_data,
  input  logic k_valid,    // likewise for words of keys
  output logic k_ready,
  input  logic k_last,     // with a key's last word
  input  logic [{design.key_bits - 1}:0] k_data,
  output logic m_valid,
  input  logic m_ready,    // the word is given: with m_valid
  output logic m_last,     // with a result's last word
  output logic [{word - 1}:0] m_data,
  output logic error_last,  // s_last or k_last came too early or not in time; until reset or flush
  output logic error_range  // a residue was not below its prime; likewise
);
{_constants(design)}
  logic clear, enable, enable_next, error_last_s, error_last_k, error_range_s, error_range_k;
  assign clear       = reset || flush;
  assign error_last  = error_last_s || error_last_k;
  assign error_range = error_range_s || error_range_k;
  nttf_frame_check #(
    .DATA_BITS({bits}), .FIELDS({limbs * p.dp}), .WORDS({words}),
    .MODULI({packed([q for q in p.moduli for _ in range(p.dp)], bits)})
  ) u_check_s (
    .clk(clk), .reset(clear), .in_valid(s_valid && s_ready), .in_last(s_last), .in_data(s_data),
    .error_last(error_last_s), .error_range(error_range_s));
  nttf_frame_check #(
    .DATA_BITS({bits}), .FIELDS({PARTS * total * p.dp}), .WORDS({p.digits * words}),
    .MODULI({packed([q for q in p.everything for _ in range(p.dp)] * PARTS, bits)})
  ) u_check_k (
    .clk(clk), .reset(clear), .in_valid(k_valid && k_ready), .in_last(k_last), .in_data(k_data),
    .error_last(error_last_k), .error_range(error_range_k));

  // Buffers at the ports: a polynomial, words of keys, a part of a result.
  logic polynomial_valid, polynomial_ready, key_valid, key_ready;
  logic done_valid, done_ready, done_last;
  logic [{word - 1}:0] polynomial, leaving, done;
  logic [{design.key_bits - 1}:0] key, held_word;
  nttf_frame_buffer #(
    .WIDTH({word}), .WORDS({words}), .DEPTH({words}), .BEGIN({words})
  ) u_in (
    .clk(clk), .reset(clear), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
    .m_valid(polynomial_valid), .m_ready(polynomial_ready), .m_data(polynomial));
  nttf_frame_buffer #(
    .WIDTH({design.key_bits}), .WORDS({words}), .DEPTH({p.key_words}), .BEGIN(1)
  ) u_keys (
    .clk(clk), .reset(clear), .s_valid(k_valid), .s_ready(k_ready), .s_data(k_data),
    .m_valid(key_valid), .m_ready(key_ready), .m_data(key));
  nttf_frame_buffer #(
    .WIDTH({word + 1}), .WORDS({words}), .DEPTH({words}), .BEGIN(1)
  ) u_out (
    .clk(clk), .reset(clear), .s_valid(done_valid), .s_ready(done_ready),
    .s_data({{done_last, done}}), .m_valid(m_valid), .m_ready(m_ready),
    .m_data({{m_last, m_data}}));

  logic launch_input, launch_digit, launch_sum, exit_valid_0, exit_input;
  logic held_key, held_first, held_sum, leaves;
{unread(f"  logic [{frame_bits - 1}:0] launch_which;" + chr(10))}\
  logic [{slot_bits - 1}:0] launch_slot, exit_slot, held_slot;
  nttf_control_keyswitch #(
    .WORDS({words}), .DIGITS({p.digits}), .INTERVAL({schedule.interval}),
    .LAUNCH({packed(schedule.launch, 32)}),
    .KEY_BITS({design.key_bits}), .OUT_BITS({word})
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
  logic [{whole - 1}:0] converted, sums, entry_word, entry_data, exit_data, exit_word, held;
  logic [{word - 1}:0] terms, stored;
  logic terms_valid;
  logic [{slot_bits - 1}:0] terms_slot;
"""
    text += _digits(design, enable, source, padded, set_bits, slot_bits, regs)
    text += f"""  nttf_valid_line #(.DEPTH({memory + conversion})) u_digit_valid (
    .clk(clk), .reset(clear), .enable(moves_entry), .in_valid(launch_digit),
    .out_valid(digit_valid));
  nttf_delay #(.WIDTH(1), .DEPTH({memory + conversion})) u_digit_first (
    .clk(clk), .enable(moves_entry), .in_data(launch_slot == '0), .out_data(digit_first));
  nttf_valid_line #(.DEPTH({memory})) u_sum_valid (
    .clk(clk), .reset(clear), .enable(moves_entry), .in_valid(launch_sum), .out_valid(sum_valid));
  nttf_delay #(.WIDTH(1), .DEPTH({memory})) u_sum_first (
    .clk(clk), .enable(moves_entry), .in_data(launch_slot == '0), .out_data(sum_first));
  nttf_valid_line #(.DEPTH(1)) u_entry_valid (
    .clk(clk), .reset(clear), .enable(moves_entry),
    .in_valid(launch_input || digit_valid || sum_valid), .out_valid(entry_valid));
  nttf_delay #(.WIDTH({2 + whole}), .DEPTH(1)) u_entry (
    .clk(clk), .enable(moves_entry),
    .in_data({{digit_valid ? digit_first : sum_valid ? sum_first : launch_slot == '0, !digit_valid,
              digit_valid ? converted : sum_valid ? sums : {whole}'(polynomial)}}),
    .out_data({{entry_first, inverse, entry_word}}));
{unread("  logic exit_inverse_0;" + chr(10))}{exits}"""
    text += port_wires("entry_data", "entry_word", shape, "in")
    text += port_wires("exit_word", "exit_data", shape, "out", inverse="exit_inverse_0")
    for j in range(total):
        low = j * limb_word
        text += f"""
  {name}_limb_{j} u_limb_{j} (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next), .inverse(inverse),
    .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_data(entry_data[{low}+:{limb_word}]),
    .exit_valid(exit_valid_{j}), .exit_inverse(exit_inverse_{j}),
    .exit_data(exit_data[{low}+:{limb_word}])
  );
"""
    several = ""
    if special > 1:
        several = (
            f"\n    .SCALES(SPECIAL_SCALES), .FACTORS(SPECIAL_FACTORS), .OFFSET({special // 2}),"
        )
    return (
        text
        + f"""
  // Frames out of the engines: values times keys, and sums divided.
  nttf_delay #(.WIDTH({whole}), .DEPTH(1)) u_held (
    .clk(clk), .enable(moves_sums), .in_data(exit_word), .out_data(held));
  nttf_key_sums #(
    .LIMBS({total}), .LANES({p.dp}), .WORDS({words}), .BEHIND({memory - 1}), .ENABLE_REGS({regs}),
    .CORE(CORE), .MODULI(MODULI), .CONSTANTS(CONSTANTS)
  ) u_key_sums (
    .clk(clk), .reset(clear), .enable(moves_sums), .enable_next(enable_next), .in_valid(held_key),
    .in_first(held_first), .in_slot(held_slot), .values(held), .key(held_word), .read(launch_sum),
    .read_part(launch_which[0]), .read_slot(launch_slot), .sums(sums));
  nttf_mod_down #(
    .LIMBS({limbs}), .SPECIAL({special}), .LANES({p.dp}), .ENABLE_REGS({regs}), .CORE(CORE),
    .MODULI(MODULI), .CONSTANTS(CONSTANTS),{several} .INVERSES(INVERSES)
  ) u_mod_down (
    .clk(clk), .enable(moves_down), .enable_next(enable_next), .x(held), .divided(leaving));
  nttf_valid_line #(.DEPTH({design.down_latency})) u_leaves (
    .clk(clk), .reset(clear), .enable(moves_down), .in_valid(held_sum), .out_valid(leaves));
endmodule
"""
    )


def _choice(out: str, which: str, words: str, count: int, width: int, bits: int) -> str:
    """One of ``count`` fields of ``words``, by comparisons: an index would be a product."""
    fields = [f"{words}[{k * width}+:{width}]" for k in range(count)]
    rows = [f"{which} == {bits}'d{k} ? {field} :" for k, field in enumerate(fields[:-1])]
    return f"  assign {out} =\n    " + "\n    ".join([*rows, fields[-1]]) + ";\n"


def _digits(
    design: KeySwitchDesign,
    enable: str,
    source: int,
    padded: int,
    set_bits: int,
    slot_bits: int,
    regs: int,
) -> str:
    """The memory of digits and the conversion of the one that is read."""
    p, word, total = design.parameters, design.word_bits, len(design.parameters.everything)
    limb_word, memory = p.dp * p.bits, design.memory_latency
    if p.digit_primes > 1:
        scales = "".join(
            f"  assign scales[{j * limb_word}+:{limb_word}] = "
            f"{{{p.dp}{{SCALES[{j * p.bits}+:{p.bits}]}}}};\n"
            for j in range(p.limbs)
        )
        text = f"""  logic [{word - 1}:0] scales;
{scales}  nttf_products #(
    .LIMBS({p.limbs}), .LANES({p.dp}), .ENABLE_REGS({regs}), .CORE(CORE),
    .MODULI(MODULI[{p.limbs * p.bits - 1}:0]), .CONSTANTS(CONSTANTS[{p.limbs * (p.bits + 4) - 1}:0])
  ) u_scale (
{enable} .a(exit_word[{word - 1}:0]), .b(scales), .products(terms));
  nttf_valid_line #(.DEPTH({design.scale_latency})) u_terms_valid (
    .clk(clk), .reset(clear), .enable(moves_digits), .in_valid(exit_input),
    .out_valid(terms_valid));
  nttf_delay #(.WIDTH({slot_bits}), .DEPTH({design.scale_latency})) u_terms_slot (
    .clk(clk), .enable(moves_digits), .in_data(exit_slot), .out_data(terms_slot));
"""
        factors = ", .FACTORS(FACTORS)"
    else:
        text = f"""  assign terms       = exit_word[{word - 1}:0];
  assign terms_valid = exit_input;
  assign terms_slot  = exit_slot;
"""
        factors = ""
    return (
        text
        + f"""  logic [{word - 1}:0] fetched;
  nttf_memory #(.WIDTH({word}), .DEPTH({p.words})) u_digits (
    .clk(clk), .enable(moves_digits), .write(terms_valid), .write_address(terms_slot),
    .in_data(terms), .read_address(launch_slot), .out_data(fetched));
  nttf_delay #(.WIDTH({word}), .DEPTH({memory - 1})) u_stored (
    .clk(clk), .enable(moves_digits), .in_data(fetched), .out_data(stored));
  logic [{set_bits - 1}:0] which;
  logic [{source - 1}:0] digit;
  nttf_delay #(.WIDTH({set_bits}), .DEPTH({memory})) u_which (
    .clk(clk), .enable(moves_digits), .in_data(launch_which[{set_bits - 1}:0]), .out_data(which));
  logic [{padded - 1}:0] candidates;
  assign candidates = {padded}'(stored);
{_choice("digit", "which", "candidates", p.digits, source, set_bits)}  nttf_base_conversion #(
    .SOURCES({p.digit_primes}), .TARGETS({total}), .LANES({p.dp}), .SETS({p.digits}),
    .ENABLE_REGS({regs}), .CORE(CORE), .MODULI(MODULI), .CONSTANTS(CONSTANTS){factors}
  ) u_convert (
{enable} .which(which), .y(digit), .converted(converted));
"""
    )
