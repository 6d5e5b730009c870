# SPDX-License-Identifier: Apache-2.0
"""Which of the client's words are in the server's set, without showing either to the other.

    python examples/python/private_membership.py

The server's set are the words of this repository's documents, the client's those of a sentence.
Both hash a word to a slot and to a number modulo t. A slot of the server holds the polynomial whose
roots are the numbers of its words there; the client encrypts its numbers, the server computes all
polynomials at once, and multiplies by random numbers: 0 says that a word is there, and other values
say nothing. A word that is not there is taken for one with a probability of about 8 / t.

Server and client hash with a key they share. The server learns nothing; what the client learns
beside the answer are products with random numbers. Their noise may tell more of the server's set:
see "circuit privacy" in docs/encrypted-computing.md.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import secrets
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import nttforge
from nttforge import bfv

SENTENCE = (
    "every ciphertext of the library carries a bound on its noise and whoever computes reads it "
    "before decryption though neither marmalade nor submarines nor xylophones do"
)
DOCUMENTS = Path(__file__).resolve().parents[2]


def words_of(text: str) -> set[str]:
    """Lower-case words of at least three letters."""
    return set(re.findall(r"[a-z]{3,}", text.lower()))


def hashed(words: Iterable[str], key: bytes, slots: int, t: int) -> dict[str, tuple[int, int]]:
    """Slot and number of each word; a number is never 0, which stands for no word."""
    found = {}
    for word in words:
        digest = hashlib.blake2b(word.encode(), key=key, digest_size=16).digest()
        place, number = (int.from_bytes(digest[i : i + 8], "little") for i in (0, 8))
        found[word] = (place % slots, 1 + number % (t - 1))
    return found


def polynomials(places: dict[str, tuple[int, int]], slots: int, t: int) -> np.ndarray[Any, Any]:
    """Coefficients, (degree + 1, slots): of each slot the product of X - number over its words."""
    fullest = max(np.bincount([slot for slot, _ in places.values()], minlength=slots))
    rows = [[0] * slots for _ in range(fullest + 1)]
    rows[0] = [1] * slots
    for slot, number in places.values():
        column = [row[slot] for row in rows]
        for k in range(fullest, -1, -1):
            rows[k][slot] = ((column[k - 1] if k else 0) - number * column[k]) % t
    signed = np.array(rows, dtype=np.int64)
    return np.where(signed > (t - 1) // 2, signed - t, signed)


def powers(x: Any, most: int, keys: Any) -> list[Any]:
    """x, x^2, ..., each of the least depth."""
    found = [None, x]
    for k in range(2, most + 1):
        half = 1 << ((k - 1).bit_length() - 1)
        found.append((found[half] * found[k - half]).relinearize(keys))
    return found


def membership(x: Any, coefficients: Any, random: Any, keys: Any) -> Any:
    """Random multiples of the polynomials at the encrypted numbers."""
    total = None
    for power, row in zip(
        powers(x, len(coefficients) - 1, keys)[1:], coefficients[1:], strict=True
    ):
        term = power * row
        total = term if total is None else total + term
    return (total + coefficients[0]) * random


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--n", type=int, default=16384)
    n = parser.parse_args().n
    files = [*DOCUMENTS.glob("*.md"), *DOCUMENTS.glob("docs/*.md")]
    known = words_of(" ".join(path.read_text("utf-8") for path in files))
    asked = words_of(SENTENCE)

    parameters = bfv.Parameters.preset(n, nttforge.ntt_primes(n, 30)[0])
    context = bfv.Context(parameters)
    keys = context.generate_keys()
    shared, t = secrets.token_bytes(16), parameters.t
    questions = hashed(asked, shared, n, t)
    slots = np.zeros(n, dtype=np.uint64)
    for slot, number in questions.values():  # two words of one slot: the first is asked
        slots[slot] = number if slots[slot] == 0 else slots[slot]
    encrypted = bfv.Encryptor(keys.secret).encrypt(
        bfv.BatchEncoder(context).encode(slots, signed=False)
    )
    request, evaluation = encrypted.to_bytes(), keys.evaluation.to_bytes()

    # The server.
    given = bfv.EvaluationKeys.from_bytes(context, evaluation)
    coefficients = polynomials(hashed(known, shared, n, t), n, t)
    random = np.array([secrets.randbelow(t - 1) + 1 for _ in range(n)], dtype=np.int64)
    random = np.where(random > (t - 1) // 2, random - t, random)
    x = bfv.Ciphertext.from_bytes(context, request)
    begun, cpu = time.perf_counter(), time.process_time()
    result = membership(x, coefficients, random, given)
    answer = result.shrink(min_budget=1).to_bytes(noise=False)
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu

    values = keys.decrypt(bfv.Ciphertext.from_bytes(context, answer), signed=False)
    said = {
        word
        for word, (slot, number) in questions.items()
        if values[slot] == 0 and slots[slot] == number
    }
    skipped = {word for word, (slot, number) in questions.items() if slots[slot] != number}
    assert said == (asked & known) - skipped
    print(f"{len(known)} words of the server, at most {len(coefficients) - 1} in a slot")
    print(f"not among them: {', '.join(sorted(asked - said - skipped))}")
    print(f"n = {n}, t = {t}, log2 Q = {parameters.q_bits}")
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, request {len(request) / 2**20:.2f} MiB, "
        f"answer {len(answer) / 2**20:.2f} MiB"
    )


if __name__ == "__main__":
    main()
