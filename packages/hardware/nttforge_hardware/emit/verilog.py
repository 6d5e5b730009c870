# SPDX-License-Identifier: Apache-2.0
"""The module of a limb and its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..plan.cores import CoreDesign
from ..plan.design import Design
from ..plan.schedule import Schedule, StageSlot
from .core_parameter import core_declaration


def image_name(name: str, limb: int, super_pipeline: int, kind: str = "") -> str:
    return f"twiddles/{name}_limb_{limb}_{kind}super_pipeline_{super_pipeline}.hex"


def width_of(values: int) -> int:
    """Bits of an index into so many values, at least one."""
    return max(1, (values - 1).bit_length())


def wrong_word(moduli: Sequence[int], fields: int, bits: int) -> str:
    """A word that a range check must refuse: its last residue is its modulus, the others are right.

    A word has ``fields`` residues of ``bits`` bits for each modulus in turn; 0 is no modulus.
    """
    values = [max(q - 1, 0) for q in moduli for _ in range(fields)]
    return packed([*values[:-1], moduli[-1]], bits)


def packed(values: Iterable[int], width: int) -> str:
    """A table as one literal, entry 0 in the lowest bits."""
    values = list(values)
    word = sum(v << (i * width) for i, v in enumerate(values))
    return f"{len(values) * width}'h{word:x}"


def spn_parameters(design: Design, super_pipeline: int) -> dict[str, Any]:
    """Parameters of nttf_stage_spn when it stands alone."""
    p = design.parameters
    rows = p.passes * len(p.directions)
    shape = {"DATA_BITS": p.bits, "LANES": p.dp, "WORDS": p.words}
    return {
        **shape,
        "ROWS": rows,
        **_spn_tables(design, super_pipeline),
    }


def _spn_tables(design: Design, super_pipeline: int) -> dict[str, str]:
    p = design.parameters
    slot_bits, exchanges = width_of(p.words), design.exchanges(super_pipeline)
    delay_bits = _delay_bits(design)
    masks, delays = [], []
    for schedule in design.schedules.values():
        for pass_ in range(p.passes):
            stage = _stage(schedule, super_pipeline, pass_)
            bits = list(stage.exchange) if stage else []
            bits += [None] * (exchanges - len(bits))
            masks += [0 if b is None else 1 << b for b in bits[:exchanges]]
            delays.append(stage.delay if stage else 0)
    return {
        "EXCHANGES": str(exchanges),
        "MEMORY": str(design.has_memory(super_pipeline) * (2 if design.in_ultra_ram else 1)),
        "DELAY_BITS": str(delay_bits),
        "EXCHANGE": packed(masks, slot_bits),
        "DELAY": packed(delays, delay_bits),
    }


def _stage(schedule: Schedule, super_pipeline: int, pass_: int) -> StageSlot | None:
    return next(
        (s for s in schedule.stages if s.super_pipeline == super_pipeline and s.pass_ == pass_),
        None,
    )


def _delay_bits(design: Design) -> int:
    delays = [s.delay for schedule in design.schedules.values() for s in schedule.stages]
    return max(1, max(delays).bit_length())


def _twiddle_tables(design: Design, super_pipeline: int) -> dict[str, str]:
    p, plan = design.parameters, design.twiddles[super_pipeline]
    address_bits, index_bits = width_of(plan.depth), width_of(p.log_n)
    bank_bits = max(1, p.log_dp - 1)
    rows = [
        plan.rows.get((direction, pass_))
        for direction in design.schedules
        for pass_ in range(p.passes)
    ]
    fine_bits = width_of(len(plan.fine))
    fine = {
        "FINE_BITS": str(plan.fine_bits),
        "FINE_ROWS": str(len(plan.fine)),
        "FINE_BASE": packed([r.fine_base if r else 0 for r in rows], fine_bits),
    }
    return (fine if plan.fine_bits else {}) | {
        "INDEX_BITS": str(index_bits),
        "TWIDDLE_ROWS": str(plan.depth),
        "TWIDDLE_BASE": packed([r.base if r else 0 for r in rows], address_bits),
        "INDEX_BIT": packed([r.index_bit if r else 0 for r in rows], index_bits),
        "FROM_LANE": packed([r.from_lane if r else 0 for r in rows], bank_bits),
        "FIXED": packed([r.fixed if r else 0 for r in rows], bank_bits),
    }


def named_list(items: Mapping[str, object]) -> str:
    return ",\n    ".join(f".{name}({value})" for name, value in items.items())


def limb_module(design: Design, limb: int, name: str, folder: str) -> str:
    p, core = design.parameters, design.cores[limb]
    pass_bits = width_of(p.passes)
    word = p.dp * p.bits
    parts = [
        f"""// The super pipelines of limb {limb}, q = {core.q}.
