# SPDX-License-Identifier: Apache-2.0
"""Encrypted records scored on a cluster whose workers are killed meanwhile; none is lost.

    python examples/cluster_sweep.py [--records 1000000] [--kills 10] [--workers 4] [--folder DIR]

Records of eight numbers (--features) are encrypted with CKKS by this process, which has the key
and never speaks to Dask; the coordinator and the workers have none. A worker scores a partition by
logistic regression, with a polynomial for the sigmoid. Workers are killed while they score, and
then every record is decrypted and compared with NumPy.
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

SIGMOID = functions.approximate(lambda t: 0.5 + 0.5 * np.tanh(1.5 * t), (-1, 1), degree=3)
_WAIT_S = 0.05


def weights_of(features: int) -> list[float]:
    """Weights whose absolute values add up to 1, so that weighted sums stay in [-1, 1]."""
    found = np.cos(np.arange(features))
    return [float(w) for w in found / np.abs(found).sum()]


def plain(table: dict[str, Any]) -> Any:
    """Scores in the clear, by the polynomial."""
    pairs = zip(weights_of(len(table)), table.values(), strict=True)
    return SIGMOID.evaluate(np.asarray(sum(w * column for w, column in pairs)))


def scoring(features: int, begun: str) -> Any:
    """What a worker does with a batch; a file with its number has a byte for each, to hit it by."""
    weights, row = weights_of(features), SIGMOID.coefficients

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

    Another one is at work when one is killed, so that the sweep goes on meanwhile.
    """

    def __init__(self, folder: Path, kills: int) -> None:
        super().__init__(daemon=True)
        self.dead: list[int] = []
        self._folder, self._kills = folder, kills
        self._ended = threading.Event()

    def run(self) -> None:
        """Looks for workers that have begun."""
        while len(self.dead) < self._kills and not self._ended.wait(_WAIT_S):
            begun = {int(path.name): path.stat().st_size for path in self._folder.iterdir()}
            alive = {pid: size for pid, size in begun.items() if pid not in self.dead}
            busy = [pid for pid, size in alive.items() if size > 1]
            if busy and len(alive) > 1:
                self.dead.append(busy[0])
                with contextlib.suppress(ProcessLookupError):
                    os.kill(busy[0], signal.SIGKILL)
                print(f"worker {busy[0]} killed, {len(self.dead)} of {self._kills}", flush=True)

    def end(self) -> None:
        """No more are killed."""
        self._ended.set()
        self.join()


def sweep(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Encrypts, scores, kills, decrypts and compares."""
    records, features, kills = options.records, options.features, options.kills
    context = ckks.Context(ckks.Parameters.preset(2**13, 36))
    keys = context.generate_keys()
    server = folder / "keys"
    server.mkdir()
    (server / "parameters.bin").write_bytes(context.parameters.to_bytes())
    (server / "evaluation.key").write_bytes(keys.evaluation.to_bytes())
    random, names = np.random.default_rng(), [f"x{i}" for i in range(features)]
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

    computation = dataset.map(scoring(features, str(seen)))
    killer.start()
    try:
        with local_workers(options.workers) as client:
            result = computation.persist(
                folder / "out", keys=server, client=client, device=options.device, said=said
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
        "features": features,
        "workers": options.workers,
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
    parser.add_argument("--features", type=int, default=8, help="numbers of a record")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--device", default="cpu", help="of the workers: cpu, cuda ...")
    parser.add_argument("--folder", type=Path, help="for partitions; by default a temporary one")
    options = parser.parse_args()
    if min(options.records, options.features, options.workers) < 1 or options.kills < 0:
        parser.error("--records, --features and --workers must be at least 1, --kills at least 0")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = sweep(Path(folder), options)
    print(json.dumps(found, indent=1))
    sys.exit(0)


if __name__ == "__main__":
    main()
