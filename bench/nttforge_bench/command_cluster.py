# SPDX-License-Identifier: Apache-2.0
"""``nttforge bench cluster``: two processes beside one, what the engine costs, what memory takes.

Every score is decrypted and compared with the plaintext computation after it was timed.
"""

from __future__ import annotations

import argparse
import heapq
import json
import math
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nttforge._system import FORKS, fresh_context, peak_memory_bytes, worker_context
from nttforge.console.output import require_writable, whole_file
from nttforge.errors import NttforgeError, UnsupportedError

if TYPE_CHECKING:
    from nttforge_cluster import EncryptedDataset

_OVERHEAD_PARTS = 16
_CHUNK = 5000
WORKERS = (2, 16, 128, 512, 1024, 4096)
SCHEMA = "nttforge-bench-cluster-1"


def run(options: argparse.Namespace) -> int:
    from nttforge_demo.machines import description

    if not FORKS:
        raise UnsupportedError("bench cluster compares copies of this process, and needs Linux")
    require_writable(options.out)
    document: dict[str, Any] = {"schema": SCHEMA, "machine": description("cpu")}
    with tempfile.TemporaryDirectory(prefix="nttforge-bench-", dir=options.scratch) as folder:
        document |= _scoring(Path(folder), options.records, options.tasks)
    document["simulated"] = scale(document)
    with whole_file(options.out / "cluster.json") as file:
        file.write(json.dumps(document, indent=1) + "\n")
    for name, value in document.items():
        print(f"{name:34} {value}")
    print(options.out / "cluster.json")
    return 0 if document["equal"] == document["records"] else 1


def _say(text: str) -> None:
    print(f"bench cluster: {text}", file=sys.stderr, flush=True)


def _scoring(folder: Path, records: int, tasks: int) -> dict[str, Any]:
    """Encrypts, has a process without keys measure, decrypts what that computed and compares."""
    import numpy as np

    from nttforge.encrypted.kinds import EVALUATION, PARAMETERS
    from nttforge_cluster import EncryptedDataset
    from nttforge_demo import model as models
    from nttforge_demo import scoring
    from nttforge_demo.model import FEATURE_LIMIT

    model = models.train(models.load_patients())
    keys = scoring.new_keys(model)
    server = folder / "keys"
    server.mkdir()
    (server / PARAMETERS).write_bytes(keys.context.parameters.to_bytes())
    (server / EVALUATION).write_bytes(keys.evaluation.to_bytes())
    for name, array in scoring.encrypt_model(model, keys).items():
        (folder / f"{name}.enc").write_bytes(array.to_bytes())
    parts = list(scoring.synthetic(records, 0))
    table = {n: np.concatenate([p[n] for p in parts]) for n in parts[0]}
    _say(f"encrypting {records} records")
    begun = time.perf_counter()
    dataset = EncryptedDataset.encrypt(
        table,
        folder / "in",
        keys.secret,
        matrix=scoring.RECORDS,
        bounds={scoring.RECORDS: (-FEATURE_LIMIT, FEATURE_LIMIT)},
        prepare=lambda columns: scoring.records_of(model, columns),
    )
    spent = time.perf_counter() - begun
    found: dict[str, Any] = {"records": records, "partitions": len(dataset.manifest.parts)}
    found |= {"encrypt_seconds": round(spent, 2), "input_bytes": _bytes(dataset)}
    found |= _in_another_process(folder, tasks)
    x = scoring.records_of(model, table)
    plain = model.scores(np.stack(list(x.values())[:-1], axis=1))
    values = EncryptedDataset.open(folder / "out-2").decrypt(keys.secret)
    right = (values["score"] == plain) & (values["refined"] == model.refine(plain))
    return found | {"equal": int(right.sum())}


def _in_another_process(folder: Path, tasks: int) -> dict[str, Any]:
    """What :func:`_measure` finds, in a process that never has a key and so may speak to Dask."""
    process = fresh_context().Process(target=_measure, args=(folder, tasks))
    process.start()
    process.join()
    if process.exitcode != 0:
        raise NttforgeError(f"the process that measures ended with code {process.exitcode}")
    found: dict[str, Any] = json.loads((folder / "measured.json").read_text("utf-8"))
    return found


