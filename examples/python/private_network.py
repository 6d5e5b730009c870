# SPDX-License-Identifier: Apache-2.0
"""A network that reads encrypted digits: 64 pixels, 16 squared hidden units, 10 scores.

    python examples/python/private_network.py [--images 256]

The server has the weights (digits_model.json, trained by train_digits.py), the client the images.
Both compute with integers, so that the scores are exactly those of the network in the clear.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import nttforge
from nttforge import ArraySpec, EncryptedArray, bfv, cuda

MODEL = json.loads((Path(__file__).parent / "digits_model.json").read_text("utf-8"))
WEIGHTS = {name: np.array(MODEL[name]) for name in ("w1", "b1", "w2", "b2")}


def network(images: Any) -> Any:
    """The same function of encrypted images, of arrays, and of what chooses parameters."""
    hidden = images @ WEIGHTS["w1"] + WEIGHTS["b1"]
    return (hidden * hidden) @ WEIGHTS["w2"] + WEIGHTS["b2"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu", help="of the server: cuda")
    options = parser.parse_args()
    from sklearn.datasets import load_digits

    digits: Any = load_digits()
    held = np.nonzero(np.arange(len(digits.data)) % 4 == 3)[0][: options.images]
    images = np.rint(digits.data[held] / 4).astype(np.int64)  # 0 ... 4

    choice = nttforge.choose(network, [ArraySpec(images.shape, 0, 4)])
    context = bfv.Context(choice.parameters, threads=options.threads)
    keys = choice.generate_keys(context)
    request = EncryptedArray.encrypt(images, keys.secret, bounds=(0, 4)).to_bytes()
    evaluation = keys.evaluation.to_bytes()

    # The server has bytes, and no secret.
    server = context.on(options.device)
    given = bfv.EvaluationKeys.from_bytes(server, evaluation)
    array = EncryptedArray.from_bytes(server, request, given)
    network(array)  # once before, so that tables are there
    begun, cpu = time.perf_counter(), time.process_time()
    result = network(array)
    if server is not context:
        cuda.synchronize(options.device)
    spent, cpu = time.perf_counter() - begun, time.process_time() - cpu
    answer = result.shrink().to_bytes()

    scores = EncryptedArray.from_bytes(context, answer).decrypt(keys)
    assert np.array_equal(scores, network(images))
    right = float((scores.argmax(axis=1) == digits.target[held]).mean())
    p = choice.parameters
    print(f"n = {p.n}, t = {p.t}, log2 Q = {p.q_bits}; {p.security}")
    print(f"{len(images)} encrypted images: scores equal the network's, {right:.1%} right")
    print(f"server: {cpu * 1e3:.0f} ms of processor time, {spent * 1e3:.0f} ms passed")
    print(
        f"bytes: keys {len(evaluation) / 2**20:.1f} MiB, request {len(request) / 2**20:.2f} MiB, "
        f"answer {len(answer) / 2**20:.2f} MiB"
    )


if __name__ == "__main__":
    main()
