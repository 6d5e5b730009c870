# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper bad18b``: the paper's figures, the verdicts, what is missing; never a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nttforge.cli import main
from nttforge.errors import FormatError
from nttforge_bench import documents
from nttforge_papers.bad18b import merge, page, report
from nttforge_papers.bad18b.figures import SETS, TABLE_1, TABLE_2, TABLE_5, TABLES_6_7, Figures
from nttforge_papers.bad18b.statements import statements

PROGRAM = Path(__file__).resolve().parents[2] / "build/dev/bad18b_bench"


def row(part: str, n: int, log2_q: int, where: str, variant: str, operation: str, us: float) -> Any:
    times = {"min_ns": us * 1e3, "median_ns": us * 1e3}
    names = {"part": part, "n": n, "log2_q": log2_q, "where": where, "variant": variant}
    return {"kind": "bad18b", **names, "operation": operation, **times}


def results_like_the_paper(peers: float = 1.0) -> dict[str, Any]:
    """The paper's own figures as if they were measured: CPU from the CPU's columns, card from K80
    and P100; SEAL's times ``peers``."""
    rows = []
    for n, (native, nfllib, gpu_native, gpu_nfllib) in TABLE_1.items():
        for where, times in (("cpu", (native, nfllib)), ("cuda", (gpu_native, gpu_nfllib))):
            for variant, ms in zip(("native", "nfllib"), times, strict=True):
                rows.append(row("table 1", n, 62, where, variant, "reduce", ms * 1e3))
            rows.append(row("table 1", n, 62, where, "ours", "reduce", 1.0))
    for log2_q, times in TABLE_2.items():
        names = ("classic, division", "classic, subtractions", "paper")
        for variant, ms in zip(names, times, strict=True):
            rows.append(row("table 2", 8192, log2_q, "cuda", variant, "CRT reconstruct", ms * 1e3))
        rows.append(row("table 2", 8192, log2_q, "cuda", "ours", "CRT reconstruct", 1.0))
    seal = []
    for operation, by_n in TABLE_5.items():
        for n, (p100, k80, mixed, ms, _) in by_n.items():
            for variant in ("paper", "paper with NTT", "ours"):
                us = p100 * (1100 if variant == "paper with NTT" else 1000)
                rows.append(row("table 5", n, SETS[n], "cuda", variant, operation, us))
            if mixed is not None:
                other = "textbook, rounding on host"
                us = mixed * 1e3 * p100 / k80  # the paper's ratio is to the K80
                rows.append(row("table 5", n, SETS[n], "cuda", other, operation, us))
                rows.append(row("table 5", n, SETS[n], "cuda", "textbook", operation, us))
            for variant, times_seal in (("textbook", 10), ("paper", 1), ("ours", 1)):
                us = ms * 1e3 * times_seal
                rows.append(row("table 5", n, SETS[n], "cpu", variant, operation, us))
            for name in ("add", "decrypt", "encrypt (public key)", "multiply + relinearize"):
                if name.startswith(operation):
                    seal.append(_seal(n, name, ms * peers))
            if operation == "key generation":
                seal.append(_seal(n, "secret and public key", ms * peers / 4))
                seal.append(_seal(n, "relinearization key", ms * peers * 3 / 4))
    for operation, kernels in TABLES_6_7.items():
        for n, (_, p100) in kernels.items():
            for variant in ("paper", "ours"):
                rows.append(row("table 6", n, SETS[n], "cuda", variant, operation, p100 * 1e3))
    results = {"schema": "nttforge-gpu-paper-1", "paper": "bad18b", "rows": rows, "peers": seal}
    watts = {2048: (40.0, 62.0), 16384: (95.0, 148.0)}
    load = [
        {
            "n": n,
            "variant": "paper",
            "gpu_percent": busy,
            "watts": w,
            "memory_percent": 1.0,
            "samples": 9,
        }
        for n, (busy, w) in watts.items()
    ]
    return {
        **results,
        "version": "v",
        "cpu": "a CPU",
        "gpu": {"name": "a card"},
        "load": {"rows": load},
    }


def _seal(n: int, operation: str, ms: float) -> dict[str, Any]:
    figures = {"min_ns": ms * 1e6, "median_ns": ms * 1e6}
    return {"program": "seal", "n": n, "operation": operation, **figures}


def verdicts(results: dict[str, Any]) -> dict[str, str]:
    return {s["paper"]: s["verdict"] for s in statements(Figures(results))}


def test_the_papers_own_figures_bear_its_conclusions_out() -> None:
    found = verdicts(results_like_the_paper())
    assert len(found) == 15
    other = {paper for paper, verdict in found.items() if verdict == "not judged"}
    assert len(other) == 6 and all("SEAL" in paper or "rounding" in paper for paper in other)
    no = {paper for paper, verdict in found.items() if verdict not in ("holds", "not judged")}
    assert not no, no
    text = report(results_like_the_paper())
    assert "multiply + relinearize: the GPU is 13.18 times as fast as SEAL on average" in text
    assert "the paper's method on the card 13.18 times on average (2.17 ... 26.73)" in text
    assert "need a card" not in text
    kept = page(results_like_the_paper())
    assert (
        "## Conclusions: 9 of 15 hold, 6 are not judged" in kept and "## Not measured" not in kept
    )
    outside = [
        line for i, part in enumerate(kept.split("```")) if i % 2 == 0 for line in part.split("\n")
    ]
    assert max(map(len, outside)) <= 120


