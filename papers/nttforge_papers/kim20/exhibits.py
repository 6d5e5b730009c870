# SPDX-License-Identifier: Apache-2.0
"""[Kim20] for the report: every figure and table that can be measured, in the paper's order."""

from __future__ import annotations

from typing import Any

from .._exhibits import (
    Chart,
    Documents,
    Exhibit,
    Make,
    Series,
    about,
    chart,
    columns_of,
    headline,
    printed,
)
from .._gpu import engine_us
from .._sections import Section, key, method, number, paper, said
from .._traced import of_paper
from . import tables
from .figures import LIMBS, TABLE_II, Figures, multiplication_us, time_us, times_us
from .statements import statements

EMPTY: dict[str, Any] = {"rows": [], "profile": [], "engine": [], "cufft": []}
_PLOT_ONLY = "What the paper plots without printing it is not compared: its text has these figures."


def exhibits(documents: Documents) -> list[Exhibit]:
    """Figs. 1, 3, 4, 5, 7, 8, 9, 11, 12, 13 and Table II."""
    f = Figures(documents.get("kim20", EMPTY))
    judged = statements(f)

    def exhibit(name: str, shows: str, top: tuple[str, str, str], **more: Any) -> Exhibit:
        places = (
            name,
            f"{name} a",
            f"{name} b",
            f"{name} c",
            *(["IV"] if name == "Fig. 1" else []),
        )
        found = about(judged, *places)
        more.setdefault("missing", (_PLOT_ONLY,))
        line = headline(*top)
        return Exhibit("kim20", name, shows, line, statements=found, **more)

    return [
        _fig_1(f, exhibit),
        _fig_3(f, exhibit),
        *_figs_4_5(f, exhibit),
        *_first_kernels(f, exhibit),
        _fig_11(f, exhibit),
        _fig_12(f, exhibit),
        _fig_13(f, exhibit),
        _table_ii(f, exhibit),
    ]


def _us(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1f} µs"


