# SPDX-License-Identifier: Apache-2.0
"""Keys in host memory: the same results and bytes, and how much of the device they take."""

from __future__ import annotations

import pickle
from types import ModuleType

import pytest
from devices import gpu_devices
from nttforge._core import cuda as core

from nttforge import ArgumentTypeError, ParameterError, UnsupportedError, bfv, bgv, cuda
from nttforge.typing import DeviceName

SEED = bytes(range(32))


@pytest.mark.parametrize("device", ["cpu", *gpu_devices()])
@pytest.mark.parametrize("scheme", [bfv, bgv], ids=["bfv", "bgv"])
def test_results_and_bytes_do_not_change(scheme: ModuleType, device: DeviceName) -> None:
    context = scheme.Context(scheme.Parameters.preset(4096), device)
    keys = context.generate_keys(inner_sum=8, seed=SEED)
    x = keys.encrypt(range(8))

    def results() -> list[bytes]:
        product = (x * x).relinearize(keys.relinearization)
        return [product.to_bytes(), x.inner_sum(8, keys.rotations).to_bytes()]

    want = results()
    stored = keys.rotations.to_bytes()
    for cached in (0, 1, 2, 5):
        keys.offload(cached)
        assert keys.rotations.offloaded == keys.relinearization.offloaded == (device != "cpu")
        assert results() == results() == want
        assert keys.rotations.to_bytes() == stored
        assert pickle.loads(pickle.dumps(keys.rotations)).to_bytes() == stored
    keys.load()
    assert not (keys.rotations.offloaded or keys.relinearization.offloaded)
    assert results() == want
    read = scheme.RotationKeys.from_bytes(context, stored, offload=1)
    made = context.generate_keys(inner_sum=8, seed=SEED, offload=1)
    assert made.rotations.to_bytes() == read.to_bytes() == stored
    assert read.offloaded == made.rotations.offloaded == (device != "cpu")
    assert made.relinearization.offloaded == (device != "cpu")
    assert x.inner_sum(8, read).to_bytes() == want[1]


@pytest.mark.parametrize("device", gpu_devices())
def test_more_keys_than_fit(device: DeviceName) -> None:
    parameters = bfv.Parameters.preset(4096)
    context = bfv.Context(parameters, device)
    owner = context.generate_keys()
    x = owner.encrypt(range(64))
    generator = bfv.KeyGenerator(owner.secret)
    each = parameters.memory_sizes()["rotation_key"]
    steps = range(1, 21)
    owner.decrypt(x)  # makes tables of the decoder
    before = cuda.memory_info(device)
    cuda.set_memory_limit(before.used + 8 * each, device)
    try:
        with pytest.raises(UnsupportedError, match=f"20 rotation keys of {each} bytes each need"):
            generator.rotation_keys(steps)
        keys = generator.rotation_keys(steps, offload=2)
        for step in steps:
            assert owner.decrypt(x.rotate_rows(step, keys))[0] == step
        assert cuda.memory_info(device).used - before.used <= 2 * each
        with pytest.raises(UnsupportedError, match="20 rotation keys need"):
            keys.load()
        assert keys.offloaded and owner.decrypt(x.rotate_rows(3, keys))[0] == 3
    finally:
        cuda.set_memory_limit(before.limit, device)
    keys.load()
    assert not keys.offloaded and owner.decrypt(x.rotate_rows(3, keys))[0] == 3


@pytest.mark.parametrize("device", gpu_devices())
def test_what_a_graph_cannot_have(device: DeviceName) -> None:
    """Keys that may leave the card before the graph runs; operations in another stream."""
    context = bfv.Context(bfv.Parameters.preset(4096), device)
    keys = context.generate_keys(rotations=[1])
    x = keys.encrypt(range(8))

    def turned(a: bfv.Ciphertext) -> bfv.Ciphertext:
        return a.rotate_rows(1, keys.rotations)

    if not context.graph(turned, x).is_recorded:
        pytest.skip("the host's run records nothing")
    for cached in (0, 2):
        keys.offload(cached)
        with pytest.raises(ParameterError, match=r"in host memory cannot be part of a graph.*load"):
            context.graph(turned, x)
    keys.load()
    assert keys.decrypt(context.graph(turned, x)(x))[:3].tolist() == [1, 2, 3]
    ordinal = core.parse_device(device)
    stream = core.make_stream(ordinal)

    def elsewhere(a: bfv.Ciphertext) -> bfv.Ciphertext:
        with context.on_stream(stream):
            return a + a

    with pytest.raises(ParameterError, match="operations are being recorded"):
        context.graph(elsewhere, x)
    cuda.synchronize(device)
    core.destroy_stream(ordinal, stream)


@pytest.mark.parametrize("device", ["cpu", *gpu_devices()[:1]])
def test_refusals(device: DeviceName) -> None:
    context = bfv.Context(bfv.Parameters.preset(4096), device)
    keys = context.generate_keys(rotations=[1])
    assert keys.rotations is not None
    with pytest.raises(ParameterError, match="cached = -1"):
        keys.rotations.offload(-1)
    with pytest.raises(ArgumentTypeError, match="cached"):
        keys.rotations.offload(1.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="offload = -1"):
        context.generate_keys(offload=-1)
    with pytest.raises(ArgumentTypeError, match="offload"):
        bfv.RotationKeys.from_bytes(context, keys.rotations.to_bytes(), offload="2")  # type: ignore[arg-type]
    assert not keys.rotations.offloaded
    bare = bfv.Context(bfv.Parameters.preset(2048), device).generate_keys()
    bare.offload()
    bare.load()
