# SPDX-License-Identifier: Apache-2.0
"""[Bad18a]: Tables I to III, the paper's and ours, and its conclusions."""

from __future__ import annotations

from typing import Any

from .._gpu import GOLDILOCKS, Results, engine_us
from .._sections import (
    Row,
    Section,
    key,
    measured,
    method,
    number,
    ours,
    paper,
    said,
    statement,
    whole,
)
from .._traced import of_paper
from .._verdicts import Claim

#: Table I, bytes of padding of each kernel's arrays, as in the paper (buffer, roots).
TABLE_I = {
    14: {"first": (448, 32), "second": (448, 0), "third": (120, 0)},
    15: {"first": (448, 0), "second": (448, 0), "third": (120, 0)},
    16: {"first": (448, 0), "second": (448, 0), "third": (0, 0)},
}
#: Table I, ours: 8 words of 4 bytes twice a row of 64, 4 between two sets of roots, 1 a row of 32.
PADDING = {
    14: {"first": (448, 32), "second": (448, 0), "third": (120, 0)},
    15: {"first": (448, 0), "second": (448, 0), "third": (120, 0)},
    16: {"first": (448, 0), "second": (448, 0), "third": (120, 0)},
}
#: Table II: (log2 n, kernel) -> warp efficiency base, optimised; transactions base, optimised.
TABLE_II = {
    (14, "first, extended"): (83.98, 100.00, 3840, 3328),
    (14, "second"): (84.84, 99.99, 2560, 2048),
    (14, "third"): (99.93, 99.77, 2560, 2048),
    (14, "first, backwards"): (84.95, 100.00, 3840, 3328),
    (14, "third, reduced"): (100.00, 100.00, 2560, 2055),
    (15, "first, extended"): (83.77, 100.00, 6400, 6400),
    (15, "second"): (84.61, 99.99, 5120, 4096),
    (15, "third"): (99.93, 99.75, 5442, 4437),
    (15, "first, backwards"): (84.88, 100.00, 6400, 6400),
    (15, "third, reduced"): (100.00, 100.00, 5456, 4393),
    (16, "first, extended"): (83.82, 100.00, 12800, 11264),
    (16, "second"): (84.65, 100.00, 10240, 8192),
    (16, "third"): (87.65, 99.87, 24576, 24576),
    (16, "first, backwards"): (84.87, 100.00, 12800, 11264),
    (16, "third, reduced"): (91.47, 99.96, 24576, 24576),
}
#: Table III, us on a Tesla K80: (log2 n, direction) -> base, optimised.
TABLE_III = {
    (14, "forward"): (12.94, 9.66),
    (14, "inverse"): (14.51, 9.76),
    (15, "forward"): (19.03, 15.31),
    (15, "inverse"): (21.60, 16.22),
    (16, "forward"): (42.77, 34.47),
    (16, "inverse"): (49.78, 36.03),
}
BASE = ("packed", "switch")
OPTIMISED = ("split and padded", "constant memory")
VARIANTS = (BASE, OPTIMISED, ("split and padded", "switch"), ("packed", "constant memory"))


def pick(
    rows: list[Row], log_n: int, variant: tuple[str, str], kernel: str, **fields: Any
) -> Row | None:
    """The row of one kernel (or "all") of one variant."""
    for row in rows:
        here = (row["n"], row["shared_memory"], row["powers_of_8"], row["kernel"])
        if here == (1 << log_n, *variant, kernel) and all(row[k] == v for k, v in fields.items()):
            return row
    return None


def time_us(
    results: Results, log_n: int, variant: tuple[str, str], direction: str, polynomials: int = 1
) -> float | None:
    """A whole transform."""
    fields = {"direction": direction, "polynomials": polynomials}
    row = pick(results["rows"], log_n, variant, "all", **fields)
    return None if row is None else row["median_ns"] / 1e3


def _transactions(row: Row | None) -> float | None:
    return None if row is None else row["load_transactions"] + row["store_transactions"]


def _efficiency(row: Row | None) -> float | None:
    return None if row is None else row["threads_per_instruction"] / 32 * 100


def table_i() -> Section:
    body = [
        [str(1 << log_n), kernel, *map(said, kernels[kernel]), *map(whole, PADDING[log_n][kernel])]
        for log_n, kernels in TABLE_I.items()
        for kernel in kernels
    ]
    sizes = ("buffer", "roots")
    groups = [key("points", "kernel"), paper("paper", *sizes), method("here", *sizes)]
    return Section("Table I, bytes of padding", groups, body)


