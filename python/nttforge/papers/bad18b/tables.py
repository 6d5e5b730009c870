# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: each table and figure beside ours, as text: the paper, its method here, ours."""

from __future__ import annotations

from .._gpu import number, section
from .figures import SAMPLERS, SETS, TABLE_1, TABLE_2, TABLE_5, TABLES_6_7, Figures


def ms(us: float | None, digits: int = 4) -> str:
    return number(None if us is None else us / 1e3, digits)


def _ratio(a: float | None, b: float | None) -> str:
    return number(a / b, 2) if a and b else "-"


def table_1(f: Figures) -> str:
    body = []
    for count, paper in TABLE_1.items():
        cells = [str(count), *(f"{t:g}" for t in paper)]
        for where in ("cpu", "cuda"):
            cells += [ms(f.reduction(count, where, v)) for v in ("native", "nfllib", "ours")]
        body.append(cells)
    header = ["N", "paper: CPU %", "CPU NFLlib", "K80 %", "K80 NFLlib"]
    header += ["CPU here: %", "NFLlib", "ours", "card here: %", "NFLlib", "ours"]
    return section("Table 1, N integers of 62 bits modulo a 30-bit prime, ms", header, body)


def table_2(f: Figures) -> str:
    variants = ("classic, division", "classic, subtractions", "paper", "ours")
    body = []
    for log2_q, paper in TABLE_2.items():
        cells = [str(log2_q), *(f"{t:g}" for t in paper)]
        for where in ("cuda", "cpu"):
            cells += [ms(f.reconstruction(log2_q, where, v)) for v in variants]
        body.append(cells)
    here = ["division", "subtractions", "Garner", "ours"]
    header = ["log2 q", "K80: division", "subtractions", "Garner"]
    header += [f"card here: {here[0]}", *here[1:], f"CPU here: {here[0]}", *here[1:]]
    return section("Table 2, CRT reconstruction of 8192 coefficients, ms", header, body)


def table_5(f: Figures) -> str:
    paper_body, body = [], []
    for operation, rows in TABLE_5.items():
        for n, paper in rows.items():
            seal = f.seal(n, operation)
            name = [operation, str(n)]
            paper_body.append([*name, *(number(t, 3) for t in paper)])
            cells = [ms(f.scheme(n, "cuda", "paper", operation))]
            cells += [ms(f.scheme(n, "cuda", "paper with NTT", operation))]
            cells += [ms(f.scheme(n, "cuda", "textbook", operation))]
            cells += [ms(f.scheme(n, "cuda", "textbook, rounding on host", operation), 2)]
            cells += [ms(f.scheme(n, "cpu", "paper", operation), 3)]
            ours = f.scheme(n, "cuda", "ours", operation)
            cells += [ms(ours), ms(f.stream(n, operation))]
            cells += [ms(f.scheme(n, "cuda", "ours, 31-bit primes", operation))]
            cells += [ms(f.scheme(n, "cpu", v, operation), 3) for v in ("ours", "ours, all cores")]
            cells += [ms(seal, 3), _ratio(paper[0] * 1e3, ours), _ratio(seal, ours)]
            body.append([*name, *cells])
    header = ["", "n", "P100", "K80", "K80 + CPU rounding", "SEAL 2.3", "NFLlib"]
    text = section("Table 5, the paper's figures, ms", header, paper_body)
    header = ["", "n", "paper's method: card", "with NTT", "textbook", "rounding on host", "CPU"]
    header += ["ours: card", "no graph", "31-bit primes", "CPU, one core", "all cores"]
    header += ["SEAL today"]
    header += ["P100 / ours", "SEAL / ours"]
    return text + "\n" + section("Table 5, here, ms", header, body)


def tables_6_7(f: Figures) -> str:
    body = []
    for kernel in (*TABLES_6_7, *SAMPLERS):
        for n in SETS:
            known = TABLES_6_7[kernel][n] if kernel in TABLES_6_7 else (None, None)
            paper = [number(t, 3) for t in known]
            cells = []
            for where in ("cuda", "cpu"):
                times = [f.kernel(n, where, v, kernel) for v in ("paper", "ours")]
                cells += [*map(ms, times), _ratio(*times)]
            body.append([kernel, str(n), *paper, *cells])
    header = ["kernel", "n", "paper: K80", "P100", "card: paper's", "ours", "ratio"]
    header += ["CPU: paper's", "ours", "ratio"]
    return section("Tables 6 and 7, core kernels, ms (ours of DGT: NTT)", header, body)


def figure_2(f: Figures) -> str:
    body = []
    for operation in ("decrypt", "multiply + relinearize"):
        for n in SETS:
            cells = []
            for where in ("cpu", "cuda"):
                times = [f.scheme(n, where, v, operation) for v in ("textbook", "paper", "ours")]
                cells += [ms(t, 3) for t in times] + [_ratio(times[0], times[1])]
            body.append([operation, str(n), *cells])
    header = ["", "n", "CPU: textbook", "RNS", "ours", "textbook / RNS"]
    header += ["card: textbook", "RNS", "ours", "textbook / RNS"]
    return section("Fig. 2, textbook FV against RNS FV, ms", header, body)


def figure_4(f: Figures) -> str:
    load = f.results.get("load") or {}
    title = "Fig. 4, power and utilisation during multiplications (paper: K80 62 ... 148 W)"
    if "rows" not in load:
        return f"{title}\nnot measured: {load.get('why', 'it needs a card')}\n"
    body = []
    for variant in ("idle", "paper", "ours"):
        for row in f.load(variant):
            cells = [number(row[k]) for k in ("watts", "gpu_percent", "memory_percent")]
            body.append([variant, str(row["n"] or ""), *cells, str(row["samples"])])
    header = ["", "n", "W", "GPU busy %", "memory busy %", "samples"]
    return section(title, header, body)
