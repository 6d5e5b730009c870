# SPDX-License-Identifier: Apache-2.0
"""Encryption on a GPU against the CPU: from one seed, every object has the same bytes on both.

A transcript is what a device makes of a seed: keys, encryptions, random circuits and what they
decrypt to, each as bytes. The two devices write theirs side by side, up to the first difference.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from .. import bfv, bgv
from ..errors import NttforgeError
from ..integer_encoding import (
    BatchEncoder,
    Ciphertext,
    CoefficientEncoder,
    Context,
    Decryptor,
    Encryptor,
    Parameters,
    Plaintext,
    sum_of_products,
)
from ..number_theory import ntt_primes
from ..rlwe import KeyGenerator, RelinearizationKey, RotationKeys
from ..typing import DeviceName
from .host import Failure

#: Steps that circuits rotate by.
STEPS = (1, -3)
#: Operations of one circuit.
LENGTH = 6


@dataclass(frozen=True)
class ParameterSet:
    """A row of the table: a scheme's parameters, and the class of its contexts."""

    name: str
    parameters: Parameters
    context: type[bfv.Context] | type[bgv.Context]


def parameter_sets(most_n: int) -> list[ParameterSet]:
    """The presets of both schemes and word sizes, the sets of [Bad18b], and two small sets."""
    sets: list[ParameterSet] = []
    for scheme, module in (("BFV", bfv), ("BGV", bgv)):
        cls: Any = module.Parameters
        named = [(f"n = {2**k}", cls.preset(2**k)) for k in range(10, 16)]
        if scheme == "BFV":
            named += [(f"[Bad18b] n = {2**k}", cls.badawi2018(2**k)) for k in range(11, 15)]
        named += [
            (f"n = {2**k}, 32-bit words", cls.preset(2**k, word_bits=32)) for k in range(10, 16)
        ]
        q = ntt_primes(256, 30, 4)
        small = cls.custom(256, 65537, q[:3], q[3], "insecure_by_request", word_bits=32)
        named.append(("n = 256, 32-bit words", small))
        sets += [ParameterSet(f"{scheme} {k}", p, module.Context) for k, p in named]
    return [s for s in sets if s.parameters.n <= most_n]


def compare(chosen: ParameterSet, circuits: int, device: DeviceName, rng: random.Random) -> int:
    """Number of objects that both made; raises Failure where the first one differs."""
    seed = rng.randbytes(32)
    build: Any = chosen.context
    sides = [_transcript(build(chosen.parameters, d), seed, circuits) for d in ("cpu", device)]
    cases = 0
    for (what, want), (other, got) in zip(*sides, strict=True):
        if what != other:
            raise Failure(f"{chosen.name}: {device} did {other!r} where the CPU did {what!r}")
        if got != want:
            raise Failure(f"{chosen.name}, {what}: {_difference(got, want)}; seed {seed.hex()}")
        cases += 1
    return cases


def _difference(got: bytes, want: bytes) -> str:
    if len(got) != len(want):
        return f"{len(got)} bytes, must be {len(want)}"
    place = next(i for i, (a, b) in enumerate(zip(got, want, strict=True)) if a != b)
    return f"byte {place} is {got[place]:#04x}, must be {want[place]:#04x}"


_Operation: TypeAlias = Callable[["_Bench", Ciphertext, Ciphertext], Ciphertext]


@dataclass(frozen=True)
class _Bench:
    """What circuits are made of."""

    plain: Plaintext
    relinearization: RelinearizationKey
    rotations: RotationKeys
    others: list[Ciphertext]
    operations: dict[str, _Operation]


_ANYWHERE: dict[str, _Operation] = {
    "add": lambda on, a, b: a + b,
    "sub": lambda on, a, b: b - a,
    "negate": lambda on, a, b: -a,
    "multiply_relinearize": lambda on, a, b: a.multiply_relinearize(b, on.relinearization),
    "square, relinearize": lambda on, a, b: a.square().relinearize(on.relinearization),
    "sum of products, relinearize": lambda on, a, b: sum_of_products([a, b], [b, a]).relinearize(
        on.relinearization
    ),
    "multiply_plain": lambda on, a, b: a * on.plain,
    "multiply by prepared": lambda on, a, b: a * on.plain.prepare(),
    "sub_plain": lambda on, a, b: a - on.plain,
}
_ON_SLOTS: dict[str, _Operation] = {
    "rotate_rows": lambda on, a, b: a.rotate_rows(STEPS[0], on.rotations),
    "rotate_rows back": lambda on, a, b: a.rotate_rows(STEPS[1], on.rotations),
    "swap_columns": lambda on, a, b: a.swap_columns(on.rotations),
    "inner_sum": lambda on, a, b: a.inner_sum(2, on.rotations),
}
_WITH_LEVELS: dict[str, _Operation] = {
    "mod_switch": lambda on, a, b: a.mod_switch(),
}


def _transcript(context: Context, seed: bytes, circuits: int) -> Iterator[tuple[str, bytes]]:
    """What is made, and its bytes, one after the other."""
    rng = random.Random(seed)
    parameters = context.parameters
    generator = KeyGenerator(context, seed=seed)
    secret, public = generator.secret_key(), generator.public_key()
    yield "secret key", secret.to_bytes()
    yield "public key", public.to_bytes()
    slots = parameters.has_batching
    encoder = BatchEncoder(context) if slots else CoefficientEncoder(context)
    shape = (3, parameters.n)
    values = np.array([rng.randrange(parameters.t) for _ in range(3 * parameters.n)], np.uint64)
    plain = encoder.encode(values.reshape(shape), signed=False)
    yield "plaintexts", plain.to_bytes()
    encrypted = Encryptor(public).encrypt(plain, seed=hashlib.sha256(seed).digest(), index=0)
    yield "encryption by the public key, a batch of 3", encrypted.to_bytes()
    own = Encryptor(secret).encrypt(plain[0], seed=hashlib.sha256(seed).digest(), index=3)
    yield "encryption by the secret key", own.to_bytes()
    decryptor = Decryptor(secret)
    yield "decryption", decryptor.decrypt(encrypted).to_bytes()
    if not parameters.has_evaluation_keys:
        return
    made = generator.relinearization_key().to_bytes()
    yield "relinearization key", made
    turning = generator.rotation_keys(STEPS, swap_columns=True).to_bytes()
    yield "rotation keys", turning
    bench = _Bench(
        plain[1],
        RelinearizationKey.from_bytes(context, made),
        RotationKeys.from_bytes(context, turning),
        [own, *encrypted, encrypted],
        {
            **_ANYWHERE,
            **(_ON_SLOTS if slots else {}),
            **(_WITH_LEVELS if isinstance(context, bgv.Context) else {}),
        },
    )
    for i in range(circuits):
        words, result = _circuit(bench, rng)
        what = f"circuit {i} ({'; '.join(words)})"
        yield what, result.to_bytes()
        yield f"{what}, decrypted", decryptor.decrypt(result, check=False).to_bytes()


def _circuit(bench: _Bench, rng: random.Random) -> tuple[list[str], Ciphertext]:
    """Every operation takes the result before it. What is refused is refused on both devices."""
    words: list[str] = []
    value = rng.choice(bench.others)
    for _ in range(LENGTH):
        name, other = rng.choice(list(bench.operations)), rng.choice(bench.others)
        try:
            value = bench.operations[name](bench, value, other)
            words.append(name)
        except NttforgeError as error:
            words.append(f"{name}: {type(error).__name__}")
    return words, value
