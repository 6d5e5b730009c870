# SPDX-License-Identifier: Apache-2.0
"""Predicted times of recorded operations: a table of one machine, scaled to other sets.

``times.json`` holds the least time of each operation on one core of the machine that it names, for
some numbers of primes at every n (``tools/figures/measure_operations.py``), and that of a pass of a
bootstrap. Between them times are interpolated, beyond them they grow with the square, and a
little more than twofold with n. Sets for 32-bit words are for GPUs, of which
nothing is predicted.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

#: Operations of the table, and how many of each.
Work = Mapping[str, float]


@cache
def _table() -> dict[str, Any]:
    path = Path(__file__).with_name("times.json")
    table: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return table


def reference_machine() -> str:
    """The machine of the table."""
    table = _table()
    return f"one core of a {table['cpu']} ({table['target']})"


@cache
def _points(n: int, operation: str) -> list[tuple[int, float]]:
    rows = [row for row in _table()["rows"] if row["n"] == n]
    return sorted((row["primes"], row["us"][operation]) for row in rows if operation in row["us"])


@cache
def _microseconds(n: int, primes: int, operation: str) -> float:
    points = _points(n, operation)
    if not points:
        largest = max(row["n"] for row in _table()["rows"])
        return 2.2 * _microseconds(n // 2, primes, operation) if n > largest else 0.0
    if primes >= points[-1][0]:
        return points[-1][1] * (primes / points[-1][0]) ** 2
    for (k0, us0), (k1, us1) in itertools.pairwise(points):
        if k0 <= primes <= k1:
            return us0 + (us1 - us0) * (primes - k0) / (k1 - k0)
    return points[0][1]


def bootstrap_seconds(name: str, passes: int) -> float:
    """Seconds of a bootstrap of a named set of integers on that core; each pass takes as long."""
    seconds: float = _table()["seconds of a pass"][name]
    return seconds * passes


def predicted_seconds(n: int, primes: int, work: Work) -> float:
    """Seconds of these operations on one core of the reference machine."""
    return sum(_microseconds(n, primes, name) * count for name, count in work.items()) * 1e-6
