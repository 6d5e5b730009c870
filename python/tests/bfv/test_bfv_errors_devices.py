# SPDX-License-Identifier: Apache-2.0
"""Bad input on GPUs: the CPU's words, objects of other memories, too little memory, a reset."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from devices import gpu_devices
from nttforge._core import cuda as core
from test_bfv_errors import CASES, World

import nttforge
from nttforge import bfv, bgv, cuda
from nttforge.typing import DeviceName

SMALL = bfv.Parameters.preset(4096)


@pytest.fixture(scope="module")
def cpu() -> World:
    return World()


@pytest.fixture(scope="module", params=gpu_devices())
def gpu(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def refusal(call: Callable[[World], Any], world: World) -> tuple[str, str]:
    """Kind and words of the error, without the names of the contexts' devices."""
    with pytest.raises(nttforge.NttforgeError) as caught:
        call(world)
    text = str(caught.value)
    for where in ("cpu, 1 thread, target chosen", "cuda:host", "cuda"):
        text = text.replace(where, "somewhere")
    return type(caught.value).__name__, text


@pytest.mark.parametrize("call", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_the_words_are_those_of_the_cpu(
    cpu: World, gpu: World, call: Callable[[World], Any]
) -> None:
    before = [thing.to_bytes() for thing in (gpu.a, gpu.product, gpu.plain)]
    assert refusal(call, gpu) == refusal(call, cpu)
    assert before == [thing.to_bytes() for thing in (gpu.a, gpu.product, gpu.plain)]


#: What is asked of one world with something of the other.
MIXED: dict[str, Callable[[World, World], Any]] = {
    "add": lambda w, o: w.a + o.a,
    "multiply": lambda w, o: o.a * w.a,
    "plain": lambda w, o: w.a * o.plain,
    "prepared": lambda w, o: w.a * o.plain.prepare(),
    "sum": lambda w, o: bfv.add_many([w.a, o.a]),
    "dot": lambda w, o: bfv.sum_of_products([w.a], [o.a]),
    "relinearize": lambda w, o: w.product.relinearize(o.keys.relinearization),
    "rotate": lambda w, o: w.a.rotate_rows(1, o.keys.rotations),
    "decrypt": lambda w, o: w.keys.decrypt(o.a),
    "budget": lambda w, o: w.keys.noise_budget_bits(o.a),
    "encrypt": lambda w, o: bfv.Encryptor(w.keys.public).encrypt(o.plain),
    "decode": lambda w, o: w.encoder.decode(o.plain),
    "stack": lambda w, o: bfv.stack([w.a, o.a]),
}


@pytest.mark.parametrize("name", MIXED)
def test_objects_of_other_memories(cpu: World, gpu: World, name: str) -> None:
    for one, other in ((cpu, gpu), (gpu, cpu)):
        with pytest.raises(nttforge.ContextError) as caught:
            MIXED[name](one, other)
        text = str(caught.value)
        assert "belongs to" in text and "move it with to(context)" in text, text
        assert repr(cpu.context) in text and repr(gpu.context) in text, text


@pytest.fixture(params=gpu_devices())
def limited(request: pytest.FixtureRequest) -> Iterator[tuple[DeviceName, Callable[[int], None]]]:
    """A device, and what leaves so many bytes on it."""
    name: DeviceName = request.param
    before = cuda.memory_info(name).limit

    def leave(count: int) -> None:
        cuda.set_memory_limit(cuda.memory_info(name).used + count, name)

    yield name, leave
    cuda.set_memory_limit(before, name)


def test_too_little_memory(limited: tuple[DeviceName, Callable[[int], None]]) -> None:
    device, leave = limited
    context = bfv.Context(SMALL, device)
    keys = context.generate_keys(rotations=[1])
    x = keys.encrypt([1, 2, 3])
    data, public = x.to_bytes(), keys.public.to_bytes()
    sizes = SMALL.memory_sizes()
    used = cuda.memory_info(device).used
    leave(1000)
    calls: list[tuple[Callable[[], Any], str]] = [
        (lambda: x * x, "bytes"),
        (lambda: keys.encrypt([[1]] * 8), "bytes"),
        (lambda: bfv.Ciphertext.from_bytes(context, data), "bytes"),
        (lambda: keys.public.to(context), "bytes"),
        (lambda: context.generate_keys(), f"the keys need {_bytes_of_keys(sizes, 0)} bytes"),
        (
            lambda: context.generate_keys(rotations=[1, 2, 3]),
            f"bytes each need {_bytes_of_keys(sizes, 3)} bytes",
        ),
        (
            lambda: bfv.KeyGenerator(keys.secret).rotation_keys([1, 2]),
            f"2 rotation keys of {sizes['rotation_key']} bytes each",
        ),
        (
            lambda: bfv.RotationKeys.from_bytes(context, keys.rotations.to_bytes()),
            "1 rotation keys",
        ),
        (lambda: bfv.Context(bfv.Parameters.preset(8192), device), "the tables of a context"),
        (lambda: bgv.Context(bgv.Parameters.preset(4096), device), "the tables of a context"),
    ]
    for call, what in calls:
        with pytest.raises(nttforge.UnsupportedError) as caught:
            call()
        text = str(caught.value)
        assert what in text and str(used) in text and "set_memory_limit" in text, text
        assert cuda.memory_info(device).used == used, text
    leave(2**30)
    assert x.to_bytes() == data and keys.public.to_bytes() == public
    assert keys.decrypt((x * x).relinearize(keys.relinearization))[:3].tolist() == [1, 4, 9]


def _bytes_of_keys(sizes: dict[str, int], rotations: int) -> int:
    fixed = sizes["secret_key"] + sizes["public_key"] + sizes["relinearization_key"]
    return fixed + (rotations + 1) * sizes["rotation_key"]


def test_a_device_that_was_reset() -> None:
    """On the host's second device, whose memory no other test's objects are in."""
    if not core.host_in_this_build():
        pytest.skip("no host's run of GPU kernels in this build")
    device: Any = "cuda:host2"
    context = bfv.Context(SMALL, device)
    keys = context.generate_keys(rotations=[1])
    x = keys.encrypt([1, 2, 3])
    encoder, plain = bfv.BatchEncoder(context), bfv.BatchEncoder(context).encode([4])
    data, pickled = x.to_bytes(), pickle.dumps(x)
    core.reset_host(core.parse_device(device))
    again = bfv.Context(SMALL, device)
    later = again.generate_keys(rotations=[1])
    calls: list[Callable[[], Any]] = [
        lambda: x.to_bytes(),
        lambda: x.residues,
        lambda: x.same_words(x),
        lambda: x + x,
        lambda: x * x,
        lambda: x.rotate_rows(1, keys.rotations),
        lambda: keys.public.to_bytes(),
        lambda: keys.decrypt(x),
        lambda: keys.encrypt([1]),
        lambda: encoder.encode(np.arange(3)),
        lambda: encoder.decode(plain),
        lambda: plain.coefficients,
        lambda: bfv.Ciphertext.from_bytes(context, data),
        lambda: bfv.stack([x, x]),
        lambda: x.to(again),
        lambda: later.encrypt([1]) + x,
        lambda: later.encrypt([1]).rotate_rows(1, keys.rotations),
        lambda: later.encrypt([1]).to(context),
        lambda: context.generate_keys(),
    ]
    for i, call in enumerate(calls):
        with pytest.raises(nttforge.ContextError, match="was reset since"):
            call()
            raise AssertionError(f"call {i} was not refused")
    moved = bfv.Ciphertext.from_bytes(again, data)
    assert moved.to_bytes() == data
    assert pickle.loads(pickled).to_bytes() == data
    assert later.decrypt(later.encrypt([5]) * 2)[0] == 10
