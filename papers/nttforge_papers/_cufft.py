# SPDX-License-Identifier: Apache-2.0
"""cuFFT's complex transforms of single precision, for [Kim20]'s comparison; through CuPy."""

from __future__ import annotations

from typing import Any

BATCHES = (1, 2, 3, 5, 7, 10, 14, 21)
BUFFERS, CALLS, COLD_CALLS, RUNS = 8, 20, 24, 15


def measure(log_sizes: tuple[int, ...] = (14, 15, 16, 17)) -> list[dict[str, Any]]:
    """Checked against NumPy, then timed as the benchmark programs do; [] without CuPy."""
    try:
        import cupy
        import numpy as np
        from cupy.cuda import cufft
    except ImportError:
        print("no cuFFT: CuPy is missing")
        return []
    rows = []
    random = np.random.default_rng(1)
    for log_n in log_sizes:
        n = 1 << log_n
        for batch in BATCHES:
            values = random.random((2, batch, n), dtype=np.float32)
            x = (values[0] + 1j * values[1]).astype(np.complex64)
            buffers = [cupy.asarray(x) for _ in range(BUFFERS)]
            plan = cufft.Plan1d(n, cufft.CUFFT_C2C, batch)
            stream = cupy.cuda.Stream(non_blocking=True)
            with stream:
                y = cupy.empty_like(buffers[0])
                plan.fft(buffers[0], y, cufft.CUFFT_FORWARD)
                stream.synchronize()
                error = np.abs(cupy.asnumpy(y[0]) - np.fft.fft(x[0])).max()
                if error > 1e-2 * n**0.5:
                    raise AssertionError(f"cuFFT is off by {error} at n = {n}")
                warm = _time(cupy, stream, plan, cufft.CUFFT_FORWARD, buffers[:1], CALLS)
                cold = _time(cupy, stream, plan, cufft.CUFFT_FORWARD, buffers, COLD_CALLS)
            rows.append({"log_n": log_n, "limbs": batch, "median_ns": warm, "cold_median_ns": cold})
    return rows


def _time(cupy: Any, stream: Any, plan: Any, way: int, buffers: list[Any], calls: int) -> float:
    stream.begin_capture()
    for i in range(calls):
        buffer = buffers[i % len(buffers)]
        plan.fft(buffer, buffer, way)
    graph = stream.end_capture()
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    times = []
    for run in range(RUNS + 3):
        begin.record(stream)
        graph.launch(stream)
        end.record(stream)
        end.synchronize()
        if run >= 3:
            times.append(cupy.cuda.get_elapsed_time(begin, end) * 1e6 / calls)
    return float(sorted(times)[RUNS // 2])
