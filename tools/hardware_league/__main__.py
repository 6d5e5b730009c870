# SPDX-License-Identifier: Apache-2.0
"""Build open generators of NTTs and ours for the same jobs, and write the league table.

python tools/hardware_league --peers FOLDER [--out bench/results/hardware-league]

FOLDER has the rivals as their users fetch them; without it the command says which, and from where.
Nothing of them is copied into the repository. All words are compared with the oracle's, in both
directions; a testbench for each interface counts the same: a polynomial in, its transform, the
result out. Yosys counts cells for 7-series and finds the slowest path of cells, which is no clock:
routing is not in it. Each run is kept in runs.jsonl: an interrupted command goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import ours
import page
from runs import Lines, Prepared, simulate, synthesise

import peers
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.programs import tool_version

ROOT = Path(__file__).resolve().parents[2]
SIZES = (1024, 4096, 16384)
BITS = 30
#: Resources that AutoNTT's explorer may take: DSPs of four and of eight of its units, and no limit.
AUTONTT = {"4 units": 44, "8 units": 88, "no limit": 9000}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--peers", type=Path, help="folder with the rivals' repositories")
    parser.add_argument("--out", type=Path, default=ROOT / "bench" / "results" / "hardware-league")
    parser.add_argument("--page-only", action="store_true", help="write the page alone")
    parser.add_argument("--kept", action="store_true", help="run no tool")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="of n")
    options = parser.parse_args()
    if not options.page_only:
        if options.peers is None:
            parser.error("--peers is needed, unless --page-only")
        found = peers.check_fetched(options.peers.resolve())
        with tempfile.TemporaryDirectory() as scratch:
            lines = Lines(options.out / "runs.jsonl", options.kept)
            rows = _rows(options.peers.resolve(), Path(scratch), lines, options.sizes)
            predicted = _autontt(options.peers.resolve(), Path(scratch), options.sizes)
        record = {
            "commits": found,
            "tools": {"cycles": _tool("verilator"), "cells": _tool("pyosys")},
            "rows": rows,
            "autontt": predicted,
            "yan22": _yan22(),
        }
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "league.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    page.write(options.out, ROOT / "docs")


def _rows(fetched: Path, scratch: Path, lines: Lines, sizes: list[int]) -> list[dict[str, Any]]:
    """A row for each design; those of ``fast`` registers and the rivals' are made first."""
    rows = []
    for choice in ours.CHOICES:
        for n in sizes:
            (q,) = usable_primes(n, BITS, 1)
            job = (scratch, n, q)
            designs: dict[str, Callable[[], Prepared]] = {}
            for narrow in (False, True):
                said = f"{choice}{page.NARROW * narrow}"
                how = (*job, choice, narrow)
                designs[f"ours, modulus loaded, {said}"] = partial(ours.loaded, *how)
                designs[f"ours, modulus built in, {said}"] = partial(ours.fixed, *how)
            if choice == ours.CHOICES[0]:
                designs["parametric-ntt"] = partial(peers.parametric_ntt, fetched, *job)
                designs["OpenNTT, RoutOpt"] = partial(peers.openntt, fetched, *job, False)
                designs["OpenNTT, MemOpt"] = partial(peers.openntt, fetched, *job, True)
            for name, make in designs.items():
                row = _row(name, n, q, make(), lines)
                rows += [] if row is None else [row]
    return rows


def _row(name: str, n: int, q: int, design: Prepared, lines: Lines) -> dict[str, Any] | None:
    """The columns of a design, or None where no tool is to run and one did not."""
    read = design.digest()
    whole = name.removesuffix(page.NARROW)
    work = partial(simulate, design)
    cycles = lines.once(f"n = {n}: {name}: cycles", read, _tool("verilator"), work)
    if whole == name:
        work = partial(synthesise, design)
        cells = lines.once(f"n = {n}: {name}: cells", read, _tool("pyosys"), work)
    else:  # the same design, only slower senders
        cells = lines.known.get(f"n = {n}: {whole}: cells")
    if cycles is None or cells is None:
        return None
    columns = {key: cells[key] for key in ("dsps", "luts", "ffs", "bram36", "worst_ns", "path")}
    note = {"note": design.note} if design.note else {}
    kept = {key: cycles[key] for key in ("cycles", "interval", "words_compared") if key in cycles}
    return {"design": name, "n": n, "q": q, **design.facts, **kept, **columns, **note}


def _tool(package: str) -> str:
    return tool_version(package, {"verilator": "Verilator", "pyosys": "Yosys"}[package])


def _yan22() -> list[dict[str, Any]]:
    """Table 4 of [Yan22] like for like, as ``nttforge paper yan22 --synthesise`` has it."""
    kept = json.loads((ROOT / "bench/results/yan22/results.json").read_text("utf-8"))
    fast = {row["design"]: row["our_cycles_fast"] for row in kept["table_4_and_7"]}
    return [row | {"fast_cycles": fast[row["design"]]} for row in kept["like_for_like"]]


def _autontt(fetched: Path, scratch: Path, sizes: list[int]) -> list[dict[str, Any]]:
    rows = []
    for n in sizes:
        for limit, dsps in AUTONTT.items():
            for architecture in "IDH":
                said = peers.autontt(fetched, scratch, architecture, n, BITS, dsps)
                if said is not None:
                    row = {"design": f"AutoNTT-{architecture}", "n": n, "bits": BITS}
                    rows.append({**row, "limit": limit, **said})
    return rows


if __name__ == "__main__":
    main()
