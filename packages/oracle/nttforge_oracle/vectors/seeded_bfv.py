# SPDX-License-Identifier: Apache-2.0
"""bfv_seeded.json: keys and ciphertexts from seeds, word for word."""

from __future__ import annotations

from nttforge.spec.transform import polynomial_product

from ..fv import Ciphertext, Scheme
from ..gaussian import SIGMA_8_BOUND_48
from ..number_theory import ntt_primes
from ..rns import compose
from ..secrets import BINARY, Secret
from ..seeded_bfv import SeededBfv
from .rules import FNV_RULE, SPLITMIX_RULE, residues
from .seeded import (
    ENCRYPTION_SEED,
    KEY_SEED,
    Keys,
    coefficients,
    digest,
    words_or_digest,
)


def _case(bfv: SeededBfv, written_out: bool = True) -> dict[str, object]:
    scheme, keys = bfv.scheme, Keys(bfv, written_out)
    n, t, moduli = scheme.n, scheme.t, scheme.moduli
    secret, relinearization = keys.secret, keys.relinearization
    m0, m1 = residues(n, t, 1), residues(n, t, 300)
    x = bfv.encrypt(keys.public, m0, ENCRYPTION_SEED, 0)
    y = bfv.encrypt_symmetric(secret, m1, ENCRYPTION_SEED, 1)
    product = bfv.multiply(x, y)
    relinearized = bfv.relinearize(product, relinearization)
    results: list[tuple[str, Ciphertext]] = [
        ("x", x),
        ("y", y),
        ("x + y", scheme.add(x, y)),
        ("x times plain y", scheme.multiply_plain(x, m1)),
        ("x y", product),
        ("relinearized", relinearized),
        ("x y + y y + y x", bfv.dot_product([x, y, y], [y, y, x])),
        ("relinearized squared", bfv.multiply(relinearized, relinearized)),
    ]
    assert scheme.decrypt(secret, relinearized) == polynomial_product(m0, m1, t)
    for element, key in keys.galois.items():
        results.append((f"x, element {element}", bfv.apply_galois(x, element, key)))
    return {
        **keys.rows,
        "plain_x": m0,
        "plain_y": m1,
        "ciphertexts": [
            {
                "name": name,
                **words_or_digest("parts", coefficients(c, moduli), written_out),
                "noise": str(scheme.noise(secret, c)),
            }
            for name, c in results
        ],
    }


def _random_parts(scheme: Scheme, first: int) -> Ciphertext:
    """Residue number i of [part][limb][n] is splitmix64(first + i) mod its prime."""
    parts, n = [], scheme.n
    for part in range(2):
        columns = [
            residues(n, q, first + (part * len(scheme.moduli) + limb) * n)
            for limb, q in enumerate(scheme.moduli)
        ]
        parts.append([compose(column, scheme.moduli) for column in zip(*columns, strict=True)])
    return parts


def _product(n: int, t: int, moduli: list[int]) -> dict[str, object]:
    """A BEHZ product at full size; within 0 ... k of the textbook's in every coefficient."""
    bfv = SeededBfv(Scheme(n, tuple(moduli), t), ())
    x, y = _random_parts(bfv.scheme, 0), _random_parts(bfv.scheme, 1000000)
    product = bfv.multiply(x, y)
    for ours, textbook in zip(product, bfv.scheme.multiply(x, y), strict=True):
        differences = [(b - a) % bfv.scheme.q for a, b in zip(ours, textbook, strict=True)]
        assert max(differences) <= len(moduli)
    words = coefficients(product, bfv.scheme.moduli)
    return {"n": n, "t": t, "q": moduli, "p": 0, "product_fnv1a": digest(words)}


def seeded_bfv_vectors() -> dict[str, object]:
    """Content of bfv_seeded.json."""
    fifty, sixty, thirty = (ntt_primes(64, bits, 4) for bits in (50, 60, 30))
    sixty_two, large = ntt_primes(64, 62, 1)[0], ntt_primes(1024, 40, 3)
    many = ntt_primes(64, 30, 7)
    return {
        "description": "RNS-BFV word for word from the seeds of keys and encryptions. secret: "
        "signed coefficients. public_key [part][limb][n] modulo Q P, transformed, bit-reversed "
        "order; other keys by the digest of their words [digit][part][limb][n], likewise. "
        "ciphertexts [part][limb][n] in coefficient form, or their digest: x by the public key at "
        "index 0, y by the secret key at index 1. products: residue i of x [part][limb][n] is "
        "splitmix64(i), of y splitmix64(1000000 + i), modulo its prime; digest of the three parts. "
        "special_primes and digit_primes: key switching by digits of several primes, where p is "
        "one special prime.",
        "rules": [SPLITMIX_RULE, FNV_RULE],
        "key_seed": KEY_SEED.hex(),
        "encryption_seed": ENCRYPTION_SEED.hex(),
        "cases": [
            _case(SeededBfv(Scheme(32, tuple(fifty[:2]), 257), (fifty[2],))),
            _case(
                SeededBfv(
                    Scheme(16, tuple(sixty[:3]), 65537), (sixty_two,), BINARY, SIGMA_8_BOUND_48
                )
            ),
            _case(
                SeededBfv(Scheme(64, tuple(fifty[:2]), 257), (fifty[2],), Secret("sparse", 12)),
                written_out=False,
            ),
            _case(
                SeededBfv(Scheme(64, tuple(thirty[:3]), 2), tuple(ntt_primes(64, 36, 1))),
                written_out=False,
            ),
            _case(SeededBfv(Scheme(1024, tuple(large[:2]), 12289), (large[2],)), written_out=False),
            *(
                _case(
                    SeededBfv(
                        Scheme(32, tuple(many[:primes]), 257),
                        tuple(many[primes : primes + special]),
                        digit_primes=digit,
                    ),
                    written_out=False,
                )
                for primes, special, digit in ((5, 2, 2), (4, 3, 2))
            ),
        ],
        "products": [
            _product(2048, 65537, ntt_primes(2048, 50, 2)),
            _product(4096, 786433, ntt_primes(4096, 36, 3)),
        ],
    }
