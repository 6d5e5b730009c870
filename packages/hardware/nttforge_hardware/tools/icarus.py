# SPDX-License-Identifier: Apache-2.0
"""A second simulator: Icarus Verilog, where the system has one, runs the same testbench."""

from __future__ import annotations

import shutil
from pathlib import Path

from nttforge import _processes
from nttforge.errors import ParameterError, UnsupportedError

from ..emit.manifest import bench_tops, local_design, read_manifest
from ..emit.testbenches import LIST
from .simulate import SimulationResult, check_seed, read_verdicts

WHEN = ("auto", "always", "never")
#: Seconds of simulation that ``auto`` gives to Icarus.
LIMIT = 60
#: Seconds of a core cycle (NTT cores x cycles of a run) for residues of 30 bits; they grow with the
#: square of the bits (bench/results/hardware-simulation/icarus.json).
CORE_CYCLE_S = 350e-6


def icarus_version() -> str | None:
    """The first line of ``iverilog -V``, or None without Icarus on the path."""
    if shutil.which("iverilog") is None or shutil.which("vvp") is None:
        return None
    said = _processes.run(
        ["iverilog", "-V"],
    ).stdout
    # Builds that do not know their commit print empty brackets.
    return said.splitlines()[0].strip().removesuffix(" ()") if said.strip() else "Icarus Verilog"


def require_icarus() -> str:
    """Its version. Raises UnsupportedError without Icarus on the path."""
    found = icarus_version()
    if found is None:
        raise UnsupportedError(
            "no iverilog and vvp on the path: install Icarus Verilog 11 or later"
        )
    return found


def wanted(folder: Path, when: str = "auto") -> tuple[bool, str]:
    """Whether to run Icarus on the design in ``folder``, and why not.

    Raises
    ------
    ParameterError
        If ``when`` is not one of ``WHEN``.
    UnsupportedError
        If it is "always" and there is no Icarus.
    """
    if when not in WHEN:
        raise ParameterError(f"icarus = {when!r} must be one of {', '.join(WHEN)}")
    if when == "never":
        return False, "not asked for"
    if icarus_version() is None:
        if when == "always":
            raise UnsupportedError(
                "icarus = 'always' needs iverilog and vvp on the path: install Icarus Verilog 11 "
                "or later (apt install iverilog), or use icarus = 'never'"
            )
        return False, "no iverilog on the path"
    seconds = predicted_seconds(folder)
    if when == "auto" and seconds > LIMIT:
        return (
            False,
            f"it would take about {seconds:.0f} s, more than {LIMIT}: icarus = 'always' runs it",
        )
    return True, ""


def predicted_seconds(folder: Path) -> float:
    """About how long Icarus simulates the design in ``folder``."""
    p = read_manifest(folder)["parameters"]
    bits: int = p.get("bits") or max(p.get("moduli", [1 << 30])).bit_length()
    return core_cycles(folder) * CORE_CYCLE_S * (bits / 30) ** 2


def core_cycles(folder: Path) -> int:
    manifest = read_manifest(folder)
    p, said = manifest["parameters"], manifest["predicted"]
    cores: int = p.get("units") or p.get("dp", 2) // 2 * p.get("pp", 1) * len(p.get("moduli", [0]))
    bench = manifest["testbench"]["parameters"]
    cycles = bench["TRANSFORMS"] * max(bench["INTERVAL"], bench["WORDS"])
    return cores * int(cycles + max(said["latency_cycles"].values()))


def simulate_icarus(folder: Path, seed: int = 1) -> dict[str, SimulationResult]:
    """Do what ``simulate`` does, in Icarus: four states show a register read before it is written.

    Raises
    ------
    FormatError
        If ``folder`` holds no design, or the simulation ends without a verdict.
    UnsupportedError
        If Icarus is missing or refuses the design.
    """
    check_seed(seed)
    folder = local_design(folder.resolve())
    require_icarus()
    (folder / "build").mkdir(exist_ok=True)
    results: dict[str, SimulationResult] = {}
    for kind, top in bench_tops(read_manifest(folder)).items():
        program = f"build/{top}.vvp"
        built = _processes.run(
            ["iverilog", "-g2012", "-s", top, "-o", program, "-f", LIST], cwd=folder
        )
        if built.returncode:
            errors = [line for line in built.stderr.splitlines() if "warning" not in line]
            raise UnsupportedError("iverilog failed: " + "\n".join(errors[-10:]))
        ran = _processes.run(["vvp", "-n", program, f"+seed={seed}"], cwd=folder)
        said = read_verdicts(ran.stdout + ran.stderr, [top])[top]
        results |= {f"{kind} {run}".strip(): result for run, result in said.items()}
    return results


def disagreements(
    first: dict[str, SimulationResult], second: dict[str, SimulationResult]
) -> list[str]:
    """Say where two simulators differ on one design; their messages may differ."""
    lines = []
    for run in second:
        for what in ("errors", "latency_cycles", "interval_cycles"):
            one, other = getattr(first[run], what), getattr(second[run], what)
            if one != other:
                lines.append(f"{run}: {what} {one} in Verilator, {other} in Icarus")
    return lines
