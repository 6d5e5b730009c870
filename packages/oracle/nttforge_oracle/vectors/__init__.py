# SPDX-License-Identifier: Apache-2.0
"""The oracle's vectors: what each file holds, and how it is written.

Short files are kept in ``tests/vectors/``. Long ones (``MADE``) are made where tests are built;
``tests/vectors/made.sha256`` has their digests.

All residues and other 64-bit numbers are JSON integers; larger numbers are strings of decimal
digits; byte strings are hexadecimal.
"""

from __future__ import annotations

from collections.abc import Callable

from . import (
    algorithms,
    bfv,
    bgv_noise,
    dgt,
    embedding,
    galois,
    hps,
    incomplete,
    ntt,
    primes,
    randomness,
    rns,
    seeded_bfv,
    seeded_bgv,
)
from .format import to_json

FILES: dict[str, Callable[[], dict[str, object]]] = {
    "ntt.json": ntt.ntt_vectors,
    "traces.json": algorithms.trace_vectors,
    "primes.json": primes.prime_vectors,
    "chacha20.json": randomness.chacha20_vectors,
    "sampling.json": randomness.sampling_vectors,
    "rns.json": rns.rns_vectors,
    "dgt.json": dgt.dgt_vectors,
    "embedding.json": embedding.embedding_vectors,
    "incomplete.json": incomplete.incomplete_vectors,
    "galois.json": galois.galois_vectors,
    "bfv_small.json": bfv.bfv_vectors,
    "hps.json": hps.hps_vectors,
    "bfv_seeded.json": seeded_bfv.seeded_bfv_vectors,
    "bgv_seeded.json": seeded_bgv.seeded_bgv_vectors,
    "bgv_noise.json": bgv_noise.bgv_noise_vectors,
}


#: Files of hundreds of kilobytes, each made in a second.
MADE = ("traces.json", "rns.json", "bfv_small.json")


def vector_file(name: str, command: str) -> str:
    """Content of one file."""
    return to_json({"command": command, **FILES[name]()})