def table_ii(results: Results) -> Section:
    body = []
    for (log_n, kernel), printed in TABLE_II.items():
        rows = [pick(results["profile"], log_n, variant, kernel) for variant in (BASE, OPTIMISED)]
        efficiency = [number(_efficiency(row), 2) for row in rows]
        counts = [number(_transactions(row), 0) for row in rows]
        conflicts = [number(row["conflict_transactions"] if row else None, 0) for row in rows]
        cells = [
            *(said(t, d) for t, d in zip(printed, (2, 2, 0, 0), strict=True)),
            *efficiency,
            *counts,
            *conflicts,
        ]
        body.append([str(1 << log_n), kernel, *cells])
    names = ("warp %", "optimised", "transactions", "optimised")
    groups = [
        key("points", "kernel"),
        paper("paper", *names),
        method("here", *names, "conflicts", "optimised"),
    ]
    return Section("Table II, warp efficiency and shared-memory transactions", groups, body)


def table_iii(results: Results) -> Section:
    body = []
    for (log_n, direction), printed in TABLE_III.items():
        times = [time_us(results, log_n, variant, direction) for variant in VARIANTS]
        base, optimised = times[:2]
        gain = base / optimised if base and optimised else None
        engine = [number(engine_us(results, log_n, 1, bits), 2) for bits in (GOLDILOCKS, 60)]
        cells = [
            number(of_paper(printed[0]) / printed[1], 2),
            *(number(t, 2) for t in times),
            number(gain, 2),
        ]
        many = [time_us(results, log_n, v, direction, 16) for v in (BASE, OPTIMISED)]
        body.append(
            [str(1 << log_n), direction, *(said(t, 2) for t in printed), *cells, *engine]
            + [number(t, 2) for t in many]
        )
    groups = [
        key("points", "direction"),
        paper("paper", "base", "optimised", "gain"),
        method("here", "base", "optimised", "split only", "constant only", "gain"),
        ours("fast engine", "this prime", "60 bits"),
        method("16 polynomials", "base", "optimised"),
    ]
    return Section("Table III, one polynomial, µs (paper: Tesla K80)", groups, body)


def _gains(
    results: Results, slow: tuple[str, str], fast: tuple[str, str], polynomials: int = 1
) -> list[float]:
    pairs = [
        (
            time_us(results, *where, polynomials=polynomials),
            time_us(results, *other, polynomials=polynomials),
        )
        for where, other in (
            ((log_n, slow, direction), (log_n, fast, direction)) for log_n, direction in TABLE_III
        )
    ]
    return [a / b for a, b in pairs if a and b]


def _range(values: list[float], digits: int = 2) -> str:
    if not values:
        return "not measured"
    return f"{min(values):.{digits}f} ... {max(values):.{digits}f}"


def statements(results: Results) -> list[Row]:
    """The paper's conclusions against this card."""
    gains = _gains(results, BASE, OPTIMISED)
    split = _gains(results, BASE, ("split and padded", "switch"))
    constant = _gains(results, BASE, ("packed", "constant memory"))
    many = _gains(results, BASE, OPTIMISED, 16)
    saved, efficiency = [], []
    for log_n, kernel in TABLE_II:
        rows = [pick(results["profile"], log_n, v, kernel) for v in (BASE, OPTIMISED)]
        counts = [_transactions(row) for row in rows]
        if counts[0] and counts[1]:
            saved.append(100 * (1 - counts[1] / counts[0]))
        shares = [_efficiency(row) for row in rows]
        if shares[0] and shares[1] and kernel.startswith(("first", "second")):
            efficiency.append((shares[0], shares[1]))
    found = [
        statement(
            "Table III",
            "both optimisations together: 1.22 ... 1.49 times as fast",
            f"{_range(gains)} for one polynomial as in the paper, {_range(many)} for 16",
            Claim("range", [1.22, 1.49], gains, "times"),
        ),
        statement(
            "IV.A",
            "split and padded shared memory is faster than packed",
            f"alone {_range(split)} times",
            Claim("order", [], split, "times"),
            because="while the divergent shifts remain, the kernels wait for those; both "
            f"optimisations together are {_range(gains)} times as fast",
        ),
        statement(
            "IV.B",
            "products with roots of constant memory are faster than shifts by a case per exponent",
            f"alone {_range(constant)} times",
            Claim("order", [], constant, "times"),
        ),
        statement(
            "Table II",
            "padding takes off 0 ... 20 % of the shared-memory transactions",
            f"{_range(saved, 1)} %",
            Claim("range", [0, 20], saved, "%"),
        ),
        statement(
            "Table II",
            "with a switch 15.05 ... 16.23 % of the threads of the first two kernels' warps idle, "
            "else none",
            f"{_range([100 - base for base, _ in efficiency], 1)} %, else "
            f"{_range([100 - best for _, best in efficiency], 1)} %",
            Claim("range", [15.05, 16.23], [100 - base for base, _ in efficiency], "%"),
            Claim("equal", [0] * len(efficiency), [100 - e for _, e in efficiency], "%", step=0.1),
        ),
    ]
    return measured(found)
