# SPDX-License-Identifier: Apache-2.0
"""The explorer's predictions against what Yosys counted, its limits, its Pareto set."""

from __future__ import annotations

import json
import shlex
from dataclasses import fields, replace
from pathlib import Path

import pytest

from nttforge.cli import main
from nttforge.errors import ParameterError
from nttforge_hardware import HardwareParameters, Pipeline, plan_design
from nttforge_hardware.plan.cores import KINDS
from nttforge_hardware.plan.cost import BESIDE_INTERVALS, INTERVALS, estimate
from nttforge_hardware.plan.design import Design
from nttforge_hardware.plan.devices import device_pipeline
from nttforge_hardware.plan.dgt import plan_dgt
from nttforge_hardware.plan.engine import EngineDesign, EngineParameters, plan_engines
from nttforge_hardware.plan.explorer import Constraints, candidates, choose, explore, predict
from nttforge_hardware.plan.product import ProductParameters, plan_product
from nttforge_hardware.plan.traffic import Traffic
from nttforge_oracle.number_theory import ntt_primes

FIRST_HELD_OUT = 1000  # designs from this number on take no part in the fit
FIRST_BESIDE = 2000  # designs from this number on have loaded moduli, or buffers
COUNTED = Path(__file__).parents[3] / "bench" / "results" / "hardware-cost" / "yosys.jsonl"
BASE = HardwareParameters(256, tuple(ntt_primes(256, 24, 1)), core="montgomery")


def _planned(line: dict) -> Design:
    names = ("moduli", "direction", "pp", "core")
    p = {k: line[k] for k in names} | {"pipeline": Pipeline(**line["pipeline"])}
    if line["parts"] == 2:
        return plan_dgt(n=2 * line["n"], dp=2 * line["dp"], **p)
    return plan_design(HardwareParameters(n=line["n"], dp=line["dp"], ring=line["ring"], **p))


