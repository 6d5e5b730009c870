# SPDX-License-Identifier: Apache-2.0
"""What is to be computed on a dataset: steps, and then where, with which keys, and to where."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from nttforge.encrypted import EncryptedArray
from nttforge.encrypted.bounds import Told
from nttforge.encrypted.kinds import EVALUATION, PARAMETERS
from nttforge.errors import ArgumentTypeError, ContextError, MissingKeyError, ParameterError

from .engine import Direct
from .guard import pickled_function, require_no_secret
from .manifest import NAME, Manifest
from .memory import MemoryPlan
from .parts import batches_of, listed_footer, part_name
from .results import finished
from .schemes import context_of, map_matrix, parameters_of
from .session import Workers
from .storage import Store
from .stored import StoredDataset
from .work import VERSION, Job, Shared, Task, this_process

_FAN_IN = 16
_SHARED = "shared"
_CACHE_BYTES = 2**32
Progress = Callable[[dict[str, Any]], None]
Dataset = TypeVar("Dataset", bound=StoredDataset)


@dataclass(frozen=True)
class Computation(Generic[Dataset]):
    """Steps on a dataset, which nothing has been computed of yet.

    Made by :meth:`EncryptedDataset.map` and :meth:`EncryptedDataset.linear_map`; each step takes
    the columns that the step before gives. :meth:`persist` and :meth:`reduce` compute.
    """

    dataset: Dataset
    steps: tuple[tuple[str, Any, str], ...]
    arrays: dict[str, Any] = field(default_factory=dict)

    def map(
        self,
        function: Callable[..., EncryptedArray | dict[str, EncryptedArray]],
        shared: Mapping[str, EncryptedArray] | None = None,
        public: Mapping[str, ArrayLike] | None = None,
    ) -> Computation[Dataset]:
        """One more step: as :meth:`EncryptedDataset.map`."""
        shared, public = shared or {}, public or {}
        for name, value in shared.items():
            if not isinstance(value, EncryptedArray):
                raise ArgumentTypeError(
                    f"shared {name!r} is no encrypted array: give it by public= if whoever "
                    "computes may see it, else encrypt it first"
                )
            _require_fingerprint(self.dataset, value.context, f"shared {name!r}")
        for name, numbers in public.items():
            if np.asarray(numbers).dtype.kind not in "iufb":
                raise ArgumentTypeError(f"public {name!r}: need an array of numbers")
        names, arrays = [], dict(self.arrays)
        for name in (*shared, *public):
            if not name.isidentifier() or (name in shared and name in public):
                raise ParameterError(f"{name!r} is no name for an argument of its own: rename it")
            full = f"{len(self.steps)}-{name}"
            arrays[full] = shared[name] if name in shared else public[name]
            names.append(f"{name}={full}")
        step = ("map", pickled_function(function), ",".join(names))
        return replace(self, steps=(*self.steps, step), arrays=arrays)

    def linear_map(self, matrix: ArrayLike, column: str | None = None) -> Computation[Dataset]:
        """One more step: as :meth:`EncryptedDataset.linear_map`."""
        words = map_matrix(self.dataset.parameters, matrix)
        columns = self.dataset.columns
        if column is None:
            if self.steps or len(columns) != 1:
                raise ParameterError(
                    f"column = None: name one of the columns {', '.join(columns)}, or one that a "
                    "map before gives"
                )
            column = columns[0]
        if not self.steps and column not in columns:
            raise ParameterError(f"column = {column!r}: there are {', '.join(columns)}")
        full = f"{len(self.steps)}-matrix"
        step = ("linear_map", column, full)
        return replace(self, steps=(*self.steps, step), arrays=self.arrays | {full: words})

    def persist(
        self,
        address: str | Path,
        *,
        keys: str | Path | None = None,
        client: Any = None,
        device: str = "cpu",
        memory: int = 0,
        shrink: bool = False,
        in_flight: int = 0,
        planned: Callable[[MemoryPlan], None] = lambda plan: None,
        said: Progress = lambda outcome: None,
    ) -> Dataset:
        """Computes all partitions and writes them, each when it is done, then the manifest.

        Called again after an interruption, it goes on: what is there, is whole and comes from the
        same computation of the same partition, is kept.

        Parameters
        ----------
        address : str or Path
            A folder for the result, which workers can write to.
        keys : str or Path, optional
            The server's folder of keys, which workers read, each once: ``parameters.bin`` and
            ``evaluation.key`` as ``nttforge he keygen`` writes them. It must have no secret key.
        client : Workers or distributed.Client, optional
            Whose workers compute, those of :func:`local_workers` or :func:`connected`; None: this
            process alone. A client of Dask is for processes that never have a secret key: it
            unpickles what workers say, and so any of them could take the key.
        device : str
            Where a worker computes: "cpu" on one thread, "cuda", "cuda:1" or "cuda:host".
        memory : int
            Bytes that a worker may take beside the program; 0: a fair share of its device.
        shrink : bool
            Results in as few bytes as decryption needs, with no noise budget for more operations.
        in_flight : int
            Most partitions given out at a time; 0: two for each thread of the workers.
        planned, said : callable, optional
            Called with the memory plan before the work, and with what each partition's task said.

        Returns
        -------
        EncryptedDataset

        Raises
        ------
        ClusterError
            Some partitions could not be computed: it names them, the workers and the remedies.
        FormatError
            A worker did not write what it said.
        ContextError, MissingKeyError, ParameterError
            Keys of other parameters, none, or a secret one.
        UnsupportedError
            A client of Dask is given in a process that has, or had, a secret key.
        """
        run = self._begun(address, keys, client, device, memory, shrink, total=False)
        planned(run.plan)
        tasks = [
            Task(part.name, self.dataset.store.address, ((part.name, part.sha256),), part.records)
            for part in self.dataset.manifest.parts
        ]
        outcomes = run.workers.run_job(run.job, tasks, said, in_flight)
        return type(self.dataset).open(finished(run.job, tasks, outcomes).address)

    def reduce(
        self,
        address: str | Path,
        *,
        keys: str | Path | None = None,
        client: Any = None,
        device: str = "cpu",
        memory: int = 0,
        in_flight: int = 0,
        said: Progress = lambda outcome: None,
    ) -> dict[str, EncryptedArray]:
        """The sum of all records of each column, of shape (length,), by a tree of sums.

        Every partition is added up where it is computed, then sixteen sums at a time: nothing is
        shuffled, and no worker reads more than sixteen ciphertexts for a node of the tree.

        Parameters
        ----------
        address : str or Path
            A folder for the sums on the way; a second call goes on where the first ended.
        keys, client, device, memory, in_flight, said
            As for :meth:`persist`. Rotation keys for ``sum(axis=0)`` are among the keys.

        Raises
        ------
        ClusterError
            As :meth:`persist`; also where a sum may pass t/2.
        """
        store = Store(address)
        folder = store.child("level-0")
        run = self._begun(folder.address, keys, client, device, memory, False, total=True)
        nodes = [(part.name, part.sha256, part.records) for part in self.dataset.manifest.parts]
        source, width, level = self.dataset.store.address, 1, 0
        job = run.job
        while level == 0 or len(nodes) > 1:
            tasks = [
                Task(
                    part_name(i // width),
                    source,
                    tuple((name, digest) for name, digest, _ in nodes[i : i + width]),
                    sum(records for _, _, records in nodes[i : i + width]),
                    added=True,
                )
                for i in range(0, len(nodes), width)
            ]
            outcomes = run.workers.run_job(job, tasks, said, in_flight)
            nodes = [(t.name, str(outcomes[t.name]["sha256"]), t.records) for t in tasks]
            source, width, level = job.output, _FAN_IN, level + 1
            job = replace(
                job, output=store.child(f"level-{level}").address, steps=(), columns=(), total=False
            )
            job = replace(job, digest=_digest(job, (run.job.digest,)))
        footer = listed_footer(Store(source), nodes[0][0], nodes[0][1])
        context = context_of(self.dataset.parameters)
        _, columns = next(batches_of(Store(source), footer))
        found = {n: EncryptedArray.from_bytes(context, data) for n, data in columns.items()}
        return {n: replace(array, told=Told.COMPUTED) for n, array in found.items()}

    def _begun(
        self,
        address: str | Path,
        keys: str | Path | None,
        client: Any,
        device: str,
        memory: int,
        shrink: bool,
        total: bool,
    ) -> _Run:
        dataset, store = self.dataset, Store(address)
        if store.address == dataset.store.address:
            raise ParameterError(f"{store.address} holds the dataset itself: name another folder")
        digest, rotations, relinearization = "", 0, False
        if keys is not None:
            digest, rotations, relinearization = _keys_facts(Store(keys), dataset)
        parameters = dataset.parameters.to_bytes()
        workers = client if isinstance(client, Workers) else Direct(client)
        plan = workers.plan(device, parameters, rotations, relinearization, memory)
        # Two datasets in one folder would mix: what an unfinished run of another job left is named.
        shared = _written(store.child(_SHARED), self.arrays)
        job = Job(
            VERSION,
            dataset.manifest.fingerprint,
            parameters,
            store.address,
            "" if keys is None else Store(keys).address,
            digest,
            device,
            self.steps,
            shared,
            dataset.columns,
            total,
            shrink,
            plan.at_once,
            max(_CACHE_BYTES, 2 * plan.keys),
            this_process(),
        )
        named = sorted(f"{name} {s.sha256}" for name, s in shared.items())
        job = replace(job, digest=_digest(job, (dataset.manifest.digest, *named)))
        if store.exists(NAME) and Manifest.read(store).job != job.digest:
            raise ParameterError(
                f"{store.file(NAME)} is the result of another computation: name another folder"
            )
        return _Run(job, plan, workers)


@dataclass(frozen=True)
class _Run:
    job: Job
    plan: MemoryPlan
    workers: Workers | Direct


def _digest(job: Job, more: tuple[str, ...]) -> str:
    """What a result depends on: not where it is computed, nor how much at a time."""
    steps = [
        (kind, hashlib.sha256(what).hexdigest() if isinstance(what, bytes) else what, shared)
        for kind, what, shared in job.steps
    ]
    said = [VERSION, job.fingerprint, job.keys_sha256, steps, job.total, job.shrink, *more]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def _require_fingerprint(dataset: StoredDataset, context: Any, what: str) -> None:
    if f"{context.fingerprint:016x}" != dataset.manifest.fingerprint:
        raise ContextError(
            f"{what} has parameters of the fingerprint {context.fingerprint:016x}, and the dataset "
            f"{dataset.manifest.fingerprint}: encrypt it with the dataset's keys"
        )


def _keys_facts(store: Store, dataset: StoredDataset) -> tuple[str, int, bool]:
    """Digest of the evaluation keys, how many rotation keys, whether there is one for products."""
    require_no_secret(store)
    if not store.exists(PARAMETERS):
        raise MissingKeyError(
            f"{store.file(PARAMETERS)} does not exist: give the server's folder of keys"
        )
    parameters = parameters_of(store.read(PARAMETERS, 2**20))
    context = context_of(parameters, threads=1)
    _require_fingerprint(dataset, context, f"keys in {store.address}")
    if not store.exists(EVALUATION):
        return "", 0, False
    data = store.read(EVALUATION)
    rest = parameters.serialized_sizes()
    # The keys themselves are read by the workers; here their number follows from their bytes.
    flags = int.from_bytes(data[32:36], "little")
    relinearization = bool(flags & 1)
    left = len(data) - rest["relinearization_key"] * relinearization
    return hashlib.sha256(data).hexdigest(), max(0, left // rest["rotation_key"]), relinearization


def _written(store: Store, arrays: Mapping[str, Any]) -> dict[str, Shared]:
    """Shared arrays as files under the name of their digest."""
    found = {}
    for name, value in arrays.items():
        if isinstance(value, EncryptedArray):
            data, ending = value.to_bytes(), "enc"
        else:
            buffer = io.BytesIO()
            np.save(buffer, np.asarray(value), allow_pickle=False)
            data, ending = buffer.getvalue(), "npy"
        digest = hashlib.sha256(data).hexdigest()
        file = f"{digest[:32]}.{ending}"
        if not store.exists(file):
            store.write(file, data)
        found[name] = Shared(store.address, file, digest, len(data))
    return found
