# SPDX-License-Identifier: Apache-2.0
"""Results keep the stream they were made in alive: on "cuda:host", with streams of its own.

The host's runtime refuses a stream that is gone, where CUDA would end the process, and counts the
memory that was released in one.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from nttforge._core import cuda as core

import nttforge
from nttforge import cuda

if not core.host_in_this_build():
    pytest.skip("needs a build with NTTFORGE_CUDA_HOST=ON", allow_module_level=True)

N, DEVICE = 256, "cuda:host"
Q = nttforge.ntt_primes(N, 60, 2)


class OwnStream:
    """A stream as cuda.core describes it, destroyed with its last reference."""

    alive = 0

    def __init__(self) -> None:
        self.handle = core.make_stream(core.parse_device(DEVICE))
        OwnStream.alive += 1

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __del__(self) -> None:
        core.destroy_stream(core.parse_device(DEVICE), self.handle)
        OwnStream.alive -= 1


@pytest.fixture(autouse=True)
def dead_streams() -> Iterator[None]:
    """At the end every stream is gone, and no memory was released in one that was."""
    before = core.releases_in_dead_streams()
    yield
    gc.collect()
    assert OwnStream.alive == 0
    assert core.releases_in_dead_streams() == before


@pytest.fixture
def plan() -> nttforge.NttPlan:
    return nttforge.NttPlan(N, Q, device=DEVICE)


@pytest.fixture
def a() -> np.ndarray:
    return np.random.default_rng(5).integers(0, min(Q), size=(2, N), dtype=np.uint64)


MAKERS: dict[str, Callable[..., Any]] = {
    "forward": lambda p, x, s: p.forward(x, stream=s),
    "inverse": lambda p, x, s: p.inverse(x, stream=s),
    "multiply": lambda p, x, s: p.multiply(x, x, stream=s),
    "polynomial_product": lambda p, x, s: p.polynomial_product(x, x, stream=s),
    "given result": lambda p, x, s: p.forward(x, out=cuda.empty(x.shape, device=DEVICE), stream=s),
    "accumulator": lambda p, x, s: p.multiply_accumulate(x, x, to_device(x.to_host()), stream=s),
    "reshaped": lambda p, x, s: p.forward(x, stream=s).reshape(2, N),
    "empty": lambda p, x, s: cuda.empty((2, N), device=DEVICE, stream=s),
    "to_device": lambda p, x, s: cuda.to_device(x.to_host(), DEVICE, stream=s),
    "of a result": lambda p, x, s: p.forward(p.forward(x, stream=s)),
    "of a view": lambda p, x, s: p.inverse(
        p.forward(x, stream=s), out=cuda.empty(x.shape, device=DEVICE)
    ),
}


def to_device(a: np.ndarray) -> cuda.DeviceArray:
    return cuda.to_device(a, DEVICE)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_result_keeps_its_stream(plan: Any, a: np.ndarray, maker: str) -> None:
    x, s = to_device(a), OwnStream()
    y = MAKERS[maker](plan, x, s)
    handle = s.handle
    del s
    gc.collect()
    assert OwnStream.alive == 1 and y.stream == handle
    del y
    gc.collect()
    assert OwnStream.alive == 0
    want = nttforge.NttPlan(N, Q).forward(a)
    assert (plan.forward(x).to_host() == want).all()
    assert (plan.forward(x).to_host() == want).all()


USERS: dict[str, Callable[..., Any]] = {
    "another stream": lambda p, y: p.inverse(y, stream=0),
    "its own stream": lambda p, y: p.inverse(y),
    "to_host": lambda p, y: p.inverse(to_device(y.to_host())),
    "dlpack": lambda p, y: p.inverse(to_device(np.from_dlpack(y).copy())),
    "checked": lambda p, y: p.inverse(y, check=True),
    "in place": lambda p, y: p.inverse(y, out=y, stream=0),
}


@pytest.mark.parametrize("user", USERS)
def test_a_result_is_used_after_its_stream_was_let_go(plan: Any, a: np.ndarray, user: str) -> None:
    s = OwnStream()
    y = plan.forward(to_device(a), stream=s)
    del s
    assert (USERS[user](plan, y).to_host() == a).all()


def test_memory_outlives_the_array_but_not_the_stream(plan: Any, a: np.ndarray) -> None:
    s = OwnStream()
    y = plan.forward(to_device(a), stream=s)
    seen = np.from_dlpack(y)  # shared: released without its stream
    del s, y
    gc.collect()
    assert OwnStream.alive == 0
    assert (seen == nttforge.NttPlan(N, Q).forward(a)).all()


def test_the_result_of_a_later_call_carries_that_calls_stream(plan: Any, a: np.ndarray) -> None:
    first, second = OwnStream(), OwnStream()
    y = plan.forward(to_device(a), stream=first)
    plan.inverse(y, out=y, stream=second)
    assert y.stream == second.handle
    del first, second
    gc.collect()
    assert OwnStream.alive == 2  # y's memory is of the first, its words of the second
    assert (y.to_host() == a).all()


def test_a_bare_address_is_the_callers_to_keep(plan: Any, a: np.ndarray) -> None:
    s = OwnStream()
    y = plan.forward(to_device(a), stream=s.handle)
    assert y.stream == s.handle
    del y  # before its stream
