# SPDX-License-Identifier: Apache-2.0
"""Run a workload of HomomorphicEncryption.org's benchmarks and check every answer.

    python examples/workloads/run.py zn_multiplication [--size small] [--device cuda] [--runs 3]
    python examples/workloads/run.py zn_multiplication --harness CLONE

The first calls the stages of the folder's ``submission`` in the order of the harness, on data that
is made here, and compares with plain integers. The second puts the folder into a clone of the
public harness, runs that, and shows what it says.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import nttforge

HERE = Path(__file__).resolve().parent
SIZES = {"single": 1, "small": 1000, "medium": 100_000, "large": 10_000_000}
CLIENT = ("client_preprocess_input", "client_key_generation", "client_encode_encrypt_input")
ANSWER = ("server_encrypted_compute", "client_decrypt_decode", "client_postprocess")
FILES = {"keys": "public_keys", "request": "ciphertexts_upload", "answer": "ciphertexts_download"}


class Stages:
    """The executables of a submission in a folder, with how long each took."""

    def __init__(self, root: Path, size: str, device: str) -> None:
        self.root, self.size, self.seconds = root, size, dict[str, float]()
        self.environment = _environment(device)
        self.run(root / "scripts" / "build_task.sh")

    def run(self, *command: object) -> str:
        """What a command printed; throws CalledProcessError."""
        return subprocess.run(
            [str(part) for part in command],
            cwd=self.root,
            env=self.environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    def stage(self, name: str) -> str:
        """Run one and remember its time, start of the interpreter included."""
        print(f"{name} ...", flush=True)
        begun = time.perf_counter()
        which = [self.size] if name in CLIENT[1:] else [self.size, SIZES[self.size]]
        arguments = [SIZES[self.size]] if name == CLIENT[0] else which
        printed = self.run(self.root / "submission/target/release" / name, *arguments)
        self.seconds[name] = round(time.perf_counter() - begun, 3)
        return printed


def zn_multiplication(root: Path, size: str, device: str, runs: int) -> dict[str, Any]:
    """Products of pairs of 64-bit integers, modulo 2^64."""
    pairs = np.random.default_rng().integers(0, 2**64, (2, SIZES[size]), np.uint64)
    corners = np.array([0, 2**63, 2**64 - 1, 2**63 - 1, 2**63], np.uint64)
    if len(corners) <= SIZES[size]:
        pairs[:, : len(corners)] = corners, np.roll(corners, -1)
    data = root / "datasets" / size
    data.mkdir(parents=True)
    for name, row in zip(("lhs", "rhs"), pairs, strict=True):
        (data / f"{name}.txt").write_text("\n".join(map(str, row.tolist())), "utf-8")
    stages = Stages(root, size, device)
    for name in CLIENT:
        stages.stage(name)
    products, reading = [], []
    for _ in range(runs):
        said = stages.stage(ANSWER[0])
        found = re.search(r"products ([\d.]+) ms, reading ([\d.]+) ms", said)
        assert found, said
        products.append(float(found[1]))
        reading.append(float(found[2]))
        for name in ANSWER[1:]:
            stages.stage(name)
        text = (root / "io" / size / "cleartext_output" / "out.txt").read_text("utf-8")
        answers = np.array(text.split(), np.uint64)
        if not np.array_equal(answers, pairs[0] * pairs[1]):
            raise SystemExit("FAIL: a product differs from that of plain integers")
    print(f"PASS: {SIZES[size]} products equal those of plain integers, {runs} times")
    folders = {what: root / "io" / size / name for what, name in FILES.items()}
    return {
        "pairs": SIZES[size],
        "products_ms": products,
        "reading_ms": reading,
        "stage_seconds": stages.seconds,
        "bytes": {what: _bytes(folder) for what, folder in folders.items()},
    }


WORKLOADS = {"zn_multiplication": zn_multiplication}


def _environment(device: str) -> dict[str, str]:
    """What a submission's programs find: this interpreter, and the server's device."""
    return {**os.environ, "PYTHON": sys.executable, "ZN_DEVICE": device}


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


def by_harness(clone: Path, workload: str, size: str, device: str, runs: int) -> None:
    """The public harness with the submission in place of its reference."""
    if not (clone / "harness" / "run_submission.py").is_file():
        raise SystemExit(f"{clone}: no harness/run_submission.py: clone the harness there first")
    for name in ("submission", "scripts"):
        shutil.rmtree(clone / name, ignore_errors=True)
        shutil.copytree(HERE / workload / name, clone / name)
    program = [sys.executable, "harness/run_submission.py", str(list(SIZES).index(size))]
    done = subprocess.run([*program, "--num_runs", str(runs)], cwd=clone, env=_environment(device))
    if done.returncode:
        raise SystemExit(done.returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--device", default="cpu", help="the server's: cpu, cuda, cuda:0 ...")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--harness", type=Path, help="a clone of the public harness")
    parser.add_argument("--json", type=Path, help="write what was measured")
    options = parser.parse_args()
    if options.runs < 1:
        parser.error(f"--runs {options.runs}: must be at least 1")
    which = options.size, options.device, options.runs
    if options.harness:
        by_harness(options.harness, options.workload, *which)
        return
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / options.workload
        shutil.copytree(HERE / options.workload, root)
        found = WORKLOADS[options.workload](root, *which)
    said = {"workload": options.workload, "device": options.device, **found}
    print(json.dumps(said, indent=1))
    if options.json:
        machine = {"machine": nttforge.describe_cpu().brand, "target": nttforge.active_target()}
        said = {**machine, "version": nttforge.__version__, **said}
        options.json.write_text(json.dumps(said, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
