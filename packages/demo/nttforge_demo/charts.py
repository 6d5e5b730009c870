# SPDX-License-Identifier: Apache-2.0
"""Charts of the page made of text and boxes: time of each phase, noise after each step."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from nttforge._html import Bar, bar_chart, legend
from nttforge.console.output import duration

if TYPE_CHECKING:
    from .result import Phase

_PATTERNS = {"client": "solid", "server": "striped"}


def phase_times(phases: list[Phase]) -> str:
    """One bar per phase, with the pattern of who works."""
    bars = [
        Bar(f"{who(p.who)} {html.escape(p.name)}", p.seconds, duration(p.seconds), _PATTERNS[p.who])
        for p in phases
    ]
    return legend([(pattern, name) for name, pattern in _PATTERNS.items()]) + bar_chart(bars)


def who(name: str) -> str:
    """Client or server, as the page writes it."""
    return f'<span class="who {name}">{name}</span>'


def noise(steps: list[dict[str, Any]]) -> str:
    """Bits of noise budget after each step, measured with the key and predicted without it."""
    bars = []
    for step in steps:
        measured, predicted = step["bits"], step["predicted_bits"]
        text = f'{measured:,.0f} bits <span class="quiet">predicted {predicted:,.0f}</span>'
        bars.append(Bar(html.escape(step["name"]), measured, text, "solid", max(predicted, 0)))
    entries = [("solid", "measured with the secret key"), ("line", "predicted by the server")]
    return legend(entries) + bar_chart(bars, widest=46)
