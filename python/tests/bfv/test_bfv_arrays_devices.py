# SPDX-License-Identifier: Apache-2.0
"""Encoders with arrays on GPUs: DeviceArrays everywhere, CuPy and PyTorch where there is a card."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
from devices import KnowsTheHost, Stated, gpu_devices
from nttforge._core import cuda as core

import nttforge
from nttforge import bfv, bgv, cuda
from nttforge.typing import DeviceName

ENCODERS = ("BatchEncoder", "CoefficientEncoder")


@pytest.fixture(scope="module", params=gpu_devices())
def device(request: pytest.FixtureRequest) -> DeviceName:
    name: DeviceName = request.param
    return name


@pytest.fixture(scope="module", params=[bfv, bgv], ids=["bfv", "bgv"])
def scheme(request: pytest.FixtureRequest) -> ModuleType:
    module: ModuleType = request.param
    return module


@pytest.fixture(scope="module")
def context(scheme: ModuleType, device: DeviceName) -> Any:
    return scheme.Context(scheme.Parameters.preset(4096), device)


@pytest.fixture
def stated(device: DeviceName, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes such arrays; the memory of the host's run is none that the driver knows."""
    if device == "cuda:host":
        monkeypatch.setattr("nttforge.cuda._views._core", KnowsTheHost())
    return lambda values: Stated(values, device)


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("shape", [(4096,), (3, 4096), (2, 100), (0,), (1, 5)])
def test_unsigned_words(
    scheme: ModuleType, context: Any, device: DeviceName, name: str, shape: tuple[int, ...]
) -> None:
    encoder = getattr(scheme, name)(context)
    values = np.random.default_rng(1).integers(0, context.t, shape, dtype=np.uint64)
    plain = encoder.encode(values, signed=False)
    for dtype in (np.uint64, np.uint32):
        x = cuda.to_device(values.astype(dtype), device)
        for check in (True, False):
            assert encoder.encode(x, signed=False, check=check) == plain
    want = encoder.decode(plain, signed=False)
    like = cuda.to_device(np.zeros(1, np.uint64), device)
    got = encoder.decode(plain, like=like, signed=False)
    assert isinstance(got, cuda.DeviceArray) and got.device == like.device
    assert (got.to_host() == want).all() and got.shape == want.shape and got.dtype == want.dtype
    for dtype in (np.uint64, np.uint32):
        out = cuda.empty(want.shape, dtype, device)
        assert encoder.decode(plain, out=out, signed=False) is out and (out.to_host() == want).all()


