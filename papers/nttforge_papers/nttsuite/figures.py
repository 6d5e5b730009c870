# SPDX-License-Identifier: Apache-2.0
"""[Din24]: times of a document of ``gpu_nttsuite_bench`` by what was measured, in us."""

from __future__ import annotations

from typing import Any

from .hardware import NAMES

#: log2 of the paper's sizes, and of ours.
PAPER_SIZES = (10, 12, 14)
SIZES = tuple(range(10, 21))
BATCH = 32
#: Bits of a word and polynomials of a call.
KINDS = ((64, 1), (64, BATCH), (32, 1), (32, BATCH))
#: Algorithms that leave their values in bit-reversed order, the engine's default.
REVERSED = ("dif",)
#: What is measured when there are no results.
EMPTY: dict[str, Any] = {"results": []}
#: On the CPU the smallest time counts, since the machine has other work; on the GPU the median.
_KEPT = {"cpu": "min_ns"}


class Figures:
    """Times of one run: the GPU's kernels, the engine's, one core of the CPU there.

    Parameters
    ----------
    results : dict
        What the program wrote.
    """

    def __init__(self, results: dict[str, Any]) -> None:
        self.results = results
        self._times: dict[tuple[Any, ...], list[float]] = {}
        for row in results["results"]:
            key = (row["kind"], row["word_bits"], row["log_n"], row["batch"])
            us = row[_KEPT.get(row["kind"], "median_ns")] / 1e3
            if row["kind"] == "engine" or row["algorithm"] == "engine":
                self._times.setdefault((*key, row["output_order"]), []).append(us)
            else:
                self._times.setdefault((*key, row["algorithm"]), []).append(us)

    def gpu(self, kind: str, name: str, log_n: int, batch: int = 1, bits: int = 64) -> float | None:
        """One algorithm's kernels; kind: "paper" or "tuned"."""
        return self._best((kind, bits, log_n, batch, name))

    def best(
        self,
        log_n: int,
        batch: int = 1,
        bits: int = 64,
        kind: str = "tuned",
        order: str = "bit_reversed",
    ) -> tuple[str, float] | None:
        """The fastest of the seven, or of those with values in natural order: its name and time."""
        names = [name for name in NAMES if order != "natural" or name not in REVERSED]
        found = [(us, name) for name in names if (us := self.gpu(kind, name, log_n, batch, bits))]
        return (min(found)[1], min(found)[0]) if found else None

    def engine(
        self, log_n: int, batch: int = 1, bits: int = 64, order: str = "bit_reversed"
    ) -> float | None:
        """The fastest of the engine's own kernels for values in this order."""
        return self._best(("engine", bits, log_n, batch, order))

    def cpu(self, name: str, log_n: int) -> float | None:
        """One core, 64-bit words: an algorithm of the collection, or "engine" in natural order."""
        return self._best(("cpu", 64, log_n, 1, "natural" if name == "engine" else name))

    def gain(self, name: str, log_n: int, batch: int = 1, bits: int = 64) -> float | None:
        """How many times as fast as the paper's method the tuned kernels are."""
        here = (log_n, batch, bits)
        return quotient(self.gpu("paper", name, *here), self.gpu("tuned", name, *here))

    def over_engine(
        self, log_n: int, batch: int = 1, bits: int = 64, order: str = "bit_reversed"
    ) -> float | None:
        """Time of the fastest tuned algorithm over the engine's, both in this order."""
        found = self.best(log_n, batch, bits, order=order)
        return quotient(found and found[1], self.engine(log_n, batch, bits, order))

    @property
    def there(self) -> bool:
        """Whether every algorithm was measured at the paper's sizes, on the GPU and on its CPU."""
        return all(
            us is not None
            for log_n in PAPER_SIZES
            for name in (*NAMES, "engine")
            for us in (
                self.cpu(name, log_n),
                *(self.gpu(k, name, log_n) for k in ("paper", "tuned") if name != "engine"),
            )
        )

    @property
    def cells(self) -> list[tuple[int, int, int]]:
        """The (log n, batch, bits) that were measured."""
        cells = [(n, batch, bits) for bits, batch in KINDS for n in SIZES]
        return [cell for cell in cells if self.best(*cell) and self.engine(*cell)]

    def _best(self, key: tuple[Any, ...]) -> float | None:
        return min(self._times.get(key, ()), default=None)


def quotient(a: float | None, b: float | None) -> float | None:
    """a / b of what was measured."""
    return a / b if a is not None and b is not None else None
