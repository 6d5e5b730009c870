# SPDX-License-Identifier: Apache-2.0
"""The records of tools/hardware_league: whole, as planned, and those that the page shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.engine import EngineParameters, plan_engines
from nttforge_hardware.plan.engine_timing import Frame, batch_times

ROOT = Path(__file__).resolve().parents[3]
KEPT = ROOT / "bench/results/hardware-league"
MODULES = ("page", "peers", "runs")


@pytest.fixture
def league(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(ROOT / "tools/hardware_league"))
    found = {name: __import__(name) for name in MODULES}
    for name in MODULES:  # other folders of tools have such names too
        monkeypatch.delitem(sys.modules, name)
    return found


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    read: dict[str, Any] = json.loads((KEPT / "league.json").read_text("utf-8"))
    return read


def test_rows_are_what_the_tools_said(record: dict[str, Any]) -> None:
    lines = [json.loads(line) for line in (KEPT / "runs.jsonl").read_text("utf-8").splitlines()]
    said = {line["run"]: line for line in lines}
    assert len(said) == len(lines)
    for row in record["rows"]:
        name = f"n = {row['n']}: {row['design']}"
        cycles = said[f"{name}: cycles"]
        whole = name.removesuffix(", one coefficient a cycle")
        cells = said[f"{whole}: cells"]
        assert row["cycles"] == cycles["cycles"] and row.get("interval") == cycles.get("interval")
        assert row["words_compared"] >= 2 * row["n"]
        for key in ("dsps", "luts", "ffs", "bram36", "worst_ns"):
            assert row[key] == cells[key] > 0, (name, key)
        for parts in row["cycles"].values():
            assert parts["load"] + parts["between"] + parts["unload"] == parts["total"]
            assert parts["load"] == parts["unload"] == row["n"] // row["port"]


def test_rivals_of_every_job_are_there(record: dict[str, Any]) -> None:
    for n in {row["n"] for row in record["rows"]}:
        names = {row["design"] for row in record["rows"] if row["n"] == n}
        assert any("OpenNTT" in name for name in names), n
        assert "parametric-ntt" in names and any("fast" in name for name in names), n
    commits = record["commits"]
    assert all(len(commits[name]) == 40 for name in ("parametric-ntt", "OpenNTT", "AutoNTT"))


def test_ours_is_as_it_is_planned(record: dict[str, Any]) -> None:
    ours = [row for row in record["rows"] if row["design"].startswith("ours") and row["port"] > 1]
    assert ours
    for row in ours:
        pipeline = device_pipeline("xc7", "fast" if "fast" in row["design"] else "balanced")
        shape: dict[str, Any] = {"dp": 8, "pp": 1, "pipeline": pipeline}
        cycles = {direction: c["total"] for direction, c in row["cycles"].items()}
        if row["modulus"] == "loaded":
            design = plan_engines(EngineParameters(n=row["n"], bits=30, **shape))
            for direction, total in cycles.items():
                assert batch_times(design, [Frame(0, 0, direction)])[0].latency == total
        else:
            both = {"direction": "both", "core": "montgomery", "buffers": "word"}
            parameters = HardwareParameters(row["n"], (row["q"],), **both, **shape)
            design = plan_design(parameters)
            assert cycles == {d: design.latency_cycles(d) for d in cycles}
        assert (design.dsps, design.ramb18 / 2) == (row["dsps"], row["bram36"])
        assert row["interval"] == design.interval_cycles


def test_the_page_has_the_records(league: dict[str, Any]) -> None:
    page = league["page"]
    record = page.read(KEPT)
    text = (ROOT / "docs" / page.PAGE).read_text("utf-8")
    assert page.filled(text, record) == text
    said = [cell for row in page.duels(record["rows"]) for cell in row[3:]]
    assert {cell.split()[1] for cell in said} >= {"won", "lost"}  # losses are not left out
    row = record["rows"][0]
    changed = record | {"rows": [row | {"luts": row["luts"] + 1}, *record["rows"][1:]]}
    assert page.filled(text, changed) != text
    assert page.filled(text, record | {"routed": record["routed"][1:]}) != text
    with pytest.raises(SystemExit, match="must have"):
        page.filled(text.replace("<!-- duels -->", ""), record)


def test_verdicts(league: dict[str, Any]) -> None:
    verdict = league["page"]._verdict
    assert [verdict(1, 2), verdict(2, 1), verdict(1, 1)] == ["0.50 won", "2.00 lost", "1.00 even"]


def test_what_is_missing_is_said(tmp_path: Path, league: dict[str, Any]) -> None:
    (tmp_path / "OpenNTT").mkdir()
    with pytest.raises(SystemExit, match="lacks parametric-ntt, AutoNTT") as raised:
        league["peers"].check_fetched(tmp_path)
    assert "git clone https://github.com/acmert/parametric-ntt" in str(raised.value)


def test_a_run_is_made_once(tmp_path: Path, league: dict[str, Any]) -> None:
    path, made = tmp_path / "runs.jsonl", []

    def work() -> dict[str, Any]:
        made.append(1)
        return {"luts": 7}

    Lines = league["runs"].Lines
    for read, count in (("a", 1), ("a", 1), ("b", 2)):
        assert Lines(path).once("x", read, "tool", work)["luts"] == 7
        assert len(made) == count
    assert Lines(path, kept=True).once("x", "c", "tool", work) is None and len(made) == 2