@pytest.mark.parametrize("name", ENCODERS)
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_signed_words(
    scheme: ModuleType, context: Any, stated: Any, name: str, dtype: type[np.signedinteger[Any]]
) -> None:
    encoder = getattr(scheme, name)(context)
    t = context.t
    values = np.random.default_rng(2).integers(-(t // 2), (t - 1) // 2 + 1, (2, 999))
    plain = encoder.encode(values)
    x = stated(values.astype(dtype))
    assert encoder.encode(x) == encoder.encode(x, check=False) == plain
    assert encoder.encode(x, signed=False, check=False) == plain  # a range, no other meaning
    out = stated(np.zeros((2, 4096), dtype))
    assert encoder.decode(plain, out=out) is out
    assert (out.kept.to_host().view(dtype) == encoder.decode(plain)).all()


@pytest.mark.parametrize("name", ENCODERS)
def test_integers_beyond_t(scheme: ModuleType, context: Any, stated: Any, name: str) -> None:
    encoder = getattr(scheme, name)(context)
    rng = np.random.default_rng(3)
    wide = rng.integers(-(2**63), 2**63 - 1, 4096)
    want = encoder.encode([int(v) % context.t for v in wide], signed=False)
    assert encoder.encode(stated(wide), check=False) == want
    unsigned = rng.integers(0, 2**64 - 1, 4096, dtype=np.uint64)
    want = encoder.encode([int(v) % context.t for v in unsigned], signed=False)
    assert encoder.encode(stated(unsigned), signed=True, check=False) == want


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.uint32])
@pytest.mark.parametrize("signed", [True, False])
def test_out_of_range_in_the_words_of_the_cpu(
    scheme: ModuleType, context: Any, stated: Any, dtype: Any, signed: bool
) -> None:
    encoder = scheme.BatchEncoder(context)
    t = context.t
    bad = [t, -(t // 2) - 1, -1, (t - 1) // 2 + 1, np.iinfo(dtype).max, np.iinfo(dtype).min]
    refused = 0
    for value in bad:
        if not np.iinfo(dtype).min <= value <= np.iinfo(dtype).max:
            continue
        for shape, place in (((9,), (4,)), ((3, 5), (2, 1))):
            values = np.zeros(shape, dtype)
            values[place] = value
            x = stated(values)
            try:
                want = encoder.encode(values, signed=signed)
            except nttforge.ParameterError as error:
                with pytest.raises(nttforge.ParameterError) as caught:
                    encoder.encode(x, signed=signed)
                assert str(caught.value) == str(error)
                refused += 1
            else:
                assert encoder.encode(x, signed=signed) == want
    assert refused >= 2


def test_arrays_that_do_not_fit(
    scheme: ModuleType, context: Any, device: DeviceName, stated: Any
) -> None:
    encoder = scheme.BatchEncoder(context)
    plain = encoder.encode([1, 2])
    wide = scheme.Context(scheme.Parameters.preset(4096, nttforge.ntt_primes(4096, 34)[0]), device)
    far = scheme.BatchEncoder(wide)

    def words(shape: tuple[int, ...], dtype: Any = np.uint64) -> cuda.DeviceArray:
        return cuda.to_device(np.zeros(shape, dtype), device)

    host = np.zeros(4096, np.uint64)
    cases: list[tuple[Any, str, list[str]]] = [
        (lambda: encoder.encode(words((4097,))), "SizeError", ["4097", "n = 4096"]),
        (lambda: encoder.encode(words((2, 2, 2))), "SizeError", ["(2, 2, 2)"]),
        (lambda: encoder.encode(words((0, 4))), "SizeError", ["(0, 4)"]),
        (
            lambda: encoder.encode(stated(np.zeros(4, np.float64))),
            "ArgumentTypeError",
            ["values.dtype is float64: need uint64, uint32, int64 or int32"],
        ),
        (
            lambda: encoder.decode(plain, out=words((4095,)), signed=False),
            "SizeError",
            ["(4095,)", "(4096,)"],
        ),
        (
            lambda: encoder.decode(plain, out=words((4096,))),
            "ArgumentTypeError",
            ["out has dtype uint64: need int64 or int32 for signed values"],
        ),
        (
            lambda: far.decode(far.encode([1]), out=words((4096,), np.uint32), signed=False),
            "ArgumentTypeError",
            ["out has dtype uint32: need uint64 for"],
        ),
        (
            lambda: encoder.decode(plain, out=words((4096,)), like=words((1,)), signed=False),
            "ParameterError",
            ["leave one out"],
        ),
        (lambda: encoder.decode(plain, like=words((1,))), "ArgumentTypeError", ["unsigned"]),
        (
            lambda: encoder.decode(plain, like=host, signed=False),
            "ArgumentTypeError",
            ["like is a NumPy array"],
        ),
        (
            lambda: encoder.decode(plain, out=[0], signed=False),
            "ArgumentTypeError",
            ["need a NumPy array"],
        ),
        (lambda: encoder.decode(plain, out=host[:-1], signed=False), "SizeError", ["(4095,)"]),
        (lambda: encoder.decode(plain, out=host), "ArgumentTypeError", ["dtype uint64"]),
    ]
    for call, error, parts in cases:
        with pytest.raises(getattr(nttforge, error)) as caught:
            call()
        for part in parts:
            assert part in str(caught.value), str(caught.value)
    assert encoder.decode(plain, out=host, signed=False) is host and host[:2].tolist() == [1, 2]


def test_arrays_of_other_devices(scheme: ModuleType, context: Any, device: DeviceName) -> None:
    cpu = scheme.BatchEncoder(scheme.Context(scheme.Parameters.preset(4096)))
    x = cuda.to_device(np.zeros(4, np.uint64), device)
    with pytest.raises(nttforge.ParameterError, match="the context computes on the CPU: copy"):
        cpu.encode(x)
    with pytest.raises(nttforge.ParameterError, match="the context computes on the CPU"):
        cpu.decode(cpu.encode([1]), like=x)
    if core.host_in_this_build():
        other = cuda.to_device(np.zeros(4, np.uint64), "cuda:host2")
        with pytest.raises(nttforge.ParameterError, match="values is on cuda:host2 and the"):
            scheme.BatchEncoder(context).encode(other)


def test_products_of_arrays_on_the_device(
    scheme: ModuleType, context: Any, device: DeviceName
) -> None:
    keys = context.generate_keys()
    values = np.arange(2 * 4096, dtype=np.uint64).reshape(2, 4096) % 100
    x = keys.encrypt(cuda.to_device(values, device))
    assert (keys.decrypt(x * x) == values.astype(np.int64) ** 2).all()


@pytest.mark.parametrize("library", ["cupy", "torch"])
def test_arrays_of_libraries(scheme: ModuleType, library: str) -> None:
    """In a stream of theirs, which nobody waits for but the last copy to the host."""
    if not cuda.is_available():
        pytest.skip("no GPU")
    module = pytest.importorskip(library)
    context = scheme.Context(scheme.Parameters.preset(4096), "cuda")
    encoder = scheme.BatchEncoder(context)
    values = np.random.default_rng(4).integers(-100, 100, (2, 4096))
    if library == "cupy":
        stream: Any = module.cuda.Stream(non_blocking=True)
        make, take = module.asarray, module.asnumpy
    else:
        if not module.cuda.is_available():
            pytest.skip("PyTorch without CUDA")
        stream = module.cuda.stream(module.cuda.Stream())
        make = lambda a: module.as_tensor(a, device="cuda")  # noqa: E731
        take = lambda a: a.cpu().numpy()  # noqa: E731
    with stream:
        for _ in range(20):
            x = make(values) * 3
            plain = encoder.encode(x, check=False)
            x *= 0
            y = encoder.decode(plain, like=x) + 1
            z = encoder.decode(plain, out=x)
            assert z is x and type(y) is type(x)
            assert (take(y) == values * 3 + 1).all() and (take(x) == values * 3).all()
