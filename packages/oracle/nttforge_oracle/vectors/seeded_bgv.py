# SPDX-License-Identifier: Apache-2.0
"""bgv_seeded.json: keys and ciphertexts of BGV from seeds, word for word, at every level."""

from __future__ import annotations

from dataclasses import replace

from nttforge.spec.transform import polynomial_product

from ..bgv import Ciphertext, Scheme
from ..gaussian import SIGMA_8_BOUND_48
from ..number_theory import ntt_primes
from ..secrets import BINARY
from ..seeded_bgv import SeededBgv
from .rules import FNV_RULE, SPLITMIX_RULE, residues
from .seeded import (
    ENCRYPTION_SEED,
    KEY_SEED,
    Keys,
    coefficients,
    transformed,
    words_or_digest,
)


def _case(bgv: SeededBgv, written_out: bool = True) -> dict[str, object]:
    scheme, keys = bgv.scheme, Keys(bgv, written_out)
    n, t = scheme.n, scheme.t
    secret, relinearization = keys.secret, keys.relinearization
    m0, m1 = residues(n, t, 1), residues(n, t, 300)
    x = bgv.encrypt(keys.public, m0, ENCRYPTION_SEED, 0)
    y = bgv.encrypt_symmetric(secret, m1, ENCRYPTION_SEED, 1)
    product = scheme.multiply(x, y)
    relinearized = bgv.relinearize(product, relinearization)
    lower = scheme.switch_modulus(product)
    lower_relinearized = bgv.relinearize(lower, relinearization)
    results: list[tuple[str, Ciphertext]] = [
        ("x", x),
        ("y", y),
        ("x + y", scheme.add(x, y)),
        ("x plus plain y", scheme.add_plain(x, m1)),
        ("x times plain y", scheme.multiply_plain(x, m1)),
        ("x y", product),
        ("relinearized", relinearized),
        ("x y, one level down", lower),
        ("x y, one level down, relinearized", lower_relinearized),
        ("x y, one level down, relinearized, plus x", scheme.add(lower_relinearized, x)),
        ("x y, one level down, plus plain y", scheme.add_plain(lower_relinearized, m1)),
        ("x at level 1", scheme.to_level(x, 1)),
    ]
    assert scheme.decrypt(secret, lower_relinearized) == polynomial_product(m0, m1, t)
    for element, key in keys.galois.items():
        for name, operand in (("x", x), ("x, one level down", scheme.switch_modulus(x))):
            image = bgv.apply_galois(operand, element, key)
            results.append((f"{name}, element {element}", image))
    return {
        **keys.rows,
        "plain_x": m0,
        "plain_y": m1,
        "ciphertexts": [
            {
                "name": name,
                "level": c.level,
                "factor": c.factor,
                **words_or_digest(
                    "parts", coefficients(c.parts, scheme.moduli[: c.level]), written_out
                ),
                "noise": str(scheme.noise(secret, c)),
                **({"message": scheme.decrypt(secret, c)} if written_out else {}),
            }
            for name, c in results
        ],
    }


def _without_special_prime(bgv: SeededBgv) -> dict[str, object]:
    """A set without special prime: the public key is modulo Q, and there are no other keys."""
    scheme = bgv.scheme
    upper = replace(scheme, moduli=scheme.moduli[:-1])
    keys = replace(bgv, scheme=upper, special=scheme.moduli[-1:])
    secret = bgv.secret(KEY_SEED)
    public = keys.public_key(KEY_SEED, secret)
    m = residues(scheme.n, scheme.t, 1)
    x = bgv.encrypt(public, m, ENCRYPTION_SEED, 0)
    assert scheme.decrypt(secret, x) == m
    return {
        "n": scheme.n,
        "t": scheme.t,
        "q": list(scheme.moduli),
        "public_key": transformed(public, scheme.moduli),
        "plain": m,
        "parts": coefficients(x.parts, scheme.moduli),
    }


def seeded_bgv_vectors() -> dict[str, object]:
    """Content of bgv_seeded.json."""
    fifty, sixty, thirty = (ntt_primes(64, bits, 4) for bits in (50, 60, 30))
    large, many = ntt_primes(1024, 40, 4), ntt_primes(64, 30, 7)
    return {
        "description": "RNS-BGV word for word from the seeds of keys and encryptions. secret: "
        "signed coefficients. public_key [part][limb][n] modulo Q P, transformed, bit-reversed "
        "order; other keys by the digest of their words [digit][part][limb][n], likewise. "
        "ciphertexts [part][limb][n] in coefficient form modulo the first `level` primes, or their "
        "digest, with correction factor, largest coefficient of the phase (noise) and message: x "
        "by the public key at index 0, y by the secret key at index 1. without_special_prime: the "
        "public key is modulo Q, nothing is divided. special_primes and digit_primes: key "
        "switching by digits of several primes, where p is one special prime.",
        "rules": [SPLITMIX_RULE, FNV_RULE],
        "key_seed": KEY_SEED.hex(),
        "encryption_seed": ENCRYPTION_SEED.hex(),
        "cases": [
            _case(SeededBgv(Scheme(32, tuple(fifty[:3]), 257), (fifty[3],))),
            _case(
                SeededBgv(
                    Scheme(16, tuple(sixty[:3]), 65537), (sixty[3],), BINARY, SIGMA_8_BOUND_48
                ),
                written_out=False,
            ),
            _case(
                SeededBgv(Scheme(32, tuple(thirty[:3]), 2), tuple(ntt_primes(64, 36, 1))),
                written_out=False,
            ),
            _case(SeededBgv(Scheme(1024, tuple(large[:3]), 12289), (large[3],)), written_out=False),
            *(
                _case(
                    SeededBgv(
                        Scheme(32, tuple(many[:primes]), 257),
                        tuple(many[primes : primes + special]),
                        digit_primes=digit,
                    ),
                    written_out=False,
                )
                for primes, special, digit in ((5, 2, 2), (4, 3, 2))
            ),
        ],
        "without_special_prime": _without_special_prime(
            SeededBgv(Scheme(16, tuple(fifty[:2]), 97), ())
        ),
    }
