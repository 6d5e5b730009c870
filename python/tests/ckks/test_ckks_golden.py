# SPDX-License-Identifier: Apache-2.0
"""Golden files of CKKS: read by the library and by the reader made from docs/format.md."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import CURRENT, READER, SETS, WRITE

from nttforge import ckks

FOLDERS = [path for path in SETS if path.name in WRITE.CKKS_SETS]
BOOTSTRAPS = [path for path in SETS if path.name == "ckks_bootstrap"]


def _values(folder: Path) -> dict[str, Any]:
    stored = json.loads((folder.parent / "values_ckks.json").read_text("utf-8"))

    def number(v: Any) -> Any:
        return complex(*v) if isinstance(v, list) else v

    return {
        name: [row if name == "ciphertext_batch.bin" else number(row) for row in rows]
        for name, rows in stored.items()
    }


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_library_reads_every_version(folder: Path) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    parameters = ckks.Parameters.from_bytes(data["parameters.bin"], allow_insecure=True)
    context = ckks.Context(parameters, threads=1)
    decryptor = ckks.Decryptor(ckks.SecretKey.from_bytes(context, data["secret.bin"]))
    texts = {}
    for name, expected in _values(folder).items():
        text = texts[name] = ckks.Ciphertext.from_bytes(context, data[name])
        assert text.to_bytes() == data[name], name
        values = decryptor.decrypt(text)
        assert np.abs(values - np.array(expected)).max() <= text.error < 2**-20, name
    keys = ckks.EvaluationKeys.from_bytes(context, data["evaluation.bin"])
    x = texts["ciphertext_public.bin"]
    product = texts["ciphertext_product.bin"].relinearize(keys)
    assert product.same_words(texts["ciphertext_relinearized.bin"])
    assert x.rotate_rows(WRITE.STEP, keys).same_words(texts["ciphertext_rotated.bin"])
    assert x.conjugate(keys).same_words(texts["ciphertext_conjugated.bin"])
    low = ckks.EvaluationKeys.from_bytes(context, data["evaluation_level.bin"])
    below = x.mod_switch(2)
    assert below.rotate_rows(1, low).same_words(below.rotate_rows(1, keys))
    public = ckks.PublicKey.from_bytes(context, data["public.bin"])
    fresh = ckks.Encryptor(public).encrypt(ckks.Plaintext(context, WRITE.V, bound=2))
    assert np.abs(decryptor.decrypt(fresh) - WRITE.V).max() <= fresh.error


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_reader_decrypts_every_ciphertext(folder: Path) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    reader = READER.Reader(data["parameters.bin"])
    secret = reader.read_secret(data["secret.bin"])
    parameters = ckks.Parameters.from_bytes(data["parameters.bin"], allow_insecure=True)
    context = ckks.Context(parameters, threads=1)
    assert reader.windows == list(parameters.levels) and reader.t == np.float64(
        parameters.scale
    ).view(np.uint64)
    for name, expected in _values(folder).items():
        parts, encoding, _ = reader.read_ciphertext(data[name])
        batch = parts if "batch" in name else [parts]
        text = ckks.Ciphertext.from_bytes(context, data[name])
        assert (reader.level, reader.slots, bool(reader.real)) == (
            text.level,
            text.slots,
            text.real,
        )
        assert float(reader.scale) == text.scale and 2**reader.bound == pytest.approx(text.bound)
        found = [reader.decode(reader.decrypt(p, secret)[0], encoding) for p in batch]
        rows = expected if "batch" in name else [expected]
        error = np.abs(np.array(found) - np.array(rows)).max()
        assert error <= text.error + 1e-14, name  # of the reader's doubles
        assert reader.error == pytest.approx(text.error, rel=1e-3), name


@pytest.mark.parametrize("name", WRITE.CKKS_SETS)
def test_keys_are_what_the_page_says(name: str) -> None:
    folder = CURRENT / name
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    reader = READER.Reader(data["parameters.bin"])
    secret = reader.read_secret(data["secret.bin"])
    square, top = READER.product(secret, secret), len(reader.windows)
    key = reader.read_relinearization(data["relinearization.bin"])
    _check_key(reader, key, square, secret, top)
    key = reader.read_relinearization(data["relinearization_level.bin"])
    _check_key(reader, key, square, secret, 2)
    for kind, level in (("rotations", top), ("rotations_level", 2)):
        rotations = reader.read_rotations(data[f"{kind}.bin"])
        assert list(rotations) == [5, 2 * WRITE.N - 1]
        for element, digits in rotations.items():
            _check_key(reader, digits, _image(secret, element), secret, level)


def _image(secret: list[int], element: int) -> list[int]:
    """s(X^element)."""
    n = len(secret)
    image = [0] * n
    for i, c in enumerate(secret):
        at = i * element % (2 * n)
        image[at % n] = c if at < n else -c
    return image


def _check_key(
    reader: Any,
    digits: list[Any],
    source: list[int],
    secret: list[int],
    level: int,
    special: int | None = None,
) -> None:
    """b + a s = P g_d s' - e modulo the primes of the level's key and P."""
    first, last = reader.key_window(level)
    size, divisor = reader.digit_primes, math.prod(reader.p[: special or None])
    modulus = math.prod(reader.q[first:last]) * divisor
    assert len(digits) == len(reader.digit_numbers(level))
    for d, (b, a) in zip(reader.digit_numbers(level), digits, strict=True):
        own = math.prod(reader.q[max(first, d * size) : min(last, (d + 1) * size)])
        others = modulus // own
        g = others * pow(others, -1, own)
        masked = [u + v for u, v in zip(b, READER.product(a, secret), strict=True)]
        wanted = [divisor * g * c for c in source]
        errors = [READER.centred(m - w, modulus) for m, w in zip(masked, wanted, strict=True)]
        assert max(map(abs, errors)) <= 41 and any(errors)


@pytest.mark.parametrize("folder", BOOTSTRAPS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_keys_of_every_version_bootstrap(folder: Path) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    parameters = ckks.Parameters.from_bytes(data["parameters.bin"], allow_insecure=True)
    context = ckks.Context(parameters, threads=1)
    machine = ckks.Bootstrapper(
        context, slots=2, to_slots=[1], to_coefficients=[1], coefficients_first=True
    )
    keys = ckks.BootstrapKeys.from_bytes(machine, data["bootstrap.bin"])
    low = ckks.Ciphertext.from_bytes(context, data["ciphertext_low.bin"])
    high = low.bootstrap(keys)
    assert keys.to_bytes() == data["bootstrap.bin"]
    assert len(data["bootstrap.bin"]) == machine.serialized_bytes
    secrets = [
        ckks.SecretKey.from_bytes(context, data[f"{name}.bin"])
        for name in ("secret", "secret_sparse")
    ]
    values = ckks.Decryptor(secrets[0]).decrypt(high)
    assert np.abs(values - WRITE.BOOTSTRAPPED).max() <= high.error < 2**-10
    switching = ckks.KeySwitchKey.from_bytes(context, data["switching.bin"])
    assert switching.to_bytes() == data["switching.bin"] and switching.level == 1
    sparse = low.mod_switch(1).switch_secret(switching)
    values = ckks.Decryptor(secrets[1]).decrypt(sparse)
    assert np.abs(values - WRITE.BOOTSTRAPPED).max() <= sparse.error


@pytest.mark.parametrize("folder", BOOTSTRAPS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_reader_reads_the_keys_of_a_bootstrap(folder: Path) -> None:
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    reader = READER.Reader(data["parameters.bin"])
    dense = reader.read_secret(data["secret.bin"])
    sparse = reader.read_secret(data["secret_sparse.bin"])
    assert sum(map(abs, sparse)) == 32
    options, to_sparse, to_dense, products, rotations = reader.read_bootstrap(data["bootstrap.bin"])
    assert reader.payload == b""
    assert options == {
        "slots": 2,
        "weight": 32,
        "first": 1,
        "sine levels": 8,
        "small keys": 0,
        "to slots": (1,),
        "to coefficients": (1,),
    }
    top = len(reader.windows)
    assert to_sparse[1:] == (1, 1) and to_dense[1:] == (top, 0)
    _check_key(reader, to_sparse[0], dense, sparse, 1, 1)
    _check_key(reader, to_dense[0], sparse, dense, top)
    _check_key(reader, products, READER.product(dense, dense), dense, top - 1)
    # Steps 1 and, to sum what few slots repeat, 2, 4 ... n/4; the conjugation.
    steps = {pow(5, step, 256): top for step in (1, 2, 4, 8, 16, 32)} | {255: top - 1}
    assert list(rotations) == sorted(steps)
    for element in (5, 255):
        digits = rotations[element]
        _check_key(reader, digits, _image(dense, element), dense, steps[element])
    key, level, special = reader.read_switching(data["switching.bin"])
    assert (level, special) == (1, 2)
    _check_key(reader, key, dense, sparse, level, special)
    parts, encoding, _ = reader.read_ciphertext(data["ciphertext_low.bin"])
    values = reader.decode(reader.decrypt(parts, dense)[0], encoding)
    assert np.abs(np.array(values) - WRITE.BOOTSTRAPPED).max() <= reader.error < 2**-10
