# SPDX-License-Identifier: Apache-2.0
"""The files of engines with loaded moduli: module of an engine, top level, tables, vectors."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from nttforge.errors import ParameterError

from ..plan.cost import estimate
from ..plan.engine import EngineDesign, EngineParameters
from ..plan.engine_timing import Frame, batch_times, predict_batch, round_robin
from ..plan.primes import usable_primes
from .core_parameter import core_declaration
from .edges import EdgeVectors
from .engine_burst import burst_bench, burst_module, check_burst
from .engine_dma import dma_module, driver_text, layout_header
from .engine_top import engine_top, row_bits_of
from .files import Emission, assemble
from .stream_top import unread
from .top import port_wires
from .vectors import words_text
from .verilog import (
    packed,
    super_pipeline_instance,
    super_pipeline_parameters,
    width_of,
    wrong_word,
)


def engine_files(
    design: EngineDesign,
    command: str = "",
    moduli: Sequence[int] | None = None,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
    axi: bool = False,
    prefix: str = "",
    burst: int | None = None,
) -> dict[str, str]:
    """Every file of a design by its name.

    Parameters
    ----------
    design : EngineDesign
    command : str
        Written into the headers.
    moduli : sequence of int, optional
        What the testbench loads, at most engines times sets; by default the largest primes.
    seed : int
        Of the test vectors.
    name, folder, prefix
        As those of ``design_files``.
    axi : bool
        Also a module ``<name>_dma`` with AXI ports, and a driver for it in C. Residues take 4 bytes
        there, or 8 above 32 bits.
    burst : int, optional
        Also a module ``<name>_burst`` that reads and writes memory behind AXI4 by itself, in bursts
        of at most so many words of all lanes: a power of two, at most 256 and 4 KiB.
    """
    p, name = design.parameters, prefix + name
    if moduli is None:
        moduli = bench_moduli(p, p.engines * p.sets)
    if p.early and (axi or burst is not None):
        raise ParameterError(
            f"{'axi' if axi else 'burst'} with layers = {p.layers}: the driver in C loads complete "
            "transforms only; leave one of them out"
        )
    frames = _test_frames(design, len(moduli))
    files = {
        f"rtl/{name}_engine.sv": _engine(design, name),
        f"rtl/{name}_top.sv": engine_top(design, name),
    }
    files |= _vectors(design, moduli, frames, seed)
    if axi:
        files[f"rtl/{name}_dma.sv"] = dma_module(design, name)
    if axi or burst is not None:
        files[f"driver/{name}_layout.h"] = layout_header(design, name)
        files["driver/nttf_engine.h"] = driver_text("nttf_engine.h")
    of_burst = None
    if burst is not None:
        check_burst(design, burst)
        files[f"rtl/{name}_burst.sv"] = burst_module(design, name, burst)
        files["driver/nttf_burst.h"] = driver_text("nttf_burst.h")
        memory, of_burst = burst_bench(design, moduli[0], files, frames, burst)
        files["testbench/memory.hex"] = memory
    directions = tuple(design.shape.schedules)
    alone = {d: batch_times(design, [Frame(0, 0, d)])[0].latency for d in directions}
    batch = predict_batch(design, len(moduli), directions[0])
    predicted: dict[str, Any] = {
        "latency_cycles": alone,
        "interval_cycles": design.interval_cycles,
        "batch_limbs": len(moduli),
        "batch_cycles": batch.cycles,
        "batch_interval_cycles": batch.interval,
        "cores_busy": round(batch.busy, 4),
        "core_latency_cycles": design.shape.core_latency,
        "table_words": design.table_words,
        "dsps": design.dsps,
        "dsp_block": p.pipeline.block,
        "memory_bits": design.memory_bits,
        "ramb18": design.ramb18,
        "block_memories": design.block_memories,
    }
    if estimated := estimate(design):
        predicted |= dict(zip(("luts_estimated", "ffs_estimated"), estimated, strict=True))
    shape = design.shape.parameters
    bench: dict[str, int | str] = {
        "WORD_BITS": p.dp * p.bits,
        "TABLE_BITS": p.dp // 2 * p.bits,
        "WORDS": shape.words,
        "TRANSFORMS": len(frames),
        "TABLES": len(moduli),
        "TABLE_WORDS": design.table_words,
        "ENGINE_BITS": width_of(p.engines),
        "SET_BITS": width_of(p.sets),
        "INTERVAL": design.interval_cycles,
        "WRONG": wrong_word(moduli[:1], shape.dp, p.bits),
        "LIMIT": 1000 + 12 * batch_times(design, frames)[-1].last_out,
    }
    fields: dict[str, Any] = {"kind": "engines", **asdict(p), "core": design.core.kind}
    if p.layers is None:
        del fields["layers"]
    return assemble(
        Emission(command, len(frames), seed, name, folder, prefix),
        fields | {"moduli": list(moduli)},
        files,
        predicted,
        bench,
        family=p.pipeline.tile.family,
        checker="check_engine",
        more_tops=[
            f"{name}_{what}" for what in ("dma", "burst") if f"rtl/{name}_{what}.sv" in files
        ],
        burst=of_burst,
    )


def bench_moduli(p: EngineParameters, count: int) -> tuple[int, ...]:
    """What a testbench loads: the largest primes, one of which stops early if one may."""
    if not p.early or count < 2:
        return usable_primes(p.n, p.bits, count, p.ring)
    order = p.shape.root_order
    fewer = (q for q in usable_primes(p.n // 2, p.bits, 8, p.ring) if (q - 1) % order)
    return (*usable_primes(p.n, p.bits, count - 1, p.ring), next(fewer))


def _test_frames(design: EngineDesign, limbs: int) -> list[Frame]:
    """All limbs twice in turn, directions mixed, and one more frame of each direction alone."""
    directions = tuple(design.shape.schedules)
    first = round_robin(design, limbs, directions[0])
    second = [
        Frame(f.engine, f.number, directions[k % len(directions)]) for k, f in enumerate(first)
    ]
    last = [
        Frame(f.engine, f.number, d, True) for f, d in zip(first[-1:] * 2, directions, strict=False)
    ]
    return [*first, *second[::-1], *last]


def _vectors(
    design: EngineDesign, moduli: Sequence[int], frames: Sequence[Frame], seed: int
) -> dict[str, str]:
    """Tables, frames with their cycles, and words in and out; values from the oracle."""
    p, source, shape = design.parameters, random.Random(seed), design.shape
    digits = -(-p.dp // 2 * p.bits // 4)
    tables = [w for limb, q in enumerate(moduli) for w in design.table(q, *design.place(limb))]
    given, expected, control = [], [], []
    early = {q for q in moduli if design.core_of(q).layers is not None}
    makers = {q: EdgeVectors(p.n, q, p.ring) for q in moduli if q not in early}
    for k, (frame, times) in enumerate(zip(frames, batch_times(design, frames), strict=True)):
        q = moduli[frame.number * p.engines + frame.engine]
        if q in early:
            a = [source.randrange(q) for _ in range(p.n)]
        else:
            a = makers[q].polynomial(k, source, frame.direction)
        pair = (a, design.oracle(q, a))
        a, x = pair if frame.direction == "forward" else pair[::-1]
        given.append([shape.port_words(a, frame.direction, "in")])
        expected.append([shape.port_words(x, frame.direction, "out")])
        word = frame.engine | frame.number << 8 | (frame.direction == "inverse") << 16
        word |= frame.alone << 17 | times.first_in << 32 | times.last_out << 64
        control.append(f"{word:024x}\n")
    return {
        "testbench/tables.hex": "".join(f"{w:0{digits}x}\n" for w in tables),
        "testbench/frames.hex": "".join(control),
        "testbench/input.hex": words_text(given, p.bits),
        "testbench/output.hex": words_text(expected, p.bits),
    }


_LOAD = ("load_write", "load_row", "load_word", "load_constant", "load_set", "load_value")


def _engine(design: EngineDesign, name: str) -> str:
    """The module of an engine: a buffer, the control, super pipelines, a buffer."""
    p = design.shape.parameters
    word, tag, sets = p.dp * p.bits, design.tag_bits, design.parameters.sets
    pass_bits, row_bits, last = width_of(p.passes), row_bits_of(design), p.pp - 1
    begin = 1 if design.parameters.start == "word" else p.words
    front, behind = (frames * p.words for frames in design.buffered_frames)
    regs = f", .BEHIND({design.buffer_regs})" if design.buffer_regs else ""
    free = design.parameters.start == "room"
    entering, leaving = (
        port_wires(wire, source, p, port, inverse=f"{chosen}[0]")
        for wire, source, port, chosen in (
            ("entry_data", "entry_word", "in", "entry_tag"),
            ("exit_word", f"data_{last}", "out", "exit_tag"),
        )
    )
    wires = "".join(
        f"""  logic valid_{i}, first_{i};
  logic [{pass_bits - 1}:0] pass_{i};
  logic [{tag - 1}:0] tag_{i};
  logic [{word - 1}:0] data_{i};
