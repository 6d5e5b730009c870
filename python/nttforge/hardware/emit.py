"""Writes a design: Verilog, twiddle images, testbench, test vectors, manifest. Deterministic."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from ..errors import ParameterError, UnsupportedError
from ..spec.fast import forward_fast
from .design import Design
from .schedule import Schedule
from .twiddles import image, stored_twiddles

RTL_MODULES = (
    "nttf_butterfly",
    "nttf_control",
    "nttf_delay",
    "nttf_lane_switches",
    "nttf_memory",
    "nttf_modular_add",
    "nttf_modular_multiplier",
    "nttf_modular_subtract",
    "nttf_multiplier",
    "nttf_reduce_barrett",
    "nttf_reduce_montgomery",
    "nttf_reduce_solinas",
    "nttf_stage_spn",
    "nttf_super_pipeline",
    "nttf_twiddle_memory",
    "nttf_valid_line",
)


def module_folder(kind: str) -> Path:
    """Where the hand-written files are (``rtl`` or ``testbench``): installed, or in the repository.

    Raises
    ------
    UnsupportedError
        If they are not there.
    """
    here = Path(__file__).resolve().parent
    for folder in (here / kind, here.parents[2] / "hardware" / kind):
        if folder.is_dir():
            return folder
    raise UnsupportedError(f"the Verilog modules ({kind}) are missing: reinstall nttforge")


def design_files(
    design: Design,
    command: str = "",
    sets: int | None = None,
    seed: int = 1,
    name: str = "ntt",
    folder: str = "",
) -> dict[str, str]:
    """Every file of a design by its name.

    Parameters
    ----------
    design : Design
    command : str
        Written into the headers; the same design and command give the same bytes.
    sets : int, optional
        Transforms per direction in the test vectors; by default ``default_sets``.
    seed : int
        Of the test vectors.
    name : str
        Beginning of the names of the modules that belong to this design only.
    folder : str
        Put before the names of memory images, with a slash, where tools run elsewhere.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.startswith("nttf_"):
        raise ParameterError(
            f"name = {name!r} must be lower case letters, digits and _, and not begin with nttf_"
        )
    sets = default_sets(design) if sets is None else sets
    header = _header(design, command)
    source = module_folder("rtl")
    files = {f"rtl/{m}.sv": header + (source / f"{m}.sv").read_text() for m in RTL_MODULES}
    p = design.parameters
    for limb in range(p.bp):
        stored = stored_twiddles(p, design.cores[limb])
        for i, plan in enumerate(design.twiddles):
            files[_image_name(name, limb, i)] = image(plan, stored, p.bits)
        files[f"rtl/{name}_limb_{limb}.sv"] = header + _limb(design, limb, name, folder)
    files[f"rtl/{name}_top.sv"] = header + _top(design, name)
    bench = (
        (module_folder("testbench") / "testbench.sv").read_text().replace("ntt_top", f"{name}_top")
    )
    files["testbench/testbench.sv"] = header + bench.replace('"testbench/', f'"{folder}testbench/')
    files.update(_vectors(design, sets, seed))
    files["design.json"] = json.dumps(manifest(design, command, sets, seed, name), indent=2) + "\n"
    return files


def default_sets(design: Design) -> int:
    """Enough transforms that words enter and leave at the same time for a while."""
    return max(s.latency for s in design.schedules.values()) // design.interval_cycles + 3


def write_design(files: dict[str, str], out: Path) -> None:
    """Writes the files below ``out``; files of an earlier design there are overwritten."""
    for name, text in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def manifest(design: Design, command: str, sets: int, seed: int, name: str) -> dict[str, object]:
    """Parameters, predictions and test settings, for tools that read a design."""
    p = design.parameters
    return {
        "format": 1,
        "command": command,
        "parameters": asdict(p) | {"moduli": list(p.moduli), "core": design.cores[0].kind},
        "predicted": {
            "latency_cycles": {d: design.latency_cycles(d) for d in p.directions},
            "interval_cycles": design.interval_cycles,
            "core_latency_cycles": design.core_latency,
            "dsps": design.dsps,
            "memory_bits": design.memory_bits,
        },
        "testbench": {"sets": sets, "seed": seed, "parameters": testbench_parameters(design, sets)},
        "top": f"{name}_top",
    }


