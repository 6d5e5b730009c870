# SPDX-License-Identifier: Apache-2.0
"""Simulation of an emitted design by its own testbench in Verilator."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from nttforge import _processes
from nttforge.errors import FormatError, ParameterError

from ..emit.files import design_files, write_design
from ..emit.manifest import bench_tops, local_design, read_manifest
from ..emit.modules import MODELS
from ..emit.testbenches import LIST
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
    others = [tops[0].removesuffix("_top") + kind for kind in ("_dma", "_burst")]
    tops += [top for top in others if (folder / "rtl" / f"{top}.sv").is_file()]
    models = [path.relative_to(folder).as_posix() for path in sorted(folder.glob(f"{MODELS}/*.sv"))]
    for top in tops:
        options = ["--lint-only", "-Wall", "--top-module", top, "-f", "design.f"]
        run_verilator([*options, *models], folder)


#: The runs of a testbench: words back to back, and both handshakes pausing at random.
RUNS = ("streaming", "pauses")

_VERDICT = re.compile(
    r"(\w+) (streaming|pauses): (\d+) errors; latency: (\d+) forward, (\d+) inverse; "
    r"interval: (\d+)"
)


def simulate(folder: Path, seed: int = 1) -> dict[str, SimulationResult]:
    """Builds the testbenches of the design in ``folder`` and runs them.

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
        with AXI ports runs through these as well: "axi streaming", "axi pauses"; one behind AXI4
        through "burst streaming", "burst pauses".

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Verilator is missing or fails.
    """
    check_seed(seed)
    folder = local_design(folder.resolve())
    results: dict[str, SimulationResult] = {}
    for kind, top in bench_tops(read_manifest(folder)).items():
        build = folder / f"build{'_' * bool(kind)}{kind}"
        program = build_program(folder, build, top, ["-f", LIST], _SOURCES)
        said = read_verdicts(_run(program, folder, seed), [top])[top]
        results |= {f"{kind} {run}".strip(): result for run, result in said.items()}
    return results


_SOURCES = ["rtl", MODELS, "testbench"]


def check_seed(seed: int) -> None:
    """Raises ParameterError unless ``seed`` can choose pauses."""
    if not 1 <= seed < 2**31:
        raise ParameterError(f"seed = {seed} must be in 1 ... {2**31 - 1}")


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
    folder = folder.resolve()
    tops = {}
    for name, files in designs.items():
        write_design(files, folder / name)
        tops[name] = bench_tops(json.loads(files["design.json"]))[""]
    sources = [f"{name}/{kind}" for name in designs for kind in _SOURCES]
    includes = [f"-I{name}/testbench" for name in designs]
    text = "".join(f"  {top} u_{name} ();\n" for name, top in tops.items())
    said = run_together(folder, text, includes, sources, seed)
    verdicts = read_verdicts(said, list(tops.values()))
    return {name: verdicts[top] for name, top in tops.items()}


def run_together(folder: Path, body: str, options: list[str], sources: list[str], seed: int) -> str:
    """What a module ``together`` with this body prints."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "together.sv").write_text(f"module together;\n{body}endmodule\n", "utf-8")
    files = [*options, "together.sv"]
    program = build_program(folder, folder / "build", "together", files, sources)
    return _run(program, folder, seed, "+together")


def _run(program: Path, folder: Path, seed: int, *more: str) -> str:
    result = _processes.run([str(program), f"+seed={seed}", *more], cwd=folder)
    return result.stdout + result.stderr


def read_verdicts(said: str, tops: list[str]) -> dict[str, dict[str, SimulationResult]]:
    """The results of testbenches by module and run; the other lines are messages of all.

    Raises
    ------
    FormatError
        If one of them gave no verdict on a run.
    """
    lines = [line for line in said.splitlines() if not line.startswith(_NOISE)]
    matches = [_VERDICT.fullmatch(line) for line in lines]
    rest = [line for line, match in zip(lines, matches, strict=True) if not match]
    verdicts = {(m[1], m[2]): [int(m[i]) for i in range(3, 7)] for m in matches if m}
    missing = [f"{top}, {run}" for top in tops for run in RUNS if (top, run) not in verdicts]
    if missing:
        raise FormatError(f"no verdict of {'; '.join(missing)}: " + "\n".join(rest[-10:]))
    messages = "\n".join(line for line in rest if not line.endswith((" PASS", " FAIL")))

    def result(errors: int, forward: int, inverse: int, interval: int) -> SimulationResult:
        cycles = {d: c for d, c in (("forward", forward), ("inverse", inverse)) if c}
        return SimulationResult(errors, cycles, interval, messages)

    return {top: {run: result(*verdicts[top, run]) for run in RUNS} for top in tops}


#: How lines begin that simulators add of their own.
_NOISE = ("- ", "WARNING", "Aborting", "%Error: ", "       Time: ")
