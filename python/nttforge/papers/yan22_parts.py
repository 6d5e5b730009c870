"""[Yan22] Tables 5 and 6: permutation networks and cores by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..hardware.cores import CoreDesign

#: Table 6: DSPs, cycles, LUTs, flip-flops.
CORES = {
    "30-bit low latency": (4, 9, 1123, 679),
    "30-bit general purpose": (12, 14, 1081, 920),
    "52-bit low latency": (6, 12, 2074, 1237),
    "52-bit general purpose": (17, 19, 1837, 1682),
}
#: Table 5: LUTs, flip-flops, BRAMs of the permutation network by dp.
NETWORKS = {16: (7013, 10415, 16), 32: (16836, 23505, 32), 64: (36496, 55212, 64)}


def networks(synthesise: bool = False, jobs: int = 1) -> list[dict[str, Any]]:
    """Table 5: the permutation network alone, n = 4096, 52 bits, pp = 1."""
    from ..hardware import HardwareParameters, plan_design
    from ..hardware.parallel import run_parallel
    from ..hardware.primes import usable_primes

    rows = {}
    moduli = usable_primes(4096, 52, 1)
    for dp, (luts, ffs, brams) in NETWORKS.items():
        design = plan_design(HardwareParameters(4096, moduli, dp=dp, pp=1, core="montgomery"))
        rows[dp] = {
            "dp": dp,
            "paper_luts": luts,
            "paper_ffs": ffs,
            "paper_bram36": brams,
            "our_bram36": design.permutation_ramb18 / 2,
        }
    if synthesise:
        items = [(dp, moduli) for dp in NETWORKS]
        for (dp, _), said in run_parallel(_network, items, jobs, "networks", str):
            rows[dp] |= said
    return list(rows.values())


def _network(item: tuple[int, tuple[int, ...]]) -> dict[str, Any]:
    from ..hardware import HardwareParameters, plan_design
    from ..hardware.emit import module_folder
    from ..hardware.synthesis import synthesise_module
    from ..hardware.verilog import spn_parameters

    dp, moduli = item
    design = plan_design(HardwareParameters(4096, moduli, dp=dp, pp=1, core="montgomery"))
    sources = sorted(module_folder("rtl").glob("*.sv"))
    got = synthesise_module("nttf_stage_spn", spn_parameters(design, 0), sources)
    return {
        "our_luts": got.luts,
        "our_ffs": got.ffs,
        "synthesised_bram36": got.ramb18 / 2,
        "tool": f"{got.tool}, xcup",
    }


def cores(synthesise: bool = False, jobs: int = 1) -> list[dict[str, Any]]:
    """Table 6; the general core in both kinds."""
    from ..hardware.cores import Pipeline, choose_cores
    from ..hardware.parallel import run_parallel
    from ..hardware.primes import usable_primes

    rows, chosen = [], []
    for name, (dsps, cycles, luts, ffs) in CORES.items():
        bits = int(name[:2])
        low = "low" in name
        for kind in ("solinas",) if low else ("montgomery", "barrett"):
            q = usable_primes(4096 if bits == 30 else 8192, bits, 1, core=kind)
            core = choose_cores(kind, q, Pipeline())[0]
            chosen.append((core, len(rows)))
            rows.append(
                {
                    "core": name,
                    "ours": kind,
                    "q": q[0],
                    "paper_dsps": dsps,
                    "our_dsps": core.dsps,
                    "paper_cycles": cycles,
                    "our_cycles": core.latency(),
                    "paper_luts": luts,
                    "paper_ffs": ffs,
                }
            )
    if synthesise:
        for (_, i), said in run_parallel(_core, chosen, jobs, "cores", lambda c: c[0].kind):
            rows[i] |= said
    return rows


def _core(item: tuple[CoreDesign, int]) -> dict[str, Any]:
    from ..hardware.synthesis import synthesise_core

    got = synthesise_core(item[0])
    return {
        "our_luts": got.luts,
        "our_ffs": got.ffs,
        "synthesised_dsps": got.dsps,
        "tool": f"{got.tool}, xcup",
    }
