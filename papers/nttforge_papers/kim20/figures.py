# SPDX-License-Identifier: Apache-2.0
"""[Kim20]: times of the results by what was measured."""

from __future__ import annotations

from typing import Any

from .._gpu import Results
from .._sections import Row

#: Moduli of most figures.
LIMBS = 21
#: Table II, us on a Titan V: log2 n -> radix 2, shared memory, and with twiddles on the fly.
TABLE_II = {14: (166, 48.6, 44.1), 15: (340, 92.0, 84.2), 16: (693, 171.8, 156.3)}
TABLE_II[17] = (1427, 329.0, 304.2)


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
        return time_us(self.pick(self.rows, k, log_n, limbs, kind, **fields))

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
        times = [time_us(row) for row in self.pairs(3, on_the_fly, log_n, limbs).values()]
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


def time_us(row: Row | None) -> float | None:
    return None if row is None else row["median_ns"] / 1e3


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def gain(slow: dict[int, float], fast: dict[int, float]) -> float:
    """Mean speedup in percent over the sizes of both."""
    both = slow.keys() & fast.keys()
    return 100 * (mean([slow[k] / fast[k] for k in both]) - 1)


def times_us(rows: dict[int, Row]) -> dict[int, float]:
    return {k: row["median_ns"] / 1e3 for k, row in sorted(rows.items())}


def ratio(a: float | None, b: float | None) -> float:
    return a / b if a and b else float("nan")


def multiplication_us(f: Figures, name: str, bits: int, limbs: int) -> float | None:
    return time_us(f.pairs(3, 0, 17, limbs, name, bits).get(8))
