# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: each figure and table beside ours, as text."""

from __future__ import annotations

from .._gpu import engine_us, number, section
from .figures import LIMBS, TABLE_II, Figures, multiplication_us, time_us, times_us


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
            ntt = [number(time_us(kept)), registers, local, *_counters(f, k, log_n, "shoup")]
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
    columns = [times_us(f.pairs(p, fly, multiplication=name)) for p, fly, name in kinds]
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
            cells = [number(time_us(row)), number(time_us(flying))]
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
        cells = [number(time_us(plain)), number(time_us(flying)), number(engine)]
        body.append([str(limbs), str(60 * limbs), *cells])
    header = ["moduli", "log2 Q", "SMEM", "SMEM + OT", "fast engine"]
    return section("Fig. 13, 2^8 x 2^9, moduli of 60 bits, us", header, body)


def multiplications(f: Figures) -> str:
    names = ("shoup", "native", "barrett", "montgomery")
    body = []
    for bits in (30, 60):
        cells = [number(multiplication_us(f, name, bits, 45)) for name in names]
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
    cells = [[number(time_us(f.pairs(3, s, log_base=b).get(8))) for b in bases] for s in (1, 2)]
    body = [["last stage", *cells[0]], ["last two", *cells[1]]]
    return text + "\n" + section("Base of OT, 2^8 x 2^9", ["", *(f"2^{b}" for b in bases)], body)
