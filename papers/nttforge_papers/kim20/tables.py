# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: each figure and table beside ours."""

from __future__ import annotations

from .._gpu import engine_us
from .._sections import Section, key, method, number, other, ours, paper, said
from .figures import LIMBS, TABLE_II, Figures, multiplication_us, time_us, times_us

_OURS = "fast engine"


def table_ii(f: Figures) -> Section:
    body = []
    for log_n, printed in TABLE_II.items():
        radix2, plain = f.radix(1, log_n), f.best(0, log_n)
        flying = min((t for t in (f.best(1, log_n), f.best(2, log_n)) if t), default=None)
        engine = engine_us(f.results, log_n, LIMBS, 60)
        ratio = printed[2] / engine if engine else None
        here = [number(radix2), number(plain), number(flying), number(engine), number(ratio)]
        body.append([str(log_n), *map(said, printed), *here])
    groups = [
        key("log2 n"),
        paper("paper", "radix 2", "SMEM", "SMEM + OT"),
        method("here", "radix 2", "SMEM", "SMEM + OT"),
        ours("", _OURS, "x paper's best"),
    ]
    return Section("Table II, 21 moduli of 60 bits, µs (paper: Titan V)", groups, body)


def _counters(f: Figures, k: int, log_n: int, multiplication: str) -> list[str]:
    row = f.pick(f.counted, k, log_n, LIMBS, multiplication=multiplication)
    if row is None:
        return ["-"] * 3
    megabytes = (row["read_bytes"] + row["written_bytes"]) / 1e6
    return [number(megabytes, 0), number(row["dram_percent"]), number(row["occupancy_percent"])]


def radices(f: Figures) -> Section:
    body = []
    for log_n in (16, 17):
        for k in range(1, 8):
            kept = f.pick(f.rows, k, log_n, LIMBS)
            kernel = {} if kept is None else kept["kernels"][0]
            registers, local = (number(kernel.get(k), 0) for k in ("registers", "local_bytes"))
            ntt = [number(time_us(kept)), registers, local, *_counters(f, k, log_n, "shoup")]
            dft = [number(f.radix(k, log_n, multiplication="complex"))]
            body.append([str(log_n), str(1 << k), *ntt, *dft, *_counters(f, k, log_n, "complex")])
    counters = ("DRAM MB", "DRAM %", "occupancy %")
    groups = [
        key("log2 n", "radix"),
        method("NTT", "µs", "registers", "spilled B", *counters),
        method("DFT", "µs", *counters),
    ]
    return Section("Figs. 4 and 5, radix in registers, 21 transforms", groups, body)


def batches(f: Figures) -> Section:
    cufft = {(r["log_n"], r["limbs"]): r["median_ns"] / 1e3 for r in f.results["cufft"]}
    body = []
    for limbs in (1, 2, 3, 5, 7, 10, 14, 21):
        ntt, dft = f.radix(1, 17, limbs), f.radix(1, 17, limbs, multiplication="complex")
        each = [None if t is None else t / limbs for t in (ntt, dft)]
        fft = cufft.get((17, limbs))
        cells = [number(ntt), number(each[0]), number(dft), number(each[1]), number(fft)]
        body.append([str(limbs), *cells])
    groups = [
        key("batch"),
        method("NTT", "µs", "each"),
        method("DFT", "µs", "each"),
        other("", "cuFFT µs"),
    ]
    return Section("Fig. 3, radix 2, 2^17 points", groups, body)


def first_kernels(f: Figures) -> Section:
    apart, merged = f.one_sync(False, False), f.one_sync(True, False)
    preloaded = f.one_sync(True, True)
    body = [
        [str(1 << k), number(apart.get(k)), number(merged[k]), number(preloaded.get(k))]
        for k in sorted(merged)
    ]
    names = ("not coalesced", "coalesced", "coalesced and preloaded")
    title = "Figs. 7 and 9, first kernel alone, 2^17 points, 21 moduli, µs"
    return Section(title, [key("radix"), method("", *names)], body)


