# SPDX-License-Identifier: Apache-2.0
"""rns.json: residues and big integers, conversions, BEHZ steps, scaling, and the steps as data."""

from __future__ import annotations

from math import isqrt, prod

from .. import bgv_steps, steps
from ..behz import Behz, extend_definition, floor_definition, twice_floor_bound
from ..number_theory import ntt_primes
from ..rns import (
    compose,
    compose_garner,
    decompose,
    fast_convert,
    mod_down,
    round_divide,
)
from ..scale import DecryptScale
from ..step import RnsStep, then
from .rules import below


def _bases() -> dict[str, tuple[tuple[int, ...], int, int]]:
    """Name -> moduli, t, n."""
    return {
        "one small prime": ((97,), 2, 8),
        "three 30-bit primes": (tuple(ntt_primes(64, 30, 3)), 257, 64),
        "two 36-bit primes": (tuple(ntt_primes(4096, 36, 2)), 786433, 4096),
        "50-bit primes, some taken from the auxiliary base": (
            tuple(ntt_primes(4096, 50, 5)[1::2]),
            65537,
            4096,
        ),
        "mixed sizes": (
            tuple(ntt_primes(1024, bits, 1)[0] for bits in (62, 30, 50, 61, 20)),
            12289,
            1024,
        ),
        "two 62-bit primes, t of 60 bits": (
            tuple(ntt_primes(1024, 62, 2)),
            ntt_primes(1024, 60, 1)[0],
            1024,
        ),
        "twelve 60-bit primes": (tuple(ntt_primes(16384, 60, 12)), 2, 16384),
    }


