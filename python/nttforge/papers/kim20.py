"""[Kim20]: NTT on a GPU for bootstrappable HE; Figs. 1, 3, 4, 5, 7, 9, 11, 12, 13 and Table II.

Every optimisation of the paper is a kernel of its own here, checked against the CPU's words and
timed on one GPU: radices in registers, two kernels through shared memory with 2 to 16 points a
thread, merged or not, preloaded or not, twiddles on the fly, four multiplications, the complex DFT.

examples:
  nttforge paper kim20                             kept results of this clone
  nttforge paper kim20 --measure --out out/kim20   on this GPU, with counters if ncu is there
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ._gpu import (
    Results,
    Row,
    engine_us,
    heading,
    number,
    section,
    statement,
    statements_text,
)
from ._gpu import add_arguments as add_arguments
from ._gpu import run as run_paper

#: Counters, by the profiler's name.
METRICS = {
    "dram__bytes_read.sum": "read_bytes",
    "dram__bytes_write.sum": "written_bytes",
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dram_percent",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "occupancy_percent",
    "gpu__time_duration.sum": "ns",
}
#: Table II, us on a Titan V: log2 n -> radix 2, shared memory, and with twiddles on the fly.
TABLE_II = {14: (166, 48.6, 44.1), 15: (340, 92.0, 84.2), 16: (693, 171.8, 156.3)}
TABLE_II[17] = (1427, 329.0, 304.2)
LIMBS = 21


def run(options: argparse.Namespace) -> int:
    return run_paper("kim20", options, METRICS, report, plot)


class Figures:
    """Times of the results by what was measured, in us."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.rows = results["rows"]
        self.counted = results["profile"]

    def radix(
        self, k: int, log_n: int = 17, limbs: int = LIMBS, kind: str = "radix", **fields: Any
    ) -> float | None:
        """Radix 2^k (kind: radix or stockham)."""
        return _us(self.pick(self.rows, k, log_n, limbs, kind, **fields))

    def pick(
        self,
        rows: list[Row],
        k: int,
        log_n: int,
        limbs: int,
        kind: str = "radix",
        multiplication: str = "shoup",
        twiddle_memory: str = "read_only",
    ) -> Row | None:
        for row in rows:
            first = row["kernels"][0]
            here = (row["multiplication"], row["log_n"], row["limbs"])
            if here != (multiplication, log_n, limbs) or first["kernel"] != kind:
                continue
            if first["log_radix"] == k and first["twiddle_memory"] == twiddle_memory:
                return row
        return None

    def pairs(
        self,
        points: int,
        on_the_fly: int = 0,
        log_n: int = 17,
        limbs: int = LIMBS,
        multiplication: str = "shoup",
        bits: int | None = None,
        log_base: int = 10,
        counted: bool = False,
    ) -> dict[int, Row]:
        """Two kernels of 2^points points a thread: log2 of the first radix -> row."""
        found = {}
        for row in self.counted if counted else self.rows:
            here = (row["multiplication"], row["log_n"], row["limbs"], row["log_base"])
            if here != (multiplication, log_n, limbs, log_base) or len(row["kernels"]) != 2:
                continue
            if bits is not None and row["bits"] != bits:
                continue
            first, last = row["kernels"]
            if (first["kernel"], first["log_points"], last["on_the_fly"]) == (
                "first",
                points,
                on_the_fly,
            ):
                found[first["log_radix"]] = row
        return found

    def best(self, on_the_fly: int, log_n: int = 17, limbs: int = LIMBS) -> float | None:
        """The fastest split with eight points a thread."""
        times = [_us(row) for row in self.pairs(3, on_the_fly, log_n, limbs).values()]
        return min((t for t in times if t is not None), default=None)

    def one_sync(self, coalesced: bool, preload: bool) -> dict[int, float]:
        """The first kernel alone, one synchronisation: log2 of the radix -> us."""
        found = {}
        for row in self.rows:
            kernel = row["kernels"][0]
            made = (kernel["kernel"], kernel["coalesced"], kernel["preload"])
            if len(row["kernels"]) == 1 and made == ("first", coalesced, preload):
                found[kernel["log_radix"]] = row["median_ns"] / 1e3
        return found


