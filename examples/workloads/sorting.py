# SPDX-License-Identifier: Apache-2.0
"""Sorting of encrypted numbers, all different, checked against NumPy's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from harness import HERE
from numpy.typing import NDArray

from nttforge import ckks

sys.path.insert(0, str(HERE / "sorting" / "submission"))
from bitonic import sort

#: log2 of n, log2 of how many numbers, bits of the sign. Only "full" is secure.
SIZES = {"small": (7, 5, 12.0), "medium": (11, 8, 14.0), "full": (16, 14, 20.0)}
HARNESS = False


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """Sorts once; numbers are the first N multiples of 1/N in a random order."""
    log_n, log_count, bits = SIZES[size]
    small = {} if size == "full" else {"insecure_n": 2**log_n}
    name = "boot16w_40" if device.startswith("cuda") else "boot16_40"
    machine = ckks.Bootstrapper.of(name, device=device, **small)
    count = 1 << log_count
    integers = np.random.default_rng().permutation(count)
    total = log_count * (log_count + 1) // 2
    print(
        f"{count} numbers, {total} stages; n = {machine.context.n}"
        + ("" if size == "full" else ", which is not secure"),
        flush=True,
    )
    found: NDArray[np.float64] = np.zeros(count)

    def told(t: int, values: NDArray[np.float64], seconds: float) -> None:
        nonlocal found
        found = values
        off = np.abs(np.sort(values) * count - np.arange(count)).max()
        print(f"stage {t + 1} of {total}: {seconds:.2f} s, off by {off:.3f} / {count}", flush=True)

    gap = 0.75 / count  # of numbers that stages have moved a little
    done = sort(machine, integers / count, gap, bits, told)
    off = float(np.abs(found * count - np.arange(count)).max())
    if off >= 0.5:
        raise SystemExit(f"FAIL: a number is off by {off:.2f} / {count}")
    print(f"PASS: {count} numbers are in order, off by at most {off:.3f} / {count}")
    return {"size": size, "n": machine.context.n, "numbers": count, "off_by": off / count, **done}