def _header(design: Design, command: str) -> str:
    p = design.parameters
    lines = [
        "nttforge design",
        f"n = {p.n}, {p.ring}, {p.direction}, dp = {p.dp}, pp = {p.pp}, bp = {p.bp}, "
        f"core = {design.cores[0].kind}",
        f"moduli = {', '.join(map(str, p.moduli))}",
    ]
    if command:
        lines.append(f"made by: {command}")
    return "".join(f"// {line}\n" for line in lines) + "\n"


def _image_name(name: str, limb: int, super_pipeline: int) -> str:
    return f"twiddles/{name}_limb_{limb}_super_pipeline_{super_pipeline}.hex"


def _width(values: int) -> int:
    """Bits of an index into so many values, at least one."""
    return max(1, (values - 1).bit_length())


def _packed(values: Iterable[int], width: int) -> str:
    """A table as one literal, entry 0 in the lowest bits."""
    values = list(values)
    word = sum(v << (i * width) for i, v in enumerate(values))
    return f"{len(values) * width}'h{word:x}"


def _spn_tables(design: Design, super_pipeline: int) -> dict[str, str]:
    p = design.parameters
    slot_bits, exchanges = _width(p.words), _exchanges(design, super_pipeline)
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
        "MEMORY": str(int(design.has_memory(super_pipeline))),
        "DELAY_BITS": str(delay_bits),
        "EXCHANGE": _packed(masks, slot_bits),
        "DELAY": _packed(delays, delay_bits),
    }


def _stage(schedule: Schedule, super_pipeline: int, pass_: int):
    return next(
        (s for s in schedule.stages if s.super_pipeline == super_pipeline and s.pass_ == pass_),
        None,
    )


def _exchanges(design: Design, super_pipeline: int) -> int:
    used = [
        len(s.exchange)
        for schedule in design.schedules.values()
        for s in schedule.stages
        if s.super_pipeline == super_pipeline
    ]
    return max(1, *used)


def _delay_bits(design: Design) -> int:
    delays = [s.delay for schedule in design.schedules.values() for s in schedule.stages]
    return max(1, max(delays).bit_length())


def _twiddle_tables(design: Design, super_pipeline: int) -> dict[str, str]:
    p, plan = design.parameters, design.twiddles[super_pipeline]
    address_bits, index_bits = _width(plan.depth), _width(p.log_n)
    bank_bits = max(1, p.log_dp - 1)
    rows = [
        plan.rows.get((direction, pass_))
        for direction in design.schedules
        for pass_ in range(p.passes)
    ]
    return {
        "BANK_BITS": str(bank_bits),
        "INDEX_BITS": str(index_bits),
        "TWIDDLE_ROWS": str(plan.depth),
        "ADDRESS_BITS": str(address_bits),
        "TWIDDLE_BASE": _packed([r.base if r else 0 for r in rows], address_bits),
        "INDEX_BIT": _packed([r.index_bit if r else 0 for r in rows], index_bits),
        "FROM_LANE": _packed([r.from_lane if r else 0 for r in rows], bank_bits),
    }


def _named(items: dict[str, object]) -> str:
    return ",\n    ".join(f".{name}({value})" for name, value in items.items())


