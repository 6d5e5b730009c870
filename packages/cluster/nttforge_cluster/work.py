# SPDX-License-Identifier: Apache-2.0
"""What runs in a worker: one task reads partitions, computes on them and writes one.

A task returns a small dictionary of numbers and texts, no ciphertext and no object. What went wrong
is told in it as well, with the worker and the kind of trouble, so that whoever gives out tasks can
decide: try elsewhere, again, or stop.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nttforge import _core
from nttforge.encrypted import EncryptedArray
from nttforge.encrypted.kinds import EVALUATION
from nttforge.errors import ArgumentTypeError, FormatError, MissingKeyError, SizeError
from nttforge.rlwe import Context, EvaluationKeys

from .guard import become_worker, public_bytes, require_no_secret
from .inputs import arrays_of_sources
from .parts import Footer, Writer, file_name, pieces, read_footer, verified
from .scheduler import dask
from .schemes import context_of, parameters_of
from .storage import Store
from .trouble import Trouble, stage

if TYPE_CHECKING:
    from nttforge.typing import DeviceName

VERSION: str = _core.version


@dataclass(frozen=True)
class Shared:
    """A file that every task of a job may need: an encrypted array, or a plain one as NPY."""

    address: str
    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True)
class Job:
    """One computation on a dataset, as it travels to the workers: nothing in it is secret.

    ``steps`` are ("map", pickled function, "") and ("linear_map", column, name of the shared
    matrix), in order; ``total`` adds up all rows of each column afterwards.
    """

    version: str
    fingerprint: str
    parameters: bytes
    output: str
    keys: str
    keys_sha256: str
    device: str
    steps: tuple[tuple[str, Any, str], ...]
    shared: dict[str, Shared]
    columns: tuple[str, ...]
    total: bool
    shrink: bool
    at_once: int
    cache_bytes: int
    client: str
    digest: str = field(default="")


@dataclass(frozen=True)
class Task:
    """Partitions to read, with their digests, and the one to write: all ``added`` up, or mapped."""

    name: str
    input: str
    sources: tuple[tuple[str, str], ...]
    records: int
    added: bool = False

    @property
    def origin(self) -> str:
        """The digest of what is read, which the footer of the result states as its source."""
        return hashlib.sha256("".join(digest for _, digest in self.sources).encode()).hexdigest()


class Cache:
    """Keys and shared arrays of this process: those used last, of bounded size in all."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Any, tuple[int, Any]] = OrderedDict()
        self._lock = threading.Lock()
        self.loads = 0

    def get(self, key: Any, size: int, most: int, make: Callable[[], Any]) -> Any:
        """What ``make`` gave for this key before, or now; older ones go until all fit ``most``."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][1]
            while self._kept and self.bytes + size > most:
                self._kept.popitem(last=False)
            value = make()
            self.loads += 1
            self._kept[key] = (size, value)
            return value

    @property
    def bytes(self) -> int:
        """Sum of what is kept."""
        return sum(size for size, _ in self._kept.values())


CACHE = Cache()


def this_process() -> str:
    """A name of this process, and no other."""
    return f"{socket.gethostname()}:{os.getpid()}"


def worker_name() -> str:
    """The address of the worker whose thread this is, with its host and process."""
    try:
        return f"{dask('distributed').get_worker().address} ({this_process()})"
    except ValueError:
        return this_process()


def facts(
    job_device: str, parameters: bytes, rotations: int, relinearization: bool, limit: int
) -> dict[str, Any]:
    """Version and room of this worker, for the plan of whoever gives out tasks."""
    from dataclasses import asdict

    from .memory import memory_plan

    try:
        plan = memory_plan(parameters_of(parameters), rotations, relinearization, job_device, limit)
    except Exception as error:
        return {"version": VERSION, "error": str(error), "worker": worker_name()}
    return {"version": VERSION, "plan": asdict(plan), "worker": worker_name()}


def run_task(job: Job, task: Task) -> dict[str, Any]:
    """Runs one task; never raises what a partition, a key or a disk is the reason of."""
    said: dict[str, Any] = {"name": task.name, "worker": worker_name()}
    if job.version != VERSION:
        return said | {
            "trouble": "version",
            "text": f"the worker has nttforge {VERSION}, and the client {job.version}",
        }
    try:
        if job.client != this_process():
            with stage("keys"):
                become_worker()
        footer, size, kept = _run(job, task)
    except Trouble as trouble:
        return said | {"trouble": trouble.kind, "text": _with_keys_place(job, trouble)}
    return said | {
        "records": footer.records,
        "bytes": size,
        "sha256": footer.digest,
        "kept": kept,
        "loads": CACHE.loads,
    }


def _with_keys_place(job: Job, trouble: Trouble) -> str:
    """What went wrong; where a computation lacks a key, with the file that should have it."""
    if trouble.kind != "compute" or not trouble.lacks_key:
        return trouble.text
    if not job.keys:
        return f"no folder of keys is given (keys=), and the computation needs one: {trouble.text}"
    found = "lacks a key" if job.keys_sha256 else "does not exist"
    place = Store(job.keys).file(EVALUATION)
    return f"{place} {found}, and the computation needs it: {trouble.text}"


def _run(job: Job, task: Task) -> tuple[Footer, int, bool]:
    output, source = Store(job.output), Store(task.input)
    origin = task.origin
    with stage("disk"):
        if output.exists(file_name(task.name)) and (
            footer := _finished(output, task.name, job.digest, origin)
        ):
            return footer, output.size(file_name(task.name)), True
    context, keys = _keys(job)
    with stage("disk"), output.written(file_name(task.name)) as file:
        writer = Writer(file, task.name, job.digest, origin)
        if not task.added:
            for records, columns in _inputs(job, task, source, context, keys):
                results = _computed(job, context, keys, columns)
                _require_rows(results, records)
                writer.add(records, _as_bytes(job, results, False))
        else:
            total = _added(job, task, source, context, keys)
            writer.add(task.records, _as_bytes(job, total, True))
        footer = writer.close()
    return footer, footer.file_bytes, False


def _finished(output: Store, name: str, job: str, origin: str) -> Footer | None:
    """The footer of a partition that an earlier run of the same job wrote, if it is whole."""
    try:
        if (footer := read_footer(output, name)).job == job and footer.source == origin:
            return verified(output, name)
    except FormatError:
        pass
    return None


def _keys(job: Job) -> tuple[Context, Any]:
    with stage("compute"):
        threads = 1 if job.device == "cpu" else 0
        parameters = parameters_of(job.parameters)
        context = CACHE.get(
            ("context", job.fingerprint, job.device),
            0,
            job.cache_bytes,
            lambda: context_of(parameters, cast("DeviceName", job.device), threads),
        )
    if not job.keys:
        return context, None

    def load() -> EvaluationKeys | None:
        store = Store(job.keys)
        require_no_secret(store)
        data = store.read(EVALUATION)
        if hashlib.sha256(data).hexdigest() != job.keys_sha256:
            raise MissingKeyError(
                f"{store.file(EVALUATION)} does not have the SHA-256 that the client saw, "
                f"{job.keys_sha256[:16]}...: the worker reads another folder, or an altered file"
            )
        return EvaluationKeys.from_bytes(context, data)

    with stage("keys"):
        size = 0 if not job.keys_sha256 else Store(job.keys).size(EVALUATION)
        if not job.keys_sha256:
            return context, None
        key = ("keys", job.fingerprint, job.keys_sha256, job.device)
        return context, CACHE.get(key, size, job.cache_bytes, load)


def _inputs(
    job: Job, task: Task, store: Store, context: Context, keys: Any
) -> Iterator[tuple[int, dict[str, EncryptedArray]]]:
    """Every piece of every batch of the task's partitions, as arrays."""
    batches = arrays_of_sources(store, task.sources, task.records, job.columns, context, keys)
    for columns in batches:
        yield from pieces(columns, job.at_once)


