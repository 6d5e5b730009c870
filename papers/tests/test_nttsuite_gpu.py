# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper nttsuite``: what is checked with the CPU's vectors, and the GPU's results."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from nttforge import ntt_primes
from nttforge.cli import main
from nttforge.errors import FormatError, NttforgeError, UnsupportedError
from nttforge_bench.documents import read
from nttforge_papers import nttsuite
from nttforge_papers.nttsuite import cpu, figures, gpu, gpu_plots, gpu_statements, harness, tables
from nttforge_papers.nttsuite.hardware import NAMES

ROOT = Path(__file__).resolve().parents[2]
KEPT = sorted((ROOT / "bench/results").glob("*/nttsuite.json*"))[-1]
Q = ntt_primes(1024, 30, 1)[0]


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return dict(read(KEPT))


def with_times(kept: dict[str, Any], times: Mapping[Any, float]) -> figures.Figures:
    """The kept results with other times, in us, of (kind, algorithm) at every size."""
    changed = copy.deepcopy(kept)
    for row in changed["results"]:
        us = times.get((row["kind"], row["algorithm"]))
        if us is not None:
            row["median_ns"] = row["min_ns"] = 1e3 * us
    return figures.Figures(changed)


def test_vectors_check_every_kernel_on_the_host() -> None:
    vectors = harness.make_vectors(64, Q)
    assert len(vectors.polynomials) == len(vectors.values) == harness.COUNT
    vectors = harness.make_vectors(1024, Q)
    try:
        checked = harness.check_gpu(vectors, "cuda:host")
    except UnsupportedError as error:
        pytest.skip(str(error))
    assert {(row["algorithm"], row["kind"]) for row in checked} == {
        (name, kind) for name in NAMES for kind in ("paper", "tuned")
    }
    vectors.values[-1][-1] ^= 1
    with pytest.raises(NttforgeError, match=r"din24_.* and the CPU differ: n = 1024"):
        harness.check_gpu(vectors, "cuda:host")


def test_a_build_without_the_kernels_checks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plan:
        spec = None

    vectors = harness.make_vectors(64, Q)
    monkeypatch.setattr("nttforge.ntt.plan.NttPlan", lambda *_, **__: Plan)
    monkeypatch.setattr("nttforge.cuda.paper_recipes", lambda *_: [{"algorithm": "radix2"}])
    with pytest.raises(UnsupportedError, match=r"no kernels of \[Din24\] for cuda: build with"):
        harness.check_gpu(vectors, "cuda")


def test_vectors_refuse_an_algorithm_that_errs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nttforge_oracle.fast.forward_fast", lambda a, *_: [0] * len(a))
    with pytest.raises(NttforgeError, match="dit on the CPU and the oracle differ: n = 64"):
        harness.make_vectors(64, Q)


def test_hardware_is_simulated_with_the_vectors_of_the_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The testbench's polynomials are those of make_vectors, and a failure is an error."""
    seen: dict[str, dict[str, str]] = {}

    class Run:
        passed = True

    def simulate(designs: dict[str, dict[str, str]], _: Path) -> dict[str, dict[str, Run]]:
        seen.update(designs)
        return {name: {"streaming": Run()} for name in designs}

    monkeypatch.setattr("nttforge_hardware.tools.simulate.simulate_files", simulate)
    q = ntt_primes(64, 28, 1)[0]  # seven hexadecimal digits a word
    rows = harness.check_hardware(q, 64, ("pease_nc", "dit"))
    assert [row["algorithm"] for row in rows] == ["pease_nc", "dit"] == list(seen)
    vectors = harness.make_vectors(64, q)
    for name, sets in (("input", vectors.polynomials), ("output", vectors.values)):
        text = "".join(seen["dit"][f"testbench/{name}.hex"].split())
        words = [int(text[i : i + 7], 16) for i in range(0, len(text), 7)]
        assert sorted(words) == sorted(word for polynomial in sets for word in polynomial)
    monkeypatch.setattr(Run, "passed", False)
    with pytest.raises(NttforgeError, match="the hardware of dit and the CPU differ: n = 64"):
        harness.check_hardware(q, 64, ("dit",))


