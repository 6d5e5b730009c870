# SPDX-License-Identifier: Apache-2.0
"""How much Python runs before a product reaches the compiled module."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import EncryptedArray, bfv, bgv

MOST_CALLS = 8


class Kernel:
    """Stands for the evaluator of the compiled module, whose calls a profiler does not see."""

    def __init__(self, result: Any) -> None:
        self.result = result
        self.arguments: tuple[Any, ...] = ()

    def multiply(self, *arguments: Any) -> Any:
        self.arguments = arguments
        return self.result


def calls_before(kernel: Kernel, operation: Callable[[Any, Any], Any], *operands: Any) -> list[str]:
    """Functions of Python, in order, from the operator to the kernel."""
    seen: list[str] = []

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if frame.f_code is Kernel.multiply.__code__:
            sys.setprofile(None)
        elif event == "call":
            seen.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        operation(*operands)
    finally:
        sys.setprofile(None)
    return seen


@pytest.mark.parametrize("scheme", [bfv, bgv])
def test_a_product_reaches_the_kernel_in_few_calls(scheme: ModuleType) -> None:
    t = nttforge.ntt_primes(4096, 20)[0]
    context = scheme.Context(scheme.Parameters.preset(4096, t))
    keys = context.generate_keys(relinearization=False)
    a, b = keys.encrypt([1, 2]), keys.encrypt([3, 4])
    x, y = (EncryptedArray.encrypt(np.array(v), keys, bounds=(0, 9)) for v in ([1, 2], [3, 4]))
    kernel = Kernel((a * b)._core)
    object.__setattr__(context, "_evaluator", kernel)
    for left, right in ((a, b), (a, a), (x, y), (x, x)):
        seen = calls_before(kernel, operator.mul, left, right)
        assert 1 <= len(seen) <= MOST_CALLS, seen
        cores = [getattr(v, "text", v)._core for v in (left, right)]
        assert all(got is core for got, core in zip(kernel.arguments, cores, strict=True))


def test_a_context_makes_its_evaluator_once() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys(relinearization=False)
    evaluator = context._evaluator
    a = keys.encrypt([1, 2])
    assert keys.decrypt(a * a + a - 1)[:2].tolist() == [1, 5]
    assert context._evaluator is evaluator
