# SPDX-License-Identifier: Apache-2.0
"""bgv_noise.json: predicted noise of BGV, the levels its rule takes, the recommended chains."""

from __future__ import annotations

from collections.abc import Sequence

from ..bgv import balance
from ..bgv_noise import Noise, NoiseModel
from ..bgv_presets import GUIDELINES_2024, equal_preset, preset
from ..gaussian import SIGMA_3_2, SIGMA_8_BOUND_48, ErrorDistribution
from ..number_theory import ntt_primes
from ..secrets import BINARY, TERNARY, Secret
from .rules import FNV_RULE, fnv1a

UNIT = 10**9  # bounds are written in billionths of a bit

PRESETS = (
    *((n, 65537) for n in (2048, 4096, 8192, 16384, 32768)),
    *((n, 2) for n in (1024, 2048, 4096, 16384)),
    *((n, 257) for n in (8192, 16384)),
    *((n, 786433) for n in (4096, 16384)),
    *((n, 2**32 - 5) for n in (2048, 8192)),
    (16384, 2**50 - 27),
    *((n, 2**59 - 55) for n in (4096, 8192, 32768)),
)


EQUAL_PRESETS = (  # n, t, bits of the largest prime, special primes (0: a quarter)
    (2048, 257, 30, 0),
    *((n, 65537, 30, 0) for n in (4096, 8192, 16384, 32768)),
    (8192, 2**32 - 5, 30, 0),
    *((16384, 65537, 30, special) for special in (1, 3)),
    *((32768, 65537, 50, special) for special in (2, 4)),
)


def _special(primes: Sequence[int]) -> dict[str, object]:
    """The special prime (0: none); where there are several, all of them."""
    if len(primes) < 2:
        return {"p": primes[0] if primes else 0}
    return {"special_primes": list(primes), "digit_primes": len(primes)}


def _units(noise: Noise) -> list[int]:
    return [round(x * UNIT) for x in (noise.coefficient, noise.canonical)]


def _case(
    n: int,
    t: int,
    sizes: tuple[int, ...],
    special: int,
    distribution: Secret = TERNARY,
    error: ErrorDistribution = SIGMA_3_2,
    specials: int = 1,
) -> dict[str, object]:
    """``specials`` special primes of ``special`` bits, digits of as many primes."""
    q: list[int] = []
    for bits in sizes:
        q += ntt_primes(n, bits, 1, [*q, t])
    p = ntt_primes(n, special, specials, [*q, t]) if special else []
    model = NoiseModel(n, q, t, p, distribution, float(error.sigma), specials)
    top, public, secret = model.top, model.fresh_public(), model.fresh_secret()
    noisy = model.multiply_plain(public, 3.0 * n * t)
    rows: list[tuple[object, ...]] = [
        ("fresh_public", public),
        ("fresh_secret", secret),
        ("rounding", model.rounding()),
        ("scale", public, -7, model.scale(public, -7)),
        ("add", public, secret, model.add(public, secret)),
        ("add balanced", public, secret, -3, 5, model.add(public, secret, -3, 5)),
        ("add_plain", public, model.add_plain(public)),
        ("multiply_plain", public, 12345, model.multiply_plain(public, 12345)),
        ("multiply", public, secret, 1, model.multiply(public, secret)),
        ("multiply", public, public, 16, model.multiply(public, public, 16)),
    ]
    for level in {1, top}:
        for parts in (2, 3) if level > 1 else ():
            lower = model.switch_modulus(noisy, level, parts)
            rows.append(("switch_modulus", noisy, level, parts, lower))
        if p:
            rows.append(("key_switch", public, level, model.key_switch(public, level)))
    for a, level_a, b, level_b in (
        (public, top, secret, top),
        (noisy, top, public, top),
        (noisy, top, noisy, max(1, top - 1)),
    ):
        level, x, y = model.product_level(a, level_a, b, level_b)
        rows.append(("product_level", a, level_a, b, level_b, level, x, y))
    return {
        "n": n,
        "t": t,
        "q": q,
        **_special(p),
        "secret_distribution": distribution.kind,
        "secret_weight": distribution.weight,
        "error": error.name,
        "rows": [[_units(x) if isinstance(x, Noise) else x for x in row] for row in rows],
    }


def bgv_noise_vectors() -> dict[str, object]:
    """Content of bgv_noise.json."""
    chains = [(n, t, preset(n, t, GUIDELINES_2024[n])) for n, t in PRESETS]
    equal_chains = [
        (n, t, bits, special, equal_preset(n, t, GUIDELINES_2024[n], bits, special))
        for n, t, bits, special in EQUAL_PRESETS
    ]
    ratios = [(1, 1, 97), (3, 40, 97), (2, 1, 65537), (40000, 12345, 65537), (3, 5, 256)]
    ratios += [(5, 2**58 + 1, 2**59 - 55), (10**17, 7, 2**59 - 55)]
    return {
        "description": "BGV's noise prediction (docs/bounds/bgv_noise.md). A bound is "
        "[coefficient, canonical], log2 in billionths. rows: name, operands, result; operands are "
        "bounds, the factors f and g, the plaintext's norm, the number of terms, level and parts; "
        "product_level takes two bounds with their levels and gives the level and both bounds "
        "there. presets: for n, t and the limit on log2(Q p) the primes, p, promised depth and the "
        "budget left at its end. equal_presets: primes of nearly one size of at most max_bits "
        "bits, as many special ones as asked for, or a quarter of all for 0; fnv1a of all primes. "
        "balances: a, b, t and the pair f, g with f a = g b (mod t).",
        "rules": [FNV_RULE],
        "cases": [
            _case(4096, 65537, (34, 34), 38),
            _case(8192, 2, (41, 21, 21, 22), 45),
            _case(1024, 2**50 - 27, (50, 50, 36, 36), 50, BINARY),
            _case(2048, 12289, (53,), 0, error=SIGMA_8_BOUND_48),
            _case(64, 257, (30, 31, 32), 25, BINARY, SIGMA_8_BOUND_48),
            _case(4096, 257, (29, 29, 30, 30, 30), 30, specials=2),
            _case(1024, 2, (27, 30, 30, 30), 31, BINARY, specials=3),
            _case(4096, 257, (36, 36), 40, Secret("sparse", 192)),
            _case(256, 2, (30, 30, 30), 30, Secret("sparse", 32), specials=3),
        ],
        "presets": [
            {
                "n": n,
                "t": t,
                "bits": GUIDELINES_2024[n],
                "q": list(chain.moduli),
                **_special(chain.special),
                "depth": chain.depth,
                "left": round(chain.left * UNIT),
            }
            for n, t, chain in chains
        ],
        "equal_presets": [
            {
                "n": n,
                "t": t,
                "bits": GUIDELINES_2024[n],
                "max_bits": max_bits,
                "asked": special,
                "primes_fnv1a": fnv1a([*chain.moduli, *chain.special]),
                "special": len(chain.special),
                "depth": chain.depth,
                "left": round(chain.left * UNIT),
            }
            for n, t, max_bits, special, chain in equal_chains
        ],
        "balances": [[a, b, t, *balance(a, b, t)] for a, b, t in ratios],
    }
