# SPDX-License-Identifier: Apache-2.0
"""``nttforge bench gpu`` and the GPU papers, from documents as the programs write them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from nttforge.errors import FormatError, ParameterError, UnsupportedError
from nttforge_bench import command, documents, gpu
from nttforge_papers import _gpu, bad18a, kim20

HERE = {"name": "a card"}


def document(program: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema": documents.SCHEMA,
        "program": program,
        "version": "v",
        "build": "b",
        "gpu": HERE,
        "results": rows,
    }


def transform(us: float, **fields: Any) -> dict[str, Any]:
    row = {"kind": "gpu_transform", "bits": 60, "word_bits": 64, "n": 1 << 16, "limbs": 21}
    row |= {"direction": "forward", "recipe": {"algorithm": "one_pass"}}
    return row | timing(us) | fields


def timing(us: float) -> dict[str, Any]:
    return {"min_ns": us * 900, "median_ns": us * 1000, "cold_median_ns": us * 1100}


def floor(name: str, us: float) -> dict[str, Any]:
    row = {"kind": "gpu_floor", "bits": 60, "n": 1 << 16, "limbs": 21, "direction": name}
    return row | timing(us)


def test_the_fastest_kernel_is_compared_with_the_fastest_peer_and_the_larger_floor() -> None:
    ours = document(
        "nttforge", [transform(30), transform(20.5), floor("pass", 5), floor("butterflies", 10)]
    )
    peers = [document("a", [transform(41)]), document("b", [transform(36), transform(50)])]
    merged = gpu.merge([ours, *peers])
    forward = next(c for c in merged["cells"] if c["direction"] == "forward")
    assert forward["ours"]["us"] == 20.5 and forward["best_peer"] == "b"
    assert forward["speedup"] == pytest.approx(36 / 20.5, abs=1e-3)
    assert forward["ratio_to_floor"] == 2.05
    assert (forward["target_us"], forward["verdict"]) == (21, "reached")
    slow = gpu.merge([document("nttforge", [transform(21.01)])])["cells"][0]
    assert slow["verdict"] == "short" and "speedup" not in slow
    text = gpu.report(merged)
    assert "2^16 x 21, 60-bit" in text and "faster than every peer measured here in 1 of 1" in text


def test_the_best_word_size_counts_at_2_to_the_17() -> None:
    cells = [transform(50, n=1 << 17), transform(27, n=1 << 17, bits=30, limbs=42)]
    merged = gpu.merge([document("nttforge", cells)])
    best = gpu.any_word(merged["cells"], "forward")
    assert best is not None and (best["bits"], best["verdict"]) == (30, "reached")
    assert gpu.any_word(merged["cells"], "inverse") is None


def test_what_was_not_measured_is_not_called_short() -> None:
    merged = gpu.merge([document("nttforge", [transform(50, n=1 << 17)])])
    best = gpu.any_word(merged["cells"], "forward")
    assert best is not None and best["verdict"] == "open: 2 of 3 word sizes not measured"
    assert "log2 Q = 1260, best word: 60-bit" in (text := gpu.report(merged))
    assert "open: 2 of 3" in text
    rows = [transform(50, n=1 << 17, bits=b, limbs=c) for b, c in ((60, 21), (49, 26), (30, 42))]
    whole = gpu.any_word(gpu.merge([document("nttforge", rows)])["cells"], "forward")
    assert whole is not None and whole["verdict"] == "short"
    # A subset without any cell of the targets has no table of them, and only a floor no figure.
    text = gpu.report(gpu.merge([document("nttforge", [transform(9, n=1 << 13)])]))
    assert "2^13 x 21, 60-bit" in text and "target" not in text and "short" not in text
    assert "measured" in gpu.report(gpu.merge([document("nttforge", [floor("pass", 5)])]))


def call(caller: str, us: float, result: str = "given") -> dict[str, Any]:
    row = {"kind": "gpu_call", "bits": 60, "n": 1 << 12, "limbs": 1, "direction": "forward"}
    row |= {"caller": caller, "result": result, "returned_median_ns": us * 900}
    return row | timing(us)


def test_calls_are_judged_by_caller() -> None:
    ours = [call("C++", 5.2), call("C++", 4.4), call("empty kernel", 3)]
    python = [call("PyTorch", 12.5), call("PyTorch", 11, "new"), call("CuPy", 9)]
    merged = gpu.merge([document("nttforge", ours), document("nttforge-python", python)])
    judged = {(c["caller"], c["result"]): c.get("verdict") for c in merged["calls"]}
    assert judged == {
        ("C++", "given"): "reached",
        ("empty kernel", "given"): None,
        ("PyTorch", "given"): "short",
        ("PyTorch", "new"): None,
        ("CuPy", "given"): "reached",
    }
    text = gpu.report(merged)
    assert "calls back to back at 2^12 x 1" in text and "4.40" in text and "target" not in text
    documents.check(document("nttforge", ours), "ours")
    with pytest.raises(FormatError, match="'caller' is missing"):
        row = {k: v for k, v in ours[0].items() if k != "caller"}
        documents.check(document("nttforge", [row]), "ours")


def test_kept_calls_are_shown_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    text = json.dumps(document("nttforge", [call("C++", 4.4)]))
    (kept / "gpu_bench-call.json").write_text(text, encoding="utf-8")
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    words = ["gpu", "--merge", str(kept), "--out", str(tmp_path / "out")]
    assert command.run(parser.parse_args(words)) == 0
    shown = capsys.readouterr().out
    assert "C++" in shown and "reached" in shown and "targets" not in shown
    again = tmp_path / "out" / "gpu-call.json"
    assert gpu.load_merged(again)["calls"][0]["us"] == 4.4
    assert not (tmp_path / "out" / "gpu-forward.png").exists()
    wrong = parser.parse_args(["cpu", "--kind", "call"])
    with pytest.raises(ParameterError, match="--kind call goes with gpu"):
        command.run(wrong)


def test_documents_of_two_cards_are_refused() -> None:
    other = document("a", [transform(1)]) | {"gpu": {"name": "another"}}
    with pytest.raises(FormatError, match="different GPUs"):
        gpu.merge([document("nttforge", [transform(1)]), other])


def config(**fields: Any) -> dict[str, Any]:
    kernel = {"kernel": "radix", "log_radix": 1, "twiddle_memory": "read_only", "registers": 30}
    kernel |= {"coalesced": True, "preload": False, "on_the_fly": 0, "local_bytes": 0}
    row = {"kind": "kim20", "multiplication": "shoup", "bits": 60, "log_n": 17, "limbs": 21}
    return row | {"log_base": 10, "kernels": [kernel | {"log_points": 1}]} | fields


def pair(first: int, points: int, fly: int, us: float, **fields: Any) -> dict[str, Any]:
    base = config()["kernels"][0]
    one = base | {"kernel": "first", "log_radix": first, "log_points": points}
    two = base | {"kernel": "last", "log_points": points, "on_the_fly": fly}
    return config(kernels=[one, two]) | timing(us) | fields


def ncu(kernels: list[dict[str, float]], metrics: dict[str, str]) -> str:
    lines = ['"ID","Kernel Name","Metric Name","Metric Value"']
    for number, values in enumerate(kernels):
        for metric, name in metrics.items():
            lines.append(f'"{number}","k","{metric}","{values[name]:,}"')
    return "\n".join(lines) + "\n"


def test_counters_are_summed_or_weighted_over_the_kernels_of_a_configuration(
    tmp_path: Path,
) -> None:
    one = {"read_bytes": 1000, "written_bytes": 10, "dram_percent": 10.0}
    one |= {"occupancy_percent": 50.0, "ns": 3000}
    two = one | {"dram_percent": 50.0, "ns": 1000}
    lines = [json.dumps(config(launches=2)), json.dumps(config(launches=1, log_n=16))]
    counters = ncu([one, two, two], kim20.METRICS)
    path = tmp_path / "kim20_ncu.csv"
    path.write_text("==PROF== Connected\n" + "\n".join(lines) + "\n" + counters, encoding="utf-8")
    rows = _gpu._profile(path, kim20.METRICS)
    assert [row["read_bytes"] for row in rows] == [2000, 1000]
    assert rows[0]["dram_percent"] == 20 and rows[1]["dram_percent"] == 50
    path.write_text("\n".join(lines[:1]) + "\n" + counters, encoding="utf-8")
    with pytest.raises(FormatError, match="not those that the program names"):
        _gpu._profile(path, kim20.METRICS)


def test_kim20_is_judged_from_its_figures(tmp_path: Path) -> None:
    rows = [config() | timing(500), config(limbs=1) | timing(50)]
    rows += [pair(8, 3, 0, 100), pair(8, 3, 1, 90), pair(8, 2, 0, 100), pair(8, 1, 0, 140)]
    for bits, native in ((60, 240), (30, 150)):
        rows.append(pair(8, 3, 0, native, limbs=45, multiplication="native", bits=bits))
        rows.append(pair(8, 3, 0, 100, limbs=45, bits=bits))
    (tmp_path / "kim20.json").write_text(json.dumps(document("nttforge", rows)), encoding="utf-8")
    results = _gpu.merge("kim20", tmp_path, kim20.METRICS)
    judged = {s["paper"]: s for s in kim20.statements(kim20.Figures(results))}
    shoup = next(s for text, s in judged.items() if text.startswith("Shoup"))
    assert shoup["verdict"] == "holds"
    assert "2.40 with 60-bit moduli as in the paper, 1.50 with 30-bit" in shoup["ours"]
    points = next(s for text, s in judged.items() if text.startswith("4 points"))
    assert (
        points["verdict"] == "holds in kind, not in size" and "4 over 2: 40.0 %" in points["ours"]
    )
    text = kim20.report(results)
    assert "Table II" in text and "304.2" in text
    assert all("nan" not in s["ours"] for s in judged.values())


def test_bad18a_tables_from_its_figures(tmp_path: Path) -> None:
    rows = []
    for log_n, direction in bad18a.TABLE_III:
        for variant, us in zip(bad18a.VARIANTS, (15, 10, 14, 11), strict=True):
            row = {"kind": "bad18a", "n": 1 << log_n, "polynomials": 1, "direction": direction}
            row |= {"shared_memory": variant[0], "powers_of_8": variant[1], "kernel": "all"}
            rows.append(row | timing(us))
    (tmp_path / "bad18a.json").write_text(json.dumps(document("nttforge", rows)), encoding="utf-8")
    results = _gpu.merge("bad18a", tmp_path, bad18a.METRICS)
    first, split, constant = bad18a.statements(results)
    assert first["verdict"] == "holds" and "1.50 ... 1.50" in first["ours"]
    assert split["verdict"] == constant["verdict"] == "holds"
    assert "34.47" in bad18a.report(results)


def test_the_engines_cells_come_from_the_grid(tmp_path: Path) -> None:
    measured = document("nttforge", [config() | timing(500)])
    (tmp_path / "kim20.json").write_text(json.dumps(measured), encoding="utf-8")
    cell = {"log_n": 14, "limbs": 21, "bits": 60, "direction": "forward", "ours": {"us": 6.5}}
    grid = {"schema": gpu.MERGED, "gpu": measured["gpu"], "cells": [cell, {"log_n": 15}]}
    path = tmp_path / "gpu.json"
    path.write_text(json.dumps(grid), encoding="utf-8")
    results = _gpu.merge("kim20", tmp_path, kim20.METRICS, path)
    assert results["engine"] == [cell]
    assert _gpu.engine_us(results, 14, 21, 60) == 6.5
    path.write_text(json.dumps(grid | {"gpu": {"name": "another"}}), encoding="utf-8")
    with pytest.raises(FormatError, match="is of another, the paper's kernels of"):
        _gpu.merge("kim20", tmp_path, kim20.METRICS, path)


def test_kept_results_are_those_of_this_schema(tmp_path: Path) -> None:
    path = tmp_path / "kim20.json"
    path.write_text('{"schema": "other"}', encoding="utf-8")
    with pytest.raises(FormatError, match="schema must be"):
        _gpu.load("kim20", path)
    with pytest.raises(UnsupportedError, match="no kept results"):
        _gpu.load("no-such-paper", None)
