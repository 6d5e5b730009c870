# SPDX-License-Identifier: Apache-2.0
"""Golden files of every version: read by the library and by a program made from docs/format.md."""

from __future__ import annotations

import json
import math
import re
import struct
from pathlib import Path
from typing import Any

import pytest
from golden import CURRENT, GOLDEN, READER, ROOT, SETS, WRITE

import nttforge
from nttforge import bfv, bgv
from nttforge.encrypted.kinds import kind_of, private_kind

FILES = {path.name: path.read_bytes() for path in sorted((CURRENT / "bfv").glob("*.bin"))}
#: Those of schemes for integers with every kind of object.
FOLDERS = [path for path in SETS if path.name in WRITE.SETS]


@pytest.fixture(scope="module")
def reader() -> Any:
    return READER.Reader(FILES["parameters.bin"])


@pytest.fixture(scope="module")
def secret(reader: Any) -> list[int]:
    return reader.read_secret(FILES["secret.bin"])


def _slots(values: list[int]) -> list[int]:
    return [v % WRITE.T for v in values] + [0] * (WRITE.N - len(values))


def _loaded(folder: Path) -> tuple[Any, Any, Any]:
    """The scheme, its context and the secret key of a folder."""
    scheme = bgv if folder.name.startswith("bgv") else bfv
    data = (folder / "parameters.bin").read_bytes()
    context = scheme.Context(scheme.Parameters.from_bytes(data, allow_insecure=True), threads=1)
    secret = scheme.SecretKey.from_bytes(context, (folder / "secret.bin").read_bytes())
    return scheme, context, secret


def test_files_are_written_again_bit_by_bit() -> None:
    files = WRITE.all_files()
    found = {str(path.relative_to(GOLDEN)) for path in GOLDEN.glob("v*/**/*.*")}
    assert files.keys() == found
    assert [name for name in files if files[name] != (GOLDEN / name).read_bytes()] == []
    assert sum(map(len, files.values())) < 600_000


def test_bytes_say_what_they_are_and_whether_they_may_be_computed_beside() -> None:
    kinds = set()
    for path in GOLDEN.glob("v*/*/*.bin"):
        data = path.read_bytes()
        kinds.add(kind_of(data))
        private = path.name.startswith(("secret", "plaintext"))
        assert (private_kind(data) != "") == private, path
    assert {"key-switching key", "bootstrap keys", "evaluation keys", "secret key"} < kinds
    assert not any(kind.startswith("object") for kind in kinds)


def test_no_golden_file_is_ever_changed(tmp_path: Path) -> None:
    folder = tmp_path / "v9"
    assert WRITE.write(folder, {"bfv/a.bin": b"1", "b.json": b"2"}) == ["bfv/a.bin", "b.json"]
    assert WRITE.write(folder, {"bfv/a.bin": b"1", "c": b"3"}) == ["c"]
    with pytest.raises(FileExistsError, match=r"bfv/a\.bin exists and this build writes other"):
        WRITE.write(folder, {"d": b"4", "bfv/a.bin": b"5"})
    assert (folder / "bfv/a.bin").read_bytes() == b"1" and not (folder / "d").exists()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_library_reads_every_version(folder: Path) -> None:
    """Every object of every folder: ciphertexts decrypt, plaintexts decode, keys still work."""
    scheme, context, secret = _loaded(folder)
    expected = json.loads((folder.parent / "values.json").read_text("utf-8"))
    decryptor = scheme.Decryptor(secret)
    encoders = {
        "slots": scheme.BatchEncoder(context),
        "coefficients": scheme.CoefficientEncoder(context),
    }
    texts: dict[str, Any] = {}
    for path in sorted(folder.glob("*text_*.bin")):
        cls = scheme.Plaintext if path.name.startswith("plain") else scheme.Ciphertext
        text = texts[path.stem] = cls.from_bytes(context, path.read_bytes())
        plain = text if cls is scheme.Plaintext else decryptor.decrypt(text)
        values = encoders[text.encoding].decode(plain).tolist()
        assert values == expected[path.name], path.name
    array = nttforge.EncryptedArray.from_bytes(context, (folder / "array.enc").read_bytes())
    assert (array.scale, array.bounds) == (WRITE.SCALE, (-4.8, 4.8))
    assert array.decrypt(secret).tolist() == expected["array.enc"]
    if (folder / "evaluation_level.bin").exists():
        _keys_at_a_level_work(folder, scheme, context, secret)
    if not (folder / "public.bin").exists():
        return
    public = scheme.PublicKey.from_bytes(context, (folder / "public.bin").read_bytes())
    fresh = scheme.Encryptor(public).encrypt(texts["plaintext_slots"])
    assert decryptor.decrypt(fresh) == texts["plaintext_slots"]
    if (folder / "rotations.bin").exists():
        rotations = scheme.RotationKeys.from_bytes(context, (folder / "rotations.bin").read_bytes())
        step = texts["ciphertext_public"].rotate_rows(WRITE.STEP, rotations)
        assert step.same_words(texts["ciphertext_rotated"])
        data = (folder / "relinearization.bin").read_bytes()
        key = scheme.RelinearizationKey.from_bytes(context, data)
        relinearized = texts["ciphertext_product"].relinearize(key)
        assert relinearized.same_words(texts["ciphertext_relinearized"])
        data = (folder / "evaluation.bin").read_bytes()
        both = scheme.EvaluationKeys.from_bytes(context, data)
        assert texts["ciphertext_product"].relinearize(both).same_words(relinearized)
        assert texts["ciphertext_public"].rotate_rows(WRITE.STEP, both).same_words(step)