def _some_integers(bound: int, count: int) -> list[int]:
    edges = [0, 1, bound - 1, bound // 2, bound // 2 + 1]
    return [*edges, *(below(bound, i) for i in range(count))]


def _residues_case(moduli: tuple[int, ...], targets: list[int]) -> dict[str, object]:
    values = []
    for x in _some_integers(prod(moduli), 4):
        residues = decompose(x, moduli)
        assert compose(residues, moduli) == compose_garner(residues, moduli) == x
        values.append(
            {
                "x": str(x),
                "residues": residues,
                "converted": fast_convert(residues, moduli, targets),
            }
        )
    return {
        "moduli": list(moduli),
        "product": str(prod(moduli)),
        "targets": targets,
        "step": steps.conversion(moduli, targets).as_json(),
        "values": values,
    }


def _floor_inputs(behz: Behz) -> list[int]:
    """Tensor product sums up to the largest magnitude, (F - k) Q / t."""
    numerator, denominator = twice_floor_bound(behz.q, behz.t, behz.n, behz.terms)
    largest = (
        (numerator - 2 * len(behz.q) * denominator) * prod(behz.q) // (2 * denominator * behz.t)
    )
    spread = [below(2 * largest, 100 + i) - largest for i in range(4)]
    return [0, 1, -1, largest, -largest, prod(behz.q), *spread]


def _behz_case(name: str, q: tuple[int, ...], t: int, n: int, terms: int) -> dict[str, object]:
    behz = Behz(q, t, n, terms=terms)
    numerator, denominator = twice_floor_bound(q, t, n, terms)
    bound = numerator // (2 * denominator)
    extend = []
    for x in _some_integers(prod(q), 5):
        residues = decompose(x, q)
        result = behz.extend(residues)
        assert result == decompose(extend_definition(x, q), behz.bsk)
        extend.append({"q": residues, "bsk": result})
    floor = []
    for x in _floor_inputs(behz):
        x_q, x_bsk = decompose(x, q), decompose(x, behz.bsk)
        floored = behz.floor(x_q, x_bsk)
        value = floor_definition(x, t, q)
        assert floored == decompose(value, behz.bsk)
        floor.append(
            {"x": str(x), "q": x_q, "bsk": x_bsk, "floor": floored, "to_q": decompose(value, q)}
        )
    to_q = [
        {"x": str(x), "bsk": decompose(x, behz.bsk), "q": behz.to_q(decompose(x, behz.bsk))}
        for x in (0, 1, -1, bound, -bound)
    ]
    return {
        "name": name,
        "q": list(q),
        "t": t,
        "n": n,
        "terms": terms,
        "bsk": list(behz.bsk),
        "floor_bound": str(bound),
        "steps": {
            "extend": steps.behz_extend(q, behz.bsk).as_json(),
            "floor": steps.behz_floor(q, behz.bsk, t).as_json(),
            "to_q": steps.behz_to_q(behz.bsk, q).as_json(),
        },
        "extend": extend,
        "floor": floor,
        "to_q": to_q,
    }


def _scale_case(name: str, q: tuple[int, ...], t: int) -> dict[str, object]:
    scale, big_q = DecryptScale(q, t), prod(q)
    plain = sorted({0, 1, t - 1, t // 2, (t + 1) // 2, *(below(t, 200 + i) for i in range(4))})
    low, high = scale.exact_interval()
    phases = _some_integers(big_q, 4)
    for m in plain[:2] + plain[-2:]:
        # The ends of the exact interval: t x - Q m as large, and as small, as it may be.
        largest = -((-big_q * m - high) // t) - 1
        smallest = -((-big_q * m - low) // t)
        phases += [x % big_q for x in (largest, largest + 1, smallest, smallest - 1)]
        # Around the noise of which half a bit of budget is left; steps of Q / 2^30 are resolved.
        limit, step = isqrt(big_q**2 // 8), big_q >> 30
        noises = (limit - step, limit + step, -limit - step, -limit + step)
        phases += [round_divide(big_q * m + noise, t) % big_q for noise in noises]
    return {
        "name": name,
        "q": list(q),
        "t": t,
        "gamma": scale.gamma,
        "steps": {
            "encrypt": steps.encrypt(q, t).as_json(),
            "decrypt": steps.decrypt(q, t, scale.gamma).as_json(),
        },
        "encrypt": [{"m": m, "residues": scale.encrypt(m)} for m in plain],
        "decrypt": [
            {
                "x": str(x),
                "residues": decompose(x, q),
                "m": scale.decrypt(decompose(x, q)),
                "exhausted": scale.exhausted(decompose(x, q)),
            }
            for x in phases
        ],
    }


def _mod_down_case(moduli: tuple[int, ...]) -> dict[str, object]:
    p = moduli[-1]
    inputs = [*_some_integers(prod(moduli), 4), p // 2, p // 2 + 1, p, prod(moduli) - p // 2]
    return {
        "moduli": list(moduli),
        "step": steps.mod_down(moduli).as_json(),
        "values": [
            {"x": str(x), "in": decompose(x, moduli), "out": mod_down(decompose(x, moduli), moduli)}
            for x in inputs
        ],
    }


def _step_case(
    operation: str, step: RnsStep, reach: int, **parameters: object
) -> dict[str, object]:
    """A step of its own, with its values at some integers of magnitude below ``reach``."""
    values = []
    for x in [0, reach - 1, 1 - reach, *(below(2 * reach, 300 + i) - reach for i in range(3))]:
        own = decompose(x, step.targets) if step.own else []
        residues = decompose(x, step.sources)
        values.append({"x": residues, "own": own, "out": step.value(residues, own)})
    return {"operation": operation, **parameters, "step": step.as_json(), "values": values}


def _step_cases() -> list[dict[str, object]]:
    """Operations that no other part of the file has, over bases of three kinds."""
    cases = []
    for q, others, t in (
        (tuple(ntt_primes(64, 30, 3)), tuple(ntt_primes(64, 29, 2)), 257),
        (tuple(ntt_primes(1024, bits, 1)[0] for bits in (62, 30, 50)), (97, 2**61 - 1), 2**40 + 1),
        ((3, 5, 7), (11, 13), 2),
    ):
        bases = {"q": list(q), "targets": list(others)}
        reach = prod(q) ** 2
        cases += [
            _step_case("mod_down_fast", steps.mod_down_fast(others, q), reach, **bases),
            _step_case("mod_down_nearest", steps.mod_down_nearest(others, q), reach, **bases),
            _step_case("switch_modulus", steps.switch_modulus(q, t), reach, q=list(q), t=t),
            _step_case("hps_extend", steps.hps_extend(q, others), reach, **bases),
            _step_case("hps_extend_floor", steps.hps_extend(q, others, False), reach, **bases),
            _step_case("hps_scale", steps.hps_scale(q, others, t), reach, **bases, t=t),
            _step_case(
                "hps_scale", steps.hps_scale(q, others, t, 77), reach, **bases, t=t, multiple=77
            ),
            _step_case("hps_decrypt", steps.hps_decrypt(q, t), reach, q=list(q), t=t),
        ]
        plain, gamma, factor = {"q": list(q), "t": t}, DecryptScale(q, t).gamma, 10**6 + 3
        back = bgv_steps.reduce_centred(q, t, gamma, factor)
        cases += [
            _step_case(
                "lift_centred", bgv_steps.lift_centred(q, t, factor), t, **plain, factor=factor
            ),
            _step_case("reduce_centred", back, prod(q) // 3, **plain, factor=factor),
        ]
    q, special, t = (3, 5, 7), (11, 13), 17
    cases.append(
        _step_case(
            "hps_scale", steps.hps_scale(q, special, 143), 1000, q=list(q), targets=[11, 13], t=143
        )
    )
    step = steps.digits(q, (*q, *special), 2)[0]
    cases += [
        _step_case("digit", step, 1000, q=list(q), targets=[*q, *special], primes=2),
        _step_case(
            "switch_modulus_fast",
            steps.switch_modulus_fast(q, special, t),
            10**6,
            q=list(special),
            targets=list(q),
            t=t,
        ),
    ]
    return cases


def _chain_cases() -> list[dict[str, object]]:
    """Two steps that follow one another, and the same with the second scale in the first step."""
    behz = Behz(tuple(ntt_primes(64, 30, 3)), 257, 64)
    offset = steps.mod_down_fast((7, 11, 13), (3, 5))
    pairs = [
        (steps.behz_floor(behz.q, behz.bsk, behz.t), steps.behz_to_q(behz.bsk, behz.q)),
        (offset, steps.hps_extend((7, 11, 13), (17,))),
        (steps.hps_extend((17, 19), (7, 11, 13)), steps.conversion((7, 11, 13), (5, 2))),
        (offset, RnsStep((7, 11, 13), (17,), factors=((1, 2, 3),))),
    ]
    return [
        {
            "steps": [step.as_json() for step in pair],
            "folded": [step.as_json() for step in then(*pair)],
        }
        for pair in pairs
    ]


def rns_vectors() -> dict[str, object]:
    """Content of rns.json."""
    bases = _bases()
    targets = [2**32, 3, 65537, ntt_primes(1024, 50, 1)[0], 2**62 - 57]
    other = [(3, 5, 7), (2, 9, 25, 49)]
    behz = [(name, q, t, n, 16) for name, (q, t, n) in bases.items()]
    behz += [(name, *bases[name], 1) for name in ("mixed sizes", "three 30-bit primes")]
    return {
        "description": "bases: x, its residues, and the fast base conversion (no correction) to "
        "the targets. behz: the auxiliary base (m_sk last), constants and steps of the BEHZ "
        "product; x of floor and to_q may be negative. scale: round(Q m / t) and [Bad18b] Alg. 2, "
        "also at both ends of its exact interval and one beyond. mod_down: x divided by the last "
        "modulus and rounded. step: what the builder of the operation gives (fields that are "
        "empty are left out). steps: operations with values of theirs; q are the sources but for "
        "mod_down, where they are the primes that leave. chains: two steps, and the same folded.",
        "bases": [
            _residues_case(q, targets) for q in [*other, *(base[0] for base in bases.values())]
        ],
        "behz": [_behz_case(*case) for case in behz],
        "scale": [_scale_case(name, q, t) for name, (q, t, _) in bases.items()],
        "mod_down": [_mod_down_case(q) for q, _, _ in bases.values() if len(q) > 1],
        "steps": _step_cases(),
        "chains": _chain_cases(),
    }
