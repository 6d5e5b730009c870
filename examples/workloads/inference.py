# SPDX-License-Identifier: Apache-2.0
"""ml-inference: handwritten digits by a network, on encrypted images."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
from harness import HERE, Stages, bytes_of

import nttforge

sys.path.insert(0, str(HERE / "ml_inference" / "submission"))
from digits import digits

#: The harness has 15 images in "small"; those of "hundred" are ours.
SIZES = {"single": 1, "small": 15, "hundred": 100, "medium": 1000, "large": 10_000}
NUMBERS = {"single": 0, "small": 1, "hundred": 1, "medium": 2, "large": 3}
FILES = {"keys": "public_keys", "request": "ciphertexts_upload", "answer": "ciphertexts_download"}


def run(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """All stages on images that were not trained on, compared with the network in the clear."""
    name, images, labels = digits()
    which = np.resize(np.arange(len(images) * 4 // 5, len(images)), SIZES[size])
    images, labels = images[which], labels[which]
    number = NUMBERS[size]
    place = ("single", "small", "medium", "large")[number]
    data = root / "datasets" / place / "intermediate"
    data.mkdir(parents=True)
    np.savetxt(data / "test_pixels.txt", images, fmt="%.6f")
    np.savetxt(data / "test_labels.txt", labels, fmt="%d")
    stages = Stages(root, device, "build", ML_EPOCHS="8" if size == "single" else "40")
    stages.stage("client_key_generation", number)
    stages.stage("server_preprocess_model")
    plain = nttforge.ml.load(root / "submission" / "model" / "server.ml")
    expected = np.argmax(plain.predict(np.loadtxt(data / "test_pixels.txt", ndmin=2)), axis=1)
    computed, processors, reading = list[float](), list[float](), list[float]()
    for _ in range(runs):
        stages.stage("client_preprocess_input", number)
        stages.stage("client_encode_encrypt_input", number)
        said = stages.stage("server_encrypted_compute", number)
        found = re.findall(r"(?:inference|processors|reading) ([\d.]+) ms", said)
        assert len(found) == 3, said
        for row, value in zip((computed, processors, reading), found, strict=True):
            row.append(float(value))
        for stage in ("client_decrypt_decode", "client_postprocess"):
            stages.stage(stage, number)
        text = (root / "io" / place / "encrypted_model_predictions.txt").read_text("utf-8")
        answers = np.array(text.split(), np.int64)
        if not np.array_equal(answers, expected):
            raise SystemExit("FAIL: a prediction differs from that of the network in the clear")
    right = float(np.mean(answers == labels))
    print(
        f"PASS: {len(answers)} predictions equal those of the network in the clear, {runs} times; "
        f"{right:.2%} are right"
    )
    return {
        "images": len(answers),
        "data": name,
        "accuracy": right,
        "accuracy_in_the_clear": float(np.mean(expected == labels)),
        "inference_ms": computed,
        "processors_ms": processors,
        "reading_ms": reading,
        "stage_seconds": stages.seconds,
        "bytes": {what: bytes_of(root / "io" / place / name) for what, name in FILES.items()},
    }
