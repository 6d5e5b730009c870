# SPDX-License-Identifier: Apache-2.0
"""Charts of the report as SVG: lines over numbers, points over names; the same bytes each time."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nttforge import _html

from .._exhibits import Chart, Series

_LEFT, _RIGHT, _TOP = 62, 12, 10
_LETTER = 14
#: About how wide a letter is, and by how much names that do not fit are turned, in degrees.
_LETTER_WIDTH, _TURN = 8.0, 38
#: Colours of series: a contrast of 3 and more on white, as lines need.
COLOURS = (_html.BLUE, _html.ORANGE, _html.GREEN, _html.RED, "#6b3fa0", _html.QUIET, _html.INK)
#: Markers tell series apart without their colour; the paper's lines are dashed too.
MARKERS: tuple[Callable[[float, float], str], ...] = (
    lambda x, y: f"M{x - 4:.1f} {y:.1f}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    lambda x, y: f"M{x - 4:.1f} {y - 4:.1f}h8v8h-8z",
    lambda x, y: f"M{x:.1f} {y - 5:.1f}l5 9h-10z",
    lambda x, y: f"M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z",
    lambda x, y: f"M{x:.1f} {y + 5:.1f}l5 -9h-10z",
    lambda x, y: f"M{x - 5:.1f} {y - 1.5:.1f}h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z",
    lambda x, y: f"M{x - 5:.1f} {y - 2:.1f}h10v4h-10z",
)


@dataclass(frozen=True)
class _Size:
    """Units of a drawing and its class, by which the style shows it or not."""

    width: int
    height: int
    kind: str


#: Half of the page's width or a telephone's, and all of a page's.
HALF, WHOLE = _Size(480, 300, "half"), _Size(1080, 330, "whole")


def all_of(several: Sequence[Chart], name: str) -> str:
    """Charts as figures, two in a row; one that is alone in its row is as wide as the page."""
    shown = [chart for chart in several if chart.series]
    odd = len(shown) % 2 == 1
    figures = [draw(c, f"{name}-{i}", odd and i == len(shown) - 1) for i, c in enumerate(shown)]
    return f'<div class="charts">{"".join(figures)}</div>' if figures else ""


def draw(chart: Chart, name: str, alone: bool = False) -> str:
    """A chart as a figure of HTML; ``name`` makes its ids.

    alone: drawn twice, as wide as the page and as narrow as a telephone; the style shows one.
    """
    if not chart.series:
        return ""
    sizes = (WHOLE, HALF) if alone else (HALF,)
    pictures = "".join(_picture(chart, f"{name}-{size.kind}", size) for size in sizes)
    caption = f"{html.escape(chart.title)}: {html.escape(chart.y)} by {html.escape(chart.x)}"
    kind = ' class="alone"' if alone else ""
    return (
        f"<figure{kind}>{pictures}<figcaption>{caption}. {_legend(chart.series)}</figcaption>"
        "</figure>"
    )


def _picture(chart: Chart, name: str, size: _Size) -> str:
    names = [x for s in chart.series for x, _ in s.points if isinstance(x, str)]
    labels = list(dict.fromkeys(names))
    xs = [float(x) for s in chart.series for x, _ in s.points if not isinstance(x, str)]
    ys = [float(y.value) for s in chart.series for _, y in s.points]  # type: ignore[attr-defined]
    logarithmic_y = "y" in chart.logarithmic and min(ys) > 0
    bottom = size.height - (_room_for(labels, size) if labels else 46)
    y = _Axis(min(ys), max(ys), bottom, _TOP, logarithmic_y, from_zero=not logarithmic_y)
    x: _Axis | _Names
    if labels:
        x = _Names(labels, size.width)
    else:
        few = sorted(set(xs)) if len(set(xs)) <= size.width // 60 else None
        end = size.width - _RIGHT - 12
        x = _Axis(min(xs), max(xs), _LEFT + 12, end, "x" in chart.logarithmic, ticks=few)
    body = _frame(x, y, bottom, chart, size)
    for i, series in enumerate(chart.series):
        body += _series(series, i, x, y, joined=not labels)
    ids = f"{name}-t", f"{name}-d"
    alternative = (
        f'<title id="{ids[0]}">{html.escape(chart.title)}: {html.escape(chart.y)} by '
        f'{html.escape(chart.x)}</title><desc id="{ids[1]}">{html.escape(describe(chart))}</desc>'
    )
    return (
        f'<svg class="{size.kind}" viewBox="0 0 {size.width} {size.height}" role="img" '
        f'aria-labelledby="{ids[0]} {ids[1]}">{alternative}{body}</svg>'
    )


def describe(chart: Chart) -> str:
    """The chart in words: the ends of every series; the table beside it has all of its points."""
    parts = []
    for series in chart.series:
        (first, a), (last, b) = series.points[0], series.points[-1]
        text = f"{series.name}: {a} at {_plain(first)}"
        parts.append(text + (f", {b} at {_plain(last)}" if len(series.points) > 1 else ""))
    return "; ".join(parts) + "."


def _plain(x: Any) -> str:
    return x if isinstance(x, str) else f"{x:g}"


class _Axis:
    """Values to pixels, and ticks."""

    def __init__(
        self,
        low: float,
        high: float,
        start: float,
        end: float,
        logarithmic: bool,
        from_zero: bool = False,
        ticks: Sequence[float] | None = None,
    ) -> None:
        self.logarithmic = logarithmic and low > 0
        low = min(low, 0.0) if from_zero else low
        if high <= low:
            high = low * 2 if low > 0 else low + 1
        if self.logarithmic:
            self.low, self.high = math.log10(low), math.log10(high)
            if ticks is None:  # some room, so that no point stands on the frame
                self.low, self.high = self.low - 0.05, self.high + 0.05
            self.ticks = list(ticks) if ticks else _powers(self.low, self.high)
        else:
            self.low, self.high = low, high * (1.05 if from_zero else 1.0)
            self.ticks = list(ticks) if ticks else _round_steps(self.low, self.high)
        self.start, self.end = start, end

    def __call__(self, value: Any) -> float:
        v = math.log10(value) if self.logarithmic else float(value)
        return self.start + (v - self.low) / (self.high - self.low) * (self.end - self.start)


class _Names:
    """Names side by side."""

    def __init__(self, names: Sequence[str], width: int) -> None:
        self.ticks = list(names)
        step = (width - _LEFT - _RIGHT) / len(names)
        self._at = {name: _LEFT + step * (i + 0.5) for i, name in enumerate(names)}

    def __call__(self, value: Any) -> float:
        return self._at[value]


def _powers(low: float, high: float) -> list[float]:
    steps = (1,) if high - low > 2.5 else (1, 2, 5)
    values = [s * 10.0**e for e in range(math.floor(low), math.ceil(high) + 1) for s in steps]
    return [v for v in values if low <= math.log10(v) <= high]


def _round_steps(low: float, high: float) -> list[float]:
    raw = (high - low) / 5
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _upright(names: Sequence[str], size: _Size) -> bool:
    """Whether names fit side by side; else they are turned."""
    room = (size.width - _LEFT - _RIGHT) / len(names)
    return room > _LETTER_WIDTH * (max(map(len, names)) + 1)


def _room_for(names: Sequence[str], size: _Size) -> float:
    """Height below the axis for names."""
    if _upright(names, size):
        return 32.0
    return 24 + _LETTER_WIDTH * max(map(len, names)) * math.sin(math.radians(_TURN))


def _frame(x: _Axis | _Names, y: _Axis, bottom: float, chart: Chart, size: _Size) -> str:
    parts = []
    for tick in y.ticks:
        at = y(tick)
        parts.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{size.width - _RIGHT}"/>')
        parts.append(_text(_LEFT - 6, at + 5, _short(tick), "end"))
    last = -1e9
    upright = isinstance(x, _Names) and _upright(x.ticks, size)
    names: Sequence[float | str] = x.ticks
    for name in names:
        at = x(name)
        if isinstance(name, str):
            if upright:
                parts.append(_text(at, bottom + 18, name, "middle"))
                continue
            place = f'transform="translate({at:.1f} {bottom + 16:.1f}) rotate(-{_TURN})"'
            parts.append(
                f'<text font-size="{_LETTER}" text-anchor="end" {place}>{html.escape(name)}</text>'
            )
        elif at - last > 34:
            parts.append(_text(at, bottom + 18, f"{name:g}", "middle"))
            last = at
    parts.append(f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{size.width - _RIGHT}"/>')
    if not isinstance(x, _Names):
        middle = (_LEFT + size.width - _RIGHT) / 2
        parts.append(_text(middle, size.height - 6, chart.x, "middle"))
    place = f'transform="translate(14 {(_TOP + bottom) / 2:.1f}) rotate(-90)"'
    parts.append(
        f'<text font-size="{_LETTER}" text-anchor="middle" {place}>{html.escape(chart.y)}</text>'
    )
    return "".join(parts)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{_LETTER}" text-anchor="{anchor}">'
        f"{html.escape(text)}</text>"
    )


def _short(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:g}M"
    return f"{value / 1e3:g}k" if abs(value) >= 1e4 else f"{value:g}"


def _series(series: Series, i: int, x: _Axis | _Names, y: _Axis, joined: bool) -> str:
    colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
    places = [(x(a), y(b.value)) for a, b in series.points]  # type: ignore[attr-defined]
    marks = "".join(marker(*place) for place in places)
    line = ""
    if joined and len(places) > 1:
        d = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in places)
        dashes = ' stroke-dasharray="6 4"' if series.who == "paper" else ""
        line = f'<path d="{d}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>'
    return f'{line}<path d="{marks}" fill="{colour}"/>'


def _legend(all_series: Sequence[Series]) -> str:
    items = []
    for i, series in enumerate(all_series):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        key = (
            f'<svg class="mark-key" viewBox="0 0 14 14" aria-hidden="true">'
            f'<path d="{marker(7, 7)}" fill="{colour}"/></svg>'
        )
        items.append(f"<span>{key}{_html.grouped(html.escape(series.name))}</span>")
    return f'<span class="legend">{" ".join(items)}</span>'