def _computed(
    job: Job, context: Context, keys: Any, columns: dict[str, EncryptedArray]
) -> dict[str, EncryptedArray]:
    for kind, what, shared in job.steps:
        if kind == "linear_map":
            with stage("keys"):
                matrix = _shared(job, job.shared[shared], context, keys)
            with stage("compute"):
                if what not in columns:
                    raise SizeError(f"linear_map: no column {what!r}, only {', '.join(columns)}")
                columns = columns | {what: columns[what] @ matrix.T}
            continue
        with stage("compute"):
            function = CACHE.get(
                ("function", hashlib.sha256(what).hexdigest()),
                len(what),
                job.cache_bytes,
                partial(_function, what),
            )
        with stage("keys"):
            more = {
                name: _shared(job, job.shared[full], context, keys)
                for name, full in (pair.split("=") for pair in shared.split(",") if pair)
            }
        with stage("compute"):
            columns = _as_columns(function(**columns, **more))
    return columns


def _function(data: bytes) -> Any:
    return pickle.loads(public_bytes(data, "a function"))


def _as_columns(result: Any) -> dict[str, EncryptedArray]:
    columns = {"result": result} if isinstance(result, EncryptedArray) else result
    if (
        not isinstance(columns, dict)
        or not columns
        or not all(
            isinstance(c, EncryptedArray) and str(n).isidentifier() for n, c in columns.items()
        )
    ):
        raise ArgumentTypeError(
            f"the function of map returned a {type(result).__name__}: need an EncryptedArray, or "
            "a dictionary of some by names of columns"
        )
    return columns


def _require_rows(columns: dict[str, EncryptedArray], records: int) -> None:
    for name, column in columns.items():
        if column.layout.rows != records:
            with stage("compute"):
                raise SizeError(
                    f"column {name} has shape {column.shape} for {records} records: a map gives "
                    "one row for each record; sums over records are made by reduce"
                )


def _added(
    job: Job, task: Task, store: Store, context: Context, keys: Any
) -> dict[str, EncryptedArray]:
    """The sum of all rows of what is computed, or of the task's partitions."""
    total: dict[str, EncryptedArray] = {}
    for _, columns in _inputs(job, task, store, context, keys):
        results = _computed(job, context, keys, columns) if job.total else columns
        with stage("compute"):
            for name, column in results.items():
                term = column.sum(axis=0) if job.total else column
                total[name] = total[name] + term if name in total else term
    return total


def _as_bytes(job: Job, columns: dict[str, EncryptedArray], added: bool) -> dict[str, bytes]:
    """Bytes of columns; sums on the way stay among workers and keep the range that others need."""
    with stage("compute"):
        return {
            name: (column.shrink() if job.shrink else column).to_bytes(
                bounds=column.bounds if added and not column.layout.real else None
            )
            for name, column in columns.items()
        }


def _shared(job: Job, shared: Shared, context: Context, keys: Any) -> Any:
    """An array that many tasks need, read once."""

    def load() -> Any:
        place = f"{shared.address}/{shared.name}"
        data = public_bytes(Store(shared.address).read(shared.name), place)
        if hashlib.sha256(data).hexdigest() != shared.sha256:
            raise FormatError(f"{place} does not have the SHA-256 that the client wrote")
        if shared.name.endswith(".npy"):
            return np.load(io.BytesIO(data), allow_pickle=False)
        return EncryptedArray.from_bytes(context, data, keys)

    key = ("shared", shared.sha256, job.fingerprint, job.device, job.keys_sha256)
    return CACHE.get(key, shared.bytes, job.cache_bytes, load)
