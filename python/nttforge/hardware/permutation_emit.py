"""Writes a stand-alone permutation: Verilog, tables, testbench, vectors, manifest."""

from __future__ import annotations

import json
from typing import Any

from .emit import check_name, module_folder
from .permutation import PermutationDesign, table_image, test_frames
from .vectors import words_text
from .verilog import width_of

MODULES = (
    "nttf_benes",
    "nttf_control",
    "nttf_delay",
    "nttf_memory",
    "nttf_permutation",
    "nttf_rom",
    "nttf_valid_line",
)


def permutation_files(
    design: PermutationDesign,
    command: str = "",
    frames: int | None = None,
    seed: int = 1,
    name: str = "permutation",
    folder: str = "",
) -> dict[str, str]:
    """Every file of a permutation by its name; arguments as those of ``design_files``."""
    check_name(name)
    p = design.parameters
    frames = len(p.sources) * 3 + 2 if frames is None else frames
    header = (
        f"// nttforge permutation\n// n = {p.n}, dp = {p.dp}, {p.bits} bits, "
        f"{len(p.sources)} permutation(s)\n"
        + (f"// made by: {command}\n" if command else "")
        + "\n"
    )
    source = module_folder("rtl")
    files = {f"rtl/{m}.sv": header + (source / f"{m}.sv").read_text() for m in MODULES}
    files |= {f"tables/{name}_{k}.hex": text for k, text in _images(design).items()}
    files[f"rtl/{name}_top.sv"] = header + _top(design, name, folder)
    count = len(p.sources)
    bench = (module_folder("testbench") / "testbench.sv").read_text()
    bench = bench.replace("ntt_top", f"{name}_top").replace('"testbench/', f'"{folder}testbench/')
    select = f".s_select({width_of(count)}'((sent / WORDS) % {count}))"
    files["testbench/testbench.sv"] = header + bench.replace(".s_inverse(s_inverse)", select)
    given = test_frames(p, frames, seed)
    wanted = [design.compute(frame, i % count) for i, frame in enumerate(given)]
    for port, data in (("input", given), ("output", wanted)):
        words = [[[f[t * p.dp : (t + 1) * p.dp] for t in range(p.words)]] for f in data]
        files[f"testbench/{port}.hex"] = words_text(words, p.bits)
    files["design.json"] = (
        json.dumps(_manifest(design, command, frames, seed, name), indent=2) + "\n"
    )
    return files


def _images(design: PermutationDesign) -> dict[str, str]:
    p = design.parameters
    settings_in, addresses, settings_out = [], [], []
    for route in design.routes:
        settings_in += [[int(s) for layer in row for s in layer] for row in route.settings_in]
        settings_out += [[int(s) for layer in row for s in layer] for row in route.settings_out]
        addresses += route.addresses
    return {
        "in": table_image(settings_in, 1),
        "read": table_image(addresses, width_of(p.words)),
        "out": table_image(settings_out, 1),
    }


def _manifest(
    design: PermutationDesign, command: str, frames: int, seed: int, name: str
) -> dict[str, Any]:
    p = design.parameters
    return {
        "format": 1,
        "kind": "permutation",
        "command": command,
        "parameters": {"n": p.n, "dp": p.dp, "bits": p.bits, "permutations": len(p.sources)},
        "predicted": {
            "latency_cycles": {"forward": design.latency_cycles},
            "interval_cycles": p.words,
            "dsps": 0,
        },
        "testbench": {"sets": frames, "seed": seed, "parameters": bench_parameters(design, frames)},
        "top": f"{name}_top",
    }


def bench_parameters(design: PermutationDesign, frames: int) -> dict[str, int]:
    """Parameters of testbench.sv."""
    p = design.parameters
    return {
        "WORD_BITS": p.dp * p.bits,
        "WORDS": p.words,
        "TRANSFORMS": frames,
        "INVERSE_FROM": frames,
        "LATENCY_FORWARD": design.latency_cycles,
        "LATENCY_INVERSE": 0,
        "INTERVAL": p.words,
    }


def _top(design: PermutationDesign, name: str, folder: str) -> str:
    p = design.parameters
    count, slot_bits = len(p.sources), width_of(p.words)
    select_bits, word = width_of(count), p.dp * p.bits
    flight = (-(-design.latency_cycles // p.words) + 1).bit_length() + 1
    layers = 2 * (p.dp.bit_length() - 1) - 1
    images = {k: f'"{folder}tables/{name}_{k}.hex"' for k in ("in", "read", "out")}
    return f"""// {p.n} words of {p.bits} bits, {p.dp} a cycle, lane 0 lowest: lane l of word t is
// number t * {p.dp} + l.
// First word in to last word out, without stalls: {design.latency_cycles} cycles.
module {name}_top (
  input  logic clk,
  input  logic reset,  // synchronous
  input  logic s_valid,
  output logic s_ready,
  input  logic [{select_bits - 1}:0] s_select,  // which permutation, with a frame's first word
  input  logic [{word - 1}:0] s_data,
  output logic m_valid,
  input  logic m_ready,
  output logic m_last,
  output logic [{word - 1}:0] m_data
);
  logic enable, entry_valid, entry_first, exit_valid, forward;

  nttf_control #(
    .WORDS({p.words}), .SLOT_BITS({slot_bits}), .INTERVAL({p.words}),
    .INTERVAL_BITS({p.words.bit_length()}), .FLIGHT_BITS({flight})
  ) u_control (
    .clk(clk), .reset(reset), .s_valid(s_valid), .s_ready(s_ready), .s_inverse(1'b0),
    .enable(enable), .entry_valid(entry_valid), .entry_first(entry_first), .inverse(forward),
    .exit_valid(exit_valid), .m_valid(m_valid), .m_ready(m_ready), .m_last(m_last)
  );

  nttf_permutation #(
    .DATA_BITS({p.bits}), .LANES({p.dp}), .WORDS({p.words}), .SLOT_BITS({slot_bits}),
    .PERMUTATIONS({count}), .SELECT_BITS({select_bits}), .ROW_BITS({width_of(count * p.words)}),
    .LAYERS({layers}), .DELAY({design.delay}),
    .IMAGE_IN({images["in"]}), .IMAGE_READ({images["read"]}),
    .IMAGE_OUT({images["out"]})
  ) u_permutation (
    .clk(clk), .reset(reset), .enable(enable), .in_valid(entry_valid), .in_first(entry_first),
    .in_select(s_select), .in_data(s_data), .out_valid(exit_valid), .out_data(m_data)
  );
endmodule
"""
