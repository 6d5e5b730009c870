# SPDX-License-Identifier: Apache-2.0
"""Objects that Microsoft SEAL wrote (tests/golden/seal/write.cpp): read, used, written back."""

from __future__ import annotations

import hashlib
import struct
import zlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from devices import gpu_devices

from nttforge import bfv, bgv, ntt_primes, seal
from nttforge.errors import (
    ContextError,
    FormatError,
    MissingKeyError,
    NttforgeError,
    ParameterError,
    UnsupportedError,
)
from nttforge.integer_encoding import Context
from nttforge.rlwe import SecretKey
from nttforge.typing import DeviceName
from nttforge_seal import _seeds

GOLDEN = Path(__file__).parents[3] / "tests" / "golden" / "seal"
SCHEMES = {"bfv": bfv, "bgv": bgv}
T = 12289
INDEX = np.arange(1024)
A, B = (INDEX * INDEX + 1) % T, (3 * INDEX + 2) % T


def stored(scheme: str, name: str) -> bytes:
    return (GOLDEN / scheme / f"{name}.seal").read_bytes()


def context_of(scheme: str, device: str = "cpu") -> Context:
    module = SCHEMES[scheme]
    parameters = seal.import_parameters(
        stored(scheme, "parameters"), security="insecure_by_request"
    )
    assert isinstance(parameters, module.Parameters)
    context: Context = module.Context(parameters, device)
    return context


def decrypted(module: ModuleType, secret: SecretKey, c: object) -> np.ndarray:
    context = secret.context
    decoded = module.BatchEncoder(context).decode(module.Decryptor(secret).decrypt(c), signed=False)
    return np.asarray(decoded) % T


def rotated(x: np.ndarray) -> np.ndarray:
    return np.roll(x.reshape(2, 512), -1, axis=1).reshape(-1)


def reframed(body: bytes, compression: int = 0) -> bytes:
    packed = zlib.compress(body) if compression else body
    return struct.pack("<HBBBBHQ", 0xA15E, 16, 4, 4, compression, 0, 16 + len(packed)) + packed


def opened(data: bytes) -> bytes:
    return zlib.decompress(data[16:]) if data[5] == 1 else data[16:]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_what_seal_encrypted_is_decrypted_computed_with_and_written_back(
    scheme: str, tmp_path: Path
) -> None:
    module, context = SCHEMES[scheme], context_of(scheme)
    secret = seal.import_secret_key(context, stored(scheme, "secret"))
    a = seal.import_ciphertext(context, stored(scheme, "a"))
    b = seal.import_ciphertext(context, stored(scheme, "b"))
    assert np.array_equal(decrypted(module, secret, a), A)
    assert np.array_equal(decrypted(module, secret, b), B)
    assert np.array_equal(
        decrypted(module, secret, seal.import_ciphertext(context, stored(scheme, "square"))),
        A * A % T,
    )
    lower = seal.import_ciphertext(context, stored(scheme, "lower"))
    assert lower.level == 1
    assert np.array_equal(decrypted(module, secret, lower), A)

    keys = seal.import_keys(
        context,
        relinearization=stored(scheme, "relinearization"),
        rotations=stored(scheme, "rotations"),
    )
    assert keys.rotations is not None
    assert keys.rotations.steps == (1,)
    assert keys.rotations.has_swap_columns
    answer = (a * b).relinearize(keys).rotate_rows(1, keys) + a
    assert np.array_equal(decrypted(module, secret, answer), (rotated(A * B % T) + A) % T)
    swapped = decrypted(module, secret, a.swap_columns(keys))
    assert np.array_equal(swapped, np.roll(A, 512))

    public = seal.import_public_key(context, stored(scheme, "public"))
    plain = module.BatchEncoder(context).encode(B)
    assert np.array_equal(decrypted(module, secret, module.Encryptor(public).encrypt(plain)), B)
    for one in (a, b, lower, answer, a * b):
        for compress in (True, False):
            data = seal.export_ciphertext(one, compress=compress)
            assert np.array_equal(seal.import_ciphertext(context, data).residues, one.residues)
    # The same words as SEAL's own, but for the version in the header.
    exported = seal.export_ciphertext(lower, compress=False)
    assert opened(exported)[32:][:41] == opened(stored(scheme, "lower"))[32:][:41]


