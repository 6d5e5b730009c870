# SPDX-License-Identifier: Apache-2.0
"""Two builds of the library on one machine: the same programs in turns, compared cell by cell.

A cell is one figure of a program: a transform of one class, size, target and direction, or one
operation of a scheme. Both builds measure a part (the cells of one size) within seconds of each
other, and the first of the two changes from round to round. Two figures compare a cell: the median
of the rounds' ratios, which other work disturbs, and the ratio of the smallest times, which a boost
of the clock disturbs that only one build met. What both say counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from nttforge.console.output import table
from nttforge.errors import FormatError

from .documents import KEYS, Row
from .rounds import Progress, Step

SCHEMA = "nttforge-bench-against-1"
SIDES: tuple[str, str] = ("this", "other")

#: What stands in a table's line and in its columns, by kind of row.
_LINES = {
    "transform": ("bits", "target", "direction"),
    "product": ("bits", "target", "direction"),
    "batch": ("bits", "limbs", "threads", "target", "direction"),
    "rns": ("operation", "target"),
    "bfv": ("operation", "variant"),
    "gpu_transform": ("bits", "word_bits", "limbs", "direction"),
    "package_transform": ("bits", "word_bits", "direction"),
    "package_bfv": ("operation",),
}
_COLUMNS = {"rns": ("n", "k", "bits"), "bfv": ("set",)}
_UNITS = {"bits": "-bit", "word_bits": "-bit words", "limbs": " limbs", "threads": " threads"}


@dataclass(frozen=True)
class Build:
    """One of the two builds.

    Attributes
    ----------
    programs : Path
        Folder of its benchmark programs; or the Python in which its package is installed.
    commit, flags : str
        Of its sources and compiler, or "unknown"; the package's version.
    script : Path or None
        Python program that measures an installed package, instead of programs.
    """

    programs: Path
    commit: str
    flags: str
    script: Path | None = None


@dataclass(frozen=True)
class Part:
    """Cells that one call of a program measures.

    Attributes
    ----------
    name : str
        Of the part and its raw documents.
    program : str
        File name in a build's folder of programs.
    words : list of str
        The program's options.
    core : int or None
        Core to run on; None: any that this process may use.
    """

    name: str
    program: str
    words: list[str]
    core: int | None = None


@dataclass
class Cell:
    """One figure of both builds.

    Attributes
    ----------
    part : str
        Name of the part that measures it.
    row : dict
        The fields that name the cell, with its kind.
    times : dict
        "this" and "other": nanoseconds, one for each round.
    recipes : dict
        "this" and "other": how the transform is computed, where the program says so.
    """

    part: str
    row: Row
    times: dict[str, list[float]] = field(default_factory=lambda: {side: [] for side in SIDES})
    recipes: Row = field(default_factory=dict)

    @property
    def compared(self) -> bool:
        return all(self.times.values())

    @property
    def median_ratio(self) -> float:
        """The median of the rounds' ratios."""
        this, other = (self.times[side] for side in SIDES)
        return median(a / b for a, b in zip(this, other, strict=False))

    @property
    def minima_ratio(self) -> float:
        """The smallest time of all rounds over the other's."""
        return min(self.times["this"]) / min(self.times["other"])

    @property
    def ratio(self) -> float:
        """Time of this build over the other's, as both figures have it: the one nearer to 1, or 1
        where they disagree about which build is slower.
        """
        low, high = sorted((self.median_ratio, self.minima_ratio))
        return low if low > 1 else high if high < 1 else 1.0

    @property
    def name(self) -> str:
        parts = (_line(self.row), _column(self.row))
        return " ".join([self.row["kind"], *parts])

    def to_json(self) -> Row:
        """The cell as a row of the document; both recipes only where they differ."""
        this, other = (self.times[side] for side in SIDES)
        row = {
            **self.row,
            "ratio": round(self.ratio, 4),
            "this_ns": min(this),
            "other_ns": min(other),
            "median_ratio": round(self.median_ratio, 4),
            "minima_ratio": round(self.minima_ratio, 4),
            "rounds": min(len(this), len(other)),
        }
        if self.recipes.get("this") != self.recipes.get("other"):
            row["recipes"] = self.recipes
        return row


