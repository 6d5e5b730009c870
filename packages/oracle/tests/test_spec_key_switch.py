# SPDX-License-Identifier: Apache-2.0
"""Key switching in residues: the definition's words, and the library's own."""

from __future__ import annotations

import random

import pytest

from nttforge import bfv
from nttforge_oracle.fast import forward_fast
from nttforge_oracle.fv import Scheme
from nttforge_oracle.key_switch import switch_values
from nttforge_oracle.number_theory import ntt_primes
from nttforge_oracle.rns import compose
from nttforge_oracle.seeded_bfv import SeededBfv
from nttforge_oracle.seeded_keys import limbs, transformed_limbs

SEED = bytes(range(32))
#: Primes of Q, special primes, primes of a digit.
SHAPES = [(4, 1, 1), (6, 1, 1), (4, 2, 2), (5, 2, 2), (5, 3, 2)]


@pytest.mark.parametrize(("count", "special", "primes"), SHAPES)
def test_residues_are_those_of_the_definition(count: int, special: int, primes: int) -> None:
    n, source = 16, random.Random(count * 100 + special)
    found = ntt_primes(n, 20, count + special)
    moduli, p = tuple(found[special:]), found[:special]
    scheme = Scheme(n, moduli, 17)
    modulus = scheme.q
    for q in p:
        modulus *= q
    c = [source.randrange(scheme.q) for _ in range(n)]
    pairs = -(-count // primes)
    key = [[[source.randrange(modulus) for _ in range(n)] for _ in (0, 1)] for _ in range(pairs)]
    expected = scheme.switch(c, p, key, primes)
    words = [[transformed_limbs(part, (*moduli, *p)) for part in pair] for pair in key]
    got = switch_values(transformed_limbs(c, moduli), moduli, p, words, primes)
    assert got == [limbs(part, moduli) for part in expected]


@pytest.mark.parametrize(("count", "special", "primes"), [(4, 1, 1), (6, 1, 1), (4, 2, 2)])
def test_residues_are_those_of_the_library(count: int, special: int, primes: int) -> None:
    """A product of two ciphertexts is relinearized; primes of 52 bits, as a pipeline has them."""
    n, t = 128, 257
    found = ntt_primes(n, 52, count + special)
    moduli, p = tuple(found[special:]), tuple(found[:special])
    insecure = {"security": "insecure_by_request", "digit_primes": primes}
    context = bfv.Context(bfv.Parameters.custom(n, t, moduli, p, **insecure))  # type: ignore[arg-type]
    keys = context.generate_keys(seed=SEED)
    encoder, encryptor = bfv.BatchEncoder(context), bfv.Encryptor(keys.public)
    x, y = (encryptor.encrypt(encoder.encode([k + 1] * n), seed=SEED, index=k) for k in (0, 1))
    product = x * y
    assert keys.relinearization is not None
    switched = product.relinearize(keys)

    scheme = SeededBfv(Scheme(n, moduli, t), p, digit_primes=primes)
    key = [
        [transformed_limbs(part, (*moduli, *p)) for part in pair]
        for pair in scheme.relinearization_key(SEED, scheme.secret(SEED))
    ]
    parts = product.residues.tolist()
    values = [forward_fast(row, q) for row, q in zip(parts[2], moduli, strict=True)]
    added = switch_values(values, moduli, p, key, primes)
    got = [
        [[(a + b) % q for a, b in zip(rows[j], more[j], strict=True)] for j, q in enumerate(moduli)]
        for rows, more in zip(parts[:2], added, strict=True)
    ]
    assert got == switched.residues.tolist()
    # The words mean something: they are those of a ciphertext that decrypts.
    plain = bfv.BatchEncoder(context).decode(
        bfv.Decryptor(keys.secret).decrypt(switched), signed=False
    )
    assert all(int(v) == 2 for v in plain)
    assert compose([rows[0] for rows in got[0]], moduli) < scheme.scheme.q