def _us(row: Row | None) -> float | None:
    return None if row is None else float(row["median_ns"]) / 1e3


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def _gain(slow: dict[int, float], fast: dict[int, float]) -> float:
    """Mean speedup in percent over the sizes of both."""
    both = slow.keys() & fast.keys()
    return 100 * (_mean([slow[k] / fast[k] for k in both]) - 1)


def _times(rows: dict[int, Row]) -> dict[int, float]:
    return {k: row["median_ns"] / 1e3 for k, row in sorted(rows.items())}


def table_ii(f: Figures) -> str:
    body = []
    for log_n, paper in TABLE_II.items():
        radix2, plain = f.radix(1, log_n), f.best(0, log_n)
        flying = min((t for t in (f.best(1, log_n), f.best(2, log_n)) if t), default=None)
        engine = engine_us(f.results, log_n, LIMBS, 60)
        ratio = paper[2] / engine if engine else None
        ours = [number(radix2), number(plain), number(flying), number(engine), number(ratio)]
        body.append([str(log_n), *map(str, paper), *ours])
    header = ["log2 n", "paper radix 2", "SMEM", "SMEM + OT", "ours radix 2", "SMEM", "SMEM + OT"]
    header += ["fast engine", "x paper's best"]
    return section("Table II, 21 moduli of 60 bits, us (paper: Titan V)", header, body)


def _counters(f: Figures, k: int, log_n: int, multiplication: str) -> list[str]:
    row = f.pick(f.counted, k, log_n, LIMBS, multiplication=multiplication)
    if row is None:
        return ["-"] * 3
    megabytes = (row["read_bytes"] + row["written_bytes"]) / 1e6
    return [number(megabytes, 0), number(row["dram_percent"]), number(row["occupancy_percent"])]


def radices(f: Figures) -> str:
    body = []
    for log_n in (16, 17):
        for k in range(1, 8):
            kept = f.pick(f.rows, k, log_n, LIMBS)
            registers = "-" if kept is None else str(kept["kernels"][0]["registers"])
            local = "-" if kept is None else str(kept["kernels"][0]["local_bytes"])
            ntt = [number(_us(kept)), registers, local, *_counters(f, k, log_n, "shoup")]
            dft = [number(f.radix(k, log_n, multiplication="complex"))]
            body.append([str(log_n), str(1 << k), *ntt, *dft, *_counters(f, k, log_n, "complex")])
    header = ["log2 n", "radix", "NTT us", "registers", "spilled B", "DRAM MB", "DRAM %"]
    header += ["occupancy %", "DFT us", "DRAM MB", "DRAM %", "occupancy %"]
    return section("Figs. 4 and 5, radix in registers, 21 transforms", header, body)


def batches(f: Figures) -> str:
    cufft = {(r["log_n"], r["limbs"]): r["median_ns"] / 1e3 for r in f.results["cufft"]}
    body = []
    for limbs in (1, 2, 3, 5, 7, 10, 14, 21):
        ntt, dft = f.radix(1, 17, limbs), f.radix(1, 17, limbs, multiplication="complex")
        each = [None if t is None else t / limbs for t in (ntt, dft)]
        fft = cufft.get((17, limbs))
        cells = [number(ntt), number(each[0]), number(dft), number(each[1]), number(fft)]
        body.append([str(limbs), *cells])
    header = ["batch", "NTT us", "each", "DFT us", "each", "cuFFT us"]
    return section("Fig. 3, radix 2, 2^17 points", header, body)


def first_kernels(f: Figures) -> str:
    apart, merged = f.one_sync(False, False), f.one_sync(True, False)
    preloaded = f.one_sync(True, True)
    body = [
        [str(1 << k), number(apart.get(k)), number(merged[k]), number(preloaded.get(k))]
        for k in sorted(merged)
    ]
    header = ["radix", "not coalesced", "coalesced", "coalesced and preloaded"]
    return section("Figs. 7 and 9, first kernel alone, 2^17 points, 21 moduli, us", header, body)


