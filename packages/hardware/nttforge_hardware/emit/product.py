# SPDX-License-Identifier: Apache-2.0
"""The product pipeline: two forward transforms, products value by value, one inverse transform."""

from __future__ import annotations

import random
from typing import Any

from nttforge.spec.fast import forward_fast, inverse_fast, negacyclic_product

from ..plan.parameters import HardwareParameters
from ..plan.product import ProductDesign
from .axi import axi_module, tdata_layout
from .core_parameter import core_declaration
from .edges import EdgeVectors
from .files import Emission, assemble, limb_files, parameter_fields, ramb18_of_images
from .stream_top import StreamTop, unread
from .top import port_wires
from .vectors import words_text


def product_files(
    design: ProductDesign,
    command: str = "",
    sets: int | None = None,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
    axi: bool = False,
    prefix: str = "",
    tdata: str = "packed",
) -> dict[str, str]:
    """Every file of a product pipeline by its name; arguments as those of ``design_files``."""
    p, name = design.parameters, prefix + name
    sets = design.latency_cycles // design.interval_cycles + 3 if sets is None else sets
    files: dict[str, str] = {}
    for direction, engine in (("forward", design.forward), ("inverse", design.inverse)):
        files |= limb_files(engine, f"{name}_{direction}", folder)
    files[f"rtl/{name}_top.sv"] = _top(design, name)
    files |= _vectors(design, sets, seed)
    if axi:
        files[f"rtl/{name}_axi.sv"] = axi_module(_shared(design, name), p.n, p.dp, p.bp, tdata)
    predicted: dict[str, Any] = {
        "latency_cycles": {"forward": design.latency_cycles},
        "interval_cycles": design.interval_cycles,
        "core_latency_cycles": design.forward.core_latency,
        "dsps": design.dsps,
        "dsp_block": design.parameters.pipeline.block,
        "ramb18": 2 * ramb18_of_images(design.forward, files, f"{name}_forward")
        + ramb18_of_images(design.inverse, files, f"{name}_inverse"),
        "block_memories": design.block_memories,
    }
    return assemble(
        Emission(command, sets, seed, name, folder, prefix),
        parameter_fields(design.forward, "product") | {"direction": "product"},
        files,
        predicted,
        _shared(design, name).bench_parameters(sets),
        family=design.parameters.pipeline.tile.family,
        layout=tdata_layout(_shared(design, name), tdata),
    )


def _vectors(design: ProductDesign, sets: int, seed: int) -> dict[str, str]:
    p, source = design.parameters, random.Random(seed)
    given, expected = [], []
    makers = [EdgeVectors(p.n, q, p.ring) for q in p.moduli]
    for number in range(sets):
        factors: list[list[list[list[int]]]] = [[], []]
        outs = []
        for q, maker in zip(p.moduli, makers, strict=True):
            a, b = (maker.polynomial(number, source) for _ in range(2))
            outs.append(design.inverse.port_words(_product(p, a, b, q), "inverse", "out"))
            for which, data in enumerate((a, b)):
                factors[which].append(design.forward.port_words(data, "forward", "in"))
        given.append(factors[0] + factors[1])
        expected.append(outs)
    return {
        "testbench/input.hex": words_text(given, p.bits),
        "testbench/output.hex": words_text(expected, p.bits),
    }


def _product(p: HardwareParameters, a: list[int], b: list[int], q: int) -> list[int]:
    if p.ring == "negacyclic":
        return negacyclic_product(a, b, q)
    x, y = forward_fast(a, q, p.ring), forward_fast(b, q, p.ring)
    return inverse_fast([u * v % q for u, v in zip(x, y, strict=True)], q, p.ring)


def _shared(design: ProductDesign, name: str) -> StreamTop:
    p = design.parameters
    word = p.bp * p.dp * p.bits
    shape = (p.words, design.interval_cycles, design.latency_cycles)
    return StreamTop(
        name,
        2 * word,
        word,
        *shape,
        p.moduli * 2,
        p.dp,
        p.bits,
        frame="factor",
        registered=bool(p.pipeline.enable_regs),
    )


