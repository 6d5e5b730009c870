# SPDX-License-Identifier: Apache-2.0
"""GPU plans on the arrays and streams of PyTorch and CuPy. Needs a GPU; `make gpu-test` runs it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import cuda

if not cuda.is_available():
    pytest.skip("no GPU can be used here", allow_module_level=True)

N, LIMBS = 1024, 2
Q = nttforge.ntt_primes(N, 60, LIMBS)


def library(name: str) -> Any:
    """The module; missing ones are skipped unless NTTFORGE_REQUIRE_LIBRARIES is set."""
    if "NTTFORGE_REQUIRE_LIBRARIES" in os.environ:
        return importlib.import_module(name)
    return pytest.importorskip(name)


@pytest.fixture
def torch() -> Any:
    return library("torch")


@pytest.fixture
def cupy() -> Any:
    return library("cupy")


@pytest.fixture
def plan() -> nttforge.NttPlan:
    return nttforge.NttPlan(N, Q, device="cuda")


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(3).integers(0, min(Q), size=(3, LIMBS, N), dtype=np.uint64)


@pytest.fixture
def want(x: np.ndarray) -> np.ndarray:
    return nttforge.NttPlan(N, Q).forward(x)


def tensor(torch: Any, x: np.ndarray) -> Any:
    return torch.from_numpy(x.view(np.int64)).cuda().view(torch.uint64)


def copy_of(x: Any) -> Any:
    return x.clone() if hasattr(x, "clone") else x.copy()


def words(t: Any) -> np.ndarray:
    return t.view(__import__("torch").int64).cpu().numpy().view(np.uint64)


def test_torch_in_and_out(torch: Any, plan: Any, x: Any, want: Any) -> None:
    t = tensor(torch, x)
    y = plan.forward(t)
    assert isinstance(y, torch.Tensor) and y.dtype == torch.uint64 and y.shape == t.shape
    assert (words(y) == want).all() and (cuda.to_host(y) == want).all()
    assert plan.inverse(y, out=y) is y
    assert (words(y) == x).all()


def test_torch_streams_and_graph(torch: Any, plan: Any, x: Any, want: Any) -> None:
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        t = tensor(torch, x)
        y = plan.forward(t)
    stream.synchronize()
    assert (words(y) == want).all()
    t = tensor(torch, x)
    y = plan.forward(t, stream=stream)  # waits for the current stream
    stream.synchronize()
    assert (words(y) == want).all()
    with pytest.raises(nttforge.SizeError, match="not contiguous"):
        plan.forward(t.transpose(0, 1).contiguous().transpose(0, 1))

    work, out = torch.empty_like(t), torch.empty_like(t)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        plan.polynomial_product(t, t, out=out, workspace=work)
        plan.forward(t, out=t)
    graph.replay()
    torch.cuda.synchronize()
    assert (words(t) == want).all()
    assert (words(out) == nttforge.NttPlan(N, Q).polynomial_product(x, x)).all()


def test_capture_refuses_allocation(torch: Any, plan: Any, x: Any) -> None:
    own = cuda.to_device(x)
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.graph(graph, stream=side):
        with pytest.raises(nttforge.ParameterError, match="before the capture"):
            cuda.empty(8, stream=torch.cuda.current_stream())
        plan.forward(own, out=own, stream=torch.cuda.current_stream())
    graph.replay()
    torch.cuda.synchronize()
    assert (own.to_host() == nttforge.NttPlan(N, Q).forward(x)).all()


def test_torch_refusals(torch: Any, plan: Any, x: Any) -> None:
    t = tensor(torch, x)
    with pytest.raises(nttforge.ArgumentTypeError, match=r"view\(torch.uint64\)"):
        plan.forward(t.view(torch.int64))
    with pytest.raises(nttforge.ArgumentTypeError, match=r"torch\.float32"):
        plan.forward(torch.zeros(LIMBS, N, device="cuda"))
    with pytest.raises(nttforge.ArgumentTypeError, match="a tensor on device 'cpu'"):
        plan.forward(t.cpu())
    with pytest.raises(nttforge.SizeError, match="overlap partly"):
        flat = torch.empty(t.numel() + 2, dtype=torch.int64, device="cuda").view(torch.uint64)
        shifted = flat[2:].view(t.shape)
        plan.forward(flat[:-2].view(t.shape), out=shifted)
    flat.view(torch.int64)[1:-1].copy_(t.view(torch.int64).flatten())  # 8 bytes past a boundary
    assert (words(plan.forward(flat[1:-1].view(t.shape))) == words(plan.forward(t))).all()
    bad = t.clone().view(torch.int64)
    bad[2, 1, 7] = Q[1]
    with pytest.raises(nttforge.ParameterError, match=rf"x\[2\]\[1\]\[7\] = {Q[1]}"):
        plan.forward(bad.view(torch.uint64), check=True)


def test_cupy_in_and_out(cupy: Any, plan: Any, x: Any, want: Any) -> None:
    c = cupy.asarray(x)
    y = plan.forward(c)
    assert isinstance(y, cupy.ndarray) and (y.get() == want).all()
    assert plan.inverse(y, out=y) is y and (y.get() == x).all()
    with cupy.cuda.Stream(non_blocking=True) as stream:
        z = plan.polynomial_product(cupy.asarray(x), cupy.asarray(x))
        stream.synchronize()
    assert (z.get() == nttforge.NttPlan(N, Q).polynomial_product(x, x)).all()
    with pytest.raises(nttforge.SizeError, match="not C-contiguous"):
        plan.forward(cupy.asarray(np.asfortranarray(x[0])))
    with pytest.raises(nttforge.ArgumentTypeError, match="float64"):
        plan.forward(cupy.zeros((LIMBS, N)))
    narrow = nttforge.NttPlan(N, nttforge.ntt_primes(N, 30, 1), word_bits=32, device="cuda")
    ones = cupy.ones((1, N), dtype=cupy.uint32)
    assert (narrow.inverse(narrow.forward(ones)) == ones).all()


def test_device_arrays_are_shared(cupy: Any, torch: Any, plan: Any, x: Any, want: Any) -> None:
    own = cuda.to_device(x)
    seen = cupy.from_dlpack(own)
    also = cupy.asarray(own)
    as_tensor = torch.from_dlpack(own)
    plan.forward(own, out=own)
    cuda.synchronize()
    assert (seen.get() == want).all() and (also.get() == want).all()
    assert (words(as_tensor) == want).all()
    used = cuda.memory_info().used
    del own
    assert cuda.memory_info().used == used  # the others keep it alive
    assert (seen.get() == want).all()
    del seen, also, as_tensor
    assert cuda.memory_info().used == used - x.nbytes


def test_generic_dlpack_and_interface(cupy: Any, plan: Any, x: Any, want: Any) -> None:
    class OnlyDlpack:
        def __init__(self, array: Any) -> None:
            self.array = array

        def __dlpack__(self, **keywords: Any) -> Any:
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self) -> Any:
            return self.array.__dlpack_device__()

    class OnlyInterface:
        def __init__(self, array: Any) -> None:
            self.__cuda_array_interface__ = array.__cuda_array_interface__
            self.kept = array

    for wrapper in (OnlyDlpack, OnlyInterface):
        y = plan.forward(wrapper(cupy.asarray(x)))
        assert isinstance(y, cuda.DeviceArray) and (y.to_host() == want).all()
        source = cupy.asarray(x)
        wrapped = wrapper(source)
        assert plan.forward(wrapped, out=wrapped) is wrapped
        assert (source.get() == want).all()
    with pytest.raises(
        nttforge.ParameterError, match=r"x is not in the memory of a GPU \(address 0x"
    ):
        host = OnlyInterface(cupy.asarray(x))
        host.__cuda_array_interface__["data"] = (x.ctypes.data, False)
        plan.forward(host)


#: A stream that goes away while a result made in it lives on, and the other way round.
STREAMS = """
import gc, sys, numpy as np, nttforge
from nttforge import cuda
plan = nttforge.NttPlan(4096, nttforge.ntt_primes(4096, 60, 2), device="cuda")
a = np.arange(8192, dtype=np.uint64).reshape(2, 4096)
x = cuda.to_device(a)
want = nttforge.NttPlan(4096, plan.spec.moduli).forward(a)
if sys.argv[1] == "cupy":
    import cupy
    def new(): return cupy.cuda.Stream(non_blocking=True)
