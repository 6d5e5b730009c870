# SPDX-License-Identifier: Apache-2.0
"""``nttforge paper yan22``: our figures keep the paper's; the committed data is reproduced."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from nttforge.cli import main
from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.tools.synthesis import Netlist
from nttforge_oracle.number_theory import ntt_primes
from nttforge_papers import hardware_tools, yan22
from nttforge_papers.hardware_tools import TOOL_KEYS, Run, ToolRuns
from nttforge_papers.nttsuite import hardware as dataflows
from nttforge_papers.yan22 import parts, tables

RESULTS = Path(__file__).parents[2] / "bench" / "results"
COMMITTED = RESULTS / "yan22" / "results.json"
WHOLE = RESULTS / "hardware-cost" / "yosys.jsonl"


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    return yan22.reproduce()


def test_tables_4_and_7(results: dict[str, Any]) -> None:
    for row in results["table_4_and_7"]:
        if row["n"] == 16384:
            continue
        for key in ("our_cycles_small", "our_cycles"):
            assert row[key] <= row["paper_cycles"], row["design"]
        assert row["our_cycles_small"] < row["our_cycles"] < row["our_cycles_fast"]
        if row["core"] == "solinas" or row["n"] == 4096:
            assert row["our_dsps"] <= row["paper_dsps"]
        assert row["our_bram36"] <= row["paper_bram36"]


def test_estimates_are_of_the_registers_that_were_counted() -> None:
    """The largest differences are those that docs/hardware.md tells of."""
    rows = json.loads(COMMITTED.read_text(encoding="utf-8"))["table_4_and_7"]
    off = {
        what: max(
            abs(row[f"synthesised_{what}"] / row[f"our_{what}_estimated"] - 1) for row in rows
        )
        for what in ("luts", "ffs")
    }
    assert 0.19 < off["luts"] <= 0.2 and 0.25 < off["ffs"] <= 0.26


def test_table_7_is_below_the_floor_of_its_parameters(results: dict[str, Any]) -> None:
    (row,) = [r for r in results["table_4_and_7"] if r["n"] == 16384]
    why = tables.explain_table_7()
    assert row["paper_cycles"] == why["claim_cycles"] < why["floor_cycles"] == row["floor_cycles"]
    assert why["rounding_is_not_enough"]["largest_cycles"] < why["floor_cycles"]
    # The pipeline's depth once.
    assert row["our_cycles_small"] == why["floor_cycles"] + 16
    assert row["our_cycles_fast"] <= why["floor_cycles"] + 40
    assert all(why["clock_rounded_to_10_mhz"]["contains_ours"])


def test_latency_from_memory_to_memory(results: dict[str, Any]) -> None:
    """As [Yan22] defines it; at n = 8192 the memory of Table 2 cannot do what is claimed."""
    rows = {row["design"]: row for row in results["table_4_and_7"]}
    for row in rows.values():
        moved = 2 * row["n"] * row["limbs"] * row["bits"] / 8
        assert abs(row["transfer_floor_us"] - moved / row["memory_gb_s"] / 1000) < 0.01
        assert row["our_cycles_from_memory"] == row["our_cycles"] + row["stall_cycles"]
        assert row["our_us_from_memory"] >= row["transfer_floor_us"]
    seventh = rows["Table 7, n = 16384"]
    assert seventh["stall_cycles"] == 728 and abs(seventh["port_gb_s"] - 786.2) < 0.1
    assert abs(seventh["our_us_from_memory"] - 44) < 0.2
    beyond = [r["design"] for r in rows.values() if r["transfer_floor_us"] > r["paper_us"]]
    assert beyond == ["Table 4, n = 8192", "Table 4, n = 8192, any primes"]
    said = tables.explain_memory(results["table_4_and_7"])
    assert sum("more than the 4.5 µs that are claimed" in line for line in said) == 2
    assert any("728 cycles more" in line for line in said)


def test_general_network_does_what_the_stages_need() -> None:
    """Table 5's general network is asked for the permutations of our own schedule."""
    for dp in (16, 64):
        found = parts.stage_permutations(dp)
        assert len(found) == 11 and all(sorted(s) == list(range(4096)) for s in found)
        assert len({tuple(s) for s in found}) > 1


