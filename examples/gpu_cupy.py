# SPDX-License-Identifier: Apache-2.0
"""CuPy arrays through a GPU plan: products without a copy, and exchange with DeviceArray."""

from __future__ import annotations

import cupy
import numpy as np

import nttforge
from nttforge import cuda


def main() -> None:
    n, limbs = 4096, 2
    q = nttforge.ntt_primes(n, 50, limbs)
    plan = nttforge.NttPlan(n, q, device="cuda")
    rng = np.random.default_rng(1)
    a, b = (rng.integers(0, min(q), size=(limbs, n), dtype=np.uint64) for _ in range(2))

    with cupy.cuda.Stream(non_blocking=True) as stream:
        x, y = cupy.asarray(a), cupy.asarray(b)
        product = plan.polynomial_product(x, y)  # a CuPy array, in this stream
        stream.synchronize()
    assert isinstance(product, cupy.ndarray)
    want = nttforge.NttPlan(n, q).polynomial_product(a, b)
    assert (product.get() == want).all()

    own = cuda.to_device(a)  # memory of nttforge, seen by CuPy
    seen = cupy.from_dlpack(own)
    plan.forward(own, out=own)
    cupy.cuda.runtime.deviceSynchronize()
    assert (seen.get() == nttforge.NttPlan(n, q).forward(a)).all()
    print("every word as on the CPU; pool:", cuda.memory_info())


if __name__ == "__main__":
    main()
