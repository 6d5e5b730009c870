# SPDX-License-Identifier: Apache-2.0
"""[Yan22]: its conclusions against our designs' figures, or against arithmetic."""

from __future__ import annotations

from .._sections import Row, statement
from .._traced import of_paper
from .._verdicts import Claim
from .parts import HEAX

_NO_CLOCK = (
    "our cycles are known and our clock is not, since nothing was placed; the other design's time "
    "is "
    "one that was reached"
)


def statements(results: Row) -> list[Row]:
    """Every conclusion about a table or figure; microseconds are at the paper's clock."""
    found = _primes(results) + _space(results) + _table_4(results)
    return found + _parts(results) + _table_7(results)


def _primes(results: Row) -> list[Row]:
    rows = results["table_3"]
    same = sum(1 for r in rows if r["our_depth"] == r["paper_depth"])
    none = sum(1 for r in rows if not r["max_n_ntt"])
    counts = {(r["bits"], r["operands"]): r["primes"] for r in results["fig_3"]}
    four = counts.get((20, 4), 0)
    more = [sum(n for (b, k), n in counts.items() if b == 20 and k <= top) for top in range(4, 10)]
    return [
        statement(
            "Fig. 3",
            "6 primes of 20 bits are reduced with 4 operands; more with more operands",
            f"{four} with 4 operands; {more[-1]} with up to 9",
            Claim("equal", [6], [four]),
            Claim("order", [], [more[-1] / four if four else 0]),
        ),
        statement(
            "Table 3",
            "the moduli are reduced by trees of depth 2 to 4",
            f"{same} of {len(rows)} depths are the same",
            Claim("equal", [r["paper_depth"] for r in rows], [r["our_depth"] for r in rows]),
        ),
        statement(
            "Table 3",
            "the low latency core computes NTTs with these moduli",
            f"{none} of {len(rows)} have no negacyclic NTT of any n > 1",
            Claim("equal", [0], [none], own=True),
            because="for each modulus 2^i ± 2^j - 1 (j > 1), q - 1 = 2 (mod 4): the group of "
            "units has no "
            "element of order 4, and an NTT of n = 2 already needs one; the DGT exists",
        ),
    ]


def _space(results: Row) -> list[Row]:
    within = {(r["n"], r["core"], r["percent_of_xcu200"]): r["designs_within"]
              for r in results["fig_7"]}  # fmt: skip
    pairs = [(count, within[n, "solinas", p]) for (n, core, p), count in within.items()
             if core == "montgomery"]  # fmt: skip
    eighth = results["fig_8"]
    gains = []
    for n in sorted({r["n"] for r in eighth}):
        by_dp = [r["cycles"] for r in eighth if r["n"] == n and r["varied"] == "dp"]
        by_pp = [r["cycles"] for r in eighth if r["n"] == n and r["varied"] == "pp"]
        gains.append((by_dp[0] / by_dp[-1], by_pp[0] / by_pp[-1]))
    dp, pp = [g[0] for g in gains], [g[1] for g in gains]
    most = max(r["gb_per_s_four_limbs"] for r in results["fig_9"])
    ports = max(r["port_gb_per_s"] for r in results["fig_9"])
    cycles = {(r["dp"], r["stride"]): r["cycles"] for r in results["fig_10"]}
    stride = [cycles[d, 2 * s] / c for (d, s), c in cycles.items() if (d, 2 * s) in cycles]
    wider = [c / cycles[2 * d, s] for (d, s), c in cycles.items() if (2 * d, s) in cycles]
    return [
        statement(
            "Fig. 7",
            "within the same limits there are fewer designs of general cores",
            "general of low latency designs: " + ", ".join(f"{a} of {b}" for a, b in pairs),
            Claim("order", [], [b / a for a, b in pairs]),
        ),
        statement(
            "Fig. 8",
            "latency falls close to linearly with dp",
            f"32 times dp is {min(dp):.1f} ... {max(dp):.1f} times as fast, by n",
            Claim("alike", [32], dp),
            because="a design's latency contains that of its cores and networks, which dp does not "
            "shorten and which weighs most in the smallest transform",
        ),
        statement(
            "Fig. 8",
            "pp helps less than dp",
            f"8 times pp is {min(pp):.1f} ... {max(pp):.1f} times as fast",
            Claim("order", [], [a / b for a, b in gains]),
        ),
        statement(
            "Fig. 9",
            "the bandwidth of all designs is well within the XCU200's 78 GB/s",
            f"at most {most} GB/s by Eq. 4; a port streams {ports} GB/s",
            Claim("at most", [78], [most]),
            because=f"our n = 4096, dp = 64 design is fast enough to need {most} GB/s at 250 MHz, "
            "and Eq. "
            "4 averages over the latency: while words stream, a port moves more",
        ),
        statement(
            "Fig. 10",
            "latency grows with the stride, and falls with dp at the same stride",
            f"dp = 32: {cycles[32, 32]} cycles at stride 32, {cycles[32, 1024]} at 1024; "
            f"dp = 128: {cycles[128, 1024]} at 1024",
            Claim("order", [], [*stride, *wider]),
        ),
    ]


