# SPDX-License-Identifier: Apache-2.0
"""A table or figure of a paper as the report shows it: what every paper's ``exhibits.py`` makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ._sections import Group, Row, Section, key, paper, said
from ._traced import Origin, Shown, leaves, recorded_so_far

#: Documents by name, their numbers traced; a document that is not there was not found or measured.
Documents = dict[str, Any]


@dataclass(frozen=True)
class Series:
    """One line or row of bars: its name, who says it (a key of WHO), and points."""

    name: str
    who: str
    points: Sequence[tuple[Any, str]]  # x, and y as a Shown


@dataclass(frozen=True)
class Chart:
    """Series over one axis; ``logarithmic`` has "x", "y" or both."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    logarithmic: str = ""


@dataclass(frozen=True)
class Headline:
    """A row of the first page: the paper's figure, that of its method here, the best here."""

    paper: str
    method: str
    best: str
    numbers: Sequence[tuple[str, Origin]] = ()


@dataclass(frozen=True)
class Exhibit:
    """One table or figure.

    Parameters
    ----------
    paper, name : str
        Key of the paper, and the paper's name for it.
    shows : str
        What it shows, in a sentence.
    headline : Headline
        Its row of the first page.
    sections, charts, statements : sequences
        Tables, plots and conclusions with their verdicts.
    sources : sequence of str
        Names of the documents that its figures are from, which ``with_sources`` finds; none where
        everything is computed.
    missing : sequence of str
        What was not or cannot be measured, and why.
    """

    paper: str
    name: str
    shows: str
    headline: Headline
    sections: Sequence[Section]
    charts: Sequence[Chart] = ()
    statements: Sequence[Row] = ()
    sources: Sequence[str] = ()
    missing: Sequence[str] = field(default_factory=tuple)

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return f"{self.paper}-{self.name.lower().replace('. ', '-').replace(' ', '-')}"


def with_sources(exhibit: Exhibit) -> Exhibit:
    """The exhibit with the documents that its numbers rest on, by their origins."""
    origins = [origin for _, origin in exhibit.headline.numbers]
    origins += [origin for s in exhibit.statements for _, origin in s.get("numbers", ())]
    for section in exhibit.sections:
        origins += [cell.origin for row in section.body for cell in row if isinstance(cell, Shown)]
    places = {leaf for origin in origins for leaf in leaves(origin)} - {"paper"}
    return replace(exhibit, sources=sorted({place.partition(":")[0] for place in places}))


#: Makes an exhibit of one paper: name, what it shows, headline, and the rest by name.
Make = Callable[..., Exhibit]


def headline(paper: str, method: str, best: str) -> Headline:
    """A headline with the numbers that were formatted for it."""
    return Headline(paper, method, best, tuple(recorded_so_far()))


def printed(rows: Iterable[tuple[str, float, str]]) -> Section:
    """What a paper prints beside a plot: what, number, unit."""
    body = [[what, said(value), unit] for what, value, unit in rows]
    return Section("Printed in the paper", [key("what"), paper("", "value"), key("unit")], body)


def chart(
    title: str,
    section: Section,
    x: int,
    columns: Sequence[tuple[int, str]],
    labels: tuple[str, str],
    logarithmic: str = "",
    rows: Iterable[int] | None = None,
) -> Chart:
    """A chart of columns of a section.

    Parameters
    ----------
    title : str
        Of the chart.
    section : Section
        Whose columns are drawn.
    x : int
        The column of the horizontal axis; text that is no number makes bars.
    columns : sequence of (int, str)
        The columns drawn, each with its name.
    labels : (str, str)
        Of the axes.
    logarithmic : str
        "x", "y", "xy" or nothing.
    rows : iterable of int, optional
        Rows of the section; default all.
    """
    chosen = [section.body[i] for i in rows] if rows is not None else list(section.body)
    owners = [group for group in section.groups for _ in group.names]
    series = [
        Series(name, owners[i].who, [(_place(row[x]), row[i]) for row in chosen if _is(row[i])])
        for i, name in columns
    ]
    return Chart(title, *labels, [s for s in series if s.points], logarithmic)


def select(section: Section, names: Sequence[str], title: str = "") -> Section:
    """The rows of a section whose first cell is one of ``names``."""
    body = [row for row in section.body if row[0] in names]
    return Section(title or section.title, section.groups, body)


def columns_of(section: Section, wanted: Sequence[int], title: str = "") -> Section:
    """Some columns of a section, each in its group."""
    groups, at = [], 0
    for group in section.groups:
        mine = [name for i, name in enumerate(group.names) if at + i in wanted]
        at += len(group.names)
        if mine:
            groups.append(Group(group.title, group.who, tuple(mine)))
    body = [[row[i] for i in wanted] for row in section.body]
    return Section(title or section.title, groups, body)


def about(statements: Iterable[Row], *places: str) -> list[Row]:
    """The statements about one of these places."""
    return [s for s in statements if s["where"] in places]


def _is(cell: str) -> bool:
    return isinstance(cell, Shown)


def _place(cell: str) -> Any:
    text = str.__str__(cell)
    try:
        return float(text)
    except ValueError:
        return text
