"""Predicted DSPs are those that Yosys counts."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from nttforge.hardware import Pipeline
from nttforge.hardware.cores import choose_cores
from nttforge.hardware.dgt import plan_dgt
from nttforge.hardware.emit import design_files, write_design
from nttforge.hardware.synthesis import FAMILIES, count_core_dsps, synthesise
from nttforge.spec.number_theory import ntt_primes

needs_yosys = pytest.mark.skipif(
    importlib.util.find_spec("pyosys") is None, reason="needs the extra nttforge[hardware] (pyosys)"
)


@needs_yosys
@pytest.mark.parametrize(
    ("kind", "q", "family", "dsps"),
    [
        ("montgomery", ntt_primes(4096, 30, 1)[0], "xcup", 6),
        ("montgomery", ntt_primes(8192, 52, 1)[0], "xcup", 12),
        ("montgomery", ntt_primes(8192, 52, 1)[0], "xc7", 15),
        ("montgomery", ntt_primes(64, 12, 1)[0], "xcup", 2),
        ("barrett", ntt_primes(4096, 30, 1)[0], "xcup", 10),
        ("barrett", ntt_primes(4096, 50, 1)[0], "xc7", 25),
        ("solinas", 2**30 - 2**18 + 1, "xcup", 4),
        ("solinas", 2**52 - 2**20 + 1, "xcup", 6),
        ("solinas", 2**52 - 2**20 + 1, "xc7", 9),
    ],
)
def test_predicted_dsps(kind: str, q: int, family: str, dsps: int) -> None:
    core = choose_cores(kind, (q,), Pipeline(block=FAMILIES[family].lower()))[0]
    assert count_core_dsps(core, family) == core.dsps == dsps


@needs_yosys
def test_predicted_resources_of_a_dgt_design(tmp_path: Path) -> None:
    design = plan_dgt(512, (2**30 - 2**9 - 1,), dp=4, pp=1)
    write_design(design_files(design, sets=1), tmp_path)
    counted = synthesise(tmp_path)
    assert (counted.dsps, counted.ramb18) == (design.dsps, design.ramb18) == (12, 6)
