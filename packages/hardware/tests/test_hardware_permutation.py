# SPDX-License-Identifier: Apache-2.0
"""Stand-alone permutations: routing, and every word at its place in Verilator.

Networks move words without looking at them, so frames that hold each word's number show the whole
permutation.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path

import pytest
from marks import needs

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware.emit.permutation import permutation_files
from nttforge_hardware.plan.permutation import (
    PermutationDesign,
    PermutationParameters,
    bit_reversal,
    named,
    stride,
    transpose,
)
from nttforge_hardware.plan.routing import apply_benes, benes_settings, colour_edges
from nttforge_hardware.report.page import write_report
from nttforge_hardware.tools.simulate import simulate_files

SEED = 20261122


def _shuffled(n: int, source: random.Random) -> list[int]:
    values = list(range(n))
    source.shuffle(values)
    return values


def test_benes_networks_reach_every_permutation() -> None:
    for k in (2, 4):
        for wanted in itertools.permutations(range(k)):
            assert apply_benes(benes_settings(wanted), range(k)) == list(wanted)
    source = random.Random(SEED)
    for log in range(3, 8):
        for _ in range(20):
            wanted = _shuffled(1 << log, source)
            settings = benes_settings(wanted)
            assert len(settings) == 2 * log - 1 and all(len(s) == 1 << log >> 1 for s in settings)
            assert apply_benes(settings, range(1 << log)) == wanted


def test_colours_differ_at_every_node() -> None:
    source = random.Random(SEED)
    for words, dp in ((4, 4), (16, 8), (64, 2), (8, 32)):
        edges = [(i // dp, j // dp) for j, i in enumerate(_shuffled(words * dp, source))]
        colours = colour_edges(edges, dp)
        for side in (0, 1):
            met = {(e[side], c) for e, c in zip(edges, colours, strict=True)}
            assert len(met) == len(edges)


def test_named_permutations() -> None:
    assert named(8, "stride:2") == [0, 2, 4, 6, 1, 3, 5, 7]
    assert [stride(64, 8)[i] for i in stride(64, 8)] == list(range(64))
    matrix = transpose(32, 4)  # 4 rows of 8
    assert [divmod(i, 8) for i in matrix[:5]] == [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1)]
    assert bit_reversal(8) == [0, 4, 2, 6, 1, 5, 3, 7]


@needs("verilator")
def test_permutations_in_verilator(tmp_path: Path) -> None:
    source = random.Random(SEED)
    sets = {
        "all_kinds": (64, 8, 12, ("bit-reversal", "stride:4", "transpose:4", "stride:1")),
        "two_lanes": (32, 2, 5, ("stride:16",)),
        "wide": (256, 32, 9, ("bit-reversal", "stride:16")),
    }
    files = {}
    for name, (n, dp, bits, names) in sets.items():
        sources = [named(n, kind) for kind in names]
        sources += [_shuffled(n, source)] if name == "all_kinds" else []
        design = PermutationDesign(PermutationParameters(n, dp, bits, tuple(map(tuple, sources))))
        files[name] = permutation_files(design, name=name, folder=f"{name}/")
        if name == "two_lanes":  # the same with one switch turned and with one address off by one
            for fault, table in (("turned", "out"), ("off_by_one", "read")):
                wrong = permutation_files(design, name=fault, folder=f"{fault}/")
                lines = wrong[f"tables/{fault}_{table}.hex"].split()
                lines[5] = f"{int(lines[5], 16) ^ 1:x}"
                wrong[f"tables/{fault}_{table}.hex"] = "\n".join(lines) + "\n"
                files[fault] = wrong
    for name, runs in simulate_files(files, tmp_path).items():
        for run, result in runs.items():
            wanted = name in sets
            assert result.passed == wanted, f"{name}, {run}: {result.messages}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 12}, "n = 12 must be a power of two"),
        ({"dp": 64}, "dp = 64 must be a power of two in 2"),
        ({"bits": 0}, "bits = 0 must be in 1"),
        ({"bits": 8.5}, "bits = 8.5 must be an integer"),
        ({"sources": ()}, "sources is empty"),
        ({"sources": ((0,) * 64,)}, "not a permutation of 0"),
    ],
)
def test_bad_parameters(change: dict[str, object], message: str) -> None:
    good: dict[str, object] = {"n": 64, "dp": 4, "bits": 8, "sources": (tuple(range(64)),)}
    with pytest.raises(ParameterError, match=message):
        PermutationParameters(**(good | change))


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "p"
    assert main(["rtl", "permute", "--permutation", "stride:8", "--out", str(out)]) == 0
    assert "predicted latency" in capsys.readouterr().out
    assert (out / "rtl" / "permutation_top.sv").is_file()
    assert json.loads((out / "design.json").read_text())["predicted"]["ramb18"] == 0
    page = write_report(out).read_text()
    assert "Permutation, n = 64" in page and "there is no clock" in page
    several, repeated = tmp_path / "several", tmp_path / "repeated"
    names = ["bit-reversal", "stride:8"]
    assert main(["rtl", "permute", "--permutation", *names, "--out", str(several)]) == 0
    each = [word for name in names for word in ("--permutation", name)]
    assert main(["rtl", "permute", *each, "--out", str(repeated)]) == 0
    first, second = ((folder / "design.json").read_text() for folder in (several, repeated))
    assert first == second and json.loads(first)["parameters"]["permutations"] == 2
    for bad in ("stride:3", "stride:x", "reverse", "transpose:128"):
        assert main(["rtl", "permute", "--permutation", bad, "--out", str(out)]) == 2
        assert capsys.readouterr().err.count("\n") == 1
