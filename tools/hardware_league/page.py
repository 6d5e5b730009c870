# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/hardware-league.md between their marks, and its picture, from the records."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from nttforge_hardware.tools import routed
from nttforge_hardware.tools.flows import TARGETS

LICENCE = "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
PAGE, PICTURE = "hardware-league.md", "hardware-league.svg"
NARROW = ", one coefficient a cycle"
#: What is compared: a rival, and ours with the same kind of modulus and the same port.
DUELS = {
    "parametric-ntt": "ours, modulus loaded",
    "OpenNTT, RoutOpt": "ours, modulus built in",
    "OpenNTT, MemOpt": "ours, modulus built in",
}
#: Mark, colour and filling of each design in the picture, of which a narrow port is another point.
MARKS = {
    "ours, modulus built in, fast": ("o", "#2a5ea8", "full"),
    "ours, modulus built in, balanced": ("o", "#2a5ea8", "none"),
    "ours, modulus loaded, fast": ("D", "#2a8a5e", "full"),
    "ours, modulus loaded, balanced": ("D", "#2a8a5e", "none"),
    "OpenNTT, RoutOpt": ("^", "#b04a4a", "full"),
    "OpenNTT, MemOpt": ("v", "#b04a4a", "none"),
    "parametric-ntt": ("s", "#7a5230", "full"),
}


def write(out: Path, docs: Path) -> None:
    """Put the tables of the records in ``out`` into the page, and draw its picture."""
    record = read(out)
    path = docs / PAGE
    path.write_text(filled(path.read_text("utf-8"), record), "utf-8")
    draw(record["rows"], docs / PICTURE)


def read(out: Path) -> dict[str, Any]:
    """The records in ``out``: what was simulated and counted, and what was routed."""
    record: dict[str, Any] = json.loads((out / "league.json").read_text("utf-8"))
    lines = routed.read_lines(out / routed.RESULTS.name)
    found = [(c, t, s) for c in routed.CASES for t in TARGETS for s in routed.SEEDS]
    return record | {"routed": [lines[key] for key in found if key in lines]}


def filled(text: str, record: dict[str, Any]) -> str:
    """The page with its tables as the records have them."""
    for name, lines in tables(record).items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        body = "".join(f"{line}\n" for line in lines)
        pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
        text, count = re.subn(pattern, lambda _: f"{begin}\n{body}\n{end}", text, flags=re.DOTALL)  # noqa: B023
        if count != 1:
            raise SystemExit(f"docs/{PAGE} must have {begin.strip()}, {end.strip()} once")
    return text


def tables(record: dict[str, Any]) -> dict[str, list[str]]:
    """Every table of the page by the name of its marks."""
    rows = record["rows"]
    costs = ("DSPs", "LUTs", "FFs", "BRAM36")
    cycles = ("in, between, out", "one transform", "inverse", "interval")
    return {
        "designs": _table(
            ("n", "design", "modulus", *cycles, *costs, "ns of cells"),
            [_design_cells(row) for row in sorted(rows, key=_order)],
        ),
        "duels": _table(
            ("n", "ours", "against", "cycles", *costs, *("DSPs × µs", "LUTs × µs") * 2),
            duels(rows),
        ),
        "AutoNTT": _table(
            ("n", "design", "limit", "units", "cycles", "µs", *costs[:3], "BRAM", "URAM"),
            [_autontt_cells(row) for row in record["autontt"]],
        ),
        "Yan22": _table(
            ("n", "paper", "`fast`", "ours", "how", "ns of cells", "paper's clock"),
            [_yan22_cells(row) for row in record["yan22"]],
        ),
        "routed": _table(
            tuple(routed.HEADER),
            [list(map(str, row)) for row in routed.rows_of(record["routed"])],
        ),
    }


def _order(row: dict[str, Any]) -> tuple[int, int, str]:
    name = row["design"]
    return row["n"], 0 if "fast" in name else 1 if name.startswith("ours") else 2, name


def _design_cells(row: dict[str, Any]) -> list[str]:
    there, back = row["cycles"]["forward"], row["cycles"]["inverse"]
    parts = f"{there['load']}, {there['between']}, {there['unload']}"
    interval = row.get("interval", there["total"])
    costs = [str(row[key]) for key in ("dsps", "luts", "ffs")] + [f"{row['bram36']:g}"]
    first = [str(row["n"]), row["design"], row["modulus"], parts]
    return [
        *first,
        str(there["total"]),
        str(back["total"]),
        str(interval),
        *costs,
        f"{row['worst_ns']:.2f}",
    ]