def _table_4(results: Row) -> list[Row]:
    rows = {(r["n"], r["core"]): r for r in results["table_4_and_7"]}
    low, mid, large = rows[1024, "solinas"], rows[4096, "montgomery"], rows[8192, "solinas"]
    heax = of_paper(6.0) / large["our_us_from_memory"]
    clock, floor = large["our_us_at_paper_clock"], large["transfer_floor_us"]
    roy = of_paper(73) / mid["our_us_from_memory"]
    return [
        statement(
            "Table 4",
            "at n = 8192 the design takes 4.5 µs from memory to memory, 1.3 times as fast as HEAX",
            f"{clock} µs from port to port; {large['our_us_from_memory']} from memory, {heax:.2f} "
            "times as fast as HEAX",
            Claim("equal", [4.5], [max(floor, of_paper(4.5))], step=0.1, own=True),
            because=f"loading and storing 4 limbs of 8192 words of 52 bits is {floor} µs at the "
            "XCU200's "
            "78 GB/s of the paper's Table 2: 2 · 4 · 8192 · 6.5 bytes / 78 GB/s",
        ),
        statement(
            "Table 4",
            "at n = 4096 with 6 moduli the design is 2.9 times as fast as [38]",
            f"{mid['our_cycles']} cycles, which would be {mid['our_us_from_memory']} µs at the "
            f"paper's clock, {roy:.2f} times",
            Claim("gain", [2.9], [roy], "times"),
            unlike=_NO_CLOCK,
        ),
        statement(
            "Table 4",
            "at n = 1024 the fixed design [41] is faster: 0.9 against 1.1 µs",
            f"ours has {low['our_cycles']} cycles, not 231, which would be "
            f"{low['our_us_from_memory']} µs at the paper's clock",
            Claim("order", [], [low["our_us_from_memory"] / of_paper(0.9)], "times"),
            unlike=_NO_CLOCK,
        ),
    ]


