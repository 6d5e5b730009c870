# SPDX-License-Identifier: Apache-2.0
"""nttforge bench cpu --against: two builds in turns, from made-up programs. Times nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench_rows import bfv_row, transform_row

from nttforge.cli import main
from nttforge.errors import FormatError
from nttforge_bench import against, command_against, documents, programs, rounds

Capture = pytest.CaptureFixture[str]

# A program that writes rows, with the times of its n-th call multiplied by the n-th factor, and
# notes in a file how it was called.
_FAKE = """#!{python}
import json, os, sys
out = sys.argv[sys.argv.index("--json") + 1]
log = {log!r}
with open(log, "a") as file:
    cores = repr(os.sched_getaffinity(0))
    file.write(" ".join([{name!r}, *sys.argv[1:], "@" + cores]) + "\\n")
calls = sum(line.startswith({name!r}) for line in open(log))
factors = {factors!r}
rows = json.loads({rows!r})
for row in rows:
    row["min_ns"] *= factors[min(calls, len(factors)) - 1]
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
document = {{"schema": {schema!r}, "program": "nttforge", "version": words["--commit"]}}
document |= {{"build": words["--flags"], "compiler": "12", "cpu": "a CPU", "results": rows}}
open(out, "w").write(json.dumps(document))
"""


def _build(
    folder: Path,
    log: Path,
    rows: dict[str, list[dict[str, Any]]],
    factors: tuple[float, ...] = (1,),
) -> Path:
    folder.mkdir()
    for program in ("ntt_bench", "rns_bench", "bfv_bench"):
        text = _FAKE.format(
            python=sys.executable,
            log=str(log),
            name=f"{folder.name}/{program}",
            factors=factors,
            rows=json.dumps(rows.get(program, [])),
            schema=documents.SCHEMA,
        )
        (folder / program).write_text(text)
        (folder / program).chmod(0o755)
    return folder


def _transforms(time: float) -> dict[str, list[dict[str, Any]]]:
    return {"ntt_bench": [transform_row(time), transform_row(2 * time, direction="inverse")]}


def _command(this: Path, other: Path, out: Path, *words: str) -> list[str]:
    sizes = ["--min-log-n", "12", "--max-log-n", "12", "--only", "transforms"]
    command = ["bench", "cpu", "--programs", str(this), "--against", str(other)]
    return [*command, "--out", str(out), *sizes, *words]


def test_builds_take_turns_on_one_core(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log"
    this, other = (_build(tmp_path / name, log, _transforms(100.0)) for name in ("this", "other"))
    words = ["--rounds", "2", "--only", "transforms", "bfv", "--max-log-n", "13"]
    assert main(_command(this, other, tmp_path / "out", *words)) == 0
    lines = log.read_text().splitlines()
    called = [line.split()[0] for line in lines]
    first = ["this/ntt_bench", "other/ntt_bench"] * 2 + ["this/bfv_bench", "other/bfv_bench"] * 2
    second = ["other/ntt_bench", "this/ntt_bench"] * 2 + ["other/bfv_bench", "this/bfv_bench"] * 2
    assert called == first + second
    assert len({line.split("@")[1] for line in lines}) == 1
    assert lines[0].endswith(f"@{{{max(os.sched_getaffinity(0))}}}")
    assert "--min-log-n 12 --max-log-n 12" in lines[0] and "--min-log-n 13" in lines[2]
    assert "--only 4096 --clock thread" in lines[4]
    assert "1.000" in capsys.readouterr().out


def test_ratios_are_what_medians_and_minima_both_say(tmp_path: Path, capsys: Capture) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    rows = _transforms(100.0) | {"bfv_bench": [bfv_row(50.0, "decrypt")]}
    this = _build(tmp_path / "this", log, rows, (1.5, 1.1, 1.3))
    other = _build(tmp_path / "other", log, rows, (1.2, 2.0, 1.0))
    assert main(_command(this, other, out)) == 0  # no limit, no verdict
    shown = capsys.readouterr().out
    assert "Slowest against the other build: 1.100 (transform" in shown
    assert "50-bit avx512_ifma forward" in shown and "2^12" in shown
    kept = json.loads((out / "against.json").read_text())
    assert kept["schema"] == against.SCHEMA and kept["complete"] is True
    assert kept["limit"] is None and kept["beyond_limit"] is None
    assert kept["worst"]["ratio"] == 1.1 and kept["machine"]["cpu"] == "a CPU"
    row = kept["results"][0]
    assert (row["this_ns"], row["other_ns"], row["rounds"]) == (pytest.approx(110), 100, 3)
    assert (row["minima_ratio"], row["median_ratio"]) == (1.1, 1.25)  # of 1.25, 0.55 and 1.3
    assert row["ratio"] == 1.1
    assert kept["builds"]["other"]["programs"] == str(other)
    assert set(kept["builds"]["this"]) == {"programs", "commit", "flags", "compiler"}


@pytest.mark.parametrize(("limit", "code"), [("4%", 1), ("6%", 0), ("5.1", 0), ("4.9", 1)])
def test_exit_code_tells_whether_a_cell_is_beyond_the_limit(
    limit: str, code: int, tmp_path: Path, capsys: Capture
) -> None:
    log, out = tmp_path / "log", tmp_path / "out"
    this = _build(tmp_path / "this", log, _transforms(105.0))
    other = _build(tmp_path / "other", log, _transforms(100.0))
    assert main(_command(this, other, out, "--limit", limit, "--rounds", "2")) == code
    shown = capsys.readouterr().out
    assert f"{2 * code} cells are slower by more than" in shown
    # Cells beyond the limit are measured again, in twice as many rounds at most.
    assert len(log.read_text().splitlines()) == (12 if code else 4)
    assert json.loads((out / "against.json").read_text())["beyond_limit"] == 2 * code


@pytest.mark.parametrize(
    ("this", "other", "ratio"),
    [
        ((1.0, 1.2), (1.0, 1.1), 1.0),  # medians say slower, minima equal
        ((1.3, 1.2), (1.0, 1.1), 1.195),
        ((0.8, 0.9), (1.0, 1.0), 0.85),
        ((0.8, 1.3), (1.0, 1.0), 1.0),  # minima say faster, medians slower
    ],
)
def test_what_both_figures_say_counts(
    this: tuple[float, ...], other: tuple[float, ...], ratio: float
) -> None:
    cell = against.Cell("part", {}, {"this": list(this), "other": list(other)})
    assert cell.ratio == pytest.approx(ratio, abs=1e-3)


def test_cells_that_met_other_work_are_measured_again(tmp_path: Path) -> None:
    log = tmp_path / "log"
    this = _build(tmp_path / "this", log, _transforms(100.0), (1.2, 1.2, 1.0))
    other = _build(tmp_path / "other", log, _transforms(100.0))
    command = _command(this, other, tmp_path / "out", "--limit", "3%", "--rounds", "2")
    assert main(command) == 0
    assert len(log.read_text().splitlines()) == 6


def test_cells_of_one_build_are_counted_and_not_compared(tmp_path: Path, capsys: Capture) -> None:
    log = tmp_path / "log"
    ours = {"ntt_bench": [transform_row(9.0), transform_row(9.0, target="avx2")]}
    this, other = _build(tmp_path / "this", log, ours), _build(tmp_path / "other", log, {})
    assert main(_command(this, other, tmp_path / "out")) == 2
    assert "no cell in common" in capsys.readouterr().err
    theirs = {"ntt_bench": [transform_row(9.0)]}
    other = _build(tmp_path / "newer", log, theirs)
    assert main(_command(this, other, tmp_path / "out")) == 0
    assert "Only this build measured 1 further cells." in capsys.readouterr().out


def test_recipes_are_kept_where_they_differ(tmp_path: Path) -> None:
    cell = {"ntt_bench": [transform_row(9.0, recipe={"passes": [4, 4, 4]})]}
    changed = {"ntt_bench": [transform_row(9.0, recipe={"passes": [6, 6]})]}
    log, out = tmp_path / "log", tmp_path / "out"
    this = _build(tmp_path / "this", log, cell)
    for name, rows in (("same", cell), ("changed", changed)):
        assert main(_command(this, _build(tmp_path / name, log, rows), out)) == 0
        row = json.loads((out / "against.json").read_text())["results"][0]
        assert ("recipes" in row) == (name == "changed")


def test_the_fastest_kernel_of_a_gpu_cell_counts() -> None:
    fields = {"kind": "gpu_transform", "bits": 60, "word_bits": 64, "n": 4096, "limbs": 1}
    fields["direction"] = "forward"
    part = against.Part("gpu-12", "gpu_bench", [])
    build = against.Build(Path(), "abc", "")
    comparison = against.Comparison(build, build, [part], 0.03, "median_ns")
    progress = rounds.Progress(wanted=2)
    for side, times in (("this", (5.0, 3.0, 4.0)), ("other", (2.0, 9.0, 9.0))):
        rows = [{**fields, "median_ns": time, "min_ns": 1.0} for time in times]
        rows.append({"kind": "gpu_floor", "median_ns": 1.0})
        progress.documents.append({"step": f"gpu-12.{side}", "results": rows})
    comparison.take(progress)
    (cell,) = comparison.beyond()
    assert (
        cell.ratio == 1.5 and cell.name == "gpu_transform 60-bit 64-bit words 1 limbs forward 2^12"
    )
    assert "1.500" in comparison.report()


def test_nothing_measured_is_an_error() -> None:
    build = against.Build(Path(), "", "")
    with pytest.raises(FormatError, match="no cell in common"):
        against.Comparison(build, build, []).report()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--limit", "3%"], "--limit goes with --against"),
        (["--against", ".", "--limit", "0%"], "--limit = 0 must be above 0% and at most 1000%"),
        (["--against", ".", "--limit", "x%"], "need a number"),
        (["--against", ".", "--peers", "."], "--peers does not go with --against"),
        (["--against", ".", "--merge", "."], "--merge does not go with --against"),
        (["--against", ".", "--only", "ceilings"], "nothing can be compared"),
        (["--against", ".", "--min-log-n", "20", "--max-log-n", "20", "--only", "bfv"], "leave no"),
    ],
)
def test_bad_options(words: list[str], message: str, capsys: Capture) -> None:
    assert main(["bench", "cpu", *words]) == 2
    assert message in capsys.readouterr().err


def test_other_build_that_is_none(tmp_path: Path, capsys: Capture) -> None:
    this = _build(tmp_path / "this", tmp_path / "log", {})
    assert main(_command(this, tmp_path / "nowhere", tmp_path / "out")) == 2
    shown = capsys.readouterr().err
    assert "nowhere is neither a build folder with ntt_bench nor a clone" in shown


# A Python that has "nttforge": it says a version, and writes rows instead of measuring.
_FAKE_PYTHON = """#!{python}
import json, sys
words = sys.argv[1:]
assert words[0] == "-I"
if words[1] == "-c":
    print({version!r})
    raise SystemExit(0)
