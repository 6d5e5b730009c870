# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper all``: every number against its data, the papers' against a second typing."""

from __future__ import annotations

import html
import json
import operator
import re
from pathlib import Path
from typing import Any

import pytest
import typed_papers as typed

from nttforge.errors import NttforgeError
from nttforge_bench.documents import read
from nttforge_papers.all import document
from nttforge_papers.all.errata import ERRATA, markdown

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs/papers"
#: The tables and figures that can be measured, computed or counted, in the papers' order.
ROWS = {
    "kim20": ["Fig. 1", "Fig. 3", "Fig. 4", "Fig. 5", "Fig. 7", "Fig. 8", "Fig. 9", "Fig. 11",
              "Fig. 12", "Fig. 13", "Table II"],
    "nttsuite": ["Fig. 1", "Table I", "Fig. 2"],
    "bad18a": ["Table I", "Table II", "Table III"],
    "bad18b": ["Fig. 2", "Table 1", "Table 2", "Table 4", "Fig. 4", "Table 5", "Table 6",
               "Table 7"],
    "yan22": ["Fig. 3", "Fig. 7", "Table 3", "Fig. 8", "Fig. 9", "Table 4", "Table 5", "Fig. 10",
              "Table 6", "Table 7"],
}  # fmt: skip


#: Nothing is measured in these.
COMPUTED = [("kim20", "Fig. 8"), ("bad18a", "Table I")]


@pytest.fixture(scope="module")
def report(written: Path) -> dict[str, Any]:
    return dict(json.loads((written / "report.json").read_text()))


def exhibit(report: dict[str, Any], paper: str, name: str) -> dict[str, Any]:
    (found,) = [e for e in report["exhibits"] if (e["paper"], e["name"]) == (paper, name)]
    return dict(found)


def test_all_rows_are_there_with_a_source(report: dict[str, Any]) -> None:
    found: dict[str, list[str]] = {}
    for e in report["exhibits"]:
        found.setdefault(e["paper"], []).append(e["name"])
        assert e["shows"].endswith(".") and all(
            e["headline"][k] for k in ("paper", "method", "best")
        )
        assert e["missing"], e["name"]
        # Whatever a figure rests on is named as its source; the others are computed.
        places = {place for number in numbers(e) for place in places_of(number["from"])}
        assert places == set(e["sources"]) <= set(report["sources"]), e["name"]
        assert e["sources"] or (e["paper"], e["name"]) in COMPUTED
    assert found == ROWS and sum(map(len, found.values())) == 35
    for source in report["sources"].values():
        assert source["machine"] and source["tool"] and (ROOT / source["path"]).is_file()


def places_of(origin: Any) -> set[str]:
    """The documents that an origin names."""
    if isinstance(origin, list):
        return {place for o in origin[1:] for place in places_of(o)}
    return {origin.split(":")[0]} if isinstance(origin, str) else set()


_SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def value_of(origin: Any, documents: dict[str, Any]) -> float:
    """What an origin says, computed by this test alone."""
    if isinstance(origin, list):
        sign, *operands = origin
        if sign == "paper":
            return float(operands[0])
        if sign == "round":
            return float(round(value_of(operands[0], documents), operands[1]))
        return float(_SIGNS[sign](*(value_of(o, documents) for o in operands)))
    if isinstance(origin, str):
        name, pointer = origin.split(":")
        found = documents[name]
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            found = found[int(key)] if isinstance(found, list) else found[key]
        return float(found)
    return float(origin)


def numbers(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, dict):
        mine = [node] if {"from", "text"} <= node.keys() else []
        return mine + [n for child in node.values() for n in numbers(child)]
    return [n for child in node for n in numbers(child)] if isinstance(node, list) else []


def test_every_number_is_that_of_its_data(report: dict[str, Any]) -> None:
    documents = {name: read(ROOT / source["path"]) for name, source in report["sources"].items()}
    found = numbers(report)
    assert len(found) > 3000
    for number in found:
        value = value_of(number["from"], documents)
        text = number["text"]
        digits = len(text.partition(".")[2]) if "e" not in text else 0
        assert abs(float(text) - value) <= 0.5000001 * 10**-digits, number
    assert document.check(report, documents) == len(found)


