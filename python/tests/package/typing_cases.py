# SPDX-License-Identifier: Apache-2.0
"""Not run: tools/check_types.py gives it to the type checkers.

A line that ends in "expect-error" must be an error; every other line must be right.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import nttforge
from nttforge import bfv, ckks, cuda
from nttforge.spec import transform
from nttforge.typing import HostWords, Order, Ring, Target


class CupyLike:
    """An array of another library, on a GPU."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


def names() -> None:
    nttforge.NttPlan(8, 17, ring="cyclic", input_order="natural", transform="any", word_bits=32)
    nttforge.NttPlan(8, 17, target="avx2", algorithm="stockham", device="cuda:1")
    nttforge.NttPlan(8, 17, ring="cylic")  # expect-error
    nttforge.NttPlan(8, 17, "cyclick")  # expect-error
    nttforge.NttPlan(8, 17, input_order="normal")  # expect-error
    nttforge.NttPlan(8, 17, output_order="bitreversed")  # expect-error
    nttforge.NttPlan(8, 17, word_bits=16)  # expect-error
    nttforge.NttPlan(8, 17, transform="fft")  # expect-error
    nttforge.NttPlan(8, 17, target="avx1024")  # expect-error
    nttforge.NttPlan(8, 17, algorithm="stokham")  # expect-error
    plan = nttforge.NttPlan(8, 17, algorithm="dit")
    plan.trace([1, 2, 3, 4, 5, 6, 7, 8], direction="backward")  # expect-error
    ring: Ring = "negacyclic"
    order: Order = "natural"
    target: Target = nttforge.active_target()
    nttforge.NttPlan(8, 17, ring, order, order, target=target)
    nttforge.candidate_recipes(plan.spec, targets=["sse"])  # expect-error
    assert_type(plan.spec.ring, Ring)


def host_arrays(
    plan: nttforge.NttPlan, x: NDArray[np.uint64], y: NDArray[np.uint32], z: NDArray[np.float64]
) -> None:
    assert_type(plan.forward(x), NDArray[np.uint64])
    assert_type(plan.forward(y, out=y), NDArray[np.uint32])
    assert_type(plan.inverse(plan.forward(x)), NDArray[np.uint64])
    assert_type(plan.multiply(x, x), NDArray[np.uint64])
    assert_type(plan.multiply_accumulate([1, 2], [3, 4], x), NDArray[np.uint64])
    assert_type(plan.polynomial_product([1, 2], [3, 4]), HostWords)
    assert_type(plan.sum_of_products(x, x), NDArray[np.uint64])
    assert_type(nttforge.empty((2, 8)), NDArray[np.uint64])
    assert_type(nttforge.empty(8, np.uint32), NDArray[np.uint32])
    plan.forward(z)  # expect-error
    assert_type(plan.forward(np.zeros(8, dtype=np.int32)), HostWords)
    plan.forward("12345678")  # expect-error
    plan.forward([0.5, 1.5])  # expect-error


def device_arrays(plan: nttforge.NttPlan, x: cuda.DeviceArray, y: CupyLike) -> None:
    assert_type(plan.forward(x), cuda.DeviceArray)
    assert_type(plan.forward(y), CupyLike)
    assert_type(plan.polynomial_product(y, y), CupyLike)
    assert_type(plan.forward(x).to_host(), HostWords)


def oracle() -> None:
    assert_type(transform.forward([1, 0], 5), list[int])
    transform.forward([1, 0], 5, "cyclical")  # expect-error
    transform.forward([1, 0], 5, "cyclic", "reversed")  # expect-error


def results(plan: nttforge.NttPlan) -> None:
    assert_type(nttforge.is_prime(17), bool)
    assert_type(nttforge.ntt_primes(8, 20, 2), list[int])
    assert_type(plan.trace([1]).steps[0].values, NDArray[np.uint64])
    found = nttforge.explore(plan.spec, budget=0.1)
    print(found.best.status)  # expect-error


def encryption() -> None:
    parameters = bfv.Parameters.preset(4096, security="classical192", security_table="hes2018")
    bfv.Parameters.preset(4096, security="classic128")  # expect-error
    bfv.Parameters.preset(4096, security_table="hes2024")  # expect-error
    bfv.Parameters.preset(4096, word_bits=16)  # expect-error
    assert_type(bfv.Parameters.preset(4096, word_bits=32).special, tuple[int, ...])
    bfv.Parameters.custom(4096, 65537, parameters.q, parameters.special, digit_primes=1)
    context = bfv.Context(parameters, target="scalar")
    bfv.Context(parameters, target="skalar")  # expect-error
    bfv.Context(parameters, device="gpu")  # expect-error
    keys = context.generate_keys(rotations=[1])
    x = keys.encrypt([1, 2, 3])
    keys.encrypt(["1"])  # expect-error
    assert_type(x * x + 1 - [1, 2], bfv.Ciphertext)
    assert_type(2 * x, bfv.Ciphertext)
    x * 1.5  # expect-error
    assert_type(keys.decrypt(x), NDArray[np.int64])
    assert_type(bfv.BatchEncoder(context).encode([1]), bfv.Plaintext)
    assert_type(bfv.Ciphertext.from_bytes(context, x.to_bytes()), bfv.Ciphertext)
    bfv.Ciphertext.from_bytes(context, "text")  # expect-error
    assert_type(x.same_words(x), bool)
    x.same_words(3)  # expect-error


def real_numbers() -> None:
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    ckks.Parameters.preset(2**13, word_bits=16)  # expect-error
    keys = context.generate_keys(rotations=[1], conjugation=True)
    x = keys.encrypt([0.5, 1j], bound=2)
    assert_type(x * x + 1.5 - [1, 2j], ckks.Ciphertext)
    assert_type(np.ones(2) * x.conjugate(keys) / 3, ckks.Ciphertext)
    keys.encrypt([1], encoding="batch")  # expect-error
    x.polynomial([1, 2], keys, basis="legendre")  # expect-error
    assert_type(keys.decrypt(x, with_precision=True)[1], float)
    ckks.Ciphertext.from_bytes(context, "text")  # expect-error
