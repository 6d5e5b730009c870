# SPDX-License-Identifier: Apache-2.0
"""[Yan22] Tables 5 and 6: permutation networks and cores by themselves."""

from __future__ import annotations

import itertools
from typing import Any

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.emit.core_parameter import core_literal
from nttforge_hardware.emit.modules import module_folder
from nttforge_hardware.emit.permutation import permutation_files, permutation_ramb18
from nttforge_hardware.emit.verilog import spn_parameters
from nttforge_hardware.plan.cores import CoreDesign, choose_cores
from nttforge_hardware.plan.permutation import PermutationDesign, PermutationParameters
from nttforge_hardware.plan.pipeline import Pipeline
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.tools.synthesis import Netlist

from ..hardware_tools import Run, ToolRuns

#: Table 6: DSPs, cycles, LUTs, flip-flops.
CORES = {
    "30-bit low latency": (4, 9, 1123, 679),
    "30-bit general purpose": (12, 14, 1081, 920),
    "52-bit low latency": (6, 12, 2074, 1237),
    "52-bit general purpose": (17, 19, 1837, 1682),
}
#: Table 5: LUTs, flip-flops, BRAMs of the permutation network by dp.
NETWORKS = {16: (7013, 10415, 16), 32: (16836, 23505, 32), 64: (36496, 55212, 64)}
#: Table 5: LUTs, flip-flops and BRAMs of HEAX's interconnect by dp.
HEAX = {16: (19808, 46543, 16), 32: (34809, 95453, 32), 64: (76188, 185853, 64)}


def networks(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """Table 5: the permutation network alone, n = 4096, 52 bits, pp = 1."""
    rows = []
    for dp, (luts, ffs, brams) in NETWORKS.items():
        row: dict[str, Any] = {
            "dp": dp,
            "paper_luts": luts,
            "paper_ffs": ffs,
            "paper_bram36": brams,
            "our_bram36": plan_design(_network_parameters(dp)).permutation_ramb18 / 2,
            "our_general_bram36": permutation_ramb18(_general(dp)) / 2,
        }
        if tools is not None:
            got = tools.counted([(f"Table 5, dp = {dp}", 1)])
            row |= {
                "our_luts": got.luts,
                "our_ffs": got.ffs,
                "synthesised_bram36": got.ramb18 / 2,
                "tool": f"{got.tool}, xcup",
            }
            got = tools.counted([(f"Table 5, general, dp = {dp}", 1)])
            row |= {
                "our_general_luts": got.luts,
                "our_general_ffs": got.ffs,
                "synthesised_general_bram36": got.ramb18 / 2,
            }
        rows.append(row)
    return rows


def stage_permutations(dp: int) -> list[list[int]]:
    """What the network of Table 5 does between stages, as sources of output words."""
    p = _network_parameters(dp)
    (schedule,) = plan_design(p).schedules.values()
    places = [(lane, slot) for slot in range(p.words) for lane in range(dp)]
    found = []
    for before, after in itertools.pairwise(schedule.stages):
        layout = before.layout.turned()
        where = {layout.index(*place): number for number, place in enumerate(places)}
        found.append([where[after.layout.index(*place)] for place in places])
    return found


def _general(dp: int) -> PermutationDesign:
    """A network for any permutation that does those of all stages, chosen for each frame."""
    sources = tuple(map(tuple, stage_permutations(dp)))
    return PermutationDesign(PermutationParameters(4096, dp, 52, sources, "small"))


def _general_network(dp: int) -> Netlist:
    files = permutation_files(_general(dp), frames=1, name="general")
    read = {k: v for k, v in files.items() if k.startswith(("rtl/", "tables/"))}
    return Netlist("general_top", read)


def _network_parameters(dp: int) -> HardwareParameters:
    return HardwareParameters(4096, usable_primes(4096, 52, 1), dp=dp, pp=1, core="montgomery")


def _network(dp: int) -> Netlist:
    settings = spn_parameters(plan_design(_network_parameters(dp)), 0)
    return Netlist("nttf_stage_spn", _modules(), settings)


def _modules() -> dict[str, str]:
    return {
        f"rtl/{p.name}": p.read_text("utf-8") for p in sorted(module_folder("rtl").glob("*.sv"))
    }


def cores(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """Table 6; the general core in both kinds."""
    rows = []
    for name, kind in _core_rows():
        dsps, cycles, luts, ffs = CORES[name]
        core = _chosen(name, kind)
        row: dict[str, Any] = {
            "core": name,
            "ours": kind,
            "q": core.q,
            "paper_dsps": dsps,
            "our_dsps": core.dsps,
            "paper_cycles": cycles,
            "our_cycles": core.latency(),
            "paper_luts": luts,
            "paper_ffs": ffs,
        }
        if tools is not None:
            got = tools.counted([(f"Table 6, {name}, {kind}", 1)])
            row |= {
                "our_luts": got.luts,
                "our_ffs": got.ffs,
                "synthesised_dsps": got.dsps,
                "tool": f"{got.tool}, xcup",
            }
        rows.append(row)
    return rows


def _core_rows() -> list[tuple[str, str]]:
    kinds = {name: ("solinas",) if "low" in name else ("montgomery", "barrett") for name in CORES}
    return [(name, kind) for name in CORES for kind in kinds[name]]


def _chosen(name: str, kind: str) -> CoreDesign:
    bits = int(name[:2])
    q = usable_primes(4096 if bits == 30 else 8192, bits, 1, core=kind)
    return choose_cores(kind, q, Pipeline())[0]


def _core(name: str, kind: str) -> Netlist:
    core = _chosen(name, kind)
    return Netlist("nttf_butterfly", _modules(), {"CORE": core_literal(core.module_parameters)})


def tool_runs() -> list[Run]:
    """The tool runs that Tables 5 and 6 need."""
    runs = [Run(f"Table 5, dp = {dp}", _network, (dp,), 52 * dp) for dp in NETWORKS]
    runs += [
        Run(f"Table 5, general, dp = {dp}", _general_network, (dp,), 104 * dp) for dp in NETWORKS
    ]
    return runs + [Run(f"Table 6, {n}, {k}", _core, (n, k), 500) for n, k in _core_rows()]