module {name}_limb_{limb} (
  input  logic clk,
  input  logic reset,
  input  logic enable,
  input  logic enable_next,
  input  logic inverse,
  input  logic entry_valid,
  input  logic entry_first,
  input  logic [{word - 1}:0] entry_data,
  output logic exit_valid,
  output logic exit_inverse,
  output logic [{word - 1}:0] exit_data
);
{_core_constants(core)}"""
    ]
    for i in range(p.pp):
        parts.append(
            f"""
  logic valid_{i}, first_{i};
  logic [{pass_bits - 1}:0] pass_{i};
  logic [{word - 1}:0] data_{i};
  logic [1:0] tag_{i};
"""
        )
    last = p.pp - 1
    parts.append(
        f"""
  // A word leaves after its last pass and goes round before; the pass comes with a frame's first.
  logic leaves, leaves_held, leaves_state;
  assign leaves     = pass_{last} == {pass_bits}'d{p.passes - 1};
  assign exit_valid = valid_{last} && leaves_held;
  assign exit_inverse = tag_{last}[0];
  assign exit_data  = data_{last};
  assign leaves_held = first_{last} ? leaves : leaves_state;
  always_ff @(posedge clk) if (enable && valid_{last}) leaves_state <= leaves_held;
"""
    )
    for i in range(p.pp):
        before = last if i == 0 else i - 1
        valid = f"valid_{last} && !leaves_held" if i == 0 else f"valid_{before}"
        step = f"pass_{before} + 1'b1" if i == 0 else f"pass_{before}"
        ports = {
            "in_valid": valid,
            "in_first": f"first_{before}",
            "in_pass": step,
            "in_data": f"data_{before}",
            "in_tag": f"tag_{before}",
            "out_valid": f"valid_{i}",
            "out_first": f"first_{i}",
            "out_pass": f"pass_{i}",
            "out_data": f"data_{i}",
            "out_tag": f"tag_{i}",
        }
        parameters = super_pipeline_parameters(design, limb, i, name, folder)
        parts.append(super_pipeline_instance(design, i, parameters, ports))
    return "".join(parts) + "endmodule\n"


def super_pipeline_alone(design: Design, limb: int, i: int, name: str) -> str:
    """A module ``super_pipeline_alone``: one of a limb with what is constant there."""
    p, core = design.parameters, design.cores[limb]
    word, pass_bits = f"[{p.dp * p.bits - 1}:0]", f"[{width_of(p.passes) - 1}:0]"
    ports = {f"{side}_{what}": f"{side}_{what}" for side in ("in", "out") for what in _STREAM}
    parameters = super_pipeline_parameters(design, limb, i, name, "")
    return f"""module super_pipeline_alone (
  input  logic clk, reset, enable, enable_next, inverse,
  input  logic in_valid, in_first, entry_valid, entry_first,
  input  logic {pass_bits} in_pass,
  input  logic [1:0] in_tag,
  input  logic {word} in_data, entry_data,
  output logic out_valid, out_first,
  output logic {pass_bits} out_pass,
  output logic [1:0] out_tag,
  output logic {word} out_data
);
{_core_constants(core)}{super_pipeline_instance(design, i, parameters, ports)}endmodule
"""


def _core_constants(core: CoreDesign) -> str:
    """The modulus, the constant of its reduction, and how the core is built."""
    return f"""  localparam logic [{core.bits - 1}:0] Q = {core.bits}'d{core.q};
  localparam logic [{core.bits + 3}:0] CONSTANT = {core.bits + 4}'d{core.constant};
{core_declaration(core)}"""


_STREAM = ("valid", "first", "pass", "tag", "data")


def _not_loaded(design: Design, i: int) -> dict[str, str]:
    """What only a super pipeline with loaded tables reads."""
    p = design.parameters
    return {
        "load_write": "1'b0",
        "load_row": f"{width_of(design.twiddles[i].depth)}'d0",
        "load_word": f"{p.dp // 2 * p.bits}'d0",
        "load_constant": "1'b0",
        "load_set": "1'd0",
        "load_value": f"{2 * (p.bits // p.parts) + 4}'d0",
    }


def _routing_comment(design: Design, super_pipeline: int) -> str:
    """What EXCHANGE and DELAY say, a line for each row."""
    lines: list[str] = []
    for direction, schedule in design.schedules.items():
        for pass_ in range(design.parameters.passes):
            stage = _stage(schedule, super_pipeline, pass_)
            if stage is None:
                said = "no stage"
            else:
                top = design.parameters.log_dp - 1
                pairs = [(top - e, b) for e, b in enumerate(stage.exchange) if b is not None]
                swaps = ", ".join(f"lane bit {lane} with slot bit {slot}" for lane, slot in pairs)
                said = f"exchanges {swaps or 'nothing'}; reads after {stage.delay} cycles"
            lines.append(f"  // Row {len(lines)}, {direction}, pass {pass_}: {said}.\n")
    return "".join(lines)


def super_pipeline_instance(
    design: Design,
    i: int,
    parameters: Mapping[str, object],
    ports: dict[str, str],
    changes: Mapping[str, str] | None = None,
) -> str:
    """The instance of a super pipeline; ``ports`` are those of its streams.

    ``changes``: what other ports are joined to, where it is not what a limb of its own has.
    """
    p = design.parameters
    common = ("clk", "reset", "enable", "enable_next")
    nothing = {"valid": "1'b0", "first": "1'b0", "data": f"{p.dp * p.bits}'d0"}
    entry = {f"entry_{k}": f"entry_{k}" if i == p.entry else v for k, v in nothing.items()}
    entry["entry_tag"] = "{1'b0, inverse}" if i == p.entry else "2'd0"
    inputs = {k: v for k, v in ports.items() if k.startswith("in_")}
    outputs = {k: v for k, v in ports.items() if k not in inputs}
    wires = {**{k: k for k in common}, "q": "Q", "constant": "CONSTANT", **_not_loaded(design, i)}
    return f"""
{_routing_comment(design, i)}  nttf_super_pipeline #(
    {named_list(parameters)}
  ) u_super_pipeline_{i} (
    {named_list(wires | inputs | entry | outputs | dict(changes or {}))}
  );
"""


def super_pipeline_parameters(
    design: Design, limb: int, i: int, name: str, folder: str
) -> dict[str, object]:
    p = design.parameters
    rows = p.passes * len(p.directions)
    fine_image_of = {}
    if design.on_the_fly[i]:
        fine_image_of = {"FINE_IMAGE": f'"{folder}{image_name(name, limb, i, "fine_")}"'}
    return {
        "PARTS": p.parts,
        "LANES": p.dp,
        "WORDS": p.words,
        "PASSES": p.passes,
        "FORWARD": int("forward" in p.directions),
        "INVERSE": int("inverse" in p.directions),
        "ROWS": rows,
        **_spn_tables(design, i),
        **_twiddle_tables(design, i),
        "TWIDDLE_IMAGE": f'"{folder}{image_name(name, limb, i)}"',
        **fine_image_of,
        "MEMORY_REGS": p.pipeline.memory_regs,
        "ENABLE_REGS": p.pipeline.enable_regs,
        "CORE": "CORE",
    }
