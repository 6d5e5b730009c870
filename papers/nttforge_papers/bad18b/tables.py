# SPDX-License-Identifier: Apache-2.0
"""[Bad18b]: each table and figure beside ours: the paper, its method here, ours."""

from __future__ import annotations

from .._sections import Section, key, method, number, other, ours, paper, said
from .figures import (
    SAMPLERS,
    SETS,
    TABLE_1,
    TABLE_2,
    TABLE_5,
    TABLE_5_FACTORS,
    TABLES_6_7,
    Figures,
)


def ms(us: float | None, digits: int = 4) -> str:
    return number(None if us is None else us / 1e3, digits)


def _ratio(a: float | None, b: float | None) -> str:
    return number(a / b, 2) if a and b else "-"


def table_1(f: Figures) -> Section:
    body = []
    for count, printed in TABLE_1.items():
        cells = [str(count), *(said(t, 3 + i // 2) for i, t in enumerate(printed))]
        for where in ("cpu", "cuda"):
            cells += [ms(f.reduction(count, where, v)) for v in ("native", "nfllib", "ours")]
        body.append(cells)
    groups = [key("N"), paper("paper", "CPU %", "CPU NFLlib", "K80 %", "K80 NFLlib")]
    for where in ("CPU", "card"):
        groups += [method(f"{where} here", "%", "NFLlib"), ours("", "ours")]
    return Section("Table 1, N integers of 62 bits modulo a 30-bit prime, ms", groups, body)


def table_2(f: Figures) -> Section:
    variants = ("classic, division", "classic, subtractions", "paper", "ours")
    body = []
    for log2_q, printed in TABLE_2.items():
        cells = [str(log2_q), *(said(t, 4) for t in printed)]
        for where in ("cuda", "cpu"):
            cells += [ms(f.reconstruction(log2_q, where, v)) for v in variants]
        body.append(cells)
    names = ("division", "subtractions", "Garner")
    groups = [key("log2 q"), paper("K80", *names)]
    for where in ("card", "CPU"):
        groups += [method(f"{where} here", *names), ours("", "ours")]
    return Section("Table 2, CRT reconstruction of 8192 coefficients, ms", groups, body)


def table_5_printed(f: Figures) -> Section:
    """The paper's own figures."""
    body = [
        [operation, str(n), *(said(t, 3) for t in printed)]
        for operation, rows in TABLE_5.items()
        for n, printed in rows.items()
    ]
    names = ("P100", "K80", "K80 + CPU rounding", "SEAL 2.3", "NFLlib")
    groups = [key("procedure", "n"), paper("", *names)]
    return Section("Table 5, the paper's figures, ms", groups, body)


def table_5_factors() -> Section:
    """The paper's own speed-ups: each follows from its times, to the digits that it prints."""
    body = [
        [operation, str(n), *(said(factor, 2) for factor in factors)]
        for operation, rows in TABLE_5_FACTORS.items()
        for n, factors in zip(SETS, rows, strict=True)
    ]
    names = ("P100 over K80", "K80 over K80 + CPU rounding", "P100 over SEAL 2.3")
    groups = [key("procedure", "n"), paper("", *names, "P100 over NFLlib")]
    return Section("Table 5, the paper's speed-ups", groups, body)


def table_5(f: Figures) -> Section:
    body = []
    for operation, rows in TABLE_5.items():
        for n, printed in rows.items():
            seal = f.seal(n, operation)
            cells = [ms(f.scheme(n, "cuda", "paper", operation))]
            cells += [ms(f.scheme(n, "cuda", "paper with NTT", operation))]
            cells += [ms(f.scheme(n, "cuda", "textbook", operation))]
            cells += [ms(f.scheme(n, "cuda", "textbook, rounding on host", operation), 2)]
            cells += [ms(f.scheme(n, "cpu", "paper", operation), 3)]
            best = f.scheme(n, "cuda", "ours", operation)
            cells += [ms(best), ms(f.stream(n, operation))]
            cells += [ms(f.scheme(n, "cuda", "ours, 31-bit primes", operation))]
            cells += [ms(f.scheme(n, "cpu", v, operation), 3) for v in ("ours", "ours, all cores")]
            cells += [ms(seal, 3), _ratio(printed[0] * 1e3, best), _ratio(seal, best)]
            body.append([operation, str(n), *cells])
    groups = [
        key("procedure", "n"),
        method("paper's method", "card", "with NTT", "textbook", "rounding on host", "CPU"),
        ours("ours", "card", "no graph", "31-bit primes", "CPU, one core", "all cores"),
        other("", "SEAL today", "P100 / ours", "SEAL / ours"),
    ]
    return Section("Table 5, here, ms", groups, body)


def tables_6_7(f: Figures) -> Section:
    body = []
    for kernel in (*TABLES_6_7, *SAMPLERS):
        for n in SETS:
            known = TABLES_6_7[kernel][n] if kernel in TABLES_6_7 else (None, None)
            printed = [said(t, 3) for t in known]
            cells = []
            for where in ("cuda", "cpu"):
                times = [f.kernel(n, where, v, kernel) for v in ("paper", "ours")]
                cells += [*map(ms, times), _ratio(*times)]
            body.append([kernel, str(n), *printed, *cells])
    groups = [key("kernel", "n"), paper("paper", "K80", "P100")]
    for where in ("card", "CPU"):
        groups += [method(where, "paper's"), ours("", "ours", "ratio")]
    return Section("Tables 6 and 7, core kernels, ms (ours of DGT: NTT)", groups, body)


def figure_2(f: Figures) -> Section:
    body = []
    for operation in ("decrypt", "multiply + relinearize"):
        for n in SETS:
            cells = []
            for where in ("cpu", "cuda"):
                times = [f.scheme(n, where, v, operation) for v in ("textbook", "paper", "ours")]
                cells += [ms(t, 3) for t in times] + [_ratio(times[0], times[1])]
            body.append([operation, str(n), *cells])
    groups = [key("procedure", "n")]
    for where in ("CPU", "card"):
        groups += [method(where, "textbook", "RNS"), ours("", "ours")]
        groups += [method("", "textbook / RNS")]
    return Section("Fig. 2, textbook FV against RNS FV, ms", groups, body)


def figure_4(f: Figures) -> Section:
    title = "Fig. 4, power and utilisation during multiplications (paper: K80 62 ... 148 W)"
    body = []
    for variant in ("idle", "paper", "ours"):
        for row in f.load(variant):
            cells = [number(row[k]) for k in ("watts", "gpu_percent", "memory_percent")]
            body.append([variant, str(row["n"] or ""), *cells, number(row["samples"], 0)])
    groups = [key("method", "n"), method("", "W", "GPU busy %", "memory busy %", "samples")]
    return Section(title, groups, body)
