# SPDX-License-Identifier: Apache-2.0
"""Measured recipes, wisdom, and the command that shows both."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from interrupts import interrupted_after

import nttforge
from nttforge import NttPlan, Wisdom, explore, ntt_primes
from nttforge.cli import main
from nttforge.ntt.explorer import Exploration, Progress


def _explored(n: int = 256, limbs: int = 2, **keywords: object) -> Exploration:
    plan = NttPlan(n, ntt_primes(n, 50, limbs))
    return explore(plan.spec, budget=0.2, **keywords)


def _odd_wisdom(found: Exploration) -> tuple[Wisdom, dict[str, object]]:
    """Wisdom of a recipe that no explorer would choose, so that it shows where a plan took it."""
    text = json.loads(_wisdom(found).to_json())
    recipe = text["entries"][0]["choice"]["recipe"]
    recipe |= {"target": "scalar", "arithmetic": ["shoup64"], "radix": 2}
    return Wisdom.from_json(json.dumps(text)), {"target": "scalar", "radix": 2}


def _wisdom(found: Exploration) -> Wisdom:
    wisdom = Wisdom()
    wisdom.remember(found)
    return wisdom


def test_explore_finds_recipes_that_plans_take() -> None:
    seen: list[Progress] = []
    found = _explored(threads=2, batch=3, progress=seen.append)
    assert found.best in found.recipes and found.threads == 2 and found.batch == 3
    assert {r.state for r in found} <= {"measured", "not_tried"}
    measured = [r.measured_ns for r in found if r.measured_ns is not None]
    assert measured == sorted(measured) and measured[0] > 0
    assert {p.what for p in seen} == {"preparing", "measuring"}
    assert all(1 <= p.step <= p.steps for p in seen)
    for r in found:
        assert NttPlan(256, found.spec.moduli, recipe=r.recipe).recipe == r.recipe
        assert (r.measured_ns is None) == (r.state == "not_tried")


def test_explore_stops_when_told_to() -> None:
    found = _explored(progress=lambda p: p.what == "preparing")
    assert not found.complete and found.best.measured_ns
    with pytest.raises(nttforge.NttforgeError, match="no recipe was measured"):
        _explored(progress=lambda p: False)
    with pytest.raises(ZeroDivisionError):
        _explored(progress=lambda p: 1 // 0)


def test_explore_can_be_interrupted() -> None:
    plan = NttPlan(4096, ntt_primes(4096, 50, 4))
    with interrupted_after(0.3), pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            explore(plan.spec, budget=60)


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        ({"batch": 0}, "batch = 0"),
        ({"threads": 2000}, "threads = 2000"),
        ({"budget": -1.0}, "budget = -1 "),
        ({"targets": ["best"]}, "best"),
    ],
)
def test_explore_says_what_is_wrong(keywords: dict[str, object], text: str) -> None:
    with pytest.raises(nttforge.ParameterError, match=text):
        explore(NttPlan(64, 257).spec, **keywords)


def test_wrong_types_are_named() -> None:
    plan = NttPlan(64, 257)
    for call in (explore, nttforge.candidate_recipes, Wisdom().find):
        with pytest.raises(nttforge.ArgumentTypeError, match=r"spec is a NttPlan.*plan\.spec"):
            call(plan)
    for call in (explore, nttforge.candidate_recipes):
        with pytest.raises(nttforge.ArgumentTypeError, match="targets = 'avx2': need a list"):
            call(plan.spec, targets="avx2")
    for value in ("3", True, None):
        with pytest.raises(nttforge.ArgumentTypeError, match=f"budget = {value!r}: need seconds"):
            explore(plan.spec, budget=value)
    with pytest.raises(nttforge.ParameterError, match="threads = -1"):
        Wisdom().find(plan.spec, threads=-1)


def test_plans_use_the_wisdom_they_are_given() -> None:
    found = _explored(threads=2)
    wisdom, odd = _odd_wisdom(found)
    moduli = found.spec.moduli
    assert NttPlan(256, moduli).recipe.items() >= {"radix": 4}.items()
    plan = NttPlan(256, moduli, wisdom=wisdom, threads=2)
    assert plan.recipe.items() >= odd.items()
    assert wisdom.find(plan.spec, 2) == plan.recipe and wisdom.find(plan.spec, 3) is None
    assert NttPlan(512, ntt_primes(512, 50, 2), wisdom=wisdom).recipe["radix"] == 4
    assert NttPlan(256, moduli, wisdom=wisdom, threads=3).recipe["threads"] == 3
    assert pickle.loads(pickle.dumps(plan)).spec == plan.spec
    with pytest.raises(nttforge.ParameterError, match="together"):
        NttPlan(256, moduli, wisdom=wisdom, recipe=plan.recipe)


def test_wisdom_is_a_value_with_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wisdom = _wisdom(_explored())
    assert len(wisdom) == 1 and len(Wisdom()) == 0 and wisdom != Wisdom()
    assert pickle.loads(pickle.dumps(wisdom)) == wisdom
    monkeypatch.setenv("NTTFORGE_WISDOM", str(tmp_path / "a" / "w.json"))
    assert wisdom.save() == Wisdom.default_path() == str(tmp_path / "a" / "w.json")
    assert Wisdom.load() == wisdom
    more = _wisdom(_explored(512))
    more.merge(wisdom)
    assert len(more) == 2
    (tmp_path / "bad").write_text('{"format": "x"}')
    with pytest.raises(nttforge.FormatError, match="bad: "):
        Wisdom.load(tmp_path / "bad")
    with pytest.raises(nttforge.NttforgeError, match="No such file"):
        Wisdom.load(tmp_path / "none")
    with pytest.raises(nttforge.ArgumentTypeError, match="Exploration"):
        wisdom.remember(3)  # type: ignore[arg-type]


def test_command_measures_saves_and_uses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "wisdom.json"
    monkeypatch.setenv("NTTFORGE_WISDOM", str(place))
    spec = ["plan", "--n", "256", "--bits", "50"]
    assert main([*spec, "--measure", "--budget", "0.2"]) == 0
    text = capsys.readouterr()
    assert "measured/predicted" in text.out and "preparing 1/" in text.err
    assert not place.exists()  # nothing is written unless asked
    assert main([*spec, "--measure", "--budget", "0.2", "--save"]) == 0
    assert f"saved in {place}" in capsys.readouterr().out
    assert main([*spec, "--limbs", "2", "--measure", "--budget", "0.2", "--save"]) == 0
    assert len(Wisdom.load()) == 2
    capsys.readouterr()
    other = json.loads(place.read_text())
    for entry in other["entries"]:
        entry["choice"]["recipe"] |= {"target": "scalar", "arithmetic": ["shoup64"], "radix": 2}
    (tmp_path / "odd").write_text(json.dumps(other))
    for arguments, radix in ((["--wisdom", str(tmp_path / "odd")], 2), ([], 4)):
        assert main([*spec, *arguments, "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert data["recipe"]["radix"] == radix
        assert data["recipe"] in [c["recipe"] for c in data["candidates"]]
    monkeypatch.setenv("NTTFORGE_WISDOM", str(tmp_path / "none"))
    assert main([*spec, "--wisdom"]) == 0
    assert "--measure --save begins it" in capsys.readouterr().err
    measure = [*spec, "--measure", "--budget", "0.2", "--save"]
    assert main([*measure, str(place / "below")]) == 2
    printed = capsys.readouterr()
    assert "measured/predicted" in printed.out and "cannot make the folder" in printed.err
    (tmp_path / "other").write_text("text")
    assert main([*measure, str(tmp_path / "other")]) == 2
    assert "preparing" not in capsys.readouterr().err  # it is said before measuring
    assert main([*spec, "--save"]) == 2
    assert "--save is given without --measure" in capsys.readouterr().err


def test_command_keeps_what_it_knows_when_interrupted(tmp_path: Path) -> None:
    place = tmp_path / "wisdom.json"
    command = [sys.executable, "-m", "nttforge", "plan", "--n", "65536", "--limbs", "4"]
    process = subprocess.Popen(
        [*command, "--measure", "--budget", "60", "--save", str(place)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    assert any("preparing" in line for line in lines)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, 0), err  # 0: it was just done
    assert place.exists() == (process.returncode == 0)


def test_threads_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NTTFORGE_THREADS", "3")
    assert NttPlan(64, 257).recipe["threads"] == NttPlan(64, 257, threads=0).recipe["threads"] == 3
    assert NttPlan(64, 257, threads=1).recipe["threads"] == 1
    monkeypatch.setenv("NTTFORGE_THREADS", "many")
    with pytest.raises(nttforge.ParameterError, match="NTTFORGE_THREADS = 'many'"):
        NttPlan(64, 257, threads=0)
