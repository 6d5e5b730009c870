# SPDX-License-Identifier: Apache-2.0
"""The explorer's predictions against what Yosys counted, its limits, its Pareto set."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge.hardware import HardwareParameters, Pipeline, plan_design
from nttforge.hardware.plan.cost import estimate
from nttforge.hardware.plan.design import Design
from nttforge.hardware.plan.devices import device_pipeline
from nttforge.hardware.plan.dgt import plan_dgt
from nttforge.hardware.plan.explorer import Constraints, candidates, choose, explore, predict
from nttforge.spec.number_theory import ntt_primes

COUNTED = Path(__file__).parents[3] / "bench" / "results" / "hardware-cost" / "yosys.jsonl"
BASE = HardwareParameters(256, tuple(ntt_primes(256, 24, 1)), core="montgomery")


def _planned(line: dict) -> Design:
    names = ("moduli", "direction", "pp", "core")
    p = {k: line[k] for k in names} | {"pipeline": Pipeline(**line["pipeline"])}
    if line["parts"] == 2:
        return plan_dgt(n=2 * line["n"], dp=2 * line["dp"], **p)
    return plan_design(HardwareParameters(n=line["n"], dp=line["dp"], ring=line["ring"], **p))


def test_predictions_are_what_yosys_counted() -> None:
    """DSPs exactly, block memories within one for each memory, LUTs and flip-flops nearly."""
    lines = [json.loads(line) for line in COUNTED.read_text().splitlines()]
    assert len(lines) >= 50 and {line["core"] for line in lines} >= {"barrett", "solinas"}
    errors: dict[str, list[float]] = {"luts": [], "ffs": []}
    for line in lines:
        design = _planned(line)
        assert design.dsps == line["dsps"], line
        assert 0 <= design.ramb18 - line["ramb18"] <= design.block_memories, line
        for what, value in zip(errors, estimate(design), strict=True):
            errors[what].append(abs(value / line[what] - 1))
    for what, found in errors.items():
        found.sort()
        assert found[len(found) // 2] < 0.08 and found[len(found) * 9 // 10] < 0.20, what


def test_every_limit_is_kept_and_can_be_the_one_that_decides() -> None:
    everything = candidates(BASE, 250.0)
    for name in ("latency_us", "dsps", "ramb18", "luts", "ffs", "bandwidth_gb_s"):
        values = sorted({getattr(c, name) for c in everything})
        limit = values[len(values) // 3] or 1
        limits = replace(Constraints(), **{name: limit})
        kept = [c for c in everything if c.meets(limits)]
        assert 0 < len(kept) < len(everything)
        assert all(getattr(c, name) <= limit for c in kept)
        found = explore(BASE, limits)
        assert found and all(c in kept for c in found)
        for candidate in kept:  # nothing that is kept beats what is found
            assert candidate in found or any(f.dominates(candidate) for f in found)
    two_per_36 = Constraints(ramb18=2)
    assert all(c.ramb18 <= 2 for c in explore(BASE, two_per_36))


def test_parallel_exploration_finds_the_same() -> None:
    assert candidates(BASE, 250.0, jobs=2) == candidates(BASE, 250.0)


def test_cores_are_explored_unless_one_is_named() -> None:
    base = replace(BASE, moduli=(2**28 - 2**16 + 1,), core="auto")
    assert {c.parameters.core for c in candidates(base, 250.0)} == {
        "montgomery",
        "barrett",
        "solinas",
    }
    assert {c.parameters.core for c in candidates(BASE, 250.0)} == {"montgomery"}
    with pytest.raises(ParameterError, match="core = 'solinas': q = "):
        candidates(replace(BASE, core="solinas"), 250.0)


def test_bandwidth_is_equation_4() -> None:
    c = predict(replace(BASE, dp=4, pp=2), 200.0)
    assert c.bandwidth_gb_s == pytest.approx(2 * 256 * 3 / c.latency_us / 1000)


def test_devices() -> None:
    assert device_pipeline("xc7vx690").block == "dsp48e1" == device_pipeline("xc7").block
    assert device_pipeline("generic") == Pipeline.named("balanced") == device_pipeline("xcu200")
    assert (
        device_pipeline("ecp5").name == "fast" and device_pipeline("xcu200", "small") == Pipeline()
    )
    assert device_pipeline("xc7", "fast", add_regs=0).registers["add_regs"] == 0
    limits = Constraints(dsps=7000).within("xcu200")
    assert (limits.dsps, limits.ramb18, limits.bandwidth_gb_s) == (6840, 4320, 78)
    assert Constraints(dsps=5).within("xcu200").dsps == 5
    assert Constraints(dsps=5).within("xc7") == Constraints(dsps=5)
    with pytest.raises(ParameterError, match="device = 'xcu2' must be one of generic, xcup"):
        device_pipeline("xcu2")


def test_what_cannot_be_says_how_near_it_comes() -> None:
    with pytest.raises(ParameterError, match=r"the nearest .* has dsps 4 > 1, the fastest"):
        choose(BASE, Constraints(dsps=1))
    with pytest.raises(ParameterError, match="jobs = 0 must be in 1"):
        candidates(BASE, 250.0, jobs=0)


def test_limits_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explore_it = ["rtl", "explore", "--n", "256", "--jobs", "1", "--json"]
    assert main([*explore_it, "--max-ramb36", "1", "--device", "xc7"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found and all(c["ramb18"] <= 2 for c in found)
    assert main([*explore_it, "--transform", "dgt", "--max-bandwidth-gb-s", "2"]) == 0
    assert all(c["bandwidth_gb_s_assumed"] <= 2 for c in json.loads(capsys.readouterr().out))
    shape = ["--n", "256", "--dp", "8", "--pp", "4", "--out", str(tmp_path / "d")]
    assert main(["rtl", "generate", *shape, "--max-dsp", "10"]) == 2
    assert "the design does not keep the limits: dsps 96 > 10" in capsys.readouterr().err
    assert main(["rtl", "generate", *shape, "--device", "xc8"]) == 2
    assert "device = 'xc8' must be one of" in capsys.readouterr().err
    assert main(["rtl", "explore", "--n", "256", "--max-ramb36", "0"]) == 2
    assert "--max-ramb36 = 0 must be at least 1" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_a_recipe_that_changes_nothing_is_no_design_of_its_own() -> None:
    base = HardwareParameters(512, tuple(ntt_primes(512, 24, 1)), core="montgomery")
    both = candidates(base, 250.0, twiddles=("table", "on_the_fly"))
    plain = candidates(base, 250.0, twiddles=("table",))
    assert [c for c in both if c.parameters.twiddles == "table"] == plain
    products = [c for c in both if c.parameters.twiddles == "on_the_fly"]
    assert 0 < len(products) < len(plain) and all(any(c.design.on_the_fly) for c in products)
