# SPDX-License-Identifier: Apache-2.0
"""GPU plans: DGT, mixed limbs, recipes of papers, a second GPU."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np
import pytest
from nttforge._core import cuda as core

import nttforge
from nttforge import cuda
from nttforge.cuda._streams import DEFAULT

if not core.host_in_this_build():
    pytest.skip("needs a build with NTTFORGE_CUDA_HOST=ON", allow_module_level=True)

GOLDILOCKS = 2**64 - 2**32 + 1
MERSENNE = 2**61 - 1
DEVICES = ["cuda:host", *(["cuda"] if cuda.is_available() else [])]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def residues(plan: nttforge.NttPlan, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = [rng.integers(0, q, size=(2, plan.n), dtype=np.uint64) for q in plan.spec.moduli]
    return np.ascontiguousarray(np.stack(rows, axis=1).astype(plan.dtype))


CASES: dict[str, dict[str, Any]] = {
    "dgt": {"moduli": [MERSENNE, 2**19 - 1], "transform": "dgt"},
    "dgt in 32 bits": {"moduli": [2**31 - 1], "transform": "any", "word_bits": 32},
    "dgt in natural order": {"moduli": [MERSENNE], "transform": "dgt", "output_order": "natural"},
    "goldilocks among others": {"moduli": [12289, GOLDILOCKS, 7681]},
    "32-bit primes": {"moduli": nttforge.ntt_primes(256, 32, 2), "word_bits": 32},
}


@pytest.mark.parametrize("case", CASES)
def test_words_are_those_of_the_cpu(device: str, case: str) -> None:
    plan = nttforge.NttPlan(256, device=device, **CASES[case])
    cpu = nttforge.NttPlan(256, **CASES[case])
    a, b = residues(cpu, 1), residues(cpu, 2)
    x, y = cuda.to_device(a, device), cuda.to_device(b, device)
    assert (plan.forward(x).to_host() == cpu.forward(a)).all()
    assert (plan.inverse(plan.forward(x)).to_host() == a).all()
    assert (plan.multiply(x, y).to_host() == cpu.multiply(a, b)).all()
    assert (plan.polynomial_product(x, y).to_host() == cpu.polynomial_product(a, b)).all()


def test_products_by_the_definition(device: str) -> None:
    plan = nttforge.NttPlan(64, MERSENNE, transform="dgt", device=device)
    a = [(7 * i + 1) ** 9 % MERSENNE for i in range(64)]
    b = [(5 * i + 3) ** 11 % MERSENNE for i in range(64)]
    want = [0] * 64
    for i in range(64):
        for j in range(64):
            sign = 1 if i + j < 64 else -1
            want[(i + j) % 64] = (want[(i + j) % 64] + sign * a[i] * b[j]) % MERSENNE
    x, y = (cuda.to_device(np.array(v, dtype=np.uint64), device) for v in (a, b))
    assert plan.polynomial_product(x, y).to_host().tolist() == want


def test_products_fused_and_composed(device: str) -> None:
    q = nttforge.ntt_primes(1024, 60, 2)
    candidates = cuda.candidate_recipes(nttforge.NttPlan(1024, q).spec, device)
    fused = next(c.recipe for c in candidates if c.recipe.get("product") == "fused")
    plan = nttforge.NttPlan(1024, q, device=device, recipe=fused)
    assert plan.recipe == fused
    recipe = {**fused, "product": "composed"}
    composed = nttforge.NttPlan(1024, plan.spec.moduli, device=device, recipe=recipe)
    assert "product" not in composed.recipe
    x, y = (cuda.to_device(residues(plan, seed), device) for seed in (1, 2))
    one, two = plan.polynomial_product(x, y), composed.polynomial_product(x, y)
    assert (one.to_host() == two.to_host()).all()


@pytest.mark.full
def test_recipes_of_papers(device: str) -> None:
    cpu = nttforge.NttPlan(512, nttforge.ntt_primes(512, 60, 2))
    a = residues(cpu, 1)
    recipes = cuda.paper_recipes(cpu.spec, device)
    assert {recipe["multiplication"] for recipe in recipes} == {
        "shoup",
        "native",
        "barrett",
        "montgomery",
    }
    for recipe in recipes:
        plan = nttforge.NttPlan(512, cpu.spec.moduli, device=device, recipe=recipe)
        assert plan.recipe == recipe
        x = cuda.to_device(a, device)
        assert (plan.forward(x).to_host() == cpu.forward(a)).all()
        assert (plan.inverse(x).to_host() == cpu.inverse(a)).all()


@pytest.mark.parametrize("word_bits, bits", [(64, 60), (32, 30)])
def test_factors_of_the_inverse(device: str, word_bits: int, bits: int) -> None:
    q = nttforge.ntt_primes(256, bits, 2)
    factors = [q[0] - 1, 12345]
    keywords: dict[str, Any] = {"word_bits": word_bits, "device": device}
    plan = nttforge.NttPlan(256, q, inverse_factors=factors, **keywords)
    cpu = nttforge.NttPlan(256, q, word_bits=word_bits)
    a = residues(cpu, 1)
    column = np.array(factors, dtype=object)[:, None]
    scaled = (a.astype(object) * column % np.array(q, dtype=object)[:, None]).astype(a.dtype)
    for one in (plan, pickle.loads(pickle.dumps(plan))):
        x = one.forward(cuda.to_device(a, device))
        assert (cuda.to_host(x) == cpu.forward(a)).all()
        assert (one.inverse(x).to_host() == scaled).all()
    one_limb = nttforge.NttPlan(256, q[0], inverse_factors=factors[0], **keywords)
    first = cuda.to_device(np.ascontiguousarray(cpu.forward(a)[:, 0]), device)
    assert (one_limb.inverse(first).to_host() == scaled[:, 0]).all()


def test_bad_factors_of_the_inverse() -> None:
    with pytest.raises(nttforge.ParameterError, match=r"factors\[1\] = 7681 is not reduced"):
        nttforge.NttPlan(16, [97, 193], device="cuda:host", inverse_factors=[1, 7681])
    with pytest.raises(nttforge.ParameterError, match="has 1 entries for 2 moduli"):
        nttforge.NttPlan(16, [97, 193], device="cuda:host", inverse_factors=[1])
    with pytest.raises(nttforge.ParameterError, match="goes with device = 'cuda' only"):
        nttforge.NttPlan(16, 97, inverse_factors=1)


class Shifted(cuda.DeviceArray):
    """An array that begins a byte later."""

    @property
    def address(self) -> int:
        return super().address + 1


def test_errors_of_the_core_name_the_argument(device: str) -> None:
    plan = nttforge.NttPlan(16, 97, device=device)
    array = cuda.empty((2, 16), np.uint64, device)
    shifted = Shifted(array._buffer, (1, 16), array.dtype, DEFAULT)
    with pytest.raises(nttforge.ParameterError, match="x is not aligned to its words"):
        plan.forward(shifted, out=cuda.empty((1, 16), np.uint64, device))


def second_gpu() -> str:
    if len(cuda.devices()) < 2:
        assert "NTTFORGE_REQUIRE_TWO_GPUS" not in os.environ
        pytest.skip("needs two GPUs")
    return "cuda:1"


def test_a_plan_on_the_second_gpu() -> None:
    name = second_gpu()
    plan = nttforge.NttPlan(4096, nttforge.ntt_primes(4096, 60, 3), device=name)
    first = nttforge.NttPlan(4096, plan.spec.moduli, device="cuda:0")
    cpu = nttforge.NttPlan(4096, plan.spec.moduli)
    a, b = residues(cpu, 1), residues(cpu, 2)
    x, y = cuda.to_device(a, name), cuda.to_device(b, name)
    z = cuda.to_device(a, "cuda:0")
    assert x.device == name and z.device == "cuda:0"
    for _ in range(3):
        assert (plan.forward(x).to_host() == cpu.forward(a)).all()
        assert (first.forward(z).to_host() == cpu.forward(a)).all()
        assert (plan.polynomial_product(x, y).to_host() == cpu.polynomial_product(a, b)).all()
    with pytest.raises(nttforge.ParameterError, match="cuda:0"):
        plan.forward(z)
    with pytest.raises(nttforge.ParameterError, match="cuda:1"):
        first.forward(x)


def test_tensors_on_the_second_gpu() -> None:
    torch = pytest.importorskip("torch")
    name = second_gpu()
    q = nttforge.ntt_primes(4096, 60, 1)
    plan, cpu = nttforge.NttPlan(4096, q, device=name), nttforge.NttPlan(4096, q)
    a = residues(cpu, 1)
    assert torch.cuda.current_device() == 0
    x = torch.from_numpy(a.view(np.int64)).to(name).view(torch.uint64)
    stream = torch.cuda.Stream(device=1)
    y = plan.forward(x)
    z = plan.forward(x, stream=stream)
    assert torch.cuda.current_device() == 0
    torch.cuda.synchronize(1)
    want = cpu.forward(a)
    for result in (y, z):
        assert result.device == torch.device("cuda", 1)
        assert (result.view(torch.int64).cpu().numpy().view(np.uint64) == want).all()
    with pytest.raises(nttforge.ParameterError, match="stream belongs to cuda:0"):
        plan.forward(x, stream=torch.cuda.Stream(device=0))
