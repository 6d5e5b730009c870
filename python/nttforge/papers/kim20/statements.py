# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: its conclusions against the measured GPU."""

from __future__ import annotations

from .._sections import Row, statement
from .figures import Figures, gain, mean, multiplication_us, ratio, time_us, times_us


def statements(f: Figures) -> list[Row]:
    """The paper's conclusions against this card; a gain holds if at least half of it is seen."""
    found = _statements_radix(f) + _statements_shared(f) + _statements_fly(f)
    return [s for s in found if "nan" not in s["ours"] and "None" not in s["ours"]]


def _statements_radix(f: Figures) -> list[Row]:
    native = ratio(multiplication_us(f, "native", 60, 45), multiplication_us(f, "shoup", 60, 45))
    native32 = ratio(multiplication_us(f, "native", 30, 45), multiplication_us(f, "shoup", 30, 45))
    words = ratio(multiplication_us(f, "shoup", 30, 40), multiplication_us(f, "shoup", 60, 20))
    alone = f.radix(1, 17, 1)
    batching = ratio(None if alone is None else 21 * alone, f.radix(1))
    best = min(range(1, 8), key=lambda k: f.radix(k) or float("inf"))
    gains = [ratio(f.radix(1, n), f.radix(4, n)) for n in (16, 17)]
    dft = min(range(1, 8), key=lambda k: f.radix(k, multiplication="complex") or float("inf"))
    eight, sixteen = (f.pick(f.counted, k, 17, 21) or {} for k in (3, 4))
    busy = f.pairs(3, counted=True).get(8, {}).get("dram_percent")
    stockham = ratio(f.radix(4, kind="stockham"), f.radix(4))
    return [
        statement(
            "Fig. 1",
            "Shoup's product is 2.4 times as fast as native modulo",
            f"{native:.2f} with 60-bit, {native32:.2f} with 30-bit moduli",
            native >= 2 or native32 >= 2,
        ),
        statement(
            "IV",
            "words of 32 and of 64 bits differ by about 5 % at log2 Q = 1200",
            f"40 moduli of 30 bits take {words:.2f} of the time of 20 of 60 bits",
            0.9 <= words <= 1.1,
            "a product of 32-bit words takes a fraction of the instructions of one of 64 bits, and "
            f"the card's memory, {_counter(busy)} % busy at 60 bits, does not hide that",
        ),
        statement(
            "IV",
            "Cooley-Tukey is faster than Stockham, whose working set is larger",
            f"Stockham takes {stockham:.2f} of the time at radix 16",
            stockham > 1,
        ),
        statement(
            "Fig. 3",
            "batching 21 transforms is 1.92 times as fast as one at a time",
            f"{batching:.2f}",
            batching > 1.5,
        ),
        statement(
            "Fig. 4",
            "radix 16 is the fastest in registers, 2.41 times radix 2",
            f"radix {1 << best} is; radix 16 is {mean(gains):.2f} times radix 2",
            best == 4,
            f"radix 16 still moves {_megabytes(sixteen)} MB where radix 8 moves "
            f"{_megabytes(eight)}, for a second-level cache of {_cache(f)} keeps a part of both; "
            f"occupancy falls from {_counter(eight.get('occupancy_percent'))} to "
            f"{_counter(sixteen.get('occupancy_percent'))} %",
        ),
        statement(
            "Fig. 5",
            "the DFT's best radix, 32, is larger than the NTT's",
            f"DFT radix {1 << dft}, NTT radix {1 << best}",
            dft > best,
        ),
    ]


