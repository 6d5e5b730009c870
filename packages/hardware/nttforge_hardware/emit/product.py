# SPDX-License-Identifier: Apache-2.0
"""The product pipeline: two forward transforms, products value by value, one inverse transform."""

from __future__ import annotations

import random
from typing import Any

from nttforge.spec.fast import negacyclic_product
from nttforge_oracle.fast import forward_fast, inverse_fast

from ..plan.memories import image_memories
from ..plan.parameters import HardwareParameters
from ..plan.product import ProductDesign
from .axi import axi_module, tdata_layout
from .core_parameter import core_declaration
from .edges import EdgeVectors
from .files import Emission, assemble, limb_files, parameter_fields, ramb18_of_images
from .stream_top import StreamTop, unread
from .top import port_wires
from .vectors import rows_text, words_text
from .verilog import width_of


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
    files[f"rtl/{name}_top.sv"] = _top(design, name, folder)
    gammas = _gamma_rows(design) if p.degree > 1 else []
    for prime, rows in enumerate(gammas):
        files[_gamma_image(name, prime)] = rows_text(rows, p.dp * p.bits)
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
        + ramb18_of_images(design.inverse, files, f"{name}_inverse")
        + sum(image_memories(rows, p.pipeline.block) for rows in gammas),
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
        for first in range(0, p.bp, p.degree):
            limbs = [
                [maker.polynomial(number, source) for _ in range(2)]
                for maker in makers[first : first + p.degree]
            ]
            for a, b in limbs:
                for which, data in enumerate((a, b)):
                    factors[which].append(design.forward.port_words(data, "forward", "in"))
            whole_a, whole_b = (_interleaved(list(parts)) for parts in zip(*limbs, strict=True))
            product = _product(p, whole_a, whole_b, p.moduli[first])
            for limb in range(p.degree):
                data = product[limb :: p.degree]
                outs.append(design.inverse.port_words(data, "inverse", "out"))
        given.append(factors[0] + factors[1])
        expected.append(outs)
    return {
        "testbench/input.hex": words_text(given, p.bits),
        "testbench/output.hex": words_text(expected, p.bits),
    }


def _interleaved(limbs: list[list[int]]) -> list[int]:
    """The polynomial whose coefficients d j + c are those of limb c."""
    return [coefficient for together in zip(*limbs, strict=True) for coefficient in together]


def _product(p: HardwareParameters, a: list[int], b: list[int], q: int) -> list[int]:
    if p.ring == "negacyclic":
        return negacyclic_product(a, b, q)
    if p.degree > 1:  # nothing wraps in twice the length
        n, zeros = len(a), [0] * len(a)
        whole = negacyclic_product(a + zeros, b + zeros)
        return [(whole[k] + whole[n + k]) % q for k in range(n)]
    x, y = forward_fast(a, q, p.ring), forward_fast(b, q, p.ring)
    return inverse_fast([u * v % q for u, v in zip(x, y, strict=True)], q, p.ring)


def _gamma_image(name: str, prime: int) -> str:
    return f"twiddles/{name}_gamma_{prime}.hex"


def _gamma_rows(design: ProductDesign) -> list[list[int]]:
    """For each prime the words of gammas: lane l of word t has that of position t dp + l."""
    p = design.parameters
    return [
        [
            sum(gamma << (lane * p.bits) for lane, gamma in enumerate(gammas[at : at + p.dp]))
            for at in range(0, p.n, p.dp)
        ]
        for gammas in map(design.gammas, range(p.bp // p.degree))
    ]


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


def _top(design: ProductDesign, name: str, folder: str) -> str:
    p = design.parameters
    word, limb_word, bits = p.bp * p.dp * p.bits, p.dp * p.bits, p.bits
    sign = "+" if p.ring == "negacyclic" else "-"
    values = f"  logic [{word - 1}:0] values_a, values_b;\n"
    if min(core.bits for core in design.multipliers) < bits:
        values = unread(values)  # a narrower modulus leaves the upper bits of its words
    limbs = ""
    if p.degree > 1:
        limbs = """// A prime has 2 limbs: limb c has the coefficients 2 j + c of a polynomial.
// Transforms leave remainders modulo X^2 - gamma, which nttf_base_product multiplies.
"""
    text = f"""// Products modulo X^{p.n * p.degree} {sign} 1 and {p.bp // p.degree} prime(s).
//
{limbs}\
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
        if p.degree == 1:
            text += "\n" + core_declaration(core, f"CORE_{limb}")
        for lane in range(p.dp if p.degree == 1 else 0):
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
    .constant({core.bits + 4}'d{core.constant}), .a(values_a[{turned}+:{core.bits}]),
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
    if p.degree > 1:
        text += _base_products(design, name, folder)
    return (
        text
        + f"""
  nttf_valid_line #(.DEPTH({design.between_cycles})) u_between (
    .clk(clk), .reset(clear), .enable(enable), .in_valid(valid_a_0), .out_valid(between_valid));
  assign exit_valid_0 = back_valid_0;
  assign exit_word    = back;
endmodule
"""
    )


def _base_products(design: ProductDesign, name: str, folder: str) -> str:
    """The products of remainders of degree 1, and the gammas of their moduli from memory."""
    p = design.parameters
    bits, limb_word = p.bits, p.dp * p.bits
    place_bits = width_of(p.words)
    text = f"""
  // Which word of values comes: its gammas are there a cycle later.
  logic [{place_bits - 1}:0] place;
  always_ff @(posedge clk) begin
    if (clear) place <= '0;
    else if (enable && valid_a_0) place <= (32'(place) == LAST) ? '0 : place + 1'b1;
  end
"""
    for prime, core in enumerate(design.multipliers[::2]):
        low, pad = prime * 2 * limb_word, bits - core.bits
        gammas = f"  logic [{limb_word - 1}:0] gammas_{prime};\n"
        text += f"""
{unread(gammas) if pad else gammas}  nttf_rom #(
    .WIDTH({limb_word}), .DEPTH({p.words}), .IMAGE("{folder}{_gamma_image(name, prime)}")
  ) u_gammas_{prime} (
    .clk(clk), .enable(enable), .read_address(place), .out_data(gammas_{prime}));
{core_declaration(core, f"CORE_{prime}")}"""
        for lane in range(p.dp):
            at = low + lane * bits
            turned = low + int(format(lane, f"0{p.log_dp}b")[::-1], 2) * bits
            moves = f"moves_{prime}_{lane}" if p.pipeline.enable_regs else "enable"
            if p.pipeline.enable_regs:
                text += f"""
  logic {moves};
  nttf_enable u_{moves} (.clk(clk), .enable_next(enable_next), .enable({moves}));"""

            def parts(wire: str, here: int, width: int = core.bits) -> str:
                return f"{{{wire}[{here + limb_word}+:{width}], {wire}[{here}+:{width}]}}"

            text += f"""
  nttf_base_product #(.CORE(CORE_{prime})) u_product_{prime}_{lane} (
    .clk(clk), .enable({moves}), .q({core.bits}'d{core.q}),
    .constant({core.bits + 4}'d{core.constant}), .gamma(gammas_{prime}[{lane * bits}+:{core.bits}]),
    .a({parts("values_a", turned)}),
    .b({parts("values_b", turned)}),
    .product({parts("products", at)}));
"""
            if pad:
                upper = parts("products", at + core.bits, pad)
                text += f"  assign {upper} = '0;\n"
    return text
