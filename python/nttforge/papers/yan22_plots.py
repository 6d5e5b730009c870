"""Plots of ``nttforge paper yan22``: bars and lines of the same rows as in results.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def plot(results: dict[str, Any], folder: Path) -> None:
    """fig_3.png, fig_7.png, fig_8_9.png, fig_10.png, tables.png."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    for name, draw in (
        ("tables", _tables),
        ("fig_3", _fig_3),
        ("fig_7", _fig_7),
        ("fig_8_9", _fig_8_9),
        ("fig_10", _fig_10),
    ):
        columns = 1 if name in ("fig_3", "fig_10") else 2
        figure, axes = plt.subplots(1, columns, figsize=(5.2 * columns, 3.8), squeeze=False)
        draw(axes[0], results)
        figure.tight_layout()
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
        plt.close(figure)


def _pairs(axis: Any, names: list[str], paper: list[float], ours: list[float], title: str) -> None:
    places = range(len(names))
    axis.bar([p - 0.2 for p in places], paper, 0.4, label="paper")
    axis.bar([p + 0.2 for p in places], ours, 0.4, label="ours")
    axis.set_xticks(list(places), names, fontsize=7)
    axis.set_yscale("log")
    axis.set_title(title)
    axis.legend()


def _tables(axes: Any, results: dict[str, Any]) -> None:
    rows = results["table_4_and_7"]
    names = [f"{r['n']}\n{r['limbs']} x {r['bits']}\n{r['core'][:6]}" for r in rows]
    paper, ours = [r["paper_cycles"] for r in rows], [r["our_cycles"] for r in rows]
    _pairs(axes[0], names, paper, ours, "Tables 4, 7: cycles")
    rows = results["table_6"]
    names = [f"{r['core'][:6]}\n{r['ours'][:6]}" for r in rows]
    paper, ours = [r["paper_dsps"] for r in rows], [r["our_dsps"] for r in rows]
    _pairs(axes[1], names, paper, ours, "Table 6: DSPs of a core")


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
            axis.plot(x, [r["cycles"] for r in rows], "o-", label=core)
        axis.set(xlabel="% of XCU200", ylabel="cycles, fastest", title=f"Fig. 7: n = {n}")
        axis.legend()


def _fig_8_9(axes: Any, results: dict[str, Any]) -> None:
    for axis, varied, key in ((axes[0], "dp", "cycles"), (axes[1], "pp", "cycles")):
        for n in sorted({r["n"] for r in results["fig_8"]}):
            rows = [r for r in results["fig_8"] if r["n"] == n and r["varied"] == varied]
            axis.plot([r[varied] for r in rows], [r[key] for r in rows], "o-", label=f"n = {n}")
        axis.set(xlabel=varied, ylabel="cycles", yscale="log", title=f"Fig. 8: latency by {varied}")
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