def test_a_number_that_is_not_that_of_its_data_is_found(report: dict[str, Any]) -> None:
    documents = {"kim20": read(ROOT / report["sources"]["kim20"]["path"])}
    part = {"exhibits": [exhibit(report, "kim20", "Table II")]}
    assert document.check(part, documents) > 20
    part["exhibits"][0]["charts"][0]["series"][0]["points"][0][1] += 1
    with pytest.raises(NttforgeError, match="which no table has"):
        document.check(part, documents)
    part["exhibits"][0]["charts"] = []
    documents["kim20"]["rows"][0]["median_ns"] *= 1.1
    with pytest.raises(NttforgeError, match="its data"):
        document.check(part, documents)


def test_numbers_of_sentences_are_recorded(report: dict[str, Any]) -> None:
    """A number behind a point in what was found here is one that was compared with its data."""
    for e in report["exhibits"]:
        for c in e["conclusions"]:
            known = {n["text"].lstrip("-") for n in c["numbers"]}
            for number in re.findall(r"\d+\.\d+", c["here"]):
                assert number in known, (e["name"], c["here"], number)
        top = e["headline"]
        known = {n["text"] for n in top["numbers"]}
        for number in re.findall(
            r"\d+\.\d+", " ".join(top[k] for k in ("paper", "method", "best"))
        ):
            assert number in known, (e["name"], top)


class _Cells:
    """Tables of an article as rows of texts."""

    def __init__(self, article: str) -> None:
        self.tables = [
            [
                re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
                for row in re.findall(r"<tr>(.*?)</tr>", body)
            ]
            for body in re.findall(r"<tbody>(.*?)</tbody>", article)
        ]


def test_the_page_shows_what_the_json_has(written: Path, report: dict[str, Any]) -> None:
    page = (written / "index.html").read_text()
    articles = re.findall(r'<article id="([^"]+)">(.*?)</article>', page, re.DOTALL)
    assert len(articles) == 35
    for (anchor, article), e in zip(articles, report["exhibits"], strict=True):
        assert anchor.startswith(e["paper"])
        shown = _Cells(article).tables
        wanted = [t for t in e["tables"] if t["rows"]]
        for table, said in zip(shown, wanted, strict=True):
            for row, cells in zip(table, said["rows"], strict=True):
                texts = [c["text"] if isinstance(c, dict) else c for c in cells]
                plain = [html.unescape(c).replace(",", "") for c in row]
                assert plain == [
                    t.replace("-", "–") if t == "-" else t.replace(",", "") for t in texts
                ]
        for c in e["conclusions"]:
            assert c["verdict"] in article
            for claim in c["claims"]:
                assert claim["holds_at"].replace(",", "") in html.unescape(article).replace(",", "")
            assert c["paper"].replace(",", "") in html.unescape(article).replace(",", "")


def paper_rows(found: dict[str, Any]) -> list[list[list[float | None]]]:
    """For each table of an exhibit, the rows of what the paper itself prints; None for a dash."""
    tables = []
    for table in found["tables"]:
        rows = []
        for cells in table["rows"]:
            row: list[float | None] = []
            for cell, column in zip(cells, table["columns"], strict=True):
                if column["who"] != "paper":
                    continue
                if cell == "-":
                    row.append(None)
                elif isinstance(cell, dict) and cell["from"][0] == "paper":
                    row.append(cell["value"])
            rows.append(row)
        if any(value is not None for row in rows for value in row):
            tables.append(rows)
    return tables


def test_kim20_typed_twice(report: dict[str, Any]) -> None:
    for name, rows in typed.KIM20.items():
        found = [row for table in paper_rows(exhibit(report, "kim20", name)) for row in table]
        assert found == rows, name


def test_bad18a_typed_twice(report: dict[str, Any]) -> None:
    for name, rows in typed.BAD18A.items():
        tables = paper_rows(exhibit(report, "bad18a", name))
        found = [[value for part in parts for value in part] for parts in zip(*tables, strict=True)]
        assert found == rows, name


