# SPDX-License-Identifier: Apache-2.0
"""Which of the client's words are in the server's set, without showing either to the other.

    python examples/python/private_membership.py

The server's set are the words of this repository's documents, the client's those of a sentence.
:class:`nttforge.encrypted.SetIntersection` says how it is done, and what each side sees.
"""

from __future__ import annotations

import argparse
import re
import secrets
import time
from pathlib import Path

import nttforge
from nttforge import bfv
from nttforge.encrypted import SetIntersection

SENTENCE = (
    "every ciphertext of the library carries a bound on its noise and whoever computes reads it "
    "before decryption though neither marmalade nor submarines nor xylophones do"
)
DOCUMENTS = Path(__file__).resolve().parents[2]


def words_of(text: str) -> list[str]:
    """Lower-case words of at least three letters, each once, in alphabetical order."""
    return sorted(set(re.findall(r"[a-z]{3,}", text.lower())))


def main() -> None:
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    files = [*DOCUMENTS.glob("*.md"), *DOCUMENTS.glob("docs/*.md")]
    known = words_of(" ".join(path.read_text("utf-8") for path in files))
    asked = words_of(SENTENCE)

    # Both sides know the number of words, and hash with a salt of this run.
    run = SetIntersection(len(asked), len(known), secrets.token_bytes(16), degree=4)

    # The client.
    choice = nttforge.choose(run.circuit, scheme="bfv", **run.needs)
    context = bfv.Context(choice.parameters)
    keys = choice.generate_keys(context)
    request, evaluation = run.encrypt(asked, keys).to_bytes(), keys.evaluation.to_bytes()

    # The server.
    server_set = run.prepare(known, context.n)
    given = bfv.EvaluationKeys.from_bytes(context, evaluation)
    begun, cpu = time.perf_counter(), time.process_time()
    question = bfv.Ciphertext.from_bytes(context, request)
    answer = run.answer(question, server_set, given).to_bytes()
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu

    # The client again.
    said = run.decrypt(bfv.Ciphertext.from_bytes(context, answer), asked, keys)
    assert said == [word in known for word in asked]
    absent = [word for word, found in zip(asked, said, strict=True) if not found]
    print(f"{len(known)} words of the server, {server_set.answers} ciphertexts of the answer")
    print(f"not among them: {', '.join(absent)}")
    p = choice.parameters
    print(f"n = {p.n}, t = {p.t}, log2 Q = {p.q_bits}")
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, request {len(request) / 2**20:.2f} MiB, "
        f"answer {len(answer) / 2**20:.2f} MiB"
    )


if __name__ == "__main__":
    main()
