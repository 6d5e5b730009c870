# SPDX-License-Identifier: Apache-2.0
"""The actions of ``nttforge rtl`` that run tools on a design that was generated."""

from __future__ import annotations

import argparse
import json
import sys
import webbrowser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from nttforge.console.arguments import integer
from nttforge.console.output import table
from nttforge.console.scheduler import add_scheduler, on_scheduler
from nttforge.errors import ParameterError, UnsupportedError


def add_actions(actions: Any) -> None:
    simulate = actions.add_parser(
        "simulate",
        help="run a design's own testbench in Verilator, or where only Icarus is there in Icarus",
    )
    simulate.add_argument("--seed", type=integer, default=1, help="of the pauses at the handshakes")
    simulate.add_argument(
        "--icarus",
        default="auto",
        help="auto (where there is one and it takes a minute or so), always or never",
    )
    simulate.add_argument(
        "--netlist",
        metavar="FAMILY",
        help="instead its netlist after synthesis, xc7 or ecp5, in Icarus; written to netlist/",
    )
    synthesise = actions.add_parser("synthesise", help="count its resources with Yosys")
    synthesise.add_argument(
        "--device",
        "--family",
        help="xcup, xc7, or ecp5: placed, a clock (default: the design's own family)",
    )
    synthesise.add_argument(
        "--seeds",
        type=integer,
        nargs="+",
        default=[1, 2, 3],
        help="of placements, ecp5 (default 1 2 3)",
    )
    paths = actions.add_parser(
        "paths", help="the slowest path of its cells, for 7-series (Yosys sta)"
    )
    prove = actions.add_parser("prove", help="prove the modules with a solver, for all inputs")
    prove.add_argument(
        "words",
        nargs="*",
        metavar="FOLDER | WORD",
        help="a design's own constants, tables and images; or only theorems with WORD in the name",
    )
    prove.add_argument("--list", action="store_true", help="say them, prove none")
    prove.add_argument("--quick", action="store_true", help="one of each kind, in seconds")
    prove.add_argument("--no-faults", action="store_true", help="leave the seeded faults out")
    prove.add_argument(
        "--record",
        metavar="FILE",
        help="verdicts as JSON: only what is not there for the same Verilog is proved",
    )
    prove.add_argument("--jobs", type=integer, help="processes (default: all cores)")
    add_scheduler(prove)
    report = actions.add_parser("report", help="report.html and report.json from all results")
    report.add_argument("--open", action="store_true", help="show it in a browser")
    for action in (simulate, synthesise, paths, report):
        action.add_argument("folder", help="what generate wrote")
    for action in (simulate, synthesise, paths, prove):
        action.add_argument("--json", action="store_true", help="machine-readable output")


def run(options: argparse.Namespace) -> int:
    actions = {
        "simulate": _simulate,
        "synthesise": _synthesise,
        "paths": _paths,
        "prove": _prove,
        "report": _report,
    }
    return actions[options.action](options)


def _simulate(options: argparse.Namespace) -> int:
    if options.netlist is not None:
        return _simulate_netlist(Path(options.folder), options)
    result = _run_simulation(Path(options.folder), options.seed, options.icarus)
    if options.json:
        print(json.dumps(result, indent=2))
        return 0 if result["passed"] else 1
    for name, said in result["runs"].items():
        verdict = "passed" if said["passed"] else f"{said['errors']} errors"
        print(f"{name}: {verdict}")
        if not said["passed"]:
            print(said["messages"])
    print(f"simulator: {result['tool']}")
    for d, cycles in result["runs"]["streaming"]["latency_cycles"].items():
        print(f"{d} latency: {cycles} cycles, predicted {result['predicted']['latency_cycles'][d]}")
    second = result["icarus"]
    print(
        f"second simulator: {second['tool']}, {'; '.join(second['disagreements']) or 'agrees'}"
        if "tool" in second
        else f"second simulator: none, {second['skipped']}"
    )
    return 0 if result["passed"] else 1


def _simulate_netlist(folder: Path, options: argparse.Namespace) -> int:
    from ..tools.netlists import simulate_netlist

    result = simulate_netlist(folder, options.netlist, options.seed)
    passed = all(run.passed for run in result["runs"].values())
    if options.json:
        runs = {name: asdict(run) for name, run in result["runs"].items()}
        print(json.dumps({"passed": passed, **result, "runs": runs}, indent=2))
        return 0 if passed else 1
    for name, run in result["runs"].items():
        print(f"{name}: {'passed' if run.passed else f'{run.errors} errors'}")
        if not run.passed:
            print(run.messages)
    print(table(["cell", "count"], [[kind, n] for kind, n in sorted(result["cells"].items())]))
    print(f"\n{result['files']} lists what was simulated")
    return 0 if passed else 1


