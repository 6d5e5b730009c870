# SPDX-License-Identifier: Apache-2.0
"""Digits recognised on encrypted images: the stages that the harness calls.

    python stages.py STAGE [SIZE]

SIZE is 0 to 3, as the harness numbers single, small, medium and large. The server's files are
model/server.ml, the client's model/client.json, both made by train.py. ML_DEVICE names the server's
device. The harness's folders are taken from the working folder.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

import nttforge
from nttforge import ckks

SIZES = ("single", "small", "medium", "large")
MODEL = Path(__file__).resolve().parent / "model"
DEVICE = cast("Any", os.environ.get("ML_DEVICE", "cpu"))
MOST_BYTES = 2**34  # of the largest file that is read


def client_key_generation(size: str) -> None:
    client = nttforge.ml.Client.from_bytes((MODEL / "client.json").read_bytes())
    keys, private = client.generate_keys(), _folder(size, "private_keys")
    private.chmod(0o700)
    secret = os.open(private / "secret", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(secret, "wb") as file:
        file.write(keys.secret.to_bytes())
    (_folder(size, "public_keys") / "evaluation").write_bytes(keys.evaluation.to_bytes())


def server_preprocess_model() -> None:
    """Nothing: weights are encoded when the first image comes."""


def client_preprocess_input(size: str) -> None:
    """Nothing: pixels are encrypted as they are."""


def client_encode_encrypt_input(size: str) -> None:
    text = Path("datasets", SIZES[int(size)], "intermediate", "test_pixels.txt")
    request = _client(size).encrypt(np.loadtxt(text, ndmin=2))
    (_folder(size, "ciphertexts_upload") / "request").write_bytes(request)


def server_encrypted_compute(size: str) -> None:
    begun = time.perf_counter()
    server = nttforge.ml.load(MODEL / "server.ml", device=DEVICE).server()
    keys = server.load_keys(_read(size, "public_keys", "evaluation"))
    request = _read(size, "ciphertexts_upload", "request")
    server.prepare(keys)
    ready, before = time.perf_counter(), time.process_time()
    answer = server.run(request, keys)
    done, after = time.perf_counter(), time.process_time()
    (_folder(size, "ciphertexts_download") / "answer").write_bytes(answer)
    read, computed = (ready - begun) * 1e3, (done - ready) * 1e3
    print(
        f"server: inference {computed:.1f} ms, processors {(after - before) * 1e3:.1f} ms, "
        f"reading {read:.1f} ms, {DEVICE}"
    )


def client_decrypt_decode(size: str) -> None:
    scores, error = _client(size).decrypt_scores(_read(size, "ciphertexts_download", "answer"))
    np.save(_folder(size, "intermediate") / "scores.npy", scores)
    print(f"client: scores are off by {error:.2g} at most")


def client_postprocess(size: str) -> None:
    folder = Path("io", SIZES[int(size)])
    scores = np.load(folder / "intermediate" / "scores.npy", allow_pickle=False)
    text = "".join(f"{label}\n" for label in np.argmax(scores, axis=1))
    (folder / "encrypted_model_predictions.txt").write_text(text, "utf-8")


def _client(size: str) -> nttforge.ml.Client:
    client = nttforge.ml.Client.from_bytes((MODEL / "client.json").read_bytes())
    client.use(ckks.SecretKey.from_bytes(client.context, _read(size, "private_keys", "secret")))
    return client


def _read(size: str, folder: str, name: str) -> bytes:
    path = Path("io", SIZES[int(size)], folder, name)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path}: larger than {MOST_BYTES} bytes, which none of ours is")
    return path.read_bytes()


def _folder(size: str, name: str) -> Path:
    folder = Path("io", SIZES[int(size)], name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


STAGES: dict[str, Callable[..., None]] = {
    stage.__name__: stage
    for stage in (
        client_key_generation,
        server_preprocess_model,
        client_preprocess_input,
        client_encode_encrypt_input,
        server_encrypted_compute,
        client_decrypt_decode,
        client_postprocess,
    )
}

if __name__ == "__main__":
    STAGES[sys.argv[1]](*sys.argv[2:])
