# SPDX-License-Identifier: Apache-2.0
"""The process that speaks to Dask for another one, which may hold a secret key.

``session.py`` starts it. Both exchange lines of JSON: requests come in, answers and errors go out.
Functions travel as bytes that only workers unpickle. This process has no secret and refuses any;
what workers of a scheduler answer is read as data (``inert.py``).
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import threading
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from nttforge.errors import NttforgeError

from .engine import Direct
from .inert import read_pickles_as_data
from .scheduler import Certificates, begin_dask, dask_client, quiet, workers_of
from .work import Job, Shared, Task


def line_of(message: dict[str, Any]) -> bytes:
    """A message as a line; bytes in it in base 64."""

    def encoded(value: object) -> dict[str, str]:
        if not isinstance(value, bytes):
            raise TypeError(f"a {type(value).__name__} in a message")
        return {"base64": base64.b64encode(value).decode()}

    return json.dumps(message, default=encoded).encode() + b"\n"


def message_of(line: bytes) -> dict[str, Any]:
    """What :func:`line_of` wrote, with lists for tuples."""

    def decoded(fields: dict[str, Any]) -> Any:
        return base64.b64decode(fields["base64"]) if fields.keys() == {"base64"} else fields

    message: dict[str, Any] = json.loads(line, object_hook=decoded)
    return message


def job_of(fields: dict[str, Any]) -> Job:
    """A job that travelled as ``asdict``."""
    steps = tuple((kind, what, shared) for kind, what, shared in fields["steps"])
    shared = {name: Shared(**entry) for name, entry in fields["shared"].items()}
    columns = tuple(fields["columns"])
    return Job(**{**fields, "steps": steps, "shared": shared, "columns": columns})


def task_of(fields: dict[str, Any]) -> Task:
    """A task that travelled as ``asdict``."""
    sources = tuple((name, digest) for name, digest in fields["sources"])
    return Task(**{**fields, "sources": sources})


def main() -> int:
    """Serves the process that started this one until it closes the line, or is gone."""
    source, target = _channels()
    requests = _Requests(source)

    def answer(**message: Any) -> None:
        target.write(line_of(message))
        target.flush()

    begin_dask("a coordinator of workers")
    begin = requests.next()
    if begin is None:
        return 1
    if begin["scheduler"] is not None:
        read_pickles_as_data()
    try:
        with quiet(), _client(begin) as client:
            link = client.dashboard_link if begin["dashboard"] else ""
            count = len(workers_of(client))
            answer(ready={"address": client.scheduler.address, "workers": count, "dashboard": link})
            direct = Direct(client)
            while (request := requests.next()) is not None:
                try:
                    _serve(direct, request, answer)
                except Exception as error:
                    answer(**_failure(error))
    except Exception as error:
        answer(**_failure(error))
        return 1
    return 0


def _client(begin: dict[str, Any]) -> contextlib.AbstractContextManager[Any]:
    files = begin["certificates"]
    certificates = None if files is None else Certificates(*map(Path, files))
    if begin["scheduler"] is not None:
        return dask_client(begin["scheduler"], certificates, begin["seconds"])
    from .local import local_client

    return local_client(begin["local"], begin["cards"], certificates, begin["dashboard"])


def _serve(direct: Direct, request: dict[str, Any], answer: Any) -> None:
    if "plan" in request:
        answer(plan=asdict(direct.plan(**request["plan"])))
        return
    tasks = [task_of(fields) for fields in request["tasks"]]
    job = job_of(request["job"])
    done = direct.run_job(job, tasks, lambda o: answer(said=o), request["in_flight"])
    answer(done=len(done))


def _failure(error: Exception) -> dict[str, str]:
    if isinstance(error, NttforgeError):
        return {"error": type(error).__name__, "text": str(error)}
    return {"error": "ClusterError", "text": f"{type(error).__name__}: {error}"}


def _channels() -> tuple[IO[bytes], IO[bytes]]:
    """What is read from and written to: no worker inherits it, and no print gets there."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return source, target


class _Requests:
    """Requests in order; the process ends at once where the other one goes while this one works."""

    def __init__(self, source: IO[bytes]) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._working = False
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def next(self) -> dict[str, Any] | None:
        """The next request, waited for; None when there are no more."""
        self._working = False
        line = self._lines.get()
        self._working = True
        return message_of(line) if line else None

    def _read(self, source: IO[bytes]) -> None:
        while line := source.readline():
            self._lines.put(line)
        if self._working:
            os._exit(1)
        self._lines.put(b"")
