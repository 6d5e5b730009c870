# SPDX-License-Identifier: Apache-2.0
"""chacha20.json and sampling.json: blocks, streams and samples."""

from __future__ import annotations

from itertools import islice

from .. import chacha20
from ..gaussian import DISTRIBUTIONS, gaussian_table
from ..number_theory import ntt_primes
from ..sampling import DOMAINS, Stream, binary, error, error_of_word, sparse, ternary, uniform

SEED = bytes(range(32))

# RFC 8439 sections 2.3.2 and A.1: key, counter, nonce.
RFC_BLOCKS = (
    (SEED, 1, bytes.fromhex("000000090000004a00000000")),
    (bytes(32), 0, bytes(12)),
    (bytes(32), 1, bytes(12)),
    (bytes(31) + b"\x01", 1, bytes(12)),
    (b"\x00\xff" + bytes(30), 2, bytes(12)),
    (bytes(32), 0, bytes(11) + b"\x02"),
)

STREAMS = (
    (SEED, "user", 0, 0, 0, 20),
    (SEED, "secret_key", 0, 0, 0, 8),
    (SEED, "public_key_a", 7, 3 << 8, 5, 9),
    (SEED, "key_switch_a", 0x12345678, (2**24 - 1) << 8 | 255, 1000, 8),
    (bytes([255] * 32), "encrypt_u", 2**32 - 1, 1, 8 * 2**32 - 4, 4),
)


def chacha20_vectors() -> dict[str, object]:
    """Content of chacha20.json."""
    return {
        "description": "ChaCha20 of RFC 8439. blocks: the block function; the first is section "
        "2.3.2, the others A.1. streams: 64-bit words first, first + 1, ... of a lane; nonce = "
        "(domain, index, lane), three little-endian 32-bit words; word i is bytes 8i ... 8i + 7 "
        "of the key stream, little-endian.",
        "blocks": [
            {
                "key": key.hex(),
                "counter": counter,
                "nonce": nonce.hex(),
                "block": chacha20.block(key, counter, nonce).hex(),
            }
            for key, counter, nonce in RFC_BLOCKS
        ],
        "streams": [
            {
                "seed": seed.hex(),
                "domain": DOMAINS[domain],
                "index": index,
                "lane": lane,
                "first": first,
                "words": list(
                    islice(Stream(seed, DOMAINS[domain], index).words(lane, first), count)
                ),
            }
            for seed, domain, index, lane, first, count in STREAMS
        ],
    }


def _error_words(table: list[int]) -> list[int]:
    edges = {u for entry in table for u in (entry - 1, entry, entry + 1) if u < 2**63}
    words = [word for u in sorted(edges) for word in (2 * u, 2 * u + 1)]
    return [0, 1, *words, 2**64 - 2, 2**64 - 1]


def sampling_vectors() -> dict[str, object]:
    """Content of sampling.json."""
    stream = Stream(SEED, DOMAINS["user"], 5)
    # Rejections go from almost none to one word in eight (2^61 + 1) and one in five.
    moduli = [2, 3, 97, 65537, *(ntt_primes(64, bits, 1)[0] for bits in (30, 50, 60, 62))]
    moduli += [2**61 + 1, 2**64 // 5 + 1, 2**61 - 1, 2**62 - 1]
    errors = []
    for d in DISTRIBUTIONS:
        table = gaussian_table(d)
        words = _error_words(table)
        errors.append(
            {
                "distribution": d.name,
                "sigma": d.sigma,
                "bound": d.bound,
                "table": table,
                "words": words,
                "samples_of_words": [error_of_word(w, table) for w in words],
                "samples": error(stream, d, 128),
            }
        )
    return {
        "description": "samples 0, 1, 2, ... of one stream (seed, domain, index). uniform: modulo "
        "q in a limb. error: the cumulative table T[k] = floor(2^63 P(|e| <= k)), what single "
        "words give at its limits, and samples. sparse: whole vectors.",
        "seed": SEED.hex(),
        "domain": stream.domain,
        "index": stream.index,
        "uniform": [
            {"limb": limb, "q": q, "samples": uniform(stream, limb, q, 64)}
            for limb, q in enumerate(moduli)
        ]
        + [
            {"limb": 2**24 - 1, "q": 2**61 + 1, "samples": uniform(stream, 2**24 - 1, 2**61 + 1, 9)}
        ],
        "ternary": ternary(stream, 200),
        "binary": binary(stream, 200),
        "sparse": [
            {"weight": weight, "samples": sparse(stream, weight, count)}
            for weight, count in ((0, 4), (1, 1), (2, 3), (5, 64), (64, 64), (33, 200), (192, 1024))
        ],
        "error": errors,
    }
