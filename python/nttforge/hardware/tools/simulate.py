# SPDX-License-Identifier: Apache-2.0
"""Simulation of an emitted design by its own testbench in Verilator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import _processes
from ...errors import FormatError, ParameterError
from ..emit.files import design_files, write_design
from ..emit.manifest import local_design, read_manifest
from ..emit.modules import MODELS
from ..plan.design import Design
from .programs import run_verilator
from .verilate import build_program


@dataclass(frozen=True)
class SimulationResult:
    """What one run of a testbench said."""

    errors: int
    latency_cycles: dict[str, int]
    interval_cycles: int
    messages: str

    @property
    def passed(self) -> bool:
        return self.errors == 0


def lint(folder: Path) -> None:
    """Verilator's lint of an emitted design, all warnings on.

    Raises
    ------
    UnsupportedError
        With the warnings, if there are any.
    """
    manifest = read_manifest(folder)
    tops = [manifest["top"]]
    if manifest.get("axi"):
        tops.append(tops[0].removesuffix("_top") + "_axi")
    models = [path.relative_to(folder).as_posix() for path in sorted(folder.glob(f"{MODELS}/*.sv"))]
    for top in tops:
        options = ["--lint-only", "-Wall", "--top-module", top, "-f", "design.f"]
        run_verilator([*options, *models], folder)


#: The runs of a design: words back to back, and both handshakes pausing at random.
RUNS = {"streaming": False, "pauses": True}


def simulate(folder: Path, seed: int = 1) -> dict[str, SimulationResult]:
    """Builds the testbench of the design in ``folder`` and runs it in each way of ``RUNS``.

    Parameters
    ----------
    folder : Path
        An emitted design.
    seed : int
        Of the pauses, 1 ... 2^31 - 1.

    Returns
    -------
    dict of str to SimulationResult
        By run; "streaming" has compared latency and interval with the prediction too. A design
        with AXI ports runs through these as well: "axi streaming", "axi pauses".

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Verilator is missing or fails.
    """
    if not 1 <= seed < 2**31:
        raise ParameterError(f"seed = {seed} must be in 1 ... {2**31 - 1}")
    folder = local_design(folder.resolve())
    manifest = read_manifest(folder)
    settings = manifest["testbench"]["parameters"]
    options = [f"-G{name}={value}" for name, value in settings.items()]
    results = {}
    for kind in ("", "axi ") if manifest.get("axi") else ("",):
        bench = f"testbench/testbench{'_axi' if kind else ''}.sv"
        build = folder / f"build{'_axi' if kind else ''}"
        build_program(folder, build, [*options, bench], ["rtl", MODELS])
        for run, stall in RUNS.items():
            results[kind + run] = result_of(*_run(folder, build, stall, seed))
    return results


def simulate_many(
    designs: dict[str, Design], folder: Path, seed: int = 1, sets: int | None = None
) -> dict[str, dict[str, SimulationResult]]:
    """Several designs, by name, in one build: much less to compile than one after the other.

    Every design is written below ``folder``; the rest is as in ``simulate``. Messages are those of
    all designs.
    """
    emitted = {
        name: design_files(design, "", sets, seed, name, f"{name}/")
        for name, design in designs.items()
    }
    return simulate_files(emitted, folder, seed)


def simulate_files(
    designs: dict[str, dict[str, str]], folder: Path, seed: int = 1
) -> dict[str, dict[str, SimulationResult]]:
    """Simulate any emitted designs, each with its name in ``folder`` NAME/, many at a time."""
    bodies = []
    for name, files in designs.items():
        files = dict(files)
        bench = files.pop("testbench/testbench.sv")
        files[f"testbench/testbench_{name}.sv"] = bench.replace(
            "module testbench", f"module testbench_{name}"
        )
        write_design(files, folder / name)
        settings = json.loads(files["design.json"])["testbench"]["parameters"]
        bodies.append((name, f"testbench_{name}", settings, _BENCH_PORTS))
    sources = [f"{n}/{kind}" for n in designs for kind in ("rtl", MODELS, "testbench")]
    build_together(folder, bodies, sources)
    results: dict[str, dict[str, SimulationResult]] = {name: {} for name in designs}
    for run, stall in RUNS.items():
        said, messages = run_together(folder, len(bodies), stall, seed)
        for name, verdict in zip(designs, said, strict=True):
            results[name][run] = result_of(verdict, messages)
    return results


_BENCH_PORTS = (
    ".stall(stall), .seed(seed)",
    "errors",
    "latency_forward",
    "latency_inverse",
    "interval",
)


def build_together(
    folder: Path,
    bodies: Sequence[tuple[str, str, Mapping[str, object], tuple[str, ...]]],
    sources: list[str],
) -> None:
    """One testbench around several checkers; each prints its verdict when it is done."""
    parts, done, errors = [], [], []
    for i, (name, module, settings, ports) in enumerate(bodies):
        inputs = [p for p in ports if p.startswith(".")]
        outputs = [p for p in ports if not p.startswith(".")]
        wires = ", ".join(f"{p}_{i}" for p in outputs)
        connected = ", ".join(
            [".clk(clk)", f".done(done_{i})", *inputs, *(f".{p}({p}_{i})" for p in outputs)]
        )
        values = ", ".join(f".{k}({v})" for k, v in settings.items())
        fields = ", ".join(f'\\"{p}\\": %0d' for p in outputs)
        parts.append(
            f"  logic done_{i}, said_{i};\n  logic [31:0] {wires};\n"
            f"  {module} #({values}) u_{name} ({connected});\n"
            f"  initial said_{i} = 0;\n"
            f"  always @(posedge clk) if (done_{i} && !said_{i}) begin\n"
            f"    said_{i} <= 1;\n"
            f'    $display("{{\\"number\\": {i}, {fields}}}", {wires});\n  end\n'
        )
        done.append(f"said_{i}")
        errors.append(f"errors_{i}")
    text = (
        "module testbench (input logic clk, stall, input logic [31:0] seed, output logic done,\n"
        "  output logic [31:0] errors,\n"
        "  output logic [31:0] latency_forward, latency_inverse, interval);\n"
        + "".join(parts)
        + f"  assign done = {' && '.join(done)};\n  assign errors = {' + '.join(errors)};\n"
        "  assign {latency_forward, latency_inverse, interval} = '0;\nendmodule\n"
    )
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "together.sv").write_text(text)
    build_program(folder, folder / "build", ["together.sv"], sources)


def run_together(
    folder: Path, count: int, stall: bool, seed: int
) -> tuple[list[dict[str, int]], list[str]]:
    """The verdicts of the checkers by number, and the other lines printed."""
    folder = folder.resolve()
    _, messages = _run(folder, folder / "build", stall, seed)
    verdicts = [json.loads(m) for m in messages if m.startswith('{"number"')]
    by_number = {v["number"]: v for v in verdicts}
    rest = [m for m in messages if not m.startswith('{"number"')]
    return [by_number[i] for i in range(count)], rest


def _run(folder: Path, build: Path, stall: bool, seed: int) -> tuple[dict[str, int], list[str]]:
    """The verdict of verilator_main.cpp and the lines before it."""
    result = _processes.run(
        [str(build / "Vtestbench"), str(int(stall)), str(seed)],
        cwd=folder,
    )
    *messages, verdict = result.stdout.splitlines() or [""]
    try:
        return json.loads(verdict), messages
    except json.JSONDecodeError:
        raise FormatError(f"the simulation ended without a verdict: {result.stderr}") from None


def result_of(said: dict[str, int], messages: list[str]) -> SimulationResult:
    cycles = {d: said[f"latency_{d}"] for d in ("forward", "inverse") if said[f"latency_{d}"]}
    return SimulationResult(said["errors"], cycles, said["interval"], "\n".join(messages))
