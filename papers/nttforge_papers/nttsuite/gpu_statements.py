# SPDX-License-Identifier: Apache-2.0
"""[Din24]: its conclusions about GPUs against the measured one."""

from __future__ import annotations

from collections.abc import Sequence

from .._sections import Row, statement
from .._verdicts import Claim
from .figures import PAPER_SIZES, SIZES, Figures, quotient
from .hardware import NAMES
from .tables import paper_us

_AT = "at 1024, 4096, 16384 points"
_TWO_MACHINES = "the paper's FPGA is compared with a GPU, which is another card here"


def statements(f: Figures) -> list[Row]:
    """What [Din24] says about GPUs, what this one says, and whether they agree.

    The paper's method is judged: one polynomial, 64-bit words, the paper's three sizes.
    """
    if not f.there:
        return []
    return [*_against_fpga(f), *_against_cpu(f), *_among_themselves(f), *_large(f)]


def _over_fpga(f: Figures, name: str) -> list[float]:
    """How many times as fast as the paper's FPGA its method is on this GPU."""
    found = [quotient(paper_us(name, n), f.gpu("paper", name, n)) for n in PAPER_SIZES]
    return [v for v in found if v is not None]


def _over_cpu(f: Figures, name: str, base: str = "") -> list[float]:
    found = [quotient(f.cpu(base or name, n), f.gpu("paper", name, n)) for n in PAPER_SIZES]
    return [v for v in found if v is not None]


def _row(values: list[float]) -> str:
    return ", ".join(f"{v:.2f}" for v in values)


def _by_name(ratios: dict[str, list[float]]) -> str:
    return "; ".join(f"{name} {_row(values)}" for name, values in ratios.items())


def _against_fpga(f: Figures) -> list[Row]:
    stockham = _over_fpga(f, "stockham")
    first = statement(
        "IV.B",
        "Stockham performs better on the GPU than on the FPGA",
        f"its method on this GPU is {_row(stockham)} times as fast as Table I {_AT}",
        Claim("order", [], stockham, "times"),
        unlike=_TWO_MACHINES,
    )
    three = {name: _over_fpga(f, name) for name in ("pease", "pease_nc", "six_step")}
    second = statement(
        "IV.B",
        "Pease, Pease_nc and Six-step perform better on the FPGA than on the GPU",
        f"this GPU over Table I: {_by_name(three)} {_AT}",
        Claim("order", [], [1 / v for values in three.values() for v in values], "times"),
        unlike=_TWO_MACHINES,
    )
    two = {name: _over_fpga(f, name) for name in ("dit", "dif")}
    third = statement(
        "IV.B",
        "DIT and DIF perform better on the GPU than on the FPGA",
        f"this GPU over Table I: {_by_name(two)} {_AT}",
        Claim("order", [], [v for values in two.values() for v in values], "times"),
        unlike=_TWO_MACHINES,
    )
    return [first, second, third]


def _against_cpu(f: Figures) -> list[Row]:
    two = {name: _over_cpu(f, name) for name in ("dit", "dif")}
    engine = {name: _over_cpu(f, name, "engine") for name in two}
    return [
        statement(
            "IV.B",
            "DIT and DIF receive few or even negative speed-up on the GPU",
            f"over one core with the same algorithm: {_by_name(two)} {_AT}; over our engine on "
            f"one core: {_by_name(engine)}",
            Claim("at most", [2], [v for values in two.values() for v in values], "times"),
            unlike="a GPU is compared with a CPU, and both are other ones here: an RTX 8000 and an "
            "Intel E5 in the paper",
        )
    ]


def _among_themselves(f: Figures) -> list[Row]:
    def ratios(a: str, b: str, kind: str = "paper") -> list[float]:
        found = [quotient(f.gpu(kind, a, n), f.gpu(kind, b, n)) for n in PAPER_SIZES]
        return [v for v in found if v is not None]

    flat = ratios("dit", "flat")
    first = statement(
        "IV.B",
        "flattening the nested loops, as Flat does, resolves what slows DIT on the GPU",
        f"DIT takes {_row(flat)} of Flat's time {_AT}",
        Claim("order", [], flat, "times"),
        because="with few blocks in a stage DIT's grid is filled as Flat's is",
    )
    copies = ratios("pease", "pease_nc")
    second = statement(
        "III.B",
        "Pease_nc saves the time of Pease's copies (on the GPU)",
        f"Pease takes {_row(copies)} of Pease_nc's time {_AT}",
        Claim("order", [], copies, "times"),
        because="a copy is a launch beside that of its stage, and both read and write the same "
        "words",
    )
    orders = ratios("stockham", "flat")
    third = statement(
        "II, Stockham",
        "two arrays avoid the bit reversal and its memory accesses: faster (on the GPU)",
        f"Stockham takes {_row(orders)} of Flat's time, whose stages are as parallel, {_AT}",
        Claim("order", [], [1 / v for v in orders], "times"),
        because="a bit reversal is one more launch among those of the stages",
    )
    return [first, second, third]


def _large(f: Figures) -> list[Row]:
    """What is best as n grows, by the paper's method and tuned."""
    firsts = {n: best for n in SIZES if (best := f.best(n, kind="paper")) is not None}
    wins = [n for n, (name, _) in firsts.items() if name == "six_step"]
    last, (name, us) = max(firsts), firsts[max(firsts)]
    six = f.gpu("paper", "six_step", last)
    six_step = statement(
        "II, Six-step",
        "Six-step's small blocks pay at a large number of points, such as 16384 (on the GPU)",
        f"its method is the fastest of the seven at {_powers(wins)}; at 2^{last} {name} takes "
        f"{us:.1f} µs, Six-step {'-' if six is None else format(six, '.1f')} µs",
        Claim("order", [], [_others(f, "paper", 14, ("six_step",))], "times"),
        because="its rows are whole transforms in shared memory, but it transposes the data three "
        "times",
    )
    fastest = {n: found for n in SIZES if (found := f.best(n)) is not None}
    behind = [
        ratio for n, (_, us) in fastest.items() if (ratio := quotient(_pease(f, n), us)) is not None
    ]
    constant = statement(
        "III.A",
        "Pease's constant geometry has the best quality for parallel execution (on the GPU, tuned)",
        f"the faster of Pease and Pease_nc takes {min(behind):.2f} to {max(behind):.2f} of the "
        f"fastest tuned algorithm's time from 2^{min(fastest)} to 2^{max(fastest)}; fastest are "
        + ", ".join(name for name in NAMES if name in {n for n, _ in fastest.values()}),
        Claim(
            "order", [], [_others(f, "tuned", n, ("pease", "pease_nc")) for n in fastest], "times"
        ),
        because="what it saves in hardware, networks and banks, a GPU's shared memory has anyway, "
        "and with "
        "two launches the words that are neighbours in reading are not those in writing, so that "
        "runs in memory are shorter",
    )
    return [six_step, constant]


def _pease(f: Figures, log_n: int) -> float | None:
    found = [us for name in ("pease", "pease_nc") if (us := f.gpu("tuned", name, log_n))]
    return min(found, default=None)


def _others(f: Figures, kind: str, log_n: int, mine: Sequence[str]) -> float:
    """The best time of the other algorithms over the best of these."""
    times = {name: us for name in NAMES if (us := f.gpu(kind, name, log_n)) is not None}
    others = min((us for name, us in times.items() if name not in mine), default=None)
    best = min((times[name] for name in mine if name in times), default=None)
    found = quotient(others, best)
    return float("nan") if found is None else found


def _powers(sizes: list[int]) -> str:
    return ", ".join(f"2^{n}" for n in sizes) or "no size"
