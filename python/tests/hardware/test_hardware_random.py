# SPDX-License-Identifier: Apache-2.0
"""Random parameter sets: generated, simulated bit-exactly, cycles as predicted.

A sample of the 300 of ``nttforge.hardware.tools.random_sets``; `make hardware-full` runs them all.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from marks import needs

from nttforge.errors import ParameterError
from nttforge.hardware.tools import random_sets
from nttforge.hardware.tools.random_sets import COUNT, check_sets, random_design, run_sets, sample

SAMPLE = int(os.environ.get("NTTFORGE_HARDWARE_SETS", "6"))
needs_verilator = needs("verilator")


@needs_verilator
def test_a_sample_of_the_random_sets(tmp_path: Path) -> None:
    lines = check_sets(sample(SAMPLE), tmp_path)
    assert [line for line in lines if not line["ok"]] == []
    for line in lines:
        assert line["simulated_latency"] == line["predicted_latency"]
        assert line["simulated_interval"] == line["predicted_interval"]


@needs_verilator
def test_a_wrong_prediction_or_twiddle_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = min(range(COUNT), key=random_sets.effort)
    results = tmp_path / "results.jsonl"
    (line,) = run_sets([number], 1, results)
    assert line["ok"] and len(results.read_text().splitlines()) == 1
    # The same again: nothing is left to do. Something else emitted: simulated again.
    monkeypatch.setattr(random_sets, "check_sets", None)
    assert run_sets([number], 1, results) == [line]
    monkeypatch.undo()
    good = random_sets.random_design

    def slower(which: int):
        design = good(which)
        for schedule in design.schedules.values():
            object.__setattr__(schedule, "latency", schedule.latency + 1)
        return design

    monkeypatch.setattr(random_sets, "random_design", slower)
    (line,) = run_sets([number], 1, results)
    assert not line["ok"] and line["simulated_latency"] != line["predicted_latency"]
    assert [json.loads(x)["ok"] for x in results.read_text().splitlines()] == [True, False]


def test_the_sets_cover_what_they_should() -> None:
    sets = [random_design(i).parameters for i in range(COUNT)]
    assert {p.parts for p in sets} == {1, 2}
    assert {p.direction for p in sets} == {"forward", "inverse", "both"}
    assert {p.core for p in sets} == {"montgomery", "barrett", "solinas"}
    assert {p.ring for p in sets} == {"negacyclic", "cyclic"}
    assert {p.bp for p in sets} == {1, 2, 3}
    assert {p.n for p in sets} == {2**k for k in range(3, 17)}
    assert {p.dp for p in sets} == {2**k for k in range(1, 7)}
    assert {p.bits // p.parts for p in sets} >= {12, 30, 52, 60, 61}
    assert min(p.bits // p.parts for p in sets) == 12
    assert sum(p.pp == 1 for p in sets) > 20 and sum(p.pp == p.log_n for p in sets) > 20


def test_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("5", "3:3", "-1:2", "a:b"):
        assert random_sets.main([f"--sets={text}"]) == 2
        printed = capsys.readouterr().err
        assert "must be FIRST:END, such as 0:300" in printed and printed.count("\n") == 1
    with pytest.raises(ParameterError, match="must not be negative"):
        random_design(-1)
