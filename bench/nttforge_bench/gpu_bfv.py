# SPDX-License-Identifier: Apache-2.0
"""BFV on one GPU beside other libraries: one cell per n and operation, with the figures to reach.

Ours has several ways of making a call: a graph of recorded calls, calls back to back on a stream,
one call and a wait, batches of eight (the share of each). Of another library its fastest counts,
over its choices of primes and of the product, on a stream or in a graph. Figures are medians in
microseconds a call; rates are gigabytes of key words, or of serialised bytes, a second.

The floor of a product or a rotation is what its parts take at the best rates: limb transforms at
the fastest rate of the same run, products of steps between bases at the rate that the card reached
in registers, the key's bytes at the card's bandwidth.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nttforge.console.output import table
from nttforge.errors import FormatError

from .documents import Row, of_one_gpu, read

MERGED = "nttforge-gpu-bfv-bench-1"
PRODUCT = "multiply + relinearize"
#: Our ways of making a call, by the modes of rows that count for each.
WAYS = {
    "graph": ("graph",),
    "stream": ("stream",),
    "batch of 8, each": ("batch of 8", "batch of 8, graph"),
    "one call": ("one call",),
}
#: Figures to reach in us: (operation, way) -> {log2 n: at most}; without a way, the fastest counts.
TARGETS: dict[tuple[str, str], dict[int, float]] = {
    (PRODUCT, "graph"): {12: 22, 13: 30, 14: 50, 15: 150},
    (PRODUCT, "stream"): {12: 36, 13: 42, 14: 60, 15: 160},
    (PRODUCT, "batch of 8, each"): {12: 6, 13: 11, 14: 36, 15: 140},
    ("rotate", ""): {12: 14, 13: 17, 14: 24, 15: 62},
    ("encrypt", ""): {12: 25, 13: 25, 14: 32, 15: 60},
    ("decrypt", ""): {12: 12, 13: 12, 14: 14, 15: 24},
    ("encode on the device", ""): {14: 12},
    ("decode on the device", ""): {14: 12},
}
#: In GB/s, at least.
RATE_TARGETS = {"make a relinearization key": 20.0, "load a relinearization key": 4.0}
_SINGLE = ("graph", "stream")
#: Products of steps between bases a second, and bytes of keys, on an H200.
_PRODUCTS, _BYTES = 4.4e12, 4.3e12
#: What operations are made of, by the names of steps.
_PARTS = {PRODUCT: ("product", "switch key"), "rotate": ("switch key",)}


def merge(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One document of all programs and rounds: of every figure the smallest median.

    Parameters
    ----------
    documents : iterable of dict
        As ``documents.load`` returns them, all of one machine.

    Returns
    -------
    dict
        ``gpu``, ``programs``, ``results`` (each row once), ``cells``, and ``goals``.

    Raises
    ------
    FormatError
        If they are of different GPUs.
    """
    of_card = of_one_gpu(documents)
    programs: dict[str, Row] = {}
    rows: dict[tuple[Any, ...], Row] = {}
    for document in of_card:
        name = document["program"]
        keys = ("program", "version", "build", "nvcc", "compiler")
        programs[name] = {key: document.get(key) for key in keys}
        for row in document["results"]:
            if row["kind"] in ("gpu_bfv", "gpu_bfv_step"):
                _keep(rows, name, row)
    results = list(rows.values())
    cells = _cells(results)
    return {
        "schema": MERGED,
        "gpu": of_card[0].get("gpu", {}) if of_card else {},
        "programs": list(programs.values()),
        "results": results,
        "cells": cells,
        "goals": _goals(cells, results),
    }


def load_merged(path: Path) -> dict[str, Any]:
    """A document that :func:`merge` made, from its file."""
    document = read(path)
    if not isinstance(document, dict) or document.get("schema") != MERGED:
        raise FormatError(f"{path}: schema must be {MERGED!r}")
    return document


def _keep(rows: dict[tuple[Any, ...], Row], program: str, row: Row) -> None:
    what = row.get("operation") or (row["step"], row["batch"])
    key = (program, row["kind"], row["n"], row["variant"], what, row["mode"])
    if key not in rows or row["median_ns"] < rows[key]["median_ns"]:
        rows[key] = {"program": program, **row}


def _figure(rows: list[Row]) -> Row | None:
    """The fastest of some rows."""
    if not rows:
        return None
    best = min(rows, key=lambda row: float(row["median_ns"]))
    fields = ("variant", "mode", "log2_q", "log2_qp", "special_primes", "word_bits")
    return {"us": round(best["median_ns"] / 1e3, 2), **{field: best[field] for field in fields}}


