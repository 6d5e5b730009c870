# SPDX-License-Identifier: Apache-2.0
"""Threads, streams and long runs on GPU devices."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import bfv, cuda
from nttforge.typing import DeviceName

N = 4096


@pytest.fixture(scope="module", params=gpu_devices())
def device(request: pytest.FixtureRequest) -> DeviceName:
    device: DeviceName = request.param
    return device


@pytest.mark.parametrize("with_streams", [False, True])
def test_ten_threads(device: DeviceName, with_streams: bool) -> None:
    parameters = bfv.Parameters.preset(N, word_bits=32)
    context, host = bfv.Context(parameters, device=device), bfv.Context(parameters)
    keys = context.generate_keys(rotations=[1], seed=bytes(32))
    on_host = host.generate_keys(rotations=[1], seed=bytes(32))
    rounds = 2 if device == "cuda:host" else 50
    streams = [0] * 10
    owners = []
    if with_streams and device == "cuda":
        torch = pytest.importorskip("torch")
        owners = [torch.cuda.Stream() for _ in range(10)]
        streams = [stream.cuda_stream for stream in owners]
    inputs = [keys.encrypt(np.arange(N) % (5 + i)) for i in range(10)]

    def computed(x: bfv.Ciphertext, of: bfv.Keys) -> bytes:
        product = (x * x + x).relinearize(of.relinearization)
        return product.rotate_rows(1, of.rotations).to_bytes()

    expected = [computed(x.to(host), on_host) for x in inputs]
    wrong: list[int] = []

    def work(i: int) -> None:
        with context.on_stream(streams[i]):
            for _ in range(rounds):
                if computed(inputs[i], keys) != expected[i]:
                    wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    del owners


def test_memory_does_not_grow(device: DeviceName) -> None:
    context = bfv.Context(bfv.Parameters.preset(N), device=device)
    keys = context.generate_keys(rotations=[1])
    a, b = keys.encrypt([1, 2, 3]), keys.encrypt([4, 5, 6])
    graph = context.graph(lambda x: x.rotate_rows(1, keys.rotations) + x, a)

    def some_operations() -> None:
        product = (a * b).relinearize(keys.relinearization)
        product = product.rotate_rows(1, keys.rotations) + a
        graph(b)

    some_operations()
    before = cuda.memory_info(device)
    for _ in range(4 if device == "cuda:host" else 2500):  # four operations each
        some_operations()
    after = cuda.memory_info(device)
    assert after.used == before.used
    assert after.held <= before.held + (64 << 20)
