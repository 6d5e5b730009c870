# SPDX-License-Identifier: Apache-2.0
"""[Bad18b] for the report: Fig. 2, Tables 1, 2 and 4, Fig. 4, Tables 5, 6 and 7."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .._exhibits import (
    Chart,
    Documents,
    Exhibit,
    Make,
    about,
    chart,
    columns_of,
    headline,
    printed,
    select,
)
from .._sections import (
    Row,
    Section,
    key,
    number,
    ours,
    paper,
    said,
    statement,
)
from .._traced import of_paper
from .._verdicts import Claim
from . import tables
from .depth import TABLE_4
from .figures import TABLES_6_7, Figures
from .statements import MULTIPLY, statements

EMPTY: dict[str, Any] = {"rows": [], "peers": [], "load": None}
_CARDS = "The paper's K80 and P100 are not here: their columns are the paper's own figures."
#: Averages that the text prints: GPU over SEAL, GPU over NFLlib, in the order of Table 5.
AVERAGES = {
    "key generation": (5.37, 2.03),
    "encrypt": (7.37, 2.94),
    "decrypt": (22.22, 27.86),
    "add": (5.11, 8.53),
    "multiply + relinearize": (13.18, 18.69),
}


def exhibits(documents: Documents) -> list[Exhibit]:
    """All eight, in the paper's order."""
    f = Figures(documents.get("bad18b", EMPTY))
    judged = statements(f)

    def exhibit(
        name: str, shows: str, top: tuple[str, str, str], *places: str, **more: Any
    ) -> Exhibit:
        more.setdefault("missing", (_CARDS,))
        found = about(judged, name, *places)
        line = headline(*top)
        return Exhibit("bad18b", name, shows, line, statements=found, **more)

    return [
        _fig_2(f, exhibit),
        _table_1(f, exhibit),
        _table_2(f, exhibit),
        _table_4(documents),
        _fig_4(f, exhibit),
        _table_5(f, exhibit),
        *_kernels(f, exhibit),
    ]


def _ms(us: float | None, digits: int = 3) -> str:
    return "not measured" if us is None else f"{us / 1e3:.{digits}f} ms"


