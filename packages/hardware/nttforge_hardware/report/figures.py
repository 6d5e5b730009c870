# SPDX-License-Identifier: Apache-2.0
"""The pictures of a report as SVG: block diagrams, resources predicted and counted, cells."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from nttforge._html import PATTERNS, Bar, bar_chart, scrollable

_BLUE, _ORANGE, _GREEN, _GREY = "#dde8f5", "#f5e8dd", "#e3f0df", "#eeeeee"
_MARKER = (
    "<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' "
    "orient='auto-start-reverse'><path d='M0 0 L8 4 L0 8 z' fill='#333'/></marker></defs>"
)


def _svg(width: int, height: int, body: str) -> str:
    picture = (
        f"<svg viewBox='0 0 {width} {height}' width='{width}' height='{height}' role='img' "
        "aria-label='Block diagram' style='max-width:100%;height:auto' "
        f"font-family='sans-serif' font-size='13'>{body}</svg>"
    )
    return scrollable(picture, "Block diagram", least=5 * width // 6)


def _box(x: int, y: int, width: int, height: int, fill: str, lines: Sequence[str]) -> str:
    middle = y + height / 2 + 4.5 - 8 * (len(lines) - 1)
    text = "".join(
        f"<text x='{x + width / 2}' y='{middle + 16 * i}' text-anchor='middle'>"
        f"{html.escape(line)}</text>"
        for i, line in enumerate(lines)
    )
    frame = f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='3' fill='{fill}'"
    return f"{frame} stroke='#333'/>{text}"


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    line = f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='#333'"
    return f"{line} marker-end='url(#tip)'/>"


def block_diagram(p: dict[str, Any]) -> str:
    """What a design is made of, from the parameters in its manifest."""
    kind = p.get("kind", "transform")
    if kind in ("transform", "dgt"):
        return _super_pipelines(p)
    chains = {"product": _product, "dataflow": _dataflow, "keyswitch": _keyswitch}
    return _chain(chains.get(kind, _permutation)(p))


def _super_pipelines(p: dict[str, Any]) -> str:
    """Super pipelines of one limb with the way back."""
    stages = p["n"].bit_length() - 1 - (p["kind"] == "dgt")
    cores = p["dp"] // (4 if p["kind"] == "dgt" else 2)
    passes = -(-stages // p["pp"])
    places = range(p["pp"]) if p["pp"] <= 5 else [0, 1, 2, None, p["pp"] - 1]
    parts, x, middle = [], 128, 84
    parts.append(f"<text x='0' y='{middle - 8}'>{p['dp']} coefficients</text>")
    parts.append(f"<text x='0' y='{middle + 16}'>a cycle</text>" + _arrow(62, middle, x, middle))
    first = x
    for place in places:
        if place is None:
            parts.append(f"<text x='{x + 8}' y='{middle + 5}'>…</text>")
            x += 30
            parts.append(_arrow(x, middle, x + 26, middle))
            x += 26
            continue
        parts.append(_box(x, 28, 168, 104, "none", []))
        parts.append(
            f"<text x='{x + 84}' y='46' text-anchor='middle'>super pipeline {place}</text>"
        )
        parts.append(_box(x + 8, 56, 68, 66, _BLUE, ["permu-", "tation"]))
        parts.append(_box(x + 88, 56, 72, 36, _ORANGE, [f"{cores} core{'s' * (cores > 1)}"]))
        parts.append(_box(x + 88, 98, 72, 24, _GREEN, ["twiddles"]))
        parts.append(_arrow(x + 76, 74, x + 88, 74))
        x += 168
        parts.append(_arrow(x, middle, x + 26, middle))
        x += 26
    parts.append(f"<text x='{x + 4}' y='{middle + 5}'>out</text>")
    if passes > 1:
        end = x - 26 - 40
        parts.append(
            f"<path d='M{end} 132 V156 H{first + 40} V134' fill='none' stroke='#b04a4a' "
            "marker-end='url(#tip)'/>"
            f"<text x='{(first + end) / 2}' y='172' text-anchor='middle'>and round again: "
            f"{passes} passes for {stages} stages</text>"
        )
    limbs = len(p["moduli"])
    said = "One such instance." if limbs == 1 else f"{limbs} such instances, one per limb, in step."
    return _svg(x + 40, 182, _MARKER + "".join(parts)) + f"<p>{said}</p>"


_Boxes = list[tuple[str, list[str]]]


def _product(p: dict[str, Any]) -> _Boxes:
    return [
        (_BLUE, ["two forward", "transforms"]),
        (_ORANGE, [f"{p['dp'] * len(p['moduli'])} modular", "multipliers"]),
        (_BLUE, ["one inverse", "transform"]),
    ]


def _dataflow(p: dict[str, Any]) -> _Boxes:
    memories = f"{2 * p['units']} memories"
    return [
        (_GREEN, [memories, "one read, one write"]),
        (_BLUE, ["Benes network"]),
        (_ORANGE, [f"{p['units']} cores", p["algorithm"]]),
        (_BLUE, ["Benes network"]),
        (_GREEN, ["the same", memories]),
    ]


def _keyswitch(p: dict[str, Any]) -> _Boxes:
    primes = len(p["moduli"]) + len(p["special"])
    return [
        (_GREEN, ["polynomial,", "digits, sums"]),
        (_ORANGE, ["base", "conversion"]),
        (_BLUE, [f"{primes} engines,", "both directions"]),
        (_ORANGE, ["times keys,", "sums"]),
        (_ORANGE, ["division by", "special primes"]),
    ]


def _permutation(p: dict[str, Any]) -> _Boxes:
    return [
        (_BLUE, ["Benes network", f"{p['dp']} lanes"]),
        (_GREEN, [f"{p['dp']} memories", "of two frames"]),
        (_BLUE, ["Benes network"]),
    ]


def _chain(boxes: _Boxes) -> str:
    parts, x = [_arrow(0, 40, 26, 40)], 26
    for fill, lines in boxes:
        parts.append(_box(x, 12, 150, 56, fill, lines) + _arrow(x + 150, 40, x + 176, 40))
        x += 176
    return _svg(x + 8, 80, _MARKER + "".join(parts))


_RESOURCES = {
    "dsps": "DSP blocks",
    "ramb18": "block memories",
    "uram": "UltraRAM",
    "luts": "LUTs",
    "ffs": "flip-flops",
}


def resource_chart(
    series: dict[str, dict[str, int]], available: dict[str, int], device: str
) -> str:
    """Bars of what a design takes of a device, by who says it: all on one scale, from zero.

    Parameters
    ----------
    series : dict of str to dict
        For example {"predicted": {"dsps": 12, ...}, "Yosys, xcup": {...}}.
    available : dict
        What the device has of each; other resources are not drawn.
    device : str
        Its name.
    """
    looks = {who: PATTERNS[i % len(PATTERNS)] for i, who in enumerate(series)}
    bars = []
    for key, name in _RESOURCES.items():
        for who, counted in series.items():
            if not available.get(key) or not (key in counted and (counted[key] or key != "uram")):
                continue
            share = 100 * counted[key] / available[key]
            text = f"{share:.2g} %" if share < 10 else f"{share:.0f} %"
            text += f" ({counted[key]:,} of {available[key]:,})"
            bars.append(Bar(f"{name}, {html.escape(who)}", share, text, looks[who]))
    if not bars:
        return ""
    largest = max(bar.value for bar in bars)
    return (
        f"<p>Share of {html.escape(device)}, all bars on one scale from zero: the longest is "
        f"{largest:.2g} %.</p>{bar_chart(bars, 55)}"
    )


def cell_chart(cells: dict[str, int]) -> str:
    """Cells by kind, as bars on a scale that is linear in their number."""
    shown = sorted(cells.items(), key=lambda c: -c[1])[:12]
    return bar_chart([Bar(html.escape(name), count, f"{count:,}") for name, count in shown])