def _keys_at_a_level_work(folder: Path, scheme: Any, context: Any, secret: Any) -> None:
    encoder, decryptor = scheme.BatchEncoder(context), scheme.Decryptor(secret)
    x = scheme.Encryptor(secret).encrypt(encoder.encode(WRITE.X))
    found = {}
    for name, cls in (
        ("relinearization", scheme.RelinearizationKey),
        ("rotations", scheme.RotationKeys),
        ("evaluation", scheme.EvaluationKeys),
    ):
        data = (folder / f"{name}_level.bin").read_bytes()
        found[name] = cls.from_bytes(context, data)
        assert found[name].to_bytes() == data
    top = len(context.parameters.q)
    assert found["rotations"].level == found["relinearization"].level == top - 1
    assert found["evaluation"].rotations.level == 1
    half = WRITE.N // 2
    rotated = [WRITE.X[row + (i + WRITE.STEP) % half] for row in (0, half) for i in range(half)]
    for keys, level in ((found["rotations"], top - 1), (found["evaluation"], 1)):
        y = x.mod_switch(level).rotate_rows(WRITE.STEP, keys)
        assert encoder.decode(decryptor.decrypt(y)).tolist() == rotated
    product = x.mod_switch(top - 1) * x.mod_switch(top - 1)
    relinearized = product.relinearize(found["relinearization"])
    assert decryptor.decrypt(relinearized) == decryptor.decrypt(product)


OLDER = "no release wrote such bytes, so make the object again"
NEWER = (
    "a newer release wrote these bytes, so update nttforge, or have the object written again by a "
    "release of that version"
)


@pytest.mark.parametrize(("version", "message"), [(0, OLDER), (2, NEWER), (65535, NEWER)])
@pytest.mark.parametrize(
    "name", ["parameters", "secret", "rotations", "evaluation", "ciphertext_seeded"]
)
def test_other_versions_are_refused_with_a_remedy(name: str, version: int, message: str) -> None:
    data = bytearray(FILES[f"{name}.bin"])
    data[8:10] = version.to_bytes(2, "little")
    data[-8:] = struct.pack("<Q", READER.checksum64(data[:-8]))
    _, context, _ = _loaded(CURRENT / "bfv")
    load = {
        "parameters": lambda: bfv.Parameters.from_bytes(data),
        "secret": lambda: bfv.SecretKey.from_bytes(context, data),
        "rotations": lambda: bfv.RotationKeys.from_bytes(context, data),
        "evaluation": lambda: bfv.EvaluationKeys.from_bytes(context, data),
        "ciphertext_seeded": lambda: bfv.Ciphertext.from_bytes(context, data),
    }[name]
    with pytest.raises(nttforge.FormatError) as caught:
        load()
    assert str(caught.value) == (
        f"header.version = {version} is not supported, this build reads version 1: {message}"
    )


def test_the_reader_uses_nothing_of_the_library() -> None:
    text = (GOLDEN / "reader.py").read_text("utf-8")
    imports = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    assert sorted(imports) == ["cmath", "fractions", "json", "math", "pathlib", "struct", "sys"]


