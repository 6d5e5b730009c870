# SPDX-License-Identifier: Apache-2.0
"""Golden files: written again byte by byte, read by a program made from docs/format.md alone."""

from __future__ import annotations

import importlib.util
import math
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import nttforge
from nttforge import bfv

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"golden_{name}", GOLDEN / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITE, READER = _module("write"), _module("reader")
FILES = {path.name: path.read_bytes() for path in sorted(GOLDEN.glob("*.bin"))}


@pytest.fixture(scope="module")
def reader() -> Any:
    return READER.Reader(FILES["parameters.bin"])


@pytest.fixture(scope="module")
def secret(reader: Any) -> list[int]:
    return reader.read_secret(FILES["secret.bin"])


def _slots(values: list[int]) -> list[int]:
    return [v % WRITE.T for v in values] + [0] * (WRITE.N - len(values))


def test_files_are_written_again_bit_by_bit() -> None:
    files = WRITE.golden_files()
    assert files.keys() == FILES.keys()
    assert [name for name in files if files[name] != FILES[name]] == []


def test_the_library_reads_them() -> None:
    parameters = bfv.Parameters.from_bytes(FILES["parameters.bin"], allow_insecure=True)
    context = bfv.Context(parameters)
    secret = bfv.SecretKey.from_bytes(context, FILES["secret.bin"])
    keys = bfv.Keys(secret, bfv.PublicKey.from_bytes(context, FILES["public.bin"]))
    x, y = (
        keys.decrypt(bfv.Ciphertext.from_bytes(context, FILES[f"ciphertext_{name}.bin"]))
        for name in ("public", "seeded")
    )
    assert x.tolist() == WRITE.X and y[:3].tolist() == WRITE.Y
    relinearization = bfv.RelinearizationKey.from_bytes(context, FILES["relinearization.bin"])
    product = bfv.Ciphertext.from_bytes(context, FILES["ciphertext_product.bin"])
    relinearized = bfv.Ciphertext.from_bytes(context, FILES["ciphertext_relinearized.bin"])
    assert product.relinearize(relinearization) == relinearized


def test_the_reader_uses_nothing_of_the_library() -> None:
    text = (GOLDEN / "reader.py").read_text("utf-8")
    imports = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    assert sorted(imports) == ["math", "pathlib", "struct", "sys"]