def test_keys_in_full_are_read_as_keys_with_seeds() -> None:
    context = context_of("bfv")
    secret = seal.import_secret_key(context, stored("bfv", "secret"))
    keys = seal.import_keys(context, relinearization=stored("bfv", "relinearization-full"))
    a = seal.import_ciphertext(context, stored("bfv", "a"))
    assert np.array_equal(decrypted(bfv, secret, (a * a).relinearize(keys)), A * A % T)
    with pytest.raises(UnsupportedError, match="keep the bytes that it was read from"):
        keys.to_bytes()
    again = bfv.KeyGenerator(secret).relinearization_key()
    assert np.array_equal(decrypted(bfv, secret, (a * a).relinearize(again)), A * A % T)


@pytest.mark.parametrize("device", gpu_devices())
def test_on_the_kernels_of_a_gpu(device: DeviceName) -> None:
    context, host = context_of("bfv", device), context_of("bfv")
    secret = seal.import_secret_key(host, stored("bfv", "secret"))
    keys = seal.import_keys(context, relinearization=stored("bfv", "relinearization"))
    a = seal.import_ciphertext(context, stored("bfv", "a"))
    product = (a * a).relinearize(keys).to(host)
    assert np.array_equal(decrypted(bfv, secret, product), A * A % T)
    with pytest.raises(UnsupportedError, match="has no seed"):
        assert keys.relinearization is not None
        keys.relinearization.offload()


def test_both_generators_of_seeds() -> None:
    seed = bytes(range(64))
    # BLAKE2Xb of 4096 bytes begins with the hash of its root as leaf 0.
    words = _seeds.sample_uniform(_seeds.SHAKE256, seed, 1024, [2**60 - 2**14 + 1, 97])
    flat = b"".join(hashlib.shake_256(seed + struct.pack("<Q", i)).digest(4096) for i in range(8))
    stream = list(struct.unpack(f"<{len(flat) // 8}Q", flat))
    drawn, rest = stream[:2048], iter(stream[2048:])
    for j, q in enumerate((2**60 - 2**14 + 1, 97)):
        limit = 2**64 - 2 - (2**64 - 1) % q
        for i in range(1024):
            word = drawn[1024 * j + i]
            while word >= limit:
                word = next(rest)
            assert int(words[j, i]) == word % q


@pytest.mark.parametrize("scheme", SCHEMES)
def test_bytes_that_are_wrong(scheme: str) -> None:
    context = context_of(scheme)
    data = stored(scheme, "lower")
    for wrong, text in (
        (b"", "a header of SEAL has 16"),
        (b"nttforge" + data, "objects of SEAL begin with 0xa15e"),
        (data[:3] + b"\x03" + data[4:], "written by SEAL 3.4; versions 4.x are read"),
        (data[:5] + b"\x03" + data[6:], "SEAL 4 writes 0, 1 or 2"),
        (data[:-1], "its header states"),
        (reframed(opened(data)[:-8]), "the bytes end before it does"),
        (reframed(opened(data) + b"\0"), "bytes follow that no field has"),
        (reframed(opened(data)[:100]), "the bytes end before it does"),
    ):
        with pytest.raises(FormatError, match=text):
            seal.import_ciphertext(context, wrong)
    body = opened(data)
    for at, value, text in (
        (33, 4, "parts = 4, is_ntt_form"),
        (41, 2**40, "poly_modulus_degree = 1099511627776: need 1024"),
        (49, 2, "coeff_modulus_size = 2: need 1"),
        (57, 0, "scale: need 1.0"),
        (65, T, "correction_factor = 12289 is out of range"),
        (89, 2**60, "data.size = 1152921504606846976: need 2048 or 1024"),
    ):
        changed = body[:at] + value.to_bytes(8, "little") + body[at + 8 :]
        with pytest.raises(FormatError, match=text):
            seal.import_ciphertext(context, reframed(changed, 1))
    with pytest.raises(ParameterError, match=r"prime|range"):
        seal.import_ciphertext(context, reframed(body[:-8] + b"\xff" * 8))
    with pytest.raises(ContextError, match="no level of"):
        seal.import_ciphertext(context, reframed(bytes(32) + body[32:]))
    with pytest.raises(FormatError, match="not decompressed"):
        seal.import_ciphertext(context, reframed(b"")[:5] + b"\1" + reframed(b"x" * 9)[6:])