def splits(f: Figures) -> str:
    kinds = [(p, 0, "shoup") for p in (1, 2, 3, 4)] + [(3, 1, "shoup"), (3, 2, "shoup")]
    kinds += [(p, 0, "complex") for p in (1, 2, 3, 4)]
    columns = [_times(f.pairs(p, fly, multiplication=name)) for p, fly, name in kinds]
    body = [
        [f"{1 << k} x {1 << (17 - k)}", *(number(column.get(k)) for column in columns)]
        for k in range(6, 12)
    ]
    names = [
        "2 points",
        "4",
        "8",
        "16",
        "8 + OT 1",
        "8 + OT 2",
        "DFT 2",
        "DFT 4",
        "DFT 8",
        "DFT 16",
    ]
    return section("Fig. 11, two kernels, 2^17 points, 21, us", ["N1 x N2", *names], body)


def on_the_fly(f: Figures) -> str:
    body = []
    for log_n in range(14, 18):
        for k, row in sorted(f.pairs(3, 0, log_n).items()):
            flying = f.pairs(3, 1, log_n).get(k)
            counts = [f.pairs(3, fly, log_n, counted=True).get(k) for fly in (0, 1)]
            cells = [number(_us(row)), number(_us(flying))]
            for name, digits in (("read_bytes", 1), ("dram_percent", 1)):
                scale = 1e6 if name == "read_bytes" else 1
                cells += [number(c[name] / scale if c else None, digits) for c in counts]
            body.append([str(log_n), f"{1 << k} x {1 << (log_n - k)}", *cells])
    header = ["log2 n", "N1 x N2", "us", "with OT", "DRAM read MB", "with OT", "DRAM %", "with OT"]
    return section("Fig. 12, eight points a thread, OT in the last stage", header, body)


def moduli(f: Figures) -> str:
    body = []
    for limbs in sorted({row["limbs"] for row in f.rows}):
        plain = f.pairs(3, 0, 17, limbs, bits=60).get(8)
        flying = f.pairs(3, 1, 17, limbs, bits=60).get(8)
        if plain is None or flying is None:
            continue
        engine = engine_us(f.results, 17, limbs, 60)
        cells = [number(_us(plain)), number(_us(flying)), number(engine)]
        body.append([str(limbs), str(60 * limbs), *cells])
    header = ["moduli", "log2 Q", "SMEM", "SMEM + OT", "fast engine"]
    return section("Fig. 13, 2^8 x 2^9, moduli of 60 bits, us", header, body)


def _multiplication(f: Figures, name: str, bits: int, limbs: int) -> float | None:
    return _us(f.pairs(3, 0, 17, limbs, name, bits).get(8))


def multiplications(f: Figures) -> str:
    names = ("shoup", "native", "barrett", "montgomery")
    body = []
    for bits in (30, 60):
        cells = [number(_multiplication(f, name, bits, 45)) for name in names]
        body.append([f"{bits}-bit", *cells, number(engine_us(f.results, 17, 45, bits))])
    title = "Fig. 1, (2^17, 45 moduli), 2^8 x 2^9, us"
    return section(title, ["", *names, "fast engine (Shoup)"], body)


def others(f: Figures) -> str:
    body = []
    for k in range(1, 5):
        memories = [f.radix(k, twiddle_memory=m) for m in ("global", "read_only", "constant")]
        stockham = f.radix(k, kind="stockham")
        body.append([str(1 << k), *map(number, memories), number(stockham)])
    header = ["radix", "twiddles global", "read-only", "constant + read-only", "Stockham"]
    text = section("Section V, 2^17 points, 21 moduli, us", header, body)
    bases = [4, 6, 8, 10, 12, 14]
    cells = [[number(_us(f.pairs(3, s, log_base=b).get(8))) for b in bases] for s in (1, 2)]
    body = [["last stage", *cells[0]], ["last two", *cells[1]]]
    return text + "\n" + section("Base of OT, 2^8 x 2^9", ["", *(f"2^{b}" for b in bases)], body)