def test_table_6(results: dict[str, Any]) -> None:
    limits = {
        "30-bit low": (4, 9),
        "30-bit gen": (7, 14),
        "52-bit low": (6, 12),
        "52-bit gen": (13, 19),
    }
    for row in results["table_6"]:
        dsps, cycles = limits[row["core"][:10]]
        assert row["our_cycles"] <= cycles
        assert row["ours"] == "barrett" or row["our_dsps"] <= dsps


def test_reductions_are_as_short_as_the_papers(results: dict[str, Any]) -> None:
    assert all(r["our_depth"] == r["paper_depth"] for r in results["table_3"])
    assert sum(r["max_n_ntt"] == 0 for r in results["table_3"]) == 5
    # Section 5.2.2: "6 20-bit primes can be reduced using 4 operands".
    assert {"bits": 20, "operands": 4, "primes": 6, "paper_primes": 6} in results["fig_3"]


def test_figures_show_what_the_paper_says_of_its(results: dict[str, Any]) -> None:
    within = {(r["n"], r["core"], r["percent_of_xcu200"]): r for r in results["fig_7"]}
    for (n, core, percent), row in within.items():
        if core == "montgomery":
            assert row["designs_within"] < within[n, "solinas", percent]["designs_within"]
    for n in (1024, 2048, 4096, 8192, 16384):
        rows = [r for r in results["fig_8"] if r["n"] == n]
        by_dp = [r["cycles"] for r in rows if r["varied"] == "dp"]
        by_pp = [r["cycles"] for r in rows if r["varied"] == "pp"]
        assert all(1.35 < a / b < 2.4 for a, b in itertools.pairwise(by_dp))
        assert by_pp[0] / by_pp[-1] < by_dp[0] / by_dp[-1]
    for row, cycles in zip(results["fig_9"], results["fig_8"], strict=True):
        moved = 2 * 4 * row["n"] * 4  # bytes in and out of four limbs
        assert abs(row["gb_per_s_four_limbs"] - moved / cycles["cycles"] / 4) < 0.01
    over = {(r["n"], r["dp"]) for r in results["fig_9"] if r["gb_per_s_four_limbs"] > 78}
    assert over == {(4096, 64)}
    at_port = {r["dp"] for r in results["fig_9"] if r["port_gb_per_s"] > 78}
    assert at_port == {32, 64}
    by_stride = {(r["dp"], r["stride"]): r["cycles"] for r in results["fig_10"]}
    for (dp, stride), cycles in by_stride.items():
        assert cycles < by_stride.get((dp, 2 * stride), cycles + 1)
        assert cycles > by_stride.get((2 * dp, stride), 0)


def test_parts_add_up_to_whole_designs() -> None:
    """Tables 4 and 7 are counted in parts; two of their limbs were synthesised as a whole too."""
    lines = [json.loads(line) for line in WHOLE.read_text().splitlines()]
    whole = {(x["n"], x["dp"], x["pp"]): x for x in lines[:4]}
    rows = json.loads(COMMITTED.read_text())["table_4_and_7"]
    for row in (rows[1], rows[4]):
        one = whole[row["n"], row["dp"], row["pp"]]
        for what in ("luts", "ffs"):
            got = row[f"synthesised_{what}"] / row["limbs"]
            assert abs(got / one[what] - 1) < (0.022 if row["n"] == 4096 else 0.002), what


@pytest.mark.parametrize(
    ("bits", "cycles", "dsps", "ramb18"),
    [(30, 6250, 28, 16), (32, 6250, 28, 16), (60, 6250, 80, 32)],
)
def test_open_generators_at_4096_points_and_4_butterflies(
    bits: int, cycles: int, dsps: int, ramb18: int
) -> None:
    """parametric-ntt: 6345 cycles, 28 DSPs, 184 RAMB18; OpenNTT: 6255, 56, 24 (30 and 32 bits)."""
    moduli = tuple(ntt_primes(4096, bits, 1))
    design = plan_design(HardwareParameters(4096, moduli, dp=8, pp=1, core="montgomery"))
    assert design.latency_cycles("forward") <= cycles
    assert design.dsps <= dsps and design.ramb18 <= ramb18


