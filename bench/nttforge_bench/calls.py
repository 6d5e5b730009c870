# SPDX-License-Identifier: Apache-2.0
"""What one call of a GPU plan costs from Python when calls follow each other.

``python -m nttforge_bench.calls --json FILE`` writes rows of kind ``gpu_call``, as
``gpu_bench --kind call`` does for C++: n = 2^12, one prime of 60 bits, on arrays of this package,
CuPy and PyTorch, with a result that is given and with a new one. Libraries that are not installed
are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from nttforge.console.arguments import integer
from nttforge.errors import NttforgeError, UnsupportedError

from . import documents

LOG_N, BITS = 12, 60
#: Fewer than the launches that a stream takes before it makes the host wait.
CALLS = 500

Caller = tuple[str, Any, Any, Callable[[], object]]


def measure(runs: int) -> list[documents.Row]:
    """Rows of every caller there is.

    Parameters
    ----------
    runs : int
        Timed runs of 500 calls each.

    Raises
    ------
    UnsupportedError
        If no GPU can be used.
    NttforgeError
        If a caller's words are not those of the CPU.
    """
    import numpy as np

    try:
        from nttforge import NttPlan, cuda, ntt_primes
    except ImportError as error:
        raise UnsupportedError(
            f"the package that runs is not built ({error}): install it where there is a CUDA "
            "toolkit (pip install .), or set PYTHONPATH to a build's python folder"
        ) from None
    if why := cuda.why_unavailable():
        raise UnsupportedError(why)
    n = 1 << LOG_N
    plan = NttPlan(n, ntt_primes(n, BITS, 1)[0], device="cuda")
    words = np.arange(n, dtype=np.uint64) * np.uint64(2654435761) % np.uint64(plan.spec.moduli[0])
    want = NttPlan(n, plan.spec.moduli[0]).forward(words)
    rows = []
    for name, x, y, wait in _callers(words):
        if not (cuda.to_host(plan.forward(x, out=y)) == want).all():
            raise NttforgeError(f"{name}: the words are not those of the CPU, so it is not timed")
        given = _time(lambda x=x, y=y: plan.forward(x, out=y), wait, runs)  # type: ignore[misc]
        new = _time(lambda x=x: plan.forward(x), wait, runs)  # type: ignore[misc]
        for result, (done, returned) in (("given", given), ("new", new)):
            rows.append(_row(name, n, result, done, returned))
            print(
                f"{name:<14} result {result:<6} {median(done) / 1e3:8.2f} us a call, "
                f"returned after {median(returned) / 1e3:8.2f}",
                flush=True,
            )
    return rows


def _callers(words: Any) -> Iterator[Caller]:
    """Name, input, place for the result, and what waits for the device."""
    from nttforge import cuda

    yield "DeviceArray", cuda.to_device(words), cuda.to_device(words), cuda.synchronize
    if importlib.util.find_spec("cupy"):
        import cupy

        x = cupy.asarray(words)
        yield "CuPy", x, cupy.empty_like(x), cupy.cuda.runtime.deviceSynchronize
    if importlib.util.find_spec("torch"):
        import torch

        t = torch.from_numpy(words.view("int64")).cuda().view(torch.uint64)
        yield "PyTorch", t, torch.empty_like(t), torch.cuda.synchronize


def _time(
    call: Callable[[], object], wait: Callable[[], object], runs: int
) -> tuple[list[float], list[float]]:
    """Nanoseconds a call until the device has done all, and until the last call returned."""
    done, returned = [], []
    for run in range(runs + 3):
        wait()
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        end = time.perf_counter_ns()
        wait()
        if run >= 3:  # the first ones warm up
            done.append((time.perf_counter_ns() - begin) / CALLS)
            returned.append((end - begin) / CALLS)
    return done, returned


def _row(
    caller: str, n: int, result: str, done: list[float], returned: list[float]
) -> documents.Row:
    return {
        "kind": "gpu_call",
        "bits": BITS,
        "n": n,
        "limbs": 1,
        "direction": "forward",
        "caller": caller,
        "result": result,
        "returned_median_ns": median(returned),
        "min_ns": min(done),
        "median_ns": median(done),
        "upper_quartile_ns": quantiles(done, n=4)[2],
        "runs": len(done),
        "calls_per_run": CALLS,
    }


def _document(rows: list[documents.Row], commit: str) -> documents.Row:
    from nttforge import cuda

    versions = [f"Python {platform.python_version()}"]
    for name in ("cupy", "torch"):
        if name in sys.modules:
            versions.append(f"{name} {sys.modules[name].__version__}")
    return {
        "schema": documents.SCHEMA,
        "program": "nttforge-python",
        "version": commit,
        "build": ", ".join(versions),
        "compiler": None,
        "gpu": {"name": cuda.describe().card},
        "results": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m nttforge_bench.calls", description=__doc__)
    parser.add_argument(
        "--runs", type=integer, default=40, help="timed runs of 500 calls (default 40)"
    )
    parser.add_argument("--json", type=Path, required=True, help="file for the results")
    parser.add_argument("--commit", default="unknown", help="commit, kept with the results")
    options = parser.parse_args()
    try:
        document = _document(measure(max(3, options.runs)), options.commit)
    except NttforgeError as error:
        sys.exit(f"nttforge: error: {error}")
    options.json.write_text(documents.dump(document), encoding="utf-8")


if __name__ == "__main__":
    main()