def _limb(design: Design, limb: int, name: str, folder: str) -> str:
    p, core = design.parameters, design.cores[limb]
    pass_bits = _width(p.passes)
    rows = p.passes * len(p.directions)
    word = p.dp * p.bits
    parts = [
        f"""// The super pipelines of limb {limb}, q = {core.q}.
module {name}_limb_{limb} (
  input  logic clk,
  input  logic reset,
  input  logic enable,
  input  logic inverse,
  input  logic entry_valid,
  input  logic entry_first,
  input  logic [{word - 1}:0] entry_data,
  output logic exit_valid,
  output logic [{word - 1}:0] exit_data
);
  localparam logic [{p.bits - 1}:0] Q = {p.bits}'d{core.q};
  localparam logic [{core.bits + 3}:0] CONSTANT = {core.bits + 4}'d{core.constant};
"""
    ]
    for i in range(p.pp):
        parts.append(
            f"""
  logic valid_{i}, first_{i};
  logic [{pass_bits - 1}:0] pass_{i};
  logic [{word - 1}:0] data_{i};
"""
        )
    last = p.pp - 1
    parts.append(
        f"""
  // A word leaves after its last pass and goes round before.
  logic leaves;
  assign leaves     = pass_{last} == {pass_bits}'d{p.passes - 1};
  assign exit_valid = valid_{last} && leaves_held;
  assign exit_data  = data_{last};
  // The pass comes with a frame's first word only.
  logic leaves_held, leaves_state;
  assign leaves_held = first_{last} ? leaves : leaves_state;
  always_ff @(posedge clk) if (enable && valid_{last}) leaves_state <= leaves_held;
"""
    )
    for i in range(p.pp):
        before = last if i == 0 else i - 1
        valid = f"valid_{last} && !leaves_held" if i == 0 else f"valid_{before}"
        step = f"pass_{before} + 1'b1" if i == 0 else f"pass_{before}"
        parameters: dict[str, object] = {
            "DATA_BITS": p.bits,
            "LANES": p.dp,
            "WORDS": p.words,
            "SLOT_BITS": _width(p.words),
            "PASSES": p.passes,
            "PASS_BITS": pass_bits,
            "FORWARD": int("forward" in p.directions),
            "INVERSE": int("inverse" in p.directions),
            "ROWS": rows,
            "ROW_BITS": _width(rows),
            **_spn_tables(design, i),
            **_twiddle_tables(design, i),
            "TWIDDLE_IMAGE": f'"{folder}{_image_name(name, limb, i)}"',
            "CORE_LATENCY": design.core_latency,
            **core.module_parameters,
        }
        enters = i == p.entry
        ports = {
            "clk": "clk",
            "reset": "reset",
            "enable": "enable",
            "inverse": "inverse",
            "q": "Q",
            "constant": "CONSTANT",
            "in_valid": valid,
            "in_first": f"first_{before}",
            "in_pass": step,
            "in_data": f"data_{before}",
            "entry_valid": "entry_valid" if enters else "1'b0",
            "entry_first": "entry_first" if enters else "1'b0",
            "entry_data": "entry_data" if enters else f"{word}'d0",
            "out_valid": f"valid_{i}",
            "out_first": f"first_{i}",
            "out_pass": f"pass_{i}",
            "out_data": f"data_{i}",
        }
        parts.append(
            f"""
  nttf_super_pipeline #(
    {_named(parameters)}
  ) u_super_pipeline_{i} (
    {_named(ports)}
  );
"""
        )
    return "".join(parts) + "endmodule\n"


def _lane_order(name: str, source: str, p, when: str) -> str:
    """Lanes of all limbs in bit-reversed order where ``when``."""
    bits, k = p.bits, p.log_dp
    lines = []
    for limb in range(p.bp):
        for lane in range(p.dp):
            turned = int(format(lane, f"0{k}b")[::-1], 2)
            own = f"{source}[{(limb * p.dp + lane) * bits}+:{bits}]"
            other = f"{source}[{(limb * p.dp + turned) * bits}+:{bits}]"
            value = {"always": other, "never": own}.get(when, f"{when} ? {other} : {own}")
            lines.append(f"  assign {name}[{(limb * p.dp + lane) * bits}+:{bits}] = {value};\n")
    return "".join(lines)