def test_predictions_are_what_yosys_counted() -> None:
    """DSPs and block memories exactly; LUTs and flip-flops as far off as the intervals say."""
    lines = [json.loads(line) for line in COUNTED.read_text().splitlines()]
    lines = [line for line in lines if line["design"] < FIRST_BESIDE]
    assert {(line["core"], line["family"]) for line in lines} >= {
        (kind, family) for kind in KINDS for family in ("xc7", "xcup", "ecp5")
    }
    off: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        design = _planned(line)
        # One design for ECP5 has a multiplier more: the place of a row in a table.
        more = int(line["family"] == "ecp5" and line["n"] == 32 and line["dp"] == 16)
        assert 0 <= line["dsps"] - design.dsps <= more, line
        assert design.ramb18 == line["ramb18"], line
        if line["design"] >= FIRST_HELD_OUT:
            for what, value in zip(("luts", "ffs"), estimate(design) or (), strict=True):
                found = off.setdefault((line["family"], what), [])
                found.append(abs(line[what] / value - 1))
    for (family, what), found in off.items():
        found.sort()
        assert len(found) >= 14
        within = INTERVALS[family][what] + 0.001  # rounded
        assert sum(error <= within for error in found) >= 0.88 * len(found), (family, what)
        assert found[len(found) // 2] < 0.09 and within < 0.22


def test_what_loaded_moduli_and_buffers_take() -> None:
    """DSPs and block memories exactly; LUTs and flip-flops as far off as the intervals say."""
    lines = [json.loads(line) for line in COUNTED.read_text().splitlines()]
    lines = [line for line in lines if line["design"] >= FIRST_BESIDE]
    off: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        design: Design | EngineDesign
        if "engines" in line:
            names = [field.name for field in fields(EngineParameters)]
            values = {name: line[name] for name in names if name in line}
            values |= {"pipeline": Pipeline(**line["pipeline"])}
            design = plan_engines(EngineParameters(**values))
        else:
            bare = _planned(line)
            buffered = replace(bare.parameters, buffers=line["buffers"])
            assert estimate(bare) != estimate(plan_design(buffered))
            design = plan_design(buffered)
        assert (design.dsps, design.ramb18) == (line["dsps"], line["ramb18"]), line
        group = "ecp5" if line["family"] == "ecp5" else "xilinx"
        for what, value in zip(("luts", "ffs"), estimate(design) or (), strict=True):
            off.setdefault((group, what), []).append(abs(line[what] / value - 1))
    for (group, what), found in off.items():
        within = BESIDE_INTERVALS[group][what] + 0.001  # rounded
        assert len(found) >= 12 and within < 0.3
        assert sum(error <= within for error in found) >= 0.9 * len(found), (group, what)


def test_every_limit_is_kept_and_can_be_the_one_that_decides() -> None:
    everything = candidates(BASE, 250.0)
    for name in ("latency_us", "dsps", "ramb18", "luts", "ffs", "peak_gb_s", "interval_gb_s"):
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


def test_bandwidth_at_the_peak_and_over_an_interval() -> None:
    c = predict(replace(BASE, dp=4, pp=2), 200.0)
    assert c.interval_gb_s == pytest.approx(2 * 256 * 3 / c.interval_cycles * 0.2)
    assert c.peak_gb_s == pytest.approx(4 * 3 * 0.2 * 2)  # words go while others come


def _counted(t: Traffic) -> tuple[float, float, int]:
    """Peak, average and overlap of an interval, every cycle counted, after many transforms."""
    many = t.latency // t.interval + 3
    moved = [0.0] * (many * t.interval + t.latency)
    both = [0] * len(moved)
    for k in range(many):
        for first, size in ((0, t.in_bytes), (t.latency - t.words, t.out_bytes)):
            for cycle in range(k * t.interval + first, k * t.interval + first + t.words):
                moved[cycle] += size
                both[cycle] += 1
    steady = slice((many - 1) * t.interval, many * t.interval)
    return max(moved[steady]), sum(moved[steady]) / t.interval, both[steady].count(2)


@pytest.mark.parametrize("words", [1, 8])
@pytest.mark.parametrize("latency", [17, 20, 31, 40, 55])
@pytest.mark.parametrize("interval", [8, 9, 12, 16, 30])
def test_traffic_is_what_counting_cycles_gives(words: int, latency: int, interval: int) -> None:
    t = Traffic(3.0, 5.0, words, latency, interval)
    peak, average, overlap = _counted(t)
    assert (t.peak_bytes, t.overlap) == (peak, overlap)
    assert t.interval_bytes == pytest.approx(average)
    assert t.latency_from_memory(8.0) == latency and t.interval_from_memory(8.0) == interval
    # 1.2 and 2 cycles a word.
    assert t.latency_from_memory(2.5) == latency + (1 if words == 1 else 2) + words
    # A memory that is always busy moves a transform's bytes in an interval.
    assert t.interval_from_memory(1e-6) == pytest.approx(words * 8e6, rel=1e-3)


def test_stalls_of_a_memory_count() -> None:
    limits = Constraints(frequency_mhz=180.0, memory_gb_s=460.0)
    shape = HardwareParameters(
        16384, tuple(ntt_primes(16384, 52, 21)), dp=32, pp=1, core="montgomery", pipeline="small"
    )
    c = predict(shape, 180.0, limits.memory_gb_s)
    assert (c.latency_cycles, c.stall_cycles) == (7184, 728)  # [Yan22] Table 7: 39.9 and 44 us
    assert c.latency_us == pytest.approx(43.96, abs=0.01)
    assert c.excess(replace(limits, latency_us=40.0)).keys() == {"latency_us"}
    slow = Constraints(memory_gb_s=2.0, dsps=100)
    found, without = choose(BASE, slow), choose(BASE, Constraints(dsps=100))
    assert found.latency_us > without.latency_us and found.stall_cycles > 0


def test_devices() -> None:
    assert device_pipeline("xc7vx690").block == "dsp48e1" == device_pipeline("xc7").block
    assert device_pipeline("generic") == Pipeline.named("balanced") == device_pipeline("xcu200")
    assert (
        device_pipeline("ecp5").name == "fast" and device_pipeline("xcu200", "small") == Pipeline()
    )
    assert device_pipeline("xc7", "fast", add_regs=0).registers["add_regs"] == 0
    limits = Constraints(dsps=7000).within("xcu200")
    assert (limits.dsps, limits.ramb18, limits.memory_gb_s) == (6840, 4320, 78)
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
    assert main([*explore_it, "--transform", "dgt", "--max-bandwidth-gb-s", "8"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found and all(c["interval_gb_s_assumed"] <= c["peak_gb_s_assumed"] <= 8 for c in found)
    assert main([*explore_it, "--max-interval-gb-s", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found and all(c["interval_gb_s_assumed"] <= 1 for c in found)
    assert any(c["peak_gb_s_assumed"] > 7 for c in found)
    shape = ["--n", "256", "--dp", "8", "--pp", "4", "--out", str(tmp_path / "d")]
    assert main(["rtl", "generate", *shape, "--max-dsp", "10"]) == 2
    assert "the design does not keep the limits: dsps 96 > 10" in capsys.readouterr().err
    assert main(["rtl", "generate", *shape, "--device", "xc8"]) == 2
    assert "device = 'xc8' must be one of" in capsys.readouterr().err
    assert main(["rtl", "explore", "--n", "256", "--max-ramb36", "0"]) == 2
    assert "--max-ramb36 = 0 must be more than 0" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_the_explorer_gives_what_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generate = ["rtl", "generate", "--n", "1024", "--jobs", "1", "--sets", "1"]
    generate += ["--core", "montgomery", "--twiddles", "table"]
    found = {}
    for objective in ("", "throughput", "area"):
        out = tmp_path / (objective or "latency")
        chosen = ["--objective", objective] if objective else []
        assert main([*generate, *chosen, "--max-dsp", "60", "--out", str(out)]) == 0
        said = json.loads((out / "design.json").read_text())["predicted"]
        found[out.name] = said["latency_cycles"]["forward"], said["interval_cycles"], said["dsps"]
    assert found["latency"][0] <= 660 and found["latency"][2] == 48
    assert found["throughput"][1] == 512 and found["area"][2] == 6
    capsys.readouterr()
    assert main([*generate, "--out", str(tmp_path / "no")]) == 2
    said = capsys.readouterr().err
    assert "nothing limits the design: give --dp and --pp, or a limit" in said
    shape = ["--dp", "4", "--pp", "2", "--objective", "area", "--out", str(tmp_path / "no")]
    assert main([*generate, *shape]) == 2
    assert "--objective = 'area' beside --dp and --pp" in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_products_are_explored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = ProductParameters(64, tuple(ntt_primes(64, 20, 1)))
    found = explore(base, Constraints(dsps=100), twiddles=("table", "on_the_fly"))
    assert found and not any(a.dominates(b) for a in found for b in found)
    for c in found:
        design = plan_product(c.parameters)
        assert (c.latency_cycles, c.dsps) == (design.latency_cycles, design.dsps) and c.luts is None
        assert c.interval_gb_s == pytest.approx(3 * 64 * 20 / 8 / c.interval_cycles * 0.25)
    arguments = ["--n", "64", "--bits", "20", "--direction", "product", "--max-dsp", "100"]
    assert main(["rtl", "explore", *arguments, "--jobs", "1", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert first["latency_cycles"] == {"product": found[0].latency_cycles}
    out = tmp_path / "d"
    assert main(["rtl", "generate", *arguments, "--jobs", "1", "--out", str(out)]) == 0
    manifest = json.loads((out / "design.json").read_text())
    assert manifest["predicted"]["latency_cycles"]["forward"] == found[0].latency_cycles
    command = shlex.split(manifest["command"])
    assert main([*command[1:], "--out", str(tmp_path / "again")]) == 0
    assert json.loads((tmp_path / "again" / "design.json").read_text()) == manifest


def test_a_recipe_that_changes_nothing_is_no_design_of_its_own() -> None:
    base = HardwareParameters(512, tuple(ntt_primes(512, 24, 1)), core="montgomery")
    both = candidates(base, 250.0, twiddles=("table", "on_the_fly"))
    plain = candidates(base, 250.0, twiddles=("table",))
    assert [c for c in both if c.parameters.twiddles == "table"] == plain
    products = [c for c in both if c.parameters.twiddles == "on_the_fly"]
    assert 0 < len(products) < len(plain) and all(any(c.design.on_the_fly) for c in products)
