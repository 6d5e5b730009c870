# SPDX-License-Identifier: Apache-2.0
"""GPU plans and arrays: on "cuda:host" everywhere, on the first GPU where there is one."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from nttforge._core import cuda as core

import nttforge
from nttforge import cuda

if not core.host_in_this_build():
    pytest.skip("needs a build with NTTFORGE_CUDA_HOST=ON", allow_module_level=True)

GPU = cuda.is_available()
DEVICES = ["cuda:host", *(["cuda"] if GPU else [])]
GOLDILOCKS = 2**64 - 2**32 + 1


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def residues(plan: nttforge.NttPlan, batch: int = 2, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, q, size=(batch, plan.n), dtype=np.uint64) for q in plan.spec.moduli]
    return np.ascontiguousarray(np.stack(rows, axis=1).astype(plan.dtype))


def both(device: str, n: int = 256, bits: int = 60, limbs: int = 2, **keywords: Any) -> Any:
    q = nttforge.ntt_primes(n, bits, limbs)
    cpu = nttforge.NttPlan(n, q, **keywords)
    return nttforge.NttPlan(n, q, device=device, **keywords), cpu


def test_required_gpu_is_there() -> None:
    if "NTTFORGE_REQUIRE_GPU" in os.environ:
        assert cuda.why_unavailable() == ""


@pytest.mark.parametrize("bits, word_bits", [(30, 32), (50, 64), (60, 64)])
@pytest.mark.parametrize("order", ["natural", "bit_reversed"])
def test_words_are_those_of_the_cpu(device: str, bits: int, word_bits: int, order: str) -> None:
    plan, cpu = both(device, bits=bits, word_bits=word_bits, output_order=order)
    a, b = residues(cpu), residues(cpu, seed=2)
    x, y = cuda.to_device(a, device), cuda.to_device(b, device)
    assert (plan.forward(x).to_host() == cpu.forward(a)).all()
    assert (plan.inverse(x).to_host() == cpu.inverse(a)).all()
    assert (plan.multiply(x, y).to_host() == cpu.multiply(a, b)).all()
    assert (plan.polynomial_product(x, y).to_host() == cpu.polynomial_product(a, b)).all()
    assert plan.multiply_accumulate(x, y, x) is x
    assert (cuda.to_host(x) == cpu.multiply_accumulate(a, b, a.copy())).all()


def test_arrays_without_limb_axis_and_in_place(device: str) -> None:
    plan = nttforge.NttPlan(64, 7681, device=device)
    cpu = nttforge.NttPlan(64, 7681)
    a = residues(cpu)[:, 0, :]
    x = cuda.to_device(a, device)
    assert plan.forward(x, out=x) is x
    assert (x.to_host() == cpu.forward(np.ascontiguousarray(a))).all()


def test_plan_says_where_and_how_and_pickles(device: str) -> None:
    plan, cpu = both(device)
    assert plan.device == ("cuda:host" if device == "cuda:host" else "cuda:0")
    assert cpu.device == "cpu"
    assert f"device='{plan.device}'" in repr(plan)
    again = pickle.loads(pickle.dumps(plan))
    assert (again.device, again.spec, again.recipe) == (plan.device, plan.spec, plan.recipe)
    exact = nttforge.NttPlan(plan.n, plan.spec.moduli, device=device, recipe=plan.recipe)
    assert exact.recipe == plan.recipe


def test_device_array_is_an_array(device: str) -> None:
    a = np.arange(24, dtype=np.uint64).reshape(2, 3, 4)
    x = cuda.to_device(a, device)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.dtype) == ((2, 3, 4), 3, 24, 192, np.uint64)
    assert repr(x) == f"DeviceArray(shape=(2, 3, 4), dtype=uint64, device='{x.device}')"
    assert (x.reshape(6, 4).to_host() == a.reshape(6, 4)).all()
    assert (pickle.loads(pickle.dumps(x)).to_host() == a).all()
    assert cuda.empty((0, 5), np.uint32, device).to_host().shape == (0, 5)
    strided = np.arange(24, dtype=np.uint64)[::2]
    assert (cuda.to_device(strided, device).to_host() == strided).all()


def test_dlpack_shares_memory() -> None:
    x = cuda.to_device(np.arange(8, dtype=np.uint64), "cuda:host")
    assert x.__dlpack_device__() == (1, 0)
    y = np.from_dlpack(x)
    y[3] = 77
    assert x.to_host()[3] == 77
    before = cuda.memory_info("cuda:host").used
    del x
    assert (y[:3] == [0, 1, 2]).all() and cuda.memory_info("cuda:host").used == before
    del y
    assert cuda.memory_info("cuda:host").used < before
    with pytest.raises(BufferError, match="own memory only"):
        cuda.empty(8, device="cuda:host").__dlpack__(copy=True)

    class Refuses:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

        def __dlpack__(self, **_: Any) -> Any:
            raise BufferError("needs gradients")

    with pytest.raises(nttforge.UnsupportedError, match="DLPack: needs gradients"):
        nttforge.NttPlan(8, 17, device="cuda:host").forward(Refuses())


def test_memory_is_counted_limited_and_given_back(device: str) -> None:
    before = cuda.memory_info(device)
    x = cuda.empty(1 << 17, device=device)
    assert cuda.memory_info(device).used == before.used + (1 << 20)
    cuda.set_memory_limit(before.used + (2 << 20), device)
    try:
        with pytest.raises(nttforge.UnsupportedError, match="exceed the memory limit"):
            cuda.empty(1 << 19, device=device)
    finally:
        cuda.set_memory_limit(before.limit, device)
    del x
    assert cuda.memory_info(device).used == before.used
    cuda.release_cached_memory(device)


def test_recipes_are_explored_and_remembered(device: str) -> None:
    plan, _ = both(device, n=4096, limbs=1)
    candidates = cuda.candidate_recipes(plan.spec, device)
    assert len(candidates) > 1 and candidates[0].recipe == plan.recipe
    seen = []
    found = cuda.explore(plan.spec, device, budget=0.5, progress=lambda *a: seen.append(a))
    assert seen and found.best.measured_ns > 0 and found.best.state == "measured"
    assert all(r.state != "wrong" for r in found)
    wisdom = nttforge.Wisdom()
    wisdom.remember(found)
    wisdom = pickle.loads(pickle.dumps(wisdom))
    chosen = nttforge.NttPlan(4096, plan.spec.moduli, device=device, wisdom=wisdom)
    assert chosen.recipe == found.best.recipe


def test_plans_are_used_from_threads(device: str) -> None:
    plan, cpu = both(device, n=1024)
    a = residues(cpu, batch=8)
    want = cpu.forward(a)
    wrong = []

    def work() -> None:
        for _ in range(4):
            x = cuda.to_device(a, device)
            if not (plan.forward(x).to_host() == want).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_interpreter_ends_cleanly_with_arrays_alive(device: str) -> None:
    code = (
        "import nttforge, numpy as np; from nttforge import cuda\n"
        f"plan = nttforge.NttPlan(256, 7681, device={device!r})\n"
        f"x = cuda.to_device(np.arange(256, dtype=np.uint64), {device!r})\n"
        "y = plan.forward(x)\n"
        "class Late:\n"
        "    def __del__(self): plan.forward(y)\n"
        "late = Late()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == ""


# Bad input. Each case: what is called with (plan, x), n = 16, x of shape (2, 2, 16), and the error.

A = nttforge.ArgumentTypeError
P = nttforge.ParameterError
S = nttforge.SizeError
U = nttforge.UnsupportedError


def new(shape: Any, dtype: Any = np.uint64) -> Any:
    return lambda d: cuda.empty(shape, dtype, d)


class Interface:
    """An array of another library, as it describes itself."""

    def __init__(self, **changes: Any) -> None:
        self.__cuda_array_interface__ = {
            "shape": (2, 2, 16),
            "typestr": "<u8",
            "data": (4096, False),
            "strides": None,
            "version": 3,
        } | changes


BAD_CALLS = {
    "numpy input": (lambda p, x: p.forward(np.zeros((2, 16), np.uint64)), A, r"to_device\(x\)"),
    "list input": (lambda p, x: p.forward([[0] * 16] * 2), A, "a list in host memory"),
    "no array": (lambda p, x: p.forward("words"), A, "x is a str: need an array on a device"),
    "none": (lambda p, x: p.forward(None), A, "x is a NoneType"),
    "numpy out": (
        lambda p, x: p.forward(x, out=np.zeros((2, 2, 16), np.uint64)),
        A,
        "out is a NumPy",
    ),
    "uint32 for uint64": (
        lambda p, x: p.forward(cuda.empty((2, 16), np.uint32, x.device)),
        A,
        "x has dtype uint32: need uint64",
    ),
    "uint32 out": (
        lambda p, x: p.forward(x, out=cuda.empty((2, 2, 16), np.uint32, x.device)),
        A,
        "out has dtype uint32",
    ),
    "float dtype": (lambda p, x: cuda.empty(4, np.float64, x.device), A, "dtype is float64"),
    "signed dtype": (lambda p, x: cuda.to_device(np.arange(4), x.device), A, "x.dtype is int64"),
    "swapped bytes": (lambda p, x: cuda.empty(4, ">u8", x.device), A, "need uint64 or uint32"),
    "no dtype": (lambda p, x: cuda.empty(4, "words", x.device), A, "dtype = 'words'"),
    "n too small": (lambda p, x: p.forward(cuda.empty((2, 8), device=x.device)), S, "need .*2, 16"),
    "limbs missing": (lambda p, x: p.forward(cuda.empty(16, device=x.device)), S, "limbs, n"),
    "more limbs than moduli": (
        lambda p, x: p.forward(cuda.empty((3, 16), device=x.device)),
        S,
        r"x has shape \(3, 16\): need \(\.\.\., 2, 16\)",
    ),
    "shapes differ": (
        lambda p, x: p.multiply(x, cuda.empty((2, 16), device=x.device)),
        S,
        "need equal shapes",
    ),
    "out of another shape": (
        lambda p, x: p.forward(x, out=cuda.empty((2, 16), device=x.device)),
        S,
        r"out has shape \(2, 16\): need \(2, 2, 16\)",
    ),
    "accumulator of another shape": (
        lambda p, x: p.multiply_accumulate(x, x, cuda.empty((2, 16), device=x.device)),
        S,
        "accumulator has shape",
    ),
    "no accumulator": (lambda p, x: p.multiply_accumulate(x, x, None), A, "accumulator is None"),
    "workspace is an argument": (
        lambda p, x: p.polynomial_product(x, x, workspace=x),
        S,
        "workspace overlaps",
    ),
    "workspace of another shape": (
        lambda p, x: p.polynomial_product(x, x, workspace=cuda.empty((2, 16), device=x.device)),
        S,
        "workspace has shape",
    ),
    "other device": (
        lambda p, x: p.forward(cuda.empty((2, 16), device="cuda:host2")),
        P,
        "x is on cuda:host2 and the plan on",
    ),
    "out on another device": (
        lambda p, x: p.forward(x, out=cuda.empty((2, 2, 16), device="cuda:host2")),
        P,
        "out is on cuda:host2",
    ),
    "stream is text": (lambda p, x: p.forward(x, stream="main"), A, "stream is a str"),
    "stream is a bool": (lambda p, x: p.forward(x, stream=True), A, "not a bool"),
    "negative stream": (lambda p, x: p.forward(x, stream=-1), P, "stream = -1"),
    "no stream's address": (lambda p, x: p.forward(x, stream=0x1234), P, "stream = 4660 is not"),
    "residue not reduced": (
        lambda p, x: p.forward(
            cuda.to_device(np.full((1, 2, 16), 2**63, np.uint64), x.device), check=True
        ),
        P,
        r"^x\[0\]\[0\]\[0\] = 9223372036854775808 is not reduced",
    ),
    "trace": (lambda p, x: p.trace([1] * 16), P, "no trace"),
    "reshape": (lambda p, x: x.reshape(3, 5), S, r"shape \(3, 5\) has not the 64 words"),
    "numpy.asarray": (lambda p, x: np.asarray(x), A, "does not turn into a NumPy array by itself"),
    "negative shape": (lambda p, x: cuda.empty((2, -1), device=x.device), P, r"shape\[1\] = -1"),
    "too much memory": (
        lambda p, x: cuda.empty(2**47, device=x.device),
        U,
        "1125899906842624 bytes .*(limit|free)",
    ),
    "no limit": (lambda p, x: cuda.set_memory_limit(0, x.device), P, "limit = 0"),
    "limit is a float": (lambda p, x: cuda.set_memory_limit(1e9, x.device), A, "need an integer"),
    "strided": (lambda p, x: p.forward(Interface(strides=(512, 256, 16))), S, "not C-contiguous"),
    "interface of floats": (lambda p, x: p.forward(Interface(typestr="<f8")), A, "is float64"),
}

BAD_PLANS = {
    "unknown device": ({"device": "gpu"}, P, 'device = "gpu" is unknown'),
    "unknown number": ({"device": "cuda:x"}, P, '"cuda:1" the second'),
    "no such device": ({"device": "cuda:1000"}, (P, U), "does not exist|no NVIDIA|no GPU kernels"),
    "threads": ({"threads": 2}, P, "threads = 2 goes with device = 'cpu' only"),
    "target": ({"target": "avx2"}, P, "target = 'avx2' goes with device = 'cpu' only"),
    "algorithm": ({"algorithm": "stockham"}, P, "goes with device = 'cpu' only"),
    "transform": ({"transform": "dgt", "moduli": [11]}, P, "with this q use n <= 4;"),
    "recipe and wisdom": ({"recipe": {}, "wisdom": "empty"}, P, "give one of them"),
    "recipe member": ({"recipe": {"speed": 9}}, nttforge.FormatError, "unknown member"),
    "recipe of a CPU": (
        {"recipe": {"target": "scalar", "arithmetic": ["shoup64"]}},
        nttforge.FormatError,
        "recipe",
    ),
    "recipe not built": ({"recipe": {"algorithm": "magic"}}, U, "no GPU kernel for the recipe"),
    "recipe of another word": ({"recipe": {"word_bits": 32}}, P, "recipe.word_bits = 32"),
    "not a prime": ({"moduli": [15]}, P, "15"),
    "no such root": ({"moduli": [11]}, P, "11"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(device: str, case: str) -> None:
    call, error, text = BAD_CALLS[case]
    if "Interface" in call.__code__.co_names and not core.in_this_build():
        error, text = (error, U), f"{text}|no GPU kernels"
    plan = nttforge.NttPlan(16, nttforge.ntt_primes(16, 60, 2), device=device)
    before = np.zeros((2, 2, 16), np.uint64)
    x = cuda.to_device(before, device)
    with pytest.raises(error, match=text):
        call(plan, x)
    # Nothing changed, and the device still works.
    assert (plan.forward(x, out=x).to_host() == 0).all()


def test_what_was_made_before_a_reset_is_refused() -> None:
    plan, cpu = both("cuda:host2")
    a = residues(cpu)
    old = cuda.to_device(a, "cuda:host2")
    core.reset_host(core.parse_device("cuda:host2"))
    calls = (
        lambda: plan.forward(old),
        lambda: plan.multiply(old, old),
        lambda: old.to_host(),
        lambda: cuda.to_host(old),
        lambda: pickle.dumps(old),
        lambda: np.from_dlpack(old),
    )
    again, _ = both("cuda:host2")
    new = cuda.to_device(a, "cuda:host2")  # may stand where the old one did
    for call in (*calls, lambda: again.forward(old), lambda: again.forward(new, out=old)):
        with pytest.raises(nttforge.ContextError, match="was reset since this array or plan"):
            call()
    assert (again.forward(new).to_host() == cpu.forward(a)).all()


@pytest.mark.parametrize("case", BAD_PLANS)
def test_bad_plans(device: str, case: str) -> None:
    keywords, error, text = BAD_PLANS[case]
    arguments = {"n": 16, "moduli": [7681], "device": device} | keywords
    if "wisdom" in keywords:
        arguments["wisdom"] = nttforge.Wisdom()
    with pytest.raises(error, match=text):
        nttforge.NttPlan(**arguments)


def test_a_cpu_plan_has_no_streams() -> None:
    plan = nttforge.NttPlan(16, 7681)
    with pytest.raises(P, match="leave it out"):
        plan.forward(np.zeros(16, np.uint64), stream=0)


def test_doctor_says_whether_the_host_runs_kernels(capsys: pytest.CaptureFixture[str]) -> None:
    from nttforge.cli import main

    assert main(["doctor"]) == 0
    assert GPU or "device='cuda:host' runs GPU kernels on the CPU" in capsys.readouterr().out


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_without_a_gpu_one_sentence_says_why() -> None:
    why = cuda.why_unavailable()
    assert why and "\n" not in why
    assert cuda.devices() == []
    for call in (
        lambda: nttforge.NttPlan(16, 7681, device="cuda"),
        lambda: cuda.empty(4),
        lambda: cuda.describe(),
        lambda: cuda.memory_info(),
    ):
        with pytest.raises(U, match=why[:30].replace("(", r"\(")):
            call()