def test_committed_data_is_what_the_command_gives(results: dict[str, Any]) -> None:
    committed = json.loads(COMMITTED.read_text())
    said = {
        name: [{k: row.pop(k) for k in TOOL_KEYS if k in row} for row in committed[name]]
        for name in ("table_4_and_7", "table_5", "table_6")
    }
    more = ("our_worst_path_ns", "paper_clock_ns", "path_of", "left_out")
    tools = [
        {k: row.pop(k) for k in (*TOOL_KEYS, *more) if k in row}
        for row in committed["like_for_like"]
    ]
    for row, said_of in zip(results["like_for_like"], tools, strict=True):
        assert said_of["simulation_passed"]
        assert said_of["simulated_cycles"] == row["our_cycles"] <= row["paper_cycles"]
        assert said_of["our_worst_path_ns"] < said_of["paper_clock_ns"]
        assert sum(row["counted"].values()) - _of_stages(row) == row["our_cycles"]
        assert row["our_dsps"] <= row["paper_dsps"] and row["our_cores"] == row["paper_cores"]
        assert row["port_gb_s"] < row["memory_gb_s"]
    for row in committed.pop("clocks"):  # tools said all of it
        assert row["our_worst_path_ns"] <= 3.3 or row["registers"] != "fast", row
        assert "sta" in row["tool"] and "routing" in row["left_out"]
    assert committed == json.loads(json.dumps(results))
    for name, rows in said.items():
        for tools, row in zip(rows, results[name], strict=True):
            assert "Yosys" in tools["tool"]
            if name == "table_4_and_7":
                assert tools["simulation_passed"]
                for kind in ("", "_small", "_fast"):
                    assert tools[f"simulated_cycles{kind}"] == row[f"our_cycles{kind}"]
            else:
                assert tools["our_luts"] <= row["paper_luts"]
            if "synthesised_dsps" in tools:
                assert tools["synthesised_dsps"] == row["our_dsps"]
            if name == "table_5":
                assert tools["synthesised_general_bram36"] <= row["our_general_bram36"]
                assert tools["our_general_luts"] > tools["our_luts"]
            if "synthesised_bram36" in tools:
                # One RAMB18 for each memory at most: synthesis drops constant bits of twiddles.
                assert 0 <= row["our_bram36"] - tools["synthesised_bram36"] <= _memories(row) / 2


def _of_stages(row: dict[str, Any]) -> int:
    """What the two counts of stages add beside their product."""
    count, cycles = (
        row["counted"][key] for key in ("stages one behind the other", "cycles of a stage")
    )
    return int(count + cycles - count * cycles)


def _memories(row: dict[str, Any]) -> int:
    if "design" not in row:
        return 0  # permutations have no constant words
    return row["limbs"] * tables.paper_design(row["design"]).block_memories


def test_command(
    results: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(yan22, "reproduce", lambda _: copy.deepcopy(results))
    assert main(["paper", "yan22", "--out", str(tmp_path)]) == 0
    assert "7128 cycles are claimed" in capsys.readouterr().out
    assert sorted(p.suffix for p in tmp_path.iterdir()) == [".json", *[".png"] * 6]


def test_runs_of_tools_are_kept_and_repeated_only_where_something_else_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def count(netlist: Netlist) -> dict[str, int]:
        asked.append(netlist.top)
        return {"LUT3": 3, "FDRE": 5 if "changed" in netlist.sources["a.sv"] else 4}

    monkeypatch.setattr(Netlist, "cells", count)
    monkeypatch.setattr(hardware_tools, "tool_version", lambda package, name: f"{name} 1")

    def runs(*texts: str) -> list[Run]:
        return [Run(f"run {i}", _netlist, (text,), i) for i, text in enumerate(texts)]

    path = tmp_path / "tools.jsonl"
    ToolRuns(path).run(runs("module a;", "module a; wire b;"), 1, "")
    assert asked == ["a", "a"]
    ToolRuns(path).run(runs("module a;  // a comment", "module a; wire changed;"), 1, "")
    assert len(asked) == 3  # only the second reads something else
    tools = ToolRuns(path)
    got = tools.counted([("run 0", 2), ("run 1", 10)])
    assert (got.luts, got.ffs, got.tool) == (36, 58, "Yosys 1")
    assert [json.loads(line)["run"] for line in path.read_text().splitlines()] == [
        "run 1", "run 0", "run 1"
    ]  # fmt: skip


def _netlist(text: str) -> Netlist:
    return Netlist("a", {"a.sv": text, "unread.sv": "module unread;"})


def test_what_the_dataflows_command_runs_is_what_is_kept() -> None:
    kept = ToolRuns(RESULTS / "nttsuite-hardware" / "tools.jsonl")
    assert {run.name for run in dataflows.tool_runs()} == set(kept.lines)
