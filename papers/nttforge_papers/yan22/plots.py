# SPDX-License-Identifier: Apache-2.0
"""Plots of ``nttforge paper yan22``: points and lines of the same rows as in results.json."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SHORT = {"solinas": "Solinas", "montgomery": "Montg.", "barrett": "Barrett"}


def plot(results: dict[str, Any], folder: Path) -> None:
    """fig_3.png, fig_7.png, fig_8.png, fig_9.png, fig_10.png, tables.png; luts.png if counted."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    counted = any("synthesised_luts" in row for row in results["table_4_and_7"])
    for name, draw in (
        *((("luts", _luts),) if counted else ()),
        ("tables", _tables),
        ("fig_3", _fig_3),
        ("fig_7", _fig_7),
        ("fig_8", _fig_8),
        ("fig_9", _fig_9),
        ("fig_10", _fig_10),
    ):
        columns = 1 if name in ("fig_3", "fig_10") else 2
        figure, axes = plt.subplots(1, columns, figsize=(5.2 * columns, 3.8), squeeze=False)
        draw(axes[0], results)
        figure.tight_layout()
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
        plt.close(figure)


def _pairs(
    axis: Any,
    names: list[str],
    paper: list[float],
    ours: list[float],
    title: str,
    more: Sequence[tuple[str, str, list[float]]] = (),
    label: str = "ours",
) -> None:
    """Draw the paper's figures and ours; ``more``: label, marker and figures of others of ours."""
    places = range(len(names))
    # Points, not bars: a logarithmic axis has no zero for a bar to stand on.
    axis.plot(places, paper, "o", markersize=9, fillstyle="none", label="paper")
    axis.plot(places, ours, "x", markersize=6, label=label)
    for other, marker, values in more:
        axis.plot(places, values, marker, markersize=6, label=other)
    axis.set_xticks(list(places), names, fontsize=7)
    axis.set_yscale("log")
    axis.grid(axis="y", alpha=0.3)
    axis.set_title(title)
    axis.legend()


def _design_names(rows: list[dict[str, Any]]) -> list[str]:
    return [f"{r['n']}\n{r['limbs']} x {r['bits']}\n{_SHORT[r['core']]}" for r in rows]


def _core_name(row: dict[str, Any]) -> str:
    return f"{row['core'][:6]}\n{_SHORT[row['ours']]}"


def _tables(axes: Any, results: dict[str, Any]) -> None:
    rows = results["table_4_and_7"]
    names = _design_names(rows)
    paper, ours = [r["paper_cycles"] for r in rows], [r["our_cycles"] for r in rows]
    more = [
        (label, marker, [r[key] for r in rows])
        for label, marker, key in (
            ("ours, small", "1", "our_cycles_small"),
            ("ours, fast", "2", "our_cycles_fast"),
            ("ours from memory", "_", "our_cycles_from_memory"),
        )
    ]
    _pairs(axes[0], names, paper, ours, "Tables 4, 7: cycles", more, "ours, balanced")
    rows = results["table_6"]
    names = [_core_name(r) for r in rows]
    paper, ours = [r["paper_dsps"] for r in rows], [r["our_dsps"] for r in rows]
    _pairs(axes[1], names, paper, ours, "Table 6: DSPs of a core")


def _luts(axes: Any, results: dict[str, Any]) -> None:
    """LUTs after synthesis by Yosys, beside the paper's placed ones."""
    rows = [r for r in results["table_4_and_7"] if r["paper_luts"]]
    names = _design_names(rows)
    paper, ours = [r["paper_luts"] for r in rows], [r["synthesised_luts"] for r in rows]
    _pairs(axes[0], names, paper, ours, "Table 4: LUTs")
    rows = [*results["table_5"], *results["table_6"]]
    names = [f"SPN\ndp {r['dp']}" if "dp" in r else _core_name(r) for r in rows]
    paper, ours = [r["paper_luts"] for r in rows], [r["our_luts"] for r in rows]
    general = [r.get("our_general_luts", math.nan) for r in rows]
    more = [("ours, any permutation", "+", general)]
    _pairs(axes[1], names, paper, ours, "Tables 5, 6: LUTs", more)