def _statements_shared(f: Figures) -> list[Row]:
    apart, merged = f.one_sync(False, False), f.one_sync(True, False)
    coalescing, preloading = gain(apart, merged), gain(merged, f.one_sync(True, True))
    by_points = {p: times_us(f.pairs(p)) for p in (1, 2, 3, 4)}
    four, eight = gain(by_points[1], by_points[2]), gain(by_points[2], by_points[3])
    registers = min((f.radix(k) or float("inf") for k in range(1, 8)), default=float("inf"))
    worst = max((t for times in by_points.values() for t in times.values()), default=float("nan"))
    dft = {p: times_us(f.pairs(p, multiplication="complex")) for p in (1, 2, 3)}
    spread = {n: times_us(f.pairs(3, 0, n)) for n in (14, 15, 16)}
    spreads = [100 * (max(t.values()) / min(t.values()) - 1) for t in spread.values() if t]
    return [
        statement(
            "Fig. 7",
            "coalescing by merging blocks: 21.6 % faster on average",
            f"{coalescing:.1f} %",
            coalescing > 21.6 / 2,
        ),
        statement(
            "Fig. 9",
            "twiddles preloaded to shared memory: 8.4 % faster on average",
            f"{preloading:.1f} %",
            preloading > 8.4 / 2,
            "a first kernel of radix R has R factors with their quotients, 32 KiB at R = 2048, "
            "which the first-level cache holds without being told",
        ),
        statement(
            "Fig. 11 a",
            "4 points a thread are 30.1 % faster than 2; 8 like 4",
            f"4 over 2: {four:.1f} %, 8 over 4: {eight:.1f} %",
            four > 30.1 / 2 and abs(eight) < 15,
        ),
        statement(
            "Fig. 11 a",
            "every split through shared memory is faster than the best radix in registers",
            f"slowest split {worst:.1f} us, best radix {registers:.1f} us",
            worst < registers,
            f"a second-level cache of {_cache(f)} takes a part of what kernels in registers move "
            "between their passes, and threads of 2 points wait for each other after every stage",
        ),
        statement(
            "Fig. 11 b",
            "the DFT is fastest with 8 points a thread, slowest with 2",
            f"4 over 2: {gain(dft[1], dft[2]):.1f} %, 8 over 4: {gain(dft[2], dft[3]):.1f} %",
            gain(dft[1], dft[2]) > 0 and gain(dft[2], dft[3]) > 0,
        ),
        statement(
            "Fig. 12 a",
            "splits of one n differ little: up to 16.3, 15.7, 7.5 % at 2^14, 2^15, 2^16",
            "up to " + ", ".join(f"{s:.1f}" for s in spreads) + " %",
            max(spreads, default=100) < 25,
        ),
    ]


def _statements_fly(f: Figures) -> list[Row]:
    plain = {n: f.best(0, n) for n in range(14, 18)}
    flying = {n: min(f.best(1, n) or 1e9, f.best(2, n) or 1e9) for n in range(14, 18)}
    faster = 100 * (mean([ratio(plain[n], flying[n]) for n in plain]) - 1)
    saved = []
    for log_n in range(14, 18):
        both = [f.pairs(3, fly, log_n, counted=True) for fly in (0, 1)]
        shares = [1 - both[1][k]["read_bytes"] / both[0][k]["read_bytes"] for k in both[1]]
        saved.append(100 * mean(shares))
    two = f.pick(f.counted, 1, 17, 21) or {}
    kept = [r["dram_percent"] for n in plain for r in f.pairs(3, 0, n, counted=True).values()]
    total = mean([ratio(f.radix(1, n), flying[n]) for n in plain])
    each = [time_us(f.pairs(3, 0, 17, limbs, bits=60).get(8)) for limbs in (21, 45)]
    linear = ratio(each[1], each[0]) / (45 / 21)
    return [
        statement(
            "Fig. 12 b",
            "twiddles on the fly: 9.3 % faster on average (10.1, 9.2, 9.8, 8.1 %, 2^14 ... 2^17)",
            f"{faster:.1f} % on average ("
            + ", ".join(f"{100 * (ratio(plain[n], flying[n]) - 1):.1f}" for n in plain)
            + " %)",
            faster > 9.3 / 2,
            "memory is not what these kernels wait for on this card: without twiddles on the fly "
            f"they keep it {_counter(min(kept, default=None))} ... "
            f"{_counter(max(kept, default=None))} % busy",
        ),
        statement(
            "Fig. 12 c",
            "twiddles on the fly save 24.5, 23.5, 24.5, 25.1 % of DRAM accesses from 2^14 to 2^17",
            "of bytes read (caches flushed before each kernel): "
            + ", ".join(f"{s:.1f}" for s in saved)
            + " %",
            min(saved, default=0) > 15,
        ),
        statement(
            "Table II",
            "shared memory with twiddles on the fly is 4.2 times radix 2",
            f"{total:.2f} times",
            total > 3,
            "radix 2 is not held back by memory as on the Titan V, where it took 86.7 % of the "
            f"bandwidth: here {_counter(two.get('dram_percent'))} % at 2^17",
        ),
        statement(
            "Fig. 13",
            "time is proportional to the number of moduli beyond 21",
            f"45 moduli take {linear:.2f} of 45/21 times the time of 21",
            0.9 < linear < 1.1,
        ),
    ]


def _counter(percent: float | None) -> str:
    return "-" if percent is None else f"{percent:.0f}"


def _cache(f: Figures) -> str:
    size = (f.results.get("gpu") or {}).get("l2_bytes")
    return "-" if size is None else f"{size / 2**20:.0f} MiB"


def _megabytes(row: Row) -> str:
    if "read_bytes" not in row:
        return "-"
    return f"{(row['read_bytes'] + row['written_bytes']) / 1e6:.0f}"
