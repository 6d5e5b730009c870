# SPDX-License-Identifier: Apache-2.0
"""Parts that the written pages share: tables that scroll, bar charts, colours that can be read.

A bar chart is text and boxes, no picture, so that it keeps its letter size on a telephone. Bars
start at zero and their lengths are proportional to the values.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

#: Text colours have a contrast of at least 4.5 on PAPER and on WASH.
INK, QUIET, PAPER, WASH = "#222831", "#5a6470", "#ffffff", "#f6f7f9"
BLUE, ORANGE, GREEN, RED = "#2563a8", "#a8470f", "#256b4b", "#a92c46"

#: A bar's look: two series differ in their pattern, not in their colour alone.
PATTERNS = ("solid", "striped", "dotted")

STYLE = f"""
  .scroll {{ overflow-x: auto; margin: 4px 0 8px; }}
  .scroll:focus-visible {{ outline: 3px solid {BLUE}; outline-offset: 2px; }}
  .scroll > table, .scroll > svg {{ min-width: var(--least, 0); }}
  .hint {{ display: none; color: {QUIET}; font-size: 13.5px; margin: 8px 0 0; }}
  @media (max-width: 720px) {{ .hint {{ display: block; }} }}
  @media (max-width: 1000px) {{ .hint.large {{ display: block; }} }}
  .bars {{ display: grid; grid-template-columns: max-content 1fr; column-gap: 12px; margin: 8px 0;
          padding: 0; list-style: none; font-size: 14.5px; }}
  .bars li {{ display: contents; }}
  .bars .name {{ padding: 3px 0; }}
  .bars .plot-area {{ display: flex; align-items: center; gap: 6px; padding: 3px 0;
                      border-left: 2px solid {INK}; font-variant-numeric: tabular-nums; }}
  .bars .value {{ white-space: nowrap; }}
  .bar {{ position: relative; height: 15px; min-width: 1px; flex: none; }}
  .bar.solid, .key.solid {{ background: {BLUE}; }}
  .bar.striped, .key.striped {{ box-shadow: inset 0 0 0 1.5px {ORANGE};
    background: repeating-linear-gradient(135deg, {ORANGE} 0 3px, {PAPER} 3px 6px); }}
  .bar.dotted, .key.dotted {{ box-shadow: inset 0 0 0 1.5px {GREEN};
    background: radial-gradient({GREEN} 40%, {PAPER} 45%) 0 0 / 6px 6px; }}
  .mark {{ position: absolute; top: -3px; height: 21px; width: 3px; background: {INK};
          outline: 1.5px solid {PAPER}; }}
  .key {{ display: inline-block; width: 26px; height: 13px; margin-right: 6px;
         vertical-align: -1px; }}
  .key.line {{ width: 3px; background: {INK}; height: 15px; margin: 0 8px; }}
  .legend span {{ white-space: nowrap; margin-right: 18px; }}
  @media (max-width: 720px) {{
    .bars {{ grid-template-columns: 1fr; }}
    .bars .name {{ padding: 6px 0 0; }}
  }}
  @media (forced-colors: active) {{ .bar, .key, .mark {{ forced-color-adjust: none; }} }}
"""


def grouped(text: str) -> str:
    """Numbers of five digits and more, in groups of three.

    >>> grouped("n = 16384, t = 65537, 1024 slots")
    'n = 16,384, t = 65,537, 1024 slots'
    """
    return re.sub(r"\b\d{5,}\b", lambda number: f"{int(number[0]):,}", text)


def scrollable(inner: str, label: str, least: int | None = None) -> str:
    """A part of the page that scrolls sideways by finger, wheel or, once focused, arrow keys.

    Parameters
    ----------
    inner, label : str
        HTML of a table or picture, and its name for a screen reader.
    least : int, optional
        The least width in pixels: below it the part scrolls instead of being squeezed, and a line
        above it says so.
    """
    style, hint = "", ""
    if least is not None:
        style = f' style="--least: {least}px"'
        kind = "hint" if least <= 720 else "hint large"
        hint = f'<p class="{kind}">Scroll sideways to see all of it →</p>'
    name = html.escape(label)
    return (
        f'{hint}<div class="scroll" role="region" tabindex="0" aria-label="{name}"{style}>'
        f"{inner}</div>"
    )


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    label: str,
    numbers: Collection[int] = (),
    least: int | None = None,
) -> str:
    """A table in a part that scrolls; cells are HTML, columns of ``numbers`` are to the right."""

    def cells(row: Sequence[str], tag: str) -> str:
        number = f'{tag} class="number"'
        return "".join(
            f"<{number if i in numbers else tag}>{text}</{tag}>" for i, text in enumerate(row)
        )

    head = f"<thead><tr>{cells(header, 'th')}</tr></thead>"
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return scrollable(f"<table>{head}<tbody>{body}</tbody></table>", label, least)


@dataclass(frozen=True)
class Bar:
    """One bar: name and text are HTML; ``mark`` is a second value, shown as a line."""

    name: str
    value: float
    text: str
    pattern: str = PATTERNS[0]
    mark: float | None = None


def bar_chart(bars: Sequence[Bar], widest: int = 70) -> str:
    """Bars from zero, their lengths proportional to their values, each with its number.

    ``widest`` is the longest bar's share of the place in per cent; the rest is for its number.
    """
    largest = max((max(b.value, b.mark or 0) for b in bars), default=0) or 1

    def row(bar: Bar) -> str:
        length = max(bar.value, 0.0)
        mark = ""
        if bar.mark is not None:
            share = 100 * max(bar.mark, 0.0) / length if length else 0.0
            mark = f'<i class="mark" style="left: {share:.2f}%"></i>'
        return (
            f'<li><span class="name">{bar.name}</span><span class="plot-area">'
            f'<span class="bar {bar.pattern}" style="width: {widest * length / largest:.2f}%">'
            f'{mark}</span><span class="value">{bar.text}</span></span></li>'
        )

    return f'<ul class="bars">{"".join(map(row, bars))}</ul>'


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """What each pattern means: pairs of a pattern (or "line" for a mark) and its HTML."""
    keys = "".join(f'<span><i class="key {pattern}"></i>{text}</span>' for pattern, text in entries)
    return f'<p class="legend">{keys}</p>'
