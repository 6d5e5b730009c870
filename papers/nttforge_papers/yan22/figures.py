# SPDX-License-Identifier: Apache-2.0
"""The data of [Yan22] Figs. 3 and 7-10, from our generator's exact predictions."""

from __future__ import annotations

from collections import Counter
from typing import Any

from nttforge_hardware import HardwareParameters, plan_design
from nttforge_hardware.plan.explorer import candidates
from nttforge_hardware.plan.primes import usable_primes
from nttforge_hardware.plan.schedule import SPN_CYCLES, least_delay
from nttforge_hardware.plan.solinas import Solinas, solinas_operands
from nttforge_oracle.number_theory import generalised_mersenne_primes

from .tables import ASSUMED_MHZ, XCU200

#: What the text says of its plots, which carry no numbers; our rows are held to it by the tests.
PAPER_SAYS = {
    "fig_3": "6 primes of 20 bits are reduced with 4 operands; more with more operands",
    "fig_7": "fewer designs of general cores than of low latency ones are within the same limits",
    "fig_8": "latency is close to linear in 1 / dp; pp helps less, and from some pp on not at all",
    "fig_9": "bandwidth over the latency (Eq. 4) goes up as latency goes down, well within the "
    "XCU200's 78 GB/s (ours of n = 4096 and dp = 64 would need 79 at the assumed clock); while "
    "words stream, a port moves 120 GB/s with dp = 32 and 240 with dp = 64, which Eq. 4 hides",
    "fig_10": "latency increases with the stride, and decreases with dp at the same stride",
}
#: Fig. 3 in words: (bits, operands) -> primes.
PAPER_PRIMES = {(20, 4): 6}


def prime_counts(widths: tuple[int, ...] = tuple(range(16, 61, 4))) -> list[dict[str, Any]]:
    """Fig. 3: primes 2^i +- 2^j +- 1 of a width by the operands of their reduction."""
    rows = []
    for bits in widths:
        counts = Counter(
            len(solinas_operands(Solinas(f.i, f.j, f.sign_j, f.sign_0)))
            for f in generalised_mersenne_primes(bits)
        )
        for operands, primes in sorted(counts.items()):
            said = PAPER_PRIMES.get((bits, operands))
            row = {"bits": bits, "operands": operands, "primes": primes}
            rows.append(row | ({"paper_primes": said} if said is not None else {}))
    return rows


def _moduli(n: int, core: str) -> tuple[int, ...]:
    return usable_primes(n, 30, 4 if core == "montgomery" else 1, core=core)


def design_space() -> list[dict[str, Any]]:
    """Fig. 7: designs of four 30-bit limbs within a share of the XCU200, and the fastest."""
    rows = []
    for n in (4096, 8192):
        for core in ("solinas", "montgomery"):
            moduli = _moduli(n, core)
            copies = 4 // len(moduli)
            base = HardwareParameters(n, moduli, core=core)
            found = [
                (c.latency_cycles, c.dsps * copies, c.ramb18 * copies, c.parameters)
                for c in candidates(base, ASSUMED_MHZ)
            ]
            for percent in (20, 40, 60, 80, 100):
                within = [
                    f
                    for f in found
                    if f[1] <= XCU200["dsps"] * percent // 100
                    and f[2] <= XCU200["ramb18"] * percent // 100
                ]
                cycles, dsps, ramb18, p = min(within, key=lambda f: (f[0], f[1]))
                rows.append(
                    {
                        "n": n,
                        "core": core,
                        "percent_of_xcu200": percent,
                        "designs_within": len(within),
                        "cycles_of_designs_within": sorted({f[0] for f in within}),
                        "dp": p.dp,
                        "pp": p.pp,
                        "cycles": cycles,
                        "us_at_assumed_250_mhz": round(cycles / ASSUMED_MHZ, 3),
                        "dsps": dsps,
                        "bram36": ramb18 / 2,
                    }
                )
    return rows


def bandwidth() -> list[dict[str, Any]]:
    """Fig. 9: bandwidth of the designs of Fig. 8, by Eq. 4 over the latency, and of the ports.

    ``port_gb_per_s`` is what one port of four limbs moves while a transform streams.
    """
    keys = ("n", "dp", "pp", "varied", "gb_per_s_four_limbs")
    port = {
        row["dp"]: round(4 * row["dp"] * 30 / 8 * ASSUMED_MHZ / 1000, 2) for row in sensitivity()
    }
    return [
        {key: row[key] for key in keys} | {"port_gb_per_s": port[row["dp"]]}
        for row in sensitivity()
    ]


def sensitivity() -> list[dict[str, Any]]:
    """Fig. 8: latency by dp at pp = 2, and by pp at dp = 16."""
    shapes = [(dp, 2, "dp") for dp in (2, 4, 8, 16, 32, 64)]
    shapes += [(16, pp, "pp") for pp in range(1, 9)]
    rows = []
    for n in (1024, 2048, 4096, 8192, 16384):
        for dp, pp, varied in shapes:
            moduli = _moduli(n, "solinas")
            p = HardwareParameters(n, moduli, dp=dp, pp=pp, core="solinas")
            cycles = plan_design(p).latency_cycles("forward")
            us = cycles / ASSUMED_MHZ
            rows.append(
                {
                    "n": n,
                    "dp": dp,
                    "pp": pp,
                    "varied": varied,
                    "cycles": cycles,
                    "us_at_assumed_250_mhz": round(us, 3),
                    "gb_per_s_four_limbs": round(2 * 4 * n * 4 / us / 1000, 2),
                }
            )
    return rows


def permutation_latency() -> list[dict[str, Any]]:
    """Fig. 10: cycles of our permutation by the stride of the stage behind it, n = 4096."""
    rows = []
    n = 4096
    for dp in (32, 64, 128):
        for bit in range((n // dp).bit_length() - 1):
            cycles = least_delay((bit,)) + SPN_CYCLES
            rows.append({"dp": dp, "stride": dp << bit, "cycles": cycles})
    return rows