def test_bad18b_typed_twice(report: dict[str, Any]) -> None:
    for name, rows in typed.BAD18B.items():
        tables = paper_rows(exhibit(report, "bad18b", name))
        if name == "Table 1":
            joined = [a + b for a, b in zip(*tables, strict=True)]
            found = [[r[i] for i in (0, 1, 4, 2, 3, 5)] for r in joined]
        elif name in ("Table 6", "Table 7"):
            values = [row[0] for row in tables[0] if row[0] is not None]
            found = [list(values[i::4]) for i in range(4)]
        elif name == "Table 5":
            times, factors, averages = tables
            assert factors == typed.BAD18B_FACTORS
            found = times + averages
        else:
            found = [row for table in tables for row in table]
        assert found == rows, name


def test_the_factors_of_bad18b_follow_from_its_times() -> None:
    for row, factors in zip(typed.BAD18B["Table 5"], typed.BAD18B_FACTORS, strict=False):
        p100, k80, mixed, seal, nfllib = row
        assert p100 is not None and k80 is not None and seal is not None and nfllib is not None
        ratios = [k80 / p100, None if mixed is None else mixed / k80, seal / p100, nfllib / p100]
        for ratio, factor in zip(ratios, factors, strict=True):
            assert (ratio is None) == (factor is None)
            assert ratio is None or factor is None or abs(ratio - factor) <= 0.0051, row


def test_nttsuite_typed_twice(report: dict[str, Any]) -> None:
    found = exhibit(report, "nttsuite", "Table I")
    table, beside = paper_rows(found)
    names = [(row[0], int(row[1])) for row in found["tables"][0]["rows"]]
    assert dict(zip(names, table, strict=True)) == typed.NTTSUITE_TABLE_I
    assert beside == typed.NTTSUITE_BESIDE
    second = exhibit(report, "nttsuite", "Fig. 2")
    for row, (us,) in zip(second["tables"][0]["rows"], paper_rows(second)[0], strict=True):
        name = "pease_nc 16" if row[0] == "pease_nc" else row[0]
        assert us == typed.NTTSUITE_TABLE_I[name, int(row[1])][0]


def test_yan22_typed_twice(report: dict[str, Any]) -> None:
    for name in ("Fig. 3", "Table 3", "Fig. 9", "Table 5"):
        found = [row for table in paper_rows(exhibit(report, "yan22", name)) for row in table]
        assert found == typed.YAN22[name], name
    cycles, parts, others = paper_rows(exhibit(report, "yan22", "Table 4"))
    assert others == typed.YAN22["Table 4, others"]
    assert cycles[:3] + parts[:3] == typed.YAN22["Table 4"]
    assert (cycles[3:], parts[3:]) == (cycles[2:3], parts[2:3])  # the same row with any primes
    sixth = exhibit(report, "yan22", "Table 6")
    rows = {
        row[0]: said
        for row, said in zip(sixth["tables"][0]["rows"], paper_rows(sixth)[0], strict=True)
    }
    assert list(rows.values()) == typed.YAN22["Table 6"]
    seventh = paper_rows(exhibit(report, "yan22", "Table 7"))
    assert seventh[0] == typed.YAN22["Table 7"] and seventh[1] == [[44.1, 180, 39.6]]


def test_kept_pages_are_those_of_the_kept_results(written: Path) -> None:
    for name in ("summary.md", "errata.md"):
        assert (KEPT / name).read_bytes() == (written / name).read_bytes(), (
            f"docs/papers/{name} is not that of bench/results: "
            "nttforge paper all --kept --out docs/papers"
        )
    assert (KEPT / "errata.md").read_text() == markdown()


def test_what_is_kept_stays_small() -> None:
    """Figures are data: plots and pages are made from them."""
    kept = [*(ROOT / "bench/results").rglob("*.*"), *KEPT.iterdir()]
    assert not [path.name for path in kept if path.suffix in (".png", ".html", ".svg")]
    assert sum(path.stat().st_size for path in kept) < 2e6


def test_errata_are_on_the_page(written: Path, report: dict[str, Any]) -> None:
    assert [e["key"] for e in report["errata"]] == [e.key for e in ERRATA]
    page = (written / "index.html").read_text()
    for erratum in ERRATA:
        assert f"<b>{html.escape(erratum.where)}</b>" in page
