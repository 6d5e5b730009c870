# SPDX-License-Identifier: Apache-2.0
"""Plots of a merged document (needs matplotlib)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .documents import Row, select
from .goals import VECTOR_512

#: Curves: label, program, targets, colour, line style.
_CURVES = (
    ("nttforge AVX-512", "nttforge", VECTOR_512, "#0b5fa5", "-"),
    ("HEXL AVX-512", "hexl", VECTOR_512, "#c1440e", "-"),
    ("tfhe-ntt AVX-512", "tfhe-ntt", VECTOR_512, "#2e8b57", "-"),
    ("nttforge AVX2", "nttforge", "avx2", "#0b5fa5", "--"),
    ("FLINT fft_small AVX2 (cyclic)", "flint", "avx2", "#7b3fa0", "--"),
    ("tfhe-ntt AVX2", "tfhe-ntt", "avx2", "#2e8b57", "--"),
    ("nttforge scalar", "nttforge", "scalar", "#0b5fa5", ":"),
    ("SEAL (scalar)", "seal", "scalar", "#444444", ":"),
    ("OpenFHE (scalar)", "openfhe", "scalar", "#b8860b", ":"),
)
#: Ratios: label, our targets, peer, peer's targets, colour, style.
_RATIOS = (
    ("HEXL / nttforge, AVX-512", VECTOR_512, "hexl", VECTOR_512, "#c1440e", "-"),
    ("tfhe-ntt / nttforge, AVX-512", VECTOR_512, "tfhe-ntt", VECTOR_512, "#2e8b57", "-"),
    ("FLINT / nttforge, AVX2", "avx2", "flint", "avx2", "#7b3fa0", "--"),
    ("tfhe-ntt / nttforge, AVX2", "avx2", "tfhe-ntt", "avx2", "#2e8b57", "--"),
    ("SEAL / nttforge, scalar", "scalar", "seal", "scalar", "#444444", ":"),
)
_CLASSES = (30, 50, 60)


def transforms(document: dict[str, Any], path: Path, direction: str = "forward") -> None:
    """ns per butterfly against n for each class of primes, and below it the peers' times over
    ours."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    rows = select(document["results"], kind="transform")
    figure, axes = pyplot.subplots(2, 3, figsize=(17.5, 9), sharex=True, sharey="row")
    for column, bits in enumerate(_CLASSES):
        above, below = axes[0, column], axes[1, column]
        for label, program, target, colour, style in _CURVES:
            n, ns = _curve(rows, bits, program, target, direction)
            if n:
                above.plot(n, ns, style, color=colour, marker="o", markersize=3, label=label)
        for label, target, program, peer_target, colour, style in _RATIOS:
            ours = dict(zip(*_curve(rows, bits, "nttforge", target, direction), strict=True))
            n, ns = _curve(rows, bits, program, peer_target, direction)
            both = [
                (size, time / ours[size]) for size, time in zip(n, ns, strict=True) if size in ours
            ]
            if both:
                below.plot(
                    *zip(*both, strict=True),
                    style,
                    color=colour,
                    marker="o",
                    markersize=3,
                    label=label,
                )
        above.set_title(f"{bits}-bit primes", fontsize=13)
        below.axhline(1, color="black", linewidth=0.8)
        below.set_xlabel("transform size n", fontsize=12)
    _axes(axes, sorted({row["n"] for row in rows}))
    machine = document["machine"]
    figure.suptitle(
        f"{direction.capitalize()} transform, one core: {machine.get('cpu', '')}, "
        f"commit {machine.get('commit', '')}",
        fontsize=14,
    )
    figure.tight_layout(rect=(0, 0, 0.83, 1))
    for row, height in ((0, 0.92), (1, 0.47)):
        handles = {label: line for axis in axes[row] for line, label in _labelled(axis)}
        if handles:
            figure.legend(
                handles.values(), handles, loc="upper left", bbox_to_anchor=(0.83, height)
            )
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _labelled(axis: Any) -> list[tuple[Any, str]]:
    return list(zip(*axis.get_legend_handles_labels(), strict=True))


def _curve(
    rows: list[Row], bits: int, program: str, target: Any, direction: str
) -> tuple[list[int], list[float]]:
    """n, and ns per butterfly of the fastest build and target."""
    chosen = select(rows, bits=bits, program=program, target=target, direction=direction)
    if not chosen and direction == "inverse":
        chosen = select(
            rows, bits=bits, program=program, target=target, direction="inverse unscaled"
        )
    best: dict[int, float] = {}
    for row in chosen:
        best[row["n"]] = min(best.get(row["n"], row["ns_per_butterfly"]), row["ns_per_butterfly"])
    sizes = sorted(best)
    return sizes, [best[n] for n in sizes]