def _fig_2(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.figure_2(f)
    times = [f.scheme(16384, "cpu", v, MULTIPLY) for v in ("textbook", "paper", "ours")]
    rows = [i for i, row in enumerate(section.body) if row[0] == MULTIPLY]
    return exhibit(
        "Fig. 2",
        "Decryption and products of the textbook's scheme and of its RNS variant, on a CPU.",
        (
            "RNS dramatically faster (a plot, no figures)",
            f"{_ms(times[1], 0)}, textbook {_ms(times[0], 0)} (product, 2^14, CPU)",
            _ms(times[2], 1),
        ),
        sections=[section],
        charts=[
            chart(
                "multiply + relinearize",
                section,
                1,
                [
                    (2, "textbook, CPU"),
                    (3, "RNS, CPU"),
                    (4, "ours, CPU"),
                    (6, "textbook, card"),
                    (7, "RNS, card"),
                    (8, "ours, card"),
                ],
                ("n", "ms"),
                "xy",
                rows,
            )
        ],
        missing=(
            "The paper's bars compare SEAL 2.1 with SEAL 2.3, which are not here: both methods "
            "were written again over the same arithmetic. The paper prints none of the bars' "
            "values.",
        ),
    )


def _table_1(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.table_1(f)
    names = ("CPU", "GPU")
    speedups = {2048: (3.57, 0.96), 4096: (3.71, 0.97), 8192: (3.48, 0.98), 16384: (4.06, 0.98)}
    body = [[str(n), *(said(v, 2) for v in pair)] for n, pair in speedups.items()]
    ratios = Section("Table 1, speed-ups as printed", [key("N"), paper("", *names)], body)
    native, nfllib = (f.reduction(16384, "cuda", v) for v in ("native", "nfllib"))
    return exhibit(
        "Table 1",
        "Reducing N integers of 62 bits modulo a 30-bit prime: the native remainder and NFLlib's "
        "algorithm.",
        (
            f"{of_paper(0.0100):.4f} ms native, {of_paper(0.0102):.4f} NFLlib (2^14, K80)",
            f"{_ms(native, 4)} native, {_ms(nfllib, 4)} NFLlib",
            _ms(f.reduction(16384, "cuda", "ours"), 4),
        ),
        sections=[section, ratios],
    )


def _table_2(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.table_2(f)
    names = ["K80: division", "K80: subtractions", "K80: Garner"]
    names += ["division, here", "subtractions, here", "Garner, here", "ours"]
    return exhibit(
        "Table 2",
        "Reconstructing 8192 coefficients from their residues in three ways.",
        (
            f"{of_paper(0.4252)} ms, Garner (744 bits, K80)",
            f"{_ms(f.reconstruction(744, 'cuda', 'paper'), 4)}, Garner",
            _ms(f.reconstruction(744, "cuda", "ours"), 4),
        ),
        sections=[section],
        charts=[chart("On a card", section, 0, list(enumerate(names, 1)), ("log2 q", "ms"), "y")],
    )


def _table_4(documents: Documents) -> Exhibit:
    found = documents.get("bad18b-depth", {"rows": []})
    rows = {row["n"]: row for row in found["rows"]}
    body = []
    for n, printed_row in TABLE_4.items():
        row = rows.get(n, {})
        here = [number(row.get(k), 0) for k in ("log2_q", "depth", "promised_depth")]
        body.append([str(n), *(said(v) for v in printed_row), *here])
    names = ("log2 q, SEAL", "rest", "t", "sigma", "bound of errors", "gamma", "m_sk", "depth L")
    groups = [
        key("n"),
        paper("paper", *names),
        ours("here", "log2 q", "products that decrypt", "products proved"),
    ]
    judged: list[Row] = []
    if rows:
        depths = [row["depth"] for row in rows.values()]
        judged = [
            statement(
                "Table 4",
                "the sets support 2, 5, 13 and 25 products after each other",
                ", ".join(str(d) for d in depths) + " squares of a random ciphertext decrypt",
                Claim(
                    "at least",
                    [row[-1] for n, row in TABLE_4.items() if n in rows],
                    [rows[n]["depth"] for n in TABLE_4 if n in rows],
                ),
            )
        ]
    best = ", ".join(str(row["depth"]) for row in rows.values()) or "not measured"
    return Exhibit(
        "bad18b",
        "Table 4",
        "Parameter sets, and how many products follow each other before decryption fails.",
        headline(
            ", ".join(str(of_paper(row[-1])) for row in TABLE_4.values()) + " products",
            "its parameters are ours: the next column",
            f"{best} products",
        ),
        [Section("Table 4", groups, body)],
        statements=judged,
        missing=(
            "The paper says neither how it counted products nor whether its depth is a bound or a "
            "measurement. Ours relinearizes with special primes, which adds less noise, and its "
            "primes have other sizes than 31 bits.",
        ),
    )


def _fig_4(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.figure_4(f)
    rows = {
        who: [i for i, r in enumerate(section.body) if r[0] == who] for who in ("paper", "ours")
    }
    charts = []
    for column, label in ((2, "W"), (3, "GPU busy, %")):
        lines = [
            line
            for who, name in (("paper", "paper's method"), ("ours", "ours"))
            for line in chart("", section, 1, [(column, name)], ("", ""), rows=rows[who]).series
        ]
        lines = [replace(s, who="ours" if s.name == "ours" else "method") for s in lines]
        if lines:
            charts.append(Chart(label, "n", label, lines, "x"))
    watts = {v: f.load(v)[-1]["watts"] if f.load(v) else None for v in ("paper", "ours")}
    shown = {v: "not measured" if w is None else f"{w:.0f} W" for v, w in watts.items()}
    return exhibit(
        "Fig. 4",
        "Power and utilisation of a card while it multiplies, by the size of the parameters.",
        (f"K80: {of_paper(62)} to {of_paper(148)} W", f"{shown['paper']} at 2^14", shown["ours"]),
        sections=[
            printed([("K80, smallest set", 62, "W"), ("K80, largest set", 148, "W")]),
            section,
        ],
        charts=charts,
        missing=(
            "The P100's curves are plotted without figures.",
            "Power is what the driver says, over a quarter of a minute; the row 'idle' was sampled "
            "between other runs and is higher than the smallest load: it is no idle power.",
        ),
    )


def _table_5(f: Figures, exhibit: Make) -> Exhibit:
    section = tables.table_5(f)
    body = [[name, *(said(v, 2) for v in pair)] for name, pair in AVERAGES.items()]
    averages = Section(
        "Averages that the text prints: the P100 over SEAL and NFLlib",
        [key("procedure"), paper("", "SEAL", "NFLlib")],
        body,
    )
    printed_table = tables.table_5_printed(f)
    factors = tables.table_5_factors()
    return exhibit(
        "Table 5",
        "The scheme's five procedures: the GPU, with rounding on the CPU, SEAL and NFLlib.",
        (
            f"{of_paper(11.747)} ms (product, 2^14, P100)",
            _ms(f.scheme(16384, "cuda", "paper", MULTIPLY)),
            _ms(f.scheme(16384, "cuda", "ours", MULTIPLY)),
        ),
        "4.3",
        "7.4",
        sections=[printed_table, factors, averages, section],
        charts=[_procedure(name, printed_table, section) for name in AVERAGES],
        missing=(
            _CARDS,
            "NFLlib-FV has no version to be had; SEAL is today's, on one core.",
            "What samples or waits for the host cannot be in a graph: those rows are streams.",
        ),
    )


def _procedure(name: str, paper_says: Section, here: Section) -> Chart:
    mine = select(paper_says, [name])
    left = chart("", mine, 1, [(2, "P100"), (5, "SEAL 2.3"), (6, "NFLlib")], ("", ""))
    found = select(here, [name])
    columns = [(2, "paper's method, card"), (7, "ours, card"), (10, "ours, CPU, one core")]
    columns += [(12, "SEAL today, one core")]
    right = chart("", found, 1, columns, ("", ""))
    return Chart(name, "n", "ms", [*left.series, *right.series], "xy")


def _kernels(f: Figures, exhibit: Make) -> list[Exhibit]:
    both = tables.tables_6_7(f)
    found = []
    for name, card, column, other_column in (("Table 6", "K80", 2, 3), ("Table 7", "P100", 3, 2)):
        keep = [i for i in range(len(both.header)) if i != other_column]
        section = columns_of(both, keep, f"{name}, core kernels, ms (paper: {card})")
        value = TABLES_6_7["fast base conversion"][16384][column - 2]
        found.append(
            exhibit(
                name,
                f"Time of the scheme's core kernels on the {card}.",
                (
                    f"{of_paper(value)} ms (fast base conversion, 2^14, {card})",
                    _ms(f.kernel(16384, "cuda", "paper", "fast base conversion")),
                    _ms(f.kernel(16384, "cuda", "ours", "fast base conversion")),
                ),
                *(["Tables 6, 7"] if name == "Table 6" else []),
                sections=[section],
                charts=[
                    chart(
                        kernel,
                        select(section, [kernel]),
                        1,
                        [(2, card), (3, "paper's, card"), (4, "ours, card")],
                        ("n", "ms"),
                        "xy",
                    )
                    for kernel in TABLES_6_7
                ],
                missing=(
                    _CARDS,
                    "The samplers of section 6.5 are measured here; the paper prints none.",
                    "Ours in place of the DGT is the NTT.",
                    "The conclusion about both tables stands with Table 6.",
                ),
            )
        )
    return found