def _measure(folder: Path, tasks: int) -> None:
    from nttforge.encrypted import EncryptedArray
    from nttforge.encrypted.kinds import EVALUATION
    from nttforge_cluster import EncryptedDataset
    from nttforge_cluster.local import local_client
    from nttforge_cluster.schemes import context_of
    from nttforge_demo import scoring

    dataset, server = EncryptedDataset.open(folder / "in"), folder / "keys"
    context = context_of(dataset.parameters)
    encrypted = {
        name: EncryptedArray.from_bytes(context, (folder / f"{name}.enc").read_bytes())
        for name in scoring.MODEL
    }

    def score(source: EncryptedDataset, name: str, client: Any, plans: list[Any]) -> Any:
        steps = source.map(scoring.score, encrypted)
        options: dict[str, Any] = {"keys": server, "client": client}
        begun = time.perf_counter()
        result = steps.persist(folder / name, planned=plans.append, **options)
        return result, time.perf_counter() - begun

    plans: list[Any] = []
    few = _first(dataset, _OVERHEAD_PARTS)
    score(_first(dataset, 1), "warm", None, plans)
    _say(f"{len(few.manifest.parts)} partitions in this process")
    _, alone = score(few, "few-here", None, plans)
    _say("the same in two processes at once, without the engine")
    both = _both(lambda name: score(few, name, None, []))
    times = {}
    grown = peak = 0
    engine = 0.0
    for workers in (1, 2):
        with local_client(workers) as client:
            if workers == 1:
                grown = max(client.run(_peak_bytes).values())
            score(_first(dataset, 2 * workers), f"warm-{workers}", client, plans)
            if workers == 1:
                _say(f"{len(few.manifest.parts)} partitions, one worker")
                _, engine = score(few, "few-worker", client, plans)
            _say(f"{dataset.records} records, workers: {workers}")
            result, times[workers] = score(dataset, f"out-{workers}", client, plans)
            if workers == 1:
                peak = max(client.run(_peak_bytes).values())
    found = {
        "result_bytes": _bytes(result),
        "largest_partition_bytes": max(p.bytes for p in dataset.manifest.parts),
        "keys_bytes": (server / EVALUATION).stat().st_size,
        "seconds_one_process": round(times[1], 2),
        "seconds_two_processes": round(times[2], 2),
        "speedup": round(times[1] / times[2], 3),
        "ceiling_of_two_processes": round(2 * alone / both, 3),
        "seconds_a_partition": round(alone / len(few.manifest.parts), 3),
        "overhead": round(engine / alone - 1, 4),
        "core_seconds_per_million": round(times[1] / dataset.records * 1e6, 1),
        "memory_stated_bytes": plans[-1].total,
        "memory_grown_bytes": peak - grown,
        **_empty_tasks(tasks),
    }
    (folder / "measured.json").write_text(json.dumps(found), "utf-8")


def _both(work: Callable[[str], Any]) -> float:
    """Seconds in which two forked processes each do what one did alone."""
    context = worker_context()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        processes = [context.Process(target=work, args=(f"both-{i}",)) for i in range(2)]
        begun = time.perf_counter()
        for process in processes:
            process.start()
        for process in processes:
            process.join()
    return time.perf_counter() - begun


def _first(dataset: EncryptedDataset, count: int) -> EncryptedDataset:
    parts = dataset.manifest.parts[:count]
    records = sum(part.records for part in parts)
    return replace(dataset, manifest=replace(dataset.manifest, parts=parts, records=records))


def _bytes(dataset: EncryptedDataset) -> int:
    return sum(part.bytes for part in dataset.manifest.parts)


def _peak_bytes() -> int:
    """The most memory that this process has had, with the package loaded."""
    from nttforge_cluster import work  # noqa: F401

    return peak_memory_bytes()


def _nothing(number: int) -> int:
    return number


def _chunks(count: int) -> Iterator[range]:
    for begin in range(0, count, _CHUNK):
        yield range(begin, min(count, begin + _CHUNK))


def scale(document: dict[str, Any], records: int = 10**9) -> list[dict[str, Any]]:
    """Hours for so many records by numbers of workers, simulated from what was measured.

    A scheduler hands out one task after the other, each after 1 / rate seconds; a worker computes a
    partition in its measured time, a fifth more or less. Storage is taken to be fast enough, and
    the row says how fast that is.
    """
    each = document["seconds_one_process"] / document["partitions"]
    tasks = math.ceil(records / (document["records"] / document["partitions"]))
    moved = (document["input_bytes"] + document["result_bytes"]) / document["records"] * records
    rows = []
    for workers in WORKERS:
        rng = random.Random(0)
        free = [0.0] * workers
        given = 0.0
        for _ in range(tasks):
            given = max(given + 1 / document["empty_tasks_per_second"], free[0])
            heapq.heapreplace(free, given + each * rng.uniform(0.8, 1.2))
        spent = max(free)
        rows.append(
            {
                "workers": workers,
                "hours": round(spent / 3600, 3),
                "busy": round(tasks * each / (workers * spent), 3),
                "storage_gb_s": round(moved / spent / 1e9, 3),
                "keys_gb": round(workers * document["keys_bytes"] / 1e9, 1),
            }
        )
    return rows


def _empty_tasks(count: int) -> dict[str, Any]:
    """Tasks a second that the scheduler gets through when they do nothing."""
    from nttforge_cluster.local import local_client

    _say(f"{count} empty tasks")
    with local_client(2) as client:
        client.gather(client.map(_nothing, range(100), pure=False))
        begun = time.perf_counter()
        for chunk in _chunks(count):
            client.gather(client.map(_nothing, chunk, pure=False))
        spent = time.perf_counter() - begun
    return {"empty_tasks": count, "empty_tasks_per_second": round(count / spent)}