def _top(design: ProductDesign, name: str) -> str:
    p = design.parameters
    word, limb_word, bits = p.bp * p.dp * p.bits, p.dp * p.bits, p.bits
    latency = design.multipliers[0].product_latency
    sign = "+" if p.ring == "negacyclic" else "-"
    values = f"  logic [{word - 1}:0] values_a, values_b;\n"
    if min(core.bits for core in design.multipliers) < bits:
        values = unread(values)  # a narrower modulus leaves the upper bits of its words
    text = f"""// Products modulo X^{p.n} {sign} 1 and {p.bp} prime(s).
//
// s_data: a word of the first factor in the lower half, of the second in the upper one. Words:
// limb by limb, lane by lane, {bits} bits each, lane 0 of limb 0 lowest; lane l of word t is
// coefficient l * {p.words} + t.
// First word in to last word out, without stalls: {design.latency_cycles} cycles.
{_shared(design, name).opening()}  logic between_valid, between_first, begun;
  logic [{word - 1}:0] factor_a, factor_b, products, back;
{values}
"""
    text += port_wires("factor_a", "entry_word", p, "in", ("forward",))
    text += port_wires("factor_b", "entry_word", p, "in", ("forward",), word)
    text += f"""
  // Words of a frame come in a row, the first one when none is being waited for.
  localparam int LAST = {p.words - 1};
  logic [31:0] slot;
  assign begun = slot != 0;
  always_ff @(posedge clk) begin
    if (clear) slot <= 0;
    else if (enable && between_valid) slot <= (slot == LAST) ? 0 : slot + 1;
  end
  assign between_first = !begun;
"""

    def declared(flag: str, beside: object) -> str:
        """All engines of a kind move together: only the first one's flag is read."""
        text = f"  logic {flag};\n"
        inverse = unread(f"  logic {flag}_inverse;\n")
        return (unread(text) if beside else text) + inverse

    for limb, core in enumerate(design.multipliers):
        low = limb * limb_word
        for factor in "ab":
            valid = f"valid_{factor}_{limb}"
            text += f"""
{declared(valid, limb or factor == "b")}  {name}_forward_limb_{limb} u_forward_{factor}_{limb} (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next), .inverse(1'b0),
    .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_data(factor_{factor}[{low}+:{limb_word}]),
    .exit_valid({valid}), .exit_inverse({valid}_inverse),
    .exit_data(values_{factor}[{low}+:{limb_word}])
  );
"""
        text += "\n" + core_declaration(core, f"CORE_{limb}")
        constant = core.constant
        for lane in range(p.dp):
            at, turned = low + lane * bits, low + int(format(lane, f"0{p.log_dp}b")[::-1], 2) * bits
            pad = bits - core.bits
            moves = f"moves_{limb}_{lane}" if p.pipeline.enable_regs else "enable"
            if p.pipeline.enable_regs:
                text += f"""
  logic {moves};
  nttf_enable u_{moves} (.clk(clk), .enable_next(enable_next), .enable({moves}));"""
            text += f"""
  nttf_modular_multiplier #(.CORE(CORE_{limb})) u_product_{limb}_{lane} (
    .clk(clk), .enable({moves}), .q({core.bits}'d{core.q}),
    .constant({core.bits + 4}'d{constant}), .a(values_a[{turned}+:{core.bits}]),
    .b(values_b[{turned}+:{core.bits}]), .product(products[{at}+:{core.bits}]));
"""
            if pad:
                text += f"  assign products[{at + core.bits}+:{pad}] = '0;\n"
        text += f"""
{declared(f"back_valid_{limb}", limb)}  {name}_inverse_limb_{limb} u_inverse_{limb} (
    .clk(clk), .reset(clear), .enable(enable), .enable_next(enable_next), .inverse(1'b1),
    .entry_valid(between_valid), .entry_first(between_first),
    .entry_data(products[{low}+:{limb_word}]),
    .exit_valid(back_valid_{limb}), .exit_inverse(back_valid_{limb}_inverse),
    .exit_data(back[{low}+:{limb_word}])
  );
"""
    return (
        text
        + f"""
  nttf_valid_line #(.DEPTH({latency})) u_between (
    .clk(clk), .reset(clear), .enable(enable), .in_valid(valid_a_0), .out_valid(between_valid));
  assign exit_valid_0 = back_valid_0;
  assign exit_word    = back;
endmodule
"""
    )
