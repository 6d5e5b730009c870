"""bfv_seeded.json: keys and ciphertexts from seeds, word for word."""

from __future__ import annotations

from ..fv import Ciphertext, Poly, Scheme
from ..gaussian import SIGMA_3_2, SIGMA_8_BOUND_48
from ..number_theory import ntt_primes
from ..seeded_bfv import SeededBfv, limbs, transformed_limbs
from ..slots import column_swap_element, rotation_element
from ..transform import polynomial_product
from .rules import fnv1a, residues

KEY_SEED = bytes(range(32))
ENCRYPTION_SEED = bytes(range(64, 96))


def _words(parts: list[Poly], moduli: tuple[int, ...]) -> list[list[Poly]]:
    return [limbs(part, moduli) for part in parts]


def _transformed(parts: list[Poly], moduli: tuple[int, ...]) -> list[list[Poly]]:
    return [transformed_limbs(part, moduli) for part in parts]


def _digest(key: list[Ciphertext], moduli: tuple[int, ...]) -> int:
    words = [
        w for pair in key for part in _transformed(pair, moduli) for limb in part for w in limb
    ]
    return fnv1a(words)


def _case(bfv: SeededBfv) -> dict[str, object]:
    scheme, full = bfv.scheme, bfv.key_scheme.moduli
    n, t, moduli = scheme.n, scheme.t, scheme.moduli
    secret = bfv.secret(KEY_SEED)
    public = bfv.public_key(KEY_SEED, secret)
    relinearization = bfv.relinearization_key(KEY_SEED, secret)
    m0, m1 = residues(n, t, 1), residues(n, t, 300)
    x = bfv.encrypt(public, m0, ENCRYPTION_SEED, 0)
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
    digests = []
    for element in sorted(
        {rotation_element(1, n), rotation_element(-1, n), column_swap_element(n)}
    ):
        key = bfv.galois_key(KEY_SEED, secret, element)
        digests.append({"element": element, "fnv1a": _digest(key, full)})
        results.append((f"x, element {element}", bfv.apply_galois(x, element, key)))
    return {
        "n": n,
        "t": t,
        "q": list(moduli),
        "p": bfv.p,
        "binary_secret": bfv.binary_secret,
        "error": bfv.error.name,
        "secret": secret,
        "public_key": _transformed(public, full),
        "relinearization_key_fnv1a": _digest(relinearization, full),
        "galois_keys": digests,
        "plain_x": m0,
        "plain_y": m1,
        "ciphertexts": [
            {"name": name, "parts": _words(c, moduli), "noise": str(scheme.noise(secret, c))}
            for name, c in results
        ],
    }


def seeded_bfv_vectors() -> dict[str, object]:
    """Content of bfv_seeded.json."""
    return {
        "description": "RNS-BFV word for word from the seeds of keys and encryptions. secret: "
        "signed coefficients. public_key [part][limb][n] modulo Q p, transformed, bit-reversed "
        "order; other keys by the fnv1a digest of their words [digit][part][limb][n], likewise. "
        "ciphertexts [part][limb][n] in coefficient form: x by the public key at index 0, y by "
        "the secret key at index 1.",
        "key_seed": KEY_SEED.hex(),
        "encryption_seed": ENCRYPTION_SEED.hex(),
        "cases": [
            _case(
                SeededBfv(
                    Scheme(32, tuple(ntt_primes(32, 50, 3)[:2]), 257), ntt_primes(32, 50, 3)[2]
                )
            ),
            _case(
                SeededBfv(
                    Scheme(16, tuple(ntt_primes(64, 60, 4)[:3]), 65537),
                    ntt_primes(64, 62, 1)[0],
                    True,
                    SIGMA_8_BOUND_48,
                )
            ),
            _case(
                SeededBfv(
                    Scheme(64, tuple(ntt_primes(64, 30, 3)), 2),
                    ntt_primes(64, 36, 1)[0],
                    False,
                    SIGMA_3_2,
                )
            ),
        ],
    }