def test_what_cannot_be_checked_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise UnsupportedError("there is none")

    monkeypatch.setattr(harness, "check_gpu", refuse)
    monkeypatch.setattr(harness, "check_hardware", refuse)
    monkeypatch.setattr(harness, "gpu_device", lambda: "cuda:host")
    said = harness.report(harness.validate((64,), Q, simulate=True))
    assert "CPU: 7 algorithms, collection, 64 points: every word equal" in said
    assert "cuda:host: not checked: there is none" in said
    assert "simulated hardware: not checked: there is none" in said


def test_figures_are_those_of_the_document(kept: dict[str, Any]) -> None:
    f = figures.Figures(kept)
    assert f.there and len(f.cells) == 44
    rows = [r for r in kept["results"] if (r["log_n"], r["batch"], r["word_bits"]) == (14, 1, 64)]

    def ns(kind: str, name: str, which: str = "median_ns") -> float:
        (found,) = [r[which] for r in rows if (r["kind"], r["algorithm"]) == (kind, name)]
        return float(found)

    for name in NAMES:
        assert f.gpu("paper", name, 14) == ns("paper", name) / 1e3
        assert f.gpu("tuned", name, 14) == ns("tuned", name) / 1e3
        assert f.cpu(name, 14) == ns("cpu", name, "min_ns") / 1e3
        assert f.gain(name, 14) == ns("paper", name) / ns("tuned", name)
    for order in ("natural", "bit_reversed"):
        engines = [r for r in rows if (r["kind"], r["output_order"]) == ("engine", order)]
        assert f.engine(14, order=order) == min(r["median_ns"] for r in engines) / 1e3
    fastest = min(NAMES, key=lambda name: ns("tuned", name))
    assert f.best(14) == (fastest, ns("tuned", fastest) / 1e3)
    faster = with_times(kept, {("tuned", "dif"): 0.001})
    assert faster.best(14) == ("dif", 0.001)
    assert (faster.best(14, order="natural") or ("",))[0] != "dif"  # its values are bit-reversed


def test_tables_show_the_papers_times_and_ours(kept: dict[str, Any]) -> None:
    f = figures.Figures(kept)
    rows = {(row[0], row[1]): row for row in tables.times(f, {}).body}
    assert len(rows) == 21 and rows["pease_nc", "4096"][2:4] == ["8.60", "-"]
    hardware = json.loads((ROOT / "bench/results/nttsuite-hardware/hardware.json").read_text())
    (row,) = [r for r in tables.times(f, hardware).body if r[:2] == ["pease_nc", "4096"]]
    (mine,) = [r for r in hardware["table_1"] if (r["dataflow"], r["n"]) == ("pease_nc 16", 4096)]
    assert row[3] == f"{mine['our_us_at_paper_clock']:.2f}"
    (ratio,) = [r for r in tables.speed_ups(f).body if r[:2] == ["dit", "1024"]]
    assert ratio[6] == f"{(f.cpu('dit', 10) or 0) / (f.gpu('tuned', 'dit', 10) or 1):.2f}"
    assert len(tables.all_sizes(f)) == 4
    assert tables.all_sizes(figures.Figures(figures.EMPTY)) == []


def test_conclusions_follow_the_figures(kept: dict[str, Any]) -> None:
    def judged(times: Mapping[Any, float]) -> dict[str, str]:
        found = gpu_statements.statements(with_times(kept, times))
        assert all("because" in s for s in found if s["verdict"] == "does not hold")
        return {s["paper"].split(" perform")[0].split(",")[0][:28]: s["verdict"] for s in found}

    slow = judged({("paper", name): 1e5 for name in NAMES})
    assert slow["Pease_nc saves the time of P"] == "does not hold"
    fast = judged({("paper", name): 0.1 for name in NAMES} | {("paper", "six_step"): 0.01})
    for two_machines in ("Stockham", "Pease", "DIT and DIF", "DIT and DIF receive few or e"):
        assert slow[two_machines] == fast[two_machines] == "not judged"
    assert fast["Six-step's small blocks pay "] == "holds"
    six = judged({("paper", "six_step"): 1e5, ("tuned", "pease"): 1e-3})
    assert six["Six-step's small blocks pay "] == "does not hold"
    assert six["Pease's constant geometry ha"] == "holds"
    assert gpu_statements.statements(figures.Figures(figures.EMPTY)) == []


