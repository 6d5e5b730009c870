# SPDX-License-Identifier: Apache-2.0
"""The GPU half of the benchmarks: one cell per n, limbs, word and direction.

A cell has our fastest kernel, the one that the cost model would choose (``chosen_us``), those of
other libraries measured in the same run, and the floors of the same run: one pass over the same
bytes in place, and the butterflies alone in registers. Figures are medians of CUDA graphs of
repeated calls, in microseconds per call; ``cold`` ones rotate through eight buffers.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nttforge.console.output import table
from nttforge.errors import FormatError

from .documents import Row, of_one_gpu, read, select

MERGED = "nttforge-gpu-bench-1"
#: Figures to reach in us, both directions: (log2 n, limbs, bits) -> at most.
TARGETS = {
    (12, 1, 30): 3.0,
    (12, 1, 60): 3.3,
    (14, 21, 60): 7.0,
    (15, 21, 60): 12.0,
    (16, 21, 60): 21.0,
    (16, 45, 60): 42.0,
    (17, 21, 60): 42.0,
    (17, 45, 60): 90.0,
    (15, 45, 30): 8.5,
    (16, 45, 30): 13.0,
    (17, 45, 30): 30.0,
}
#: A call at 2^12 x 1, 60 bits, back to back, with a result that is given: us at most.
CALL_TARGETS = {"C++": 5.0, "PyTorch": 12.0, "CuPy": 12.0}
#: log2 Q = 1260 at n = 2^17 in the best word size.
ANY_WORD = ((17, 21, 60), (17, 26, 49), (17, 42, 30))
ANY_WORD_TARGET = 28.0


def merge(documents: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One document of all programs and rounds: of every figure the smallest median.

    Parameters
    ----------
    documents : iterable of dict
        As ``documents.load`` returns them, all of one machine.

    Returns
    -------
    dict
        ``gpu``, ``programs``, ``cells``, and ``calls`` if calls were measured.

    Raises
    ------
    FormatError
        If they are of different GPUs.
    """
    of_card = of_one_gpu(documents)
    merged: dict[str, Any] = {"schema": MERGED, "gpu": of_card[0]["gpu"] if of_card else {}}
    programs: dict[str, Row] = {}
    cells: dict[tuple[Any, ...], Row] = {}
    calls: dict[tuple[Any, ...], Row] = {}
    for document in of_card:
        name = document["program"]
        keys = ("program", "version", "build", "nvcc", "compiler")
        programs[name] = {key: document.get(key) for key in keys}
        for row in document["results"]:
            if row["kind"] == "gpu_transform":
                _keep(_cell(cells, row, row["direction"]), name, row)
            elif row["kind"] == "gpu_floor":
                for direction in ("forward", "inverse"):
                    _floor(_cell(cells, row, direction), row)
            elif row["kind"] == "gpu_call":
                _call(calls, row)
    if calls:
        merged["calls"] = list(calls.values())
    merged["programs"] = list(programs.values())
    merged["cells"] = [_judged(cells[key]) for key in sorted(cells)]
    return merged


def load_merged(path: Path) -> dict[str, Any]:
    """A document that :func:`merge` made, from its file."""
    document = read(path)
    if not isinstance(document, dict) or document.get("schema") != MERGED:
        raise FormatError(f"{path}: schema must be {MERGED!r}")
    return document


def _cell(cells: dict[tuple[Any, ...], Row], row: Row, direction: str) -> Row:
    log_n = row["n"].bit_length() - 1
    key = (-row["bits"], row["limbs"], log_n, direction)
    empty = {"bits": row["bits"], "log_n": log_n, "limbs": row["limbs"], "direction": direction}
    return cells.setdefault(key, {**empty, "peers": {}})


def _keep(cell: Row, program: str, row: Row) -> None:
    figure = {
        "us": round(row["median_ns"] / 1e3, 3),
        "cold_us": round(row["cold_median_ns"] / 1e3, 3),
    }
    if program == "nttforge":
        figure["recipe"] = row["recipe"]
        if row.get("chosen"):
            cell["chosen_us"] = min(figure["us"], cell.get("chosen_us", float("inf")))
        if "ours" not in cell or figure["us"] < cell["ours"]["us"]:
            cell["ours"] = figure
        return
    figure["same_words_as_ours"] = row.get("same_words_as_ours", False)
    before = cell["peers"].get(program)
    if before is None or figure["us"] < before["us"]:
        cell["peers"][program] = figure


