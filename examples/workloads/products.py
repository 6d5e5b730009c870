# SPDX-License-Identifier: Apache-2.0
"""Zn-multiplication: products of pairs of 64-bit integers, modulo 2^64."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from harness import Stages, bytes_of

SIZES = {"single": 1, "small": 1000, "medium": 100_000, "large": 10_000_000}
FILES = {"keys": "public_keys", "request": "ciphertexts_upload", "answer": "ciphertexts_download"}


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """All stages on pairs that are made here, compared with plain integers."""
    count = SIZES[size]
    pairs = np.random.default_rng().integers(0, 2**64, (2, count), np.uint64)
    corners = np.array([0, 2**63, 2**64 - 1, 2**63 - 1, 2**63], np.uint64)
    if len(corners) <= count:
        pairs[:, : len(corners)] = corners, np.roll(corners, -1)
    data = root / "datasets" / size
    data.mkdir(parents=True)
    for name, row in zip(("lhs", "rhs"), pairs, strict=True):
        (data / f"{name}.txt").write_text("\n".join(map(str, row.tolist())), "utf-8")
    stages = Stages(root, device, "target/release")
    stages.stage("client_preprocess_input", count)
    stages.stage("client_key_generation", size)
    stages.stage("client_encode_encrypt_input", size)
    products, reading = [], []
    for _ in range(runs):
        said = stages.stage("server_encrypted_compute", size, count)
        found = re.search(r"products ([\d.]+) ms, reading ([\d.]+) ms", said)
        assert found, said
        products.append(float(found[1]))
        reading.append(float(found[2]))
        for name in ("client_decrypt_decode", "client_postprocess"):
            stages.stage(name, size, count)
        text = (root / "io" / size / "cleartext_output" / "out.txt").read_text("utf-8")
        answers = np.array(text.split(), np.uint64)
        if not np.array_equal(answers, pairs[0] * pairs[1]):
            raise SystemExit("FAIL: a product differs from that of plain integers")
    print(f"PASS: {count} products equal those of plain integers, {runs} times")
    return {
        "pairs": count,
        "products_ms": products,
        "reading_ms": reading,
        "stage_seconds": stages.seconds,
        "bytes": {what: bytes_of(root / "io" / size / name) for what, name in FILES.items()},
    }