def _run_simulation(folder: Path, seed: int, icarus: str = "auto") -> dict[str, Any]:
    from ..emit.manifest import read_manifest
    from ..report.page import record
    from ..tools.icarus import wanted
    from ..tools.programs import tool_version
    from ..tools.simulate import simulate
    from ..tools.verilate import check_installed

    predicted = read_manifest(folder)["predicted"]
    also, why_not = wanted(folder, icarus)
    try:
        check_installed()
    except UnsupportedError as missing:
        runs, tool = _icarus_alone(folder, seed, icarus, str(missing))
        second: dict[str, Any] = {"skipped": f"Icarus ran alone: {missing}"}
    else:
        runs, tool = simulate(folder, seed), tool_version("verilator", "Verilator")
        second = _second_simulator(folder, seed, runs) if also else {"skipped": why_not}
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
        "passed": all(r.passed for r in runs.values()) and not second.get("disagreements"),
        "predicted": predicted,
        "runs": said,
        "tool": tool,
        "seed": seed,
        "icarus": second,
    }
    record(folder, "simulation", result)
    return result


def _icarus_alone(folder: Path, seed: int, icarus: str, missing: str) -> tuple[dict[str, Any], str]:
    """The runs in Icarus, and its version, where Verilator lacks what ``missing`` says."""
    from ..tools.icarus import icarus_version, predicted_seconds, simulate_icarus

    if icarus == "never":
        raise UnsupportedError(missing)
    tool = icarus_version()
    if tool is None:
        raise UnsupportedError(
            f"{missing}; or install Icarus Verilog 11 or later (apt install iverilog), which "
            "simulates designs without it"
        )
    seconds = max(1, round(predicted_seconds(folder)))
    print(f"{missing}; {tool} simulates alone, for about {seconds} s", file=sys.stderr)
    return simulate_icarus(folder, seed), tool


def _second_simulator(folder: Path, seed: int, runs: dict[str, Any]) -> dict[str, Any]:
    from ..tools.icarus import disagreements, icarus_version, simulate_icarus

    said = simulate_icarus(folder, seed)
    return {"tool": icarus_version(), "disagreements": disagreements(runs, said)}


def _synthesise(options: argparse.Namespace) -> int:
    from ..emit.manifest import read_manifest
    from ..report.page import record
    from ..tools.synthesis import FAMILIES, disagreements, synthesise

    folder = Path(options.folder)
    predicted = read_manifest(folder)["predicted"]
    block = predicted.get("dsp_block", "").upper()
    device = options.device or {b: f for f, b in FAMILIES.items()}.get(block, _DEVICE_OF.get(block))
    device = device or "xcup"  # a permutation has no such blocks
    if device == "ecp5":
        return _place(folder, options)
    if block in _DEVICE_OF:
        raise ParameterError(
            f"the design in {folder} is of blocks {block}: synthesise it for {_DEVICE_OF[block]}"
        )
    if not options.device and block in _COUNTED_BY_NONE:
        raise ParameterError(
            f"the design in {folder} is of blocks {block}: no tool here counts for their family; "
            "--device xcup counts the same modules for another one"
        )
    result = synthesise(folder, device).as_dict()
    # Resources are predicted for one family; a permutation has no multiplier block.
    same = block == FAMILIES.get(device)
    names = ("dsps", "ramb18", "uram") if same else () if block else ("ramb18",)
    wanted = {k: predicted[k] for k in names if k in predicted}
    result["predicted"] = wanted
    wrong = disagreements(result, wanted)
    record(folder, f"synthesis_{device}", result)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        rows = [[k, result[k], result["predicted"].get(k, "-")] for k in _RESOURCES]
        print(table(["resource", "synthesised", "predicted"], rows))
        for text in wrong:
            print(f"\nnot as predicted: {text}")
        print(f"\n{result['tool']}, {device}; LUTs and FFs are its estimates, no clock")
    return 1 if wrong else 0


