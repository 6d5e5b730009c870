# SPDX-License-Identifier: Apache-2.0
"""What bad input to the scheme gets: field, value, what is allowed, a remedy; no change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nttforge
from nttforge import bfv
from nttforge.typing import DeviceName

P = bfv.Parameters


class World:
    """Two contexts of different parameters, one without batching, with keys."""

    def __init__(self, device: DeviceName = "cpu") -> None:
        threads = 1 if device == "cpu" else 0
        self.context = bfv.Context(P.preset(4096), device, threads)
        self.keys = self.context.generate_keys(rotations=[1, 2], seed=bytes(32))
        self.encoder = bfv.BatchEncoder(self.context)
        self.plain = self.encoder.encode([1, 2, 3])
        self.a = bfv.Encryptor(self.keys.public).encrypt(self.plain, seed=bytes(32))
        self.product = self.a * self.a
        self.coefficients = self.keys.encrypt([1, 2, 3], encoding="coefficients")
        self.other = bfv.Context(P.preset(2048, 2), device, threads)
        self.other_keys = self.other.generate_keys()
        self.b = self.other_keys.encrypt([1], encoding="coefficients", signed=False)
        self.other_plain = bfv.CoefficientEncoder(self.other).encode([1], signed=False)


@pytest.fixture(scope="module")
def world() -> World:
    return World()


Case = tuple[str, Callable[[World], Any], str, list[str]]
CASES: list[Case] = [
    # mixed contexts
    ("add", lambda w: w.a + w.b, "ContextError", ["b belongs to", "n = 2048", "n = 4096"]),
    ("sub", lambda w: w.b - w.a, "ContextError", ["b belongs to", "n = 4096"]),
    ("multiply", lambda w: w.a * w.b, "ContextError", ["from_bytes"]),
    ("plain", lambda w: w.a * w.other_plain, "ContextError", ["b belongs to"]),
    ("prepared", lambda w: w.a * w.other_plain.prepare(), "ContextError", ["b belongs to"]),
    ("decrypt", lambda w: w.keys.decrypt(w.b), "ContextError", ["ciphertext belongs to"]),
    ("budget", lambda w: w.keys.noise_budget_bits(w.b), "ContextError", ["ciphertext belongs to"]),
    ("decode", lambda w: w.encoder.decode(w.other_plain), "ContextError", ["plaintext belongs to"]),
    (
        "encrypt",
        lambda w: bfv.Encryptor(w.keys.public).encrypt(w.other_plain),
        "ContextError",
        ["plaintext belongs to"],
    ),
    (
        "relinearize",
        lambda w: (w.b * w.b).relinearize(w.keys),
        "ContextError",
        ["key belongs to"],
    ),
    ("sum", lambda w: bfv.add_many([w.a, w.b]), "ContextError", ["terms[1] belongs to"]),
    ("dot", lambda w: bfv.sum_of_products([w.a], [w.b]), "ContextError", ["b[0] belongs to"]),
    # encodings
    (
        "mixed encodings",
        lambda w: w.a + w.coefficients,
        "ParameterError",
        ["a is encoded as slots and b as coefficients"],
    ),
    (
        "mixed product",
        lambda w: w.coefficients * w.plain.prepare(),
        "ParameterError",
        ["a is encoded as coefficients and b as slots"],
    ),
    (
        "mixed terms",
        lambda w: bfv.add_many([w.a, w.coefficients]),
        "ParameterError",
        ["terms[0] is encoded as slots and terms[1] as coefficients"],
    ),
    (
        "mixed decoding",
        lambda w: bfv.CoefficientEncoder(w.context).decode(w.plain),
        "ParameterError",
        ["coefficients", "plaintext as slots"],
    ),
    (
        "encoding",
        lambda w: w.keys.encrypt([1], encoding="batch"),
        "ParameterError",
        ["encoding = 'batch'", "slots", "coefficients"],
    ),
    (
        "slots without slots",
        lambda w: w.other_keys.encrypt([1]),
        "UnsupportedError",
        ["t = 2", "prime t = 1 (mod 4096)", 'encoding="coefficients"'],
    ),
    (
        "residues without encoding",
        lambda w: bfv.Ciphertext.from_residues(w.context, w.a.residues, encoding="?"),
        "ParameterError",
        ["encoding = '?'"],
    ),
    # missing keys
    (
        "rotate",
        lambda w: w.a.rotate_rows(3, w.keys.rotations),
        "MissingKeyError",
        ["3", "1, 2", "generate_keys(rotations="],
    ),
    ("swap", lambda w: w.a.swap_columns(w.keys.rotations), "MissingKeyError", ["column"]),
    ("inner sum", lambda w: w.a.inner_sum(8, w.keys.rotations), "MissingKeyError", ["4"]),
    (
        "no key",
        lambda w: w.product.relinearize(None),
        "MissingKeyError",
        ["key is None", "generate"],
    ),
    (
        "none",
        lambda w: w.a.rotate_rows(1, w.other_keys.rotations),
        "MissingKeyError",
        ["keys is None"],
    ),
    # sizes and values
    ("step", lambda w: w.a.rotate_rows(2048, w.keys.rotations), "ParameterError", ["2048"]),
    ("span", lambda w: w.a.inner_sum(3, w.keys.rotations), "ParameterError", ["3", "power of two"]),
    ("span 0", lambda w: w.a.inner_sum(0, w.keys.rotations), "ParameterError", ["span = 0"]),
    ("three parts", lambda w: w.product * w.a, "ParameterError", ["relinearize"]),
    (
        "rotate three",
        lambda w: w.product.rotate_rows(1, w.keys.rotations),
        "ParameterError",
        ["relinearize"],
    ),
    ("empty sum", lambda w: bfv.add_many([]), "SizeError", ["terms is empty"]),
    ("empty dot", lambda w: bfv.sum_of_products([], []), "SizeError", ["at least 1"]),
    ("lengths", lambda w: bfv.sum_of_products([w.a], [w.a, w.a]), "SizeError", ["1", "2"]),
    ("encode t", lambda w: w.encoder.encode([0, 65537]), "ParameterError", ["1", "65537"]),
    ("encode low", lambda w: w.encoder.encode([-32769]), "ParameterError", ["-32769"]),
    ("encode signed", lambda w: w.encoder.encode(np.array([32769])), "ParameterError", ["32769"]),
    (
        "encode long",
        lambda w: w.encoder.encode(np.zeros(4097, int)),
        "SizeError",
        ["4097", "n = 4096"],
    ),
    ("encode 3d", lambda w: w.encoder.encode(np.zeros((2, 2, 2), int)), "SizeError", ["(2, 2, 2)"]),
    ("encode float", lambda w: w.encoder.encode([1.5]), "ArgumentTypeError", ["float64", "rint"]),
    ("encode text", lambda w: w.encoder.encode("12"), "ArgumentTypeError", ["need integers"]),
    (
        "encode huge",
        lambda w: w.encoder.encode([2**70]),
        "ParameterError",
        ["1180591620717411303424"],
    ),
    (
        "encode huger",
        lambda w: w.encoder.encode([1, 10**5000]),
        "ParameterError",
        ["values[1] = an integer of 16610 bits"],
    ),
    ("encode none", lambda w: w.encoder.encode([1, None]), "ArgumentTypeError", ["[1] = None"]),
    ("encode ragged", lambda w: w.encoder.encode([[1], [2, 3]]), "SizeError", ["lengths"]),
    ("encode plain", lambda w: w.keys.encrypt(w.plain), "ArgumentTypeError", ["is a Plaintext"]),
    (
        "dot plain",
        lambda w: bfv.sum_of_products([w.a], [w.plain]),
        "ArgumentTypeError",
        ["prepare()"],
    ),
    ("add float", lambda w: w.a + 1.5, "ArgumentTypeError", ["b is a float"]),
    ("add none", lambda w: w.a + None, "ArgumentTypeError", ["b is a NoneType"]),
    ("times big int", lambda w: w.a * 65537, "ParameterError", ["65537"]),
    (
        "not a key",
        lambda w: w.product.relinearize(w.keys.public),
        "ArgumentTypeError",
        ["key is a PublicKey"],
    ),
    (
        "not keys",
        lambda w: w.a.rotate_rows(1, w.keys.relinearization),
        "ArgumentTypeError",
        ["RotationKeys"],
    ),
    ("encryptor", lambda w: bfv.Encryptor(w.context), "ArgumentTypeError", ["key is a Context"]),
    (
        "decryptor",
        lambda w: bfv.Decryptor(w.keys.public),
        "ArgumentTypeError",
        ["key is a PublicKey"],
    ),
    ("seed", lambda w: w.context.generate_keys(seed=b"short"), "SizeError", ["5 bytes", "need 32"]),
    (
        "index",
        lambda w: bfv.Encryptor(w.keys.public).encrypt(w.plain, seed=bytes(32), index=2**32),
        "ParameterError",
        ["index = 4294967296"],
    ),
    (
        "rotation step",
        lambda w: bfv.KeyGenerator(w.context).rotation_keys([2048]),
        "ParameterError",
        ["2048"],
    ),
    *(
        (
            f"rotations {bad!r}",
            lambda w, bad=bad: w.context.generate_keys(rotations=bad),
            "ArgumentTypeError",
            ["rotations"],
        )
        for bad in ([1.9], "12", 5, [None], [True])
    ),
    (
        "inner sum keys",
        lambda w: bfv.KeyGenerator(w.context).inner_sum_keys(3),
        "ParameterError",
        ["span = 3", "power of two"],
    ),
    (
        "residues shape",
        lambda w: bfv.Ciphertext.from_residues(w.context, w.a.residues[0], encoding="slots"),
        "SizeError",
        ["residues"],
    ),
    (
        "residues value",
        lambda w: bfv.Ciphertext.from_residues(
            w.context, w.a.residues | np.uint64(2**63), encoding="slots"
        ),
        "ParameterError",
        ["part 0, limb 0, position 0", "out of range"],
    ),
    # what this build or these parameters cannot do
    (
        "threads of a GPU",
        lambda w: bfv.Context(P.preset(4096), device="cuda:host", threads=2),
        "ParameterError",
        ["threads = 2", "leave them out"],
    ),
    (
        "device",
        lambda w: bfv.Context(P.preset(4096), device="tpu"),
        "ParameterError",
        ["device = 'tpu'"],
    ),
    ("target", lambda w: bfv.Context(P.preset(4096), target="mmx"), "ParameterError", ["mmx"]),
    (
        "target 5",
        lambda w: bfv.Context(P.preset(4096), target=5),
        "ArgumentTypeError",
        ["target = 5"],
    ),
    (
        "threads",
        lambda w: bfv.Context(P.preset(4096), threads=-1),
        "ParameterError",
        ["threads = -1"],
    ),
    ("not parameters", lambda w: bfv.Context(4096), "ArgumentTypeError", ["parameters is a int"]),
    ("no batching", lambda w: bfv.BatchEncoder(w.other), "UnsupportedError", ["2"]),
    ("no slots", lambda w: w.b + np.array([1]), "ParameterError", ["CoefficientEncoder"]),
    (
        "no special prime",
        lambda w: w.other.generate_keys(relinearization=True),
        "UnsupportedError",
        ["special prime"],
    ),
    (
        "no rotations",
        lambda w: w.other.generate_keys(rotations=[1]),
        "UnsupportedError",
        ["special prime"],
    ),
    # bytes
    (
        "truncated",
        lambda w: w.a.from_bytes(w.context, w.a.to_bytes()[:-1]),
        "FormatError",
        ["truncated"],
    ),
    (
        "longer",
        lambda w: w.a.from_bytes(w.context, w.a.to_bytes() + b"x"),
        "FormatError",
        ["appended"],
    ),
    (
        "kind",
        lambda w: w.a.from_bytes(w.context, w.keys.public.to_bytes()),
        "FormatError",
        ["public"],
    ),
    (
        "other set",
        lambda w: w.a.from_bytes(w.other, w.a.to_bytes()),
        "ContextError",
        ["fingerprint"],
    ),
    (
        "nonsense",
        lambda w: bfv.SecretKey.from_bytes(w.context, bytes(100)),
        "FormatError",
        ["not an object of this library"],
    ),
    (
        "no context",
        lambda w: bfv.Ciphertext.from_bytes(w.a.to_bytes(), w.context),
        "ArgumentTypeError",
        ["context is a bytes", "need a Context"],
    ),
    (
        "residues without context",
        lambda w: bfv.Ciphertext.from_residues(None, w.a.residues, encoding="slots"),
        "ArgumentTypeError",
        ["context is a NoneType"],
    ),
    (
        "strided",
        lambda w: bfv.Plaintext.from_bytes(w.context, memoryview(w.plain.to_bytes())[::2]),
        "SizeError",
        ["contiguous"],
    ),
    (
        "empty",
        lambda w: bfv.RotationKeys.from_bytes(w.context, b""),
        "FormatError",
        ["0 bytes are too few"],
    ),
]


@pytest.mark.parametrize(
    ("call", "error", "parts"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_bad_use(world: World, call: Callable[[World], Any], error: str, parts: list[str]) -> None:
    before = [thing.to_bytes() for thing in (world.a, world.b, world.product, world.plain)]
    with pytest.raises(getattr(nttforge, error)) as caught:
        call(world)
    for part in parts:
        assert part in str(caught.value), str(caught.value)
    assert before == [thing.to_bytes() for thing in (world.a, world.b, world.product, world.plain)]


def test_every_altered_byte_is_noticed(world: World) -> None:
    data = world.a.to_bytes()
    rng = np.random.default_rng(7)
    positions = [
        *range(64),
        *rng.integers(0, len(data), 40).tolist(),
        *range(len(data) - 8, len(data)),
    ]
    for position in positions:
        altered = bytearray(data)
        altered[position] ^= 1 << int(rng.integers(8))
        with pytest.raises((nttforge.FormatError, nttforge.ContextError)):
            bfv.Ciphertext.from_bytes(world.context, altered)


def test_objects_are_immutable(world: World) -> None:
    for thing in (world.context, world.context.parameters, world.a, world.plain, world.keys.public):
        with pytest.raises(AttributeError, match="immutable"):
            thing.n = 1
    with pytest.raises(AttributeError):
        world.keys.secret = None  # type: ignore[misc]
    with pytest.raises(TypeError, match=r"Parameters\.preset"):
        P()
    a = world.a
    b = a
    b += 1
    assert b is not a and world.keys.decrypt(a)[0] == 1 and world.keys.decrypt(b)[0] == 2
    coefficients = world.plain.coefficients
    coefficients[:] = 0
    assert world.plain.coefficients.any()
