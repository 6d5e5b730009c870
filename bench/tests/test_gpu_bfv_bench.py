# SPDX-License-Identifier: Apache-2.0
"""``nttforge bench gpu --kind bfv``, from documents as the programs write them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from bench_rows import document_of

from nttforge.cli import main
from nttforge.errors import FormatError, UnsupportedError
from nttforge_bench import documents, gpu_bfv, programs

HERE = {"name": "a card"}


def row(operation: str, us: float, mode: str = "stream", **fields: Any) -> dict[str, Any]:
    kept = {"kind": "gpu_bfv", "n": 4096, "log2_q": 72, "log2_qp": 109, "limbs": 2}
    kept |= {"special_primes": 1, "word_bits": 64, "t": 786433, "variant": "64-bit words"}
    kept |= {"operation": operation, "mode": mode, "min_ns": us * 900, "median_ns": us * 1000}
    return kept | fields


def step(name: str, us: float, batch: int, mode: str = "stream", **fields: Any) -> dict[str, Any]:
    kept = {"kind": "gpu_bfv_step", "n": 4096, "log2_qp": 109, "word_bits": 64}
    kept |= {"variant": "64-bit words", "batch": batch, "step": name, "mode": mode}
    kept |= {"limb_transforms": 0, "products": 0, "key_bytes": 0}
    return kept | {"min_ns": us * 900, "median_ns": us * 1000} | fields


def document(program: str, *rows: dict[str, Any]) -> dict[str, Any]:
    return document_of(*rows, program=program) | {"gpu": HERE}


OURS = document(
    "nttforge",
    row("multiply + relinearize", 30, "graph", variant="32-bit words"),
    row("multiply + relinearize", 21, "graph"),
    row("multiply + relinearize", 40),
    row("multiply + relinearize", 7, "batch of 8"),
    row("multiply + relinearize", 5, "batch of 8, graph"),
    row("rotate", 15, "stream"),
    row("rotate", 13, "graph"),
    row("make a relinearization key", 10, bytes=300_000),
    step("extend", 4, 1),
    step("extend", 3, 1, "graph"),
    step("extend", 16, 8),
)
PEER = document(
    "heongpu",
    row("multiply + relinearize", 90, variant="2 + 1 primes"),
    row("multiply + relinearize", 84, "graph", variant="1 + 2 primes"),
    row("multiply + relinearize", 10, "one call", variant="2 + 1 primes"),
)


def test_the_fastest_ways_are_compared_and_judged() -> None:
    for each in (OURS, PEER):
        documents.check(each, "a document")
    slow_round = document("nttforge", row("multiply + relinearize", 25, "graph"))
    merged = gpu_bfv.merge([slow_round, OURS, PEER])
    cell = merged["cells"][0]
    assert (cell["log_n"], cell["operation"]) == (12, gpu_bfv.PRODUCT)
    assert cell["ours"]["graph"]["us"] == 21 and cell["ours"]["batch of 8, each"]["us"] == 5
    # A wait after each call is shown and decides nothing.
    peer = cell["peers"]["heongpu"]
    assert (peer["us"], peer["variant"]) == (84, "1 + 2 primes")
    assert (cell["best_peer"], cell["speedup"]) == ("heongpu", 4)
    verdicts = {(g["operation"], g["way"]): (g["ours"], g["verdict"]) for g in merged["goals"]}
    assert verdicts == {
        (gpu_bfv.PRODUCT, "graph"): (21, "reached"),
        (gpu_bfv.PRODUCT, "stream"): (40, "short"),
        (gpu_bfv.PRODUCT, "batch of 8, each"): (5, "reached"),
        ("rotate", ""): (13, "reached"),
        ("make a relinearization key", "64-bit words"): (30, "reached"),
    }
    text = gpu_bfv.report(merged)
    assert "a card" in text and "3.0 (2.0)" in text and ">= 20 GB/s" in text
    assert "| multiply + relinearize, best peer | 84 (heongpu) |" in gpu_bfv.markdown(merged)


def test_the_floor_is_that_of_the_parts_at_the_best_rates() -> None:
    steps = [
        step("forward, Q", 8, 8, limb_transforms=80),
        step("inverse, Q", 4, 1, limb_transforms=8),
        step("product", 15, 1, limb_transforms=60, products=4_400_000),
        step("switch key", 5, 1, limb_transforms=20, products=4_400_000, key_bytes=4_300_000),
    ]
    rows = [row("multiply + relinearize", 22, "graph"), row("rotate", 8, "graph")]
    cells = {
        c["operation"]: c for c in gpu_bfv.merge([document("nttforge", *steps, *rows)])["cells"]
    }
    product, rotation = cells[gpu_bfv.PRODUCT], cells["rotate"]
    assert product["floor_us"] == pytest.approx(80 * 0.1 + 1 + 1 + 1)
    assert (product["ratio_to_floor"], rotation["floor_us"]) == (2, 4)
    without = gpu_bfv.merge([document("nttforge", *steps[:3], *rows)])["cells"]
    assert all("floor_us" not in cell for cell in without)


def test_cards_are_not_mixed_and_kept_results_are_those_of_this_schema(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="different GPUs"):
        gpu_bfv.merge([OURS, PEER | {"gpu": {"name": "another"}}])
    path = tmp_path / "kept.json"
    path.write_text('{"schema": "other"}', encoding="utf-8")
    with pytest.raises(FormatError, match="schema must be"):
        gpu_bfv.load_merged(path)


def _program(path: Path, written: dict[str, Any]) -> None:
    """A program that writes a document at once, and the words it was given beside it."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"#!{sys.executable}\nimport sys\nout = sys.argv[sys.argv.index('--json') + 1]\n"
        f"open(out, 'w').write({json.dumps(written)!r})\n",
        encoding="utf-8",
    )
    path.chmod(0o755)


def test_command_from_programs_to_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, peers, out = tmp_path / "ours", tmp_path / "peers", tmp_path / "out"
    _program(ours / "gpu_bfv_bench", OURS)
    _program(peers / "peer_heongpu_bfv", PEER)
    _program(peers / "peer_phantom", document("phantom"))
    words = ["bench", "gpu", "--kind", "bfv", "--programs", str(ours), "--peers", str(peers)]
    assert main([*words, "--rounds", "1", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "4.00" in shown and "peer_phantom" not in shown
    kept = gpu_bfv.load_merged(out / "gpu-bfv.json")
    assert kept["complete"] and len(kept["cells"]) == 3
    assert "heongpu" in (out / "gpu-bfv.md").read_text(encoding="utf-8")
    for source in (out / "raw", out / "gpu-bfv.json"):
        again = tmp_path / f"again-{source.name}"
        words = ["bench", "gpu", "--kind", "bfv", "--merge", str(source), "--no-plot"]
        assert main([*words, "--out", str(again)]) == 0
        assert gpu_bfv.load_merged(again / "gpu-bfv.json")["cells"] == kept["cells"]
    (peers / "peer_heongpu_bfv").unlink()
    words = ["bench", "gpu", "--kind", "bfv", "--programs", str(ours), "--peers", str(peers)]
    assert main([*words, "--out", str(out)]) != 0
    assert "none of peer_phantom measures BFV" in capsys.readouterr().err
    with pytest.raises(UnsupportedError, match="none of peer_troy_bfv measures transforms"):
        programs.of_kind([peers / "peer_troy_bfv"], bfv=False)
