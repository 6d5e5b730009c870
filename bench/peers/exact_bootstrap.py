# SPDX-License-Identifier: Apache-2.0
"""Bootstraps of integers by this library, HElib and fheanor: the same core, by turns, checked.

    python bench/peers/exact_bootstrap.py --programs build/bench FOLDER ... --core 0 --json FILE

Each program checks every integer before its time counts. No two libraries bootstrap the same: rows
of a group are the nearest that there are, and say where they differ. `--size small` takes a minute
and shows that all works; its rings are without security.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bootstrap_runs import Row, document_of, fastest, found, keep

OURS, HELIB, FHEANOR = "exact_bootstrap_bench", "bootstrap_helib", "bootstrap_fheanor"


@dataclass
class Run:
    """One program with arguments: a row of the table."""

    group: str
    program: str
    arguments: list[str]
    note: str
    rows: list[Row] = field(default_factory=list)


def ours(group: str, note: str, scheme: str, set_name: str, t: int, *more: str) -> Run:
    arguments = ["--scheme", scheme, "--set", set_name, "--t", str(t), *more]
    return Run(group, OURS, arguments, note)


_NO_CLAIM = "no security"
_OURS = "128 bits by the 2024 guidelines, ephemeral weight 32"


def small() -> list[Run]:
    """Rings of a few hundred coefficients."""
    return [
        ours("t = 17", _NO_CLAIM, "bgv", "exact16", 17, "--log-n", "10"),
        Run("t = 17", HELIB, ["--ring", "p17-small"], _NO_CLAIM),
        ours("t = 257", _NO_CLAIM, "bfv", "exact15", 257, "--log-n", "7"),
        Run(
            "t = 257",
            FHEANOR,
            ["--log-n", "7", "--t", "257", "--log-q", "540"],
            _NO_CLAIM,
        ),
    ]


def whole() -> list[Run]:
    """The rings that are used."""
    helib = "the library's own estimate, in the row"
    fheanor = "n and log2 q are within the 128-bit row of the 2024 guidelines, ternary"
    return [
        ours("t = 127, all coefficients", _OURS, "bgv", "exact16", 127),
        Run("t = 127, all coefficients", HELIB, ["--ring", "p127"], helib),
        ours("t = 17, all coefficients", _OURS, "bgv", "exact16", 17),
        Run("t = 17, all coefficients", HELIB, ["--ring", "p17"], helib),
        ours("t = 65537, n = 32768, all slots", _OURS, "bfv", "exact15", 65537),
        Run("t = 65537, n = 32768, all slots", FHEANOR, ["--t", "65537"], fheanor),
        ours("t = 65537, n = 65536", _OURS, "bfv", "exact16", 65537),
    ]


def measure(run: Run, program: Path) -> Row:
    """The row that a program writes of one run, with its own name and version."""
    document = document_of([str(program), *run.arguments])
    return {
        "library": "nttforge" if run.program == OURS else document["program"],
        "version": document["version"],
        "build": document["build"],
        "cpu": document.get("cpu"),
        "group": run.group,
        "security": run.note,
        "arguments": run.arguments,
        **document["results"][0],
        "run_seconds": document["run_seconds"],
    }


def integers(row: Row) -> int:
    """How many integers a bootstrap renews."""
    return int(row.get("integers", row["n"]))


def table(rows: list[Row]) -> str:
    """The rows for a reader."""
    lines = [
        f"{'':34}{'library':10}{'scheme':7}{'t':>7}{'integers':>9}{'s':>10}{'us each':>12}"
        "  budget after"
    ]
    for row in rows:
        seconds = float(row["min_ns"]) / 1e9
        after = row.get("measured_budget", row.get("budget_after"))
        usable = row.get("usable_bits")
        lines.append(
            f"{row['group']:34}{row['library']:10}{row['scheme']:7}{row['t']:>7}{integers(row):>9}"
            f"{seconds:>10.3f}{seconds * 1e6 / integers(row):>12.2f}  {float(after):.0f} bits"
            + (f", {usable:.0f} usable" if usable is not None else "")
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--programs", type=Path, nargs="+", required=True, metavar="FOLDER")
    parser.add_argument("--size", choices=("small", "whole"), default="whole")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--core", type=int, help="the one core that all run on; the last by default"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    core = max(os.sched_getaffinity(0)) if options.core is None else options.core
    os.sched_setaffinity(0, {core})
    os.environ["OMP_NUM_THREADS"] = "1"
    runs = small() if options.size == "small" else whole()
    places = found(options.programs, (OURS, HELIB, FHEANOR))
    if OURS not in places:
        parser.error(f"no folder has {OURS}: build it with -DNTTFORGE_BENCH=ON")
    missing = sorted({run.program for run in runs} - set(places))
    for name in missing:
        print(f"{name} is in none of the folders: left out (bench/peers/README.md)")
    failed = 0
    runs = [run for run in runs if run.program in places]
    for _ in range(options.rounds):
        for run in runs:
            try:
                run.rows.append(measure(run, places[run.program]))
            except RuntimeError as error:
                print(error, file=sys.stderr)
                failed = 1
            else:
                print(f"{run.program} {' '.join(run.arguments)}: done", flush=True)
            rows = [fastest(done.rows) for done in runs if done.rows]
            keep(
                options.json,
                {"schema": "nttforge-exact-bootstrap-1", "core": core, "rows": rows},
            )
    print(table([fastest(run.rows) for run in runs if run.rows]))
    return failed


if __name__ == "__main__":
    sys.exit(main())
