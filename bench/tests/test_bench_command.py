# SPDX-License-Identifier: Apache-2.0
"""nttforge bench cpu: its programs, what it keeps of them, tables, plots and errors."""

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

import pytest
from bench_rows import bfv_row, document_of, rate_row, transform_row

from nttforge.cli import main
from nttforge.errors import FormatError, UnsupportedError
from nttforge_bench import documents, goals, model, programs, rounds
from nttforge_bench.__main__ import __doc__ as module_text

ROOT = Path(__file__).resolve().parents[2]
Capture = pytest.CaptureFixture[str]


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
    rows = {"ntt_bench": [transform_row(2.0)], "bfv_bench": [bfv_row(10.0, "decrypt")]}
    for name in programs.OURS:
        document = json.dumps(document_of(*rows.get(name, [rate_row("vpaddq", 2.0)])))
        _script(folder / name, _FAKE.format(document=document))
    return folder


def test_command_from_programs_to_tables(tmp_path: Path, capsys: Capture) -> None:
    ours = _fake_programs(tmp_path / "ours")
    peers = tmp_path / "peers"
    peers.mkdir()
    hexl = json.dumps(document_of(transform_row(4.0), program="hexl"))
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
    cut_off = json.dumps(document_of(bfv_row(8.0, "decrypt")))
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
        progress.documents.append(document_of(transform_row(2.0)))

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
    rows = [
        transform_row(100.0 * n, n=n, target=t) for n in (1024, 4096) for t in ("avx2", "scalar")
    ]
    merged = documents.merge(
        [
            document_of(*rows, bfv_row(10.0, "decrypt")),
            document_of(*rows[:1], bfv_row(20.0, "decrypt"), program="seal"),
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
    source.write_text(documents.dump(documents.merge([document_of(transform_row(2.0))])))
    # A package tree of its own, so that no compiled core can be found beside it.
    package = tmp_path / "lib/nttforge"
    shutil.copytree(
        ROOT / "python/nttforge", package, ignore=shutil.ignore_patterns("*.so", "__pycache__")
    )
    command = [sys.executable, "-m", "nttforge_bench", "cpu", "--merge", str(source), "--no-plot"]

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
@pytest.mark.parametrize(
    ("level", "status"), [("-O0", 2), pytest.param("-O2", 0, marks=pytest.mark.full)]
)
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


@pytest.mark.parametrize(
    "name",
    ["ntt_bench", "rns_bench", "bfv_bench", "ceilings_bench", "gpu_bfv_bench", "gpu_bgv_bench"],
)
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


@pytest.mark.parametrize("device", ["cpu", "cuda:host"])
def test_bfv_of_a_device_is_checked_and_measured(device: str, tmp_path: Path) -> None:
    program = ROOT / "build/dev/gpu_bfv_bench"
    if not program.exists():
        pytest.skip("the benchmark programs are not built")
    words = ["--device", device, "--grid", "small", "--what", "both", "--runs", "3", "--calls", "1"]
    document = programs.run(program, words, tmp_path / "bfv.json")
    rows = document["results"]
    assert isinstance(rows, list)
    assert {row["kind"] for row in rows} == {"gpu_bfv", "gpu_bfv_step"}
    modes = {row["mode"] for row in rows if row.get("operation") == "multiply + relinearize"}
    assert modes >= {"stream", "one call", "batch of 8"}


@pytest.mark.parametrize("device", ["cpu", "cuda:host"])
def test_key_switching_of_a_device_is_checked_and_measured(device: str, tmp_path: Path) -> None:
    program = ROOT / "build/dev/gpu_bgv_bench"
    if not program.exists():
        pytest.skip("the benchmark programs are not built")
    words = ["--device", device, "--grid", "small", "--runs", "3", "--calls", "1"]
    document = programs.run(program, [*words, "--only", "part: "], tmp_path / "bgv.json")
    rows = document["results"]
    assert isinstance(rows, list)
    assert {row["kind"] for row in rows} == {"gpu_bgv"}
    assert {"part: decompose", "part: key switch", "part: divide"} <= {
        row["operation"] for row in rows
    }


def test_kept_results_can_be_read_and_judged() -> None:
    """Every committed result: its verdicts follow from its rows."""
    paths = sorted((ROOT / "bench/results").glob("*/cpu.json*"))
    assert len(paths) >= 2
    for path in paths:
        kept = documents.load_merged(path)
        model.annotate(kept)
        assert [v.to_json() for v in goals.judge(kept)] == kept["goals"], path


def test_a_copy_without_git_is_told_its_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NTTFORGE_COMMIT", raising=False)
    assert programs.commit(None) == "unknown"
    monkeypatch.setenv("NTTFORGE_COMMIT", "0123abc")
    assert programs.commit(None) == programs.commit(ROOT) == "0123abc"