def _cells(results: list[Row]) -> list[Row]:
    rows = [row for row in results if row["kind"] == "gpu_bfv"]
    cells = []
    for n, operation in dict.fromkeys((row["n"], row["operation"]) for row in rows):
        here = [row for row in rows if (row["n"], row["operation"]) == (n, operation)]
        ours = [row for row in here if row["program"] == "nttforge"]
        cell: Row = {"log_n": n.bit_length() - 1, "operation": operation, "ours": {}, "peers": {}}
        for way, modes in WAYS.items():
            if figure := _figure([row for row in ours if row["mode"] in modes]):
                cell["ours"][way] = figure
        for peer in sorted({row["program"] for row in here} - {"nttforge"}):
            of_peer = [row for row in here if row["program"] == peer and row["mode"] in _SINGLE]
            if figure := _figure(of_peer):
                cell["peers"][peer] = figure
        single = _figure([row for row in ours if row["mode"] in _SINGLE])
        if single and cell["peers"]:
            best = min(cell["peers"], key=lambda name: float(cell["peers"][name]["us"]))
            cell["best_peer"] = best
            cell["speedup"] = round(cell["peers"][best]["us"] / single["us"], 2)
        parts = _PARTS.get(operation, ())
        if single and parts and (floor := _floor(results, n, single["variant"], parts)):
            cell["floor_us"] = round(floor, 2)
            cell["ratio_to_floor"] = round(single["us"] / floor, 2)
        cells.append(cell)
    return sorted(cells, key=lambda cell: (cell["log_n"], cell["operation"] != PRODUCT))


def _floor(results: list[Row], n: int, variant: str, parts: tuple[str, ...]) -> float | None:
    """Microseconds of some steps of a single call; None if they were not measured."""
    steps = [
        r for r in results if r["kind"] == "gpu_bfv_step" and (r["n"], r["variant"]) == (n, variant)
    ]
    rates = [
        r["median_ns"] / r["limb_transforms"]
        for r in steps
        if r["step"].startswith(("forward,", "inverse,"))
    ]
    found = {r["step"]: r for r in steps if r["batch"] == 1 and r["step"] in parts}
    if not rates or len(found) < len(parts):
        return None
    ns = sum(r["limb_transforms"] for r in found.values()) * min(rates)
    ns += sum(r["products"] for r in found.values()) / _PRODUCTS * 1e9
    ns += sum(r["key_bytes"] for r in found.values()) / _BYTES * 1e9
    return float(ns) / 1e3


def _goals(cells: list[Row], results: list[Row]) -> list[Row]:
    goals = []
    for (operation, way), limits in TARGETS.items():
        for log_n, limit in limits.items():
            for cell in cells:
                if (cell["log_n"], cell["operation"]) != (log_n, operation):
                    continue
                ways = [way] if way else list(_SINGLE)
                found = [cell["ours"][w]["us"] for w in ways if w in cell["ours"]]
                if found:
                    verdict = "reached" if min(found) <= limit else "short"
                    goal = {"log_n": log_n, "operation": operation, "way": way, "unit": "us"}
                    goals.append(goal | {"limit": limit, "ours": min(found), "verdict": verdict})
    for operation, limit in RATE_TARGETS.items():
        for row in results:
            if row["program"] == "nttforge" and row.get("operation") == operation:
                rate = round(row["bytes"] / row["median_ns"], 2)
                verdict = "reached" if rate >= limit else "short"
                goal = {"log_n": row["n"].bit_length() - 1, "operation": operation}
                goal |= {"way": row["variant"], "unit": "GB/s", "limit": limit, "ours": rate}
                goals.append(goal | {"verdict": verdict})
    return goals


def report(merged: dict[str, Any]) -> str:
    """Tables for the terminal: cells, figures to reach, and the steps of a product."""
    name = merged["gpu"].get("name", "unknown GPU")
    parts = [f"{name}: BFV, us a call, medians; of peers the fastest way\n" + _cell_table(merged)]
    if merged["goals"]:
        header = ["n", "operation", "way", "wanted", "ours", ""]
        parts.append(table(header, [_goal_line(goal) for goal in merged["goals"]]))
    if steps := [row for row in merged["results"] if row["kind"] == "gpu_bfv_step"]:
        parts.append(
            "steps of one product, us; in brackets: in a batch of 8, each\n" + _steps(steps)
        )
    return "\n\n".join(parts)


def _cell_table(merged: dict[str, Any]) -> str:
    peers = sorted({peer for cell in merged["cells"] for peer in cell["peers"]})
    header = ["n", "operation", *WAYS, *peers, "x best peer", "floor", "x floor"]
    body = []
    for cell in merged["cells"]:
        line = [f"2^{cell['log_n']}", cell["operation"]]
        line += [_us(cell["ours"].get(way)) for way in WAYS]
        line += [_us(cell["peers"].get(peer)) for peer in peers]
        for name, digits in (("speedup", 2), ("floor_us", 1), ("ratio_to_floor", 2)):
            line.append(f"{cell[name]:.{digits}f}" if name in cell else "")
        body.append(line)
    return table(header, body)


