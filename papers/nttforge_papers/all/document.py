# SPDX-License-Identifier: Apache-2.0
"""The report as data: all tables and figures in order, ``report.json``, and the check of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nttforge.errors import NttforgeError

from .. import PAPERS
from .._exhibits import Chart, Documents, Exhibit, with_sources
from .._sections import Row, Section
from .._traced import Shown, evaluate, origin_of, plain, recording
from .._verdicts import Claim, would_hold
from ..bad18a.exhibits import exhibits as bad18a
from ..bad18b.exhibits import exhibits as bad18b
from ..kim20.exhibits import exhibits as kim20
from ..nttsuite.exhibits import exhibits as nttsuite
from ..yan22.exhibits import exhibits as yan22
from .sources import Source

SCHEMA = "nttforge-papers-1"
MAKERS = {"kim20": kim20, "nttsuite": nttsuite, "bad18a": bad18a, "bad18b": bad18b, "yan22": yan22}


@dataclass(frozen=True)
class Paper:
    """A paper's name here, its title, and what the report does not repeat of it."""

    key: str
    cited: str
    title: str
    machines: str
    left_out: Sequence[tuple[str, str]]


ALL = (
    Paper(
        "kim20",
        "[Kim20]",
        "Accelerating Number Theoretic Transformations for Bootstrappable Homomorphic Encryption "
        "on GPUs",
        "NVIDIA Titan V",
        (
            ("Table I", "a glossary"),
            ("Fig. 2", "a drawing of two steps through shared memory"),
            ("Fig. 6", "a drawing of coalesced accesses"),
            ("Fig. 10", "a drawing of three steps through shared memory"),
        ),
    ),
    Paper(
        "nttsuite",
        "[Din24]",
        "NTTSuite: Number Theoretic Transform Benchmarks for Accelerating Encrypted Computation",
        "Intel E5, NVIDIA RTX 8000, Xilinx Virtex-7 XC7VX690T",
        (),
    ),
    Paper(
        "bad18a",
        "[Bad18a]",
        "Faster Number Theoretic Transform on Graphics Processors for Ring Learning with Errors "
        "Based Cryptography",
        "NVIDIA Tesla K80",
        (("Fig. 1", "a drawing of banks of shared memory"),),
    ),
    Paper(
        "bad18b",
        "[Bad18b]",
        "High-Performance FV Somewhat Homomorphic Encryption on GPUs: An Implementation using CUDA",
        "Intel Xeon E5-2620, NVIDIA Tesla K80 and P100",
        (
            ("Table 3", "the machines"),
            ("Fig. 1", "a diagram of the division by residues"),
            ("Fig. 3", "a drawing of a table in memory"),
        ),
    ),
    Paper(
        "yan22",
        "[Yan22]",
        "NTTGen: A Framework for Generating Low Latency NTT Implementations on FPGA",
        "Xilinx XCU200, XCU280 and Virtex-7, placed by Vivado 2020.2",
        (
            ("Table 1", "parameters of works that it cites"),
            ("Table 2", "resources of FPGAs, from their maker"),
            ("Figs. 1, 2, 4, 5, 6", "diagrams of the tool and of its modules"),
        ),
    ),
)


def collect(documents: Documents) -> list[Exhibit]:
    """Every table and figure of every paper, with the numbers of their sentences recorded."""
    found: list[Exhibit] = []
    for paper in ALL:
        with recording():
            found += map(with_sources, MAKERS[paper.key](documents))
    return found


def to_json(exhibits: Sequence[Exhibit], sources: Mapping[str, Source], errata: Any) -> Row:
    """``report.json``: every number with its text, value and origin."""
    return {
        "schema": SCHEMA,
        "papers": {p.key: {"cited": p.cited, "title": p.title} for p in ALL},
        "sources": {name: source.to_json() for name, source in sources.items()},
        "exhibits": [_exhibit(e) for e in exhibits],
        "not_repeated": [
            {"paper": p.key, "name": name, "because": why} for p in ALL for name, why in p.left_out
        ],
        "errata": errata,
    }


