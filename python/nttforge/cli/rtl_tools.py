"""The actions of ``nttforge rtl`` that run tools on a design that was generated."""

from __future__ import annotations

import argparse
import json
import webbrowser
from pathlib import Path
from typing import Any

from .output import table


def add_actions(actions: Any) -> None:
    simulate = actions.add_parser("simulate", help="run a design's own testbench in Verilator")
    simulate.add_argument("--seed", type=int, default=1, help="of the pauses at the handshakes")
    synthesise = actions.add_parser("synthesise", help="count its resources with Yosys")
    synthesise.add_argument("--family", default="xcup", help="xcup (default) or xc7")
    report = actions.add_parser("report", help="report.html and report.json from all results")
    report.add_argument("--open", action="store_true", help="show it in a browser")
    for action in (simulate, synthesise, report):
        action.add_argument("folder", help="what generate wrote")
    for action in (simulate, synthesise):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    actions = {"simulate": _simulate, "synthesise": _synthesise, "report": _report}
    return actions[options.action](options)


def _simulate(options: argparse.Namespace) -> int:
    result = _run_simulation(Path(options.folder), options.seed)
    if options.json:
        print(json.dumps(result, indent=2))
        return 0 if result["passed"] else 1
    for name, said in result["runs"].items():
        verdict = "passed" if said["passed"] else f"{said['errors']} errors"
        print(f"{name}: {verdict}")
        if not said["passed"]:
            print(said["messages"])
    for d, cycles in result["runs"]["streaming"]["latency_cycles"].items():
        print(f"{d} latency: {cycles} cycles, predicted {result['predicted']['latency_cycles'][d]}")
    return 0 if result["passed"] else 1


def _run_simulation(folder: Path, seed: int) -> dict[str, Any]:
    from ..hardware.report import record
    from ..hardware.simulate import read_manifest, simulate
    from ..hardware.tools import tool_version

    predicted = read_manifest(folder)["predicted"]
    runs = simulate(folder, seed)
    said = {
        name: {
            "passed": r.passed,
            "errors": r.errors,
            "latency_cycles": r.latency_cycles,
            "interval_cycles": r.interval_cycles,
            "messages": r.messages,
        }
        for name, r in runs.items()
    }
    result = {
        "passed": all(r.passed for r in runs.values()),
        "predicted": predicted,
        "runs": said,
        "tool": tool_version("verilator", "Verilator"),
        "seed": seed,
    }
    record(folder, "simulation", result)
    return result


def _synthesise(options: argparse.Namespace) -> int:
    from ..hardware.report import record
    from ..hardware.simulate import read_manifest
    from ..hardware.synthesis import synthesise

    folder = Path(options.folder)
    predicted = read_manifest(folder)["predicted"]
    result = synthesise(folder, options.family).as_dict()
    result["predicted"] = {k: predicted[k] for k in ("dsps", "ramb18")}
    agreed = all(result[k] == v for k, v in result["predicted"].items())
    record(folder, f"synthesis_{options.family}", result)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        rows = [[k, result[k], result["predicted"].get(k, "-")] for k in _RESOURCES]
        print(table(["resource", "synthesised", "predicted"], rows))
        print(f"\n{result['tool']}, {options.family}; LUTs and FFs are its estimates, no clock")
    return 0 if agreed else 1


_RESOURCES = ("dsps", "ramb18", "luts", "ffs")


def _report(options: argparse.Namespace) -> int:
    from ..hardware.report import recorded, write_report
    from ..hardware.simulate import read_manifest

    folder = Path(options.folder)
    read_manifest(folder)
    if "simulation" not in recorded(folder):
        _run_simulation(folder, 1)
    passed = recorded(folder)["simulation"]["passed"]
    page = write_report(folder)
    print(f"simulation: {'passed' if passed else 'FAILED'}\n{page}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 0 if passed else 1