def _us(figure: Row | None) -> str:
    return f"{figure['us']:.1f}" if figure else ""


def _goal_line(goal: Row) -> list[str]:
    wanted = f"{'<=' if goal['unit'] == 'us' else '>='} {goal['limit']:g} {goal['unit']}"
    line = [f"2^{goal['log_n']}", goal["operation"], goal["way"], wanted]
    return [*line, f"{goal['ours']:.1f}", goal["verdict"]]


def _steps(rows: list[Row]) -> str:
    """A line for each step and a column for each set; of several modes the fastest."""
    sets = list(dict.fromkeys((row["n"], row["variant"]) for row in rows))
    header = ["step", *(f"2^{n.bit_length() - 1}, {variant}" for n, variant in sets)]
    body = []
    for step in dict.fromkeys(row["step"] for row in rows):
        line = [step]
        for n, variant in sets:
            here = [r for r in rows if (r["n"], r["variant"], r["step"]) == (n, variant, step)]
            text = []
            for batch in sorted({row["batch"] for row in here}):
                ns = min(row["median_ns"] for row in here if row["batch"] == batch)
                text.append(f"{ns / 1e3 / batch:.1f}")
            line.append(" (".join(text) + ")" * (len(text) > 1))
        body.append(line)
    return table(header, body)


def markdown(merged: dict[str, Any]) -> str:
    """The rows of README's own table: a column for each n, ours and the best peer."""
    sizes = sorted({cell["log_n"] for cell in merged["cells"]})
    lines = ["| us | " + " | ".join(f"2^{log_n}" for log_n in sizes) + " |"]
    lines.append("|---|" + "---|" * len(sizes))

    def line(label: str, texts: list[str]) -> None:
        if any(texts):
            lines.append(f"| {label} | " + " | ".join(texts) + " |")

    for operation in (PRODUCT, "rotate", "encrypt", "decrypt"):
        cells = {c["log_n"]: c for c in merged["cells"] if c["operation"] == operation}
        here = [cells.get(log_n, {"ours": {}, "peers": {}}) for log_n in sizes]
        best = [cell["peers"].get(cell.get("best_peer")) for cell in here]
        names = [
            f"{figure['us']:.0f} ({cell['best_peer']})" if figure else ""
            for cell, figure in zip(here, best, strict=True)
        ]
        for way in ("graph", "stream", "batch of 8, each"):
            line(f"{operation}, {way}", [_us(cell["ours"].get(way)) for cell in here])
        line(f"{operation}, best peer", names)
    return "\n".join(lines) + "\n"


_COLOURS = {
    "nttforge": "#0b5fa5",
    "heongpu": "#c1440e",
    "phantom": "#2e8b57",
    "troy-nova": "#b8860b",
}
_STYLES = {"graph": "-", "stream": "--", "batch of 8, each": ":"}


def plot(merged: dict[str, Any], path: Path) -> None:
    """Times against n for four operations; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 4, figsize=(17, 4.6), sharex=True, layout="constrained")
    operations = (PRODUCT, "rotate", "encrypt", "decrypt")
    for axis, operation in zip(axes, operations, strict=True):
        _panel(axis, [cell for cell in merged["cells"] if cell["operation"] == operation])
        axis.set_title(operation, fontsize=10)
        axis.set_xlabel("log2 n")
    axes[0].set_ylabel("us")
    axes[0].legend(fontsize=8)
    figure.suptitle(f"{merged['gpu'].get('name', '')}: BFV", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _panel(axis: Any, cells: list[Row]) -> None:
    for peer in sorted({peer for cell in cells for peer in cell["peers"]}):
        points = [(c["log_n"], c["peers"][peer]["us"]) for c in cells if peer in c["peers"]]
        axis.plot(*zip(*points, strict=True), color=_COLOURS.get(peer), marker="o", label=peer)
    for way, style in _STYLES.items():
        points = [(c["log_n"], c["ours"][way]["us"]) for c in cells if way in c["ours"]]
        if points:
            label = f"nttforge, {way}"
            colour = _COLOURS["nttforge"]
            xy = zip(*points, strict=True)
            axis.plot(*xy, style, color=colour, marker="o", linewidth=2, label=label)
    axis.set_yscale("log")
    axis.set_xticks(sorted({cell["log_n"] for cell in cells}))
    axis.grid(alpha=0.3)
