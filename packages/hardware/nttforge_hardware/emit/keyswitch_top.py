# SPDX-License-Identifier: Apache-2.0
"""The top level of a key-switching pipeline: buffers, control, engines and what joins them."""

from __future__ import annotations

from collections.abc import Sequence

from ..plan.keyswitch import PARTS, KeySwitchDesign
from ..plan.keyswitch_timing import operation_times
from .core_parameter import core_declaration
from .modules import template
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
    digits = "A digit is the polynomial modulo its prime q, its numbers in [0, q), not centred."
    if p.digit_primes > 1:
        digits = "A digit is a sum over its primes q, numbers in [0, q) each, of fast conversion."
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
// {digits}
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
    word, whole = design.word_bits, total * p.dp * bits
    special, primes = len(p.special), p.digit_primes
    set_bits, memory = width_of(p.digits), design.memory_latency
    source, padded = primes * p.dp * bits, p.digits * primes * p.dp * bits
    which = f"  logic [{width_of(p.digits + 3) - 1}:0] launch_which;\n"
    several = f"\n    .SCALES(SPECIAL_SCALES), .FACTORS(SPECIAL_FACTORS), .OFFSET({special // 2}),"
    return template("keyswitch_top").substitute(
        description=_description(design),
        name=name,
        constants=_constants(design),
        bits=bits,
        words=words,
        lanes=p.dp,
        total=total,
        limbs=limbs,
        special=special,
        digits=p.digits,
        digit_primes=primes,
        enable_regs=p.pipeline.enable_regs,
        s_residues=limbs * p.dp,
        s_moduli=packed([q for q in p.moduli for _ in range(p.dp)], bits),
        k_residues=PARTS * total * p.dp,
        k_words=p.digits * words,
        k_moduli=packed([q for q in p.everything for _ in range(p.dp)] * PARTS, bits),
        word_bits=word,
        word_msb=word - 1,
        out_bits=word + 1,
        key_bits=design.key_bits,
        key_msb=design.key_bits - 1,
        key_buffer=p.key_words,
        whole_bits=whole,
        whole_msb=whole - 1,
        entry_bits=2 + whole,
        interval=schedule.interval,
        launch=packed(schedule.launch, 32),
        launch_which=unread(which),
        slot_msb=width_of(words) - 1,
        set_bits=set_bits,
        set_msb=set_bits - 1,
        digit_msb=source - 1,
        padded_bits=padded,
        padded_msb=padded - 1,
        memory=memory,
        behind=memory - 1,
        digit_latency=memory + design.conversion_latency(primes, False),
        down_latency=design.down_latency,
        scaling=_scaling(design),
        choice=_choice("digit", "which", "candidates", p.digits, source, set_bits),
        factors=", .FACTORS(FACTORS)" if primes > 1 else "",
        special_tables=several if special > 1 else "",
        engines="".join(
            [
                unread("  logic exit_inverse_0;\n"),
                *(unread(f"  logic exit_valid_{j}, exit_inverse_{j};\n") for j in range(1, total)),
                port_wires("entry_data", "entry_word", shape, "in"),
                port_wires("exit_word", "exit_data", shape, "out", inverse="exit_inverse_0"),
                *(_engine(name, j, p.dp * bits) for j in range(total)),
            ]
        ),
    )


def _engine(name: str, j: int, width: int) -> str:
    """The engine of a prime and its part of the words in and out."""
    part = f"{j * width}+:{width}"
    return f"""
  {name}_limb_{j} u_limb_{j} (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next), .inverse(inverse),
    .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_data(entry_data[{part}]),
    .exit_valid(exit_valid_{j}), .exit_inverse(exit_inverse_{j}),
    .exit_data(exit_data[{part}])
  );
"""


def _choice(out: str, which: str, words: str, count: int, width: int, bits: int) -> str:
    """One of ``count`` fields of ``words``, by comparisons: an index would be a product."""
    fields = [f"{words}[{k * width}+:{width}]" for k in range(count)]
    rows = [f"{which} == {bits}'d{k} ? {field} :" for k, field in enumerate(fields[:-1])]
    return f"  assign {out} =\n    " + "\n    ".join([*rows, fields[-1]]) + ";\n"


def _scaling(design: KeySwitchDesign) -> str:
    """What digits of several primes are multiplied by before they are stored."""
    p, word = design.parameters, design.word_bits
    if p.digit_primes == 1:
        return f"""  assign terms       = exit_word[{word - 1}:0];
  assign terms_valid = exit_input;
  assign terms_slot  = exit_slot;
"""
    width = p.dp * p.bits
    scales = "".join(
        f"  assign scales[{j * width}+:{width}] = {{{p.dp}{{SCALES[{j * p.bits}+:{p.bits}]}}}};\n"
        for j in range(p.limbs)
    )
    moves = ".clk(clk), .enable(moves_digits), .enable_next(enable_next)"
    return f"""  logic [{word - 1}:0] scales;
{scales}  nttf_products #(
    .LIMBS({p.limbs}), .LANES({p.dp}), .ENABLE_REGS({p.pipeline.enable_regs}), .CORE(CORE),
    .MODULI(MODULI[{p.limbs * p.bits - 1}:0]), .CONSTANTS(CONSTANTS[{p.limbs * (p.bits + 4) - 1}:0])
  ) u_scale (
    {moves}, .a(exit_word[{word - 1}:0]), .b(scales), .products(terms));
  nttf_valid_line #(.DEPTH({design.scale_latency})) u_terms_valid (
    .clk(clk), .reset(clear), .enable(moves_digits), .in_valid(exit_input),
    .out_valid(terms_valid));
  nttf_delay #(.WIDTH({width_of(p.words)}), .DEPTH({design.scale_latency})) u_terms_slot (
    .clk(clk), .enable(moves_digits), .in_data(exit_slot), .out_data(terms_slot));
"""