def test_the_documents_say_what_the_kept_results_do(kept: dict[str, Any]) -> None:
    natural, gains = gpu.quoted(kept)
    for name, sentences in (
        ("docs/gpu.md", [natural]),
        ("bench/README.md", [natural, gains, f"commit {kept['version']}"]),
    ):
        text = " ".join((ROOT / name).read_text().split())
        for sentence in sentences:
            assert sentence in text, f"{name} must say: {sentence}"


def test_goals_that_are_missed_are_named(kept: dict[str, Any]) -> None:
    lines = gpu.reached(with_times(kept, {("tuned", name): 1e6 for name in NAMES}))
    assert "2^10 x 1, 64 bits: " in lines[0] and "six_step 2^20 x 32, 32 bits: 0." in lines[2]
    lines = gpu.reached(with_times(kept, {("tuned", name): 1e-3 for name in NAMES}))
    assert lines[0].endswith("missed: nowhere") and lines[2].endswith("missed: nowhere")


def test_the_plot_of_the_kept_results(kept: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert gpu_plots.plot(kept, tmp_path / "deep" / "nttsuite.png")
    assert (tmp_path / "deep" / "nttsuite.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU's times without timing, and no checks."""
    rows = json.loads(next((ROOT / "bench/results").glob("*/nttsuite/results.json")).read_text())
    monkeypatch.setattr(cpu, "measure", lambda *_: dict(rows))
    monkeypatch.setattr(nttsuite, "_validate", lambda _: [])


@pytest.mark.usefixtures("measured")
def test_a_card_is_measured_and_without_one_kept_results_are_named(
    kept: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(harness, "gpu_device", lambda: "cuda:host")
    assert main(["paper", "nttsuite"]) == 0
    said = capsys.readouterr().out
    assert f"kept results {KEPT.parent.name}/{KEPT.name}" in said
    assert "Six-step's small blocks" in said and "missed: " in said
    monkeypatch.setattr(harness, "gpu_device", lambda: "cuda")
    monkeypatch.setattr(gpu, "measure", lambda *_: copy.deepcopy(kept))
    for module in (cpu, gpu_plots):
        monkeypatch.setattr(module, "plot", lambda _, path: path.touch())
    out = ["--out", str(tmp_path)]
    assert main(["paper", "nttsuite", *out]) == 0
    assert "measured on this machine now" in capsys.readouterr().out
    assert json.loads((tmp_path / "nttsuite.json").read_text()) == kept
    assert (tmp_path / "nttsuite.png").exists() and (tmp_path / "fig2_cpu.png").exists()

    def fail(*_: object) -> None:
        raise UnsupportedError("no compiler")

    monkeypatch.setattr(gpu, "measure", fail)
    assert main(["paper", "nttsuite", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gpu_results"].startswith("the GPU here was not measured: no compiler; kept")
    assert len(found["gpu_statements"]) == 9


@pytest.mark.usefixtures("measured")
def test_outside_a_clone_the_cpus_part_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(harness, "gpu_device", lambda: "cuda:host")
    assert main(["paper", "nttsuite"]) == 0
    said = capsys.readouterr().out
    assert "no kept GPU results of nttsuite here: run inside a clone" in said
    assert "stockham" in said


def test_other_documents_are_refused(tmp_path: Path, kept: dict[str, Any]) -> None:
    rows = [row for row in kept["results"] if row["kind"] == "cpu"]
    (tmp_path / "x.json").write_text(json.dumps({**kept, "results": rows}))
    with pytest.raises(FormatError, match="no document of gpu_nttsuite_bench"):
        gpu.kept(tmp_path / "x.json")
