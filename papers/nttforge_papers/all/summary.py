# SPDX-License-Identifier: Apache-2.0
"""``summary.md`` of the report: its first page and all verdicts as Markdown, for code hosts."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

from .._exhibits import Exhibit
from .._sections import Row, reason
from .._verdicts import KINDS, VERDICTS
from .document import ALL
from .sources import Source

#: How verdicts are given, for readers of the summary and of the page.
RULE = (
    "Every conclusion is a row of data: kinds of claims, the figures that the paper says, those "
    "found here. One function gives the verdict. Before that, the job must be the same: both sides "
    "of a comparison come from one machine or one tool here as they did in the paper, at a clock "
    "that was reached, and do the paper's work. A ratio between two machines is not judged, "
    "because "
    "it says which machines were compared; its trend is, because the pair is compared with itself. "
    "What fails by the paper's own figures cannot hold anywhere."
)


def summary(exhibits: Sequence[Exhibit], sources: Mapping[str, Source], command: str) -> str:
    """The table of all rows, then every conclusion with its verdict, by paper."""
    counts = Counter(s["verdict"] for e in exhibits for s in e.statements)
    judged = "; ".join(f"{counts[v]} {words}" for v, (_, words) in VERDICTS.items())
    lines = ["# Five papers, every table and figure", ""]
    lines += _wrapped(
        f"Written by `{command}`, with plots and all figures in `index.html`, every "
        "number with its origin in `report.json`, errors of the papers in "
        f"[errata.md](errata.md). Of the papers' conclusions {judged}."
    )
    lines += ["", "## How verdicts are given", "", *_wrapped(RULE), ""]
    lines += ["| kind | as in | holds where | in kind, not in size, where |", "|---|---|---|---|"]
    lines += [f"| {name} | {k.example} | {k.holds} | {k.in_kind} |" for name, k in KINDS.items()]
    lines += ["", "## All tables and figures", ""]
    lines += ["| | shows | the paper | its method here | the best here | verdicts | machine |"]
    lines.append("|---|---|---|---|---|---|---|")
    for paper in ALL:
        lines += [_row(e, paper.cited, sources) for e in exhibits if e.paper == paper.key]
    for paper in ALL:
        lines += ["", f"## {paper.cited}", "", *_wrapped(f"{paper.title}.")]
        for e in exhibits:
            for s in e.statements if e.paper == paper.key else ():
                lines += ["", *_statement(s)]
    return "\n".join(lines) + "\n"


def _row(e: Exhibit, cited: str, sources: Mapping[str, Source]) -> str:
    counts = Counter(s["verdict"] for s in e.statements)
    judged = ", ".join(f"{v}: {counts[v]}" for v in counts) or "none"
    machine = "; ".join(sources[name].machine for name in e.sources if name in sources)
    top = e.headline
    cells = [f"{cited} {e.name}", e.shows, top.paper, top.method, top.best, judged]
    return f"| {' | '.join(cells)} | {machine or 'none needed'} |"


def _statement(s: Row) -> list[str]:
    return _wrapped(
        f"* **{s['verdict']}** ({s['where']}): {s['paper']}. Here: {s['ours']}.{reason(s)}", "  "
    )


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, 118, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
