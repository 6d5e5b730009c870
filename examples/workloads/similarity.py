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
_AT_ONCE = 50_000  # records in memory


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """All stages on a database of centres with noise, compared with plain NumPy.

    A database that an earlier run left in the folder is taken as it is.
    """
    (count, dim), number = SIZES[size], list(SIZES).index(size)
    random = np.random.default_rng()
    data, ready = root / "datasets" / size, root / f"centres-{size}.npy"
    stages = Stages(root, device, "build", FETCH_CLIENT_DEVICE=device.split(",")[0])
    if not ready.exists():
        centres = _written(data, count, dim)
        (root / "io" / size).mkdir(parents=True, exist_ok=True)
        for name in ("preprocess_dataset", "key_generation", "encode_encrypt_db"):
            stages.stage(f"client_{name}", number)
        stages.stage("server_preprocess_dataset", number)
        np.save(ready, centres)
    centres = np.load(ready, allow_pickle=False)
    records = np.fromfile(data / "db.bin", np.float32).reshape(-1, dim)
    payloads = np.fromfile(data / "payloads.bin", np.int16).reshape(-1, 7)
    steps, matches = [], []
    for _ in range(runs):
        centre = centres[random.integers(len(centres))]
        query = _unit(centre + _SMALLER * _unit(random.normal(size=dim)))
        query.astype(np.float32).tofile(data / "query.bin")
        for name in ("client_preprocess_query", "client_encode_encrypt_query"):
            stages.stage(name, number)
        print(stages.stage("server_encrypted_compute", number).splitlines()[-1], flush=True)
        for name in ("client_decrypt_decode", "client_postprocess"):
            stages.stage(name, number)
        expected = payloads[records @ query.astype(np.float32) > 0.8]
        expected = expected[np.lexsort(expected.T[::-1])]
        found = np.fromfile(root / "io" / size / "results.bin", np.int16).reshape(-1, 7)
        if not np.array_equal(found, expected):
            raise SystemExit(f"FAIL: {len(found)} payloads, not the {len(expected)} of plain NumPy")
        matches.append(len(found))
        report = root / "io" / size / "server_reported_steps.json"
        steps.append(json.loads(report.read_text("utf-8")))
    print(f"PASS: {matches} payloads in {runs} runs equal those of plain NumPy")
    upload = root / "io" / size / "ciphertexts_upload"
    found_bytes = {
        "keys": bytes_of(root / "io" / size / "keys"),
        "database": bytes_of(*upload.glob("db-*"), *upload.glob("payloads-*")),
    }
    if runs:
        found_bytes["query"] = bytes_of(upload / "query.bin")
        found_bytes["answer"] = bytes_of(root / "io" / size / "ciphertexts_download")
    return {
        "records": count,
        "dimensions": dim,
        "matches": matches,
        "server_seconds": steps,
        "stage_seconds": stages.seconds,
        "bytes": found_bytes,
    }


def _written(data: Path, count: int, dim: int) -> Any:
    """Writes records and payloads; the centres that half of the records are near."""
    random = np.random.default_rng()
    data.mkdir(parents=True, exist_ok=True)
    centres = _unit(random.normal(size=(max(1, count // 32), dim)))
    with (data / "db.bin").open("wb") as file:
        for first in range(0, count, _AT_ONCE):
            records = _unit(random.normal(size=(min(_AT_ONCE, count - first), dim)))
            near = random.random(len(records)) < 0.5
            chosen = centres[random.integers(0, len(centres), len(records))]
            records[near] = _unit(chosen[near] + _SMALLER * records[near])
            file.write(records.astype(np.float32).tobytes())
    random.integers(0, 512, (count, 7), np.int16).tofile(data / "payloads.bin")
    return centres


def _unit(rows: Any) -> Any:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)