class Comparison:
    """Plans the rounds of two builds and gathers what they measure.

    Parameters
    ----------
    this, other : Build
    parts : sequence of Part
    limit : float, optional
        How much slower a cell of this build may be: 0.03 means 3 per cent.
    statistic : str
        The field of a program's row that is compared.
    """

    def __init__(
        self,
        this: Build,
        other: Build,
        parts: Sequence[Part],
        limit: float | None = None,
        statistic: str = "min_ns",
    ) -> None:
        self._builds = dict(zip(SIDES, (this, other), strict=True))
        self._parts = parts
        self._limit = limit
        self._statistic = statistic
        self._cells: dict[tuple[Any, ...], Cell] = {}
        self._origin = {f"{part.name}.{side}": (part, side) for part in parts for side in SIDES}
        self._machine: Row = {}
        self._compilers: dict[str, str] = {}
        self._taken = 0

    @property
    def wanted(self) -> int:
        """Steps of one round."""
        return len(self._origin)

    def rounds(self, number: int) -> Iterator[list[Step]]:
        """``number`` rounds of everything; then, where there is a limit, at most twice as many of
        the parts with a cell beyond it, as it may have met other work in every round.
        """
        for i in range(number):
            yield self._steps(self._parts, i)
        for i in range(number, 3 * number):
            beyond = {cell.part for cell in self.beyond()}
            if not beyond:
                return
            print(f"\n# cells beyond the limit, measured again: {len(self.beyond())}", flush=True)
            yield self._steps([part for part in self._parts if part.name in beyond], i)

    def _steps(self, parts: Sequence[Part], number: int) -> list[Step]:
        sides = SIDES if number % 2 == 0 else SIDES[::-1]
        return [self._step(part, side) for part in parts for side in sides]

    def _step(self, part: Part, side: str) -> Step:
        build = self._builds[side]
        name, words = f"{part.name}.{side}", [*part.words, "--commit", build.commit]
        words += ["--flags", build.flags]
        if build.script:  # -I: neither this folder's modules nor PYTHONPATH's
            return Step(name, build.programs, ["-I", str(build.script), *words], True, part.core)
        return Step(name, build.programs / part.program, words, True, part.core)

    def take(self, progress: Progress) -> None:
        """Adds the documents that came in since the last call."""
        for document in progress.documents[self._taken :]:
            part, side = self._origin[document["step"]]
            for name in ("cpu", "features", "hardware_threads"):
                if name in document:
                    self._machine.setdefault(name, document[name])
            self._compilers[side] = str(document.get("compiler", "unknown"))
            self._take_rows(document["results"], part, side)
        self._taken = len(progress.documents)

    def _take_rows(self, rows: Sequence[Row], part: Part, side: str) -> None:
        fastest: dict[tuple[Any, ...], Row] = {}  # GPU programs time every kernel of a cell
        for row in rows:
            if row["kind"] in _LINES:
                key = (row["kind"], *(row[name] for name in KEYS[row["kind"]]))
                if key not in fastest or row[self._statistic] < fastest[key][self._statistic]:
                    fastest[key] = row
        for key, row in fastest.items():
            named = {name: row[name] for name in ("kind", *KEYS[row["kind"]])}
            cell = self._cells.setdefault(key, Cell(part.name, named))
            cell.times[side].append(row[self._statistic])
            if "recipe" in row:
                cell.recipes[side] = row["recipe"]

    def compared(self) -> list[Cell]:
        """Cells that both builds have measured."""
        return [cell for cell in self._cells.values() if cell.compared]

    def beyond(self) -> list[Cell]:
        """Cells in which this build is slower by more than the limit, the slowest first."""
        if self._limit is None:
            return []
        cells = [cell for cell in self.compared() if cell.ratio > 1 + self._limit]
        return sorted(cells, key=lambda cell: -cell.ratio)

    def alone(self) -> dict[str, int]:
        """How many cells only this build, and only the other, has measured."""
        counts = dict.fromkeys(SIDES, 0)
        for cell in self._cells.values():
            for side in SIDES:
                counts[side] += bool(cell.times[side]) and not cell.compared
        return counts

    def document(self, progress: Progress) -> dict[str, Any]:
        """Everything as JSON: machine, builds, worst cell, verdict, and a row for each cell."""
        cells = self.compared()
        worst = max(cells, key=lambda cell: cell.ratio, default=None)
        builds = {
            side: {
                "programs": str(build.programs),
                "commit": build.commit,
                "flags": build.flags,
                "compiler": self._compilers.get(side, "unknown"),
            }
            for side, build in self._builds.items()
        }
        return progress.mark(
            {
                "schema": SCHEMA,
                "machine": self._machine,
                "core": next((p.core for p in self._parts if p.core is not None), None),
                "builds": builds,
                "statistic": self._statistic,
                "limit": self._limit,
                "beyond_limit": None if self._limit is None else len(self.beyond()),
                "worst": worst and worst.to_json(),
                "results": [cell.to_json() for cell in cells],
            }
        )

    def report(self) -> str:
        """A table of ratios for each kind of cell, and sentences about the extremes."""
        cells = self.compared()
        if not cells:
            raise FormatError("the builds have no cell in common: nothing can be compared")
        kinds = dict.fromkeys(cell.row["kind"] for cell in cells)
        parts = [_table(kind, [c for c in cells if c.row["kind"] == kind]) for kind in kinds]
        by_ratio = sorted(cells, key=lambda cell: cell.ratio)
        sentences = [
            f"{len(cells)} cells, median ratio {median(c.ratio for c in cells):.3f}.",
            f"Slowest against the other build: {_sentence(by_ratio[-1])}",
            f"Fastest: {_sentence(by_ratio[0])}",
        ]
        for side, count in self.alone().items():
            if count:
                build = "this build" if side == "this" else "the other build"
                sentences.append(f"Only {build} measured {count} further cells.")
        if self._limit is not None:
            beyond = self.beyond()
            verdict = f"{len(beyond)} cells are slower by more than {self._limit:.2%}."
            sentences += [verdict, *(f"  {_sentence(cell)}" for cell in beyond)]
        return "\n\n".join([*parts, "\n".join(sentences)])


def _sentence(cell: Cell) -> str:
    this, other = (min(cell.times[side]) / 1e3 for side in SIDES)
    return f"{cell.ratio:.3f} ({cell.name}: {this:.4g} us, the other build {other:.4g} us)"


def _table(kind: str, cells: Sequence[Cell]) -> str:
    columns = dict.fromkeys(_column(cell.row) for cell in cells)
    lines: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        lines.setdefault(_line(cell.row), {})[_column(cell.row)] = cell
    body = [
        [line, *(f"{found[c].ratio:.3f}" if c in found else "-" for c in columns)]
        for line, found in lines.items()
    ]
    return f"{kind}: time of this build / time of the other\n" + table(["", *columns], body)


def _line(row: Row) -> str:
    fields = (f"{row[name]}{_UNITS.get(name, '')}" for name in _LINES[row["kind"]])
    return " ".join(text for text in fields if text)


def _column(row: Row) -> str:
    names = _COLUMNS.get(row["kind"], ("n",))
    shown = {
        "n": lambda n: f"2^{n.bit_length() - 1}",
        "k": "{} primes".format,
        "bits": "{}b".format,
    }
    return " ".join(str(shown.get(name, str)(row[name])) for name in names)
