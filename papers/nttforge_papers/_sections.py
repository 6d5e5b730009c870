# SPDX-License-Identifier: Apache-2.0
"""What all papers' commands and the report of all share: tables with who says what, verdicts.

A section is a table whose columns are in groups: what names a row (``key``), what the paper says
(``paper``), the paper's method reproduced here (``method``), the best there is here (``ours``), and
what helps to judge (``other``). Numbers in it are :class:`~._traced.Shown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nttforge.console.output import table

from ._traced import Shown, of_paper, origin_of, plain, recorded_so_far
from ._verdicts import Claim, verdict_of, would_hold

Row = dict[str, Any]
#: Who says the figures of a group of columns, and what the report calls it.
WHO = {
    "key": "",
    "paper": "The paper",
    "method": "The paper's method, here",
    "ours": "The best here",
    "other": "Beside it",
}


@dataclass(frozen=True)
class Group:
    """Columns with one origin: what they are, who says them, and their names."""

    title: str
    who: str
    names: tuple[str, ...]


def key(*names: str) -> Group:
    return Group("", "key", names)


def paper(title: str, *names: str) -> Group:
    return Group(title, "paper", names)


def method(title: str, *names: str) -> Group:
    return Group(title, "method", names)


def ours(title: str, *names: str) -> Group:
    return Group(title, "ours", names)


def other(title: str, *names: str) -> Group:
    return Group(title, "other", names)


@dataclass(frozen=True)
class Section:
    """A titled table; ``str`` gives it as text."""

    title: str
    groups: Sequence[Group]
    body: Sequence[Sequence[str]]

    @property
    def header(self) -> list[str]:
        """Names of all columns; the first of a group has the group's title before it."""
        found: list[str] = []
        for group in self.groups:
            first, *rest = group.names
            parts = [part for part in (group.title, first) if part]
            found += [": ".join(parts), *rest]
        return found

    def __str__(self) -> str:
        return f"{self.title}\n{table(self.header, self.body)}\n"


def number(value: float | None, digits: int = 1) -> str:
    """A figure with so many digits behind the point; "-" where there is none."""
    return "-" if value is None else Shown(f"{plain(value):.{digits}f}", value)


def whole(value: float | None) -> str:
    """A count, as it is."""
    return "-" if value is None else Shown(f"{plain(value):g}" if value < 1e5 else
                                           f"{plain(value):.0f}", value)  # fmt: skip


def said(value: float | None, digits: int | None = None) -> str:
    """A number of a paper, as it prints it."""
    if value is None:
        return "-"
    kept = value if isinstance(origin_of(value), list) else of_paper(value)
    return Shown(str(plain(value)) if digits is None else f"{plain(value):.{digits}f}", kept)


def statement(
    where: str, paper: str, ours: str, *claims: Claim, because: str = "", unlike: str = ""
) -> Row:
    """A conclusion of a paper, what was found here, and the verdict that its claims give.

    Parameters
    ----------
    where, paper, ours : str
        Where the paper says it, what it says, and what was found here.
    claims : Claim
        The same as data, from which the verdict is.
    because : str
        Why it does not hold, or not in size: from the data, or by arithmetic.
    unlike : str
        What of the job or the machines is not the paper's: then nothing is judged.
    """
    found = verdict_of(claims, unlike) if all(c.measured for c in claims) else "not judged"
    row: Row = {"where": where, "paper": paper, "ours": ours, "verdict": found}
    row["claims"] = list(claims)
    if unlike:
        row["unlike"] = unlike
    elif because and found != "holds":
        row["because"] = because
    if numbers := recorded_so_far():
        row["numbers"] = numbers
    return row


def measured(statements: Iterable[Row]) -> list[Row]:
    """The conclusions of which every figure is there."""
    return [s for s in statements if all(claim.measured for claim in s["claims"])]


def as_data(statements: Iterable[Row]) -> list[Row]:
    """Conclusions whose claims are dictionaries, as JSON takes them."""
    return [{**row, "claims": [asdict(claim) for claim in row["claims"]]} for row in statements]


def reason(row: Row) -> str:
    """Why a verdict is not the best, as a sentence for its end; nothing where none is said."""
    if "unlike" in row:
        return f" Not the same job: {row['unlike']}."
    return f" Because {row['because']}." if "because" in row else ""


def rule(row: Row) -> str:
    """The kinds of its claims and the figures for which each holds, in words."""
    return "; ".join(f"{claim.kind}, holds for {would_hold(claim)}" for claim in row["claims"])


def statements_text(statements: Sequence[Row], where: str = "on this card") -> str:
    lines = []
    for s in statements:
        lines.append(f"[{s['where']}] paper: {s['paper']}")
        at = f" {where}" if s["verdict"] not in ("cannot hold", "not judged") else ""
        lines.append(f"  {s['verdict']}{at}: {s['ours']}.{reason(s)}")
    return "\n".join(lines)
