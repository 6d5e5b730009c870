# SPDX-License-Identifier: Apache-2.0
"""[Bad18a] for the report: Tables I to III."""

from __future__ import annotations

from typing import Any

from .._exhibits import Documents, Exhibit, about, chart, headline
from .._gpu import GOLDILOCKS, engine_us
from .._sections import Section, key, paper, said
from .._traced import of_paper
from .tables import (
    BASE,
    OPTIMISED,
    TABLE_III,
    statements,
    table_i,
    table_ii,
    table_iii,
    time_us,
)

EMPTY: dict[str, Any] = {"rows": [], "profile": [], "engine": [], "cufft": []}
#: Table II as the paper prints it, transactions saved in per cent; in the order of TABLE_II.
SAVED = {
    14: (13.33, 20.00, 20.00, 13.33, 19.73),
    15: (0.00, 20.00, 18.47, 0.00, 19.48),
    16: (12.00, 20.00, 0.00, 12.00, 0.00),
}
#: Table III as the paper prints it: speed-ups, in the order of TABLE_III.
SPEEDUPS = (1.34, 1.49, 1.22, 1.33, 1.24, 1.38)


def exhibits(documents: Documents) -> list[Exhibit]:
    """Tables I, II and III."""
    results = documents.get("bad18a", EMPTY)
    judged = statements(results)
    times = [time_us(results, 16, variant, "forward") for variant in (BASE, OPTIMISED)]
    us = ["not measured" if t is None else f"{t:.2f} µs" for t in times]
    best, other = (engine_us(results, 16, 1, bits) for bits in (GOLDILOCKS, 60))
    third = headline(
        f"{of_paper(34.47)} µs, base {of_paper(42.77)} (2^16 forward, K80)",
        f"{us[1]}, base {us[0]}",
        _best(best, other),
    )
    padding, counters, transforms = table_i(), table_ii(results), table_iii(results)
    body = [
        [f"2^{log_n} {direction}", said(gain, 2)]
        for (log_n, direction), gain in zip(TABLE_III, SPEEDUPS, strict=True)
    ]
    printed = Section(
        "Table III, speed-ups as printed", [key("transform"), paper("", "speed-up")], body
    )
    all_saved = [s for five in SAVED.values() for s in five]
    body = [[*row[:2], said(s, 2)] for row, s in zip(counters.body, all_saved, strict=True)]
    saved = Section(
        "Table II, transactions saved as printed", [key("points", "kernel"), paper("", "%")], body
    )
    labelled = [
        [f"2^{n} {d}", *row[2:]] for (n, d), row in zip(TABLE_III, transforms.body, strict=True)
    ]
    drawn = Section(transforms.title, [key("transform"), *transforms.groups[1:]], labelled)
    return [
        Exhibit(
            "bad18a",
            "Table I",
            "Bytes of padding of each kernel's arrays in shared memory.",
            headline("0 to 448 bytes a kernel", "the same but one kernel", "no such kernels"),
            [padding],
            missing=(
                "The third kernel of 65536 points has 120 bytes of padding here and none in the "
                "paper, whose kernel keeps its bank conflicts: 24576 transactions in Table II.",
            ),
        ),
        Exhibit(
            "bad18a",
            "Table II",
            "Warp efficiency and shared-memory transactions of each kernel, before and after.",
            headline(
                f"warps {of_paper(83.98)} → {of_paper(100.0)} % full, transactions "
                f"{of_paper(3840)} → {of_paper(3328)} (first kernel, 2^14)",
                _first(counters),
                "no such kernels",
            ),
            [counters, saved],
            statements=about(judged, "Table II", "IV.A"),
            missing=(
                "The profiler's counters have other names on this card than on the K80; conflicts "
                "are counted apart.",
            ),
        ),
        Exhibit(
            "bad18a",
            "Table III",
            "Time of a transform with cuHE's kernels and with both optimisations.",
            third,
            [transforms, printed],
            charts=[
                chart(
                    "One polynomial",
                    drawn,
                    0,
                    [
                        (1, "paper: base"),
                        (2, "paper: optimised"),
                        (4, "base, here"),
                        (5, "optimised, here"),
                        (10 if best is None else 9, "ours"),
                    ],
                    ("transform", "µs"),
                )
            ],
            statements=about(judged, "Table III", "IV.B"),
            missing=(
                "The paper's Tesla K80 is not here: its columns are the paper's figures.",
                *(() if best is not None else (_WITHOUT_THE_PRIME,)),
            ),
        ),
    ]


_WITHOUT_THE_PRIME = (
    "The engine has kernels for the paper's prime 2^64 - 2^32 + 1, which --measure times and these "
    "results do not contain: the best here is of a modulus of 60 bits, another prime."
)


def _best(prime: float | None, other: float | None) -> str:
    """Ours of the paper's prime, beside a modulus of 60 bits."""
    if other is None:
        return "not measured" if prime is None else f"{prime:.2f} µs"
    if prime is None:
        return f"{other:.2f} µs, a modulus of 60 bits"
    return f"{prime:.2f} µs; {other:.2f} of 60 bits"


def _first(counters: Section) -> str:
    row = counters.body[0]
    if row[6] == "-":
        return "not measured"
    return f"warps {row[6]} → {row[7]} % full, transactions {row[8]} → {row[9]}"