def area_time(row: dict[str, Any]) -> list[float]:
    """DSPs and LUTs times microseconds, of one transform and of one in a row of many.

    Microseconds are cycles at the inverse of the slowest path of cells.
    """
    total = row["cycles"]["forward"]["total"]
    return [
        row[key] * cycles * row["worst_ns"] / 1000
        for cycles in (total, row.get("interval", total))
        for key in ("dsps", "luts")
    ]


def duels(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Ours over a rival's in each column, and who has less."""
    known = {(row["n"], row["design"]): row for row in rows}
    out = []
    for (n, name), rival in sorted(known.items()):
        for choice in ("fast", "balanced"):
            ours = known.get((n, f"{DUELS.get(name, '-')}, {choice}{NARROW}"))
            if ours is None:
                continue
            pairs = [
                (ours["cycles"]["forward"]["total"], rival["cycles"]["forward"]["total"]),
                *((ours[key], rival[key]) for key in ("dsps", "luts", "ffs", "bram36")),
                *zip(area_time(ours), area_time(rival), strict=True),
            ]
            what = ours["design"].removesuffix(NARROW)
            out.append([str(n), what, name, *(_verdict(a, b) for a, b in pairs)])
    return out


def _verdict(ours: float, theirs: float) -> str:
    said = "won" if ours < theirs else "lost" if ours > theirs else "even"
    return f"{ours / theirs:.2f} {said}"


def _autontt_cells(row: dict[str, Any]) -> list[str]:
    r = row["resources"]
    counts = [str(r[key]) for key in ("DSP", "LUT", "FF", "BRAM", "URAM")]
    return [
        str(row["n"]),
        row["design"],
        row["limit"],
        str(row["units"]),
        str(row["cycles"]),
        f"{row['us']:g}",
        *counts,
    ]


def _yan22_cells(row: dict[str, Any]) -> list[str]:
    how = f"dp = {row['dp']}, pp = {row['pp']}, `{row['registers']}`"
    ours = f"{row['our_cycles']} {'won' if row['our_cycles'] < row['paper_cycles'] else 'lost'}"
    path = f"{row['our_worst_path_ns']:.2f}" if "our_worst_path_ns" in row else "-"
    shape = row["design"].removeprefix("Table 4, n = ")
    return [
        shape,
        str(row["paper_cycles"]),
        f"{row['fast_cycles']}",
        ours,
        how,
        path,
        f"{1000 / row['paper_mhz']:.2f} ns",
    ]


def _table(header: tuple[str, ...], rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(cells)} |" for cells in (header, *rows)]
    return [lines[0], "|" + "---|" * len(header), *lines[1:]]


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """DSPs and LUTs over the cycles of a transform, a panel for each n."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "league"
    sizes = sorted({row["n"] for row in rows})
    figure, axes = plt.subplots(2, len(sizes), figsize=(4.2 * len(sizes), 7), squeeze=False)
    for column, n in enumerate(sizes):
        for line, key in enumerate(("dsps", "luts")):
            axis = axes[line][column]
            for name, (mark, colour, fill) in MARKS.items():
                points = [
                    (row["cycles"]["forward"]["total"], row[key])
                    for row in rows
                    if row["n"] == n and row["design"].removesuffix(NARROW) == name
                ]
                if points:
                    axis.plot(*zip(*points, strict=True), mark, color=colour, fillstyle=fill,
                              label=name if axis is axes[0][0] else None)  # fmt: skip
            axis.set_xlim(0, axis.get_xlim()[1])
            axis.set_ylim(0, axis.get_ylim()[1] * 1.05)
            axis.set_xlabel("cycles, first word in to last word out")
            axis.set_ylabel({"dsps": "DSP48E1", "luts": "LUTs"}[key])
            axis.set_title(f"n = {n}")
    figure.legend(loc="lower center", ncols=len(sizes), fontsize=8)
    figure.tight_layout(rect=(0, 0.11, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    text = path.read_text("utf-8")  # the licence comes first, as in every file
    path.write_text(LICENCE + text[text.index("<svg") :], "utf-8")
    plt.close(figure)
