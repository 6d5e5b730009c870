# SPDX-License-Identifier: Apache-2.0
"""NttPlan against the oracle, and what arrays may be."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan, ntt_primes
from nttforge.spec import transform
from nttforge_oracle.fast import forward_fast

TARGETS = nttforge.available_targets()
ORDERS = ("natural", "bit_reversed")
GOLDILOCKS = 2**64 - 2**32 + 1


def _classes(n: int) -> list[tuple[int, int]]:
    """(q, word_bits) of every arithmetic class, next to the class limits."""
    sizes = (
        (29, 32),
        (30, 32),
        (31, 32),
        (32, 32),
        (30, 64),
        (49, 64),
        (50, 64),
        (51, 64),
        (61, 64),
        (62, 64),
    )
    return [(ntt_primes(n, b)[0], w) for b, w in sizes] + [(GOLDILOCKS, 64)]


def _residues(rng: random.Random, n: int, q: int) -> list[int]:
    values = [rng.randrange(q) for _ in range(n)]
    values[rng.randrange(n)] = q - 1
    return values


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [1, 2, 4, 8, 32, 128])
def test_every_position_equals_the_definition(n: int, target: str) -> None:
    rng = random.Random(n)
    for q, bits in _classes(n):
        for ring in ("negacyclic", "cyclic"):
            a = _residues(rng, n, q)
            natural = transform.forward(a, q, ring, output_order="natural")
            for i in ORDERS:
                for o in ORDERS:
                    plan = NttPlan(n, q, ring, i, o, bits, target=target)
                    x = plan.forward(transform.reorder(a, i))
                    assert x.tolist() == transform.reorder(natural, o), plan
                    assert plan.inverse(x).tolist() == transform.reorder(a, i), plan


@pytest.mark.parametrize("target", TARGETS)
def test_edges_of_the_range(target: str) -> None:
    n = 64
    for q, bits in _classes(n):
        for a in ([0] * n, [q - 1] * n, [q - 1] + [0] * (n - 1), [0] * (n - 1) + [1]):
            plan = NttPlan(n, q, word_bits=bits, target=target)
            assert plan.forward(a).tolist() == forward_fast(a, q), plan
            assert plan.inverse(plan.forward(a)).tolist() == a, plan


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [1024, 4096, 65536])
def test_sampled_positions_of_large_transforms(n: int, target: str) -> None:
    rng = random.Random(n)
    for q, bits in [
        (ntt_primes(n, 30)[0], 32),
        (ntt_primes(n, 50)[0], 64),
        (ntt_primes(n, 62)[0], 64),
    ]:
        for ring in ("negacyclic", "cyclic"):
            a = _residues(rng, n, q)
            plan = NttPlan(n, q, ring, output_order="natural", word_bits=bits, target=target)
            x = plan.forward(a)
            points = rng.sample(range(n), 2)
            assert x[points].tolist() == transform.forward_at(a, points, q, ring), plan
            assert plan.inverse(x).tolist() == a


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("bits", [32, 64])
def test_batches_of_several_limbs(target: str, bits: int) -> None:
    rng = np.random.default_rng(3)
    n, moduli = 32, ntt_primes(32, 28 if bits == 32 else 50, 3)
    plan = NttPlan(n, moduli, word_bits=bits, target=target, threads=2)
    x = np.stack([rng.integers(0, q, (2, 5, n), dtype=plan.dtype) for q in moduli], axis=2)
    assert x.shape == (2, 5, 3, n)
    y = plan.forward(x)
    for index in np.ndindex(2, 5, 3):
        q = moduli[index[2]]
        assert y[index].tolist() == forward_fast(x[index].tolist(), q)
    assert (plan.inverse(y) == x).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
def test_products(target: str, ring: str) -> None:
    rng = random.Random(4)
    n = 16
    for q, bits in _classes(n):
        plan = NttPlan(n, q, ring, word_bits=bits, target=target)
        a, b, c = (_residues(rng, n, q) for _ in range(3))
        assert plan.polynomial_product(a, b).tolist() == transform.polynomial_product(a, b, q, ring)
        pointwise = [x * y % q for x, y in zip(a, b, strict=True)]
        assert plan.multiply(a, b).tolist() == pointwise
        several = [
            np.array([[x, y], [y, z], [z, z]], plan.dtype) for x, y, z in ((a, b, c), (b, c, a))
        ]
        terms = [transform.polynomial_product(x, y, q, ring) for x, y in ((a, b), (b, c), (c, a))]
        sums = plan.sum_of_products(*several)
        assert sums[0].tolist() == [sum(column) % q for column in zip(*terms, strict=True)]
        assert (plan.sum_of_products(*several, out=np.empty_like(sums)) == sums).all()
        accumulator = np.array(c, dtype=plan.dtype)
        assert plan.multiply_accumulate(a, b, accumulator) is accumulator
        assert accumulator.tolist() == [(x + z) % q for x, z in zip(pointwise, c, strict=True)]


def test_roots_can_be_given() -> None:
    q = ntt_primes(8, 20)[0]
    psi = nttforge.smallest_root_of_unity(16, q)
    other = pow(psi, 3, q)
    plan = NttPlan(8, q, output_order="natural", roots=other)
    assert plan.spec.roots == (other,)
    a = list(range(8))
    assert plan.forward(a).tolist() == transform.forward(a, q, output_order="natural", root=other)


def test_limb_axis_follows_the_type_of_moduli() -> None:
    x = np.arange(8, dtype=np.uint64)
    assert NttPlan(8, 17).forward(x).shape == (8,)
    assert NttPlan(8, [17]).forward(x.reshape(1, 8)).shape == (1, 8)
    assert NttPlan(8, np.int64(17)).forward(x).shape == (8,)
    with pytest.raises(nttforge.SizeError, match=r"need \(\.\.\., 1, 8\)"):
        NttPlan(8, [17]).forward(x)


def test_out_is_written_and_returned() -> None:
    plan = NttPlan(8, 17)
    x = np.arange(8, dtype=np.uint64)
    want = plan.forward(x)
    assert x.tolist() == list(range(8))
    out = np.empty_like(x)
    assert plan.forward(x, out=out) is out
    assert (out == want).all()
    assert plan.forward(x, out=x) is x
    assert (x == want).all()
    assert plan.inverse(x, out=x).tolist() == list(range(8))
    b = np.full(8, 2, dtype=np.uint64)
    assert plan.multiply(x, b, out=b) is b


def test_memory_is_used_in_place() -> None:
    class Wrapped:
        def __init__(self, array: np.ndarray) -> None:
            self.__array_interface__ = array.__array_interface__
            self.array = array

    class Dlpack:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack__(self, **keywords: object) -> object:
            return self.array.__dlpack__(**keywords)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    plan = NttPlan(8, 17)
    x = np.arange(8, dtype=np.uint64)
    want = plan.forward(x).tolist()
    assert plan.forward(Dlpack(x)).tolist() == want
    assert plan.forward(memoryview(x)).tolist() == want
    y = x.copy()
    plan.forward(Wrapped(y), out=Wrapped(y))
    assert y.tolist() == want
    buffer = bytearray(x.tobytes())
    view = np.frombuffer(buffer, dtype=np.uint64)
    plan.forward(view, out=view)
    assert np.frombuffer(buffer, dtype=np.uint64).tolist() == want


def test_a_device_array_is_refused_with_a_reason() -> None:
    class OnGpu:
        def __dlpack__(self) -> object:
            raise AssertionError("must not be asked")

        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

    with pytest.raises(
        nttforge.UnsupportedError, match=r"x is in the memory of DLPack device type 2"
    ):
        NttPlan(8, 17).forward(OnGpu())


def test_empty_batch() -> None:
    assert NttPlan(8, [17, 97]).forward(np.empty((0, 2, 8), dtype=np.uint64)).shape == (0, 2, 8)


def test_unchecked_input_is_trusted_only_when_asked() -> None:
    plan = NttPlan(8, 17)
    x = np.full(8, 17, dtype=np.uint64)
    with pytest.raises(nttforge.ParameterError):
        plan.forward(x)
    assert plan.forward(x, check=False).shape == (8,)


def test_recipe_round_trip() -> None:
    plan = NttPlan(256, ntt_primes(256, 50, 2))
    assert set(plan.recipe) >= {"target", "arithmetic", "radix", "threads"}
    candidates = nttforge.candidate_recipes(plan.spec)
    assert plan.recipe in [c.recipe for c in candidates]
    costs = [c.predicted_ns for c in candidates]
    assert costs == sorted(costs)
    x = np.stack([np.arange(256, dtype=np.uint64)] * 2)
    for candidate in candidates:
        other = NttPlan(256, plan.spec.moduli, recipe=candidate.recipe)
        assert other.recipe == candidate.recipe
        assert (other.forward(x) == plan.forward(x)).all()


@pytest.mark.parametrize("moduli", [17, [97, 17]])
def test_pickle(moduli: object) -> None:
    plan = NttPlan(8, moduli, "cyclic", "bit_reversed", "natural", threads=2)
    again = pickle.loads(pickle.dumps(plan))
    assert again.spec == plan.spec and again.recipe == plan.recipe
    x = np.arange(8 * plan.limbs, dtype=np.uint64).reshape((8,) if plan.limbs == 1 else (2, 8))
    x %= 17
    assert (again.forward(x) == plan.forward(x)).all()


def test_threads_give_the_same_words() -> None:
    n, moduli = 1024, ntt_primes(1024, 50, 3)
    rng = np.random.default_rng(5)
    x = np.stack([rng.integers(0, q, (4, n), dtype=np.uint64) for q in moduli], axis=1)
    want = NttPlan(n, moduli).forward(x)
    for threads in (0, 2, 3):
        assert (NttPlan(n, moduli, threads=threads).forward(x) == want).all()


def test_the_interpreter_lock_is_released() -> None:
    """A Python thread goes on counting while another is inside one long transform.

    With the lock held it could count at most once before and once after the transform.  A busy
    machine may leave the counting thread without a core for one transform, hence the repetitions.
    """
    n = 2**16
    plan = NttPlan(n, ntt_primes(n, 50)[0])
    x = np.ones((96, n), dtype=np.uint64)
    ticks: list[float] = []
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)

    def ticks_of_one_call() -> int:
        start = time.perf_counter()
        plan._plan.core.forward(x, x)  # one call into the core, nothing of Python around it
        end = time.perf_counter()
        return sum(start < t < end for t in list(ticks))

    thread = threading.Thread(target=count)
    thread.start()
    try:
        assert any(ticks_of_one_call() >= 3 for _ in range(50))
    finally:
        done.set()
        thread.join()


def test_one_plan_in_several_threads() -> None:
    n = 4096
    plan = NttPlan(n, ntt_primes(n, 50)[0])
    rng = np.random.default_rng(6)
    inputs = [rng.integers(0, plan.spec.moduli[0], n, dtype=np.uint64) for _ in range(8)]
    want = [plan.forward(x) for x in inputs]
    got: list[np.ndarray | None] = [None] * 8

    def work(i: int) -> None:
        for _ in range(20):
            got[i] = plan.forward(inputs[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all((g == w).all() for g, w in zip(got, want, strict=True))


def test_environment_forces_a_target() -> None:
    code = (
        "import nttforge\n"
        "print(nttforge.active_target(), nttforge.NttPlan(64, 257).recipe['target'])"
    )
    environment = {**os.environ, "NTTFORGE_TARGET": "scalar"}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert result.stdout.split() == ["scalar", "scalar"]
    environment["NTTFORGE_TARGET"] = "mmx"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert result.returncode != 0 and "mmx" in result.stderr and "scalar" in result.stderr


def test_forced_target_is_the_one_that_runs() -> None:
    for target in TARGETS:
        assert NttPlan(1024, 12289, target=target).recipe["target"] == target


def test_description_of_the_machine() -> None:
    cpu = nttforge.describe_cpu()
    assert cpu.hardware_threads >= 1 and cpu.brand
    assert nttforge.active_target() in nttforge.available_targets()
