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

FOLDERS = [path for path in SETS if path.name.startswith("ckks")]


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
    """b + a s = P g_d s' - e modulo the primes of the level's key and P."""
    folder = CURRENT / name
    data = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    reader = READER.Reader(data["parameters.bin"])
    secret = reader.read_secret(data["secret.bin"])
    square, size = READER.product(secret, secret), reader.digit_primes
    special = math.prod(reader.p)

    def check(digits: list[Any], source: list[int], level: int) -> None:
        first, last = reader.key_window(level)
        modulus = math.prod(reader.q[first:last]) * special
        assert len(digits) == len(reader.digit_numbers(level))
        for d, (b, a) in zip(reader.digit_numbers(level), digits, strict=True):
            own = math.prod(reader.q[max(first, d * size) : min(last, (d + 1) * size)])
            others = modulus // own
            g = others * pow(others, -1, own)
            masked = [u + v for u, v in zip(b, READER.product(a, secret), strict=True)]
            wanted = [special * g * c for c in source]
            errors = [READER.centred(m - w, modulus) for m, w in zip(masked, wanted, strict=True)]
            assert max(map(abs, errors)) <= 41 and any(errors)

    top = len(reader.windows)
    check(reader.read_relinearization(data["relinearization.bin"]), square, top)
    check(reader.read_relinearization(data["relinearization_level.bin"]), square, 2)
    for kind, level in (("rotations", top), ("rotations_level", 2)):
        rotations = reader.read_rotations(data[f"{kind}.bin"])
        assert list(rotations) == [5, 2 * WRITE.N - 1]
        for element, digits in rotations.items():
            image = [0] * WRITE.N
            for i, c in enumerate(secret):
                at = i * element % (2 * WRITE.N)
                image[at % WRITE.N] = c if at < WRITE.N else -c
            check(digits, image, level)