def _exhibit(e: Exhibit) -> Row:
    top = e.headline
    return {
        "paper": e.paper,
        "name": e.name,
        "shows": e.shows,
        "headline": {
            "paper": top.paper,
            "method": top.method,
            "best": top.best,
            "numbers": _numbers(top.numbers),
        },
        "tables": [_table(s) for s in e.sections],
        "charts": [_chart(c) for c in e.charts],
        "conclusions": [_statement(s) for s in e.statements],
        "sources": list(e.sources),
        "missing": list(e.missing),
    }


def _table(section: Section) -> Row:
    columns = [
        {"who": group.who, "group": group.title, "name": name}
        for group in section.groups
        for name in group.names
    ]
    rows = [[_cell(cell) for cell in row] for row in section.body]
    return {"title": section.title, "columns": columns, "rows": rows}


def _cell(cell: str) -> Any:
    if not isinstance(cell, Shown):
        return cell
    return {"text": str.__str__(cell), "value": cell.value, "from": cell.origin}


def value_of(cell: str) -> Any:
    """The number of a cell."""
    return cell.value if isinstance(cell, Shown) else cell


def _chart(chart: Chart) -> Row:
    series = [
        {"name": s.name, "who": s.who, "points": [[x, value_of(y)] for x, y in s.points]}
        for s in chart.series
    ]
    axes = {"x": chart.x, "y": chart.y, "logarithmic": chart.logarithmic}
    return {"title": chart.title, **axes, "series": series}


def _statement(s: Row) -> Row:
    row = {"where": s["where"], "paper": s["paper"], "here": s["ours"], "verdict": s["verdict"]}
    row |= {name: s[name] for name in ("because", "unlike") if name in s}
    row["claims"] = [_claim(claim) for claim in s["claims"]]
    return row | {"numbers": _numbers(s.get("numbers", ()))}


def _claim(claim: Claim) -> Row:
    """A claim with what it takes to judge it again."""
    found = [
        {"text": f"{plain(v):.4f}", "value": plain(v), "from": origin_of(v)} for v in claim.found
    ]
    said = {"kind": claim.kind, "said": [plain(v) for v in claim.said], "found": found}
    details = {"unit": claim.unit, "much": claim.much, "step": claim.step, "own": claim.own}
    return said | {name: v for name, v in details.items() if v} | {"holds_at": would_hold(claim)}


def _numbers(numbers: Sequence[tuple[str, Any]]) -> list[Row]:
    return [{"text": text, "from": origin} for text, origin in numbers]


def check(report: Row, documents: Mapping[str, Any]) -> int:
    """Computes every number of a report again from the documents; returns how many there were.

    Raises
    ------
    NttforgeError
        At the first number that is another.
    """
    for exhibit in report["exhibits"]:
        known = {number.get("value") for number in _all_numbers(exhibit["tables"])}
        for chart in exhibit["charts"]:
            drawn = {y for series in chart["series"] for _, y in series["points"]}
            if not drawn <= known:
                raise NttforgeError(f"{chart['title']} draws {drawn - known}, which no table has")
    count = 0
    for found in _all_numbers(report):
        value = evaluate(found["from"], documents)
        if "value" in found and abs(value - found["value"]) > 1e-12 * max(1.0, abs(value)):
            raise NttforgeError(f"the report has {found['value']}, its data {value}: {found}")
        if not _reads(found["text"], value):
            raise NttforgeError(f"the report shows {found['text']}, its data say {value}: {found}")
        count += 1
    return count


def _all_numbers(node: Any) -> list[Row]:
    if isinstance(node, dict):
        if "from" in node and "text" in node:
            return [node]
        return [n for child in node.values() for n in _all_numbers(child)]
    if isinstance(node, list):
        return [n for child in node for n in _all_numbers(child)]
    return []


def _reads(text: str, value: float) -> bool:
    """Whether a text is a value to as many digits as it shows."""
    shown = text.replace(",", "")
    digits = len(shown.partition(".")[2].partition("e")[0])
    size = float("1" + shown.partition("e")[2].join(("e", ""))) if "e" in shown else 1.0
    return abs(float(shown) - value) <= 0.5000001 * size * 10.0**-digits


assert set(MAKERS) == {p.key for p in ALL} <= set(PAPERS)