def test_the_checksum_is_the_page_s() -> None:
    page = (ROOT / "docs" / "format.md").read_text("utf-8")
    code = page.split("```python\n")[1].split("```")[0]
    names: dict[str, Any] = {"struct": READER.struct}
    exec(code, names)
    for size in (0, 1, 8, 31, 32, 33, 200):
        data = bytes(range(size))
        assert names["checksum64"](data) == READER.checksum64(data)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_the_reader_decrypts_every_ciphertext(folder: Path) -> None:
    files = {path.name: path.read_bytes() for path in folder.glob("*.bin")}
    expected = json.loads((folder.parent / "values.json").read_text("utf-8"))
    reader = READER.Reader(files["parameters.bin"])
    secret = reader.read_secret(files["secret.bin"])
    _, context, core_secret = _loaded(folder)
    scheme = bgv if reader.scheme == 2 else bfv

    def modulo_t(values: Any) -> Any:
        return [modulo_t(v) if isinstance(v, list) else v % WRITE.T for v in values]

    for name in sorted(name for name in files if name.startswith("ciphertext")):
        parts, encoding, predicted = reader.read_ciphertext(files[name])
        batch = parts if "batch" in name else [parts]
        assert encoding == (2 if "coefficients" in name else 1)
        three = any(word in name for word in ("product", "without_noise", "silent"))
        assert all(len(element) == (3 if three else 2) for element in batch)
        found = [reader.decrypt(element, secret) for element in batch]
        values = [reader.decode(message, encoding) for message, _ in found]
        assert values == modulo_t(expected[name] if "batch" in name else [expected[name]]), name
        modulus = math.log2(math.prod(reader.q[: reader.level]))
        budget = modulus - 1 - math.log2(max(noise for _, noise in found))
        measured = scheme.Decryptor(core_secret).noise_budget_bits(
            scheme.Ciphertext.from_bytes(context, files[name])
        )
        assert abs(budget - measured) < 1e-6
        assert predicted is None or predicted < budget
    array = (folder / "array.enc").read_bytes()
    assert reader.read_array(array, secret) == expected["array.enc"]
    for name in sorted(name for name in files if name.startswith("plaintext")):
        assert reader.read_plaintext(files[name]) == modulo_t(expected[name])


@pytest.mark.parametrize(("primes", "special"), [(2, 1), (5, 2), (4, 3)])
def test_keys_are_what_the_page_says(primes: int, special: int) -> None:
    """Signs and gadgets: b + a s = P g_d s' - e modulo Q P, e within its bound."""
    files = WRITE.golden_files(primes, special)
    reader = READER.Reader(files["parameters.bin"])
    secret = reader.read_secret(files["secret.bin"])
    p = math.prod(reader.p)
    assert reader.digit_primes == special == len(reader.p)

    def check(pair: tuple[list[int], list[int]], gadget: list[int], modulus: int) -> None:
        b, a = pair
        masked = [u + v for u, v in zip(b, READER.product(a, secret), strict=True)]
        errors = [READER.centred(m - g, modulus) for m, g in zip(masked, gadget, strict=True)]
        assert max(map(abs, errors)) <= 41 and any(errors)

    public = reader.read_public(files["public.bin"])
    check(public, [0] * WRITE.N, math.prod(reader.q) * p)

    def check_digits(digits: list[Any], source: list[int], level: int = primes) -> None:
        assert len(digits) == -(-level // special)
        q = reader.q[:level]
        modulus = math.prod(q) * p
        for d, pair in enumerate(digits):
            own = math.prod(q[d * special : (d + 1) * special])
            others = modulus // own  # times its inverse: 1 modulo the digit's primes, else 0
            g = others * pow(others, -1, own)
            check(pair, [p * g * c for c in source], modulus)

    square = READER.product(secret, secret)
    check_digits(reader.read_relinearization(files["relinearization.bin"]), square)
    rotations = reader.read_rotations(files["rotations.bin"])
    relinearization, again = reader.read_evaluation(files["evaluation.bin"])
    assert again == rotations
    check_digits(relinearization, square)
    data = files["relinearization_level.bin"]
    check_digits(reader.read_relinearization(data), square, primes - 1)
    lower = reader.read_evaluation(files["evaluation_level.bin"])
    check_digits(lower[0], square, 1)
    assert list(lower[1]) == list(rotations)
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


@pytest.mark.parametrize(("folder", "form"), [("bfv", "coefficients"), ("bgv", "values")])
@pytest.mark.parametrize("name", ["ciphertext_seeded", "ciphertext_public", "ciphertext_product"])
def test_bytes_say_the_form(folder: str, form: str, name: str) -> None:
    """Fresh ciphertexts and products are in their scheme's form, rounded ones in coefficients."""
    scheme, context, _ = _loaded(CURRENT / folder)
    data = (CURRENT / folder / f"{name}.bin").read_bytes()
    ciphertext = scheme.Ciphertext.from_bytes(context, data)
    assert data[40] == (form == "values") and ciphertext.form == form
    assert ciphertext.shrink(1.75).form == "coefficients"
    wrong = bytearray(data)
    wrong[40] = 2
    wrong[-8:] = struct.pack("<Q", READER.checksum64(wrong[:-8]))
    with pytest.raises(nttforge.FormatError, match=r"ciphertext.form = 2 must be 0 .* or 1"):
        scheme.Ciphertext.from_bytes(context, wrong)
