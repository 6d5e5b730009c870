# SPDX-License-Identifier: Apache-2.0
"""Kill workers at random while they compute, and compare every record: ``make soak``.

Random tables are encrypted in partitions; three workers compute on them while one after the other
is killed without warning, until the number asked for is reached. Then every record must be there
once, with the value of the plain computation.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
from typing import Any

import numpy as np
import psutil

from nttforge import bfv
from nttforge_cluster import EncryptedDataset, local_workers

WORKERS = 3


def work(seconds: float) -> Any:
    """A map that takes its time, so that kills meet it half-way."""

    def slow(a: Any, b: Any) -> Any:
        import time

        time.sleep(seconds)
        return {"c": 3 * a - b}

    return slow


def kill_some(rng: random.Random, wanted: int, killed: list[int], stop: Any) -> None:
    """Kills a random worker every now and then."""
    while len(killed) < wanted and not stop.is_set():
        stop.wait(rng.uniform(0.2, 1.2))
        with contextlib.suppress(OSError, IndexError, psutil.Error):
            pid = rng.choice(workers_below())
            if pid not in killed:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)


def workers_below() -> list[int]:
    """The processes that the coordinator, a child of this process, has started as workers."""
    below = psutil.Process().children(recursive=True)
    return [child.pid for child in below if any("spawn_main" in w for w in child.cmdline())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=30, help="workers to kill (default 30)")
    parser.add_argument("--seed", type=int, default=None, help="of the kills (default: by time)")
    options = parser.parse_args()
    seed = int(time.time()) if options.seed is None else options.seed
    rng = random.Random(seed)
    context = bfv.Context(bfv.Parameters.preset(4096))
    keys = context.generate_keys()
    records = 4096 * 6 * max(8, options.kills)
    values = np.random.default_rng(seed)
    table = {"a": values.integers(-3, 4, records), "b": values.integers(0, 2, records)}
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nttforge-soak-") as folder:
        dataset = EncryptedDataset.encrypt(table, f"{folder}/in", keys.secret, records=4096)
        killed: list[int] = []
        runs = 0
        stop = threading.Event()
        with local_workers(WORKERS) as client:
            thread = threading.Thread(target=kill_some, args=(rng, options.kills, killed, stop))
            thread.start()
            try:
                while runs == 0 or len(killed) < options.kills:
                    runs += 1
                    out = f"{folder}/out-{runs}"
                    result = dataset.map(work(0.3)).persist(out, client=client)
                    found = result.decrypt(keys.secret)["c"]
                    right = found.shape == table["a"].shape
                    right = right and bool((found == 3 * table["a"] - table["b"]).all())
                    unfinished = [p.name for p in pathlib.Path(out).iterdir() if p.name[0] == "."]
                    print(
                        f"run {runs}: {result.records} records, {len(killed)} kills so far, "
                        f"{'every record once and right' if right else 'WRONG'}",
                        flush=True,
                    )
                    if not right or unfinished:
                        print(f"FAILED with --seed {seed}", unfinished)
                        return 1
            finally:
                stop.set()
                thread.join()
    print(
        f"soak: {len(killed)} workers killed in {runs} runs, {time.monotonic() - begun:.0f} s, "
        f"seed {seed}: passed"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
