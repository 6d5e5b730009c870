# SPDX-License-Identifier: Apache-2.0
"""Writes a dataflow design: images of rows, top level, vectors, testbench, manifest."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict

from nttforge_oracle.algorithms import trace
from nttforge_oracle.fast import forward_fast

from ..plan.dataflow import DataflowDesign
from ..plan.dataflow_stages import Operation
from ..plan.memories import block_memories, image_memories
from ..plan.routing import benes_settings
from .axi import axi_module, tdata_layout
from .core_parameter import core_declaration
from .edges import EdgeVectors
from .files import Emission, assemble
from .stream_top import StreamTop
from .top import ntt_values
from .vectors import words_text
from .verilog import named_list, width_of


def dataflow_files(
    design: DataflowDesign,
    command: str = "",
    sets: int = 3,
    seed: int = 1,
    name: str = "dataflow",
    folder: str = "",
    axi: bool = False,
    prefix: str = "",
    tdata: str = "packed",
) -> dict[str, str]:
    """Every file of a dataflow by its name; arguments as those of ``design_files``."""
    p, name = design.parameters, prefix + name
    rows = _images(design)
    files = {f"tables/{name}_{k}.hex": _text(words) for k, words in rows.items()}
    files[f"rtl/{name}_top.sv"] = _top(design, name, folder)
    if axi:
        files[f"rtl/{name}_axi.sv"] = axi_module(_shared(design, name), p.n, p.banks, 1, tdata)
    source = random.Random(seed)
    maker = EdgeVectors(p.n, p.q, "cyclic")
    given = [maker.polynomial(number, source) for number in range(sets)]
    for port, data in (("input", given), ("output", [expected(design, a) for a in given])):
        side = "in" if port == "input" else "out"
        words = [
            [
                [
                    [x[design.port_index(side, lane, t)] for lane in range(p.banks)]
                    for t in range(p.words)
                ]
            ]
            for x in data
        ]
        files[f"testbench/{port}.hex"] = words_text(words, p.bits)
    predicted = {
        "latency_cycles": {"forward": design.latency_cycles},
        "interval_cycles": design.interval_cycles,
        "compute_cycles": design.compute_cycles,
        "core_latency_cycles": design.core.latency(),
        "dsps": design.dsps,
        "dsp_block": p.pipeline.block,
        "ramb18": ramb18(design, rows),
        "block_memories": design.block_memories,
    }
    bench = _shared(design, name).bench_parameters(sets)
    parameters = {"kind": "dataflow", "n": p.n, "moduli": [p.q], "algorithm": p.algorithm}
    parameters |= {"units": p.units, "core": design.core.kind, "pipeline": asdict(p.pipeline)}
    how = Emission(command, sets, seed, name, folder, prefix)
    layout = tdata_layout(_shared(design, name), tdata)
    return assemble(how, parameters, files, predicted, bench, layout=layout)


def ramb18(design: DataflowDesign, images: dict[str, list[int]] | None = None) -> int:
    """Block memories of Xilinx devices; constant columns of the images take none."""
    number, width, words = design.memories["banks"]
    images = images or _images(design)
    return number * block_memories(width, words) + sum(map(image_memories, images.values()))


def expected(design: DataflowDesign, a: list[int]) -> list[int]:
    """The oracle's values: the transform, or with ``stages`` the software's array after them."""
    p = design.parameters
    if p.stages is None:
        return forward_fast(a, p.q, "cyclic", "natural")
    steps = trace(a, p.q, p.algorithm, "cyclic", "natural", "natural")["steps"]
    stages: list[list[int]] = [s["values"] for s in steps if s["name"] == "stage"]
    # Every second stage of pease copies.
    return stages[(p.stages - 1) // 2 if p.algorithm == "pease" else p.stages - 1]


def _row(
    design: DataflowDesign, places: list[tuple[int, int] | None]
) -> tuple[list[int], list[int]]:
    """Addresses of the banks, and the bank of each lane; idle lanes take the idle banks."""
    addresses = [0] * len(places)
    banks: list[int] = []
    used = [design.bank(place) for place in places if place is not None]
    assert len(set(used)) == len(used), "two elements of a row in one bank"
    idle = [b for b in range(len(places)) if b not in used]
    for place in places:
        bank = idle.pop() if place is None else design.bank(place)
        if place is not None:
            addresses[bank] = design.address(place)
        banks.append(bank)
    return addresses, banks


def _inverted(source: list[int]) -> list[int]:
    out = [0] * len(source)
    for lane, bank in enumerate(source):
        out[bank] = lane
    return out


def _settings(source: list[int]) -> int:
    bits = (int(s) for layer in benes_settings(source) for s in layer)
    return sum(s << i for i, s in enumerate(bits))


def _legs(ops: list[Operation], which: str, lanes: int) -> list[tuple[int, int] | None]:
    places: list[tuple[int, int] | None] = [None] * lanes
    for u, op in enumerate(ops):
        first: tuple[int, int] | None
        second: tuple[int, int] | None
        first, second = op.read if which == "read" else op.write
        if which == "read" and op.bypass:
            second = None
        places[2 * u], places[2 * u + 1] = first, second
    return places


def _images(design: DataflowDesign) -> dict[str, list[int]]:
    p = design.parameters
    starts, give = design.schedule
    width, settings_bits = _address_bits(design), _layers(design) * p.units
    rows: dict[int, list[Operation]] = {}
    for start, stage in zip(starts, design.rows, strict=True):
        rows |= {start - starts[0] + t: row for t, row in enumerate(stage)}
    read, write = [], []

    def lanes(port: str, slot: int) -> list[tuple[int, int] | None]:
        indices = [design.port_index(port, lane, slot) for lane in range(p.banks)]
        return [(0, design.placed(i)) if port == "in" else design.found(i) for i in indices]

    for slot in range(p.words):
        write.append(_write_row(design, lanes("in", slot), width, settings_bits))
    for t in range(give - starts[0]):
        ops = rows.get(t, [])
        addresses, banks = _row(design, _legs(ops, "read", p.banks))
        word = sum(a << (b * width) for b, a in enumerate(addresses))
        at = p.banks * width
        word |= _settings(banks) << at
        at += settings_bits
        word |= any(op.bypass for op in ops) << at
        for u, op in enumerate(ops):
            word |= design.stored(op) << (at + 1 + u * p.bits)
        read.append(word)
        write.append(_write_row(design, _legs(ops, "write", p.banks), width, settings_bits))
    for slot in range(p.words):
        addresses, banks = _row(design, lanes("out", slot))
        word = sum(a << (b * width) for b, a in enumerate(addresses))
        read.append(word | _settings(banks) << (p.banks * width))
    return {"read": read, "write": write}


def _write_row(
    design: DataflowDesign, places: list[tuple[int, int] | None], width: int, settings_bits: int
) -> int:
    addresses, banks = _row(design, places)
    word = sum(a << (b * width) for b, a in enumerate(addresses))
    at = len(places) * width
    word |= _settings(_inverted(banks)) << at
    enables = sum(1 << b for b, place in zip(banks, places, strict=True) if place is not None)
    return word | enables << (at + settings_bits)


def _text(rows: list[int]) -> str:
    return "".join(f"{row:x}\n" for row in rows)


def _layers(design: DataflowDesign) -> int:
    return 2 * (design.parameters.banks.bit_length() - 1) - 1


def _address_bits(design: DataflowDesign) -> int:
    p = design.parameters
    return width_of(p.words * p.arrays)


def _shared(design: DataflowDesign, name: str) -> StreamTop:
    p = design.parameters
    word = p.banks * p.bits
    shape = (p.words, design.interval_cycles, design.latency_cycles)
    registered = bool(p.pipeline.enable_regs)
    return StreamTop(name, word, word, *shape, (p.q,), p.banks, p.bits, registered=registered)


def _top(design: DataflowDesign, name: str, folder: str) -> str:
    p, core = design.parameters, design.core
    starts, give = design.schedule
    settings: Mapping[str, object] = {
        "UNITS": p.units,
        "WORDS": p.words,
        "DEPTH": p.words * p.arrays,
        "COMPUTE_ROWS": give - starts[0],
        "READ_START": starts[0],
        "POSITION_BITS": width_of(design.interval_cycles + 1),
        "GENTLEMAN_SANDE": int(design.gentleman_sande),
        "IMAGE_READ": f'"{folder}tables/{name}_read.hex"',
        "IMAGE_WRITE": f'"{folder}tables/{name}_write.hex"',
        "CORE": "CORE",
    }
    orders = {
        port: "lane l of word t is number "
        + (f"l * {p.words} + t" if design.port_index(port, 1, 0) != 1 else f"t * {p.banks} + l")
        for port in ("in", "out")
    }
    values = ntt_values(p.n, "cyclic", (p.q,))
    if p.stages is not None:
        values = f"The array after {p.stages} stages."
    values = "".join(f"// {line}\n" for line in values.splitlines())
    return f"""// The dataflow {p.algorithm} [Din24] on {p.units} butterfly units.
// {p.n} points modulo {p.q}, cyclic ring.
//
// Words of {p.banks} residues of {p.bits} bits, lane 0 lowest. In: {orders["in"]}.
// Out: {orders["out"]}. Natural order.
{values}// First word in to last word out, without stalls: {design.latency_cycles} cycles, of which
// {design.compute_cycles} from the first operands to the last result in memory.
{_shared(design, name).opening()}{core_declaration(core)}
  nttf_dataflow #(
    {named_list(settings)}
  ) u_dataflow (
    .clk(clk), .reset(clear), .enable(enable), .q({p.bits}'d{p.q}),
    .constant({p.bits + 4}'d{core.constant}), .in_valid(entry_valid), .in_first(entry_first),
    .in_data(entry_word), .out_valid(exit_valid_0), .out_data(exit_word));
endmodule
"""