def test_a_conclusion_falls_with_its_figures() -> None:
    results = results_like_the_paper()
    for measured in results["rows"]:
        if measured["variant"] in ("classic, subtractions", "nfllib", "paper with NTT"):
            for name in ("min_ns", "median_ns"):
                measured[name] /= 10
    results["load"]["rows"].reverse()
    for power in results["load"]["rows"]:
        power["n"] = 18432 - power["n"]
    found = verdicts(results)
    for words in ("with subtractions", "half-length", "native remainder is", "utilisation"):
        assert [v for paper, v in found.items() if words in paper] == ["does not hold"], words


def test_what_was_not_measured_is_named_and_not_judged() -> None:
    results = results_like_the_paper()
    results["rows"] = [r for r in results["rows"] if r["where"] == "cpu"]
    results |= {"peers": [], "gpu": None, "load": None, "host_run": "right words"}
    text = report(results)
    assert set(verdicts(results)) == {
        "on a CPU NFLlib's reduction is 3.5 ... 4.1 times as fast as the native remainder",
        "RNS FV is dramatically faster than the textbook's on a CPU (the text has no figures)",
    }
    assert "the columns 'card' and Fig. 4 need a card" in text
    assert "the columns of SEAL need it" in text
    assert "host run: right words" in text
    assert "nan" not in text and "None" not in text


def test_without_kept_results_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["paper", "bad18b"]) != 0
    printed = capsys.readouterr().err
    assert "name a file by --from, or measure with --device cpu or --device cuda" in printed


def _document(path: Path, rows: list[Any], **more: Any) -> None:
    fields = {"schema": documents.SCHEMA, "program": "nttforge", "version": "v", "build": "b"}
    path.write_text(json.dumps({**fields, "cpu": "a CPU", "results": rows, **more}))


@pytest.mark.usefixtures("no_plots")
def test_documents_are_put_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(FormatError, match=r"holds no bad18b_cpu\.json or bad18b_cuda\.json"):
        merge(tmp_path)
    results = results_like_the_paper()
    for where in ("cpu", "cuda"):
        rows = [r for r in results["rows"] if r["where"] == where]
        more = {"gpu": {"name": "a card"}} if where == "cuda" else {}
        _document(tmp_path / f"bad18b_{where}.json", rows, **more)
    merged = merge(tmp_path)
    assert len(merged["rows"]) == len(results["rows"]) and merged["gpu"] == {"name": "a card"}
    out = tmp_path / "out"
    assert main(["paper", "bad18b", "--merge", str(tmp_path), "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert main(["paper", "bad18b", "--from", str(out / "bad18b.json")]) == 0
    assert capsys.readouterr().out == printed
    assert (out / "bad18b.md").read_text().startswith("# [Bad18b] here")
    _document(tmp_path / "bad18b_cuda.json", [], cpu="another CPU")
    with pytest.raises(FormatError, match="different machines: a CPU, another CPU"):
        merge(tmp_path)


FAKE = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --device) device=$2 ;; --json) json=$2 ;; esac
  shift
done
if [ "$device" = cuda:host ]; then echo "no host run here" >&2; exit 1; fi
cp "$(dirname "$0")/${device:-seal}.json" "$json"
"""


@pytest.mark.usefixtures("no_plots")
def test_programs_are_run_and_seal_beside_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, peers, out = (tmp_path / name for name in ("ours", "peers", "out"))
    results = results_like_the_paper()
    rows = [
        {"kind": "bfv", "set": "[Bad18b]", "log2_q": 1, "t": 2, "variant": "", **r}
        for r in results["peers"]
    ]
    ours.mkdir()
    peers.mkdir()
    for where in ("cpu", "cuda"):
        _document(ours / f"{where}.json", [r for r in results["rows"] if r["where"] == where])
    _document(peers / "seal.json", rows, program="seal")
    place = ["--programs", str(ours), "--peers", str(peers), "--out", str(out)]
    (ours / "bad18b_bench").write_text(FAKE)
    (ours / "bad18b_bench").chmod(0o755)
    (peers / "peer_flint").write_text(FAKE)
    (peers / "peer_flint").chmod(0o755)
    assert main(["paper", "bad18b", "--device", "cuda", *place]) != 0
    assert "has no SEAL" in capsys.readouterr().err
    assert not (out / "raw/bad18b_cuda.json").exists()
    (peers / "peer_seal").write_text(FAKE)
    (peers / "peer_seal").chmod(0o755)
    assert main(["paper", "bad18b", "--device", "cuda", *place]) == 0
    printed = capsys.readouterr().out
    assert "13.18 times on average (2.17 ... 26.73)" in printed
    assert "the card's kernels were not run on the host: no host run here" in printed


def test_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from nttforge_papers._gpu import plot_results
    from nttforge_papers.bad18b import plot

    bare = results_like_the_paper() | {"rows": [], "peers": [], "load": None}
    for name, results in (("full", results_like_the_paper()), ("bare", bare)):
        plot_results(results, tmp_path / f"{name}.png", plot)
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
@pytest.mark.usefixtures("no_plots")
@pytest.mark.skipif(not PROGRAM.exists(), reason="make build builds bad18b_bench")
def test_the_reduced_form_on_this_machine(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = ["--programs", str(PROGRAM.parent), "--out", str(tmp_path)]
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/bad18b_cuda.json").write_text("of another run")
    status = main(["paper", "bad18b", "--device", "cpu", "--small", *place])
    printed = capfd.readouterr()
    if status != 0 and "no figures from this build" in printed.err:
        pytest.skip("a build without optimisation measures nothing")
    assert status == 0
    assert "run on the host at small sizes, give the right words" in printed.out
    kept = json.loads((tmp_path / "bad18b.json").read_text())
    parts = {r["part"] for r in kept["rows"]}
    assert parts == {"table 1", "table 2", "table 5", "table 6"}
    variants = {r["variant"] for r in kept["rows"] if r["part"] == "table 5"}
    assert variants >= {"paper", "paper with NTT", "textbook", "ours, 31-bit primes"}