else:
    import torch
    def new(): return torch.cuda.Stream()
for _ in range(3):
    s = new()
    y = plan.forward(x, stream=s)
    s.synchronize()
    del s
    gc.collect()
    del y
    plan.forward(x)
    plan.forward(x)
    s = new()
    y = plan.forward(x, stream=s)
    out = cuda.empty(x.shape)
    plan.forward(x, out=out, stream=s)
    del s
    gc.collect()
    assert (plan.inverse(y, stream=0).to_host() == a).all()
    assert (plan.inverse(y).to_host() == a).all() and (out.to_host() == want).all()
    s = new()
    with s:
        if sys.argv[1] == "cupy":  # a given result of the library's current stream
            plan.forward(cupy.asarray(a), out=out)
        else:
            plan.forward(torch.from_numpy(a.view(np.int64)).cuda().view(torch.uint64), out=out)
    del s
    gc.collect()
    del y
    assert (plan.inverse(out, stream=0).to_host() == a).all()
cuda.synchronize()
"""


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_results_keep_their_stream(name: str) -> None:
    library(name)
    done = subprocess.run(
        [sys.executable, "-c", STREAMS, name], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_memory_is_released_during_a_capture(torch: Any, plan: Any, x: Any, want: Any) -> None:
    t, out = tensor(torch, x), tensor(torch, x)
    dropped = [cuda.to_device(x), plan.forward(cuda.to_device(x), stream=torch.cuda.Stream())]
    used = cuda.memory_info().used
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        plan.forward(t, out=out)
        dropped.clear()
    graph.replay()
    torch.cuda.synchronize()
    assert (words(out) == want).all() and cuda.memory_info().used < used


def test_quick_and_careful_calls_agree(torch: Any, cupy: Any, plan: Any, x: Any, want: Any) -> None:
    t, c, own = tensor(torch, x), cupy.asarray(x), cuda.to_device(x)
    for given in (t, c, own):
        again = plan.forward(given)  # the short way
        careful = plan.forward(given, check=True)
        assert type(again) is type(careful) is type(given)
        assert (cuda.to_host(again) == want).all() and (cuda.to_host(careful) == want).all()
        product = plan.multiply(given, again)
        assert (cuda.to_host(product) == nttforge.NttPlan(N, Q).multiply(x, want)).all()
        assert plan.inverse(again, out=again) is again and (cuda.to_host(again) == x).all()
        for other in (t, c, own):  # results in another library's array
            if other is not given:
                place = cuda.to_device(x) if other is own else copy_of(other)
                plan.forward(given, out=place)
                assert (cuda.to_host(place) == want).all()
    flat = torch.zeros(t.numel() + 1, dtype=torch.int64, device="cuda").view(torch.uint64)
    with pytest.raises(nttforge.SizeError, match="x and out overlap partly"):
        plan.forward(flat[:-1].view(t.shape), out=flat[1:].view(t.shape))
    with pytest.raises(nttforge.SizeError, match="x has shape"):
        plan.forward(t[..., :-1].contiguous())
    with pytest.raises(nttforge.ArgumentTypeError, match="on device 'cpu'"):
        plan.forward(t, out=t.cpu())


def test_a_reset_by_somebody_else_is_noticed() -> None:
    code = """
