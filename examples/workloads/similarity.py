# SPDX-License-Identifier: Apache-2.0
"""fetch-by-similarity: payloads of encrypted records near an encrypted query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from harness import Stages, bytes_of

#: Records and entries of each size, as the harness numbers them.
SIZES = {"toy": (1000, 128), "small": (50_000, 128), "medium": (1_000_000, 256)}
_SMALLER = 0.3  # of the noise that makes a record of a centre


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """All stages on a database of centres with noise, compared with plain NumPy."""
    (count, dim), number = SIZES[size], list(SIZES).index(size)
    random = np.random.default_rng()
    data = root / "datasets" / size
    data.mkdir(parents=True)
    centres = _unit(random.normal(size=(max(1, count // 32), dim)))
    records = _unit(random.normal(size=(count, dim)))
    near = random.random(count) < 0.5
    chosen = centres[random.integers(0, len(centres), count)]
    records[near] = _unit(chosen[near] + _SMALLER * records[near])
    payloads = random.integers(0, 512, (count, 7), np.int16)
    records.astype(np.float32).tofile(data / "db.bin")
    payloads.tofile(data / "payloads.bin")
    (root / "io" / size).mkdir(parents=True)
    stages = Stages(root, device, "build")
    for name in ("client_preprocess_dataset", "client_key_generation", "client_encode_encrypt_db"):
        stages.stage(name, number)
    stages.stage("server_preprocess_dataset", number)
    steps, matches = [], []
    for _ in range(runs):
        centre = centres[random.integers(len(centres))]
        query = _unit(centre + _SMALLER * _unit(random.normal(size=dim)))
        query.astype(np.float32).tofile(data / "query.bin")
        for name in ("client_preprocess_query", "client_encode_encrypt_query"):
            stages.stage(name, number)
        stages.stage("server_encrypted_compute", number)
        for name in ("client_decrypt_decode", "client_postprocess"):
            stages.stage(name, number)
        expected = payloads[records.astype(np.float32) @ query.astype(np.float32) > 0.8]
        expected = expected[np.lexsort(expected.T[::-1])]
        found = np.fromfile(root / "io" / size / "results.bin", np.int16).reshape(-1, 7)
        if not np.array_equal(found, expected):
            raise SystemExit(f"FAIL: {len(found)} payloads, not the {len(expected)} of plain NumPy")
        matches.append(len(found))
        report = root / "io" / size / "server_reported_steps.json"
        steps.append(json.loads(report.read_text("utf-8")))
    print(f"PASS: {matches} payloads in {runs} runs equal those of plain NumPy")
    upload = root / "io" / size / "ciphertexts_upload"
    return {
        "records": count,
        "dimensions": dim,
        "matches": matches,
        "server_seconds": steps,
        "stage_seconds": stages.seconds,
        "bytes": {
            "keys": bytes_of(root / "io" / size / "keys"),
            "database": bytes_of(*upload.glob("db-*"), *upload.glob("payloads-*")),
            "query": bytes_of(upload / "query.bin"),
            "answer": bytes_of(root / "io" / size / "ciphertexts_download"),
        },
    }


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)
