# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: its conclusions against the measured GPU."""

from __future__ import annotations

from .._sections import Row, measured, statement
from .._verdicts import Claim
from .figures import Figures, gain, mean, multiplication_us, ratio, time_us, times_us


def statements(f: Figures) -> list[Row]:
    """The paper's conclusions against this card."""
    return measured(_statements_radix(f) + _statements_shared(f) + _statements_fly(f))


def _statements_radix(f: Figures) -> list[Row]:
    native = ratio(multiplication_us(f, "native", 60, 45), multiplication_us(f, "shoup", 60, 45))
    native32 = ratio(multiplication_us(f, "native", 30, 45), multiplication_us(f, "shoup", 30, 45))
    words = ratio(multiplication_us(f, "shoup", 30, 40), multiplication_us(f, "shoup", 60, 20))
    alone = f.radix(1, 17, 1)
    batching = ratio(None if alone is None else 21 * alone, f.radix(1))
    times = {k: us for k in range(1, 8) if (us := f.radix(k)) is not None}
    dft_times = {k: us for k in times if (us := f.radix(k, multiplication="complex")) is not None}
    best, dft = (min(t, key=lambda k: t[k], default=0) for t in (times, dft_times))
    gains = [ratio(f.radix(1, n), f.radix(4, n)) for n in (16, 17)]
    others = min((us for k, us in times.items() if k != 4), default=None)
    eight, sixteen = (f.pick(f.counted, k, 17, 21) or {} for k in (3, 4))
    busy = f.pairs(3, counted=True).get(8, {}).get("dram_percent")
    stockham = ratio(f.radix(4, kind="stockham"), f.radix(4))
    return [
        statement(
            "Fig. 1",
            "Shoup's product is 2.4 times as fast as native modulo",
            f"{native:.2f} with 60-bit moduli as in the paper, {native32:.2f} with 30-bit ones",
            Claim("gain", [2.4], [native], "times"),
        ),
        statement(
            "IV",
            "words of 32 and of 64 bits differ by about 5 % at log2 Q = 1200",
            f"40 moduli of 30 bits take {words:.2f} of the time of 20 of 60 bits",
            Claim("at most", [5], [100 * (max(words, 1 / words) - 1)], "%"),
            because="a product of 32-bit words takes a fraction of the instructions of one of 64 "
            f"bits, and the card's memory, {_counter(busy)} % busy at 60 bits, does not hide that",
        ),
        statement(
            "IV",
            "Cooley-Tukey is faster than Stockham, whose working set is larger",
            f"Stockham takes {stockham:.2f} of the time at radix 16",
            Claim("order", [], [stockham], "times"),
        ),
        statement(
            "Fig. 3",
            "batching 21 transforms is 1.92 times as fast as one at a time",
            f"{batching:.2f}",
            Claim("gain", [1.92], [batching], "times"),
        ),
        statement(
            "Fig. 4",
            "radix 16 is the fastest in registers, 2.41 times radix 2",
            f"radix {1 << best} is; radix 16 is {mean(gains):.2f} times radix 2",
            Claim("order", [], [ratio(others, f.radix(4))], "times"),
            Claim("gain", [2.41], [mean(gains)], "times"),
            because=f"radix 16 still moves {_megabytes(sixteen)} MB where radix 8 moves "
            f"{_megabytes(eight)}, for a second-level cache of {_cache(f)} keeps a part of both; "
            f"occupancy falls from {_counter(eight.get('occupancy_percent'))} to "
            f"{_counter(sixteen.get('occupancy_percent'))} %",
        ),
        statement(
            "Fig. 5",
            "the DFT's best radix, 32, is larger than the NTT's",
            f"DFT radix {1 << dft}, NTT radix {1 << best}",
            Claim("order", [], [(1 << dft) / (1 << best)] if dft and best else []),
        ),
    ]


def _statements_shared(f: Figures) -> list[Row]:
    apart, merged = f.one_sync(False, False), f.one_sync(True, False)
    coalescing, preloading = gain(apart, merged), gain(merged, f.one_sync(True, True))
    by_points = {p: times_us(f.pairs(p)) for p in (1, 2, 3, 4)}
    four, eight = gain(by_points[1], by_points[2]), gain(by_points[2], by_points[3])
    registers = min((us for k in range(1, 8) if (us := f.radix(k)) is not None), default=None)
    worst = max((t for times in by_points.values() for t in times.values()), default=None)
    dft = {p: times_us(f.pairs(p, multiplication="complex")) for p in (1, 2, 3)}
    dft_gains = [gain(dft[1], dft[2]), gain(dft[2], dft[3])]
    return [
        statement(
            "Fig. 7",
            "coalescing by merging blocks: 21.6 % faster on average",
            f"{coalescing:.1f} %",
            Claim("gain", [21.6], [coalescing], "%"),
        ),
        statement(
            "Fig. 9",
            "twiddles preloaded to shared memory: 8.4 % faster on average",
            f"{preloading:.1f} %",
            Claim("gain", [8.4], [preloading], "%"),
            because="a first kernel of radix R has R factors with their quotients, 32 KiB at R = "
            "2048, which the first-level cache holds without being told",
        ),
        statement(
            "Fig. 11 a",
            "4 points a thread are 30.1 % faster than 2",
            f"4 over 2: {four:.1f} %",
            Claim("gain", [30.1], [four], "%"),
        ),
        statement(
            "Fig. 11 a",
            "8 points a thread perform like 4",
            f"8 over 4: {eight:.1f} %",
            Claim("alike", [1], [1 + eight / 100]),
        ),
        statement(
            "Fig. 11 a",
            "every split through shared memory is faster than the best radix in registers",
            f"slowest split {_us(worst)} µs, best radix {_us(registers)} µs",
            Claim("order", [], [ratio(registers, worst)], "times"),
            because=f"a second-level cache of {_cache(f)} takes a part of what kernels in "
            "registers move between their passes, and threads of 2 points wait for each other "
            "after every stage",
        ),
        statement(
            "Fig. 11 b",
            "the DFT is fastest with 8 points a thread, slowest with 2",
            f"4 over 2: {dft_gains[0]:.1f} %, 8 over 4: {dft_gains[1]:.1f} %",
            Claim("order", [], [1 + g / 100 for g in dft_gains], "times"),
        ),
        _splits(f),
    ]