"""
        for i in range(p.pp)
    )
    declared = unread(
        ("  logic room;\n" if free else "  logic begins, inverse;\n")
        + f"  logic [{tag - 1}:0] exit_tag, exit_tag_held;\n"
        f"  logic [{row_bits - 1}:0] load_row;\n"
    )
    if free:
        control, leaves = _free_control(design), ("exit_valid", "room", "exit_word")
    else:
        control, leaves = _control(design), ("given_valid", "given_ready", "given")
    handshake, given = ("", "") if free else ("given_valid, given_ready, ", ", given")
    text = f"""// One engine: buffers of a frame at both ends, its control, and its super pipelines.
// A word at s is {{tag, data}}; the tag, equal in all words of a frame, is {{set, direction}}.
module {name}_engine (
  input  logic clk,
  input  logic reset,
  input  logic s_valid,
  output logic s_ready,
  input  logic [{tag + word - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,
  output logic [{word - 1}:0] m_data,
  input  logic load,  // what follows is for this engine
  input  logic [{p.pp - 1}:0] load_rows,
  input  logic [{row_bits - 1}:0] load_at,
  input  logic [{word // 2 - 1}:0] load_word,
  input  logic load_constants,
  input  logic [{tag - 2}:0] load_set,
  input  logic [{2 * p.bits + 3}:0] load_value,
  output logic error_range
);
{core_declaration(design.core)}
  logic taken_valid, taken_ready, {handshake}enable, enable_next;
  logic entry_valid, entry_first, exit_valid, load_constant;
  logic [{tag + word - 1}:0] taken, entered;
  logic [{tag - 1}:0] entry_tag;
  logic [{word - 1}:0] entry_word, entry_data, exit_word{given};
{declared}{wires}
  nttf_frame_buffer #(
    .WIDTH({tag + word}), .WORDS({p.words}), .DEPTH({front}), .BEGIN({begin}){regs}
  ) u_in (
    .clk(clk), .reset(reset), .s_valid(s_valid), .s_ready(s_ready), .s_data(s_data),
    .m_valid(taken_valid), .m_ready(taken_ready), .m_data(taken));
{control}  nttf_frame_buffer #(
    .WIDTH({word}), .WORDS({p.words}), .DEPTH({behind}), .BEGIN(1){regs}
  ) u_out (
    .clk(clk), .reset(reset), .s_valid({leaves[0]}), .s_ready({leaves[1]}), .s_data({leaves[2]}),
    .m_valid(m_valid), .m_ready(m_ready), .m_data(m_data));
  assign {{entry_tag, entry_word}} = entered;
  assign load_constant = load && load_constants;
  assign load_row      = load_at;

  nttf_range_check #(
    .BITS({p.bits}), .LANES({p.dp}), .SETS({sets})
  ) u_range_check (
    .clk(clk), .reset(reset), .enable(enable), .load_constant(load_constant), .load_set(load_set),
    .load_q(load_value[{p.bits - 1}:0]), .in_valid(entry_valid), .in_set(entry_tag[{tag - 1}:1]),
    .in_data(entry_word), .error_range(error_range));

  // A word leaves after its last pass and goes round before; pass and tag come with the first.
  logic leaves, leaves_held, leaves_state;
  assign leaves      = pass_{last} == {pass_bits}'d{p.passes - 1};
  assign exit_valid  = valid_{last} && leaves_held;
  assign leaves_held = first_{last} ? leaves : leaves_state;
  assign exit_tag    = first_{last} ? tag_{last} : exit_tag_held;
  always_ff @(posedge clk) begin
    if (enable && valid_{last}) begin
      leaves_state  <= leaves_held;
      exit_tag_held <= exit_tag;
    end
  end
{entering}{leaving}"""
    for i in range(p.pp):
        text += _super_pipeline(design, i)
    return text + "endmodule\n"


def _control(design: EngineDesign) -> str:
    """The control between buffers that may both make it wait: a registered enable."""
    p, tag = design.shape.parameters, design.tag_bits
    word = p.dp * p.bits
    return f"""  nttf_control_registered #(
    .WORDS({p.words}), .INTERVAL({design.interval_cycles}),
    .IN_BITS({tag + word}), .OUT_BITS({word})
  ) u_control (
    .clk(clk), .reset(reset), .s_valid(taken_valid), .s_ready(taken_ready), .s_inverse(1'b0),
    .s_data(taken), .enable(enable), .enable_next(enable_next), .entry_valid(entry_valid),
    .entry_first(entry_first), .entry_word(entered), .inverse(inverse), .exit_valid(exit_valid),
    .exit_word(exit_word), .m_valid(given_valid), .m_ready(given_ready), .m_last(begins),
    .m_data(given));
"""


def _free_control(design: EngineDesign) -> str:
    """The control that begins a frame when there is room for its result: nothing waits."""
    p = design.shape.parameters
    return f"""  assign enable      = 1'b1;
  assign enable_next = 1'b1;
  nttf_control_free #(
    .WORDS({p.words}), .INTERVAL({design.interval_cycles}), .ROOM({design.buffered_frames[1]}),
    .WIDTH({design.tag_bits + p.dp * p.bits})
  ) u_control (
    .clk(clk), .reset(reset), .s_valid(taken_valid), .s_ready(taken_ready), .s_data(taken),
    .gives(m_valid && m_ready), .entry_valid(entry_valid), .entry_first(entry_first),
    .entry_word(entered));
