# SPDX-License-Identifier: Apache-2.0
"""bfv_small.json: whole encrypted computations of the textbook scheme on small rings."""

from __future__ import annotations

from nttforge.spec.transform import polynomial_product

from ..fv import Ciphertext, Poly, Scheme, reduce_polynomial
from ..gaussian import SIGMA_3_2
from ..number_theory import ntt_primes
from ..rns import compose, decompose
from ..sampling import DOMAINS, Stream, error, ternary, uniform
from ..scale import restore_rounded, store_rounded
from ..slots import automorphism, column_swap_element, rotation_element
from .rules import residues

SEED = bytes(range(100, 132))


class _Randomness:
    """Fresh polynomials, each from its own stream of one seed."""

    def __init__(self, n: int) -> None:
        self.n, self.index = n, 0

    def _stream(self) -> Stream:
        self.index += 1
        return Stream(SEED, DOMAINS["user"], self.index)

    def ternary(self) -> Poly:
        return ternary(self._stream(), self.n)

    def error(self) -> Poly:
        return error(self._stream(), SIGMA_3_2, self.n)

    def uniform(self, moduli: tuple[int, ...]) -> Poly:
        stream = self._stream()
        limbs = [uniform(stream, i, q, self.n) for i, q in enumerate(moduli)]
        return [compose(column, moduli) for column in zip(*limbs, strict=True)]


def _limbs(a: Poly, moduli: tuple[int, ...]) -> list[Poly]:
    return [list(limb) for limb in zip(*(decompose(c, moduli) for c in a), strict=True)]


def _entry(
    scheme: Scheme, secret: Poly, name: str, x: Ciphertext, plain: Poly
) -> dict[str, object]:
    assert scheme.decrypt(secret, x) == plain, name
    return {
        "name": name,
        "parts": [_limbs(part, scheme.moduli) for part in x],
        "plain": plain,
        "noise": str(scheme.noise(secret, x)),
    }


def _stored(scheme: Scheme, x: Ciphertext, bits: tuple[int, ...]) -> dict[str, object]:
    """The parts of a ciphertext rounded to so many bits, and what they become again."""
    stored = [
        [store_rounded(decompose(c, scheme.moduli), scheme.moduli, b) for c in part]
        for part, b in zip(x, bits, strict=True)
    ]
    restored = [
        [restore_rounded(h, scheme.moduli, b) for h in part]
        for part, b in zip(stored, bits, strict=True)
    ]
    limbs = [[list(limb) for limb in zip(*part, strict=True)] for part in restored]
    return {"bits": list(bits), "stored": stored, "parts": limbs}


def _levels(
    scheme: Scheme, secret: Poly, x: Ciphertext, product: Ciphertext, m0: Poly, m01: Poly
) -> dict[str, object]:
    """One level down, where there is one: both ciphertexts, a square, parts in fewer bits."""
    lower, x = scheme.switch_modulus(x)
    _, product = scheme.switch_modulus(product)
    square = polynomial_product(m0, m0, scheme.t)
    return {
        "x": _entry(lower, secret, "x", x, m0),
        "x y": _entry(lower, secret, "x y", product, m01),
        "x x": _entry(lower, secret, "x x", lower.multiply(x, x), square),
        "rounded": _stored(lower, x, (20, 31)),
    }


def _case(scheme: Scheme, p: int) -> dict[str, object]:
    n, t, moduli = scheme.n, scheme.t, scheme.moduli
    draw = _Randomness(n)
    secret = draw.ternary()
    public = scheme.public_key(secret, draw.uniform(moduli), draw.error())

    def encrypt(m: Poly) -> Ciphertext:
        return scheme.encrypt(public, m, draw.ternary(), draw.error(), draw.error())

    def switch_key(other: Poly) -> list[Ciphertext]:
        full = (*moduli, p)
        a = [draw.uniform(full) for _ in moduli]
        return scheme.switch_key(secret, other, p, a, [draw.error() for _ in moduli])

    m0, m1 = residues(n, t, 1), residues(n, t, 300)
    x, y = encrypt(m0), encrypt(m1)
    product = scheme.multiply(x, y)
    relinearization_key = switch_key(polynomial_product(secret, secret, None))
    extra = scheme.switch(product[2], (p,), relinearization_key)
    relinearized = scheme.add(product[:2], extra)
    m01 = polynomial_product(m0, m1, t)
    entries = [
        ("x", x, m0),
        ("y", y, m1),
        ("x + y", scheme.add(x, y), [(a + b) % t for a, b in zip(m0, m1, strict=True)]),
        ("x times plain y", scheme.multiply_plain(x, m1), m01),
        ("x y, three parts", product, m01),
        ("x y, relinearized", relinearized, m01),
        ("(x y) x, three parts", scheme.multiply(relinearized, x), polynomial_product(m01, m0, t)),
    ]
    for name, element in (
        ("rotate by 1", rotation_element(1, n)),
        ("swap", column_swap_element(n)),
    ):
        turned = [reduce_polynomial(automorphism(part, element), scheme.q) for part in x]
        d0, d1 = scheme.switch(turned[1], (p,), switch_key(automorphism(secret, element)))
        entries.append(
            (name, scheme.add([turned[0], [0] * n], [d0, d1]), automorphism(m0, element, t))
        )
    return {
        "n": n,
        "moduli": list(moduli),
        "special_prime": p,
        "t": t,
        "secret": secret,
        "ciphertexts": [_entry(scheme, secret, *entry) for entry in entries],
        "level_below": _levels(scheme, secret, x, product, m0, m01),
        "relinearization_key": [
            [_limbs(part, (*moduli, p)) for part in pair] for pair in relinearization_key
        ],
    }


def bfv_vectors() -> dict[str, object]:
    """Content of bfv_small.json."""
    small = ntt_primes(64, 40, 4)
    large = ntt_primes(64, 60, 3)
    return {
        "description": "the textbook FV scheme: secret (signed coefficients), ciphertexts as "
        "[part][limb][n] residues in coefficient form, the polynomial modulo t each decrypts to, "
        "and noise = max |[t (c0 + c1 s + c2 s^2)]_Q|. The relinearization key is "
        "[limb][part][limb][n] modulo Q p, coefficient form. level_below: x, x y and x x modulo "
        "the moduli but the last, and x there with parts stored in so many bits and restored.",
        "cases": [
            _case(Scheme(16, tuple(small[:3]), 97), small[3]),
            _case(Scheme(64, tuple(large[:2]), 257), large[2]),
            _case(Scheme(32, tuple(small[:3]), 2), small[3]),
        ],
    }