def _parts(results: Row) -> list[Row]:
    found = []
    networks = [r for r in results["table_5"] if "our_general_luts" in r]
    if networks:
        luts = [of_paper(HEAX[int(r["dp"])][0]) / r["our_general_luts"] for r in networks]
        ffs = [of_paper(HEAX[int(r["dp"])][1]) / r["our_general_ffs"] for r in networks]
        found.append(
            statement(
                "Table 5",
                "the network has significantly fewer LUTs and flip-flops than HEAX's interconnect",
                f"HEAX has {min(luts):.1f} ... {max(luts):.1f} times the LUTs and {min(ffs):.1f} "
                f"... {max(ffs):.1f} times the flip-flops of our network for any permutation",
                Claim("order", [], luts + ffs, much=True),
                unlike="HEAX's figures are the paper's, by Vivado and a subtraction, ours are by "
                "Yosys",
            )
        )
    cores = {(r["core"], r["ours"]): r for r in results["table_6"]}
    low = [cores[f"{bits}-bit low latency", "solinas"] for bits in (30, 52)]
    general = [cores[f"{bits}-bit general purpose", "barrett"] for bits in (30, 52)]
    dsps = ", ".join(
        f"{a['our_dsps']} of {b['our_dsps']}" for a, b in zip(low, general, strict=True)
    )
    cycles = ", ".join(
        f"{a['our_cycles']} of {b['our_cycles']}" for a, b in zip(low, general, strict=True)
    )
    found.append(
        statement(
            "Table 6",
            "the low latency core needs fewer DSPs and cycles than the general one",
            f"DSPs {dsps}; cycles {cycles} (30, 52 bits; general: Barrett, as in the paper)",
            Claim(
                "order",
                [],
                [
                    b[k] / a[k]
                    for k in ("our_dsps", "our_cycles")
                    for a, b in zip(low, general, strict=True)
                ],
            ),
        )
    )
    if all("our_luts" in r for r in (*low, *general)):
        luts = [a["our_luts"] / b["our_luts"] for a, b in zip(low, general, strict=True)]
        found.append(
            statement(
                "Table 6",
                "and slightly more LUTs",
                f"{luts[0]:.2f} and {luts[1]:.2f} of the general core's LUTs (30, 52 bits)",
                Claim("order", [], luts),
                because=f"our low latency cores have {low[0]['our_luts']} and "
                f"{low[1]['our_luts']} LUTs, "
                f"the paper's {of_paper(1123)} and {of_paper(2074)}; the general ones "
                f"{general[0]['our_luts']} and {general[1]['our_luts']}",
            )
        )
    return found


def _table_7(results: Row) -> list[Row]:
    (row,) = [r for r in results["table_4_and_7"] if r["n"] == 16384]
    claimed = of_paper(39.6) * of_paper(180)
    butterflies = 16384 // 2 * 14
    busy = 100 * butterflies / (16 * claimed)
    giga = of_paper(20) * butterflies * 21 / 1e9
    gpu = 100 * giga / (of_paper(44.1) * 1e-6) / (of_paper(6.14) * 1000)
    return [
        statement(
            "Table 7",
            "n = 16384 with dp = 32 and pp = 1 takes 39.6 µs at 180 MHz",
            f"{row['our_cycles']} cycles, {row['our_us_at_paper_clock']} µs at 180 MHz",
            Claim("equal", [39.6], [row["floor_cycles"] / of_paper(180.5)], step=0.1, own=True),
            because=f"39.6 µs · 180 MHz are {claimed:.0f} cycles; one super pipeline needs 16384 "
            "/ 32 = "
            f"512 cycles for each of 14 stages, {row['floor_cycles']} in all, and stages of one "
            "transform cannot overlap on it",
        ),
        statement(
            "Table 7",
            "the FPGA computes with 67.3 % of its peak",
            f"our cores are busy in {row['our_core_cycles_used_percent']} % of the cycles",
            Claim("equal", [67.3], [busy], step=0.1, own=True),
            because="8192 · 14 butterflies on 16 cores in the claimed cycles are "
            f"{busy:.1f} % of the peak; 67.3 % would be 59.2 µs at 180 MHz",
        ),
        statement(
            "Table 7",
            "the GPU of [22] computes with 35.5 % of its peak: 20 operations a butterfly are 0.096 "
            "GOP for the entire NTT",
            f"8192 · 14 · 21 butterflies of 20 operations are {giga:.3f} GOP, {gpu:.1f} % of "
            "the peak",
            Claim("equal", [35.5], [gpu], step=0.1, own=True),
            because="a transform has n/2 log2 n butterflies, not n log2 n: the claim counts each "
            "twice",
        ),
        statement(
            "Table 7",
            "1.58 times as many NTTs per unit of bandwidth as the GPU",
            f"{row['our_transforms_per_bandwidth']} times, at the paper's clock and from memory to "
            "memory",
            Claim("gain", [1.58], [row["our_transforms_per_bandwidth"]], "times"),
            unlike=_NO_CLOCK,
        ),
    ]
