# SPDX-License-Identifier: Apache-2.0
"""Encrypted records scored on a cluster whose workers are killed meanwhile; none is lost.

    python examples/cluster_sweep.py [--records 1000000] [--kills 10] [--workers 2] [--folder DIR]

Records of eight real numbers are encrypted with CKKS by this process, which has the key and never
speaks to Dask; the coordinator and the workers have none. A worker scores a partition by logistic
regression, with a polynomial for the sigmoid. Workers are killed while they score, and then every
record is decrypted and compared with NumPy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from nttforge import ckks
from nttforge.ckks import functions
from nttforge_cluster import EncryptedDataset, local_workers

FEATURES = 8
WEIGHTS = (0.5, -0.25, 0.125, 0.75, -0.5, 0.375, -0.125, 0.25)
SIGMOID = functions.approximate(lambda t: 0.5 + 0.5 * np.tanh(1.5 * t), (-1, 1), degree=3)
LIMIT = sum(map(abs, WEIGHTS))  # of weighted sums of numbers in [-1, 1]
_WAIT_S = 0.05


def plain(table: dict[str, Any]) -> Any:
    """Scores in the clear, by the polynomial."""
    total = sum(w * column for w, column in zip(WEIGHTS, table.values(), strict=True))
    return SIGMOID.evaluate(np.asarray(total) / LIMIT)


def scoring(begun: str) -> Any:
    """What a worker does with a batch; a file with its number has a byte for each, to hit it by."""
    weights, row = [w / LIMIT for w in WEIGHTS], SIGMOID.coefficients

    def score(**columns: Any) -> Any:
        import os
        import pathlib

        from nttforge.ckks import functions

        with pathlib.Path(begun, str(os.getpid())).open("a") as file:
            file.write(".")
        total: Any = 0
        for weight, column in zip(weights, columns.values(), strict=True):
            total = column * weight + total
        low, high = total.bounds  # -1 and 1, but for what sums of weights are rounded by
        total = total.within(max(low, -1.0), min(high, 1.0))
        return {"score": total.apply(functions.Polynomial(row, (-1.0, 1.0), name="sigmoid"))}

    return score


class Killer(threading.Thread):
    """Kills workers that compute their second batch or a later one, until enough are dead.

    One that is killed as it starts is not started again: Dask takes it for one that cannot.
    """

    def __init__(self, folder: Path, kills: int) -> None:
        super().__init__(daemon=True)
        self.dead: list[int] = []
        self._folder, self._kills, self._ended = folder, kills, threading.Event()

    def run(self) -> None:
        """Looks for workers that have begun."""
        while len(self.dead) < self._kills and not self._ended.wait(_WAIT_S):
            busy = [int(p.name) for p in self._folder.iterdir() if p.stat().st_size > 1]
            pid = next((pid for pid in busy if pid not in self.dead), None)
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                self.dead.append(pid)
                print(f"worker {pid} killed, {len(self.dead)} of {self._kills}", flush=True)

    def end(self) -> None:
        """No more are killed."""
        self._ended.set()
        self.join()


def sweep(folder: Path, records: int, kills: int, workers: int, device: str) -> dict[str, Any]:
    """Encrypts, scores, kills, decrypts and compares."""
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    keys = context.generate_keys()
    server = folder / "keys"
    server.mkdir()
    (server / "parameters.bin").write_bytes(context.parameters.to_bytes())
    (server / "evaluation.key").write_bytes(keys.evaluation.to_bytes())
    random, names = np.random.default_rng(), [f"x{i}" for i in range(FEATURES)]
    table = {name: random.uniform(-1, 1, records) for name in names}
    begun = time.perf_counter()
    dataset = EncryptedDataset.encrypt(
        table,
        folder / "in",
        keys.secret,
        bounds=dict.fromkeys(names, (-1, 1)),
        records=4 * context.slots,
        said=lambda done: print(f"{done} records encrypted", flush=True),
    )
    encrypted, begun = time.perf_counter() - begun, time.perf_counter()
    seen = folder / "begun"
    seen.mkdir()
    killer, outcomes = Killer(seen, kills), list[str]()

    def said(outcome: dict[str, Any]) -> None:
        outcomes.append(outcome["name"])
        print(f"{outcome['name']}: {outcome['records']} records", flush=True)

    with local_workers(workers) as client:
        killer.start()
        try:
            result = dataset.map(scoring(str(seen))).persist(
                folder / "out", keys=server, client=client, device=device, said=said
            )
        finally:
            killer.end()
    spent = time.perf_counter() - begun
    found, expected = result.decrypt(keys.secret)["score"], plain(table)
    off = np.abs(found - expected)
    parts = len(dataset.manifest.parts)
    if len(found) != records or off.max() > 2.0**-10 or sorted(set(outcomes)) != sorted(outcomes):
        raise SystemExit(f"FAIL: {len(found)} of {records} records, off by {off.max():.2g}")
    if len(killer.dead) < kills:
        raise SystemExit(
            f"FAIL: {len(killer.dead)} of {kills} workers were killed: take more records"
        )
    print(
        f"PASS: {records} records in {parts} partitions, {len(killer.dead)} workers killed, none "
        f"lost; scores are those of NumPy to {off.max():.1e}"
    )
    return {
        "records": records,
        "partitions": parts,
        "workers": workers,
        "killed": len(killer.dead),
        "off_by": float(off.max()),
        "encrypt_seconds": round(encrypted, 2),
        "score_seconds": round(spent, 2),
        "input_bytes": sum(part.bytes for part in dataset.manifest.parts),
        "result_bytes": sum(part.bytes for part in result.manifest.parts),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="of the workers: cpu, cuda ...")
    parser.add_argument("--folder", type=Path, help="for partitions; by default a temporary one")
    options = parser.parse_args()
    if options.records < 1 or options.workers < 1 or options.kills < 0:
        parser.error("--records and --workers must be at least 1, --kills at least 0")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = sweep(Path(folder), options.records, options.kills, options.workers, options.device)
    print(json.dumps(found, indent=1))
    sys.exit(0)


if __name__ == "__main__":
    main()
