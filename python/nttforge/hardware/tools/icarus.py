# SPDX-License-Identifier: Apache-2.0
"""A second simulator: Icarus Verilog, where the system has one, runs the same testbench."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from ... import _processes
from ...errors import FormatError, ParameterError, UnsupportedError
from ..emit.manifest import local_design, read_manifest
from ..emit.modules import MODELS
from .simulate import RUNS, SimulationResult, result_of

WHEN = ("auto", "always", "never")
#: Core cycles (NTT cores x cycles of a run) that ``auto`` gives to Icarus: about a minute.
LIMIT = 150_000

_MAIN = """// The clock of a testbench that ends with `done`; prints one JSON line.
module icarus_main;
  logic        clk, stall, done;
  logic [31:0] seed, errors, latency_forward, latency_inverse, interval;
  testbench #(PARAMETERS) u_testbench (
    .clk(clk), .stall(stall), .seed(seed), .done(done), .errors(errors),
    .latency_forward(latency_forward), .latency_inverse(latency_inverse), .interval(interval));
  initial begin
    clk = 0;
    if (!$value$plusargs("stall=%d", stall)) stall = 0;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    while (done !== 1'b1) begin
      #1 clk = 1;
      #1 clk = 0;
    end
    $write("{\\"errors\\": %0d, \\"latency_forward\\": %0d, ", errors, latency_forward);
    $display("\\"latency_inverse\\": %0d, \\"interval\\": %0d}", latency_inverse, interval);
    $finish;
  end
endmodule
"""


def icarus_version() -> str | None:
    """The first line of ``iverilog -V``, or None without Icarus on the path."""
    if shutil.which("iverilog") is None or shutil.which("vvp") is None:
        return None
    said = _processes.run(
        ["iverilog", "-V"],
    ).stdout
    return said.splitlines()[0].strip() if said.strip() else "Icarus Verilog"


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
    cost = _core_cycles(folder)
    if when == "auto" and cost > LIMIT:
        return (
            False,
            f"{cost} core cycles are more than {LIMIT}: icarus = 'always' runs it",
        )
    return True, ""


def _core_cycles(folder: Path) -> int:
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
    folder = local_design(folder.resolve())
    bench = read_manifest(folder)["testbench"]["parameters"]
    if icarus_version() is None:
        raise UnsupportedError(
            "no iverilog and vvp on the path: install Icarus Verilog 11 or later"
        )
    build = folder / "build"
    build.mkdir(exist_ok=True)
    settings = ", ".join(f".{name}({value})" for name, value in bench.items())
    (build / "icarus_main.sv").write_text(_MAIN.replace("PARAMETERS", settings))
    arguments = [
        "-g2012",
        "-o",
        "build/design.vvp",
        "-y",
        "rtl",
        "-y",
        MODELS,
        "-Y",
        ".sv",
        "-s",
        "icarus_main",
    ]
    packages = [path.relative_to(folder).as_posix() for path in folder.glob("rtl/*_pkg.sv")]
    sources = [*packages, "build/icarus_main.sv", "testbench/testbench.sv"]
    built = _processes.run(
        ["iverilog", *arguments, *sources],
        cwd=folder,
    )
    if built.returncode:
        errors = [line for line in built.stderr.splitlines() if "warning" not in line]
        raise UnsupportedError("iverilog failed: " + "\n".join(errors[-10:]))
    return {run: _run(folder, stall, seed) for run, stall in RUNS.items()}


def _run(folder: Path, stall: bool, seed: int) -> SimulationResult:
    arguments = ["vvp", "-n", "build/design.vvp", f"+stall={int(stall)}", f"+seed={seed}"]
    ran = _processes.run(
        arguments,
        cwd=folder,
    )
    *messages, verdict = ran.stdout.splitlines() or [""]
    messages = [m for m in messages if not m.startswith("WARNING")]
    try:
        return result_of(json.loads(verdict), messages)
    except json.JSONDecodeError:
        raise FormatError(f"vvp ended without a verdict: {ran.stderr or ran.stdout}") from None


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
