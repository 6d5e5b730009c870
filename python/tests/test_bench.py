# SPDX-License-Identifier: Apache-2.0
"""The benchmark command: documents, merging, bounds, goals, programs. Times nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nttforge.bench import documents, goals, model, programs, rounds
from nttforge.bench.__main__ import __doc__ as module_text
from nttforge.cli import main
from nttforge.errors import FormatError, UnsupportedError

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]
Row = dict[str, Any]


def _transform(
    min_ns: float, bits: int = 50, n: int = 4096, target: str = "avx512_ifma", **fields: Any
) -> Row:
    row = {"kind": "transform", "bits": bits, "word_bits": 64, "q": 97, "n": n, "min_ns": min_ns}
    row |= {"ring": "negacyclic", "target": target, "direction": "forward", "median_ns": min_ns}
    return row | fields


def _rate(name: str, per_cycle: float, vector_bits: int = 512) -> Row:
    row = {"kind": "instruction", "name": name, "vector_bits": vector_bits}
    return row | {"per_cycle": per_cycle, "ghz": 3.0}


def _bfv(min_ns: float, operation: str, variant: str = "") -> Row:
    row = {"kind": "bfv", "set": "128-bit 2^14", "n": 16384, "log2_q": 389, "t": 2}
    return row | {"variant": variant, "operation": operation, "min_ns": min_ns}


def _document(*rows: Row, program: str = "nttforge", build: str = "-O3") -> dict[str, Any]:
    head = {"schema": documents.SCHEMA, "program": program, "version": "abc", "build": build}
    return {**head, "compiler": "12", "cpu": "a CPU", "results": list(rows)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="other"), "schema = 'other'"),
        (lambda d: d.pop("program"), "'program' is missing"),
        (lambda d: d.update(results={}), "'results' must be a list"),
        (lambda d: d.update(complete="yes"), "complete = 'yes' must be true or false"),
        (lambda d: d["results"].append("text"), "row 1: kind = None"),
        (lambda d: d["results"][0].update(kind="guess"), "kind = 'guess'"),
        (lambda d: d["results"][0].pop("direction"), "'direction' is missing"),
        (lambda d: d["results"][0].update(min_ns=0), "min_ns = 0 must be above 0"),
        (lambda d: d["results"][0].update(min_ns="7"), "min_ns = '7'"),
        (lambda d: d["results"][0].update(min_ns=float("nan")), "min_ns = nan"),
    ],
)
def test_documents_are_checked(change: Any, message: str, tmp_path: Path) -> None:
    document = _document(_transform(5.0))
    documents.check(document, "fine")
    change(document)
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FormatError, match=message) as caught:
        documents.load(path)
    assert str(path) in str(caught.value)


def test_documents_that_are_not_json(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(FormatError, match="is not JSON"):
        documents.load(tmp_path / "x.json")
    with pytest.raises(FormatError, match=r"holds no \*\.json"):
        documents.load_folder(tmp_path / "nothing")


def test_merging_keeps_the_best_of_the_rounds() -> None:
    first = _document(_transform(10.0), _transform(7.0, direction="inverse"), _rate("vpaddq", 3.5))
    second = _document(_transform(8.0), _rate("vpaddq", 3.9)) | {"clock_ghz": 3.1}
    third = _document(_transform(9.0)) | {"clock_ghz": 3.3}
    other_build = _document(_transform(6.0), build="clang")
    merged = documents.merge([first, second, third, other_build])
    forward, inverse, rate, clang = merged["results"]
    assert (forward["min_ns"], forward["rounds"], forward["spread"]) == (8.0, 3, 1.25)
    assert (inverse["min_ns"], inverse["rounds"], inverse["spread"]) == (7.0, 1, 1.0)
    assert (rate["per_cycle"], rate["rounds"]) == (3.9, 2)
    assert (clang["min_ns"], clang["build"]) == (6.0, "clang")
    assert merged["machine"]["clock_ghz"] == 3.3
    assert merged["machine"]["commit"] == "abc"
    assert len(merged["programs"]) == 2


def test_merged_documents_survive_the_file(tmp_path: Path) -> None:
    merged = documents.merge([_document(_transform(8.0))])
    path = tmp_path / "cpu.json"
    path.write_text(documents.dump(merged))
    assert documents.load_merged(path) == merged
    path.write_text(json.dumps(merged | {"schema": documents.SCHEMA}))
    with pytest.raises(FormatError, match="schema"):
        documents.load_merged(path)


def test_bounds_follow_from_the_rates() -> None:
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q")
    rates = [*(_rate(name, 2.0) for name in names), _rate("vpmullq", 0.6), _rate("vpmadd52luq", 1)]
    butterflies = 4096 / 2 * 12 / 8
    # Nine operations at two a cycle; three multiplications at one a cycle are less.
    bound = model.Model(rates).bound(50, "avx512_ifma", 4096)
    assert bound is not None and bound.limit == "issue"
    assert bound.operations == pytest.approx(4.5 * butterflies)
    # The tail: four shuffles and four plain operations for each of 512 vectors.
    assert bound.with_tail == pytest.approx(4.5 * butterflies + 8 / 2 * 512)
    assert bound.ghz == 3.0
    # Slow multiplications limit instead.
    rates[-1] = _rate("vpmadd52luq", 0.5)
    bound = model.Model(rates).bound(50, "avx512_ifma", 4096)
    assert bound is not None and bound.limit == "multipliers"
    assert bound.operations == pytest.approx(6 * butterflies)
    # vpmullq at a third of the rate counts three times: 3 + 6 + 3 + 8 operations.
    bound = model.Model(rates).bound(60, "avx512", 4096)
    assert bound is not None and bound.operations == pytest.approx(20 / 2 * butterflies)
    assert model.Model(rates).bound(60, "scalar", 4096) is None
    assert model.Model([]).bound(50, "avx512_ifma", 4096) is None


def test_issue_bounds_of_anchors() -> None:
    """Four operations a cycle at 4.1 GHz: the operation bounds that the goals speak of."""
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q", "vpmullq", "vpmulld", "vpmadd52luq")
    rates = [_rate(name, 4.0) | {"ghz": 4.1} for name in names]
    for bits, expected in ((50, 1686), (60, 2997), (30, 1218)):
        bound = model.Model(rates).bound(bits, "avx512_ifma", 4096)
        assert bound is not None and bound.operations / bound.ghz == pytest.approx(
            expected, rel=1e-3
        )


def test_rows_are_annotated_with_cycles_and_bounds() -> None:
    names = ("vpaddq", "vpmuludq", "vpsrlq", "vpermt2q", "vpmadd52luq")
    rates = [_rate(name, 2.0) for name in names]
    merged = documents.merge(
        [
            _document(*rates, _transform(9216.0, ghz=4.0), _transform(9216.0, n=1024, ghz=1.0)),
            _document(_transform(13824.0), program="hexl"),
        ]
    )
    model.annotate(merged)
    fast, disturbed, peer = merged["results"][-3:]
    assert fast["ns_per_butterfly"] == 9216 / (4096 / 2 * 12) == 0.375
    assert fast["cycles_per_butterfly"] == 1.5
    assert fast["bound_ns"] == pytest.approx(4.5 * 4096 / 2 * 12 / 8 / 4.0)
    assert fast["ratio_to_bound"] == pytest.approx(1.5 * 8 / 4.5)
    # A clock below the one after the class's multiplications (3.0) was disturbed.
    assert disturbed["cycles_per_butterfly"] == pytest.approx(disturbed["ns_per_butterfly"] * 3.0)
    assert "ns_per_butterfly" in peer and "bound_ns" not in peer
    goal = next(v for v in goals.judge(merged) if "against HEXL" in v.goal)
    assert goal.worst is not None and goal.worst.ratio == pytest.approx(1.5)
    # Without a recipe our kernel is taken to have the stated operations.
    assert fast["own_bound_ns"] == pytest.approx(fast["bound_with_tail_ns"])
    assert goal.worst.allowed == pytest.approx(13824 / fast["own_bound_ns"])
    assert goal.reachable == 1
    recipe = {"target": "avx512_ifma", "arithmetic": ["ifma52"]}
    merged = documents.merge([_document(*rates, _transform(9216.0, ghz=4.0, recipe=recipe))])
    model.annotate(merged)
    # Six operations instead of nine, the tail as before: eight for each of 512 vectors.
    own = merged["results"][-1]["own_bound_ns"]
    assert own == pytest.approx((6 / 2 * 4096 / 2 * 12 / 8 + 8 / 2 * 512) / 4.0)


def _verdicts(*rows_of_programs: dict[str, Any]) -> dict[str, goals.Verdict]:
    merged = documents.merge(rows_of_programs)
    model.annotate(merged)
    return {verdict.goal: verdict for verdict in goals.judge(merged)}


def test_goals_pass_fall_short_or_are_not_measured() -> None:
    ours = _document(_transform(2.0), _transform(2.0, direction="inverse"))
    slow = _document(_transform(3.2), _transform(3.4, direction="inverse"), program="hexl")
    fast = _document(_transform(3.1), program="hexl", build="clang")
    name = "50-bit, AVX-512-IFMA, against HEXL"
    verdict = _verdicts(ours, slow, fast)[name]
    assert verdict.verdict == "pass" and verdict.reached == 2
    assert verdict.worst is not None and verdict.worst.ratio == pytest.approx(1.55)
    assert verdict.worst.where == "2^12 forward"
    slower = _document(_transform(2.0), _transform(2.6, direction="inverse"))
    verdict = _verdicts(slower, slow, fast)[name]
    assert verdict.verdict == "short" and verdict.reached == 1
    assert _verdicts(ours)[name].verdict == "not measured"


def test_goals_compare_what_is_comparable() -> None:
    ours = _document(
        _transform(2.0, target="avx2"), _transform(2.0, target="avx2", direction="inverse")
    )
    flint = _document(
        _transform(2.5, target="avx2", ring="cyclic"),
        _transform(2.3, target="avx2", ring="cyclic", direction="inverse unscaled"),
        program="flint",
    )
    verdict = _verdicts(ours, flint)["50-bit, AVX2, against FLINT fft_small"]
    assert [round(m.ratio, 3) for m in verdict.measured] == [1.25, 1.15]
    # HEXL on a CPU without AVX-512 is no peer of AVX-512 kernels.
    scalar = _document(_transform(9.0, target="scalar"), program="hexl")
    name = "50-bit, AVX-512-IFMA, against HEXL"
    assert _verdicts(_document(_transform(2.0)), scalar)[name].verdict == "not measured"


def test_goal_of_threads_compares_minima() -> None:
    batch = {"kind": "batch", "bits": 50, "word_bits": 64, "n": 4096, "limbs": 8}
    batch |= {"target": "avx2", "direction": "forward"}
    one = batch | {"threads": 1, "min_ns": 39.0}
    for two_ns, reached in ((20.0, 1), (21.0, 0)):
        two = batch | {"threads": 2, "min_ns": two_ns, "speedup": 1.4}
        verdict = _verdicts(_document(one, two))["two threads on 8 limbs, against one"]
        assert [m.ratio for m in verdict.measured] == pytest.approx([39.0 / two_ns])
        assert verdict.reached == reached


def test_goals_for_shares_and_bfv() -> None:
    product = {"kind": "product", "bits": 50, "word_bits": 64, "q": 97, "n": 4096}
    ours = _document(
        product | {"target": "avx2", "direction": "parts", "min_ns": 10.0},
        product | {"target": "avx2", "direction": "fused", "min_ns": 9.1},
        _bfv(10.0, "multiply + relinearize"),
        _bfv(4.0, "multiply + relinearize", "2 threads"),
    )
    openfhe = _document(
        _bfv(26.0, "multiply + relinearize", "HPS"),
        _bfv(24.0, "multiply + relinearize", "BEHZ"),
        program="openfhe",
    )
    verdicts = _verdicts(ours, openfhe)
    fused = verdicts["fused polynomial product, share of its parts"]
    assert fused.verdict == "short" and fused.worst is not None
    assert fused.worst.ratio == pytest.approx(0.91)
    product_of = verdicts["BFV multiply + relinearize, against the best peer"]
    assert product_of.verdict == "short" and len(product_of.measured) == 1
    assert product_of.worst is not None and product_of.worst.ratio == pytest.approx(2.4)


def test_programs_outside_a_clone(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="run 'make bench'"):
        programs.find(None, tmp_path)
    with pytest.raises(UnsupportedError, match=r"has no ceilings_bench, .*bfv_bench"):
        programs.find(tmp_path, ROOT)
    with pytest.raises(UnsupportedError, match="neither peer_"):
        programs.peer_programs(tmp_path, tmp_path, None, tmp_path)
    with pytest.raises(UnsupportedError, match="not a folder"):
        programs.peer_programs(tmp_path / "x", tmp_path, None, tmp_path)


def _script(path: Path, text: str) -> Path:
    path.write_text(f"#!{sys.executable}\nimport sys\n{text}")
    path.chmod(0o755)
    return path


def test_programs_that_fail_are_named(tmp_path: Path) -> None:
    out = tmp_path / "raw/x.json"
    with pytest.raises(UnsupportedError, match="peer_a ended with status 3"):
        programs.run(_script(tmp_path / "peer_a", "sys.exit(3)"), [], out)
    killed = _script(tmp_path / "peer_b", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(UnsupportedError, match="signal 9"):
        programs.run(killed, [], out)
    with pytest.raises(FormatError, match="wrote no"):
        programs.run(_script(tmp_path / "peer_c", ""), [], out)
    with pytest.raises(UnsupportedError, match="cannot be started"):
        programs.run(tmp_path / "peer_d", [], out)


_FAKE = """
import json
out = sys.argv[sys.argv.index("--json") + 1]
document = json.loads({document!r})
open(out, "w").write(json.dumps(document))
"""


def _fake_programs(folder: Path) -> Path:
    """Programs that write a document at once, instead of measuring."""
    folder.mkdir()
    rows = {"ntt_bench": [_transform(2.0)], "bfv_bench": [_bfv(10.0, "decrypt")]}
    for name in programs.OURS:
        document = json.dumps(_document(*rows.get(name, [_rate("vpaddq", 2.0)])))
        _script(folder / name, _FAKE.format(document=document))
    return folder


def test_command_from_programs_to_tables(tmp_path: Path, capsys: Capture) -> None:
    ours = _fake_programs(tmp_path / "ours")
    peers = tmp_path / "peers"
    peers.mkdir()
    hexl = json.dumps(_document(_transform(4.0), program="hexl"))
    _script(peers / "peer_hexl", _FAKE.format(document=hexl))
    _script(peers / "peer_broken", "sys.exit(1)")
    out = tmp_path / "out"
    words = ["bench", "cpu", "--programs", str(ours), "--peers", str(peers), "--out", str(out)]
    before = os.sched_getaffinity(0)
    assert main([*words, "--rounds", "2", "--no-plot", "--core", str(min(before))]) == 0
    assert os.sched_getaffinity(0) == before
    shown = capsys.readouterr().out
    assert "left out: peer_broken" in shown
    assert "2.00 (2^12 forward)" in shown
    kept = json.loads((out / "cpu.json").read_text())
    goal = next(g for g in kept["goals"] if g["goal"] == "50-bit, AVX-512-IFMA, against HEXL")
    assert goal["verdict"] == "pass"
    assert {row["rounds"] for row in kept["results"] if row["program"] == "hexl"} == {2}
    # The raw documents, and what was made of them, can be read again.
    for source in (out / "raw", out / "cpu.json"):
        again = tmp_path / f"again-{source.name}"
        assert main(["bench", "cpu", "--merge", str(source), "--out", str(again), "--no-plot"]) == 0
        read = json.loads((again / "cpu.json").read_text())
        assert read["goals"] == kept["goals"]
        assert sorted(map(json.dumps, read["results"])) == sorted(map(json.dumps, kept["results"]))


_CUT_OFF = """
import json, os, signal, time
out = sys.argv[sys.argv.index("--json") + 1]
document = json.loads({document!r})
open(out, "w").write(json.dumps(document | {{"complete": False}}))
if out.endswith(".{round}.json"):
    os.kill(os.getppid(), signal.{signal})
    time.sleep(60)