def _floor(cell: Row, row: Row) -> None:
    name = f"{row['direction']}_floor_us"
    cell[name] = min(round(row["median_ns"] / 1e3, 3), cell.get(name, float("inf")))
    if row["direction"] == "pass":
        cell["pass_floor_cold_us"] = round(row["cold_median_ns"] / 1e3, 3)


def _call(calls: dict[tuple[Any, ...], Row], row: Row) -> None:
    us = round(row["median_ns"] / 1e3, 3)
    key = (row["caller"], row["result"])
    if key in calls and calls[key]["us"] <= us:
        return
    call = {name: row[name] for name in ("caller", "result", "bits", "limbs", "direction")}
    call |= {"log_n": row["n"].bit_length() - 1, "us": us}
    call["returned_us"] = round(row["returned_median_ns"] / 1e3, 3)
    target = CALL_TARGETS.get(row["caller"])
    if target is not None and row["result"] == "given":
        call |= {"target_us": target, "verdict": "reached" if us <= target else "short"}
    calls[key] = call


def _judged(cell: Row) -> Row:
    ours = cell.get("ours")
    if ours is None:
        return cell
    if cell["peers"]:
        peer = min(cell["peers"], key=lambda name: cell["peers"][name]["us"])
        cell["best_peer"] = peer
        cell["speedup"] = round(cell["peers"][peer]["us"] / ours["us"], 3)
    floor = max(cell.get("pass_floor_us", 0), cell.get("butterflies_floor_us", 0))
    if floor > 0:
        cell["ratio_to_floor"] = round(ours["us"] / floor, 3)
    target = TARGETS.get((cell["log_n"], cell["limbs"], cell["bits"]))
    if target is not None:
        cell["target_us"] = target
        cell["verdict"] = "reached" if ours["us"] <= target else "short"
    return cell


def any_word(cells: list[Row], direction: str) -> Row | None:
    """The fastest cell of log2 Q = 1260 at n = 2^17, with the target of it.

    It is called short only where every word size was measured: another one might reach it.
    """
    found = [
        cell
        for cell in select(cells, direction=direction)
        if (cell["log_n"], cell["limbs"], cell["bits"]) in ANY_WORD and "ours" in cell
    ]
    if not found:
        return None
    best = min(found, key=lambda cell: float(cell["ours"]["us"]))
    verdict = "reached" if best["ours"]["us"] <= ANY_WORD_TARGET else "short"
    missing = len(ANY_WORD) - len(found)
    if verdict == "short" and missing:
        verdict = f"open: {missing} of {len(ANY_WORD)} word sizes not measured"
    return {**best, "target_us": ANY_WORD_TARGET, "verdict": verdict}


def report(merged: dict[str, Any]) -> str:
    """Tables for the terminal: every cell and the targets, then the calls; of what was measured."""
    parts = []
    if any("ours" in cell for cell in merged["cells"]):
        parts.append(_cells(merged))
    if merged.get("calls"):
        parts.append(_calls(merged))
    return "\n\n".join(parts) or "neither transforms nor calls were measured"


def _cells(merged: dict[str, Any]) -> str:
    cells = [cell for cell in merged["cells"] if "ours" in cell]
    names = sorted({name for cell in cells for name in cell["peers"]})
    header = ["cell", "", "ours", "cold", *names, "x best peer", "pass", "butterflies", "x floor"]
    body = [[_name(cell), cell["direction"], *_figures(cell, names)] for cell in cells]
    faster = [cell for cell in cells if cell.get("speedup", 0) > 1]
    compared = [cell for cell in cells if "speedup" in cell]
    chosen = [cell for cell in cells if "chosen_us" in cell]
    near = [cell for cell in chosen if cell["chosen_us"] <= 1.05 * cell["ours"]["us"]]
    gpu = merged["gpu"]
    lines = [
        f"{gpu.get('name', 'unknown GPU')}, us per call (CUDA graph), medians",
        table(header, body),
        f"faster than every peer measured here in {len(faster)} of {len(compared)} cells",
        f"the cost model chooses within 5 % of the fastest in {len(near)} of {len(chosen)} cells",
    ]
    if targets := list(_targets(merged["cells"])):
        lines += ["", table(["target", "", "at most", "ours", ""], targets)]
    return "\n".join(lines)