def _paths(options: argparse.Namespace) -> int:
    from ..report.page import record
    from ..tools.paths import worst_path

    folder = Path(options.folder)
    result = worst_path(folder)
    record(folder, "paths_xc7", result)
    if options.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"slowest path of cells: {result['worst_ns']:.2f} ns ", end="")
    print(f"({result['mhz_of_cells']:.0f} MHz, which is no clock), {result['tool']}, xc7")
    passed = ", ".join(f"{n} {cell}" for cell, n in result["cells"].items())
    print(f"from {result['begins']} through {passed or 'nothing'} to {result['ends']}")
    for net in result["named"]:
        print(f"  {net}")
    print(f"left out: {result['left_out']}")
    return 0


def _place(folder: Path, options: argparse.Namespace) -> int:
    from ..report.page import record
    from ..tools.place import place

    result = place(folder, options.seeds, said=lambda what: print(what, file=sys.stderr))
    record(folder, "placement_ecp5", result)
    if options.json:
        print(json.dumps(result, indent=2))
        return 0
    rows = [[k, n, result["available"][k]] for k, n in result["used"].items()]
    print(table(["resource", "used", "of"], rows))
    print(f"\n{result['tool']}\n{result['device']}")
    for seed, mhz in result["fmax_mhz"].items():
        print(f"{seed}: {mhz:.1f} MHz, asked for {result['target_mhz']:g}")
    for seed, path in result["critical_path"].items():
        print(f"slowest path, {seed}: {path['from']} -> {path['to']}, ", end="")
        print(f"logic {path['logic_ns']} ns, routing {path['routing_ns']} ns")
    return 0


def _prove(options: argparse.Namespace) -> int:
    from .._parallel import usable_cores
    from ..prove.prover import prove, select
    from ..prove.record import prove_recorded

    if len(options.words) == 1 and Path(options.words[0]).is_dir():
        return _prove_folder(Path(options.words[0]), options.json)
    chosen = select(options.words, options.quick)
    if options.list:
        print(table(["theorem", "what it says"], [[t.name, t.statement] for t in chosen]))
        return 0
    jobs = usable_cores() if options.jobs is None else options.jobs
    with on_scheduler(options):
        if options.record:
            if options.no_faults:
                raise ParameterError(
                    "--record FILE keeps verdicts with their faults: leave --no-faults out"
                )
            verdicts, now = prove_recorded(chosen, Path(options.record), jobs, "proofs")
        else:
            verdicts, now = prove(chosen, not options.no_faults, jobs, "proofs"), len(chosen)
    if options.json:
        print(json.dumps([asdict(v) for v in verdicts], indent=2))
    else:
        rows = []
        for v in verdicts:
            found = f"{sum(v.faults.values())} of {len(v.faults)}"
            rows.append([v.name, "proved" if v.proved else "REFUTED", found, f"{v.seconds:.0f}"])
        print(table(["theorem", "verdict", "faults found", "s"], rows))
        if options.record:
            kept = len(verdicts) - now
            print(f"\n{now} proved now, {kept} of the same Verilog kept from {options.record}")
        for v in verdicts:
            if not v.proved:
                print(f"\n{v.name}: counterexample\n{v.counterexample}")
    return 0 if all(v.passed for v in verdicts) else 1


def _prove_folder(folder: Path, as_json: bool) -> int:
    from ..prove.folder import KINDS, kind_of, prove_folder

    findings = prove_folder(folder)
    if as_json:
        print(json.dumps([asdict(f) | {"proved": f.proved} for f in findings], indent=2))
    else:
        rows = [[f.name, f.entries, "as defined" if f.proved else "WRONG"] for f in findings]
        print(table(["what", "entries compared", "verdict"], rows))
        for f in findings:
            for problem in f.problems:
                print(f"\n{f.name}: {problem}")
        print(f"\nnot compared: {KINDS[kind_of(folder)][1]}")
    return 0 if all(f.proved for f in findings) else 1


#: Blocks that are instantiated, and the device for which they can be placed.
_DEVICE_OF = {"MULT18X18D": "ecp5"}
_COUNTED_BY_NONE = ("DSP58", "DSP_AGILEX")
_RESOURCES = ("dsps", "ramb18", "luts", "ffs")


def _report(options: argparse.Namespace) -> int:
    from ..emit.manifest import read_manifest
    from ..report.page import recorded, write_report

    folder = Path(options.folder)
    read_manifest(folder)
    if "simulation" not in recorded(folder):
        _run_simulation(folder, 1)
    passed = recorded(folder)["simulation"]["passed"]
    page = write_report(folder)
    print(f"simulation: {'passed' if passed else 'FAILED'}\n{page}")
    if options.open and not webbrowser.open(page.resolve().as_uri()):
        print("no browser found: open it by hand")
    return 0 if passed else 1
