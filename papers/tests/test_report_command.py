# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper all`` as a command: kept, measured here, interrupted, missing, wrong."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from nttforge.cli import main
from nttforge.errors import UnsupportedError
from nttforge_papers.all import document, measure, sources

ROOT = Path(__file__).resolve().parents[2]


def test_this_cpu_beside_the_kept_card() -> None:
    """[Bad18b] measured on a CPU alone: its rows in place of the kept CPU's, the card's stay."""
    kept = sources.kept_sources(ROOT / "bench/results")
    rows = kept["bad18b"].content["rows"]
    content = {"rows": [{**r, "min_ns": 1e6} for r in rows if r["where"] == "cpu"], "cpu": "mine"}
    here = sources.Source("bad18b-here", "x.json", "mine", "", "", False, content)
    both = {**kept, "bad18b-here": here}
    exhibits = document.collect(sources.trace(both))
    fifth = next(e for e in exhibits if (e.paper, e.name) == ("bad18b", "Table 5"))
    assert list(fifth.sources) == ["bad18b", "bad18b-here"]
    said = document.to_json(exhibits, both, [])
    assert document.check(said, {name: s.content for name, s in both.items()}) > 3000
    table = said["exhibits"][exhibits.index(fifth)]["tables"][3]
    column = [c["name"] for c in table["columns"]].index("CPU, one core")
    assert {row[column]["text"] for row in table["rows"]} == {"1.000"}


def test_interrupted_and_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is measured is kept: the second run measures only what the first did not."""
    asked: list[str] = []

    def steps(quick: bool, *_: object) -> list[measure.Step]:
        def make(name: str, fail: bool) -> measure.Step:
            def run(_: Path) -> Any:
                asked.append(name)
                if fail:
                    raise KeyboardInterrupt
                rows = json.loads((ROOT / kept["nttsuite-cpu"].path).read_text())
                return {**rows, "cpu": "this very CPU"}

            return measure.Step(name, name, run)

        return [make("nttsuite-cpu", False), make("bad18b-depth", len(asked) < 2)]

    kept = sources.kept_sources(ROOT / "bench/results")
    monkeypatch.setattr(measure, "steps", steps)
    command = ["paper", "all", "--quick", "--results", f"{ROOT}/bench/results"]
    command += ["--out", str(tmp_path)]
    assert main(command) == 130
    assert asked == ["nttsuite-cpu", "bad18b-depth"]
    assert not (tmp_path / "index.html").exists()
    depth = json.loads((ROOT / kept["bad18b-depth"].path).read_text())
    first = json.loads((tmp_path / "measured/nttsuite-cpu.json").read_text())
    depth["asked"] = first["asked"]
    (tmp_path / "measured/bad18b-depth.json").write_text(json.dumps(depth))
    assert main(command) == 0
    assert asked == ["nttsuite-cpu", "bad18b-depth"]
    # What another machine, version or --quick measured is not this command's.
    (tmp_path / "measured/nttsuite-cpu.json").write_text(json.dumps({**first, "asked": {}}))
    assert main(command) == 0
    assert asked[2:] == ["nttsuite-cpu"]
    page = (tmp_path / "index.html").read_text()
    assert "this very CPU" in page and "measured on this machine for this report" in page
    capsys.readouterr()


def _refuse(_: Path) -> Any:
    raise UnsupportedError("there is no compiler")


def test_without_a_clone_the_papers_figures_and_what_is_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As from a wheel: nothing kept, nothing measured but the designs, which are computed."""
    monkeypatch.chdir(tmp_path)
    kept = json.loads((ROOT / "bench/results/yan22/results.json").read_text())
    step = measure.Step("yan22", "designs", lambda _: kept)
    no_programs = measure.Step("kim20", "kernels of [kim20]", _refuse)
    monkeypatch.setattr(measure, "steps", lambda *_: [step, no_programs])
    assert main(["paper", "all", "--quick", "--out", str(tmp_path / "out")]) == 0
    assert (
        "run this inside a clone, or name its bench/results by --results" in capsys.readouterr().out
    )
    said = json.loads((tmp_path / "out/report.json").read_text())
    assert len(said["exhibits"]) == 35 and list(said["sources"]) == ["yan22"]
    text = (tmp_path / "out/index.html").read_text()
    assert "kernels of [kim20]: not measured here: there is no compiler" in text
    assert "not measured" in text and "None" not in text and "nan" not in re.sub("<.*?>", "", text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--kept --quick", "--kept measures nothing: leave --quick out"),
        ("--kept --again", "--kept measures nothing: leave --again out"),
        ("--results nowhere", "--results nowhere must be a folder like bench/results"),
        ("--programs nowhere", "--programs nowhere must be a folder of programs"),
        ("--out /etc/passwd/x", "cannot write there"),
        ("--kept --results docs", "has no results: it must hold one of"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "docs").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(measure, "measure", lambda *_: pytest.fail("began"))
    assert main(["paper", "all", *words.split()]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1


def test_kept_results_that_are_no_json_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results/yan22").mkdir(parents=True)
    shutil.copy(ROOT / "bench/results/yan22/results.json", tmp_path / "results/yan22")
    (tmp_path / "results/2026-01-01-x").mkdir()
    (tmp_path / "results/2026-01-01-x/kim20.json").write_text("{")
    command = ["paper", "all", "--kept", "--results", str(tmp_path / "results")]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    assert "kim20.json is not JSON" in capsys.readouterr().err