def _calls(merged: dict[str, Any]) -> str:
    header = ["caller", "result", "us a call", "returned after", "at most", ""]
    body = []
    for call in merged["calls"]:
        target = f"{call['target_us']:g}" if "target_us" in call else ""
        figures = [f"{call['us']:.2f}", f"{call['returned_us']:.2f}", target]
        body.append([call["caller"], call["result"], *figures, call.get("verdict", "")])
    gpu = merged["gpu"].get("name", "unknown GPU")
    return f"{gpu}, calls back to back at 2^12 x 1, 60-bit, medians\n" + table(header, body)


def _name(cell: Row) -> str:
    return f"2^{cell['log_n']} x {cell['limbs']}, {cell['bits']}-bit"


def _figures(cell: Row, names: list[str]) -> list[str]:
    def text(value: Any) -> str:
        return f"{value:.2f}" if value is not None else ""

    peers = [text(cell["peers"].get(name, {}).get("us")) for name in names]
    floors = [text(cell.get(f"{name}_floor_us")) for name in ("pass", "butterflies")]
    ours = [text(cell["ours"]["us"]), text(cell["ours"]["cold_us"])]
    return [*ours, *peers, text(cell.get("speedup")), *floors, text(cell.get("ratio_to_floor"))]


def _targets(cells: list[Row]) -> Iterable[list[str]]:
    for cell in cells:
        if "target_us" in cell:
            yield [_name(cell), *_target(cell)]
    for direction in ("forward", "inverse"):
        best = any_word(cells, direction)
        if best is not None:
            yield [f"2^17, log2 Q = 1260, best word: {best['bits']}-bit", *_target(best)]


def _target(cell: Row) -> list[str]:
    ours = f"{cell['ours']['us']:.2f}"
    return [cell["direction"], f"{cell['target_us']:g}", ours, cell["verdict"]]


#: Curves of the plot.
_COLOURS = {
    "nttforge": "#0b5fa5",
    "gpu-ntt": "#c1440e",
    "phantom": "#2e8b57",
    "cheddar": "#7b3fa0",
    "troy-nova": "#b8860b",
}


def plot(merged: dict[str, Any], path: Path, direction: str = "forward") -> None:
    """Times and floors against n, for each number of limbs and word; needs matplotlib."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 3, figsize=(15, 8), sharex=True, layout="constrained")
    for row, bits in enumerate((30, 60)):
        for column, limbs in enumerate((1, 21, 45)):
            cells = select(merged["cells"], bits=bits, limbs=limbs, direction=direction)
            _panel(axes[row, column], [cell for cell in cells if "ours" in cell])
            axes[row, column].set_title(
                f"{limbs} limb{'s' * (limbs > 1)} of {bits} bits", fontsize=10
            )
    axes[0, 0].legend(fontsize=8)
    axes[1, 1].legend(fontsize=8)  # not every library has words of 30 bits
    axes[1, 1].set_xlabel("log2 n")
    axes[0, 0].set_ylabel("us")
    axes[1, 0].set_ylabel("us")
    figure.suptitle(f"{merged['gpu'].get('name', '')}: {direction} transforms", fontsize=11)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _panel(axis: Any, cells: list[Row]) -> None:
    for name in sorted({name for cell in cells for name in cell["peers"]}):
        points = [(c["log_n"], c["peers"][name]["us"]) for c in cells if name in c["peers"]]
        axis.plot(*zip(*points, strict=True), color=_COLOURS.get(name), marker="o", label=name)
    for key, label, style in (
        ("pass_floor_us", "one pass in place", ":"),
        ("butterflies_floor_us", "butterflies alone", "--"),
    ):
        points = [(c["log_n"], c[key]) for c in cells if key in c]
        if points:
            axis.plot(*zip(*points, strict=True), style, color="#888888", label=label)
    points = [(c["log_n"], c["ours"]["us"]) for c in cells]
    if points:
        colour = _COLOURS["nttforge"]
        axis.plot(
            *zip(*points, strict=True), color=colour, marker="o", linewidth=2, label="nttforge"
        )
    axis.set_yscale("log")
    axis.grid(alpha=0.3)