def _top(design: Design, name: str) -> str:
    p = design.parameters
    word = p.bp * p.dp * p.bits
    limb_word = p.dp * p.bits
    flight = -(-max(s.latency for s in design.schedules.values()) // design.interval_cycles) + 1
    fixed_inverse = {"forward": "1'b0", "inverse": "1'b1", "both": "s_inverse"}[p.direction]
    when = {"forward": "always", "inverse": "never", "both": "!inverse"}[p.direction]
    exits = "\n".join(f"  logic exit_valid_{limb};" for limb in range(p.bp))
    text = f"""// {p.n} coefficients modulo {p.bp} prime(s), {p.dp} per cycle and prime.
//
// Words at the ports: limb by limb, lane by lane, {p.bits} bits each, lane 0 of limb 0 lowest.
// Coefficients: lane l of word t is number l * {
        p.words
    } + t. Values: lane l of word t is at position
// t * {
        p.dp
    } + l of the bit-reversed order. A forward transform takes coefficients and gives values,
// an inverse the other way round.
// First word in to last word out, without stalls: {
        ", ".join(f"{s.latency} cycles ({d})" for d, s in design.schedules.items())
    }.
module {name}_top (
  input  logic clk,
  input  logic reset,      // synchronous
  input  logic s_valid,
  output logic s_ready,
  input  logic s_inverse,  // with a transform's first word{
        "" if p.direction == "both" else "; not used"
    }
  input  logic [{word - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,
  output logic m_last,
  output logic [{word - 1}:0] m_data
);
  logic enable, entry_valid, entry_first, inverse;
{exits}
  logic [{word - 1}:0] entry_data, exit_data;

  nttf_control #(
    .WORDS({p.words}), .SLOT_BITS({_width(p.words)}), .INTERVAL({design.interval_cycles}),
    .INTERVAL_BITS({design.interval_cycles.bit_length()}), .FLIGHT_BITS({flight.bit_length() + 1})
  ) u_control (
    .clk(clk), .reset(reset), .s_valid(s_valid), .s_ready(s_ready), .s_inverse({fixed_inverse}),
    .enable(enable), .entry_valid(entry_valid), .entry_first(entry_first), .inverse(inverse),
    .exit_valid(exit_valid_0), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last)
  );

"""
    text += _lane_order("entry_data", "s_data", p, when)
    text += _lane_order("m_data", "exit_data", p, when)
    for limb in range(p.bp):
        low = limb * limb_word
        text += f"""
  {name}_limb_{limb} u_limb_{limb} (
    .clk(clk), .reset(reset), .enable(enable), .inverse(inverse), .entry_valid(entry_valid),
    .entry_first(entry_first), .entry_data(entry_data[{low}+:{limb_word}]),
    .exit_valid(exit_valid_{limb}), .exit_data(exit_data[{low}+:{limb_word}])
  );
"""
    return text + "endmodule\n"


def testbench_parameters(design: Design, sets: int) -> dict[str, int]:
    p = design.parameters
    return {
        "WORD_BITS": p.bp * p.dp * p.bits,
        "WORDS": p.words,
        "TRANSFORMS": sets * len(p.directions),
        "INVERSE_FROM": sets if "forward" in p.directions else 0,
        "LATENCY_FORWARD": design.schedules["forward"].latency if "forward" in p.directions else 0,
        "LATENCY_INVERSE": design.schedules["inverse"].latency if "inverse" in p.directions else 0,
        "INTERVAL": design.interval_cycles,
    }


def _residues(p, q: int, number: int, source: random.Random) -> list[int]:
    """Corners first, then random values."""
    if number == 0:
        return [q - 1] * p.n
    if number == 1:
        return [source.choice((0, 1, q - 1)) for _ in range(p.n)]
    return [source.randrange(q) for _ in range(p.n)]


def _vectors(design: Design, sets: int, seed: int) -> dict[str, str]:
    """Words in and out for the testbench, all forward transforms first; values from the oracle."""
    p, source = design.parameters, random.Random(seed)
    given: list[list[list[list[int]]]] = []
    expected: list[list[list[list[int]]]] = []
    for direction in p.directions:
        for number in range(sets):
            ins, outs = [], []
            for q in p.moduli:
                a = _residues(p, q, number, source)
                x = forward_fast(a, q, p.ring)
                pair = (a, x) if direction == "forward" else (x, a)
                ins.append(design.port_words(pair[0], direction, "in"))
                outs.append(design.port_words(pair[1], direction, "out"))
            given.append(ins)
            expected.append(outs)
    return {
        "testbench/input.hex": _words(given, p.bits),
        "testbench/output.hex": _words(expected, p.bits),
    }


def _words(transforms: list[list[list[list[int]]]], bits: int) -> str:
    lines = []
    for limbs in transforms:
        digits = -(-len(limbs) * len(limbs[0][0]) * bits // 4)
        for slot in range(len(limbs[0])):
            values = [v for limb in limbs for v in limb[slot]]
            word = sum(v << (i * bits) for i, v in enumerate(values))
            lines.append(f"{word:0{digits}x}\n")
    return "".join(lines)