def test_the_checksum_is_the_page_s() -> None:
    page = (ROOT / "docs" / "format.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"struct": READER.struct}
    exec(code, names)
    for size in (0, 1, 8, 31, 32, 33, 200):
        data = bytes(range(size))
        assert names["checksum64"](data) == READER.checksum64(data)


@pytest.mark.parametrize(("primes", "special"), [(2, 1), (5, 2)])
def test_the_reader_decrypts_every_ciphertext(primes: int, special: int) -> None:
    files = WRITE.golden_files(primes, special)
    reader = READER.Reader(files["parameters.bin"])
    secret = reader.read_secret(files["secret.bin"])
    x, y = _slots(WRITE.X), _slots(WRITE.Y)
    product = [a * b % WRITE.T for a, b in zip(x, y, strict=True)]
    half = WRITE.N // 2
    rotated = [x[row + (i + WRITE.STEP) % half] for row in (0, half) for i in range(half)]
    expected = {"public": x, "seeded": y, "coefficients": x, "product": product}
    expected |= {"relinearized": product, "rotated": rotated, "without_noise": product}
    parameters = bfv.Parameters.from_bytes(files["parameters.bin"], allow_insecure=True)
    context = bfv.Context(parameters)
    for name, values in expected.items():
        data = files[f"ciphertext_{name}.bin"]
        parts, encoding, predicted = reader.read_ciphertext(data)
        assert encoding == (2 if name == "coefficients" else 1)
        assert len(parts) == (3 if name in ("product", "without_noise") else 2)
        message, noise = reader.decrypt(parts, secret)
        assert reader.decode(message, encoding) == values, name
        budget = math.log2(math.prod(reader.q)) - 1 - math.log2(noise)
        core_secret = bfv.SecretKey.from_bytes(context, files["secret.bin"])
        measured = bfv.Decryptor(core_secret).noise_budget_bits(
            bfv.Ciphertext.from_bytes(context, data)
        )
        assert abs(budget - measured) < 1e-6
        assert predicted is None or predicted < budget
    for encoding in ("slots", "coefficients"):
        assert reader.read_plaintext(files[f"plaintext_{encoding}.bin"]) == x


@pytest.mark.parametrize(("primes", "special"), [(2, 1), (5, 2), (4, 3)])
def test_keys_are_what_the_page_says(primes: int, special: int) -> None:
    """Signs and gadgets: b + a s = P g_d s' - e modulo Q P, e within its bound."""
    files = WRITE.golden_files(primes, special)
    reader = READER.Reader(files["parameters.bin"])
    secret = reader.read_secret(files["secret.bin"])
    modulus, p = math.prod(reader.q + reader.p), math.prod(reader.p)
    assert reader.digit_primes == special == len(reader.p)

    def check(pair: tuple[list[int], list[int]], gadget: list[int]) -> None:
        b, a = pair
        masked = [u + v for u, v in zip(b, READER.product(a, secret), strict=True)]
        errors = [READER.centred(m - g, modulus) for m, g in zip(masked, gadget, strict=True)]
        assert max(map(abs, errors)) <= 41 and any(errors)

    check(reader.read_public(files["public.bin"]), [0] * WRITE.N)

    def check_digits(digits: list[Any], source: list[int]) -> None:
        assert len(digits) == -(-primes // special)
        for d, pair in enumerate(digits):
            own = math.prod(reader.q[d * special : (d + 1) * special])
            others = modulus // own  # times its inverse: 1 modulo the digit's primes, else 0
            g = others * pow(others, -1, own)
            check(pair, [p * g * c for c in source])

    square = READER.product(secret, secret)
    check_digits(reader.read_relinearization(files["relinearization.bin"]), square)
    rotations = reader.read_rotations(files["rotations.bin"])
    assert list(rotations) == [3, 2 * WRITE.N - 1]
    for element, digits in rotations.items():
        image = [0] * WRITE.N
        for i, c in enumerate(secret):
            at = i * element % (2 * WRITE.N)
            image[at % WRITE.N] = c if at < WRITE.N else -c
        check_digits(digits, image)


def test_the_reader_notices_damage(reader: Any) -> None:
    data = bytearray(FILES["ciphertext_public.bin"])
    data[79] ^= 128
    data[87] ^= 128
    with pytest.raises(AssertionError):
        reader.read_ciphertext(bytes(data))
    context = bfv.Context(bfv.Parameters.from_bytes(FILES["parameters.bin"], allow_insecure=True))
    with pytest.raises(nttforge.FormatError, match="checksum does not match"):
        bfv.Ciphertext.from_bytes(context, data)


def test_the_reader_reads_batches(reader: Any, secret: list[int]) -> None:
    """The half of each element that follows from the object's one seed, and every row."""
    parameters = bfv.Parameters.from_bytes(FILES["parameters.bin"], allow_insecure=True)
    context = bfv.Context(parameters)
    keys = bfv.Keys(
        bfv.SecretKey.from_bytes(context, FILES["secret.bin"]),
        bfv.PublicKey.from_bytes(context, FILES["public.bin"]),
    )
    rows = [[1, 2, 3], [4, -5, 6]]
    plain = bfv.BatchEncoder(context).encode(rows)
    assert reader.read_plaintext(plain.to_bytes()) == [_slots(row) for row in rows]
    for key in (keys.secret, keys.public):
        batch = bfv.Encryptor(key).encrypt(plain)
        assert batch.seeded is (key is keys.secret)
        texts, encoding, _ = reader.read_ciphertext(batch.to_bytes())
        found = [reader.decode(reader.decrypt(parts, secret)[0], encoding) for parts in texts]
        assert found == [_slots(row) for row in rows]
