# SPDX-License-Identifier: Apache-2.0
"""Table 4 with registers for the paper's clock: as many cores and multipliers, every cycle counted.

``fast`` registers at the paper's own dp and pp lose at n = 1024 and n = 4096. These rows are how
they win: the paper's shape with two registers less a stage, and one with twice the lanes and half
the stages, whose pipeline is half as deep. ``counted`` says where the cycles go, and ``why_not``
what the paper's shape leaves for a stage.
"""

from __future__ import annotations

from typing import Any

from nttforge_hardware import Design, HardwareParameters, plan_design
from nttforge_hardware.emit.files import design_files
from nttforge_hardware.plan.devices import DEVICES, device_pipeline
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.schedule import SPN_CYCLES
from nttforge_hardware.tools.paths import FAMILY, LEFT_OUT
from nttforge_hardware.tools.synthesis import Netlist

from ..hardware_tools import Run, SlowestPath, ToolRuns, transform_simulation
from .tables import DESIGNS, ROW_DEVICES, family

#: Row of Table 4: dp, pp, registers beside those of ``fast``, lanes of the design whose path is
#: looked for (all of n = 1024 is more than Yosys takes in minutes; its stages are the same).
CHOSEN: dict[str, tuple[int, int, dict[str, int], int]] = {
    "Table 4, n = 1024": (32, 10, {"memory_regs": 2}, 4),
    "Table 4, n = 4096": (8, 1, {}, 8),
}


def _parameters(name: str, device: str, dp: int) -> HardwareParameters:
    """One limb of a row."""
    n, _, bits, _, _, core = DESIGNS[name][0]
    _, pp, registers, _ = CHOSEN[name]
    pipeline = device_pipeline(device, "fast", **registers)
    moduli = usable_primes(n, bits, 1, core=core)
    return HardwareParameters(n, moduli, dp=dp, pp=pp, core=core, pipeline=pipeline)


def _design(name: str) -> Design:
    return plan_design(_parameters(name, family(name), CHOSEN[name][0]))


def _path(name: str) -> SlowestPath:
    p = _parameters(name, FAMILY, CHOSEN[name][3])
    files = design_files(plan_design(p), sets=1)
    read = {k: text for k, text in files.items() if k.startswith(("rtl/", "twiddles/"))}
    return SlowestPath(Netlist("ntt_top", read, family=FAMILY))


def _run(name: str, what: str) -> str:
    return f"Like for like, {name}: {what}"


def runs() -> list[Run]:
    """The tool runs that ``rows`` needs."""
    found = []
    for name in CHOSEN:
        p = _design(name).parameters
        effort = p.dp * p.bits * p.pp / 2
        found.append(Run(_run(name, "simulation"), transform_simulation, (p,), effort))
        found.append(Run(_run(name, "path"), _path, (name,), 20 * p.bits))
    return found


def rows(tools: ToolRuns | None = None) -> list[dict[str, Any]]:
    """A row for each of ``CHOSEN``; tools are given one limb."""
    found = []
    for name, (dp, pp, registers, lanes) in CHOSEN.items():
        (n, limbs, bits, paper_dp, paper_pp, core), (mhz, us, dsps, *_) = DESIGNS[name]
        design = _design(name)
        p, schedule = design.parameters, design.schedules["forward"]
        stage = SPN_CYCLES + p.pipeline.memory_regs + design.core_latency
        cycles = design.latency_cycles("forward")
        depth = p.port_cycles + min(pp, p.log_n) * stage
        row: dict[str, Any] = {
            "design": name,
            "paper_dp": paper_dp,
            "paper_pp": paper_pp,
            "paper_mhz": mhz,
            "paper_cycles": round(us * mhz),
            "paper_cycles_as_rounded": [
                round((us - 0.05) * mhz, 1),
                round((us + 0.05) * mhz, 1),
            ],
            "paper_dsps": dsps,
            "dp": dp,
            "pp": pp,
            "registers": " ".join(["fast", *(f"{k}={v}" for k, v in registers.items())]),
            "core": core,
            "our_cores": limbs * dp // 2 * pp,
            "paper_cores": limbs * paper_dp // 2 * paper_pp,
            "our_cycles": cycles,
            "our_interval_cycles": design.interval_cycles,
            "our_dsps": design.dsps * limbs,
            "our_bram36": design.ramb18 * limbs / 2,
            "port_gb_s": round(limbs * dp * bits / 8 * mhz / 1000, 1),
            "memory_gb_s": DEVICES[ROW_DEVICES[n]].bandwidth_gb_s,
            "counted": {
                "words of all passes": p.passes * p.words,
                "stages one behind the other": pp,
                "cycles of a stage": stage,
                "waiting for an exchange": cycles - depth - p.passes * p.words,
                "buffers at the ports": p.port_cycles,
            },
            "why_not": _why_not(p, paper_dp, paper_pp, round(us * mhz)),
        }
        assert schedule.latency + p.port_cycles == cycles
        if tools is not None:
            path = tools.lines[_run(name, "path")]["path"]
            ran = tools.lines[_run(name, "simulation")]
            row |= {
                "simulated_cycles": ran["cycles"]["forward"],
                "simulation_passed": ran["passed"],
                "our_worst_path_ns": path["worst_ns"],
                "paper_clock_ns": round(1000 / mhz, 2),
                "path_of": f"dp = {lanes}, pp = {pp}, one limb, {FAMILY}",
                "left_out": LEFT_OUT,
                "tool": f"{path['tool']}, sta; {ran['tool']}" if "tool" in ran else path["tool"],
            }
        found.append(row)
    return found


def _why_not(p: HardwareParameters, dp: int, pp: int, cycles: int) -> str:
    """What the paper's shape leaves for a stage within its cycles."""
    words = -(-p.log_n // pp) * (p.n // dp)
    waiting = p.n // dp if pp == p.log_n else 0  # the exchanges of an unrolled design
    left = (cycles - p.pipeline.port_cycles - words - waiting) // pp
    return (
        f"dp = {dp}, pp = {pp} streams {words} cycles and goes through {pp} stages at its end: "
        f"within {cycles} a stage may take {left} cycles"
    )