os.remove(out)
open(out, "w").write(json.dumps(document))
"""


@pytest.mark.parametrize("signal_name", ["SIGINT", "SIGTERM"])
def test_an_interrupt_keeps_what_was_measured(
    signal_name: str, tmp_path: Path, capsys: Capture
) -> None:
    ours = _fake_programs(tmp_path / "ours")
    cut_off = json.dumps(_document(_bfv(8.0, "decrypt")))
    text = _CUT_OFF.format(document=cut_off, round=2, signal=signal_name)
    _script(ours / "bfv_bench", text)
    out = tmp_path / "out"
    words = ["bench", "cpu", "--programs", str(ours), "--out", str(out), "--no-plot"]
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    began = time.monotonic()
    assert main(words) == 130
    assert time.monotonic() - began < 30  # the running program was ended too
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == handlers
    sentence = "This run is incomplete: 11 of 18 steps ended."
    shown = capsys.readouterr().out
    assert sentence in shown and "2^12" in shown
    kept = json.loads((out / "cpu.json").read_text())
    assert kept["complete"] is False and kept["steps"] == {"done": 11, "wanted": 18}
    rounds = {row["kind"]: row["rounds"] for row in kept["results"]}
    assert rounds["transform"] == 2 * 3  # ntt_bench is three steps of a round
    assert rounds["bfv"] == 2  # rows of the program that was cut off count
    # Read again, it says so still; so do the programs' documents.
    for source, text in ((out / "cpu.json", sentence), (out / "raw", "a program was cut off")):
        again = ["--merge", str(source), "--out", str(tmp_path / "again"), "--no-plot"]
        assert main(["bench", "cpu", *again]) == 0
        assert text in capsys.readouterr().out


def test_a_failure_of_ours_keeps_what_was_measured(tmp_path: Path, capsys: Capture) -> None:
    ours = _fake_programs(tmp_path / "ours")
    _script(ours / "rns_bench", "sys.exit(1)")
    out = tmp_path / "out"
    words = ["bench", "cpu", "--programs", str(ours), "--out", str(out), "--no-plot"]
    assert main(words) == 2
    assert "rns_bench ended with status 1" in capsys.readouterr().err
    kept = documents.load_merged(out / "cpu.json")
    assert kept["complete"] is False and kept["steps"] == {"done": 4, "wanted": 18}


def test_a_budget_ends_between_programs(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = {"quick": 1.0, "slow": 4.0}
    clock = [0.0]

    def run(step: rounds.Step, document: Path, progress: rounds.Progress) -> None:
        clock[0] += seconds[step.name]
        progress.documents.append(_document(_transform(2.0)))

    monkeypatch.setattr(rounds, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(rounds, "_run", run)
    steps = [rounds.Step(name, tmp_path / name, [], True) for name in seconds]
    seen: list[int] = []
    progress = rounds.measure(
        steps, tmp_path / "raw", lambda p: seen.append(p.done), 100, budget_s=12.0
    )
    assert progress.done == 5  # 1 + 4, 1 + 4, 1; another 4 do not fit
    assert seen == [1, 2, 3, 4, 5]
    assert progress.mark({})["complete"] is True and not progress.interrupted
    assert "the budget ends in round 3" in capsys.readouterr().out
    # Too little for one round: not complete.
    short = rounds.measure(steps, tmp_path / "raw", lambda p: None, 100, budget_s=1.0)
    assert short.done == 1 and short.mark({})["complete"] is False


def test_command_draws_plots(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [_transform(100.0 * n, n=n, target=t) for n in (1024, 4096) for t in ("avx2", "scalar")]
    merged = documents.merge(
        [
            _document(*rows, _bfv(10.0, "decrypt")),
            _document(*rows[:1], _bfv(20.0, "decrypt"), program="seal"),
        ]
    )
    path = tmp_path / "cpu.json"
    path.write_text(documents.dump(merged))
    assert main(["bench", "cpu", "--merge", str(path), "--out", str(tmp_path)]) == 0
    for name in ("transforms-forward.png", "transforms-inverse.png", "bfv.png"):
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rounds", "0"], "--rounds = 0 must be from 1 to 100"),
        (["--runs", "2"], "--runs = 2 must be from 3"),
        (["--budget", "0"], "--budget = 0.0 must be from 1 to 1e+06"),
        (["--min-log-n", "12", "--max-log-n", "11"], "5 <= min <= max <= 24"),
        (["--core", "99999"], "--core 99999 cannot be used"),
        (["--merge", "/nowhere/cpu.json"], "--merge /nowhere/cpu.json: there is no such file"),
        (["--merge", "/proc/self/ns"], "holds no"),
        (["--out", "/etc/passwd/bench"], "cannot write there"),
        (["--programs", "/nowhere"], "has no"),
    ],
)
def test_bad_options(words: list[str], message: str, capsys: Capture) -> None:
    assert main(["bench", "cpu", *words]) == 2
    assert message in capsys.readouterr().err


def test_module_runs_without_the_compiled_core(tmp_path: Path) -> None:
    assert module_text
    source = tmp_path / "cpu.json"
    source.write_text(documents.dump(documents.merge([_document(_transform(2.0))])))
    # A package tree of its own, so that no compiled core can be found beside it.
    package = tmp_path / "lib/nttforge"
    shutil.copytree(
        ROOT / "python/nttforge", package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    command = [sys.executable, "-m", "nttforge.bench", "cpu", "--merge", str(source), "--no-plot"]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        alone = {"PYTHONPATH": str(tmp_path / "lib"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [*command, *words],
            env={**os.environ, **alone},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )

    done = run("--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/cpu.json").exists()
    for wrong in (["--rounds", "0"], ["--only", "all"]):
        done = run(*wrong)
        assert done.returncode == 2 and done.stderr.startswith("nttforge: error: ")
        assert done.stderr.count("\n") == 1 and wrong[0] in done.stderr


@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
@pytest.mark.parametrize(("level", "status"), [("-O0", 2), ("-O2", 0)])
def test_unoptimised_builds_refuse(level: str, status: int, tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(
        '#include "bench/options.hpp"\n'
        'int main() { return nttforge::bench::guarded_main("program", [] {}); }\n'
    )
    program = tmp_path / "program"
    build = ["c++", "-std=c++20", level, "-I", str(ROOT), str(source), "-o", str(program)]
    # The library's JSON is declared and not used here; -Wl drops what nothing calls.
    sections = ["-ffunction-sections", "-Wl,--gc-sections"]
    subprocess.run([*build, *sections], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == status
    assert ("no figures from this build" in done.stderr) == (status == 2)


@pytest.mark.parametrize("name", ["ntt_bench", "rns_bench", "bfv_bench", "ceilings_bench"])
def test_built_programs_take_options(name: str) -> None:
    program = ROOT / "build/dev" / name
    if not program.exists():
        pytest.skip("the benchmark programs are not built")
    wrong = subprocess.run([program, "--colour", "red"], capture_output=True, text=True)
    assert wrong.returncode == 1
    assert "unknown option --colour" in wrong.stderr and "--json" in wrong.stderr
    missing = subprocess.run([program, "--json"], capture_output=True, text=True)
    assert missing.returncode == 1 and "--json needs a value" in missing.stderr
    shown = subprocess.run([program, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0 and "--commit" in shown.stdout


def test_a_built_program_writes_the_schema(tmp_path: Path) -> None:
    program = ROOT / "build/dev/ntt_bench"
    if not program.exists():
        pytest.skip("the benchmark programs are not built")
    sizes = ["--min-log-n", "5", "--max-log-n", "5", "--runs", "3", "--run-us", "1"]
    words = ["--kind", "all", "--target", "scalar", *sizes]
    document = programs.run(program, words, tmp_path / "ntt.json")
    rows = document["results"]
    assert isinstance(rows, list)
    assert {row["kind"] for row in rows} == {"transform", "product", "batch"}
    batches = [row for row in rows if row["kind"] == "batch"]
    assert all(("speedup" in row) == (row["threads"] > 1) for row in batches)
    assert document["complete"] is True and list(tmp_path.iterdir()) == [tmp_path / "ntt.json"]
    refused = subprocess.run(
        [program, "--min-log-n", "99"], capture_output=True, text=True, check=False
    )
    assert "--min-log-n = '99' must be a number from 1 to 24" in refused.stderr


def test_kept_results_can_be_read_and_judged() -> None:
    """Every committed result: its verdicts follow from its rows."""
    for path in sorted((ROOT / "bench/results").glob("*/cpu.json")):
        kept = documents.load_merged(path)
        model.annotate(kept)
        assert [v.to_json() for v in goals.judge(kept)] == kept["goals"], path


def test_a_copy_without_git_is_told_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NTTFORGE_COMMIT", raising=False)
    assert programs.commit(None) == "unknown"
    monkeypatch.setenv("NTTFORGE_COMMIT", "0123abc")
    assert programs.commit(None) == programs.commit(ROOT) == "0123abc"