def statements(f: Figures) -> list[Row]:
    """The paper's conclusions against this card; a gain holds if at least half of it is seen."""
    found = _statements_radix(f) + _statements_shared(f) + _statements_fly(f)
    return [s for s in found if "nan" not in s["ours"] and "None" not in s["ours"]]


def _ratio(a: float | None, b: float | None) -> float:
    return a / b if a and b else float("nan")


def _statements_radix(f: Figures) -> list[Row]:
    native = _ratio(_multiplication(f, "native", 60, 45), _multiplication(f, "shoup", 60, 45))
    native32 = _ratio(_multiplication(f, "native", 30, 45), _multiplication(f, "shoup", 30, 45))
    words = _ratio(_multiplication(f, "shoup", 30, 40), _multiplication(f, "shoup", 60, 20))
    alone = f.radix(1, 17, 1)
    batching = _ratio(None if alone is None else 21 * alone, f.radix(1))
    best = min(range(1, 8), key=lambda k: f.radix(k) or float("inf"))
    gains = [_ratio(f.radix(1, n), f.radix(4, n)) for n in (16, 17)]
    dft = min(range(1, 8), key=lambda k: f.radix(k, multiplication="complex") or float("inf"))
    stockham = _ratio(f.radix(4, kind="stockham"), f.radix(4))
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
            f"radix {1 << best} is; radix 16 is {_mean(gains):.2f} times radix 2",
            best == 4,
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
    coalescing, preloading = _gain(apart, merged), _gain(merged, f.one_sync(True, True))
    by_points = {p: _times(f.pairs(p)) for p in (1, 2, 3, 4)}
    four, eight = _gain(by_points[1], by_points[2]), _gain(by_points[2], by_points[3])
    registers = min((f.radix(k) or float("inf") for k in range(1, 8)), default=float("inf"))
    worst = max((t for times in by_points.values() for t in times.values()), default=float("nan"))
    dft = {p: _times(f.pairs(p, multiplication="complex")) for p in (1, 2, 3)}
    spread = {n: _times(f.pairs(3, 0, n)) for n in (14, 15, 16)}
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
        ),
        statement(
            "Fig. 11 b",
            "the DFT is fastest with 8 points a thread, slowest with 2",
            f"4 over 2: {_gain(dft[1], dft[2]):.1f} %, 8 over 4: {_gain(dft[2], dft[3]):.1f} %",
            _gain(dft[1], dft[2]) > 0 and _gain(dft[2], dft[3]) > 0,
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
    gain = 100 * (_mean([_ratio(plain[n], flying[n]) for n in plain]) - 1)
    saved = []
    for log_n in range(14, 18):
        kept = [f.pairs(3, fly, log_n, counted=True) for fly in (0, 1)]
        shares = [1 - kept[1][k]["read_bytes"] / kept[0][k]["read_bytes"] for k in kept[1]]
        saved.append(100 * _mean(shares))
    total = _mean([_ratio(f.radix(1, n), flying[n]) for n in plain])
    each = [_us(f.pairs(3, 0, 17, limbs, bits=60).get(8)) for limbs in (21, 45)]
    linear = _ratio(each[1], each[0]) / (45 / 21)
    return [
        statement(
            "Fig. 12 b",
            "twiddles on the fly: 9.3 % faster on average (10.1, 9.2, 9.8, 8.1 %, 2^14 ... 2^17)",
            f"{gain:.1f} % on average ("
            + ", ".join(f"{100 * (_ratio(plain[n], flying[n]) - 1):.1f}" for n in plain)
            + " %)",
            gain > 9.3 / 2,
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
        ),
        statement(
            "Fig. 13",
            "time is proportional to the number of moduli beyond 21",
            f"45 moduli take {linear:.2f} of 45/21 times the time of 21",
            0.9 < linear < 1.1,
        ),
    ]


def report(results: Results) -> str:
    """Every table, then the statements."""
    f = Figures(results)
    parts = [heading(results), ""]
    parts += [multiplications(f), batches(f), radices(f), first_kernels(f), splits(f)]
    parts += [on_the_fly(f), moduli(f), others(f), table_ii(f), statements_text(statements(f))]
    return "\n".join(parts)


def plot(results: Results, path: Path) -> None:
    """Radices, splits, batches and Table II in one figure."""
    from matplotlib import pyplot

    f = Figures(results)
    figure, axes = pyplot.subplots(2, 3, figsize=(16, 9), layout="constrained")
    _plot_radices(f, axes[0, 0], axes[0, 1])
    _plot_first(f, axes[0, 2])
    _plot_splits(f, axes[1, 0])
    _plot_moduli(f, axes[1, 1])
    _plot_table(f, axes[1, 2])
    for axis in axes.flat:
        axis.legend(fontsize=7)
        axis.set_ylabel("us")
        axis.grid(alpha=0.3)
    gpu = (results.get("gpu") or {}).get("name", "")
    figure.suptitle(f"[Kim20] on {gpu}", fontsize=11)
    figure.savefig(path, dpi=90)
    pyplot.close(figure)


def _plot_radices(f: Figures, ntt: Any, dft: Any) -> None:
    radix = [1 << k for k in range(1, 8)]
    for axis, name, title in ((ntt, "shoup", "Fig. 4: NTT"), (dft, "complex", "Fig. 5: DFT")):
        for log_n in (16, 17):
            times = [f.radix(k, log_n, multiplication=name) for k in range(1, 8)]
            axis.plot(radix, times, marker="o", label=f"2^{log_n} x {LIMBS}")
        axis.set_xscale("log", base=2)
        axis.set_ylim(bottom=0)
        axis.set_title(f"{title}, radix in registers", fontsize=10)


def _plot_first(f: Figures, axis: Any) -> None:
    kinds = (("not coalesced", False, False), ("coalesced", True, False), ("preloaded", True, True))
    for label, coalesced, preload in kinds:
        times = f.one_sync(coalesced, preload)
        keys = sorted(times)
        axis.plot([1 << k for k in keys], [times[k] for k in keys], marker="o", label=label)
    axis.set_xscale("log", base=2)
    axis.set_title("Figs. 7, 9: first kernel, by radix", fontsize=10)


def _plot_splits(f: Figures, axis: Any) -> None:
    for points, fly, label in (
        (1, 0, "2 points"),
        (2, 0, "4 points"),
        (3, 0, "8 points"),
        (4, 0, "16 points"),
        (3, 1, "8 points, OT 1"),
        (3, 2, "8 points, OT 2"),
    ):
        times = _times(f.pairs(points, fly))
        axis.plot(list(times), list(times.values()), marker="o", label=label)
    axis.set_xlabel("log2 of the first radix")
    axis.set_title("Fig. 11: two kernels, 2^17 x 21", fontsize=10)


def _plot_moduli(f: Figures, axis: Any) -> None:
    for fly, label in ((0, "SMEM"), (1, "SMEM + OT")):
        points = []
        for limbs in sorted({row["limbs"] for row in f.rows}):
            row = f.pairs(3, fly, 17, limbs, bits=60).get(8)
            if row is not None:
                points.append((limbs, row["median_ns"] / 1e3))
        if points:
            axis.plot(*zip(*points, strict=True), marker="o", label=label)
    axis.set_xlabel("moduli of 60 bits")
    axis.set_title("Fig. 13: 2^17, 2^8 x 2^9", fontsize=10)


def _plot_table(f: Figures, axis: Any) -> None:
    sizes = list(TABLE_II)
    axis.plot(sizes, [TABLE_II[n][2] for n in sizes], "k--", marker="o", label="paper, SMEM + OT")
    series = {
        "radix 2": [f.radix(1, n) for n in sizes],
        "SMEM": [f.best(0, n) for n in sizes],
        "SMEM + OT": [f.best(1, n) for n in sizes],
        "fast engine": [engine_us(f.results, n, LIMBS, 60) for n in sizes],
    }
    for label, times in series.items():
        points = [(n, t) for n, t in zip(sizes, times, strict=True) if t is not None]
        if points:
            axis.plot(*zip(*points, strict=True), marker="o", label=label)
    axis.set_yscale("log")
    axis.set_xlabel("log2 n")
    axis.set_title("Table II, 21 moduli", fontsize=10)
