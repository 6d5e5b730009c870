# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper``: the gate, the results, the statements; never a time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge.errors import NttforgeError
from nttforge_papers import PAPERS, _gpu, nttsuite, yan22
from nttforge_papers._exhibits import Exhibit
from nttforge_papers._traced import traced
from nttforge_papers.bad18a import exhibits
from nttforge_papers.nttsuite import cpu

SIZES = (64, 128, 256)


@pytest.fixture(scope="module")
def results() -> dict:
    return cpu.measure(30, 1, SIZES)


def test_every_algorithm_is_measured_at_every_size(results: dict) -> None:
    names = {row["algorithm"] for row in results["rows"]}
    assert names >= {*cpu.FPGA_US, cpu.ENGINE, "recursive", "radix_r 16"}
    assert len(results["rows"]) == len(names) * len(SIZES)
    assert all(row["median_us"] >= row["us"] > 0 for row in results["rows"])
    assert json.loads(json.dumps(results)) == results


def test_statements_are_judged_from_the_figures(results: dict) -> None:
    def judged(us: dict[str, tuple[float, float, float]]) -> dict[str, str]:
        names = {row["algorithm"] for row in results["rows"]}
        rows = [
            {"n": n, "algorithm": a, "us": us.get(a, (1.0, 4.8, 22.4))[i]}
            for a in sorted(names)
            for i, n in enumerate(cpu.SIZES)
        ]
        found = cpu.statements({"rows": rows})
        return {s["paper"].split(" ")[0] + s["where"]: s["verdict"] for s in found}

    faster = judged({"stockham": (0.5, 2.4, 11.2), "pease": (2.0, 9.6, 44.8)})
    assert faster["twoII, Stockham"] == faster["Pease_ncIII.B"] == "holds"
    assert faster["DITIV.B"] == faster["Flat,IV.B"] == "not judged"  # two machines
    slower = judged({"stockham": (3.0, 2.4, 11.2), "pease_nc": (2.0, 9.6, 44.8)})
    assert slower["twoII, Stockham"] == slower["Pease_ncIII.B"] == "does not hold"


def test_a_wrong_output_stops_before_any_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from nttforge import NttPlan

    right = cpu._plans

    def wrong(n: int, q: int) -> dict:
        plans = right(n, q)
        plans["stockham"] = NttPlan(n, q, "cyclic", "natural", "bit_reversed")
        return plans

    monkeypatch.setattr(cpu, "_plans", wrong)
    monkeypatch.setattr(cpu, "_time", lambda *_: pytest.fail("timed"))
    with pytest.raises(NttforgeError, match="stockham is wrong at n = 64"):
        cpu.measure(30, 1, SIZES)


def test_the_plot_and_the_report(results: dict, tmp_path) -> None:
    pytest.importorskip("matplotlib")
    assert cpu.plot(results, tmp_path / "deep" / "plot.png")
    assert (tmp_path / "deep" / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert "stockham" in cpu.report(results)


@pytest.mark.parametrize(
    "words", [pytest.param("yan22", marks=pytest.mark.full), "nttsuite --rounds 1 --quick"]
)
def test_without_matplotlib_the_rest_is_there(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["paper", *words.split(), "--out", str(tmp_path), "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out) == json.loads((tmp_path / "results.json").read_text())
    assert "pip install 'matplotlib>=3.6,<4'" in printed.err


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["paper"]) == 0
    printed = capsys.readouterr().out
    assert all(key in printed for key in PAPERS)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nttsuite --bits 99", "--bits = 99"),
        ("nttsuite --rounds 0 --hardware", "--rounds = 0"),
        ("nttsuite --hardware --jobs 0", "--jobs = 0 must be in 1 ... 1024"),
        ("nttsuite --synthesise", "--synthesise goes with --hardware"),
        ("nttsuite --programs nowhere", "--programs nowhere must be a folder of programs"),
        ("nttsuite --results nowhere.json", "nowhere.json"),
        ("nttsuite --out /etc/passwd/x", "cannot write there"),
        ("yan22 --jobs -3", "--jobs = -3 must be in 1 ... 1024"),
        ("yan22 --out /etc/passwd/x", "cannot write there"),
        ("kim20 --out /etc/passwd/x", "cannot write there"),
    ],
)
def test_what_is_wrong_is_said_before_the_work(
    words: str, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    works = ((cpu, "measure"), (nttsuite, "_validate"), (yan22, "reproduce"), (_gpu, "load"))
    for module, work in works:
        monkeypatch.setattr(module, work, lambda *_: pytest.fail("began"))
    assert main(["paper", *words.split()]) == 2
    printed = capsys.readouterr().err
    assert message in printed and printed.count("\n") == 1


def test_the_best_beside_goldilocks_is_of_that_prime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def third(*bits: int) -> Exhibit:
        cells = [
            {"log_n": n, "limbs": 1, "bits": b, "direction": "forward", "ours": {"us": b / 10}}
            for n in (14, 15, 16)
            for b in bits
        ]
        results = traced({**exhibits.EMPTY, "engine": cells}, "bad18a.json")
        return exhibits.exhibits({"bad18a": results})[2]

    both, other = third(60, 64), third(60)
    assert "6.40 µs; 6.00 of 60 bits" in both.headline.best
    assert "6.00 µs, a modulus of 60 bits" in other.headline.best
    assert not any("Goldilocks" in text or "2^64" in text for text in both.missing)
    assert any("2^64" in text for text in other.missing)

    ran: list[list[str]] = []
    monkeypatch.setattr("nttforge_bench.programs.run", lambda _, words, out: ran.append(words))
    monkeypatch.setattr("nttforge_bench.programs.find", lambda *_: tmp_path)
    monkeypatch.setattr("shutil.which", lambda _: None)
    for key in ("bad18a", "kim20"):
        monkeypatch.setattr("nttforge_papers._cufft.measure", dict)
        _gpu.measure(key, tmp_path, None, {}, with_engine=True)
    assert [words[words.index("--bits") + 1] for words in ran if "--bits" in words] == ["64"]
