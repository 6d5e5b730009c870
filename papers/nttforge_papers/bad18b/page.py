# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: the page of results: tables, verdicts, and what could not be measured."""

from __future__ import annotations

import textwrap
from collections import Counter

from .._gpu import Results
from .._sections import Row, Section, reason, statements_text
from .figures import Figures
from .statements import statements
from .tables import (
    figure_2,
    figure_4,
    table_1,
    table_2,
    table_5,
    table_5_printed,
    tables_6_7,
)

SECTIONS = (table_1, table_2, table_5_printed, table_5, tables_6_7, figure_2, figure_4)


def report(results: Results) -> str:
    """Every table, then the statements and what could not be measured."""
    f = Figures(results)
    parts = [*_heading(results), "", *(_text(section(f)) for section in SECTIONS)]
    return "\n".join([*parts, statements_text(statements(f), "here"), *_missing(f)])


def page(results: Results) -> str:
    """The same as Markdown, for keeping beside the data; made from the data alone."""
    f = Figures(results)
    judged = statements(f)
    counts = Counter(s["verdict"] for s in judged)
    held = f"{counts['holds']} of {len(judged)} hold, {counts['not judged']} are not judged"
    parts = ["# [Bad18b] here", "", *map(_prose, _heading(results)), ""]
    parts += [_prose("Written by `nttforge paper bad18b --from bad18b.json --out FOLDER`."), ""]
    parts += [f"## Conclusions: {held}", ""]
    for s in judged:
        parts += [_item(s), ""]
    if missing := _missing(f):
        parts += ["## Not measured", "", *(_prose(f"* {line}.", "  ") for line in missing), ""]
    parts += ["## Tables", ""]
    for section in SECTIONS:
        parts += ["```text", _text(section(f)).rstrip(), "```", ""]
    return "\n".join(parts)


def _text(section: Section) -> str:
    return str(section) if section.body else f"{section.title}\nnot measured\n"


def _prose(text: str, indent: str = "") -> str:
    return textwrap.fill(text, 118, subsequent_indent=indent, break_long_words=False)


def _item(s: Row) -> str:
    text = f"* **{s['verdict']}** ({s['where']}): {s['paper']}. Here: {s['ours']}.{reason(s)}"
    return _prose(text, "  ")


def _heading(results: Results) -> list[str]:
    card = (results.get("gpu") or {}).get("name", "no card")
    lines = [
        f"CPU: {results.get('cpu', 'unknown')}; card: {card}; commit {results.get('version')}."
    ]
    lines.append(
        "CPU figures are minima; the card's are medians, in graphs, but for what samples or waits."
    )
    peers = results.get("peers_cpu")
    if peers is not None and peers != results.get("cpu"):
        lines.append(f"SEAL was measured on another machine: {peers}, one core.")
    elif peers is not None:
        lines.append("SEAL was measured on one core of the same kind of machine.")
    return lines


def _missing(f: Figures) -> list[str]:
    lines = []
    if f.results.get("host_run"):
        lines.append(f"host run: {f.results['host_run']}")
    if not f.has_card:
        lines.append(
            "the columns 'card' and Fig. 4 need a card: nttforge paper bad18b --device cuda"
        )
    elif why := (f.results.get("load") or {}).get("why"):
        lines.append(f"Fig. 4: {why}")
    if not f.results.get("peers"):
        lines.append("the columns of SEAL need it: --peers PREFIX, or --seal with kept figures")
    return lines