def _splits(f: Figures) -> Row:
    """Fig. 12 a: how far apart the splits of one n are."""
    times = {n: times_us(f.pairs(3, 0, n)) for n in (14, 15, 16)}
    spreads = [100 * (ratio(max(t.values()), min(t.values())) - 1) if t else float("nan")
               for t in times.values()]  # fmt: skip
    largest = times[16]
    slowest = max(largest, key=lambda k: largest[k], default=0)
    fastest = min(largest, key=lambda k: largest[k], default=0)
    rest = [us for k, us in largest.items() if k != slowest]
    counted = f.pairs(3, 0, 16, counted=True)
    busy = [_counter(counted.get(k, {}).get("dram_percent")) for k in (slowest, fastest)]
    return statement(
        "Fig. 12 a",
        "splits of one n differ little: up to 16.3, 15.7, 7.5 % at 2^14, 2^15, 2^16",
        "up to " + ", ".join(f"{s:.1f}" for s in spreads) + " %",
        Claim("at most", [16.3, 15.7, 7.5], spreads, "%"),
        because=f"at 2^16 the split 2^{slowest} · 2^{16 - slowest} alone is that slow: it keeps "
        "the "
        f"memory {busy[0]} % busy, the fastest {busy[1]} %; without it the splits are "
        f"{100 * (ratio(max(rest, default=None), min(rest, default=None)) - 1):.1f} % apart",
    )


def _statements_fly(f: Figures) -> list[Row]:
    plain = {n: f.best(0, n) for n in range(14, 18)}
    flying = {n: min((t for fly in (1, 2) if (t := f.best(fly, n)) is not None), default=None)
              for n in plain}  # fmt: skip
    each_gain = [100 * (ratio(plain[n], flying[n]) - 1) for n in plain]
    saved = []
    for log_n in plain:
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
            "twiddles on the fly: 10.1, 9.2, 9.8, 8.1 % faster from 2^14 to 2^17, 9.3 % on average",
            ", ".join(f"{g:.1f}" for g in each_gain) + f" %, {mean(each_gain):.1f} % on average",
            Claim("gain", [10.1, 9.2, 9.8, 8.1], each_gain, "%"),
            because="memory is not what these kernels wait for on this card: without twiddles on "
            f"the fly they keep it {_counter(min(kept, default=None))} ... "
            f"{_counter(max(kept, default=None))} % busy",
        ),
        statement(
            "Fig. 12 c",
            "twiddles on the fly save 24.5, 23.5, 24.5, 25.1 % of DRAM accesses from 2^14 to 2^17",
            "of bytes read (caches flushed before each kernel): "
            + ", ".join(f"{s:.1f}" for s in saved)
            + " %",
            Claim("gain", [24.5, 23.5, 24.5, 25.1], saved, "%"),
        ),
        statement(
            "Table II",
            "shared memory with twiddles on the fly is 4.2 times radix 2",
            f"{total:.2f} times",
            Claim("gain", [4.2], [total], "times"),
            because="radix 2 is not held back by memory as on the Titan V, where it took 86.7 % of "
            f"the bandwidth: here {_counter(two.get('dram_percent'))} % at 2^17",
        ),
        statement(
            "Fig. 13",
            "time is proportional to the number of moduli beyond 21",
            f"45 moduli take {linear:.2f} of 45/21 times the time of 21",
            Claim("alike", [1], [linear]),
        ),
    ]


def _us(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _counter(percent: float | None) -> str:
    return "-" if percent is None else f"{percent:.0f}"


def _cache(f: Figures) -> str:
    size = (f.results.get("gpu") or {}).get("l2_bytes")
    return "-" if size is None else f"{size / 2**20:.0f} MiB"


def _megabytes(row: Row) -> str:
    if "read_bytes" not in row:
        return "-"
    return f"{(row['read_bytes'] + row['written_bytes']) / 1e6:.0f}"