def _fig_3(axes: Any, results: dict[str, Any]) -> None:
    rows = results["fig_3"]
    for operands in sorted({r["operands"] for r in rows if r["operands"] <= 9}):
        mine = [r for r in rows if r["operands"] == operands]
        axes[0].plot(
            [r["bits"] for r in mine], [r["primes"] for r in mine], "o-", label=f"{operands}"
        )
    axes[0].set(xlabel="bits", ylabel="primes", title="Fig. 3: primes by operands")
    axes[0].legend(fontsize=7, ncol=2)


def _fig_7(axes: Any, results: dict[str, Any]) -> None:
    for axis, n in zip(axes, (4096, 8192), strict=True):
        for core in ("solinas", "montgomery"):
            rows = [r for r in results["fig_7"] if r["n"] == n and r["core"] == core]
            x = [r["percent_of_xcu200"] for r in rows]
            (line,) = axis.plot(x, [r["cycles"] for r in rows], "-", label=f"{core}, fastest")
            shift = 2 if core == "solinas" else -2
            dots = [(r["percent_of_xcu200"] + shift, c) for r in rows
                    for c in r["cycles_of_designs_within"]]  # fmt: skip
            axis.plot(*zip(*dots, strict=True), ".", markersize=3, color=line.get_color())
        axis.set(xlabel="% of XCU200", ylabel="cycles", title=f"Fig. 7: n = {n}", yscale="log")
        axis.legend()


def _fig_8(axes: Any, results: dict[str, Any]) -> None:
    _by_shape(axes, results["fig_8"], "cycles", "Fig. 8: latency")


def _fig_9(axes: Any, results: dict[str, Any]) -> None:
    """Draw the bandwidth of Fig. 8's designs, four limbs, at the assumed clock."""
    label = "GB/s at an assumed 250 MHz"
    _by_shape(axes, results["fig_9"], "gb_per_s_four_limbs", "Fig. 9: bandwidth", label)
    for axis, varied in zip(axes, ("dp", "pp"), strict=True):
        port = {r[varied]: r["port_gb_per_s"] for r in results["fig_9"] if r["varied"] == varied}
        axis.plot(list(port), list(port.values()), "k--", linewidth=0.8, label="one port")
        axis.axhline(78, color="black", linewidth=0.8, linestyle=":")
        axis.text(axis.get_xlim()[0], 80, " XCU200: 78 GB/s", fontsize=7)
    axes[0].legend(fontsize=7)


def _by_shape(axes: Any, rows: list[dict[str, Any]], key: str, title: str, label: str = "") -> None:
    """Draw values by dp at pp = 2 and by pp at dp = 16."""
    for axis, varied in zip(axes, ("dp", "pp"), strict=True):
        for n in sorted({r["n"] for r in rows}):
            mine = [r for r in rows if r["n"] == n and r["varied"] == varied]
            axis.plot([r[varied] for r in mine], [r[key] for r in mine], "o-", label=f"n = {n}")
        axis.set(xlabel=varied, ylabel=label or key, yscale="log", title=f"{title} by {varied}")
    axes[0].set_xscale("log", base=2)
    axes[0].legend(fontsize=7)


def _fig_10(axes: Any, results: dict[str, Any]) -> None:
    for dp in (32, 64, 128):
        rows = [r for r in results["fig_10"] if r["dp"] == dp]
        axes[0].plot(
            [r["stride"] for r in rows], [r["cycles"] for r in rows], "o-", label=f"dp {dp}"
        )
    axes[0].set(xlabel="stride", ylabel="cycles", title="Fig. 10: permutation")
    axes[0].set_xscale("log", base=2)
    axes[0].legend()
