# SPDX-License-Identifier: Apache-2.0
"""Recorded functions and callers' streams."""

from __future__ import annotations

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import bfv
from nttforge.errors import ArgumentTypeError, ParameterError, SizeError, UnsupportedError


@pytest.fixture(scope="module", params=["cpu", *gpu_devices()])
def context(request: pytest.FixtureRequest) -> bfv.Context:
    return bfv.Context(bfv.Parameters.preset(4096), device=request.param)


@pytest.fixture(scope="module")
def keys(context: bfv.Context) -> bfv.Keys:
    return context.generate_keys(rotations=[1], seed=bytes(32))


def test_a_graph_is_its_function(context: bfv.Context, keys: bfv.Keys) -> None:
    rng = np.random.default_rng(5)
    words = [rng.integers(-50, 50, context.n) for _ in range(3)]
    a, b, c = (keys.encrypt(x) for x in words)

    def function(x: bfv.Ciphertext, y: bfv.Ciphertext) -> tuple[bfv.Ciphertext, bfv.Ciphertext]:
        product = (x * y).relinearize(keys.relinearization)
        return product, product.rotate_rows(1, keys.rotations) + x

    graph = context.graph(function, a, b)
    assert graph.is_recorded == (context.device == "cuda")
    kept = graph(a, b)
    for x, y in ((a, b), (b, c), (c, c)):
        expected, got = function(x, y), graph(x, y)
        assert [g.to_bytes() for g in got] == [e.to_bytes() for e in expected]
    assert kept[0].same_words(function(a, b)[0])  # results are copies
    single = context.graph(lambda x: x + x, a)
    assert np.array_equal(keys.decrypt(single(b)), keys.decrypt(b + b))


def test_what_a_graph_refuses(context: bfv.Context, keys: bfv.Keys) -> None:
    a = keys.encrypt([1, 2, 3])
    graph = context.graph(lambda x: x + x, a)
    with pytest.raises(SizeError, match="recorded with 1"):
        graph(a, a)
    with pytest.raises(ArgumentTypeError, match=r"arguments\[0\]"):
        graph(keys.public)
    with pytest.raises(ParameterError, match="3 parts"):
        graph(a * a)
    with pytest.raises(ParameterError, match="more noise"):
        graph(a + a)
    with pytest.raises(ParameterError, match="a batch of 2"):
        graph(bfv.stack([a, a]))
    with pytest.raises(SizeError, match="examples is empty"):
        context.graph(lambda: a)
    with pytest.raises(ArgumentTypeError, match="function returned a int"):
        context.graph(lambda x: 1, a)
    if graph.is_recorded:
        for refused in (lambda x: keys.encrypt([1]), lambda x: keys.encrypt(keys.decrypt(x))):
            with pytest.raises(ParameterError, match="cannot be part of a graph"):
                context.graph(refused, a)
        assert np.array_equal(keys.decrypt(graph(a))[:3], [2, 4, 6])


def test_operations_in_a_stream(context: bfv.Context, keys: bfv.Keys) -> None:
    a = keys.encrypt([1, 2, 3])
    if context.device == "cpu":
        with pytest.raises(UnsupportedError, match="no streams"):
            context.on_stream(0)
        return
    with context.on_stream(0):
        inside = (a * a).relinearize(keys.relinearization)
        assert list(keys.decrypt(inside)[:3]) == [1, 4, 9]
    assert list(keys.decrypt(inside + a)[:3]) == [2, 6, 12]
    if context.device == "cuda":
        torch = pytest.importorskip("torch")
        with context.on_stream(torch.cuda.Stream()):
            inside = (a * a).relinearize(keys.relinearization)
        assert list(keys.decrypt(inside + a)[:3]) == [2, 6, 12]
