# SPDX-License-Identifier: Apache-2.0
"""Encrypted products of 64-bit integers: the six stages that the harness calls.

    python stages.py STAGE [SIZE [COUNT]]

A number is a signed one, x, modulo four primes of 32 bits, whose product is above 2^127, so that a
product of two, at most 2^126 in magnitude, is known from its residues. Each prime is the plaintext
modulus of a BGV context with 4096 slots, where ciphertexts are in values: a product of 4096 pairs
is four products of words a coefficient, with no transform and no evaluation key. Answers have three
parts and are shrunk. The harness's folders are taken from the working folder; ZN_DEVICE names the
server's device.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import nttforge
from nttforge import bgv, ntt_primes

Words = NDArray[np.uint64]

N = 4096
MODULI = ntt_primes(N, 32, 4)
PRIMES = ntt_primes(N, 50, 2)  # 100 bits of the 106 that n = 4096 has
BATCH = 64  # ciphertexts in a file
BUDGET = 4  # bits left in an answer: it is decrypted, and nothing else
OFFSET = 2**126  # makes products positive, and is 0 modulo 2^64
DEVICE = os.environ.get("ZN_DEVICE", "cpu")
CIPHERTEXTS = 2**28  # bytes of the largest file that is read


def client_preprocess_input(count: str) -> None:
    """Nothing: residues are taken when they are encrypted."""


def client_key_generation(size: str) -> None:
    public, private = _folder(size, "public_keys"), _folder(size, "private_keys")
    private.chmod(0o700)
    for i, t in enumerate(MODULI):
        context = bgv.Context(bgv.Parameters.custom(N, t, PRIMES))
        (public / f"parameters-{i}").write_bytes(context.parameters.to_bytes())
        secret = os.open(private / f"secret-{i}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(secret, "wb") as file:
            file.write(bgv.KeyGenerator(context).secret_key().to_bytes())


def client_encode_encrypt_input(size: str) -> None:
    upload = _folder(size, "ciphertexts_upload")
    for i, context in _contexts(size, "cpu"):
        encryptor, encoder = bgv.Encryptor(_secret(size, i, context)), bgv.BatchEncoder(context)
        for side in ("lhs", "rhs"):
            for chunk, words in enumerate(_chunks(Path("datasets", size, f"{side}.txt"))):
                residues = (words.view(np.int64) % MODULI[i]).astype(np.uint64)
                rows = encoder.encode(_rows(residues), signed=False)
                (upload / f"{side}-{chunk}-{i}").write_bytes(encryptor.encrypt(rows).to_bytes())


def server_encrypted_compute(size: str, count: str) -> None:
    upload, download = Path("io", size, "ciphertexts_upload"), _folder(size, "ciphertexts_download")
    loaded = computed = 0.0
    for i, context in _contexts(size, DEVICE):
        for lhs in sorted(upload.glob(f"lhs-*-{i}")):
            begun = time.perf_counter()
            files = lhs, lhs.with_name(lhs.name.replace("lhs", "rhs"))
            x, y = (bgv.Ciphertext.from_bytes(context, _read(file)) for file in files)
            _wait(context)
            ready = time.perf_counter()
            product = x * y
            _wait(context)
            computed += time.perf_counter() - ready
            answer = product.shrink(BUDGET).to_bytes(noise=False)
            (download / lhs.name.replace("lhs", "product")).write_bytes(answer)
            loaded += ready - begun
    print(f"server: products {computed * 1e3:.3f} ms, reading {loaded * 1e3:.1f} ms, {DEVICE}")


def client_decrypt_decode(size: str, count: str) -> None:
    download, total = Path("io", size, "ciphertexts_download"), int(count)
    residues = np.empty((len(MODULI), total), np.uint64)
    for i, context in _contexts(size, "cpu"):
        decryptor, encoder = bgv.Decryptor(_secret(size, i, context)), bgv.BatchEncoder(context)
        for chunk, begin in enumerate(range(0, total, BATCH * N)):
            read = _read(download / f"product-{chunk}-{i}")
            plain = decryptor.decrypt(bgv.Ciphertext.from_bytes(context, read))
            row = residues[i, begin : begin + BATCH * N]
            row[:] = np.ravel(encoder.decode(plain, signed=False))[: len(row)]
    np.save(_folder(size, "intermediate") / "products.npy", _modulo_2_64(residues))


def client_postprocess(size: str, count: str) -> None:
    products = np.load(Path("io", size, "intermediate", "products.npy"), allow_pickle=False)
    text = "\n".join(map(str, products.tolist())) + "\n"
    (_folder(size, "cleartext_output") / "out.txt").write_text(text, "utf-8")


def _modulo_2_64(residues: Words) -> Words:
    """The integer of each column's residues, by mixed radix [Garner 1959], modulo 2^64."""
    digits: list[Words] = []
    total, weight = np.zeros(residues.shape[1], np.uint64), 1
    for row, t in zip(residues, MODULI, strict=True):
        value = (row + np.uint64(OFFSET % t)) % np.uint64(t)
        for digit, modulus in zip(digits, MODULI, strict=False):
            value = (value + np.uint64(t) - digit % np.uint64(t)) % np.uint64(t)
            value = value * np.uint64(pow(modulus, -1, t)) % np.uint64(t)
        digits.append(value)
        total += value * np.uint64(weight % 2**64)
        weight *= t
    return total


def _chunks(path: Path) -> Iterator[Words]:
    words = np.loadtxt(path, dtype=np.uint64, ndmin=1)
    for begin in range(0, len(words), BATCH * N):
        yield words[begin : begin + BATCH * N]


def _rows(values: Words) -> Words:
    """Rows of a ciphertext each, the last filled up with zeros."""
    return np.pad(values, (0, -len(values) % N)).reshape(-1, N)


def _contexts(size: str, device: str) -> Iterator[tuple[int, bgv.Context]]:
    for i in range(len(MODULI)):
        data = _read(Path("io", size, "public_keys", f"parameters-{i}"))
        yield i, bgv.Context(bgv.Parameters.from_bytes(data), device=device)


def _wait(context: bgv.Context) -> None:
    """Until a GPU has done what it was given, so that its time is seen."""
    if context.device != "cpu":
        nttforge.cuda.synchronize(context.device)


def _secret(size: str, i: int, context: bgv.Context) -> bgv.SecretKey:
    return bgv.SecretKey.from_bytes(context, _read(Path("io", size, "private_keys", f"secret-{i}")))


def _read(path: Path) -> bytes:
    if path.stat().st_size > CIPHERTEXTS:
        raise SystemExit(f"{path}: larger than {CIPHERTEXTS} bytes, which none of ours is")
    return path.read_bytes()


def _folder(size: str, name: str) -> Path:
    folder = Path("io", size, name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


STAGES: dict[str, Callable[..., None]] = {
    stage.__name__: stage
    for stage in (
        client_preprocess_input,
        client_key_generation,
        client_encode_encrypt_input,
        server_encrypted_compute,
        client_decrypt_decode,
        client_postprocess,
    )
}

if __name__ == "__main__":
    STAGES[sys.argv[1]](*sys.argv[2:])
