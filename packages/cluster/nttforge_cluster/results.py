# SPDX-License-Identifier: Apache-2.0
"""The end of a job: what workers say that they wrote is read and compared, then the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from nttforge.encrypted.kinds import PARAMETERS
from nttforge.errors import FormatError

from .manifest import Manifest, Part
from .parts import Footer, file_name, listed_footer
from .storage import Store
from .work import VERSION, Job, Task

_READERS = 16  # threads, since an object store takes tens of milliseconds for a footer


def finished(job: Job, tasks: Sequence[Task], outcomes: Mapping[str, Mapping[str, Any]]) -> Store:
    """Reads the footer of every partition, writes the manifest of them all, returns the folder.

    Raises
    ------
    FormatError
        A partition is missing, or is not the one that its task was to write.
    """
    store = Store(job.output)
    with ThreadPoolExecutor(_READERS) as readers:
        footers = list(
            readers.map(lambda task: _written(store, job, task, outcomes[task.name]), tasks)
        )
        sizes = readers.map(lambda task: store.size(file_name(task.name)), tasks)
        parts = tuple(
            Part(task.name, footer.records, size, footer.digest)
            for task, footer, size in zip(tasks, footers, sizes, strict=True)
        )
    columns = footers[0].columns
    for task, footer in zip(tasks, footers, strict=True):
        if footer.columns != columns:
            raise FormatError(
                f"{store.file(file_name(task.name))} has the columns {', '.join(footer.columns)}, "
                f"and {tasks[0].name} has {', '.join(columns)}: a map gives the same ones always"
            )
    store.write(PARAMETERS, job.parameters)
    store.remove_unfinished()
    records = sum(part.records for part in parts)
    Manifest(VERSION, job.fingerprint, columns, records, job.digest, parts).write(store)
    return store


def _written(store: Store, job: Job, task: Task, outcome: Mapping[str, Any]) -> Footer:
    place = store.file(file_name(task.name))
    try:
        footer = listed_footer(store, task.name, str(outcome["sha256"]))
    except FileNotFoundError:
        raise FormatError(
            f"{place} does not exist, and the worker {outcome['worker']} said that it was written: "
            "look whether all workers have the same storage, and run the same again"
        ) from None
    if (footer.job, footer.source, footer.records) != (job.digest, task.origin, task.records):
        raise FormatError(
            f"{place} is not what the worker {outcome['worker']} was to compute: take it away, "
            "look who runs the workers, and run the same again"
        )
    return footer
