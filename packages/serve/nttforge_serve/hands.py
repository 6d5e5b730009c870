# SPDX-License-Identifier: Apache-2.0
"""Threads that read the requests of a batch and write its answers.

    requests  1 2 3 4 │ 5 6 7 8 │ 9     one slice for each thread, none of fewer than four: checks,
              slice 1 │ slice 2 │ 3     words and checksums of a slice need no lock of Python

Only where there are more cores than computations keep busy; elsewhere the one thread does all.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from nttforge._system import usable_cpus

__all__ = ["Hands"]

_MOST, _LEAST_OF_SLICE = 8, 4
Found = TypeVar("Found")


class Hands:
    """Threads for slices of batches; several computations may share them.

    Parameters
    ----------
    count : int
        Threads, with the one that calls; 1: no others.
    """

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._threads: ThreadPoolExecutor | None = None
        if count > 1:
            self._threads = ThreadPoolExecutor(count - 1, "nttforge-serve-hands")

    @classmethod
    def beside(cls, workers: int) -> Hands:
        """As many as find cores beside other workers, at most 8."""
        return cls(max(1, min(_MOST, len(usable_cpus()) - workers + 1)))

    def slices(self, function: Callable[[int, int], Found], count: int) -> list[Found]:
        """``function(first, number)`` of slices that make up ``count`` requests, in their order.

        All have ended when the first error among them, if there is one, is raised.
        """
        if self._threads is None:
            return [function(0, count)]
        size = max(_LEAST_OF_SLICE, -(-count // self.count))
        parts = [(first, min(size, count - first)) for first in range(0, count, size)]
        rest = [self._threads.submit(function, *part) for part in parts[1:]]
        try:
            found = [function(*parts[0])]
        finally:
            wait(rest)
        return found + [one.result() for one in rest]
