# SPDX-License-Identifier: Apache-2.0
"""Tables of a merged document, for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nttforge.console.output import table

from .documents import Row, select
from .goals import Measured, Verdict


def incomplete(document: dict[str, Any]) -> list[str]:
    """One sentence if the run was cut off; nothing if it is complete (or too old to say)."""
    if document.get("complete", True):
        return []
    steps = document.get("steps")
    what = f"{steps['done']} of {steps['wanted']} steps ended" if steps else "a program was cut off"
    return [
        f"This run is incomplete: {what}. Its figures are of fewer rounds, and goals may lack some."
    ]


def machine_line(document: dict[str, Any]) -> str:
    """CPU, clock, compiler and commit in one line."""
    machine = document["machine"]
    clock = f", {machine['clock_ghz']:.2f} GHz measured" if "clock_ghz" in machine else ""
    return (
        f"{machine.get('cpu', 'unknown CPU')}{clock}; g++ {machine.get('compiler', '?')}; "
        f"commit {machine.get('commit', 'unknown')}"
    )


def transforms(document: dict[str, Any]) -> str:
    """ns of every transform, forward / inverse, one line for each program, class and target."""
    rows = select(document["results"], kind="transform", direction=("forward", "inverse"))
    sizes = sorted({row["n"] for row in rows})
    lines: dict[tuple[Any, ...], dict[int, dict[str, float]]] = {}
    for row in rows:
        key = (row["bits"], row["target"], row["program"], row["build"])
        cell = lines.setdefault(key, {}).setdefault(row["n"], {})
        cell[row["direction"]] = min(row["min_ns"], cell.get(row["direction"], row["min_ns"]))
    header = ["prime", "target", "program", *(f"2^{n.bit_length() - 1}" for n in sizes)]
    body = [
        [f"{bits}-bit", target, program, *(_pair(cells.get(n, {})) for n in sizes)]
        for (bits, target, program, _), cells in sorted(
            lines.items(), key=lambda item: str(item[0])
        )
    ]
    return "us, forward / inverse\n" + table(header, body)


def _pair(cell: dict[str, float]) -> str:
    texts = [f"{cell[d] / 1e3:.3g}" if d in cell else "-" for d in ("forward", "inverse")]
    return " / ".join(texts)


def bounds(document: dict[str, Any]) -> str:
    """Our transforms against their bounds."""
    rows = [r for r in document["results"] if "bound_ns" in r]
    body = [
        [
            f"{row['bits']}-bit",
            row["target"],
            f"2^{row['n'].bit_length() - 1}",
            row["direction"],
            f"{row['ns_per_butterfly']:.4f}",
            f"{row.get('cycles_per_butterfly', 0):.3f}",
            f"{row['ratio_to_bound']:.2f}",
            f"{row['ratio_to_bound_with_tail']:.2f}",
            f"{row['ratio_to_own_bound']:.2f}" if "ratio_to_own_bound" in row else "",
            row["bound_limit"],
        ]
        for row in sorted(rows, key=lambda r: (r["bits"], r["target"], r["n"], r["direction"]))
    ]
    header = [
        "prime",
        "target",
        "n",
        "",
        "ns/butterfly",
        "cycles",
        "/ bound",
        "/ with tail",
        "/ own",
        "limit",
    ]
    return table(header, body)


def bfv(document: dict[str, Any]) -> str:
    """ms of every BFV operation, ours and each peer's best variant."""
    rows = select(document["results"], kind="bfv")
    operations = list(
        dict.fromkeys(row["operation"] for row in rows if row["program"] != "nttforge")
    )
    operations = operations or list(dict.fromkeys(row["operation"] for row in rows))
    body = []
    for key in dict.fromkeys((row["set"], row["program"]) for row in rows):
        mine = select(rows, set=key[0], program=key[1])
        logs = sorted({row["log2_q"] for row in mine})
        body.append([key[0], key[1], "/".join(map(str, logs)), *(_ms(mine, o) for o in operations)])
    return "ms\n" + table(["set", "program", "log2 Q", *map(_short, operations)], body)


def _ms(rows: Iterable[Row], operation: str) -> str:
    times = [row["min_ns"] for row in select(rows, operation=operation)]
    return f"{min(times) / 1e6:.3g}" if times else "-"


_SHORT = {
    "secret and public key": "sk+pk",
    "relinearization key": "relin key",
    "encrypt (public key)": "encrypt",
    "multiply + relinearize": "mul+relin",
    "8 rotations": "8 rot",
    "8 rotations, hoisted": "8 hoisted",
    "matrix 1024 x 1024": "matrix",
}


def _short(operation: str) -> str:
    return _SHORT.get(operation, operation)


def goals(verdicts: Iterable[Verdict]) -> str:
    """The table of goals: required, measured, verdict; then those that were not measured."""
    verdicts = list(verdicts)
    body = []
    for v in verdicts:
        if not v.measured:
            continue
        sign = ">=" if v.at_least else "<="
        reached = f"{v.reached} of {len(v.measured)}"
        allowed = "" if v.reachable is None else f"{v.reachable}"
        body.append(
            [
                v.goal,
                f"{sign} {v.required:g}",
                _at(v.worst),
                _at(v.best),
                reached,
                allowed,
                v.verdict,
            ]
        )
    missing = [v.goal for v in verdicts if not v.measured]
    parts = ["not measured: " + "; ".join(missing)] if missing else []
    if body:
        header = ["goal", "required", "worst", "best", "reached", "bound allows", "verdict"]
        parts.insert(0, table(header, body))
    return "\n\n".join(parts)


def _at(measured: Measured | None) -> str:
    return f"{measured.ratio:.2f} ({measured.where})" if measured else ""