def test_bytes_of_keys_that_are_wrong() -> None:
    context = context_of("bfv")
    secret = opened(stored("bfv", "secret"))
    flipped = bytearray(secret)
    flipped[200] ^= 1
    with pytest.raises(ParameterError, match="not the transform of one polynomial"):
        seal.import_secret_key(context, reframed(bytes(flipped)))
    with pytest.raises(ContextError, match="parms_id"):
        seal.import_secret_key(context_of("bgv"), stored("bfv", "secret"))
    with pytest.raises(FormatError):
        seal.import_public_key(context, stored("bfv", "secret"))
    with pytest.raises(MissingKeyError, match="both None"):
        seal.import_keys(context)
    with pytest.raises(ContextError, match="digits of 2"):
        seal.import_keys(bfv.Context(bfv.Parameters.preset(8192, digit_primes=2)))
    keys = opened(stored("bfv", "rotations"))
    for at, value, text in (
        (32, 2**50, "size = 1125899906842624: need 1024"),
        (40, 2, r"element 1 changes nothing"),
        (40, 3, r"\[0\].size = 3: need 0 or 2"),
    ):
        changed = keys[:at] + value.to_bytes(8, "little") + keys[at + 8 :]
        with pytest.raises((FormatError, ContextError), match=f"{text}|parms_id|header|begin"):
            seal.import_keys(context, rotations=reframed(changed, 1))
    with pytest.raises(FormatError, match="size"):
        seal.import_keys(context, relinearization=stored("bfv", "rotations"))


def test_parameters_that_are_wrong() -> None:
    data = stored("bfv", "parameters")
    with pytest.raises(ParameterError, match="n = 1024"):
        seal.import_parameters(data)
    body = opened(data)
    with pytest.raises(FormatError, match="CKKS"):
        seal.import_parameters(reframed(b"\2" + body[1:]))
    with pytest.raises(FormatError, match=r"coeff_modulus.size = 65 is out of range"):
        seal.import_parameters(reframed(body[:9] + struct.pack("<Q", 65) + body[17:]))
    with pytest.raises(FormatError, match="at most 2"):
        seal.import_parameters(reframed(body[:1] + struct.pack("<Q", 2**40) + body[9:]))


def test_zstandard_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nttforge_seal._source._ZSTD_MODULES", ())
    data = stored("bfv", "a")
    with pytest.raises(UnsupportedError, match="compr_mode_type::zlib"):
        seal.import_ciphertext(context_of("bfv"), data[:5] + b"\2" + data[6:])


def test_what_seal_has_not_is_not_exported() -> None:
    keys = bfv.Context(bfv.Parameters.preset(4096)).generate_keys()
    with pytest.raises(ParameterError, match="batch of 2"):
        seal.export_ciphertext(keys.encrypt([[1], [2]]))


def test_random_changes_are_errors_of_the_library() -> None:
    context, random = context_of("bfv"), np.random.default_rng(19)
    readers = {
        "a": lambda x: seal.import_ciphertext(context, x),
        "b": lambda x: seal.import_ciphertext(context, x),
        "relinearization": lambda x: seal.import_keys(context, relinearization=x),
        "parameters": lambda x: seal.import_parameters(x, security="insecure_by_request"),
    }
    for name, read in readers.items():
        body = opened(stored("bfv", name))
        for turn in range(40):
            changed = bytearray(body)
            for at in random.integers(0, min(len(body), 220), size=1 + turn % 3):
                changed[at] = random.integers(256)
            try:
                read(reframed(bytes(changed), turn % 2))
            except NttforgeError:
                continue


def test_whoever_imports_parameters_says_by_which_table_they_are_secure() -> None:
    """A set as SEAL's own: within the standard of 2018, and beyond the guidelines of 2024."""
    q = ntt_primes(4096, 36, 2)
    body = b"\1" + struct.pack("<QQ", 4096, 3)
    for word in (*q, ntt_primes(4096, 37)[0], 65537):
        nested = struct.pack("<Q", word)
        body += struct.pack("<HBBBBHQ", 0xA15E, 16, 4, 4, 0, 0, 16 + len(nested)) + nested
    with pytest.raises(ParameterError) as caught:
        seal.import_parameters(reframed(body))
    assert "security = classical128 is not reached" in str(caught.value)
    assert str(caught.value).endswith('pass security_table="hes2018" if you accept that')
    found = seal.import_parameters(reframed(body), security_table="hes2018")
    assert (found.modulus_bits, found.security_table) == (109, "hes2018")
    with pytest.raises(ParameterError) as caught:
        seal.import_parameters(reframed(body), security="classical256")
    assert "hes2018" not in str(caught.value)