options = dict(zip(words[2::2], words[3::2]))
assert words[1].endswith("package_cells.py") and options["--commit"] == {version!r}
n = 1 << int(options["--log-n"])
row = {{"kind": "package_bfv", "n": n, "operation": "add"}}
if options["--kind"] == "transform":
    row = {{"kind": "package_transform", "bits": 50, "word_bits": 64, "n": n}}
    row["direction"] = "forward"
row["min_ns"] = {time}
document = {{"schema": {schema!r}, "program": "nttforge", "version": "1", "build": ""}}
open(options["--json"], "w").write(json.dumps(document | {{"results": [row]}}))
"""


def _python(folder: Path, version: str, time: float) -> Path:
    path = folder / "bin/python"
    path.parent.mkdir(parents=True)
    text = _FAKE_PYTHON.format(
        python=sys.executable, version=version, time=time, schema=documents.SCHEMA
    )
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_installed_packages_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    this = _python(tmp_path / "this", "2.0", 90.0)
    other = _python(tmp_path / "other", "1.0", 100.0)
    real = sys.executable
    monkeypatch.setattr(command_against.sys, "executable", str(this))
    out = tmp_path / "out"
    sizes = ["--min-log-n", "11", "--max-log-n", "12", "--rounds", "1"]
    command = ["bench", "cpu", "--out", str(out), *sizes]
    for place in (other, other.parents[1]):  # the Python, or its virtual environment
        assert main([*command, "--against", str(place)]) == 0
        kept = json.loads((out / "against.json").read_text())
        assert {side: build["commit"] for side, build in kept["builds"].items()} == {
            "this": "2.0",
            "other": "1.0",
        }
        kinds = [(row["kind"], row["n"]) for row in kept["results"]]
        transforms = [("package_transform", 2048), ("package_transform", 4096)]
        assert kinds == [*transforms, ("package_bfv", 4096)]  # no preset below 2^12
        assert all(row["ratio"] == 0.9 for row in kept["results"])
    assert "package_bfv: time of this build" in capsys.readouterr().out
    assert main([*command, "--against", str(other), "--programs", str(tmp_path)]) == 2
    assert "without --programs" in capsys.readouterr().err
    other.write_text(f"#!{real}\nraise SystemExit('no module named nttforge')\n")
    assert main([*command, "--against", str(other)]) == 2
    assert "no working nttforge (no module named nttforge)" in capsys.readouterr().err


def test_the_program_for_packages_measures_this_one(tmp_path: Path) -> None:
    """Runs it once, as other interpreters do; looks at rows, not at times."""
    script = Path(against.__file__).with_name("package_cells.py")
    for kind, rows in (("transform", 6), ("bfv", 5)):
        out = tmp_path / f"{kind}.json"
        words = ["-I", str(script), "--kind", kind, "--log-n", "12", "--runs", "1"]
        subprocess.run([sys.executable, *words, "--json", str(out)], check=True)
        assert len(documents.load(out)["results"]) == rows


def test_another_clone_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    this = _build(tmp_path / "this", log, _transforms(1.0))
    clone = tmp_path / "clone"
    (clone / "bench").mkdir(parents=True)
    (clone / "bench/ntt_bench.cpp").touch()
    (clone / "CMakeLists.txt").touch()
    built = _build(tmp_path / "built", log, _transforms(1.0))
    asked: list[tuple[Path, tuple[str, ...], bool]] = []

    def build(root: Path, names: tuple[str, ...], on_gpu: bool) -> Path:
        asked.append((root, names, on_gpu))
        return built

    monkeypatch.setattr(programs, "_build", build)
    assert main(_command(this, clone, tmp_path / "out")) == 0
    assert asked == [(clone, ("ntt_bench",), False)]