def splits(f: Figures) -> Section:
    kinds = [(p, 0, "shoup") for p in (1, 2, 3, 4)] + [(3, 1, "shoup"), (3, 2, "shoup")]
    kinds += [(p, 0, "complex") for p in (1, 2, 3, 4)]
    columns = [times_us(f.pairs(p, fly, multiplication=name)) for p, fly, name in kinds]
    body = [
        [f"{1 << k} x {1 << (17 - k)}", *(number(column.get(k)) for column in columns)]
        for k in range(6, 12)
    ]
    groups = [
        key("N1 x N2"),
        method("points a thread", "2", "4", "8", "16"),
        method("8 points", "OT 1", "OT 2"),
        method("DFT, points", "2", "4", "8", "16"),
    ]
    return Section("Fig. 11, two kernels, 2^17 points, 21, µs", groups, body)


def on_the_fly(f: Figures) -> Section:
    body = []
    for log_n in range(14, 18):
        for k, row in sorted(f.pairs(3, 0, log_n).items()):
            flying = f.pairs(3, 1, log_n).get(k)
            counts = [f.pairs(3, fly, log_n, counted=True).get(k) for fly in (0, 1)]
            cells = [number(time_us(row)), number(time_us(flying))]
            for name, digits in (("read_bytes", 1), ("dram_percent", 1)):
                scale = 1e6 if name == "read_bytes" else 1
                cells += [number(c[name] / scale if c else None, digits) for c in counts]
            body.append([str(log_n), f"{1 << k} x {1 << (log_n - k)}", *cells])
    groups = [
        key("log2 n", "N1 x N2"),
        method("", "µs", "with OT"),
        method("", "DRAM read MB", "with OT"),
        method("", "DRAM %", "with OT"),
    ]
    return Section("Fig. 12, eight points a thread, OT in the last stage", groups, body)


def moduli(f: Figures) -> Section:
    body = []
    for limbs in sorted({row["limbs"] for row in f.rows}):
        plain = f.pairs(3, 0, 17, limbs, bits=60).get(8)
        flying = f.pairs(3, 1, 17, limbs, bits=60).get(8)
        if plain is None or flying is None:
            continue
        engine = engine_us(f.results, 17, limbs, 60)
        cells = [number(time_us(plain)), number(time_us(flying)), number(engine)]
        body.append([str(limbs), str(60 * limbs), *cells])
    groups = [key("moduli", "log2 Q"), method("", "SMEM", "SMEM + OT"), ours("", _OURS)]
    return Section("Fig. 13, 2^8 x 2^9, moduli of 60 bits, µs", groups, body)


def multiplications(f: Figures) -> Section:
    names = ("shoup", "native", "barrett", "montgomery")
    body = []
    for bits in (30, 60):
        cells = [number(multiplication_us(f, name, bits, 45)) for name in names]
        body.append([f"{bits}-bit", *cells, number(engine_us(f.results, 17, 45, bits))])
    groups = [key("moduli"), method("", *names), ours("", f"{_OURS} (Shoup)")]
    return Section("Fig. 1, (2^17, 45 moduli), 2^8 x 2^9, µs", groups, body)


def memories(f: Figures) -> Section:
    body = []
    for k in range(1, 5):
        kinds = [f.radix(k, twiddle_memory=m) for m in ("global", "read_only", "constant")]
        stockham = f.radix(k, kind="stockham")
        body.append([str(1 << k), *map(number, kinds), number(stockham)])
    names = ("global", "read-only", "constant + read-only")
    groups = [key("radix"), method("twiddles", *names), method("", "Stockham")]
    return Section("Section V, 2^17 points, 21 moduli, µs", groups, body)


def bases(f: Figures) -> Section:
    kinds = [4, 6, 8, 10, 12, 14]
    cells = [[number(time_us(f.pairs(3, s, log_base=b).get(8))) for b in kinds] for s in (1, 2)]
    body = [["last stage", *cells[0]], ["last two", *cells[1]]]
    groups = [key("OT in"), method("base", *(f"2^{b}" for b in kinds))]
    return Section("Base of OT, 2^8 x 2^9, µs", groups, body)


#: Every table that the command prints, in its order.
SECTIONS = (
    multiplications,
    batches,
    radices,
    first_kernels,
    splits,
    on_the_fly,
    moduli,
    memories,
    bases,
    table_ii,
)