import ctypes, numpy as np, nttforge
from nttforge import cuda
plan = nttforge.NttPlan(1024, 12289, device="cuda")
a = np.arange(1024, dtype=np.uint64)
x = cuda.to_device(a)
driver = ctypes.CDLL("libcuda.so.1")
assert driver.cuDevicePrimaryCtxReset_v2(0) == 0
for call in (lambda: plan.forward(x), x.to_host, lambda: x.__cuda_array_interface__):
    try:
        call()
    except nttforge.ContextError as error:
        assert "was reset" in str(error)
    else:
        raise AssertionError("no error")
plan, y = nttforge.NttPlan(1024, 12289, device="cuda"), cuda.to_device(a)
assert (plan.forward(y).to_host() == nttforge.NttPlan(1024, 12289).forward(a)).all()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_little_memory_is_said_before_it_fails(torch: Any) -> None:
    free = cuda.memory_info().free
    with pytest.raises(nttforge.UnsupportedError, match=r"\d+ bytes .*(free|limit)"):
        cuda.empty(free // 8 * 2)
    cuda.set_memory_limit(1 << 20)
    try:
        with pytest.raises(nttforge.UnsupportedError, match="exceed the memory limit"):
            nttforge.NttPlan(2**15, nttforge.ntt_primes(2**15, 60, 4), device="cuda")
    finally:
        cuda.set_memory_limit(cuda.memory_info().total // 10 * 9)
    assert (torch.ones(4, device="cuda").sum() == 4).item()  # the device is as it was
