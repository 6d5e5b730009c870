# SPDX-License-Identifier: Apache-2.0
"""``index.html`` of the report: one file without a network, for a screen, a telephone and paper."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from nttforge import _html

from .._exhibits import Exhibit
from .._sections import WHO, Group, Row, Section, reason, rule
from .._traced import Shown
from .._verdicts import KINDS, VERDICTS, Verdict
from . import charts
from .document import ALL, Paper
from .errata import ERRATA, Erratum
from .sources import Source
from .summary import RULE

_CLASSES: Mapping[Verdict, str] = {
    "holds": "good",
    "holds in kind, not in size": "part",
    "does not hold": "bad",
    "cannot hold": "none",
    "not judged": "other",
}


def page(
    exhibits: Sequence[Exhibit],
    sources: Mapping[str, Source],
    failed: Sequence[str],
    command: str,
) -> str:
    """The whole page."""
    own = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    style = _html.STYLE + re.sub(r"/\*.*?\*/", "", own)
    head = (
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<title>nttforge: five papers, every table and figure</title>"
        f"<style>{' '.join(style.split())}</style></head>\n"
    )
    body = [
        '<body><a class="skip" href="#first">Skip to the table of all figures</a>',
        _header(exhibits, sources, failed, command),
        "<main>",
        _rule(),
        _first_page(exhibits, sources),
        *(_paper(p, exhibits, sources) for p in ALL),
        _errata(),
        "</main>",
        f"<footer><p>Made by <code>{html.escape(command)}</code>. Every number is in "
        "<code>report.json</code> with the place in the data that it is from.</p></footer>",
        "</body></html>\n",
    ]
    return head + "\n".join(body)


def _say(text: str) -> str:
    return _html.grouped(html.escape(text, quote=False))


def _header(
    exhibits: Sequence[Exhibit], sources: Mapping[str, Source], failed: Sequence[str], command: str
) -> str:
    judged = _judged(s for e in exhibits for s in e.statements)
    links = "".join(f'<li><a href="#{p.key}">{p.cited}</a></li>' for p in ALL)
    kept = [s for s in sources.values() if s.kept]
    here = [s for s in sources.values() if not s.kept]
    lines = [f"<li><b>{_say(s.name)}</b>: {_say(s.sentence)}</li>" for s in (*here, *kept)]
    lines += [f"<li>{_say(text)}</li>" for text in failed]
    return (
        "<header><h1>Five papers, every table and figure</h1>"
        f"<p class='lead'>{len(exhibits)} tables and figures of five papers about number theoretic "
        "transforms: what the paper says, the paper's method written again and run here, and the "
        f"best that nttforge has. Of the papers' conclusions {judged}.</p>"
        f'<nav aria-label="Papers"><ul><li><a href="#rule">How verdicts are given</a></li>'
        f'<li><a href="#first">All in one table</a></li>{links}'
        '<li><a href="#errata">Errata</a></li></ul></nav>'
        "<section><h2>Where the figures are from</h2><p>A machine with the device measures for "
        "itself; elsewhere results kept in the repository are shown, and each says which.</p>"
        f"<ul>{''.join(lines)}</ul></section></header>"
    )


def _judged(statements: Iterable[Row]) -> str:
    """How many conclusions have which verdict, in words."""
    counts = Counter(s["verdict"] for s in statements)
    return "; ".join(f"{counts[v]} {words}" for v, (_, words) in VERDICTS.items() if counts[v])


def _rule() -> str:
    """How verdicts are given."""
    names = ("Kind of claim", "As in", "Holds where", "In kind, not in size, where")
    header = " ".join(f'<th scope="col">{n}</th>' for n in names)
    rows = " ".join(
        f'<tr><th scope="row">{name}</th> <td>{_say(kind.example)}</td> '
        f"<td>{_say(kind.holds)}</td> <td>{_say(kind.in_kind)}</td></tr>"
        for name, kind in KINDS.items()
    )
    table = (
        f"<table><caption>Kinds of claims</caption><thead><tr>{header}</tr></thead> "
        f"<tbody>{rows}</tbody></table>"
    )
    return (
        f'<section id="rule"><h2>How verdicts are given</h2><p>{_say(RULE)}</p>'
        + _html.scrollable(table, "Kinds of claims", 640)
        + "</section>"
    )


def _first_page(exhibits: Sequence[Exhibit], sources: Mapping[str, Source]) -> str:
    cited = {p.key: p.cited for p in ALL}
    rows = []
    for i, e in enumerate(exhibits, 1):
        link = f'<a href="#{e.anchor}">{cited[e.paper]} {html.escape(e.name)}</a>'
        top = e.headline
        where = [sources[name] for name in e.sources if name in sources]
        machine = "; ".join(
            f"{s.machine}{', ' + s.date if s.date else ''}{'' if s.kept else ', here'}"
            for s in where
        )
        cells = [_say(e.shows), _say(top.paper), _say(top.method), _say(top.best)]
        cells += [_verdicts(e), _say(machine or "computed, or the paper's own")]
        rows.append(
            f'<tr><td class="number">{i}</td> <th scope="row">{link}</th>'
            + "".join(f" <td>{c}</td>" for c in cells)
            + "</tr>"
        )
    names = ["No.", "Table or figure", "Shows", "The paper", "Its method here", "The best here"]
    names += ["Conclusions", "Machine and date"]
    header = " ".join(f'<th scope="col">{n}</th>' for n in names)
    table = (
        f"<table><caption>All {len(exhibits)} tables and figures that can be measured, computed or "
        f"counted</caption><thead><tr>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
    return (
        '<section id="first"><h2>All in one table</h2>'
        + _html.scrollable(table, "All tables and figures", 1000)
        + f"{_count(exhibits)}</section>"
    )


def _verdicts(e: Exhibit) -> str:
    counts = Counter(s["verdict"] for s in e.statements)
    said = []
    for v, (sign, words) in VERDICTS.items():
        if counts[v]:
            short = v if counts[v] == 1 else words.removesuffix(" here")
            said.append(f'<span class="{_CLASSES[v]}">{sign} {counts[v]} {short}</span>')
    return " ".join(said) or "none"


def _count(exhibits: Sequence[Exhibit]) -> str:
    rest = "; ".join(
        f"{p.cited} {', '.join(f'{name} ({why})' for name, why in p.left_out)}"
        for p in ALL
        if p.left_out
    )
    return (
        "<p>How they are counted: a plot with parts is one figure. Three rows are not times of the "
        "papers' machines but can be checked all the same: [Kim20] Fig. 8 (sizes, computed), "
        "[Din24] Fig. 1 (accesses, counted) and the depths of [Bad18b] Table 4 (products, "
        f"decrypted). Not repeated, for there is nothing to measure: {_say(rest)}.</p>"
    )


def _paper(paper: Paper, exhibits: Sequence[Exhibit], sources: Mapping[str, Source]) -> str:
    mine = [e for e in exhibits if e.paper == paper.key]
    judged = _judged(s for e in mine for s in e.statements)
    found = "".join(f"\n{_exhibit(e, sources)}" for e in mine)
    return (
        f'<section class="paper" id="{paper.key}"><h2>{paper.cited} {html.escape(paper.title)}</h2>'
        f"<p>The paper's machines: {_say(paper.machines)}. Of its conclusions {judged}.</p>"
        f"{found}</section>"
    )


def _exhibit(e: Exhibit, sources: Mapping[str, Source]) -> str:
    parts = [f'<article id="{e.anchor}"><h3>{html.escape(e.name)}</h3><p>{_say(e.shows)}</p>']
    if e.statements:
        items = "".join(_statement(s) for s in e.statements)
        parts.append(f'<h4>Conclusions</h4><ul class="conclusions">{items}</ul>')
    if drawn := charts.all_of(e.charts, e.anchor):
        parts.append(f"<h4>Plot</h4>{drawn}")
    if tables := "".join(_table(s) for s in e.sections if s.body):
        parts.append(f"<h4>Figures</h4>{tables}")
    where = [sources[name] for name in e.sources if name in sources]
    lines = [f"<li>{_say(s.sentence)}</li>" for s in where]
    if not where:
        lines = ["<li>no measurement: the paper's own figures, and what follows from them</li>"]
    parts.append(f'<h4>From</h4><ul class="quiet">{"".join(lines)}</ul>')
    if e.missing:
        lines = [f"<li>{_say(text)}</li>" for text in e.missing]
        parts.append(f'<h4>Not measured, and why</h4><ul class="quiet">{"".join(lines)}</ul>')
    return "".join(parts) + "</article>"


def _statement(s: Row) -> str:
    v: Verdict = s["verdict"]
    tested = f' <span class="quiet">({_say(rule(s))})</span>' if s["claims"] else ""
    return (
        f'<li><span class="{_CLASSES[v]}">{VERDICTS[v][0]} {v}</span> {_say(s["where"])}: '
        f"{_say(s['paper'])}. <b>Here:</b> {_say(s['ours'])}.{_say(reason(s))}{tested}</li>"
    )


def _table(section: Section) -> str:
    groups = " ".join(map(_group, section.groups))
    owners = [g.who for g in section.groups for _ in g.names]
    names = " ".join(
        f'<th scope="col" class="who-{g.who}">{_say(n)}</th>'
        for g in section.groups
        for n in g.names
    )
    rows = []
    for row in section.body:
        cells = []
        for cell, who in zip(row, owners, strict=True):
            if who == "key":
                cells.append(f'<th scope="row">{_say(cell)}</th>')
            else:
                kind = " number" if isinstance(cell, Shown) or cell == "-" else ""
                text = "–" if cell == "-" else _say(cell)
                cells.append(f'<td class="who-{who}{kind}">{text}</td>')
        rows.append(f"<tr>{' '.join(cells)}</tr>")
    caption = f"<caption>{_say(section.title)}</caption>"
    head = f"<thead><tr>{groups}</tr> <tr>{names}</tr></thead> "
    wide = 90 * len(owners) if len(owners) > 4 else None
    table = f"<table>{caption}{head} <tbody>{' '.join(rows)}</tbody></table>"
    return _html.scrollable(table, section.title, wide)


#: Titles of groups that the report says in its own words.
_ECHOES = ("paper", "here", "ours", "paper's method")


def _group(group: Group) -> str:
    span = f'colspan="{len(group.names)}"'
    if group.who == "key":
        return f"<td {span}></td>"
    said = [part for part in (WHO[group.who], group.title) if part and part not in _ECHOES]
    return f'<th scope="colgroup" {span} class="who-{group.who}">{_say(": ".join(said))}</th>'


def _errata() -> str:
    items = "".join(f"\n{_erratum(e)}" for e in ERRATA)
    return (
        '<section id="errata"><h2>Errata of the papers</h2><p>Found while every figure was '
        "checked: what is printed, what it should be, and the proof, each of which is a test.</p>"
        f"<ol>{items}</ol></section>"
    )


def _erratum(e: Erratum) -> str:
    return (
        f"<li><b>{_say(e.where)}</b>. Printed: {_say(e.printed)} Right: {_say(e.right)} "
        f"Proof: {_say(e.proof)}</li>"
    )