"""


def _super_pipeline(design: EngineDesign, i: int) -> str:
    p, sets = design.shape.parameters, design.parameters.sets
    last, before = p.pp - 1, (i or p.pp) - 1
    plan, step = design.shape.twiddles[i], f"pass_{before}"
    address_bits = width_of(sets * plan.depth)
    rows = [plan.rows.get((d, k)) for d in design.shape.schedules for k in range(p.passes)]
    parameters = super_pipeline_parameters(design.shape, 0, i, "", "") | {
        "SETS": sets,
        "TWIDDLE_IMAGE": '""',
        "TWIDDLE_BASE": packed([r.base if r else 0 for r in rows], address_bits),
    }
    streams = {f"in_{k}": f"{k}_{before}" for k in ("valid", "first", "pass", "tag", "data")}
    if i == 0:
        streams |= {"in_valid": f"valid_{last} && !leaves_held", "in_pass": f"{step} + 1'b1"}
    streams |= {f"out_{k}": f"{k}_{i}" for k in ("valid", "first", "pass", "tag", "data")}
    load = {k: k for k in _LOAD} | {
        "load_write": f"load && load_rows[{i}]",
        "load_row": f"load_row[{address_bits - 1}:0]",
    }
    fixed = {"q": f"{p.bits}'d0", "constant": f"{p.bits + 4}'d0"}
    entry = {"entry_tag": "entry_tag" if i == p.entry else f"{design.tag_bits}'d0"}
    return super_pipeline_instance(design.shape, i, parameters, streams, load | fixed | entry)
