# SPDX-License-Identifier: Apache-2.0
"""Where arrays that the package makes begin, who owns them, and how long they live."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan, bfv, ntt_primes

LINE = 64


def _is_aligned(x: np.ndarray) -> bool:
    return x.ctypes.data % LINE == 0 and x.flags.c_contiguous and x.flags.writeable


def _calls(plan: NttPlan, x: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    return {
        "forward": lambda: plan.forward(x),
        "inverse": lambda: plan.inverse(x),
        "multiply": lambda: plan.multiply(x, x),
        "polynomial_product": lambda: plan.polynomial_product(x, x),
        "sum_of_products": lambda: plan.sum_of_products(x[None], x[None]),
    }


@pytest.mark.parametrize("word_bits", [32, 64])
@pytest.mark.parametrize("shape", [(4,), (3, 4), (64,), (5, 64), (4096,), (1, 3, 4096)])
def test_results_begin_on_lines(word_bits: int, shape: tuple[int, ...]) -> None:
    plan = NttPlan(shape[-1], ntt_primes(shape[-1], 29)[0], word_bits=word_bits)
    x = np.arange(np.prod(shape), dtype=plan.dtype).reshape(shape) % 17
    for name, call in _calls(plan, x).items():
        kept = [call() for _ in range(5)]
        assert all(map(_is_aligned, kept)), name
        assert all(type(y) is np.ndarray and y.shape == shape for y in kept), name
        assert len({y.ctypes.data for y in kept}) == 5


def test_results_of_bfv_begin_on_lines() -> None:
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys()
    ciphertext = keys.encrypt([1, -2, 3])
    for encoder in (bfv.BatchEncoder(context), bfv.CoefficientEncoder(context)):
        plaintext = encoder.encode([1, 2, 3])
        results = [plaintext.coefficients, encoder.decode(plaintext, signed=False)]
        results += [encoder.decode(plaintext), keys.decrypt(ciphertext)]
        assert all(map(_is_aligned, results))
        assert encoder.decode(plaintext, signed=False)[:4].tolist() == [1, 2, 3, 0]
        assert encoder.decode(encoder.encode([-5]))[:2].tolist() == [-5, 0]
    assert _is_aligned(ciphertext.residues)
    assert all(_is_aligned(row) for part in ciphertext.residues for row in part)


def test_results_outlive_their_plan_and_views_their_array() -> None:
    n = 2**15
    plan = NttPlan(n, ntt_primes(n, 50)[0])
    x = np.arange(n, dtype=np.uint64)
    y = plan.forward(x)
    expected = y.copy()
    undone = plan.inverse(y)
    del plan
    view = y[1000:2000:3]
    address = y.ctypes.data
    del y
    gc.collect()
    # Its memory is still in use, so none of these may have it.
    others = [nttforge.empty(n) for _ in range(20)]
    for other in others:
        other[:] = 0
        assert not np.may_share_memory(other, view)
    assert (view == expected[1000:2000:3]).all() and (undone == x).all()
    del view
    assert address in {nttforge.empty(n).ctypes.data for _ in range(3)}, "memory is given back"


def test_dropped_results_do_not_pile_up() -> None:
    x = nttforge.empty((100, 1000))
    assert sys.getrefcount(x.base) == 3  # the array, the attribute's value, the argument
    addresses = {nttforge.empty((100, 1000)).ctypes.data for _ in range(50)}
    assert len(addresses) < 3
    shapes = [tuple(x.shape) for x in [nttforge.empty(1 << k) for k in range(22)]]
    assert shapes == [(1 << k,) for k in range(22)]


def test_copies_and_pickles_are_plain_arrays() -> None:
    plan = NttPlan(256, ntt_primes(256, 30)[0], word_bits=32)
    x = plan.forward(np.arange(256, dtype=np.uint32))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(x, protocol))
        assert type(again) is np.ndarray and again.dtype == x.dtype and (again == x).all()
    for other in (x.copy(), copy.copy(x), copy.deepcopy(x), np.from_dlpack(x)):
        assert (other == x).all()
    assert bytes(memoryview(x)) == x.tobytes()
    with pytest.raises(ValueError):
        x.resize(512)


def test_memory_is_shared_by_threads() -> None:
    failures = []

    def work(value: int) -> None:
        for i in range(300):
            x = nttforge.empty(100 + i, np.uint8)
            x[:] = value
            y = x[::2]
            del x
            if not (y == value).all():
                failures.append(value)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        (7, np.uint32),
        ((), np.uint64),
        ((0, 8), np.int64),
        ((3, 0), np.uint8),
        ([2, 3, 5], "complex128"),
        (np.int64(9), float),
        ((1 << 19) + 1, np.uint64),
        ((1,) * 32, bool),
    ],
)
def test_empty(shape: object, dtype: object) -> None:
    x = nttforge.empty(shape, dtype)
    expected = np.empty(shape, dtype)
    assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
    assert _is_aligned(x)
    x.fill(1)
    assert (x == 1).all()
    assert nttforge.empty(3).dtype == np.uint64


@pytest.mark.parametrize(
    ("shape", "dtype", "error", "words"),
    [
        (-1, np.uint64, nttforge.ParameterError, ["shape", "-1", "[0, "]),
        ((2, -3), np.uint64, nttforge.ParameterError, ["shape[1]", "-3"]),
        (2.0, np.uint64, nttforge.ArgumentTypeError, ["shape", "float"]),
        ((2, "3"), np.uint64, nttforge.ArgumentTypeError, ["shape[1]", "str"]),
        ((1,) * 33, np.uint64, nttforge.ParameterError, ["shape", "33", "32"]),
        (4, object, nttforge.ArgumentTypeError, ["dtype", "object", "integers"]),
        (4, "no", nttforge.ArgumentTypeError, ["dtype", "no"]),
        (4, "U3", nttforge.ArgumentTypeError, ["dtype", "integers"]),
        (2**47, np.uint64, MemoryError, ["shape = (140737488355328,)", str(2**50)]),
        ((2**47, 0, 2**40), np.uint64, MemoryError, ["shape"]),
        ((2**48, 2**48), np.uint64, MemoryError, ["shape"]),
    ],
)
def test_empty_says_what_is_wrong(
    shape: object, dtype: object, error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        nttforge.empty(shape, dtype)
    assert all(word in str(caught.value) for word in words), str(caught.value)
