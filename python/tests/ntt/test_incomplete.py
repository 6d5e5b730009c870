# SPDX-License-Identifier: Apache-2.0
"""Transforms of few layers against their definition and the algorithms of FIPS 203 and FIPS 204."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest

import nttforge
from nttforge import NttPlan, ParameterError
from nttforge.spec import transform
from nttforge_oracle import fips, incomplete

KEM_Q, DSA_Q = 3329, 8380417
# X^2 modulo X^2 - gamma [FIPS 203, Appendix A], X modulo X - zeta^(2 BitRev(i) + 1) [FIPS 204, B].
KEM_GAMMAS = [17, 3312, 2761, 568, 583, 2746, 2649, 680, 1637, 1692, 723, 2606, 2288, 1041]
DSA_ZETAS = [1753, 6444997, 5720892, 6924527, 2660408, 6600190, 8321269, 2772600, 1182243, 87208]


def _unit(index: int) -> list[int]:
    return [int(i == index) for i in range(256)]


def _random(q: int, n: int, rng: random.Random) -> list[int]:
    return [rng.choice((0, 1, q - 1, rng.randrange(q))) for _ in range(n)]


@pytest.mark.parametrize("word_bits", [32, 64])
def test_the_words_of_the_standards(word_bits: int) -> None:
    rng = random.Random(203)
    kem = NttPlan(256, KEM_Q, layers=7, word_bits=word_bits)  # type: ignore[arg-type]
    dsa = NttPlan(256, DSA_Q, word_bits=word_bits)  # type: ignore[arg-type]
    assert kem.spec.roots == (17,) and dsa.spec.roots == (1753,)
    assert kem.forward(_unit(2))[::2][: len(KEM_GAMMAS)].tolist() == KEM_GAMMAS
    assert not kem.forward(_unit(2))[1::2].any()
    assert dsa.forward(_unit(1))[::2][: len(DSA_ZETAS)].tolist() == DSA_ZETAS
    for _ in range(3):
        f, g = _random(KEM_Q, 256, rng), _random(KEM_Q, 256, rng)
        x, y = kem.forward(f), kem.forward(g)
        assert x.tolist() == fips.kem_ntt(f)
        assert kem.inverse(x).tolist() == fips.kem_inverse(x.tolist()) == f
        product = kem.multiply(x, y)
        assert product.tolist() == fips.kem_multiply(x.tolist(), y.tolist())
        want = transform.polynomial_product(f, g, KEM_Q)
        assert kem.polynomial_product(f, g).tolist() == want == kem.inverse(product).tolist()
        w = _random(DSA_Q, 256, rng)
        assert dsa.forward(w).tolist() == fips.dsa_ntt(w)
        assert dsa.inverse(fips.dsa_ntt(w)).tolist() == fips.dsa_inverse(fips.dsa_ntt(w)) == w


def test_a_matrix_times_a_vector_of_ml_kem() -> None:
    """A s + e with k = 3 as values, by terms, from small signed secrets."""
    rng = np.random.default_rng(3)
    kem = NttPlan(256, KEM_Q, layers=7)
    a = rng.integers(0, KEM_Q, (3, 3, 256), np.uint64)
    s, e = rng.integers(-2, 3, (2, 3, 256))  # signed
    transformed = kem.forward(s)
    t = kem.forward(e)
    for j in range(3):
        kem.multiply_accumulate(
            np.ascontiguousarray(a[:, j]), np.broadcast_to(transformed[j], (3, 256)).copy(), t
        )
    for i in range(3):
        want = [int(v) for v in kem.forward(e[i])]
        for j in range(3):
            term = fips.kem_multiply(a[i, j].tolist(), transformed[j].tolist())
            want = [(x + y) % KEM_Q for x, y in zip(want, term, strict=True)]
        assert t[i].tolist() == want
    product = kem.sum_of_products(kem.inverse(a[0]), s)  # without e
    assert ((product + (e[0] % KEM_Q).astype(np.uint64)) % KEM_Q == kem.inverse(t)[0]).all()


@pytest.mark.parametrize("ring", ["negacyclic", "cyclic"])
@pytest.mark.parametrize("order", ["natural", "bit_reversed"])
def test_limbs_orders_and_rings(ring: transform.Ring, order: transform.Order) -> None:
    rng = random.Random(5)
    moduli, n, layers = [97, KEM_Q, nttforge.ntt_primes(32, 60)[0]], 32, 3
    plan = NttPlan(n, moduli, ring, output_order=order, layers=layers)
    a, b = ([_random(q, n, rng) for q in moduli] for _ in range(2))
    x, y = plan.forward(a), plan.forward(b)
    product, whole = plan.multiply(x, y), plan.polynomial_product(a, b)
    for i, q in enumerate(moduli):
        assert x[i].tolist() == incomplete.forward(a[i], q, layers, ring, order)
        want = incomplete.multiply(x[i].tolist(), y[i].tolist(), q, layers, ring, order)
        assert product[i].tolist() == want
        assert whole[i].tolist() == transform.polynomial_product(a[i], b[i], q, ring)
    assert plan.inverse(x).tolist() == a


def test_plans_pickle_and_state_their_layers() -> None:
    plan = NttPlan(256, KEM_Q, layers=7, roots=17)
    again = pickle.loads(pickle.dumps(plan))
    assert again.spec == plan.spec and again.spec.layers == 7 and "layers=7" in repr(again)
    assert (again.forward(_unit(2)) == plan.forward(_unit(2))).all()
    assert NttPlan(256, 7681).spec.layers is None


def test_recipes_and_wisdom_are_those_of_the_complete_part() -> None:
    plan = NttPlan(256, KEM_Q, layers=7)
    candidates = nttforge.candidate_recipes(plan.spec)
    for found in candidates:
        own = NttPlan(256, KEM_Q, layers=7, recipe=found.recipe)
        assert own.recipe == found.recipe
        assert own.forward(_unit(2))[::2][: len(KEM_GAMMAS)].tolist() == KEM_GAMMAS
    assert {c.recipe["target"] for c in candidates} == set(nttforge.available_targets())
    slow = NttPlan(256, KEM_Q, layers=7, algorithm="stockham")
    assert slow.forward(_unit(2))[::2][: len(KEM_GAMMAS)].tolist() == KEM_GAMMAS


@pytest.mark.parametrize(
    ("n", "q", "changes", "message"),
    [
        (
            256,
            KEM_Q,
            {},
            "with this q use layers = 7, an incomplete transform, or n <= 128; or take",
        ),
        (256, KEM_Q, {"transform": "any"}, "both need q = 1 (mod 512), and 3329 = 257 (mod 512)"),
        (256, KEM_Q, {"layers": 8}, "X^256 + 1 has no more than 128 such factors modulo this q"),
        (256, KEM_Q, {"layers": 0}, "layers = 0 with n = 256: need 1 to log2(n) = 8"),
        (256, KEM_Q, {"layers": 7, "input_order": "bit_reversed"}, "does not go with layers"),
        (256, KEM_Q, {"layers": 7, "device": "cuda"}, "layers = 7 goes with device = 'cpu' only"),
        (256, KEM_Q, {"layers": 7, "device": "rtl"}, "layers = 7 goes with device = 'cpu' only"),
        (256, KEM_Q, {"layers": 7, "roots": 5}, "roots[0] = 5 is not a primitive 256-th root"),
        (100, KEM_Q, {}, "nttforge.convolve takes rows of any length"),
    ],
)
def test_refusals(n: int, q: int, changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        NttPlan(n, q, **changes)  # type: ignore[arg-type]
    assert message in str(error.value)


def test_an_incomplete_transform_has_no_trace() -> None:
    with pytest.raises(ParameterError, match="layers = 7: need a complete transform"):
        NttPlan(256, KEM_Q, layers=7, algorithm="dit").trace(_unit(0))