def _fig_1(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.multiplications(f)
    native, shoup = (multiplication_us(f, m, 60, 45) for m in ("native", "shoup"))
    top = (
        f"Shoup's product {of_paper(2.4)} × as fast as native modulo",
        f"{_us(shoup)} against {_us(native)}",
        _us(engine_us(f.results, 17, 45, 60)),
    )
    return exhibit(
        "Fig. 1",
        "A transform of 2^17 points and 45 moduli with four ways of multiplying modulo a prime.",
        top,
        sections=[
            printed([("Shoup's product over the native modulo", 2.4, "times as fast")]),
            section,
        ],
        charts=[
            chart(
                "By multiplication",
                section,
                0,
                [(1, "Shoup"), (2, "native"), (3, "Barrett"), (4, "Montgomery"), (5, "ours")],
                ("moduli", "µs"),
            )
        ],
    )


def _fig_3(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.batches(f)
    alone, all_21 = f.radix(1, 17, 1), f.radix(1)
    top = (
        f"{of_paper(2751.5)} µs one by one, {of_paper(1426.4)} µs in a batch of 21",
        f"{_us(None if alone is None else 21 * alone)}, {_us(all_21)}",
        _us(engine_us(f.results, 17, LIMBS, 60)),
    )
    return exhibit(
        "Fig. 3",
        "Time of radix-2 transforms of 2^17 points by the size of the batch, NTT and DFT.",
        top,
        sections=[
            printed(
                [
                    ("21 NTTs, one by one", 2751.5, "µs"),
                    ("21 NTTs in a batch", 1426.4, "µs"),
                    ("gain by batching NTTs", 1.92, "times"),
                    ("memory bandwidth used by the batch", 564.4, "GB/s"),
                    ("of the card's peak", 86.7, "%"),
                    ("gain by batching DFTs", 1.84, "times"),
                ]
            ),
            section,
        ],
        charts=[
            chart(
                "Time for each transform of the batch",
                section,
                0,
                [(2, "NTT"), (4, "DFT")],
                ("batch", "µs each"),
            )
        ],
    )


def _figs_4_5(f: Figures, exhibit: Make) -> list[Exhibit]:
    both = tables.radices(f)
    ntt = columns_of(both, [*range(8)], "Fig. 4, NTT, radix in registers, 21 transforms")
    dft = columns_of(both, [0, 1, *range(8, 12)], "Fig. 5, DFT, radix in registers, 21 transforms")
    charts = {}
    for name, section in (("NTT", ntt), ("DFT", dft)):
        series: list[Series] = []
        for i, log_n in enumerate((16, 17)):
            rows = range(7 * i, 7 * i + 7)
            by_radix = chart("", section, 1, [(2, f"2^{log_n}")], ("", ""), rows=rows)
            series += by_radix.series
        charts[name] = Chart(f"{name} by radix", "radix", "µs", series, "x")
    best = min((t for t in (f.radix(k) for k in range(1, 8)) if t), default=None)
    best_dft = min(
        (t for t in (f.radix(k, multiplication="complex") for k in range(1, 8)) if t), default=None
    )
    top = (
        f"radix 16 is best, {of_paper(566)} µs at 2^17",
        f"{_us(f.radix(4))}; best radix {_us(best)}",
        _us(engine_us(f.results, 17, LIMBS, 60)),
    )
    fourth = exhibit(
        "Fig. 4",
        "NTT with radix 2 to 128 in registers: time, DRAM traffic, bandwidth and occupancy.",
        top,
        sections=[
            printed(
                [
                    ("radix 16, 2^17 points, 21 moduli", 566, "µs"),
                    ("radix 16 over radix 2, on average", 2.41, "times as fast"),
                    ("DRAM accesses saved by radix 32 over 16", 15.5, "%"),
                    ("bandwidth used with radix 32", 59.9, "%"),
                ]
            ),
            ntt,
        ],
        charts=[charts["NTT"]],
    )
    top = (f"radix 32 is best, {of_paper(364.2)} µs at 2^17",
           f"{_us(f.radix(5, multiplication='complex'))}; best radix {_us(best_dft)}",
           "no DFT in the library")  # fmt: skip
    fifth = exhibit(
        "Fig. 5",
        "The same for the complex DFT of single precision, which needs fewer registers.",
        top,
        sections=[
            printed(
                [
                    ("radix 32, 2^17 points, 21 transforms", 364.2, "µs"),
                    ("occupancy of the NTT lower than the DFT's, radix 32", 31.2, "%"),
                ]
            ),
            dft,
        ],
        charts=[charts["DFT"]],
    )
    return [fourth, fifth]


def _first_kernels(f: Figures, exhibit: Make) -> list[Exhibit]:
    section = tables.first_kernels(f)
    columns = ((1, "not coalesced"), (2, "coalesced"), (3, "coalesced and preloaded"))
    kernels = [f.one_sync(*how) for how in ((False, False), (True, False), (True, True))]
    apart, merged, preloaded = (times.get(10) for times in kernels)
    whole = "part of a transform: no figure of its own"
    seventh = exhibit(
        "Fig. 7",
        "The first of two kernels with and without coalesced accesses, by its radix.",
        (
            f"coalescing {of_paper(21.6)} % faster on average",
            f"radix 1024: {_us(apart)} against {_us(merged)}",
            whole,
        ),
        sections=[
            printed([("gain by coalescing, on average", 21.6, "%")]),
            columns_of(section, [0, 1, 2], "Fig. 7, first kernel, 2^17 points, 21 moduli, µs"),
        ],
        charts=[chart("First kernel", section, 0, columns[:2], ("radix", "µs"), "x")],
    )
    eighth = exhibit(
        "Fig. 8",
        "How large the table of twiddles is beside the data, stage by stage; computed.",
        (
            "table doubles each stage, as large as the data in the last",
            "computed: the same",
            "ours can make the last stages' twiddles from two small tables",
        ),
        sections=[_table_sizes()],
        missing=("Nothing is measured here: sizes follow from the algorithm.",),
    )
    ninth = exhibit(
        "Fig. 9",
        "The first kernel with its twiddles preloaded to shared memory, by its radix.",
        (
            f"preloading {of_paper(8.4)} % faster on average",
            f"radix 1024: {_us(merged)} against {_us(preloaded)}",
            whole,
        ),
        sections=[
            printed([("gain by preloading, on average", 8.4, "%")]),
            columns_of(section, [0, 2, 3], "Fig. 9, first kernel, 2^17 points, 21 moduli, µs"),
            tables.memories(f),
        ],
        charts=[chart("First kernel", section, 0, columns[1:], ("radix", "µs"), "x")],
    )
    return [seventh, eighth, ninth]


def _table_sizes(log_n: int = 17) -> Section:
    """Stage by stage: 2^s factors, each with its quotient, beside n words of data."""
    body = [
        [str(s + 1), number(2 << s, 0), number(100 * 2.0 ** (s + 1 - log_n), 3)]
        for s in range(log_n)
    ]
    groups = [key("stage"), method("computed", "words of the table", "% of the data")]
    return Section(f"Fig. 8, n = 2^{log_n}: table of a stage beside the data", groups, body)


def _fig_11(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.splits(f)
    names = ["2 points", "4 points", "8 points", "16 points", "8 points, OT 1", "8 points, OT 2"]
    best = min((t for t in times_us(f.pairs(3)).values()), default=None)
    return exhibit(
        "Fig. 11",
        "Two kernels through shared memory by their split and the points of a thread: NTT, DFT, "
        "and NTT with twiddles on the fly (OT).",
        (
            f"4 points {of_paper(30.1)} % faster than 2; all faster than registers",
            f"best split {_us(best)}",
            _us(engine_us(f.results, 17, LIMBS, 60)),
        ),
        sections=[
            printed(
                [
                    ("4 points a thread over 2", 30.1, "% faster"),
                    ("best radix in registers, NTT", 566, "µs"),
                    ("best radix in registers, DFT", 364.2, "µs"),
                ]
            ),
            section,
            tables.bases(f),
        ],
        charts=[
            chart("NTT", section, 0, list(enumerate(names, 1)), ("N1 × N2", "µs")),
            chart(
                "DFT",
                section,
                0,
                [(7, "2 points"), (8, "4 points"), (9, "8 points"), (10, "16 points")],
                ("N1 × N2", "µs"),
            ),
        ],
    )


def _fig_12(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.on_the_fly(f)
    plain, flying = f.best(0), min((t for t in (f.best(1), f.best(2)) if t), default=None)
    saved = {14: 24.5, 15: 23.5, 16: 24.5, 17: 25.1}
    gains = {14: 10.1, 15: 9.2, 16: 9.8, 17: 8.1}
    spread = {14: 16.3, 15: 15.7, 16: 7.5}
    rows = [(f"DRAM accesses saved by OT, 2^{n}", v, "%") for n, v in saved.items()]
    rows += [(f"gain by OT, 2^{n}", v, "% faster") for n, v in gains.items()]
    rows += [("gain by OT, on average", 9.3, "% faster")]
    rows += [("DRAM bandwidth used less with OT, on average", 16.7, "%")]
    rows += [(f"spread of the splits, 2^{n}", v, "%") for n, v in spread.items()]
    return exhibit(
        "Fig. 12",
        "Twiddles on the fly in the last stage: time of every split, DRAM reads and bandwidth.",
        (
            f"OT {of_paper(9.3)} % faster, a quarter less DRAM",
            f"{_us(plain)} without, {_us(flying)} with, at 2^17",
            _us(engine_us(f.results, 17, LIMBS, 60)),
        ),
        sections=[printed(rows), section],
        charts=[
            chart(
                f"n = 2^{n}",
                section,
                1,
                [(2, "without OT"), (3, "with OT")],
                ("N1 × N2", "µs"),
                rows=[i for i, row in enumerate(section.body) if row[0] == str(n)],
            )
            for n in (16, 17)
            if section.body
        ],
    )


def _fig_13(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.moduli(f)
    plain = [time_us(f.pairs(3, 0, 17, limbs, bits=60).get(8)) for limbs in (21, 45)]
    return exhibit(
        "Fig. 13",
        "Time of the best split by the number of moduli, n = 2^17.",
        (
            "linear in the number of moduli beyond 21",
            f"{_us(plain[0])} at 21, {_us(plain[1])} at 45 moduli",
            f"{_us(engine_us(f.results, 17, 21, 60))}, {_us(engine_us(f.results, 17, 45, 60))}",
        ),
        sections=[section],
        charts=[
            chart(
                "By number of moduli",
                section,
                0,
                [(2, "shared memory"), (3, "with OT"), (4, "ours")],
                ("moduli", "µs"),
            )
        ],
        missing=("The paper plots this figure without printing a number of it.",),
    )


def _table_ii(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.table_ii(f)
    speedups = {14: (3.4, 3.8), 15: (3.7, 4.0), 16: (4.0, 4.4), 17: (4.3, 4.7)}
    body = [[str(n), *(said(v) for v in pair)] for n, pair in speedups.items()]
    ratios = Section(
        "Table II, the paper's speed-ups over radix 2",
        [key("log2 n"), paper("", "SMEM", "SMEM + OT")],
        body,
    )
    flying = min((t for t in (f.best(1), f.best(2)) if t), default=None)
    names = ["paper: radix 2", "paper: SMEM", "paper: SMEM + OT"]
    names += ["radix 2, here", "SMEM, here", "SMEM + OT, here", "ours"]
    return exhibit(
        "Table II",
        "Radix 2, two kernels through shared memory, and those with twiddles on the fly, by n.",
        (
            f"{of_paper(TABLE_II[17][2])} µs at 2^17 (Titan V)",
            _us(flying),
            _us(engine_us(f.results, 17, LIMBS, 60)),
        ),
        sections=[section, ratios],
        charts=[
            chart(
                "21 moduli of 60 bits", section, 0, list(enumerate(names, 1)), ("log2 n", "µs"), "y"
            )
        ],
        missing=(
            "The paper's Titan V is not here: its columns are the paper's own figures.",
            "The factors 6.56 and 6.48 over [20] at 36 and 42 moduli compare with an FPGA design "
            "of others, which is not here.",
        ),
    )