def _axes(axes: Any, sizes: list[int]) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    for row in axes:
        for axis in row:
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_locator(FixedLocator(sizes))
            axis.xaxis.set_major_formatter(
                FuncFormatter(lambda v, _: f"$2^{{{round(v).bit_length() - 1}}}$")
            )
            axis.set_yscale("log")
            axis.yaxis.set_minor_locator(NullLocator())
            axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
            axis.tick_params(labelsize=11)
    for row, ticks in ((0, (0.1, 0.2, 0.3, 0.5, 1, 2, 3)), (1, (0.7, 1, 1.2, 1.5, 2, 3, 4, 5))):
        for axis in axes[row]:
            axis.yaxis.set_major_locator(FixedLocator(ticks))
            axis.yaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
    axes[0, 0].set_ylabel("ns per butterfly (n/2 log2 n of them)", fontsize=12)
    axes[1, 0].set_ylabel("peer's time / ours", fontsize=12)


def bfv(document: dict[str, Any], path: Path) -> None:
    """How many times faster than each peer, operation by operation, one panel for each parameter
    set."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.artist import Artist
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    rows = select(document["results"], kind="bfv")
    sets = list(dict.fromkeys(row["set"] for row in rows))
    peers = [p for p in ("seal", "seal+hexl", "openfhe") if select(rows, program=p)]
    colours = {"seal": "#444444", "seal+hexl": "#c1440e", "openfhe": "#b8860b"}
    operations = [
        ("secret and public key", 1.5),
        ("relinearization key", 1.5),
        ("encrypt (public key)", 1.5),
        ("decrypt", 1.5),
        ("add in place", None),
        ("relinearize", 1.5),
        ("multiply + relinearize", 2.5),
        ("rotate", 1.5),
    ]
    across = (len(sets) + 1) // 2
    figure, axes = pyplot.subplots(2, across, figsize=(4.2 * across, 9), sharex=True, sharey=True)
    for axis, name in zip(axes.flat, sets, strict=False):
        for place, (operation, required) in enumerate(operations):
            ours = _fastest(rows, name, "nttforge", operation)
            for offset, peer in enumerate(peers):
                theirs = _fastest(rows, name, peer, operation)
                if ours and theirs:
                    y = place + 0.27 * (offset - 1)
                    # A ratio on a logarithmic axis stands on 1: right is faster, left slower.
                    ratio = theirs / ours
                    axis.barh(y, ratio - 1, 0.25, left=1, color=colours[peer], label=peer)
                    place_of_text = 1.04 * max(ratio, 1)
                    axis.text(place_of_text, y, f"{ratio:.1f}", va="center", fontsize=8)
            if required:
                axis.plot(
                    [required] * 2, [place - 0.45, place + 0.45], color="#0b5fa5", linewidth=2
                )
        axis.set_title(name, fontsize=12)
        axis.set_xscale("log")
        axis.set_xlim(0.5, 40)
        axis.axvline(1, color="black", linewidth=0.8)
        axis.xaxis.set_major_locator(FixedLocator((1, 2, 5, 10, 20)))
        axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:g}"))
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(True, axis="x", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
    for axis in axes.flat[len(sets) :]:
        axis.set_visible(False)
    axes.flat[0].set_yticks(range(len(operations)), [name for name, _ in operations], fontsize=11)
    axes.flat[0].invert_yaxis()
    handles: list[Artist] = [Rectangle((0, 0), 1, 1, color=colours[peer]) for peer in peers]
    handles.append(Line2D([], [], color="#0b5fa5", linewidth=2))
    figure.legend(handles, [*peers, "goal"], loc="lower center", ncols=4, fontsize=12)
    machine = document["machine"]
    figure.suptitle(
        "BFV, one core: how many times faster than each peer (peer's time / ours)\n"
        f"{machine.get('cpu', '')}, commit {machine.get('commit', '')}",
        fontsize=14,
    )
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _fastest(rows: list[Row], name: str, program: str, operation: str) -> float | None:
    chosen = select(rows, set=name, program=program, operation=operation)
    return min((row["min_ns"] for row in chosen), default=None)
